//! The children of one folder, to be found by name: a table of numbers, four bytes each.
//!
//! Keeps no names. The caller passes the hash of a name, and decides which of the numbers has it.

use hashbrown::HashTable;

use super::numbers::{Child, FileId, FolderId};

#[derive(Debug, Default)]
pub(super) struct Children(HashTable<PackedChild>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedChild(u32);

impl PackedChild {
    fn from_child(child: Child) -> PackedChild {
        match child {
            Child::Folder(FolderId(number)) => PackedChild(number << 1),
            Child::File(FileId(number)) => PackedChild(number << 1 | 1),
        }
    }

    fn child(self) -> Child {
        if self.0 & 1 == 0 { Child::Folder(FolderId(self.0 >> 1)) } else { Child::File(FileId(self.0 >> 1)) }
    }
}

impl Children {
    pub(super) fn find(&self, hash: u64, is: impl Fn(Child) -> bool) -> Option<Child> {
        self.0.find(hash, |packed| is(packed.child())).map(|packed| packed.child())
    }

    pub(super) fn insert(&mut self, hash: u64, child: Child, hash_of: impl Fn(Child) -> u64) {
        self.0.insert_unique(hash, PackedChild::from_child(child), |packed| hash_of(packed.child()));
    }

    pub(super) fn remove(&mut self, hash: u64, child: Child) {
        if let Ok(entry) = self.0.find_entry(hash, |packed| *packed == PackedChild::from_child(child)) {
            entry.remove();
        }
    }

    pub(super) fn reserve(&mut self, count: usize, hash_of: impl Fn(Child) -> u64) {
        let more = count.saturating_sub(self.0.len());
        self.0.reserve(more, |packed| hash_of(packed.child()));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Child> {
        self.0.iter().map(|packed| packed.child())
    }
}
