//! Atomic replacement of a file: writes a temporary file alongside it, copies the metadata, fsyncs, and renames
//! the new file over the old one.
//!
//! Files are never changed in place: that would write through hard links and could be
//! interrupted halfway. There are two phases, so that an executor can prepare everything that
//! may fail before any change is visible:
//!
//! 1. [`Roots::prepare`] writes `.clada-tmp-…` in the same folder, [`sync_all`] flushes a batch of them.
//! 2. [`Prepared::publish`] checks that the target is still what the change was planned for and renames.
//!
//! A [`Prepared`] that is dropped removes its temporary file. It holds no descriptor once it is flushed, so
//! thousands can wait; to publish, the folder is opened again, and must be the same folder.
//!
//! A file that the caller may not write is not replaced, although the folder's permissions would allow it,
//! unless [`ReadOnlyFiles`] says so: its read-only bit states its owner's intent.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};

use clada_protocol::ErrorKind;
use rustix::fs::{Access, AtFlags, Mode};
use rustix::io::Errno;

use super::entry::{Expected, open_readable, stat_in};
use super::error::FsError;
use super::metadata::{Metadata, Purpose, has_xattr};
use super::names::temp_name;
use super::options::{Durability, ReadOnlyFiles};
use super::path::RootedPath;
use super::root::{FolderHandle, Roots};
use super::stat::{FileKind, Identity, Stat};
use super::sys::DirAndName;

const DOING: &str = "write the file";

/// The source of the new file's mode, owner and extended attributes.
#[derive(Debug, Clone, Copy)]
pub enum Like<'a> {
    /// A new file: 0666 without the umask, and the attributes that the folder passes on.
    New,
    /// An existing file, usually the one to be replaced.
    Existing(&'a RootedPath),
    /// A file that no longer exists.
    Saved(&'a Metadata),
}

/// Adds bytes to a file that is being prepared.
pub type WriteMore<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), FsError>;

/// A file that is written but not yet in its place.
#[derive(Debug)]
pub struct Prepared {
    roots: Roots,
    path: RootedPath,
    temp: OsString,
    folder: Stat,
    stat: Stat,
    file: Option<OwnedFd>,
    published: bool,
}

impl Roots {
    /// Writes `bytes` to a temporary file alongside `path` with the metadata that `like` names.
    ///
    /// No change is visible; the folder must exist. Fails if the entry at `path` is not a regular
    /// file or may not be written.
    pub fn prepare(&self, path: &RootedPath, bytes: &[u8], like: Like<'_>) -> Result<Prepared, FsError> {
        self.prepare_as(path, bytes, like, None)
    }

    /// Prepares a file that is to be executable, or not, regardless of `like`.
    pub fn prepare_as(
        &self,
        path: &RootedPath,
        bytes: &[u8],
        like: Like<'_>,
        executable: Option<bool>,
    ) -> Result<Prepared, FsError> {
        self.prepare_in_pieces(path, like, executable, |write| write(bytes))
    }

