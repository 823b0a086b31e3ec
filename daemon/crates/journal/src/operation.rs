//! The data that is kept of an operation: for every path that it changes, the state before and the state
//! after.
//!
//! Pure data. Paths are those of the file system beneath a root, as bytes; content is named by its BLAKE3
//! hash.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{Identity, Metadata};
use clada_protocol::HeadMove;

use super::encode::Compressed;

/// The place of an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JournalPlace {
    /// The root, absolute and resolved.
    pub root: PathBuf,
    /// The path beneath it.
    pub relative: PathBuf,
}

/// The name of the folders that hold what undos moved away, since the journal has no room for it.
pub(crate) const UNDO_RESERVE: &str = ".clada-undo-reserve";

impl JournalPlace {
    /// Returns whether it is a place in a reserve of undos, which is not the project's.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.root.file_name().is_some_and(|name| name == UNDO_RESERVE)
    }

    pub(super) fn from_bytes(root: &[u8], relative: &[u8]) -> JournalPlace {
        let path = |bytes| Path::new(OsStr::from_bytes(bytes)).to_path_buf();
        JournalPlace { root: path(root), relative: path(relative) }
    }
}

/// The state of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Missing,
    /// A regular file whose content is kept, or was to be written.
    File {
        /// Its content.
        hash: Hash,
        /// Mode, owner and extended attributes; `None` for a file that is yet to be made, which gets those of
        /// the file that it replaces, or of any new file.
        metadata: Option<Metadata>,
    },
    /// A regular file too large to be kept. It can be recognised but not restored.
    Large(Identity),
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// A folder with these permission bits.
    Folder(u32),
}

/// One change of one place, in the order in which they are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The number, in the operation, of the action that makes the change.
    pub seq: usize,
    /// The place.
    pub place: JournalPlace,
    /// The state before: the pre-image.
    pub before: State,
    /// The state after.
    pub after: State,
    /// The source of a move, for the change of its target.
    pub moved_from: Option<JournalPlace>,
}

/// Contents of pre-images and post-images by hash, to be kept with the changes that name them.
#[derive(Debug, Default)]
pub struct Images {
    images: std::collections::BTreeMap<[u8; 32], Arc<[u8]>>,
}

impl Images {
    /// Adds a content and returns its hash.
    pub fn add(&mut self, content: &Arc<[u8]>) -> Hash {
        let hash = blake3::hash(content);
        self.images.entry(*hash.as_bytes()).or_insert_with(|| Arc::clone(content));
        hash
    }

    /// Adds a content whose hash is known.
    pub fn add_hashed(&mut self, hash: Hash, content: &Arc<[u8]>) {
        self.images.entry(*hash.as_bytes()).or_insert_with(|| Arc::clone(content));
    }

    /// Returns all contents with their hashes.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8; 32], &Arc<[u8]>)> {
        self.images.iter()
    }
}

/// The head of an operation: all of it but its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The id: letters that say nothing about when it began.
    pub id: String,
    /// The kind of the operation.
    pub kind: OperationKind,
    /// The time when it began, in milliseconds since 1970, by the wall clock.
    pub began: i64,
    /// The progress of the operation.
    pub status: OperationStatus,
    /// A summary in a few words.
    pub summary: String,
    /// The operation that this one undoes, if it is an undo.
    pub undoes: Option<String>,
    /// The operation that undid this one, if one did and has not been undone itself.
    pub undone_by: Option<String>,
    /// The place where the operation was committed; `None` if that is not known.
    pub committed: Option<Committed>,
    /// The outline that lists show, once it is over.
    pub outline: Outline,
}

/// The outline of an operation in lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The first words of the answer.
    pub title: Option<String>,
    /// The size of its changes to files; `None` if it changed none, or nobody counted.
    pub changed: Option<ChangedSum>,
    /// The move of HEAD that it consists of, if it is one of the git commands.
    pub head: Option<HeadMove>,
}

/// The sum of an operation's changes to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedSum {
    /// The number of files.
    pub files: u32,
    /// The first of them, as reports show it.
    pub first: String,
    /// The lines that were added.
    pub added: u32,
    /// The lines that were removed.
    pub removed: u32,
}

impl OperationKind {
    /// Returns whether it undoes no other operation.
    #[must_use]
    pub fn is_original(self) -> bool {
        matches!(self, OperationKind::Execute | OperationKind::Record | OperationKind::Git)
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// Returns the word for it, in the store and in results.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }

            pub(super) fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }
    )*};
}

words! {
    /// The kind of an operation.
    OperationKind {
        /// An answer or a plan was applied.
        Execute = "execute",
        /// An operation was undone.
        Undo = "undo",
        /// An undo was undone.
        Redo = "redo",
        /// A git command of the user's moved HEAD or the branch that it names.
        Git = "git",
        /// What another program changed while a checkpoint was open was recorded.
        Record = "record",
    }

    /// The place where an operation was committed, or where commits were undone for it.
    Committed {
        /// There are no commits of it.
        Nowhere = "nowhere",
        /// To the branch.
        Branch = "branch",
        /// Alongside the branch.
        Beside = "beside",
    }

    /// The progress of an operation.
    OperationStatus {
        /// Its changes are being made, or the process that made them is gone.
        Applying = "applying",
        /// All that could be done is done.
        Done = "done",
        /// It was cut off, and recovery has found out what was done.
        Interrupted = "interrupted",
    }
}

/// The parts of an operation that are kept so that it can be described and tried again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationDetails {
    /// The hash of the answer, if it was one.
    pub answer: Option<[u8; 32]>,
    /// The request, as JSON; of an undo, its choice about later changes.
    pub request: Option<Compressed>,
    /// The results, as JSON.
    pub results: Option<Vec<u8>>,
    /// True for an operation of an agent; written, and never read.
    pub by_agent: bool,
}
