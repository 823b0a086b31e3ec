//! The table of folders that the library watches for clada, by path and by inode.
//!
//! The library knows a watch by its path, the kernel by the inode, and the two differ whenever a folder
//! moves. The library releases watches in silence; its rules are followed here, and every watch that may have
//! been released ends, so that its folder is watched anew. Pure data.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::source::WatchId;

/// Device and inode of a folder.
pub(super) type Node = (u64, u64);

/// The watched folders.
#[derive(Debug, Default)]
pub(super) struct Table {
    by_path: BTreeMap<PathBuf, WatchId>,
    by_node: HashMap<Node, WatchId>,
    /// The folder of each number, and the paths at which it was found; some may be another folder's by now.
    folders: HashMap<WatchId, (Node, Vec<PathBuf>)>,
    last: u64,
}

impl Table {
    /// Enters the folder at `path`, which is about to be watched. One inode has one number. The watch of the
    /// folder that was known there ends, if it was another one: the library takes its events for the new
    /// one's. Returns both watches.
    pub(super) fn enter(&mut self, path: &Path, node: Node) -> (WatchId, Option<WatchId>) {
        let other = self.at(path).filter(|other| self.by_node.get(&node) != Some(other));
        if let Some(other) = other {
            self.remove(other);
        }
        let watch = *self.by_node.entry(node).or_insert_with(|| {
            self.last += 1;
            WatchId(self.last)
        });
        if self.by_path.insert(path.to_path_buf(), watch) != Some(watch) {
            let (_, paths) = self.folders.entry(watch).or_insert_with(|| (node, Vec::new()));
            paths.push(path.to_path_buf());
        }
        (watch, other)
    }

    /// Returns the watch of a folder.
    pub(super) fn of(&self, node: Node) -> Option<WatchId> {
        self.by_node.get(&node).copied()
    }

    /// Returns the watch of the folder at `path`.
    pub(super) fn at(&self, path: &Path) -> Option<WatchId> {
        self.by_path.get(path).copied()
    }

    /// Removes a watch. Returns the paths that the library knows it by.
    pub(super) fn remove(&mut self, watch: WatchId) -> Vec<PathBuf> {
        let Some((node, mut paths)) = self.folders.remove(&watch) else { return Vec::new() };
        self.by_node.remove(&node);
        paths.retain(|path| self.by_path.get(path) == Some(&watch));
        for path in &paths {
            self.by_path.remove(path);
        }
        paths
    }

    /// Removes the watches that the library releases with `path`, with everything beneath it by name. A
    /// folder that was watched under these names, whatever its other names, is not watched for certain any
    /// more. Returns these watches.
    pub(super) fn let_go(&mut self, path: &Path) -> Vec<WatchId> {
        if !self.by_path.contains_key(path) {
            return Vec::new();
        }
        let beneath = self.by_path.range(path.to_path_buf()..);
        let beneath = beneath.take_while(|(other, _)| other.starts_with(path));
        let mut ended: Vec<WatchId> = beneath.map(|(_, watch)| *watch).collect();
        ended.dedup();
        ended.retain(|watch| !self.remove(*watch).is_empty());
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_go_of_ends_under_all_its_names() {
        let mut table = Table::default();
        let path = Path::new;
        let (top, _) = table.enter(path("/p"), (1, 1));
        let (a, _) = table.enter(path("/p/a"), (1, 2));
        let (deep, _) = table.enter(path("/p/a/deep"), (1, 3));
        let (like, _) = table.enter(path("/p/a-b"), (1, 4));
        // Moved, and found under its new name before the library notices.
        assert_eq!(table.enter(path("/p/b"), (1, 2)), (a, None));
        assert_eq!(table.at(path("/p/b")), Some(a));
        assert_eq!(table.let_go(path("/p/a")), [a, deep]);
        assert_eq!(table.let_go(path("/p/a")), []);
        assert_eq!(table.let_go(path("/p/other")), []);
        let (again, _) = table.enter(path("/p/b"), (1, 2));
        assert_ne!(again, a);
        assert_eq!((table.at(path("/p")), table.at(path("/p/a-b"))), (Some(top), Some(like)));
        assert_eq!(table.remove(like), [path("/p/a-b")]);
        assert_eq!(table.remove(like), Vec::<PathBuf>::new());
        // Another folder under the same name: the first is not known by it any more.
        let (other, ended) = table.enter(path("/p/b"), (1, 9));
        assert_eq!((ended, table.of((1, 2)), table.of((1, 9))), (Some(again), None, Some(other)));
        assert_eq!(table.remove(again), Vec::<PathBuf>::new());
        assert_eq!(table.remove(other), [path("/p/b")]);
    }
}