    /// Prepares like [`prepare`](Roots::prepare), for content that comes in pieces: `content`
    /// passes them to its argument.
    pub fn prepare_with(
        &self,
        path: &RootedPath,
        like: Like<'_>,
        content: impl FnOnce(WriteMore<'_>) -> Result<(), FsError>,
    ) -> Result<Prepared, FsError> {
        self.prepare_in_pieces(path, like, None, content)
    }

    fn prepare_in_pieces(
        &self,
        path: &RootedPath,
        like: Like<'_>,
        executable: Option<bool>,
        content: impl FnOnce(WriteMore<'_>) -> Result<(), FsError>,
    ) -> Result<Prepared, FsError> {
        let (saved, purpose) = match like {
            Like::New => (None, Purpose::Replace),
            Like::Existing(original) => (Some(self.metadata(original)?), Purpose::Replace),
            Like::Saved(metadata) => (Some(metadata.clone()), Purpose::Keep),
        };
        if let Ok((folder, name)) = self.parent_of(path) {
            self.check_replaceable(&folder, name, path)?;
        }
        let mut prepared =
            self.create_temp(path, if saved.is_some() { Privacy::Owner } else { Privacy::New })?;
        content(&mut |bytes| prepared.write(bytes))?;
        if let Some(metadata) = saved {
            // After the content: a write by another user than root clears the set-user-id bits that this
            // puts back.
            prepared.dress(&metadata, purpose)?;
        }
        if let Some(executable) = executable {
            prepared.set_executable(executable)?;
        }
        prepared.written()?;
        Ok(prepared)
    }

    /// Prepares, flushes and publishes one file. The caller flushes the folder.
    #[cfg(test)]
    pub(crate) fn replace(
        &self,
        path: &RootedPath,
        bytes: &[u8],
        like: Like<'_>,
        expected: Expected,
    ) -> Result<Identity, FsError> {
        self.prepare(path, bytes, like)?.publish(expected)
    }

    pub(super) fn create_temp(&self, path: &RootedPath, privacy: Privacy) -> Result<Prepared, FsError> {
        if path.is_root() {
            return Err(FsError::os(DOING, Errno::ISDIR, path.written()));
        }
        let fail = |errno| self.error(DOING, errno, path);
        let (folder, _) =
            self.parent_of(path).map_err(|errno| fail(errno).if_missing("Parent directory not found"))?;
        let folder_stat = Stat::from_raw(&rustix::fs::fstat(folder.as_fd()).map_err(fail)?);
        let umask = self.0.options.umask;
        let inherits = privacy == Privacy::New && has_default_acl(&folder);
        let mode = match privacy {
            Privacy::Owner => 0o600,
            // With a default ACL the kernel ignores the umask, so clada does too.
            Privacy::New if inherits => 0o666,
            Privacy::New => 0o666 & !umask,
        };
        let (temp, file) = self.create_named(&folder, mode).map_err(fail)?;
        let stat = rustix::fs::fstat(&file);
        let mut prepared = Prepared {
            roots: self.clone(),
            path: path.clone(),
            temp,
            folder: folder_stat,
            stat: folder_stat,
            file: Some(file),
            published: false,
        };
        prepared.stat = Stat::from_raw(&stat.map_err(fail)?);
        if !inherits && prepared.stat.mode & 0o777 != mode {
            let file = prepared.file.as_ref().map(AsFd::as_fd);
            file.map_or(Ok(()), |file| self.sys().chmod(file, Mode::from_raw_mode(mode as _)))
                .map_err(fail)?;
        }
        Ok(prepared)
    }

    fn create_named(&self, folder: &FolderHandle<'_>, mode: u32) -> Result<(OsString, OwnedFd), Errno> {
        let mode = Mode::from_raw_mode(mode as _);
        let mut outcome = Err(Errno::EXIST);
        for _ in 0..16 {
            let name = temp_name();
            outcome = self.sys().create_new(folder.as_fd(), &name, mode).map(|file| (name, file));
            if !matches!(outcome, Err(Errno::EXIST)) {
                break;
            }
        }
        outcome
    }

    fn check_replaceable(
        &self,
        folder: &FolderHandle<'_>,
        name: &OsStr,
        path: &RootedPath,
    ) -> Result<(), FsError> {
        let stat = match stat_in(folder.as_fd(), name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(self.error(DOING, errno, path)),
        };
        match stat.kind {
            FileKind::Directory => return Err(FsError::os(DOING, Errno::ISDIR, path.written())),
            FileKind::Symlink => return Err(FsError::os(DOING, Errno::LOOP, path.written())),
            FileKind::Special => {
                let issue = "Not a regular file";
                return Err(FsError::new(
                    ErrorKind::NotRegularFile,
                    "NOT_REGULAR_FILE",
                    issue,
                    path.written(),
                ));
            }
            FileKind::File if self.options().read_only_files == ReadOnlyFiles::Replace => return Ok(()),
            FileKind::File => {}
        }
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        match rustix::fs::accessat(folder.as_fd(), name, Access::WRITE_OK, flags) {
            Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(self.error(DOING, errno, path)),
            // The rename reports any other problem.
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Privacy {
    /// Its owner alone, until it gets another file's metadata.
    Owner,
    New,
}

impl Prepared {
    /// Returns the path that the file is going to have.
    pub fn path(&self) -> &RootedPath {
        &self.path
    }

    /// Flushes the content to the medium. Does nothing with `durability: fast`, or the second time.
    pub fn sync(&mut self) -> Result<(), FsError> {
        let Some(file) = self.file.take() else { return Ok(()) };
        if self.roots.options().durability == Durability::Full {
            self.roots.sys().sync_file(file.as_fd()).map_err(|errno| self.fail(errno))?;
        }
        Ok(())
    }

    /// Puts the file in its place if the entry there is as expected. Returns the
    /// identity that the file has then.
    ///
    /// Fails with `conflict` if it is not, with `file_exists` if none was expected and there is one. On any
    /// error the target is untouched and the temporary file is gone.
    pub fn publish(mut self, expected: Expected) -> Result<Identity, FsError> {
        self.sync()?;
        let roots = self.roots.clone();
        let path = self.path.clone();
        let fail = |errno| roots.error(DOING, errno, &path);
        let (folder, name) = roots.parent_of(&path).map_err(fail)?;
        if !self.still_mine(&folder) {
            return Err(FsError::conflict("The directory was replaced meanwhile", path.written()));
        }
        roots.check_expected(folder.as_fd(), name, expected, &path)?;
        let (from, to) = (DirAndName::new(&folder, &self.temp), DirAndName::new(&folder, name));
        match expected {
            Expected::Missing => roots.move_to_free(from, to, FileKind::File),
            _ => roots.sys().rename(from, to),
        }
        .map_err(fail)?;
        self.published = true;
        // The rename itself changes the ctime, which is part of the identity.
        let now = stat_in(folder.as_fd(), name).ok().filter(|now| now.same_file(&self.stat));
        Ok(now.unwrap_or(self.stat).identity())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), FsError> {
        let Some(file) = &self.file else { return Err(self.fail(Errno::BADF)) };
        self.roots.sys().write_all(file.as_fd(), bytes).map_err(|errno| self.fail(errno))
    }

    pub(super) fn dress(&mut self, metadata: &Metadata, purpose: Purpose) -> Result<(), FsError> {
        let Some(file) = &self.file else { return Err(self.fail(Errno::BADF)) };
        metadata.apply(self.roots.sys(), file.as_fd(), purpose).map_err(|errno| {
            self.fail(errno).with_issue("Cannot keep owner, permissions or attributes of the file")
        })
    }

    fn set_executable(&mut self, executable: bool) -> Result<(), FsError> {
        let Some(file) = &self.file else { return Err(self.fail(Errno::BADF)) };
        let now = Stat::from_raw(&rustix::fs::fstat(file).map_err(|errno| self.fail(errno))?).mode;
        let mode = if executable { now | (now & 0o444) >> 2 } else { now & !0o111 };
        let set = self.roots.sys().chmod(file.as_fd(), Mode::from_raw_mode(mode as _));
        set.map_err(|errno| self.fail(errno).with_issue("Cannot make the file executable, or not"))
    }

    pub(super) fn written(&mut self) -> Result<(), FsError> {
        if let Some(file) = &self.file {
            self.stat = Stat::from_raw(&rustix::fs::fstat(file).map_err(|errno| self.fail(errno))?);
        }
        if self.roots.options().durability == Durability::Fast {
            self.file = None;
        }
        Ok(())
    }

    pub(super) fn file(&self) -> Option<&OwnedFd> {
        self.file.as_ref()
    }

    fn fail(&self, errno: Errno) -> FsError {
        self.roots.error(DOING, errno, &self.path)
    }

    fn still_mine(&self, folder: &FolderHandle<'_>) -> bool {
        let same_folder =
            rustix::fs::fstat(folder.as_fd()).is_ok_and(|raw| Stat::from_raw(&raw).same_file(&self.folder));
        same_folder && stat_in(folder.as_fd(), &self.temp).is_ok_and(|stat| stat.same_file(&self.stat))
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if self.published {
            return;
        }
        let roots = &self.roots;
        if let Ok((folder, _)) = roots.parent_of(&self.path)
            && self.still_mine(&folder)
        {
            // Tries a second time if it fails; after that a later recovery knows the name.
            let unlink = || roots.sys().unlink(folder.as_fd(), &self.temp);
            let _ = unlink().or_else(|_| unlink());
        }
    }
}

/// Flushes many prepared files, `threads` at a time: the file system's journal then commits them together.
/// Tries all, and returns the first error in the order of the files.
pub fn sync_all(prepared: &mut [Prepared], threads: usize) -> Result<(), FsError> {
    let share = prepared.len().div_ceil(threads.clamp(1, 64)).max(1);
    let flush = |share: &mut [Prepared]| {
        let outcomes: Vec<_> = share.iter_mut().map(Prepared::sync).collect();
        outcomes.into_iter().collect::<Result<(), FsError>>()
    };
    if prepared.len() <= share {
        return flush(prepared);
    }
    std::thread::scope(|scope| {
        let running: Vec<_> =
            prepared.chunks_mut(share).map(|share| scope.spawn(move || flush(share))).collect();
        let joined = running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect::<Vec<_>>().into_iter().collect()
    })
}

fn has_default_acl(folder: &FolderHandle<'_>) -> bool {
    let readable = open_readable(folder.as_fd());
    readable.is_ok_and(|readable| has_xattr(readable.as_fd(), "system.posix_acl_default"))
}
