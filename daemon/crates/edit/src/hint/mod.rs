//! Hints after a failed match, so that the next try gets it right.
//!
//! It must not know files or dialects. Its input is a file's text, the fields that did not match and the
//! failure. Nothing found here is ever applied: similarity is for hints only. Work is bounded by a few walks
//! over the file and a budget for comparisons, never by the product of two texts' sizes. The words hold raw
//! text but for blanks where they matter: the caller that prints them makes control characters visible.

mod align;
mod alike;
mod elsewhere;
mod excerpt;
mod finding;
mod lines;
mod nearest;
mod places;
mod sameness;
mod show;
mod votes;
mod work;

pub use alike::code_points;
pub use elsewhere::{LocatedText, SoughtText};
pub use finding::{Hint, HintKind};
pub use show::around;

use std::ops::Range;

use super::eol::lines_at;
use super::exact::occurrences;
use super::range::Ranges;
use super::splice::Comparable;
use super::{EditError, Expect, Field, Text};
use excerpt::{ExcerptContext, excerpt};
use lines::HintLines;
use show::HintText;
use work::WorkBudget;

/// A hint for a failure of [`replace_text`](super::replace_text) with these arguments, where there is one.
#[must_use]
pub fn hint_for_replace(text: &Text<'_>, old: &str, new: &str, error: &EditError) -> Option<Hint> {
    let mut work = WorkBudget::default();
    match error {
        EditError::NoMatch { .. } => {
            let query = nearest::Query { field: Field::OldText, old, new, before: 0 };
            Some(nearest::no_match(text, text.as_str(), &query, &mut work))
        }
        EditError::MatchCount { expected, .. } if !old.is_empty() => {
            let there = Comparable::new(text);
            let old = there.field(old);
            let spans = occurrences(&there.body, &old);
            let found = spans.clone().count();
            Some(places::places(None, &there.body, (spans, found), Field::OldText, *expected, &mut work))
        }
        _ => None,
    }
}

/// A hint for a failure of [`replace_text_range`](super::replace_text_range) with these arguments.
#[must_use]
pub fn hint_for_range(
    text: &Text<'_>,
    (beginning, end): (&str, &str),
    new: &str,
    error: &EditError,
) -> Option<Hint> {
    let mut work = WorkBudget::default();
    match error {
        EditError::NoMatch { field: Field::Beginning } => {
            let query = nearest::Query { field: Field::Beginning, old: beginning, new, before: 0 };
            Some(nearest::no_match(text, text.as_str(), &query, &mut work))
        }
        EditError::EndNotFound { after_line } => Some(end_hint(text, end, *after_line, &mut work)),
        EditError::MatchCount { expected, .. } if !beginning.is_empty() && !end.is_empty() => {
            let there = Comparable::new(text);
            let (beginning, end) = (there.field(beginning), there.field(end));
            let spans = Ranges::new(&there.body, &beginning, &end);
            let found = spans.clone().count();
            Some(places::places(None, &there.body, (spans, found), Field::Range, *expected, &mut work))
        }
        _ => None,
    }
}

pub(super) fn hint_for_lines(text: &Text<'_>, old: &str, new: &str) -> Hint {
    let query = nearest::Query { field: Field::Lines, old, new, before: 0 };
    nearest::no_match(text, text.as_str(), &query, &mut WorkBudget::default())
}

pub(super) fn hint_showing(text: &Text<'_>, sentence: &str, (first, last): (usize, usize)) -> Hint {
    let file = HintLines::new(text.as_str(), text.as_str(), &mut WorkBudget::default());
    let mut words = HintText::default();
    words.line(sentence);
    excerpt(&mut words, (&file, 0), (first - 1, last - 1), first - 1, ExcerptContext::Little);
    Hint { kind: HintKind::AlmostEqual, text: words.finish(), lines: Some((first, last)), similarity: None }
}

pub(super) fn hint_for_places(
    text: &Text<'_>,
    lead: Option<&str>,
    spans: &[Range<usize>],
    found: usize,
) -> Hint {
    let mut work = WorkBudget::default();
    let (spans, expected) = (spans.iter().cloned(), Expect::ExactlyOne);
    places::places(lead, text.as_str(), (spans, found), Field::Lines, expected, &mut work)
}

/// The end may be before its beginning, or something like the end after it.
fn end_hint(text: &Text<'_>, end: &str, after_line: usize, work: &mut WorkBudget) -> Hint {
    let there = Comparable::new(text);
    let found = occurrences(&there.body, &there.field(end)).next();
    if let Some(span) = found.filter(|_| !end.is_empty()) {
        let line = lines_at(&there.body, &[span.start]).pop().unwrap_or(1);
        let text = format!(
            "old_text_end is at line {line}, but not after old_text_beginning, whose first match ends on \
             line {after_line}; the end has to follow the beginning without overlapping it."
        );
        return Hint { kind: HintKind::Places, text, lines: Some((line, line)), similarity: None };
    }
    let before = after_line.saturating_sub(1);
    let start = super::split_lines(text.as_str()).nth(before).map_or(0, |line| line.start);
    let query = nearest::Query { field: Field::End, old: end, new: "", before };
    nearest::no_match(text, &text.as_str()[start..], &query, work)
}

#[cfg(test)]
mod tests;
