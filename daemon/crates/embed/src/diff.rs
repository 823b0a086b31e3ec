//! The difference between the working tree and the last commit. Paths that may not be read are left out of
//! it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use clada_fs::{Roots, Verdict};
use clada_git::{GitRepository, Located, Unfit};
use clada_protocol::{ErrorKind, RpcError, visible_tags};

const MOST: usize = 16 << 20;

const DEADLINE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn working_tree(
    roots: &Roots,
    home: Option<&Path>,
    check: &dyn Fn() -> Result<(), RpcError>,
) -> Result<String, RpcError> {
    let (answer, answered) = mpsc::channel();
    let (roots, home) = (roots.clone(), home.map(Path::to_path_buf));
    let unwanted = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&unwanted);
    // A thread that libgit2 keeps is left behind until its call ends: nothing can end that.
    std::thread::Builder::new()
        .name("diff".to_owned())
        .spawn(move || answer.send(compare(&roots, home.as_deref(), &|| stop.load(Ordering::Relaxed))))
        .map_err(|error| failed(&error.to_string(), "try again"))?;
    let begun = Instant::now();
    let outcome = loop {
        match answered.recv_timeout(PAUSE) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => {
                break Err(failed("comparing has failed", "leave out --diff"));
            }
            Err(RecvTimeoutError::Timeout) if begun.elapsed() > DEADLINE => {
                let issue = format!("comparing took more than {} s", DEADLINE.as_secs());
                break Err(failed(&issue, "leave out --diff"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = check() {
                    break Err(error);
                }
            }
        }
    };
    unwanted.store(true, Ordering::Relaxed);
    outcome
}

fn failed(message: &str, hint: &str) -> RpcError {
    RpcError::new(ErrorKind::GitOperationFailed, format!("--diff: {message}")).hint(hint)
}

fn compare(roots: &Roots, home: Option<&Path>, stop: &dyn Fn() -> bool) -> Result<String, RpcError> {
    let Some(root) = roots.paths().next() else { return Ok(String::new()) };
    let opened = GitRepository::open(root, home);
    let repository = opened.map_err(|error| failed(&error.to_string(), "leave out --diff"))?;
    let Some(mut repository) = repository else {
        return Err(failed("the project lies in no git repository", "leave out --diff"));
    };
    // Objects that are borrowed from a repository elsewhere would be shown as if they were the project's.
    let located = Located::find(repository.folder(), repository.folder());
    if let Err(unfit @ (Unfit::Outside { .. } | Unfit::Special(_))) = located {
        return Err(failed(&unfit.to_string(), "leave out --diff"));
    }
    let is_shown = |relative: &Path| {
        let path = roots.resolve_recorded(root, relative);
        path.is_ok_and(|path| !matches!(roots.verdict_for_read(&path), Verdict::Deny(..)))
    };
    let text = repository.working_tree_diff(root, MOST, &is_shown, stop);
    match text.map_err(|error| failed(&error.to_string(), "leave out --diff"))? {
        Some(text) => Ok(visible_tags(&text).into_owned()),
        None => Err(failed(
            &format!("the working tree differs in more than {MOST} bytes"),
            "commit some of it, or leave out --diff",
        )),
    }
}
