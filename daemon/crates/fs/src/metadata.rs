//! The metadata of a file, carried over to the file that replaces it.
//!
//! The new file never allows anyone what the old one did not. So it is made for its owner alone, and
//! permissions come last. Not kept are:
//! - setuid, setgid, `security.capability`: content that a model wrote must not run as another user. The
//!   kernel removes these at any write, too. A move keeps them, and a restored file gets them back, since the
//!   content is the one that had them.
//! - `security.ima`, `security.evm`: signatures of the old content.
//! - the owner, where the system lets only root give a file away: the file then belongs to clada's user, as
//!   with every editor that replaces files. The group, if clada's user is not in it: then group and others
//!   both get only the permissions that both had. With an ACL that would not be enough, so it is refused.
//! - ACLs of macOS, which are not extended attributes there and have no safe interface.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::Mode;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::Stat;
use super::sys::Sys;

#[cfg(target_vendor = "apple")]
const MISSING: Errno = Errno::NOATTR;
#[cfg(not(target_vendor = "apple"))]
const MISSING: Errno = Errno::NODATA;
const ACL: &[u8] = b"system.posix_acl_access";
const OF_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Mode, owner and extended attributes of a file, in a form that a journal can store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Permission bits, `0o7777` at most.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Names and values of extended attributes, POSIX ACLs among them.
    pub xattrs: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Replace,
    Keep,
}

impl Roots {
    /// Returns everything about a regular file except its content and times.
    pub fn metadata(&self, path: &RootedPath) -> Result<Metadata, FsError> {
        let reader = self.open_reader(path)?;
        Metadata::read(reader.file.as_fd(), reader.stat())
            .map_err(|errno| self.error("read the attributes of the file", errno, path))
    }
}

