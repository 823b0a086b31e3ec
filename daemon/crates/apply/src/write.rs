//! The change of one path as data: what has to be there before, and what will be there.
//!
//! Knows paths and bytes, not how they come to disk.

use std::sync::Arc;

use blake3::Hash;
use clada_edit::Mode;
use clada_fs::{Identity, Metadata, RootedPath, TextEncoding};

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
    /// Its new content; of a file in another encoding than UTF-8, as `old`, the text of it.
    pub new: Arc<[u8]>,
    /// The hash of what the file will hold.
    pub(crate) new_hash: Hash,
    /// The encoding of the file, if it is not UTF-8.
    pub encoding: Option<TextEncoding>,
    /// The number of places (or lines) of the old text that are replaced; 0 for a file written whole.
    pub replacements: usize,
    /// Its mode before; of a new file, the one that it would have by itself.
    pub(crate) old_mode: Mode,
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
    pub(crate) newline_added: bool,
    /// Folders that have to be created first, outermost first.
    pub parents: Vec<RootedPath>,
    /// The further names of the file (hard links), which become names of the new one.
    pub other_names: Vec<RootedPath>,
}

const LONG_LINE: usize = 300;

impl Write {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RootedPath> {
        std::iter::once(&self.path).chain(&self.other_names)
    }

    /// The line, from 1, that an exact match is only a part of, as it becomes; of a long one, the part around the
    /// change.
    pub(crate) fn line_of_part(&self) -> Option<(usize, String)> {
        let line = self.within_line?;
        let new = String::from_utf8_lossy(&self.new);
        let text = new.lines().nth(line - 1)?;
        if text.len() <= LONG_LINE {
            return Some((line, text.to_owned()));
        }
        let old = String::from_utf8_lossy(self.old.as_deref().unwrap_or_default());
        let shared = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
        let reversed = old[old.floor_char_boundary(shared)..].bytes().rev();
        let behind = reversed.zip(new.bytes().skip(shared).collect::<Vec<_>>().into_iter().rev());
        let behind = behind.take_while(|(old, new)| old == new).count();
        let start = text.as_ptr() as usize - new.as_ptr() as usize;
        let span = shared.saturating_sub(start)..(new.len() - behind).saturating_sub(start).min(text.len());
        Some((line, clada_edit::around(text, span)))
    }

    #[must_use]
    pub(crate) fn content(&self) -> Arc<[u8]> {
        encoded(&self.new, self.encoding)
    }

    #[must_use]
    pub(crate) fn old_content(&self) -> Option<Arc<[u8]>> {
        self.old.as_ref().map(|old| encoded(old, self.encoding))
    }

    /// The same write with another new text, of lines that the old or the new text has.
    #[must_use]
    pub(crate) fn with_new(self, new: Arc<[u8]>) -> Write {
        Write { new_hash: blake3::hash(&encoded(&new, self.encoding)), new, ..self }
    }

    pub(crate) fn is_unchanged(&self) -> bool {
        self.before == Before::Content(self.new_hash) && self.old_mode == self.mode
    }

    /// Returns whether the file is to be executable, where that has to be seen to.
    pub(crate) fn executable(&self) -> Option<bool> {
        (self.old_mode != self.mode).then_some(self.mode == Mode::Executable)
    }
}

pub(crate) fn encoded(text: &Arc<[u8]>, encoding: Option<TextEncoding>) -> Arc<[u8]> {
    // Every new text was checked for its encoding, so that nothing of it is lost.
    let bytes = encoding.and_then(|encoding| encoding.encode(std::str::from_utf8(text).ok()?).ok());
    bytes.map_or_else(|| Arc::clone(text), Arc::from)
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
