//! Replacer: `<<<FILE>>>`, a path, then `<<<SEARCH>>>` … `<<<REPLACE>>>` … `<<<END>>>` or
//! `<<<OVERWRITE>>>` … `<<<END>>>`.
//!
//! A block is one edit with the explanation before it (spec: dialects, "replacer"). Input is the line that
//! opens it and a cursor. Knows the grammar and the raw action of each edit; the code that has the file
//! decides whether a match is whole lines, whose line end an empty replacement takes along.
//!
//! ```text
//! <<<EXPLANATION>>>
//! why
//! <<<FILE>>>
//! proj/src/main.py
//! <<<SEARCH>>>
//! old
//! <<<REPLACE>>>
//! new
//! <<<END>>>
//! ```
//!
//! A SEARCH right after an edit is of the same file. The path may be on the line of FILE.
//!
//! Markers have three brackets. Two count where nothing else can be meant: at a FILE that a path and a body
//! follow, between that and the body, and in a body that itself begins with two.
//!
//! There is no way to quote a marker, so an edit that holds one out of place is broken. If it begins another
//! edit, either the edit before was not closed and the other counts, or the edit writes about edits. A
//! surplus END shows the second, and then nothing up to that END counts.

mod edit;
mod marker;
mod path;

use edit::OpenEdit;
use marker::{Brackets, Marker, Word};

use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::surplus::Edge;
use crate::{Code, Dialect};

/// Returns true if an edit opens at `line`, which `after` follows.
pub(crate) fn opens(line: &str, after: &Cursor<'_>) -> bool {
    match marker::read(line) {
        Some(Marker { word: Word::Explanation | Word::Search | Word::Overwrite, brackets }) => {
            brackets == Brackets::Three
        }
        Some(marker) => names_file(marker, after),
        None => names_path(line, after),
    }
}

/// Returns true if `line`, which `after` follows, is a FILE with its path: a body follows.
fn names_path(line: &str, after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    marker::file_with_path(line).is_some()
        && std::iter::from_fn(|| ahead.next_line())
            .find(|line| !is_gap(line.text))
            .is_some_and(|line| marker::full(line.text).is_some_and(Word::is_body))
}

/// Returns true if `line` would open an edit if no blanks preceded it.
pub(crate) fn is_indented_file(line: &str) -> bool {
    let text = line.trim_start();
    text.len() < line.len() && marker::full(line).is_none() && marker::full(text) == Some(Word::File)
}

/// Returns true if `marker`, which `after` follows, is a FILE.
fn names_file(marker: Marker, after: &Cursor<'_>) -> bool {
    marker.word == Word::File && (marker.brackets == Brackets::Three || has_body(after))
}

/// Returns true if a path and the marker of a body follow.
fn has_body(after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    let mut lines = std::iter::from_fn(|| ahead.next_line()).filter(|line| !is_gap(line.text));
    lines.next().is_some_and(|path| marker::read(path.text).is_none())
        && lines.next().and_then(|body| marker::read(body.text)).is_some_and(|marker| marker.word.is_body())
}

/// Returns true if `line` is blank, or a code fence: such lines may surround a path.
fn is_gap(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with("```") || text.starts_with("~~~")
}

/// Returns the edge of an edit that a line is.
fn edge(line: &Line<'_>) -> Option<Edge> {
    match marker::full(line.text) {
        Some(Word::File) => Some(Edge::Opens),
        Some(Word::End) => Some(Edge::Ends),
        _ => None,
    }
}

/// The state that a pass keeps about markers outside edits.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// The answer holds an edit, so that they are faults.
    counts: bool,
}

impl Strays {
    /// Reads `line`, which no dialect has claimed.
    pub(crate) fn line(&self, line: &Line<'_>, findings: &mut Findings<'_>) {
        if self.counts
            && findings.dialects.contains(Dialect::Replacer)
            && let Some(word @ (Word::Replace | Word::End)) = marker::full(line.text)
        {
            let message = format!("<<<{}>>> outside an edit", word.name());
            findings.report(line, line.whole(), Fault::error(Code::UnexpectedMarker, message, None));
        }
    }
}

/// Reads the edit that `first` opens and hands it in, with its faults.
///
/// `cursor` is after `first` and is left after the edit's last line.
pub(crate) fn claim<'a>(
    first: Line<'a>,
    cursor: &mut Cursor<'a>,
    strays: &mut Strays,
    findings: &mut Findings<'a>,
) {
    strays.counts = true;
    let block = OpenEdit::new(first).read(cursor, findings);
    findings.block(block);
}
