//! The things that have to outlive the daemon until a command has ended: the locks of its operation, and the
//! mark of its processes.
//!
//! The locks go to the helper, which releases them when everything that the command started has ended. So the
//! process that next acquires a lock of a dead daemon knows that nothing of that daemon's command changes
//! files any more. The mark is a variable in the environment of the helper and of every process of the
//! command: if the helper is killed as well, the mark is what its processes are found by.

use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;

pub(super) const MARK: &str = "CLADA_COMMAND";

/// The locks and the mark that a command holds for its operation.
#[derive(Debug, Default)]
pub struct Hold {
    operation: String,
    locks: Vec<OwnedFd>,
}

impl Hold {
    /// Returns a hold of the operation with this id, with its locks as descriptors of their own.
    #[must_use]
    pub fn new(operation: &str, locks: Vec<OwnedFd>) -> Hold {
        Hold { operation: operation.to_owned(), locks }
    }

    pub(super) fn locks(&self) -> &[OwnedFd] {
        &self.locks
    }

    pub(super) fn variable(&self) -> Option<(OsString, OsString)> {
        self.is_of_operation().then(|| (OsString::from(MARK), OsString::from(self.mark().to_string())))
    }

    /// Returns whether the command belongs to an operation. If so, no other command has its mark at the same
    /// time.
    pub(super) fn is_of_operation(&self) -> bool {
        !self.operation.is_empty()
    }

    pub(super) fn mark(&self) -> ProcessMark {
        ProcessMark { operation: self.operation.clone(), daemon: Daemon::this() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessMark {
    pub(super) operation: String,
    pub(super) daemon: Daemon,
}

/// A daemon's process, distinguished from a later one with the same number and from those of other pid
/// namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Daemon {
    namespace: u64,
    process: i32,
    started: u64,
}

impl fmt::Display for ProcessMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Daemon { namespace, process, started } = self.daemon;
        write!(f, "{}.{namespace}.{process}.{started}", self.operation)
    }
}

impl ProcessMark {
    pub(super) fn in_environment(environment: &[u8]) -> Option<ProcessMark> {
        let value =
            |variable: &[u8]| Some(variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?.to_vec());
        let value = environment.split(|byte| *byte == 0).find_map(value)?;
        ProcessMark::parse(&String::from_utf8(value).ok()?)
    }

    pub(super) fn parse(written: &str) -> Option<ProcessMark> {
        let mut parts = written.split('.');
        let operation = parts.next()?.to_owned();
        let namespace = parts.next()?.parse().ok()?;
        let process = parts.next()?.parse().ok()?;
        let started = parts.next()?.parse().ok()?;
        let daemon = Daemon { namespace, process, started };
        parts.next().is_none().then_some(ProcessMark { operation, daemon })
    }
}

#[cfg(target_os = "linux")]
impl Daemon {
    pub(super) fn this() -> Daemon {
        let process = rustix::process::getpid().as_raw_nonzero().get();
        let started = super::helper::tree::started(process).unwrap_or_default();
        Daemon { namespace: namespace(), process, started }
    }

    /// Returns whether the daemon is known to have ended. Nothing is known of one in another pid namespace.
    pub(super) fn has_ended(&self) -> bool {
        self.namespace == namespace() && super::helper::tree::started(self.process) != Some(self.started)
    }
}

#[cfg(target_os = "linux")]
fn namespace() -> u64 {
    use std::os::unix::fs::MetadataExt;

    std::fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

#[cfg(not(target_os = "linux"))]
impl Daemon {
    pub(super) fn this() -> Daemon {
        Daemon::default()
    }

    pub(super) fn has_ended(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_among_other_variables() {
        let (name, value) = Hold::new("0642", Vec::new()).variable().unwrap();
        let line = format!("{}={}", name.display(), value.display());
        let found = ProcessMark::in_environment(format!("A=b\0{line}\0C=d\0").as_bytes()).unwrap();
        assert_eq!(found, ProcessMark { operation: "0642".to_owned(), daemon: Daemon::this() });
        for other in [
            "CLADA_COMMANDS=0.1.2.3",
            "X=CLADA_COMMAND=0.1.2.3",
            "CLADA_COMMAND=0.1.2",
            "CLADA_COMMAND=0.1.2.3.4",
        ] {
            assert_eq!(ProcessMark::in_environment(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_daemon_has_ended_only_if_that_is_known() {
        let this = Daemon::this();
        assert!(!this.has_ended());
        assert!(Daemon { started: this.started + 1, ..this }.has_ended());
        assert!(!Daemon { namespace: 1, started: this.started + 1, ..this }.has_ended());
    }
}
