//! Notices when a command changed what would make other programs run something later, where no sandbox prevents it.
//!
//! Landlock cannot keep a part of a folder that may be changed. What is watched is little: what git runs or is told to run
//! by, and what clada is. Times of change are the kernel's and cannot be set back. Reads only.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Below a protected folder of git: files and folders by which it runs something.
const OF_GIT: &[&str] = &["config", "config.worktree", "hooks", "info/attributes"];

/// How many entries of one folder are looked at.
const ENTRIES: usize = 1000;

/// What protected places were like before a command.
#[derive(Debug)]
pub(super) struct Guard {
    places: Vec<PathBuf>,
    before: BTreeMap<PathBuf, Mark>,
}

/// What tells a file from a changed one.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    device: u64,
    number: u64,
    size: u64,
    mode: u32,
    changed: (i64, i64),
}

impl Guard {
    /// Remembers what these places are like.
    pub(super) fn new(protected: &[PathBuf]) -> Guard {
        let places: Vec<PathBuf> = protected.iter().flat_map(|path| places(path)).collect();
        let before = marks(&places);
        Guard { places, before }
    }

    /// What was changed, made or deleted since, in order.
    pub(super) fn changed(&self) -> Vec<PathBuf> {
        let after = marks(&self.places);
        let gone = self.before.keys().filter(|path| !after.contains_key(*path));
        let other =
            after.iter().filter(|(path, mark)| self.before.get(*path) != Some(mark)).map(|(path, _)| path);
        let mut changed: Vec<PathBuf> = gone.chain(other).cloned().collect();
        changed.sort();
        // That a folder has changed says nothing beside what changed in it.
        let all = changed.clone();
        changed.retain(|path| !all.iter().any(|other| other != path && other.starts_with(path)));
        changed
    }
}

fn places(protected: &Path) -> Vec<PathBuf> {
    if protected.file_name().is_some_and(|name| name == ".git") {
        // A worktree's is a file, which says where the rest is: outside of what a command may change.
        return OF_GIT.iter().map(|name| protected.join(name)).collect();
    }
    vec![protected.to_owned()]
}

fn marks(places: &[PathBuf]) -> BTreeMap<PathBuf, Mark> {
    let mut marks = BTreeMap::new();
    for place in places {
        let entries = std::fs::read_dir(place).into_iter().flatten().flatten().take(ENTRIES);
        let entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        for path in entries.into_iter().chain([place.clone()]) {
            if let Ok(found) = std::fs::symlink_metadata(&path) {
                let mark = Mark {
                    device: found.dev(),
                    number: found.ino(),
                    size: found.len(),
                    mode: found.mode(),
                    changed: (found.ctime(), found.ctime_nsec()),
                };
                marks.insert(path, mark);
            }
        }
    }
    marks
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // A test makes and changes the files that it needs.
mod tests {
    use super::*;

    #[test]
    fn what_would_run_later_is_noticed_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
        std::fs::create_dir_all(path(".git/hooks")).unwrap();
        write(".git/config", "[core]\n");
        write(".git/hooks/old", "");
        let guard = Guard::new(&[path(".git"), path(".clada")]);
        write(".git/index", "x");
        assert_eq!(guard.changed(), Vec::<PathBuf>::new());
        write(".git/config", "[cors]\n");
        write(".git/hooks/pre-commit", "x");
        std::fs::remove_file(path(".git/hooks/old")).unwrap();
        std::fs::create_dir(path(".clada")).unwrap();
        write(".clada/config.yaml", "");
        let expected = [".clada/config.yaml", ".git/config", ".git/hooks/old", ".git/hooks/pre-commit"];
        assert_eq!(guard.changed(), expected.map(path));
    }
}
