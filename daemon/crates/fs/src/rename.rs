//! Moves entries: by rename, and by copy where a rename cannot reach.
//!
//! A symbolic link is moved itself. Folders move within their file system only.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;

use super::entry::{Expected, link_in, stat_in};
use super::error::FsError;
use super::metadata::{Metadata, Purpose};
use super::names::temp_name;
use super::options::Durability;
use super::path::RootedPath;
use super::replace::Privacy;
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat, Timestamp};
use super::sys::{DirAndName, lacks_call};

const DOING: &str = "move the file";

/// The result of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// True if an entry at the target was replaced.
    pub overwrote: bool,
    /// The identity of the entry at the target now.
    pub identity: Identity,
}

impl Roots {
    /// Moves `from` to `to` if both are as expected. `target: Missing` never replaces anything.
    ///
    /// The folder of `to` must exist. Across file systems a file is copied with mode, owner, times and
    /// extended attributes, flushed, and only then removed at `from`.
    pub fn rename(
        &self,
        from: &RootedPath,
        to: &RootedPath,
        source: Expected,
        target: Expected,
    ) -> Result<Moved, FsError> {
        let fail_from = |errno| self.error(DOING, errno, from);
        let (from_folder, from_name) = self.parent_of(from).map_err(fail_from)?;
        let (to_folder, to_name) = self
            .parent_of(to)
            .map_err(|errno| self.error(DOING, errno, to).if_missing("Parent directory not found"))?;
        let (from_place, to_place) =
            (DirAndName::new(&from_folder, from_name), DirAndName::new(&to_folder, to_name));
        // Checks and rename use the same open folders, so a folder swapped meanwhile has no effect.
        self.check_expected(from_folder.as_fd(), from_name, source, from)?;
        let moving = stat_in(from_folder.as_fd(), from_name).map_err(fail_from)?;
        if from == to {
            return Ok(Moved { overwrote: false, identity: moving.identity() });
        }
        self.check_expected(to_folder.as_fd(), to_name, target, to)?;
        let there = stat_in(to_folder.as_fd(), to_name).ok();
        let fail_to = |errno| self.error(DOING, errno, to);
        let outcome = match target {
            Expected::Missing => self.move_to_free(from_place, to_place, moving.kind),
            _ => self.sys().rename(from_place, to_place),
        };
        match outcome {
            Ok(()) => self.drop_second_name(from_place, to_place, &moving).map_err(fail_from)?,
            Err(Errno::XDEV) => self.copy_over(from, to, &moving, target, there.is_some())?,
            Err(errno) => return Err(fail_to(errno)),
        }
        let now = stat_in(to_folder.as_fd(), to_name).unwrap_or(moving);
        let overwrote = there.is_some_and(|there| !respelt(from_place, to_place, &moving, &there));
        Ok(Moved { overwrote, identity: now.identity() })
    }

