//! The flags of the index's entries: files that git was told to ignore changes in (`update-index --assume-unchanged`,
//! `--skip-worktree`), and files that are only meant to be added.

use std::path::Path;

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    None,
    ToAdd,
}

impl Intent {
    pub(super) fn from_entry(entry: &IndexEntry) -> Intent {
        match entry.flags_extended & IndexEntryExtendedFlag::INTENT_TO_ADD.bits() {
            0 => Intent::None,
            _ => Intent::ToAdd,
        }
    }
}

pub(super) fn hiding(entry: &IndexEntry) -> (u16, u16) {
    let extended = IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
    (entry.flags & IndexEntryFlag::VALID.bits(), entry.flags_extended & extended)
}

pub(super) fn is_hidden(index: &Index, path: &Path) -> bool {
    index.get_path(path, 0).is_some_and(|entry| hiding(&entry) != (0, 0))
}

pub(super) fn is_flagged(entry: &IndexEntry) -> bool {
    hiding(entry) != (0, 0) || Intent::from_entry(entry) == Intent::ToAdd
}
