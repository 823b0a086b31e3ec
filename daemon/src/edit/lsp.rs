//! A change of a text as editors take it: small replacements at positions (LSP `TextEdit`).
//!
//! It must not know documents. Positions are 0-based lines, which end at LF, CRLF or CR as LSP has it, and
//! UTF-16 code units in them, in the text without byte order mark.

/// A position in the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 0-based.
    pub line: usize,
    /// UTF-16 code units from the line's start.
    pub character: usize,
}

/// A replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Where what goes starts.
    pub start: Position,
    /// Where what goes ends.
    pub end: Position,
    /// What comes.
    pub new_text: String,
}

/// The change from `old` to `new`: ascending, not overlapping, all positions in `old`; none if they are equal.
#[must_use]
pub fn text_edits(old: &str, new: &str) -> Vec<TextEdit> {
    let _ = (old, new);
    Vec::new()
}
