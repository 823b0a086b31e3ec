//! The project lock: one operation at a time on a root, over all processes.
//!
//! The lock is an flock of the root folder itself, on a descriptor opened for it: nothing is left behind, and
//! two operations of one process exclude each other too. Where the file system has no locks on folders, a
//! file in clada's state stands for the root.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::entry::open_readable;
use super::error::FsError;
use super::root::Roots;

/// The lock of one root. Released when dropped, and by the system when the process ends.
#[derive(Debug)]
pub struct RootLock {
    held: OwnedFd,
}

impl RootLock {
    /// Returns a further descriptor of the lock, for a process that may outlive this one: the lock is held
    /// until all of them are closed.
    pub fn share(&self) -> std::io::Result<OwnedFd> {
        self.held.try_clone()
    }

    /// Takes the lock of the root with this index. Returns `None` if another operation holds it.
    ///
    /// `state` is clada's folder of state, used only if the root's file system has no locks on folders.
    pub fn try_acquire(roots: &Roots, root: usize, state: &Path) -> Result<Option<RootLock>, FsError> {
        let shown = roots.paths().nth(root).unwrap_or(Path::new("")).display().to_string();
        let locked = open_readable(roots.root_folder(root))
            .and_then(|folder| roots.sys().try_lock(folder.as_fd()).map(|()| folder));
        let locked = match locked {
            Err(errno) if without_locks(errno) => Self::lock_file(roots, root, state),
            outcome => outcome,
        };
        match locked {
            Ok(held) => Ok(Some(RootLock { held })),
            Err(errno) if errno == Errno::WOULDBLOCK => Ok(None),
            Err(errno) => Err(FsError::os("lock the root", errno, shown)),
        }
    }

    fn lock_file(roots: &Roots, root: usize, state: &Path) -> Result<OwnedFd, Errno> {
        // The file is never removed: a removed lock file can be locked twice.
        let resolved = roots.paths().nth(root).ok_or(Errno::INVAL)?;
        let name = blake3::hash(resolved.as_os_str().as_bytes()).to_hex();
        let locks = state.join("locks");
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&locks);
        created.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::openat(CWD, locks.join(name.as_str()), flags, mode)?;
        roots.sys().try_lock(file.as_fd())?;
        Ok(file)
    }
}

fn without_locks(errno: Errno) -> bool {
    let known = [Errno::BADF, Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::INVAL, Errno::NOSYS];
    // ACCES: a root that may be entered but not listed cannot be opened for locking.
    known.contains(&errno) || errno == Errno::ACCESS
}
