//! The files that say what is left out everywhere beneath a root, as an index keeps an eye on them: those of the
//! repository that the root lies in, and the person's own.
//!
//! Which of them there are is settled as in `enclosing`; what they say is not looked at here.

use std::path::{Path, PathBuf};

use super::enclosing::{link_files, read_through, top_around};
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat, Timestamp};

/// Seconds within which a file may change again and look the same.
const RACY: i64 = 2;

/// What was seen of the files on which the rules of a root depend.
#[derive(Debug, Clone)]
pub struct RuleOrigins {
    seen: Vec<(PathBuf, Option<Identity>)>,
    /// One of them was so young that it could change once more and look the same.
    racy: bool,
    content: blake3::Hash,
}

impl Roots {
    /// Looks at the files on which the rules of the project's root depend, and at `person`, those of the person.
    #[must_use]
    pub fn rule_origins(&self, person: &[PathBuf], now: Timestamp) -> RuleOrigins {
        let root = self.paths().next().unwrap_or(Path::new("/"));
        let mut seen = Vec::new();
        let mut content = blake3::Hasher::new();
        let files = files(root, &mut seen);
        for file in files.iter().chain(person) {
            let identity = look(file);
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
    /// Whether all of them are for certain what they were.
    #[must_use]
    pub fn stand(&self) -> bool {
        !self.racy && self.seen.iter().all(|(path, identity)| look(path) == *identity)
    }

    /// Whether the same files say the same.
    #[must_use]
    pub fn same(&self, other: &RuleOrigins) -> bool {
        let places = |origins: &RuleOrigins| -> Vec<(PathBuf, bool)> {
            origins.seen.iter().map(|(path, identity)| (path.clone(), identity.is_some())).collect()
        };
        self.content == other.content && places(self) == places(other)
    }
}

/// The files of the repository of `root`. Where a repository is looked for is noted in `seen`.
fn files(root: &Path, seen: &mut Vec<(PathBuf, Option<Identity>)>) -> Vec<PathBuf> {
    let top = top_around(root).unwrap_or(root);
    let mut files = Vec::new();
    for folder in root.ancestors() {
        let git = folder.join(".git");
        let found = look(&git);
        let is_there = found.is_some();
        seen.push((git, found));
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

/// What stands there; a link is looked through, as people keep their configuration under them. Of a folder, which
/// changes without end, only which one it is.
fn look(path: &Path) -> Option<Identity> {
    let stat = Stat::of(&rustix::fs::stat(path).ok()?);
    let identity = stat.identity();
    if stat.kind == FileKind::Directory {
        let never = Timestamp { seconds: 0, nanoseconds: 0 };
        return Some(Identity { size: 0, mtime: never, ctime: never, ..identity });
    }
    Some(identity)
}
