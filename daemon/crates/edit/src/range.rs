//! Replaces from one text through another: `file_replace_text_range`.
//!
//! It must not know files. A range extends from the start of a match of the beginning through the end of the
//! nearest match of the end after it; the search for the next one starts after that.

use std::ops::Range;

use memchr::memmem::Finder;

use super::eol::lines_at;
use super::splice::{Comparable, Sought, splice};
use super::{EditError, Edited, Expect, Field, Text};

/// Replaces the ranges from `beginning` through `end`, both included, by `new`; all of them, if there are as
/// many as expected. Line ends are treated as in [`replace_text`](super::replace_text).
///
/// # Errors
/// [`EditError::EmptyOldText`] for either; [`EditError::NoMatch`] if the beginning is nowhere;
/// [`EditError::EndNotFound`] if no end follows its first match; [`EditError::MatchCount`];
/// [`EditError::TooLarge`] if the result would have more than `max_bytes`.
pub fn replace_text_range(
    text: &Text<'_>,
    (beginning, end): (&str, &str),
    new: &str,
    expected: Expect,
    max_bytes: usize,
) -> Result<Edited, EditError> {
    for (value, field) in [(beginning, Field::Beginning), (end, Field::End)] {
        if value.is_empty() {
            return Err(EditError::EmptyOldText { field });
        }
    }
    let there = Comparable::new(text);
    let (beginning, end, new) = (there.field(beginning), there.field(end), there.field(new));
    let spans = Ranges::new(&there.body, &beginning, &end);
    if spans.clone().next().is_none() {
        return Err(match spans.beginning.find(there.body.as_bytes()) {
            None => EditError::NoMatch { field: Field::Beginning },
            Some(start) => {
                let last = start + beginning.trim_end_matches(['\n', '\r']).len();
                let after_line = lines_at(&there.body, &[last]).pop().unwrap_or(1);
                EditError::EndNotFound { after_line }
            }
        });
    }
    splice(text, &there, spans, &new, Sought { field: Field::Range, expected }, max_bytes)
}

#[derive(Debug, Clone)]
pub(super) struct Ranges<'a> {
    haystack: &'a [u8],
    beginning: Finder<'a>,
    end: Finder<'a>,
    from: usize,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(haystack: &'a str, beginning: &'a str, end: &'a str) -> Ranges<'a> {
        let (beginning, end) = (Finder::new(beginning.as_bytes()), Finder::new(end.as_bytes()));
        Ranges { haystack: haystack.as_bytes(), beginning, end, from: 0 }
    }
}

impl Iterator for Ranges<'_> {
    type Item = Range<usize>;

    /// A beginning without an end is the last thing looked at: no later one can have an end either.
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.from + self.beginning.find(self.haystack.get(self.from..)?)?;
        let after = start + self.beginning.needle().len();
        let Some(end) = self.end.find(self.haystack.get(after..)?) else {
            self.from = self.haystack.len() + 1;
            return None;
        };
        self.from = after + end + self.end.needle().len();
        Some(start..self.from)
    }
}
