//! The numbers by which an index knows its folders and files.

pub(super) const MAX_NUMBER: u32 = u32::MAX >> 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FolderId(pub(super) u32);

impl FolderId {
    pub(crate) const ROOT: FolderId = FolderId(0);

    /// The parent of hidden files, which is no folder: its children are files in folders that are not known,
    /// by their paths from the root.
    pub(crate) const HIDDEN: FolderId = FolderId(u32::MAX);

    pub(crate) fn numbered(number: u32) -> FolderId {
        FolderId(number)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    Folder(FolderId),
    File(FileId),
}

/// A file of the index; a number is used again when its file is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(super) u32);
