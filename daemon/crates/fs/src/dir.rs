//! Folders: lists, makes and flushes them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::entry::{open_readable, stat_in};
use super::error::FsError;
use super::metadata::has_xattr;
use super::names::temp_name;
use super::options::Durability;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{FileKind, Stat};
use super::sys::{DirAndName, lacks_call};

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// Its name, perhaps not UTF-8.
    pub name: OsString,
    /// Its facts; a link's are its own.
    pub stat: Stat,
}

/// The entries of a folder in the order of their names' bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The first entries, by name.
    pub entries: Vec<DirEntry>,
    /// True if there are more.
    pub truncated: bool,
}

impl Roots {
    /// Lists the first `limit` names of a folder with their facts, without `.` and `..`. Leaves out
    /// entries that vanish meanwhile.
    pub fn list(&self, path: &RootedPath, limit: usize) -> Result<Listing, FsError> {
        let fail = |errno| self.folder_error("list the directory", errno, path);
        let folder = self.folder(path).map_err(fail)?;
        let mut names = BTreeSet::new();
        let mut truncated = false;
        for entry in open_names(folder.as_fd()).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            names.insert(name.to_vec());
            if names.len() > limit {
                names.pop_last();
                truncated = true;
            }
        }
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let name = OsString::from_vec(name);
            match stat_in(folder.as_fd(), &name) {
                Ok(stat) => entries.push(DirEntry { name, stat }),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(fail(errno)),
            }
        }
        Ok(Listing { entries, truncated })
    }

    /// Makes the folder and those above it that are missing. Returns the ones made, the topmost first. If one
    /// cannot be made, removes those made before it again.
    pub fn create_dir_all(&self, path: &RootedPath) -> Result<Vec<RootedPath>, FsError> {
        let mut created = Vec::new();
        match self.create_missing(path, &mut created) {
            Ok(()) => Ok(created),
            Err(error) => {
                for folder in created.iter().rev() {
                    // A folder that cannot be removed stays: it is empty, or another process uses it by now.
                    let _ = self.rmdir(folder);
                }
                Err(error)
            }
        }
    }

    fn create_missing(&self, path: &RootedPath, created: &mut Vec<RootedPath>) -> Result<(), FsError> {
        let mut here = RootedPath::new(path.root(), PathBuf::new(), String::new());
        let root = self.folder(&here).map_err(|errno| self.error("open the root", errno, path))?;
        let mut opened: Option<OwnedFd> = None;
        for name in path.relative().iter() {
            let folder = opened.as_ref().map_or(root.as_fd(), AsFd::as_fd);
            here = here.child(name);
            let (next, was_created) = self.enter(folder, name).map_err(|errno| {
                let error = self.error("create the directory", errno, &here);
                let in_the_way = matches!(errno, Errno::NOTDIR | Errno::EXIST);
                if in_the_way { error.with_issue("A file is where a directory is needed") } else { error }
            })?;
            if was_created {
                created.push(here.clone());
            }
            opened = Some(next);
        }
        Ok(())
    }

    fn enter(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Result<(OwnedFd, bool), Errno> {
        let (mut was_created, mut tried) = (false, false);
        loop {
            match self.open_beneath(folder, name.as_ref()) {
                Err(Errno::NOENT) if !tried => {}
                outcome => return Ok((outcome?, was_created)),
            }
            tried = true;
            let mode = 0o777 & !self.0.options.umask;
            match self.sys().mkdir(folder, name, Mode::from_raw_mode(mode as _)) {
                Ok(()) => was_created = true,
                // Another process was faster; its folder is opened and checked like any other.
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(errno),
            }
            if let Err(errno) = self.widen_to(folder, name, mode) {
                let _ = self.sys().rmdir(folder, name);
                return Err(errno);
            }
        }
    }

    fn widen_to(&self, folder: BorrowedFd<'_>, name: &OsStr, mode: u32) -> Result<(), Errno> {
        // A folder with an inherited ACL keeps what it inherited.
        let stat = stat_in(folder, name)?;
        if stat.kind != FileKind::Directory || stat.mode & 0o777 == mode {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::empty()))?;
        if has_xattr(opened.as_fd(), "system.posix_acl_access") {
            return Ok(());
        }
        self.sys().chmod(opened.as_fd(), Mode::from_raw_mode(((stat.mode & 0o7000) | mode) as _))
    }

    /// Makes one folder with exactly these permission bits, where no entry exists.
    pub fn create_dir_as(&self, path: &RootedPath, mode: u32) -> Result<(), FsError> {
        let fail = |errno| self.error("create the directory", errno, path);
        let (folder, name) = self.parent_of(path).map_err(fail)?;
        // Under a temporary name until it is complete: an interrupted run leaves no folder
        // with another mode behind.
        let temp = temp_name();
        self.make_dir_as(folder.as_fd(), &temp, mode).map_err(fail)?;
        match self.sys().rename_no_replace(DirAndName::new(&folder, &temp), DirAndName::new(&folder, name)) {
            Ok(()) => Ok(()),
            Err(errno) => {
                let _ = self.sys().rmdir(folder.as_fd(), &temp);
                let created =
                    if lacks_call(errno) { self.make_dir_as(folder.as_fd(), name, mode) } else { Err(errno) };
                created.map_err(fail)
            }
        }
    }

    /// Gives a folder these permission bits, if it has the bits `before`.
    ///
    /// # Errors
    /// `conflict` if it has others; if it is not a folder, or the system refuses.
    pub fn set_dir_mode(&self, path: &RootedPath, before: u32, mode: u32) -> Result<(), FsError> {
        if let Some(stat) = self.lstat(path)?
            && stat.kind != FileKind::Directory
        {
            return Err(self.error("change the mode of the directory", Errno::NOTDIR, path));
        }
        self.set_mode(path, before, mode)
    }

    fn make_dir_as(&self, folder: BorrowedFd<'_>, name: &OsStr, mode: u32) -> Result<(), Errno> {
        // For its owner alone until its mode is set.
        self.sys().mkdir(folder, name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::empty()));
        let set = opened
            .and_then(|opened| self.sys().chmod(opened.as_fd(), Mode::from_raw_mode((mode & 0o7777) as _)));
        set.inspect_err(|_| {
            let _ = self.sys().rmdir(folder, name);
        })
    }

    pub(crate) fn sync_dir(&self, path: &RootedPath) -> Result<(), FsError> {
        let outcome = self.folder(path).and_then(|folder| {
            let readable = open_readable(folder.as_fd())?;
            self.sys().sync_folder(readable.as_fd())
        });
        outcome.map_err(|errno| self.folder_error("flush the directory", errno, path))
    }

    fn remove_leftover(&self, folder: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
        let unlinked = self.sys().unlink(folder, name);
        // For a folder, Linux returns the first error and other systems the second.
        if !matches!(unlinked, Err(Errno::ISDIR | Errno::PERM)) {
            return unlinked;
        }
        match self.sys().rmdir(folder, name) {
            Err(Errno::NOTDIR) => unlinked,
            removed => removed,
        }
    }

    /// Removes temporary files and empty folders that an interrupted run left in a folder. Only for the
    /// holder of the root's lock: those of a running operation look the same.
    pub fn remove_leftovers(&self, folder: &RootedPath) -> Result<Vec<OsString>, FsError> {
        let doing = "remove a temporary file";
        let opened = self.folder(folder).map_err(|errno| self.folder_error(doing, errno, folder))?;
        let mut removed = Vec::new();
        for entry in open_names(opened.as_fd()).map_err(|errno| self.folder_error(doing, errno, folder))? {
            let entry = entry.map_err(|errno| self.folder_error(doing, errno, folder))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if super::names::is_temp_name(name) {
                match self.remove_leftover(opened.as_fd(), name) {
                    // clada's own are always empty.
                    Err(Errno::NOTEMPTY | Errno::EXIST) => continue,
                    removal => removal.map_err(|errno| self.error(doing, errno, folder))?,
                }
                removed.push(name.to_owned());
            }
        }
        Ok(removed)
    }

    pub(super) fn folder_error(&self, doing: &str, errno: Errno, path: &RootedPath) -> FsError {
        let error = self.error(doing, errno, path).if_missing("Directory not found");
        if errno == Errno::NOTDIR { error.with_issue("Not a directory") } else { error }
    }
}

