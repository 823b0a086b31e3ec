//! The processes with which a checkpoint ends: `record`'s client and its command.
//!
//! A process is known by its id and the time of its start, so that another one that gets the same id is not
//! taken for it.

use std::time::Duration;

use clada_protocol::CheckpointEndParams;
use serde::{Deserialize, Serialize};

use crate::engine::request::{ProjectRequest, Unasked};

const PAUSE: Duration = Duration::from_millis(200);

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) struct CheckpointOwner {
    pid: u32,
    /// The time of its start, in the system's own unit.
    started: String,
}

impl CheckpointOwner {
    pub(in crate::engine) fn find(pid: u32) -> Option<CheckpointOwner> {
        Some(CheckpointOwner { pid, started: started(pid)? })
    }

    pub(in crate::engine) fn is_there(&self) -> bool {
        started(self.pid).is_some_and(|started| started == self.started)
    }

    pub(in crate::engine) fn wait(&self) {
        while self.is_there() {
            if !wait_by_descriptor(self) {
                std::thread::sleep(PAUSE);
            }
        }
    }
}

/// `None` if the process is not there, or only waits to be collected.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn started(pid: u32) -> Option<String> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::test_kill_process(pid).ok().map(|()| String::new())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn wait_by_descriptor(owner: &CheckpointOwner) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = i32::try_from(owner.pid).ok().and_then(Pid::from_raw);
    let Some(Ok(process)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else { return false };
    // It may be another one's that got the id in between.
    !owner.is_there() || poll(&mut [PollFd::new(&process, PollFlags::IN)], None).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn wait_by_descriptor(_: &CheckpointOwner) -> bool {
    false
}

impl ProjectRequest {
    pub(super) fn watch_owners(&self, id: &str, owners: &[CheckpointOwner]) {
        if owners.is_empty() {
            return;
        }
        let (engine, root) = (self.engine().clone(), self.root().to_path_buf());
        let (id, owners) = (id.to_owned(), owners.to_vec());
        let watch = move || {
            owners.iter().for_each(CheckpointOwner::wait);
            let params = CheckpointEndParams {
                root: root.to_string_lossy().into_owned(),
                checkpoint: Some(id.clone()),
                ..CheckpointEndParams::default()
            };
            let request = engine.request_at(&root, std::sync::Arc::new(Unasked));
            let ended = request.and_then(|request| {
                // Mostly the client has ended it before it went.
                let is_open = request.open_checkpoints()?.iter().any(|open| open.checkpoint.id == id);
                if is_open { request.end_checkpoint(&params).map(drop) } else { Ok(()) }
            });
            if let Err(error) = ended {
                tracing::warn!(checkpoint = %id, error = %error.message, "a checkpoint without owners stays open");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("owners".to_owned()).spawn(watch) {
            tracing::warn!(%error, "ended owners of checkpoints are not noticed");
        }
    }

    /// Waits again for the owners of the checkpoints that are open in the project: another daemon did before.
    pub(in crate::engine) fn watch_owners_again(&self) {
        self.tidy_checkpoints();
        for open in self.open_checkpoints().unwrap_or_default() {
            self.watch_owners(&open.checkpoint.id, &open.description.owners);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_waited_for_and_no_other_is_taken_for_it() {
        let own = CheckpointOwner::find(std::process::id()).unwrap();
        assert!(own.is_there());
        assert!(!CheckpointOwner { started: "another".to_owned(), ..own }.is_there());
        #[allow(clippy::disallowed_methods, reason = "a test")]
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let owner = CheckpointOwner::find(child.id()).unwrap();
        let waiting = std::thread::spawn(move || owner.wait());
        child.kill().unwrap();
        child.wait().unwrap();
        waiting.join().unwrap();
        assert_eq!(CheckpointOwner::find(0), None);
    }
}