    /// Renames without ever replacing, even where the file system cannot guarantee that in one call.
    pub(super) fn move_to_free(
        &self,
        from: DirAndName<'_>,
        to: DirAndName<'_>,
        kind: FileKind,
    ) -> Result<(), Errno> {
        match self.sys().rename_no_replace(from, to) {
            Err(errno) if lacks_call(errno) => {}
            outcome => return outcome,
        }
        if kind != FileKind::Directory {
            // A hard link fails if the name is taken, so it is as safe; the old name is removed afterwards.
            match self.sys().link(from, to) {
                Ok(()) => {
                    // If the old name cannot be removed, the new one is: an error leaves the target alone.
                    return self.sys().unlink(from.dir, from.name).inspect_err(|_| {
                        let _ = self.sys().unlink(to.dir, to.name);
                    });
                }
                Err(errno) if lacks_call(errno) || errno == Errno::PERM || errno == Errno::MLINK => {}
                Err(errno) => return Err(errno),
            }
        }
        // Neither call works: FAT and similar systems, and folders. Another process may act
        // between check and rename.
        match stat_in(to.dir, to.name) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => self.sys().rename(from, to),
            Err(errno) => Err(errno),
        }
    }

    fn drop_second_name(&self, from: DirAndName<'_>, to: DirAndName<'_>, moving: &Stat) -> Result<(), Errno> {
        // A rename of one hard link to another of the same file does nothing and succeeds. On a file system
        // that ignores case both names may be one.
        let Ok(source_stat) = stat_in(from.dir, from.name) else { return Ok(()) };
        let second =
            source_stat.same_file(moving) && source_stat.nlink > 1 && source_stat.kind != FileKind::Directory;
        if second && !same_but_for_case(from, to) { self.sys().unlink(from.dir, from.name) } else { Ok(()) }
    }

    fn copy_over(
        &self,
        from: &RootedPath,
        to: &RootedPath,
        moving: &Stat,
        target: Expected,
        overwrites: bool,
    ) -> Result<(), FsError> {
        match moving.kind {
            FileKind::File => self.copy_file(from, to, moving, target)?,
            FileKind::Symlink => self.copy_link(from, to, target)?,
            FileKind::Directory => return Err(FsError::os(DOING, Errno::XDEV, from.written())),
            FileKind::Special => {
                let issue = "Only files and links are moved to another file system";
                return Err(FsError::os(DOING, Errno::XDEV, from.written()).with_issue(issue));
            }
        }
        self.finish_copy(from, to, moving).inspect_err(|_| {
            if !overwrites {
                // The copy is unwanted if the original stays. If it cannot be removed, both exist.
                let _ = self.unlink(to, Expected::Anything);
            }
        })
    }

    fn finish_copy(&self, from: &RootedPath, to: &RootedPath, moving: &Stat) -> Result<(), FsError> {
        if self.options().durability == Durability::Full
            && let Some(folder) = to.parent()
        {
            self.sync_dir(&folder)?;
        }
        self.unlink(from, Expected::Identity(moving.identity()))
    }

    fn copy_file(
        &self,
        from: &RootedPath,
        to: &RootedPath,
        moving: &Stat,
        target: Expected,
    ) -> Result<(), FsError> {
        let mut reader = self.open_reader(from)?;
        let fail = |errno| self.error(DOING, errno, from);
        let metadata = Metadata::read(reader.file.as_fd(), reader.stat()).map_err(fail)?;
        let accessed = rustix::fs::fstat(&reader.file).map(|raw| access_time(&raw)).map_err(fail)?;
        let mut copy = self.create_temp(to, Privacy::Owner)?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            match reader.read_some(&mut buffer)? {
                0 => break,
                count => copy.write(&buffer[..count])?,
            }
        }
        copy.dress(&metadata, Purpose::Keep)?;
        let times = Timestamps { last_access: timespec(accessed), last_modification: timespec(moving.mtime) };
        if let Some(file) = copy.file() {
            self.sys().set_times(file.as_fd(), &times).map_err(fail)?;
        }
        copy.written()?;
        if reader.stat_now()?.identity() != moving.identity() {
            return Err(FsError::conflict("File changed while it was moved", from.written()));
        }
        copy.publish(target).map(|_| ())
    }

    fn copy_link(&self, from: &RootedPath, to: &RootedPath, target: Expected) -> Result<(), FsError> {
        let points = self.parent_of(from).and_then(|(folder, name)| link_in(folder.as_fd(), name));
        let points = points.map_err(|errno| self.error(DOING, errno, from))?;
        self.make_link(to, &points, target)
    }

    /// Makes a symbolic link to `points`, if the entry at `path` is as expected.
    pub fn make_link(&self, path: &RootedPath, points: &OsStr, expected: Expected) -> Result<(), FsError> {
        let fail = |errno| self.error("make the link", errno, path);
        let (folder, name) =
            self.parent_of(path).map_err(|errno| fail(errno).if_missing("Parent directory not found"))?;
        if expected == Expected::Missing {
            // Fails if the name is taken, like a rename that replaces nothing.
            return self.sys().symlink(points, folder.as_fd(), name).map_err(fail);
        }
        let temp = temp_name();
        self.sys().symlink(points, folder.as_fd(), &temp).map_err(fail)?;
        self.put_over(DirAndName::new(&folder, &temp), DirAndName::new(&folder, name), expected, path)
    }

    /// Makes `path` another name of the regular file at `file`, if both entries are as expected.
    pub fn link_over(
        &self,
        file: &RootedPath,
        holds: Expected,
        path: &RootedPath,
        expected: Expected,
    ) -> Result<(), FsError> {
        let fail = |errno| self.error("link the file", errno, path);
        let (from, file_name) = self.parent_of(file).map_err(fail)?;
        let (folder, name) = self.parent_of(path).map_err(fail)?;
        self.check_expected(from.as_fd(), file_name, holds, file)?;
        let temp = temp_name();
        self.sys().link(DirAndName::new(&from, file_name), DirAndName::new(&folder, &temp)).map_err(fail)?;
        self.put_over(DirAndName::new(&folder, &temp), DirAndName::new(&folder, name), expected, path)
    }

    fn put_over(
        &self,
        temp: DirAndName<'_>,
        to: DirAndName<'_>,
        expected: Expected,
        path: &RootedPath,
    ) -> Result<(), FsError> {
        let done = self.check_expected(to.dir, to.name, expected, path).and_then(|()| {
            self.sys().rename(temp, to).map_err(|errno| self.error("replace the file", errno, path))
        });
        // A rename of one name of a file over another does nothing and succeeds.
        if done.is_err() || stat_in(temp.dir, temp.name).is_ok() {
            let _ = self.sys().unlink(temp.dir, temp.name);
        }
        done
    }
}

fn same_but_for_case(from: DirAndName<'_>, to: DirAndName<'_>) -> bool {
    let lower = |name: &OsStr| String::from_utf8_lossy(name.as_bytes()).to_lowercase();
    let folder = |place: DirAndName<'_>| rustix::fs::fstat(place.dir).map(|raw| Stat::from_raw(&raw));
    let same_folder = matches!((folder(from), folder(to)), (Ok(a), Ok(b)) if a.same_file(&b));
    same_folder && lower(from.name) == lower(to.name)
}

/// Returns whether the move only changed the spelling of one and the same name.
fn respelt(from: DirAndName<'_>, to: DirAndName<'_>, moving: &Stat, there: &Stat) -> bool {
    moving.same_file(there) && same_but_for_case(from, to)
}

fn timespec(time: Timestamp) -> Timespec {
    Timespec { tv_sec: time.seconds as _, tv_nsec: time.nanoseconds as _ }
}

// Widths differ from platform to platform.
#[allow(clippy::unnecessary_cast)]
fn access_time(raw: &rustix::fs::Stat) -> Timestamp {
    Timestamp { seconds: raw.st_atime as i64, nanoseconds: raw.st_atime_nsec as u32 }
}
