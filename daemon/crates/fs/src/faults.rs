//! Makes any changing system call of this crate fail, for tests.
//!
//! A value in [`Options`](super::Options), never a static: tests that run in parallel do not affect each
//! other. Must not change anything itself; [`super::sys`] asks it before each call.

use std::fmt;
use std::sync::Arc;

use rustix::io::Errno;

/// The changing calls, by their effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Create the temporary file.
    CreateTemp,
    /// Write a part of the content.
    Write,
    /// Set permission bits.
    Chmod,
    /// Set owner or group.
    Chown,
    /// Set an extended attribute.
    SetXattr,
    /// Remove an extended attribute.
    RemoveXattr,
    /// Set times.
    SetTimes,
    /// Flush a file.
    SyncFile,
    /// Flush a folder.
    SyncFolder,
    /// Rename, replacing.
    Rename,
    /// Rename, refusing to replace.
    RenameNoReplace,
    /// Make a hard link.
    Link,
    /// Make a symbolic link.
    Symlink,
    /// Remove a file or link.
    Unlink,
    /// Remove an empty folder.
    Rmdir,
    /// Make a folder.
    Mkdir,
    /// Take the lock of a root.
    Lock,
}

type Injected = dyn Fn(Call) -> Option<Errno> + Send + Sync;

/// The calls that fail; by default none.
#[derive(Clone, Default)]
pub struct Faults(Option<Arc<Injected>>);

impl Faults {
    /// Asks `decide` before every changing call, which fails with the error that it returns.
    pub fn injected(decide: impl Fn(Call) -> Option<Errno> + Send + Sync + 'static) -> Faults {
        Faults(Some(Arc::new(decide)))
    }

    pub(super) fn check(&self, call: Call) -> Result<(), Errno> {
        match self.0.as_ref().and_then(|decide| decide(call)) {
            Some(errno) => Err(errno),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Faults(injected)" } else { "Faults(none)" })
    }
}