impl Metadata {
    pub(super) fn read(file: BorrowedFd<'_>, stat: &Stat) -> Result<Metadata, Errno> {
        let mut xattrs = Vec::new();
        for name in xattr_names(file)? {
            match xattr(file, &name) {
                Ok(value) => xattrs.push((name.into_vec(), value)),
                // Removed meanwhile, or listed but not readable for this user.
                Err(Errno::PERM | Errno::ACCESS) => {}
                Err(errno) if unsupported(errno) || errno == MISSING => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(Metadata { mode: stat.mode, uid: stat.uid, gid: stat.gid, xattrs })
    }

    pub(super) fn apply(&self, sys: &Sys, file: BorrowedFd<'_>, purpose: Purpose) -> Result<(), Errno> {
        let kept_ownership = self.apply_owner(sys, file)?;
        let has_acl = self.xattrs.iter().any(|(name, _)| name == ACL);
        if has_acl && !kept_ownership.group {
            return Err(Errno::PERM);
        }
        let acl = self.apply_xattrs(sys, file, purpose)?;
        let mut mode = match purpose {
            Purpose::Keep if kept_ownership.owner && kept_ownership.group => self.mode & 0o7777,
            _ => self.mode & 0o1777,
        };
        if !kept_ownership.group {
            mode = shared_by_group_and_others(mode);
        }
        if has_acl && !acl {
            // The group bits were the ACL's mask, not the permissions of the group itself.
            mode &= !0o070;
        }
        sys.chmod(file, Mode::from_raw_mode(mode as _))
    }

    fn apply_owner(&self, sys: &Sys, file: BorrowedFd<'_>) -> Result<KeptOwnership, Errno> {
        let now = Stat::from_raw(&rustix::fs::fstat(file)?);
        if (now.uid, now.gid) == (self.uid, self.gid) {
            return Ok(KeptOwnership { owner: true, group: true });
        }
        match sys.chown(file, Some(self.uid), Some(self.gid)) {
            Ok(()) => return Ok(KeptOwnership { owner: true, group: true }),
            // EINVAL: the id does not exist in this user namespace.
            Err(Errno::PERM | Errno::INVAL) => {}
            Err(errno) => return Err(errno),
        }
        let owner = now.uid == self.uid;
        if now.gid == self.gid {
            return Ok(KeptOwnership { owner, group: true });
        }
        match sys.chown(file, None, Some(self.gid)) {
            Ok(()) => Ok(KeptOwnership { owner, group: true }),
            Err(Errno::PERM | Errno::INVAL) => Ok(KeptOwnership { owner, group: false }),
            Err(errno) => Err(errno),
        }
    }

    fn apply_xattrs(&self, sys: &Sys, file: BorrowedFd<'_>, purpose: Purpose) -> Result<bool, Errno> {
        for name in xattr_names(file)? {
            let is_wanted = self.xattrs.iter().any(|(own, _)| own == name.as_bytes());
            // A folder's default ACL gives one to every file made in it; the original may have had none.
            if !is_wanted {
                match sys.remove_xattr(file, &name) {
                    Err(errno) if name.as_bytes() == ACL => return Err(errno),
                    Ok(()) | Err(Errno::PERM | Errno::ACCESS) => {}
                    Err(errno) if unsupported(errno) || errno == MISSING => {}
                    Err(errno) => return Err(errno),
                }
            }
        }
        let mut acl = false;
        for (name, value) in &self.xattrs {
            if purpose == Purpose::Replace && OF_CONTENT.contains(&name.as_slice()) {
                continue;
            }
            let own = OsStr::from_bytes(name);
            if xattr(file, own).as_deref() == Ok(value) {
                acl |= name == ACL;
                continue;
            }
            match sys.set_xattr(file, own, value) {
                Ok(()) => acl |= name == ACL,
                Err(errno) if unsupported(errno) => {}
                Err(Errno::PERM | Errno::ACCESS | Errno::INVAL)
                    if !name.starts_with(b"user.") && name != ACL => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(acl)
    }
}

struct KeptOwnership {
    owner: bool,
    group: bool,
}

fn shared_by_group_and_others(mode: u32) -> u32 {
    // The new group was "others" before, and the old group is "others" now.
    let both = (mode >> 3) & mode & 0o007;
    (mode & !0o077) | (both << 3) | both
}

pub(super) fn has_xattr(file: BorrowedFd<'_>, name: &str) -> bool {
    rustix::fs::fgetxattr_query(file, name).is_ok()
}

fn xattr_names(file: BorrowedFd<'_>) -> Result<Vec<OsString>, Errno> {
    let list = filled(|| rustix::fs::flistxattr_query(file), |buffer| rustix::fs::flistxattr(file, buffer));
    let list = match list {
        Err(errno) if unsupported(errno) => Vec::new(),
        list => list?,
    };
    let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| OsString::from_vec(name.to_vec())).collect())
}

fn xattr(file: BorrowedFd<'_>, name: &OsStr) -> Result<Vec<u8>, Errno> {
    filled(|| rustix::fs::fgetxattr_query(file, name), |buffer| rustix::fs::fgetxattr(file, name, buffer))
}

fn filled(
    size: impl Fn() -> Result<usize, Errno>,
    fill: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    // The value may grow between the question for its size and the one for its bytes.
    for _ in 0..8 {
        let size = size()?;
        if size == 0 {
            return Ok(Vec::new());
        }
        let mut buffer = vec![0; size];
        match fill(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::RANGE)
}

fn unsupported(errno: Errno) -> bool {
    errno == Errno::NOTSUP || errno == Errno::OPNOTSUPP || errno == Errno::NOSYS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_group_widens_nothing() {
        assert_eq!(shared_by_group_and_others(0o664), 0o644);
        assert_eq!(shared_by_group_and_others(0o660), 0o600);
        assert_eq!(shared_by_group_and_others(0o604), 0o600);
        assert_eq!(shared_by_group_and_others(0o777), 0o777);
        assert_eq!(shared_by_group_and_others(0o754), 0o744);
    }
}
