//! Every system call of this crate that changes something, each behind [`Faults`].
//!
//! Thin: one function a call; interrupted calls are repeated, and nothing is decided. All of them act on a
//! folder's descriptor and a single name in it, or on an open file, so none can leave the root by itself.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FlockOperation, Gid, Mode, OFlags, Timestamps, Uid, XattrFlags};
use rustix::io::{Errno, retry_on_intr};

use super::faults::{Call, Faults};

#[derive(Debug, Clone, Copy)]
pub(super) struct DirAndName<'a> {
    pub(super) dir: BorrowedFd<'a>,
    pub(super) name: &'a OsStr,
}

impl<'a> DirAndName<'a> {
    pub(super) fn new(dir: &'a impl AsFd, name: &'a OsStr) -> DirAndName<'a> {
        DirAndName { dir: dir.as_fd(), name }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Sys {
    faults: Faults,
}

impl Sys {
    pub(super) fn new(faults: Faults) -> Sys {
        Sys { faults }
    }

    fn call<T>(&self, call: Call, run: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
        self.faults.check(call)?;
        retry_on_intr(run)
    }

    pub(super) fn create_new(&self, dir: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.call(Call::CreateTemp, || rustix::fs::openat(dir, name, flags, mode))
    }

    /// Writes all of `bytes`, in parts so that a test can make it fail in the middle.
    pub(super) fn write_all(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<(), Errno> {
        const PART: usize = 1 << 20;
        let mut rest = bytes;
        while !rest.is_empty() {
            let part = &rest[..rest.len().min(PART)];
            match self.call(Call::Write, || rustix::io::write(file, part))? {
                0 => return Err(Errno::IO),
                written => rest = &rest[written..],
            }
        }
        Ok(())
    }

    pub(super) fn chmod(&self, file: BorrowedFd<'_>, mode: Mode) -> Result<(), Errno> {
        self.call(Call::Chmod, || rustix::fs::fchmod(file, mode))
    }

    #[cfg(target_os = "linux")]
    pub(super) fn chmod_opened(&self, entry: BorrowedFd<'_>, mode: Mode) -> Result<(), Errno> {
        use std::os::fd::AsRawFd;
        let path = format!("/proc/self/fd/{}", entry.as_raw_fd());
        self.call(Call::Chmod, || rustix::fs::chmod(&path, mode))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn chmod_at(&self, dir: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Result<(), Errno> {
        self.call(Call::Chmod, || rustix::fs::chmodat(dir, name, mode, AtFlags::SYMLINK_NOFOLLOW))
    }

    pub(super) fn chown(
        &self,
        file: BorrowedFd<'_>,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        let (uid, gid) = (uid.map(Uid::from_raw), gid.map(Gid::from_raw));
        self.call(Call::Chown, || rustix::fs::fchown(file, uid, gid))
    }

    pub(super) fn set_xattr(&self, file: BorrowedFd<'_>, name: &OsStr, value: &[u8]) -> Result<(), Errno> {
        self.call(Call::SetXattr, || rustix::fs::fsetxattr(file, name, value, XattrFlags::empty()))
    }

    pub(super) fn remove_xattr(&self, file: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        self.call(Call::RemoveXattr, || rustix::fs::fremovexattr(file, name))
    }

    pub(super) fn set_times(&self, file: BorrowedFd<'_>, times: &Timestamps) -> Result<(), Errno> {
        self.call(Call::SetTimes, || rustix::fs::futimens(file, times))
    }

    pub(super) fn sync_file(&self, file: BorrowedFd<'_>) -> Result<(), Errno> {
        self.call(Call::SyncFile, || flush(file))
    }

    pub(super) fn sync_folder(&self, folder: BorrowedFd<'_>) -> Result<(), Errno> {
        // A file system that cannot flush folders returns EINVAL and has nothing to flush.
        match self.call(Call::SyncFolder, || flush(folder)) {
            Err(Errno::INVAL) => Ok(()),
            outcome => outcome,
        }
    }

    pub(super) fn rename(&self, from: DirAndName<'_>, to: DirAndName<'_>) -> Result<(), Errno> {
        self.call(Call::Rename, || rustix::fs::renameat(from.dir, from.name, to.dir, to.name))
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    pub(super) fn rename_no_replace(&self, from: DirAndName<'_>, to: DirAndName<'_>) -> Result<(), Errno> {
        use rustix::fs::RenameFlags;
        self.call(Call::RenameNoReplace, || {
            rustix::fs::renameat_with(from.dir, from.name, to.dir, to.name, RenameFlags::NOREPLACE)
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) fn rename_no_replace(&self, _from: DirAndName<'_>, _to: DirAndName<'_>) -> Result<(), Errno> {
        self.faults.check(Call::RenameNoReplace)?;
        Err(Errno::NOSYS)
    }

    pub(super) fn link(&self, from: DirAndName<'_>, to: DirAndName<'_>) -> Result<(), Errno> {
        self.call(Call::Link, || rustix::fs::linkat(from.dir, from.name, to.dir, to.name, AtFlags::empty()))
    }

    pub(super) fn symlink(&self, target: &OsStr, dir: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        self.call(Call::Symlink, || rustix::fs::symlinkat(target, dir, name))
    }

    pub(super) fn unlink(&self, dir: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        self.call(Call::Unlink, || rustix::fs::unlinkat(dir, name, AtFlags::empty()))
    }

    pub(super) fn rmdir(&self, dir: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        self.call(Call::Rmdir, || rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR))
    }

    pub(super) fn mkdir(&self, dir: BorrowedFd<'_>, name: &OsStr, mode: Mode) -> Result<(), Errno> {
        self.call(Call::Mkdir, || rustix::fs::mkdirat(dir, name, mode))
    }

    pub(super) fn try_lock(&self, file: BorrowedFd<'_>) -> Result<(), Errno> {
        self.call(Call::Lock, || rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive))
    }
}

fn flush(file: BorrowedFd<'_>) -> Result<(), Errno> {
    // On Apple systems a plain fsync stops at the drive's own cache.
    #[cfg(target_vendor = "apple")]
    match rustix::fs::fcntl_fullfsync(file) {
        Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => {}
        outcome => return outcome,
    }
    rustix::fs::fsync(file)
}

pub(super) fn lacks_call(errno: Errno) -> bool {
    [Errno::NOSYS, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&errno)
}
