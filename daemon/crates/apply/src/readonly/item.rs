//! Something that `ls` lists.

use clada_fs::{Facts, RootedPath, Roots, Stat};

/// Something that is listed.
pub(super) struct Item {
    /// As it is shown.
    pub(super) name: Vec<u8>,
    /// Its path.
    pub(super) path: RootedPath,
    /// Its current state.
    pub(super) stat: Stat,
}

impl Item {
    /// All that is known about it, unless it has gone.
    pub(super) fn facts(&self, roots: &Roots) -> Option<Facts> {
        roots.facts(&self.path).ok().flatten()
    }
}
