//! Single entries: their facts, the targets of links, and their removal.
//!
//! Never follows a symbolic link; acts on the last name in the folder that holds it.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;

use clada_protocol::ErrorKind;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat};

/// The state that a path must have for a change to go ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Any entry, or none.
    Anything,
    /// None at all; not even a dangling link.
    Missing,
    /// This very file, unchanged.
    Identity(Identity),
    /// A regular file with this content (blake3), even if it is another file.
    Hash([u8; 32]),
}

impl Roots {
    /// Returns the facts about the entry at `path`; `None` if there is none. A file on the
    /// way to it counts as none.
    pub fn lstat(&self, path: &RootedPath) -> Result<Option<Stat>, FsError> {
        let outcome = if path.is_root() {
            rustix::fs::fstat(self.root_folder(path.root())).map(|raw| Stat::from_raw(&raw))
        } else {
            self.parent_of(path).and_then(|(folder, name)| stat_in(folder.as_fd(), name))
        };
        match outcome {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(self.error("look at the file", errno, path)),
        }
    }

    /// Returns the target of the symbolic link at `path`, as written in the link.
    pub fn readlink(&self, path: &RootedPath) -> Result<OsString, FsError> {
        let outcome = self.parent_of(path).and_then(|(folder, name)| link_in(folder.as_fd(), name));
        outcome.map_err(|errno| match errno {
            Errno::INVAL => {
                FsError::os("read the link", errno, path.written()).with_issue("Not a symbolic link")
            }
            errno => self.error("read the link", errno, path),
        })
    }

    /// Removes a file or a symbolic link itself, if it is as expected. Does not remove folders.
    pub fn unlink(&self, path: &RootedPath, expected: Expected) -> Result<(), FsError> {
        let doing = "delete the file";
        let (folder, name) = self.parent_of(path).map_err(|errno| self.error(doing, errno, path))?;
        let stat = stat_in(folder.as_fd(), name).map_err(|errno| self.error(doing, errno, path))?;
        if stat.kind == FileKind::Directory {
            return Err(FsError::os(doing, Errno::ISDIR, path.written()));
        }
        self.check_expected(folder.as_fd(), name, expected, path)?;
        self.sys().unlink(folder.as_fd(), name).map_err(|errno| self.error(doing, errno, path))
    }

    /// Removes an empty folder.
    pub fn rmdir(&self, path: &RootedPath) -> Result<(), FsError> {
        let doing = "delete the directory";
        let outcome = self.parent_of(path).and_then(|(folder, name)| self.sys().rmdir(folder.as_fd(), name));
        outcome.map_err(|errno| match errno {
            // Some systems return EEXIST for a folder that is not empty.
            Errno::EXIST => FsError::os(doing, Errno::NOTEMPTY, path.written()),
            Errno::NOTDIR => self.error(doing, errno, path).with_issue("Not a directory"),
            errno => self.error(doing, errno, path).if_missing("Directory not found"),
        })
    }

    /// Checks that `name` in `folder` is what the change was planned for.
    pub(super) fn check_expected(
        &self,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        expected: Expected,
        path: &RootedPath,
    ) -> Result<(), FsError> {
        // It can still change before the change itself; with two system calls there is always such a moment.
        let now = match stat_in(folder, name) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(self.error("look at the file", errno, path)),
        };
        let conflict = |issue: &'static str| Err(FsError::conflict(issue, path.written()));
        match (expected, now) {
            (Expected::Anything, _) | (Expected::Missing, None) => Ok(()),
            (Expected::Missing, Some(_)) => Err(FsError::os("create the file", Errno::EXIST, path.written())),
            (_, None) => conflict("File has disappeared since the change was planned"),
            (Expected::Identity(identity), Some(stat)) if stat.identity() == identity => Ok(()),
            (Expected::Identity(_), Some(_)) => conflict("File has changed since the change was planned"),
            (Expected::Hash(hash), Some(_)) => {
                let found = self.hash_in(folder, name, path)?;
                let after = stat_in(folder, name).map(|stat| stat.identity()).ok();
                if found.0 != hash || after != Some(found.1) {
                    return conflict("File has changed since the change was planned");
                }
                Ok(())
            }
        }
    }

    pub(super) fn error(&self, doing: &str, errno: Errno, path: &RootedPath) -> FsError {
        if errno == Errno::BUSY && path.is_root() {
            let issue = "The root itself is not changed";
            return FsError::new(ErrorKind::PathDenied, "EBUSY", issue, path.written());
        }
        FsError::os(doing, errno, path.written())
    }
}

pub(super) fn stat_in(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Stat, Errno> {
    let raw = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Stat::from_raw(&raw))
}

pub(super) fn link_in(folder: BorrowedFd<'_>, name: &OsStr) -> Result<OsString, Errno> {
    let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()))
}

pub(super) fn open_readable(folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::openat(folder, c".", flags, Mode::empty()))
}
