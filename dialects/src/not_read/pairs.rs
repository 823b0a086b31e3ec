//! Two fences of which the first shows the old text and the next the new one: "Before" and "After", "replace"
//! and "with".
//!
//! Looks at the words between them and above the first. Costs nothing for a line outside of fences: the words
//! are read where a second fence closes.

use std::ops::Range;

use super::sentence;
use crate::not_read::{Candidate, NotReadKind, Wants};

/// Bytes between two fences that belong together, at least and at most.
const SHORTEST: usize = 2;
const BETWEEN: usize = 160;
/// Lines above the first fence among which its file may be named.
const ABOVE: usize = 8;
/// Words between the two.
const THEN: [&str; 12] =
    ["with", "after", "new", "to", "into", "becomes", "become", "by", "now", "updated", "fixed", "this"];
/// Words above the first.
const FIRST: [&str; 16] = [
    "replace",
    "before",
    "old",
    "change",
    "find",
    "from",
    "original",
    "current",
    "currently",
    "existing",
    "update",
    "swap",
    "substitute",
    "locate",
    "this",
    "was",
];

/// A fence that has closed.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    /// The number of the line that opened it.
    pub(super) line: u32,
    /// The bytes from the start of that line to the end of the one that closed it.
    pub(super) all: Range<usize>,
    /// The bytes of its content.
    pub(super) content: Range<usize>,
}

/// Returns the replacement that `first` and `second`, which follow each other in `text`, ask for.
pub(super) fn replaced(text: &str, first: &Closed, second: &Closed) -> Option<Candidate> {
    let between = text.get(first.all.end..second.all.start)?;
    if between.len() > BETWEEN
        || between.len() < SHORTEST
        || !has(between, &THEN)
        || text.get(first.content.clone())?.trim().is_empty()
    {
        return None;
    }
    let above: Vec<&str> = text[..first.all.start].lines().rev().take(ABOVE).collect();
    let mut said = above.iter().filter(|line| !line.trim().is_empty()).take(2);
    if !said.any(|line| has(line, &FIRST)) {
        return None;
    }
    let path = above.iter().find_map(|line| sentence::named(line))?;
    Some(Candidate {
        kind: NotReadKind::Prose,
        line: first.line,
        path: Some(path),
        wants: Wants::Lines,
        shows: Some(first.content.clone()),
        hint: "Two listings, of what is there and of what is to be, are no edit: write the change as a block"
            .to_owned(),
    })
}

/// Returns true if one of `words`, which are in lower case, is a word of `text`.
fn has(text: &str, words: &[&str]) -> bool {
    let mut said = text.split(|char: char| !char.is_alphanumeric());
    said.any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}
