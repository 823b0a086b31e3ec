//! Deletes a staging folder that is not needed any more, if it is provably clada's.
//!
//! The store has its path, its identity and the token of its marker; all of that has to agree, and everything
//! else goes through the descriptor of that very folder. The files with its mtime marker are deleted; files
//! that were changed or added by others stay, and the folder with them.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::folder::{MARKER, Record, mark, marker, place};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotOurs {
    Absent,
    Others(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removed {
    Yes,
    Partly(usize),
    Not(NotOurs),
    Unfinished,
    /// The folder was left alone: it was just handed over, or another process deletes it.
    InUse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// The whole folder if it is small, so that a caller does not wait long; otherwise nothing.
    Small,
    Whole,
}

const SMALL: usize = 2_000;

impl Record {
    /// Fails unless the folder is provably the one that clada made.
    pub(super) fn open(&self) -> Result<OwnedFd, NotOurs> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder =
            rustix::fs::openat(CWD, &self.path, flags, Mode::empty()).map_err(|errno| match errno {
                Errno::NOENT => NotOurs::Absent,
                Errno::NOTDIR | Errno::LOOP => NotOurs::Others("something else is in its place"),
                _ => NotOurs::Others("it cannot be opened"),
            })?;
        let stat = rustix::fs::fstat(&folder).map_err(|_| NotOurs::Others("it cannot be looked at"))?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(NotOurs::Others("it belongs to another user"));
        }
        if self.completed.as_ref().is_some_and(|(completed, ..)| *completed != place(&stat)) {
            return Err(NotOurs::Others("another folder is in its place"));
        }
        match read_marker(folder.as_fd()) {
            Some(text) if text == marker(&self.token).as_bytes() => Ok(folder),
            // It was cut off right after it was made, or right before it was deleted.
            Some(text) if text.is_empty() && self.completed.is_none() => Ok(folder),
            None if is_empty(folder.as_fd()) => Ok(folder),
            _ => Err(NotOurs::Others("its marker is not the one that clada put there")),
        }
    }

    /// Keeps the folder from being deleted as long as the returned lock lives. `None`: it is not clada's, or
    /// the file system has no locks.
    pub(super) fn hold(&self) -> Option<OwnedFd> {
        let folder = self.open().ok()?;
        rustix::fs::flock(&folder, FlockOperation::NonBlockingLockShared).ok()?;
        Some(folder)
    }

    pub(super) fn is_held(&self) -> bool {
        let lock = |folder: OwnedFd| rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive);
        self.open().is_ok_and(|folder| lock(folder) == Err(Errno::WOULDBLOCK))
    }

    #[must_use]
    pub(super) fn remove(&self, effort: Effort) -> Removed {
        let folder = match self.open() {
            Ok(folder) => folder,
            Err(not_ours) => return Removed::Not(not_ours),
        };
        if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return Removed::InUse;
        }
        match self.clear(folder.as_fd(), effort) {
            Ok(Some(0)) => {}
            Ok(Some(foreign_entries)) => return Removed::Partly(foreign_entries),
            Ok(None) => return Removed::Unfinished,
            Err(_) => return Removed::Not(NotOurs::Others("it cannot be read")),
        }
        match remove_empty(&self.path, folder.as_fd()) {
            Ok(()) => Removed::Yes,
            Err(Errno::NOTEMPTY | Errno::EXIST) => Removed::Partly(1),
            Err(_) => Removed::Not(NotOurs::Others("it cannot be deleted")),
        }
    }

    fn clear(&self, folder: BorrowedFd<'_>, effort: Effort) -> Result<Option<usize>, Errno> {
        let mut foreign_entries = 0;
        let most = if effort == Effort::Small { SMALL + 1 } else { usize::MAX };
        let mut names: Vec<_> = Dir::read_from(folder)?
            .filter_map(|entry| Some(entry.ok()?.file_name().to_owned()))
            .filter(|name| !matches!(name.to_bytes(), b"." | b".."))
            .take(most)
            .collect();
        if names.len() == most {
            return Ok(None);
        }
        // Without its marker the folder would have no owner, if this is cut off; where files stay, the marker
        // identifies them.
        names.sort_by_key(|name| name.to_bytes() == MARKER.as_bytes());
        for name in names {
            if foreign_entries > 0 && name.to_bytes() == MARKER.as_bytes() {
                break;
            }
            let stat = match rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(errno),
            };
            let is_own = self.is_own(OsStr::from_bytes(name.to_bytes()), &stat);
            match is_own.then(|| rustix::fs::unlinkat(folder, &name, AtFlags::empty())) {
                // Another daemon may have the same to do.
                Some(Ok(()) | Err(Errno::NOENT)) => {}
                _ => foreign_entries += 1,
            }
        }
        Ok(Some(foreign_entries))
    }

    fn is_own(&self, name: &OsStr, stat: &Stat) -> bool {
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return false;
        }
        let now = mark(stat);
        match &self.completed {
            None => true,
            // The desktop puts this file into every folder that is opened.
            _ if name == MARKER || name == ".DS_Store" => true,
            Some((_, manifest, mark)) if name == manifest.as_str() => now == *mark,
            Some(_) => now.mtime == self.mtime_marker,
        }
    }
}

pub(super) fn token_in(path: &Path) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?;
    let text = String::from_utf8(read_marker(folder.as_fd())?).ok()?;
    let token = text.lines().next()?;
    (text == marker(token)).then(|| token.to_owned())
}

fn read_marker(folder: BorrowedFd<'_>) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, MARKER, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut text = Vec::new();
    std::fs::File::from(file).take(1 << 10).read_to_end(&mut text).ok()?;
    Some(text)
}

fn is_empty(folder: BorrowedFd<'_>) -> bool {
    Dir::read_from(folder).is_ok_and(|entries| {
        let mut names = entries.map(|entry| entry.map(|entry| entry.file_name().to_owned()));
        names.all(|name| name.is_ok_and(|name| matches!(name.to_bytes(), b"." | b"..")))
    })
}

fn remove_empty(path: &Path, folder: BorrowedFd<'_>) -> Result<(), Errno> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL) };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = rustix::fs::openat(CWD, parent, flags, Mode::empty())?;
    let there = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if place(&there) != place(&rustix::fs::fstat(folder)?) {
        return Err(Errno::STALE);
    }
    rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR)
}
