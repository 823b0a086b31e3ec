//! Replacing a text by another: `file_replace_text`, `file_replace_all_text`, `files_replace_all_text`.
//!
//! It must not know which of them asks: the difference is an [`Expect`].

use super::exact::occurrences;
use super::splice::{Comparable, splice};
use super::{EditError, Edited, Expect, Field, Text};

/// Replaces the occurrences of `old` in `text` by `new`; all of them, if there are as many as expected.
///
/// They are found left to right and do not overlap. In a file whose line ends are all CRLF, `old` and `new`
/// may be written with LF or CRLF, and what is inserted gets CRLF; in any other, every byte counts.
///
/// # Errors
/// [`EditError::EmptyOldText`]; [`EditError::NoMatch`] if there is none, whatever was expected;
/// [`EditError::MatchCount`]; [`EditError::TooLarge`] if the result would have more than `max_bytes`.
pub fn replace_text(
    text: &Text<'_>,
    old: &str,
    new: &str,
    expected: Expect,
    max_bytes: usize,
) -> Result<Edited, EditError> {
    if old.is_empty() {
        return Err(EditError::EmptyOldText { field: Field::OldText });
    }
    let there = Comparable::new(text);
    let (old, new) = (there.field(old), there.field(new));
    let spans = occurrences(&there.body, &old);
    splice(text, &there, spans, &new, (Field::OldText, expected), max_bytes)
}
