//! The change of one path as data: what has to be there before, and what will be there.
//!
//! Knows paths and bytes, not how they come to disk.

use std::sync::Arc;

use blake3::Hash;
use clada_edit::Mode;
use clada_fs::{Identity, Metadata, RootedPath};

/// The state that a path must have right before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Missing,
    /// A regular file with exactly this content.
    Content(Hash),
    /// A regular file that has not been touched, too large to be compared by content.
    File(Identity),
    /// A symbolic link to this.
    Symlink(Vec<u8>),
}

/// The change of one file's content.
#[derive(Debug, Clone)]
pub struct Write {
    /// The file.
    pub path: RootedPath,
    /// The state that must be there.
    pub before: Before,
    /// The text before, if there was a file and it is at hand: for diffs.
    pub old: Option<Arc<[u8]>>,
    /// Its new content.
    pub new: Arc<[u8]>,
    /// Its hash.
    pub new_hash: Hash,
    /// The number of places (or lines) of the old text that are replaced; 0 for a file written whole.
    pub replacements: usize,
    /// Its mode before; of a new file, the one that it would have by itself.
    pub old_mode: Mode,
    /// Its mode after.
    pub mode: Mode,
    /// The rung of the ladder that matched, if it is one that a report names.
    pub matched_by: Option<&'static str>,
    /// Its hunks are those of a diff with right counts, and each stands exactly at its line.
    pub as_diffed: bool,
    /// The line of the new text in which an exact match began or ended alongside other text, from 1.
    pub within_line: Option<usize>,
    /// The first and the last line, from 1, that an exact match took from the text before, if there was one
    /// match.
    pub lines: Option<(usize, usize)>,
    /// The last line of what is written got an end that the answer does not have.
    pub newline_added: bool,
    /// Folders that have to be created first, outermost first.
    pub parents: Vec<RootedPath>,
}

impl Write {
    /// The line, from 1, that an exact match is only a part of, as it becomes.
    pub fn line_of_part(&self) -> Option<(usize, String)> {
        let line = self.within_line?;
        let text = String::from_utf8_lossy(&self.new).lines().nth(line - 1)?.to_owned();
        Some((line, text))
    }

    /// The file holds this already.
    pub fn is_unchanged(&self) -> bool {
        self.before == Before::Content(self.new_hash) && self.old_mode == self.mode
    }

    /// Returns whether the file is to be executable, where that has to be seen to.
    pub fn executable(&self) -> Option<bool> {
        (self.old_mode != self.mode).then_some(self.mode == Mode::Executable)
    }
}

/// Something that is made again as it was.
#[derive(Debug, Clone)]
pub struct Restore {
    /// The path.
    pub path: RootedPath,
    /// The state that must be there.
    pub before: Before,
    /// The text that is there, if it is at hand.
    pub old: Option<Arc<[u8]>>,
    /// The saved state that comes back.
    pub saved: Saved,
    /// Folders that have to be created first, outermost first.
    pub parents: Vec<RootedPath>,
}

/// The entry that was at a path, whole.
#[derive(Debug, Clone)]
pub enum Saved {
    /// A regular file, where nothing or another regular file is: a link has to go first.
    File {
        /// Its content.
        content: Arc<[u8]>,
        /// Mode, owner and attributes; `None`: those of the file that is replaced, or of any new file.
        metadata: Option<Metadata>,
    },
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// An empty folder with these permission bits, where nothing is.
    Folder(u32),
    /// The permission bits of a folder that is there.
    FolderMode {
        /// Those that it has.
        before: u32,
        /// Those that come back.
        mode: u32,
    },
}
