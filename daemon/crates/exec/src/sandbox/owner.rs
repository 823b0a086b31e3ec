//! The user that a command runs as if root runs the daemon: the one whose project it is.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::thread::{CapabilitySet, capabilities};

use crate::wire::Owner;

/// Returns the user and the group of the project, if root runs the daemon and the project belongs to another
/// user.
pub(crate) fn of_project(root: &Path) -> Option<Owner> {
    let root = std::fs::metadata(root).ok().filter(|_| rustix::process::geteuid().is_root())?;
    (root.uid() != 0).then(|| Owner { user: root.uid(), group: root.gid() })
}

pub(crate) fn mounts() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

pub(crate) fn home(user: u32) -> Option<PathBuf> {
    home_in(&std::fs::read_to_string("/etc/passwd").ok()?, user).filter(|home| home.is_dir())
}

fn home_in(listed: &str, user: u32) -> Option<PathBuf> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2)?.parse() == Ok(user)).then(|| fields.get(5).map(PathBuf::from)).flatten()
    };
    listed.lines().find_map(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_found_by_number() {
        let listed = "root:x:0:0:root:/root:/bin/sh\n# a comment\nx:x:1000:100:X,,,:/home/x:/bin/sh\n";
        assert_eq!(home_in(listed, 1000), Some(PathBuf::from("/home/x")));
        assert_eq!(home_in(listed, 7), None);
    }
}
