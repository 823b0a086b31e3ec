//! Something that `ls` lists.

use clada_fs::{Facts, RootedPath, Roots, Stat};

pub(super) struct ListedItem {
    pub(super) name: Vec<u8>,
    pub(super) path: RootedPath,
    pub(super) stat: Stat,
}

impl ListedItem {
    /// All that is known about it, unless it has gone.
    pub(super) fn facts(&self, roots: &Roots) -> Option<Facts> {
        roots.facts(&self.path).ok().flatten()
    }
}
