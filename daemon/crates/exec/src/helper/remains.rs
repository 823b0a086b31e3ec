//! Finds and ends the processes that a command has left behind whose daemon was killed, with its helper
//! killed or stopped as well. The mark in their environment identifies them.
//!
//! Normally the helper ends its command itself when the daemon goes away. This module is for when it cannot.

#[cfg(not(target_os = "linux"))]
use crate::hold::ProcessMark;
#[cfg(target_os = "linux")]
pub(super) use linux::end;
#[cfg(target_os = "linux")]
use linux::remains;

/// The result of ending the processes that commands had left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remains {
    /// The number of processes that have been ended.
    pub ended: usize,
    /// Processes that do not end because the system holds them up.
    pub stuck: Vec<i32>,
}

/// Ends all processes that commands of these operations have left behind, and waits until they have ended.
/// Only for a caller who knows that the daemon of the operations is gone.
#[must_use]
pub fn end_remains(operations: &[String]) -> Remains {
    end(&|mark| operations.contains(&mark.operation))
}

/// Ends the same processes, but only those whose daemon is known to be gone.
#[must_use]
pub fn end_orphans(operations: &[String]) -> Remains {
    end(&|mark| operations.contains(&mark.operation) && mark.daemon.has_ended())
}

/// Returns whether any process is left of commands of these operations whose daemon is known to be gone.
#[must_use]
pub fn has_orphans(operations: &[String]) -> bool {
    !remains(&|mark| operations.contains(&mark.operation) && mark.daemon.has_ended()).is_empty()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::time::{Duration, Instant};

    use rustix::process::Signal;

    use super::super::cgroup;
    use super::super::tree::{ProcessIdentity, Stat, all};
    use super::Remains;
    use crate::hold::ProcessMark;

    const PATIENCE: Duration = Duration::from_secs(10);

    const PAUSE: Duration = Duration::from_millis(5);

    const ENVIRONMENT: u64 = 8 << 20;

    /// Also ends all that they have started.
    pub(in crate::helper) fn end(is_meant: &dyn Fn(&ProcessMark) -> bool) -> Remains {
        let until = Instant::now() + PATIENCE;
        let mut seen = BTreeSet::new();
        loop {
            let processes = remains(is_meant);
            seen.extend(processes.iter().map(|process| process.number()));
            if processes.is_empty() || Instant::now() > until {
                let stuck: Vec<i32> = processes.iter().map(ProcessIdentity::number).collect();
                return Remains { ended: seen.len() - stuck.len(), stuck };
            }
            // All are stopped before the first is ended, so that none can start another one meanwhile.
            for signal in [Signal::STOP, Signal::KILL] {
                for process in &processes {
                    process.signal(signal);
                }
            }
            std::thread::sleep(PAUSE);
        }
    }

    pub(super) fn remains(is_meant: &dyn Fn(&ProcessMark) -> bool) -> Vec<ProcessIdentity> {
        let all = all();
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut known: BTreeSet<i32> = all
            .iter()
            .map(|stat| stat.identity.number())
            .filter(|number| *number != own && mark_of(*number).is_some_and(|mark| is_meant(&mark)))
            .collect();
        // These are found even if they have changed their environment.
        known.extend(cgroup::marked(is_meant));
        if known.is_empty() {
            return Vec::new();
        }
        loop {
            let belongs = |stat: &&Stat| known.contains(&stat.parent) || known.contains(&stat.session);
            let more: Vec<i32> = all.iter().filter(belongs).map(|stat| stat.identity.number()).collect();
            let before = known.len();
            known.extend(more);
            if known.len() == before {
                break;
            }
        }
        all.into_iter()
            .map(|stat| stat.identity)
            .filter(|process| known.contains(&process.number()))
            .collect()
    }

    fn mark_of(process: i32) -> Option<ProcessMark> {
        use std::io::Read;

        let mut environment = Vec::new();
        let file = std::fs::File::open(format!("/proc/{process}/environ")).ok()?;
        file.take(ENVIRONMENT).read_to_end(&mut environment).ok()?;
        ProcessMark::in_environment(&environment)
    }
}

#[cfg(not(target_os = "linux"))]
fn end(_: &dyn Fn(&Mark) -> bool) -> Remains {
    // The environment of a process cannot be read on this system.
    Remains::default()
}

#[cfg(not(target_os = "linux"))]
fn remains(_: &dyn Fn(&Mark) -> bool) -> Vec<i32> {
    Vec::new()
}
