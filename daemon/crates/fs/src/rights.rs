//! What clada's user may do with an entry, and the rights that an owner can give itself.
//!
//! Looks at modes and mounts. [`Roots::set_mode`] is the only change here; it opens nothing for reading, so
//! that it works where the mode allows its owner nothing.

use std::os::fd::AsFd;

use rustix::fs::{Access, AtFlags, Mode};
use rustix::io::Errno;

#[cfg(not(target_os = "linux"))]
use super::entry::stat_in;
use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{FileKind, Stat};

/// The access of clada's user to the entries of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderAccess {
    /// Entries can be made and removed.
    Full,
    /// They cannot, but the folder is the user's own, so that its mode can be changed.
    Closed,
    /// They cannot.
    Denied(FsError),
}

impl Roots {
    /// Returns the access to the entries of `folder`. A folder that cannot be looked at is not restricted
    /// here: whatever is done in it fails by itself.
    #[must_use]
    pub fn folder_access(&self, folder: &RootedPath) -> FolderAccess {
        let (flags, rights) = (AtFlags::EACCESS, Access::WRITE_OK | Access::EXEC_OK);
        let tried = match self.parent_of(folder) {
            Ok((above, name)) => rustix::fs::accessat(above.as_fd(), name, rights, flags),
            Err(_) if folder.is_root() => {
                rustix::fs::accessat(self.root_folder(folder.root()), ".", rights, flags)
            }
            Err(_) => return FolderAccess::Full,
        };
        match tried {
            Err(Errno::ACCESS | Errno::PERM) if !folder.is_root() && self.own(folder).is_some() => {
                FolderAccess::Closed
            }
            Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => {
                FolderAccess::Denied(self.error("change the directory", errno, folder))
            }
            _ => FolderAccess::Full,
        }
    }

    /// Returns the facts about the entry at `path` if it belongs to clada's user, who can then change its mode.
    #[must_use]
    pub fn own(&self, path: &RootedPath) -> Option<Stat> {
        let user = rustix::process::geteuid().as_raw();
        self.lstat(path).ok().flatten().filter(|stat| stat.uid == user && stat.kind != FileKind::Symlink)
    }

    /// Returns whether something is mounted on the entry at `path`, so that it can be neither replaced nor
    /// removed.
    #[must_use]
    pub fn is_mount_point(&self, path: &RootedPath) -> bool {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{StatxAttributes, StatxFlags, statx};
            let parent_stat = self.parent_of(path).and_then(|(folder, name)| {
                statx(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE)
            });
            parent_stat
                .is_ok_and(|parent_stat| parent_stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = path;
            false
        }
    }

    /// Gives a file or folder these permission bits, if it has the bits `before`.
    ///
    /// # Errors
    /// `conflict` if it has others; if it is neither, or the system refuses.
    pub fn set_mode(&self, path: &RootedPath, before: u32, mode: u32) -> Result<(), FsError> {
        let fail = |errno| self.error("change the mode", errno, path);
        let (folder, name) = self.parent_of(path).map_err(fail)?;
        let check = |stat: Stat| match stat.kind {
            FileKind::Symlink | FileKind::Special => Err(fail(Errno::LOOP)),
            _ if stat.mode & 0o7777 != before & 0o7777 => {
                Err(FsError::conflict("It has another mode by now", path.written()))
            }
            _ => Ok(()),
        };
        let mode = Mode::from_raw_mode((mode & 0o7777) as _);
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{OFlags, fstat, openat};
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(folder.as_fd(), name, flags, Mode::empty()).map_err(fail)?;
            check(Stat::from_raw(&fstat(&opened).map_err(fail)?))?;
            // A descriptor that opens nothing has no mode to change but by its name here.
            self.sys().chmod_opened(opened.as_fd(), mode).map_err(fail)
        }
        #[cfg(not(target_os = "linux"))]
        {
            check(stat_in(folder.as_fd(), name).map_err(fail)?)?;
            self.sys().chmod_at(folder.as_fd(), name, mode).map_err(fail)
        }
    }
}
