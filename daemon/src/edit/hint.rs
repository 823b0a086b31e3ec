//! What to say after a failed match, so that the next try gets it right.
//!
//! It must not know files or dialects. Work is bounded by a budget, never by the product of two texts' sizes.
//! The text is raw but for blanks where they matter: whoever prints it makes control characters visible.

use super::{EditError, Text};

/// What a hint found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// The most similar place.
    Nearest,
    /// The new text stands there already, and the old text does not.
    AlreadyInFile,
    /// The old text would match if line ends, blanks or letter case were ignored.
    AlmostEqual,
    /// The places of several matches.
    Places,
    /// Nothing in the file is similar.
    Nothing,
}

/// Where a failed edit should have gone, for the model that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What was found.
    pub kind: HintKind,
    /// The words: less than 40 lines and 4 kB, no newline at the end.
    pub text: String,
    /// The first and last line, 1-based, that it is about, if it is about some.
    pub lines: Option<(usize, usize)>,
    /// How similar these lines are to what was asked, in percent, if that was measured.
    pub similarity: Option<u8>,
}

/// A hint for a failure of [`replace_text`](super::replace_text) with these arguments, where there is one.
#[must_use]
pub fn hint_for_replace(text: &Text<'_>, old: &str, new: &str, error: &EditError) -> Option<Hint> {
    let _ = (text, old, new, error);
    None
}

/// A hint for a failure of [`replace_text_range`](super::replace_text_range) with these arguments.
#[must_use]
pub fn hint_for_range(
    text: &Text<'_>,
    (beginning, end): (&str, &str),
    new: &str,
    error: &EditError,
) -> Option<Hint> {
    let _ = (text, beginning, end, new, error);
    None
}
