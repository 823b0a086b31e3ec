//! Tests against repositories made by git itself, whose command checks the results. Without git, they say so.

#![allow(clippy::disallowed_methods, reason = "repositories are set up by hand and by git")]

mod branch;
mod hostile;
mod locks;
mod refs;
mod renamed;
mod retract;
mod squash;
mod step;
mod unusable;

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clada_config::Author;

use super::*;

/// A repository with a file `a` of one line, committed on `main`.
pub(super) struct Ground {
    pub(super) folder: PathBuf,
    _temporary: tempfile::TempDir,
}

impl Ground {
    /// Returns `None` if git is not installed.
    pub(super) fn new() -> Option<Ground> {
        let ground = Ground::empty()?;
        ground.write("a", "one\n");
        ground.git(&["add", "a"]);
        ground.git(&["commit", "-qm", "first"]);
        Some(ground)
    }

    pub(super) fn empty() -> Option<Ground> {
        let ground = Ground::bare_folder()?;
        ground.git(&["init", "-q", "-b", "main"]);
        Some(ground)
    }

    pub(super) fn bare_folder() -> Option<Ground> {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().canonicalize().unwrap().join("p");
        std::fs::create_dir(&folder).unwrap();
        let ground = Ground { folder, _temporary: temporary };
        if ground.run(&["--version"]).is_err() {
            eprintln!("there is no git here: not tested against it");
            return None;
        }
        Some(ground)
    }

    fn run(&self, arguments: &[&str]) -> std::io::Result<std::process::Output> {
        std::process::Command::new("git")
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.org")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output()
    }

    /// Returns the output of git. Panics if git fails.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments).unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "git {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Returns whether git succeeds.
    pub(super) fn git_can(&self, arguments: &[&str]) -> bool {
        self.run(arguments).unwrap().status.success()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    pub(super) fn open(&self) -> GitRepository {
        self.try_open().unwrap().unwrap()
    }

    pub(super) fn try_open(&self) -> Result<Option<GitRepository>, Unusable> {
        let mut opened = GitRepository::open(&self.folder, None)?;
        if let Some(repository) = &mut opened {
            repository.check()?;
        }
        Ok(opened.map(|repository| repository.waiting(Duration::from_millis(50))))
    }

    /// Returns a change after which `name` holds `text`.
    pub(super) fn change(&self, name: &str, text: Option<&str>) -> Changed {
        let path = self.path(name);
        let executable = path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0);
        let file = |bytes: Vec<u8>| Content::File { bytes: Arc::from(bytes), executable };
        let before = match std::fs::read_link(&path) {
            Ok(target) => Some(Content::Link(target.into_os_string().into_encoded_bytes())),
            Err(_) => std::fs::read(&path).ok().map(file),
        };
        Changed { before, after: text.map(|text| file(text.as_bytes().to_vec())), path }
    }

    /// Writes the files as an operation leaves them.
    pub(super) fn make(&self, changed: &[Changed]) {
        for changed in changed {
            let name = changed.path.strip_prefix(&self.folder).unwrap().to_str().unwrap();
            match &changed.after {
                Some(Content::File { bytes, .. }) => self.write(name, bytes),
                None => self.remove(name),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Commits an operation from before to after. Returns its commits.
    pub(super) fn operate(
        &self,
        repository: &mut GitRepository,
        changed: &[Changed],
        commission: &Commission,
    ) -> (Option<String>, Option<String>) {
        repository.check().unwrap();
        let before = begin(repository, changed, commission).unwrap();
        self.make(changed);
        let after = repository.after(changed, &before, commission).unwrap();
        self.assert_sound();
        (before.commit, after)
    }

    pub(super) fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }

    /// Checks that git finds no fault and that clada left no files of its own.
    pub(super) fn assert_sound(&self) {
        self.git(&["fsck", "--strict", "--no-dangling"]);
        let folder = self.git(&["rev-parse", "--absolute-git-dir"]);
        for name in ["index.lock", "clada.lock", "clada-index", "clada-index.lock"] {
            assert!(!Path::new(folder.trim()).join(name).exists(), "{name}");
        }
    }
}

/// A step that is made.
#[derive(Debug)]
pub(super) struct Stepped {
    pub(super) commit: String,
    pub(super) branch: Option<String>,
    pub(super) stashed: Vec<String>,
    pub(super) restored: bool,
    pub(super) conflicts: Vec<String>,
    pub(super) moved: clada_protocol::HeadMove,
}

pub(super) fn move_options() -> MoveOptions {
    let files = clada_fs::Options { durability: clada_fs::Durability::Fast, ..clada_fs::Options::default() };
    MoveOptions { now: SystemTime::now(), files }
}

/// Makes a move of HEAD that `plan` plans, by way of the text that the journal keeps of it.
pub(super) fn make(
    repository: &mut GitRepository,
    plan: impl FnOnce(&mut GitRepository, &MoveOptions) -> Result<PlannedMove, GitError>,
) -> Result<Stepped, GitError> {
    let options = move_options();
    let plan = plan(repository, &options)?;
    let plan: PlannedMove = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    match repository.make_move(&plan, &options) {
        Ok(left) => assert_eq!(left, Vec::<PathBuf>::new()),
        Err(failed) => {
            assert!(failed.is_reverted, "{failed:?}");
            return Err(failed.error);
        }
    }
    let step = plan.step;
    Ok(Stepped {
        commit: plan.moved.to.commit.clone(),
        branch: plan.moved.to.reference.clone(),
        restored: step.as_ref().is_some_and(PlannedStep::restores),
        stashed: step.as_ref().map(|step| step.stashed.clone()).unwrap_or_default(),
        conflicts: step.map(|step| step.conflicts).unwrap_or_default(),
        moved: plan.moved,
    })
}

pub(super) fn step_back(repository: &mut GitRepository) -> Result<Stepped, GitError> {
    make(repository, GitRepository::plan_step_back)
}

pub(super) fn step_forward(repository: &mut GitRepository) -> Result<Stepped, GitError> {
    make(repository, GitRepository::plan_step_forward)
}

/// Takes a move of HEAD back.
pub(super) fn move_back(
    repository: &mut GitRepository,
    moved: &clada_protocol::HeadMove,
    force: bool,
) -> Result<Stepped, GitError> {
    make(repository, |repository, options| repository.plan_move_back(moved, force, "undo", options))
}

pub(super) fn commission(mode: GitMode) -> Commission {
    Commission {
        operation: "0123".to_owned(),
        mode,
        before: GitBefore::Touched,
        author: Author::default(),
        message: "AI: change it".to_owned(),
        now: SystemTime::now(),
    }
}

/// Commits the dirty files of `changed` before an operation of one part.
pub(super) fn begin(
    repository: &mut GitRepository,
    changed: &[Changed],
    commission: &Commission,
) -> Result<Before, GitError> {
    let mut before = repository.begin()?;
    repository.before(&mut before, changed, &HashSet::new(), None, commission)?;
    Ok(before)
}

/// Returns the note about those of `changed` that are never committed.
pub(super) fn left_out(repository: &GitRepository, changed: &[Changed]) -> Option<String> {
    let mut left_out = Uncommitted::default();
    repository.leave_out(changed, &mut left_out).unwrap();
    left_out.note()
}

/// Returns the reverse of an operation.
pub(super) fn reversed(changed: &[Changed]) -> Vec<Changed> {
    let reverse = |changed: &Changed| Changed {
        path: changed.path.clone(),
        before: changed.after.clone(),
        after: changed.before.clone(),
    };
    changed.iter().map(reverse).collect()
}
