//! The folders above a file whose permissions keep the user of a command from it.
//!
//! Looks at folders and changes none. A folder whose permissions cannot be read counts as open.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;

use crate::wire::Owner;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandUser {
    number: u32,
    other: Option<u32>,
}

impl CommandUser {
    pub(crate) fn for_owner(owner: Option<Owner>) -> CommandUser {
        match owner {
            Some(owner) => CommandUser { number: owner.user, other: Some(owner.group) },
            None => CommandUser { number: rustix::process::geteuid().as_raw(), other: None },
        }
    }

    pub(crate) fn is_barred(&self, path: &Path) -> bool {
        self.finds(path, |owner| owner != self.number)
    }

    /// Returns whether a folder above `path` that belongs to this user keeps the user from it, as long as it
    /// is not opened.
    pub(crate) fn is_shut(&self, path: &Path) -> bool {
        self.finds(path, |owner| owner == self.number)
    }

    fn finds(&self, path: &Path, meant: impl Fn(u32) -> bool) -> bool {
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        for folder in folders.into_iter().rev() {
            let Ok(data) = std::fs::metadata(folder) else { return false };
            if !self.enters(folder, &data) {
                return meant(data.uid());
            }
        }
        false
    }

    fn enters(&self, folder: &Path, data: &std::fs::Metadata) -> bool {
        let Some(group) = self.other else {
            let access = rustix::fs::accessat(CWD, folder, Access::EXEC_OK, AtFlags::EACCESS);
            return access != Err(Errno::ACCESS);
        };
        if self.number == 0 || has_list(folder) {
            return true;
        }
        let bit = match (data.uid() == self.number, data.gid() == group) {
            (true, _) => 0o100,
            (false, true) => 0o010,
            (false, false) => 0o001,
        };
        data.mode() & bit != 0
    }
}

/// Returns whether a folder has an access control list in addition to its mode, or may have one.
fn has_list(folder: &Path) -> bool {
    let mut none: [u8; 0] = [];
    let attribute = rustix::fs::getxattr(folder, "system.posix_acl_access", &mut none);
    !matches!(attribute, Err(Errno::NODATA | Errno::NOTSUP))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests lay out files as a user does")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_of_others_bar_and_those_of_its_own_are_shut() {
        let top = tempfile::tempdir().unwrap();
        let chmod = |mode| std::fs::set_permissions(top.path(), PermissionsExt::from_mode(mode)).unwrap();
        let data = std::fs::metadata(top.path()).unwrap();
        let (mine, path) = (Owner { user: data.uid(), group: data.gid() }, top.path().join("a/b"));
        // A folder that does not exist proves nothing.
        std::fs::create_dir(top.path().join("a")).unwrap();
        let of = |user: u32, group: u32| CommandUser::for_owner(Some(Owner { user, group }));
        let (stranger, fellow) = (of(data.uid() + 1, data.gid() + 1), of(data.uid() + 1, data.gid()));
        for (mode, barred) in
            [(0o700, [true, true]), (0o710, [true, false]), (0o701, [false, true]), (0o711, [false; 2])]
        {
            chmod(mode);
            assert_eq!([stranger.is_barred(&path), fellow.is_barred(&path)], barred, "{mode:o}");
            assert!(!stranger.is_shut(&path), "{mode:o}");
        }
        chmod(0o600);
        let own = CommandUser { number: mine.user, other: Some(mine.group) };
        // No mode keeps root out.
        assert_eq!(own.is_shut(&path), mine.user != 0);
        assert!(!own.is_barred(&path));
        chmod(0o700);
        assert!(!own.is_shut(&path) && !CommandUser::for_owner(None).is_barred(&path));
        // A folder that is gone proves nothing.
        assert!(!stranger.is_shut(&top.path().join("none/b")));
    }
}
