//! Finds which of the files that came are files that went, under another name.
//!
//! Pure. A file that kept inode, size and time of its last change was moved; so was one with the content of a
//! file that went, since that is what undo brings back. Each file that went is found once.

use std::collections::{HashMap, HashSet};

use blake3::Hash;
use clada_fs::{Identity, RootedPath};
use clada_journal::State;

#[derive(Default)]
pub(super) struct Moves<'a> {
    by_inode: HashMap<(u64, u64), (&'a RootedPath, Identity)>,
    by_content: HashMap<Hash, Vec<&'a RootedPath>>,
    used: HashSet<&'a RootedPath>,
}

impl<'a> Moves<'a> {
    pub(super) fn went(&mut self, path: &'a RootedPath, identity: Identity, state: &State) {
        self.by_inode.insert((identity.dev, identity.ino), (path, identity));
        if let (State::File { hash, .. }, true) = (state, identity.size > 0) {
            self.by_content.entry(*hash).or_default().push(path);
        }
    }

    pub(super) fn source(
        &mut self,
        identity: &Identity,
        state: &State,
        is_new: bool,
    ) -> Option<&'a RootedPath> {
        let unchanged =
            |(_, was): &&(&RootedPath, Identity)| (was.size, was.mtime) == (identity.size, identity.mtime);
        let same = self.by_inode.get(&(identity.dev, identity.ino)).filter(unchanged).map(|(path, _)| *path);
        let alike = || match state {
            State::File { hash, .. } if is_new => {
                self.by_content.get(hash)?.iter().find(|path| !self.used.contains(*path)).copied()
            }
            _ => None,
        };
        let source = same.filter(|path| !self.used.contains(path)).or_else(alike)?;
        self.used.insert(source);
        Some(source)
    }

    pub(super) fn is_found(&self, path: &RootedPath) -> bool {
        self.used.contains(path)
    }
}
