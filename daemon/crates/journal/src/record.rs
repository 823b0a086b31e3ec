//! What is kept of an operation: what every path that it changes was before, and what it is to be after.
//!
//! Pure data. Paths are those of the file system beneath a root, as bytes; content is named by its BLAKE3 hash.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{Identity, Metadata};

/// Where an entry is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The root, absolute and resolved.
    pub root: PathBuf,
    /// The path beneath it.
    pub relative: PathBuf,
}

impl Place {
    pub(super) fn from_bytes(root: &[u8], relative: &[u8]) -> Place {
        let path = |bytes| Path::new(OsStr::from_bytes(bytes)).to_path_buf();
        Place { root: path(root), relative: path(relative) }
    }
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Missing,
    /// A regular file whose content is kept, or was to be written.
    File {
        /// Its content.
        hash: Hash,
        /// Mode, owner and extended attributes; `None` for one that is yet to be made, which gets those of the file
        /// that it replaces, or of any new file.
        metadata: Option<Metadata>,
    },
    /// A regular file too large to be kept, which can be recognised but not made again.
    Large(Identity),
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// A folder with these permission bits.
    Folder(u32),
}

/// One change of one place, in the order in which they are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The action that makes it, by its number in the operation.
    pub seq: usize,
    /// Where.
    pub place: Place,
    /// What is there before.
    pub before: State,
    /// What is there after.
    pub after: State,
    /// Of the target of a move: where it comes from.
    pub moved_from: Option<Place>,
}

/// Contents by hash, to be kept with the changes that name them.
#[derive(Debug, Default)]
pub struct Images {
    images: std::collections::BTreeMap<[u8; 32], Arc<[u8]>>,
}

impl Images {
    /// Adds a content; returns its hash.
    pub fn add(&mut self, content: &Arc<[u8]>) -> Hash {
        let hash = blake3::hash(content);
        self.images.entry(*hash.as_bytes()).or_insert_with(|| Arc::clone(content));
        hash
    }

    /// Adds a content whose hash is known.
    pub fn add_hashed(&mut self, hash: Hash, content: &Arc<[u8]>) {
        self.images.entry(*hash.as_bytes()).or_insert_with(|| Arc::clone(content));
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8; 32], &Arc<[u8]>)> {
        self.images.iter()
    }
}

/// What an operation is, besides its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its id: sorts in the order in which operations began.
    pub id: String,
    /// What made it.
    pub kind: OperationKind,
    /// When it began, milliseconds since 1970, by the wall clock.
    pub began: i64,
    /// How far it has come.
    pub status: OperationStatus,
    /// In a few words, what it did.
    pub summary: String,
    /// Of an undo: the operation that it takes back.
    pub undoes: Option<String>,
    /// The operation that took it back, if one did and has not been taken back itself.
    pub undone_by: Option<String>,
    /// Where it was committed; `None` if that is not known.
    pub committed: Option<Committed>,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// The word for it, in the store and in results.
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
    /// What made an operation.
    OperationKind {
        /// An answer or a plan was carried out.
        Execute = "execute",
        /// An operation was taken back.
        Undo = "undo",
        /// An undo was taken back.
        Redo = "redo",
    }

    /// Where an operation was committed, or commits were taken back for it.
    Committed {
        /// There are no commits of it.
        Nowhere = "nowhere",
        /// To the branch.
        Branch = "branch",
        /// Beside the branch.
        Beside = "beside",
    }

    /// How far an operation has come.
    OperationStatus {
        /// Its changes are being made, or the process that made them is gone.
        Applying = "applying",
        /// All that could be done is done.
        Done = "done",
        /// It was cut off, and recovery has found out what was done.
        Interrupted = "interrupted",
    }
}
