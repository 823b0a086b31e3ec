//! Observes, for an index, the files with the ignore rules for everything beneath a root: those of the
//! repository that the root lies in, and the user's own.
//!
//! Module `enclosing` determines which files these are; this module does not interpret their rules.

use std::path::{Path, PathBuf};

use super::enclosing::{link_files, read_through, top_around};
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat, Timestamp};

const RACY: i64 = 2;

/// The state of the files on which the rules of a root depend.
#[derive(Debug, Clone)]
pub struct RuleOrigins {
    seen: Vec<(PathBuf, Option<Identity>)>,
    racy: bool,
    content: blake3::Hash,
}

impl Roots {
    /// Reads the state of the files on which the rules of the project's root depend, and of
    /// `user_files`.
    #[must_use]
    pub fn rule_origins(&self, user_files: &[PathBuf], now: Timestamp) -> RuleOrigins {
        let root = self.paths().next().unwrap_or(Path::new("/"));
        let mut seen = Vec::new();
        let mut content = blake3::Hasher::new();
        let files = files(root, &mut seen);
        for file in files.iter().chain(user_files) {
            let identity = identity_of(file);
            if identity.is_some() {
                content.update(file.as_os_str().as_encoded_bytes());
                content.update(blake3::hash(&read_through(file).unwrap_or_default()).as_bytes());
            }
            seen.push((file.clone(), identity));
        }
        let young = |identity: &Identity| identity.ctime.seconds.saturating_add(RACY) >= now.seconds;
        let racy = seen.iter().filter_map(|(_, identity)| identity.as_ref()).any(young);
        RuleOrigins { seen, racy, content: content.finalize() }
    }
}

impl RuleOrigins {
    /// Returns whether all of them are certainly unchanged.
    #[must_use]
    pub fn still_hold(&self) -> bool {
        !self.racy && self.seen.iter().all(|(path, identity)| identity_of(path) == *identity)
    }

    /// Returns whether the same files have the same contents.
    #[must_use]
    pub fn same(&self, other: &RuleOrigins) -> bool {
        let places = |origins: &RuleOrigins| -> Vec<(PathBuf, bool)> {
            origins.seen.iter().map(|(path, identity)| (path.clone(), identity.is_some())).collect()
        };
        self.content == other.content && places(self) == places(other)
    }
}

fn files(root: &Path, seen: &mut Vec<(PathBuf, Option<Identity>)>) -> Vec<PathBuf> {
    let top = top_around(root).unwrap_or(root);
    let mut files = Vec::new();
    for folder in root.ancestors() {
        let git = folder.join(".git");
        let identity = identity_of(&git);
        let is_there = identity.is_some();
        seen.push((git, identity));
        if folder != root && folder.starts_with(top) {
            files.push(folder.join(".gitignore"));
        }
        if is_there {
            if folder == top {
                files.push(folder.join(".git/info/exclude"));
                files.extend(link_files(folder));
            }
            break;
        }
    }
    files
}

fn identity_of(path: &Path) -> Option<Identity> {
    // Users keep their configuration behind a link, so it is followed. The times of a folder change all the
    // time: only device and inode count.
    let stat = Stat::from_raw(&rustix::fs::stat(path).ok()?);
    let identity = stat.identity();
    if stat.kind == FileKind::Directory {
        let never = Timestamp { seconds: 0, nanoseconds: 0 };
        return Some(Identity { size: 0, mtime: never, ctime: never, ..identity });
    }
    Some(identity)
}
