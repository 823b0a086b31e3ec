//! Replacing texts by others: `file_replace_text`, `file_replace_all_text`, `files_replace_all_text`,
//! `file_replace_texts`.
//!
//! It must not know which of them asks: the difference is an [`Expect`].

use std::ops::Range;

use super::exact::occurrences;
use super::relative::{indented, is_relative};
use super::splice::{Comparable, Sought, check_expected, splice, splice_all};
use super::{EditError, Edited, Expect, Field, Text};

/// Replaces the occurrences of `old` in `text` by `new`; all of them, if there are as many as expected.
///
/// They are found left to right and do not overlap. In a file whose line ends are all CRLF, `old` and `new`
/// may be written with LF or CRLF, and what is inserted gets CRLF; in any other, every byte counts. If the one
/// occurrence begins behind the blanks of its line, lines of `new` that are written without them get them too.
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
    let (there, sought) = (Comparable::new(text), Sought { field: Field::OldText, expected });
    let (old, new) = (there.field(old), there.field(new));
    let spans = occurrences(&there.body, &old);
    if let Some(before) = blanks_left_out(&there.body, spans.clone(), &new) {
        let indented = indented(before, &new);
        let edited = splice(text, &there, spans, &indented, sought, max_bytes)?;
        return Ok(Edited { indented: true, ..edited });
    }
    splice(text, &there, spans, &new, sought, max_bytes)
}

fn blanks_left_out<'b>(
    body: &'b str,
    mut spans: impl Iterator<Item = Range<usize>>,
    new: &str,
) -> Option<&'b str> {
    // Most new texts have one line.
    let several = new.trim_end().contains('\n');
    let span = spans.next().filter(|_| several && spans.next().is_none())?;
    let start = body[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let (before, old) = (&body[start..span.start], &body[span.clone()]);
    let rest = body[span.end..].split_inclusive('\n');
    // The rest of the last line belongs to it.
    let next = rest.skip(usize::from(!old.ends_with('\n'))).find(|line| !line.trim().is_empty());
    is_relative(before, old.lines(), new.lines(), next).then_some(before)
}

/// One of several replacements in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement<'a> {
    /// The text to look for.
    pub old: &'a str,
    /// The text that replaces it.
    pub new: &'a str,
    /// The number of times that it must occur.
    pub expected: Expect,
}

/// Makes all `replacements` in `text`. Each is looked for in `text` as it is given, not in what the others
/// make of it.
///
/// # Errors
/// The first replacement, from 0, that cannot be made, and why: as [`replace_text`], or
/// [`EditError::Overlap`]. Nothing is replaced then.
pub fn replace_texts(
    text: &Text<'_>,
    replacements: &[Replacement<'_>],
    max_bytes: usize,
) -> Result<Edited, (usize, EditError)> {
    let there = Comparable::new(text);
    let fields: Vec<_> =
        replacements.iter().map(|edit| (there.field(edit.old), there.field(edit.new))).collect();
    let mut spans = Vec::new();
    for (index, ((old, _), edit)) in fields.iter().zip(replacements).enumerate() {
        if old.is_empty() {
            return Err((index, EditError::EmptyOldText { field: Field::OldText }));
        }
        let before = spans.len();
        spans.extend(occurrences(&there.body, old).map(|span| (span, index)));
        let found = spans[before..].iter().map(|(span, _)| span.start);
        check_expected(&there, found, Sought { field: Field::OldText, expected: edit.expected })
            .map_err(|error| (index, error))?;
    }
    spans.sort_by_key(|(span, index)| (span.start, *index));
    // Of sorted spans only neighbours can overlap.
    for pair in spans.windows(2) {
        let [(first, one), (second, other)] = pair else { continue };
        if second.start < first.end {
            let (other, index) = (*one.min(other), *one.max(other));
            return Err((index, EditError::Overlap { other, line: there.line_of(second.start) }));
        }
    }
    let last = replacements.len().saturating_sub(1);
    splice_all(
        text,
        &there,
        spans.iter().map(|(span, index)| (span.clone(), fields[*index].1.as_ref())),
        max_bytes,
    )
    .map_err(|error| (last, error))
}
