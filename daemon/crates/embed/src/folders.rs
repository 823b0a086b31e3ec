//! The folders of a walk, and which of them are empty: an empty folder is reported. Pure.

use std::collections::{BTreeSet, HashMap};

use super::shown::Shown;

/// The folders of one walk, each with whether it has entries.
pub(super) struct Folders<'a> {
    start: &'a Shown,
    filled: HashMap<Shown, bool>,
}

impl<'a> Folders<'a> {
    /// Begins with the folder `start` of a walk.
    pub(super) fn new(start: &'a Shown) -> Folders<'a> {
        Folders { start, filled: HashMap::from([(start.clone(), false)]) }
    }

    /// Adds `folder`, which is walked.
    pub(super) fn enter(&mut self, folder: Shown) {
        self.filled.entry(folder).or_insert(false);
    }

    /// Marks the folder of `path`, and those above it, as not empty.
    pub(super) fn holds(&mut self, path: &Shown) {
        let mut folder = path.parent();
        while let Some(filled) = self.filled.get_mut(&folder).filter(|filled| !**filled) {
            *filled = true;
            if folder == *self.start {
                break;
            }
            folder = folder.parent();
        }
    }

    /// Returns the topmost empty folders.
    pub(super) fn empty(&self) -> impl Iterator<Item = &Shown> {
        let is_empty = |folder: &Shown| self.filled.get(folder) == Some(&false);
        let found = self
            .filled
            .keys()
            .filter(move |folder| is_empty(folder) && (*folder == self.start || !is_empty(&folder.parent())));
        found.collect::<BTreeSet<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_folders_without_anything_are_empty() {
        let start = Shown::written("a");
        let mut folders = Folders::new(&start);
        assert_eq!(folders.empty().collect::<Vec<_>>(), [&start]);
        for folder in ["a/full", "a/empty", "a/empty/within", "a/full/deep"] {
            folders.enter(Shown::written(folder));
        }
        folders.holds(&Shown::written("a/full/deep/file"));
        assert_eq!(folders.empty().collect::<Vec<_>>(), [&Shown::written("a/empty")]);
    }
}