pub(super) fn open_names(folder: BorrowedFd<'_>) -> Result<Dir, Errno> {
    Dir::new(open_readable(folder)?)
}

/// The folders whose names changed during an operation, each to be flushed once at its end.
#[derive(Debug, Clone, Default)]
pub struct DirtyFolders {
    folders: BTreeMap<(usize, Vec<u8>), RootedPath>,
}

impl DirtyFolders {
    /// Makes an empty set.
    #[must_use]
    pub fn new() -> DirtyFolders {
        DirtyFolders::default()
    }

    /// Adds the folder of `path`, whose entry was made, replaced, moved or removed.
    pub fn changed(&mut self, path: &RootedPath) {
        if let Some(folder) = path.parent() {
            self.folders.insert((folder.root(), folder.relative().as_os_str().as_bytes().to_vec()), folder);
        }
    }

    /// Returns the folders, in order.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &RootedPath> {
        self.folders.values()
    }

    /// Flushes every folder that still exists and removes it from the set. Those that fail stay, and the
    /// first of their errors is returned. With `durability: fast` nothing is flushed.
    pub fn sync_all(&mut self, roots: &Roots) -> Result<(), FsError> {
        if roots.options().durability == Durability::Fast {
            self.folders.clear();
            return Ok(());
        }
        let mut outcome = Ok(());
        self.folders.retain(|_, folder| match roots.sync_dir(folder) {
            // Removed again within the operation, or replaced by a file; the folder above it is in the set.
            Err(error) if matches!(error.code(), "ENOENT" | "ENOTDIR") => false,
            Err(error) => {
                outcome = std::mem::replace(&mut outcome, Ok(())).and(Err(error));
                true
            }
            Ok(()) => false,
        });
        outcome
    }
}
