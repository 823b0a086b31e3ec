//! The folders of a walk, and which of them are empty: an empty folder is reported. Pure.

use std::collections::{BTreeSet, HashMap};

use super::shown::ShownPath;

pub(super) struct Folders<'a> {
    start: &'a ShownPath,
    filled: HashMap<ShownPath, bool>,
}

impl<'a> Folders<'a> {
    pub(super) fn new(start: &'a ShownPath) -> Folders<'a> {
        Folders { start, filled: HashMap::from([(start.clone(), false)]) }
    }

    pub(super) fn enter(&mut self, folder: ShownPath) {
        self.filled.entry(folder).or_insert(false);
    }

    pub(super) fn holds(&mut self, path: &ShownPath) {
        let mut folder = path.parent();
        while let Some(filled) = self.filled.get_mut(&folder).filter(|filled| !**filled) {
            *filled = true;
            if folder == *self.start {
                break;
            }
            folder = folder.parent();
        }
    }

    pub(super) fn empty(&self) -> impl Iterator<Item = &ShownPath> {
        let is_empty = |folder: &ShownPath| self.filled.get(folder) == Some(&false);
        let topmost = self
            .filled
            .keys()
            .filter(move |folder| is_empty(folder) && (*folder == self.start || !is_empty(&folder.parent())));
        topmost.collect::<BTreeSet<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_folders_without_anything_are_empty() {
        let start = ShownPath::written("a");
        let mut folders = Folders::new(&start);
        assert_eq!(folders.empty().collect::<Vec<_>>(), [&start]);
        for folder in ["a/full", "a/empty", "a/empty/within", "a/full/deep"] {
            folders.enter(ShownPath::written(folder));
        }
        folders.holds(&ShownPath::written("a/full/deep/file"));
        assert_eq!(folders.empty().collect::<Vec<_>>(), [&ShownPath::written("a/empty")]);
    }
}
