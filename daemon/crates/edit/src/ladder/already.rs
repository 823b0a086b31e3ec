//! Finds out if the text has already what a hunk would make of it.
//!
//! It must not know rungs. A hunk that is applied a second time must never double its lines.

use std::ops::Range;

use super::index::Index;
use super::key::{LineKey, is_blank};
use super::sides::HunkSides;
use crate::changes::Change;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// At these lines, from 1, and nowhere else, and they say enough.
    Surely((usize, usize)),
    /// At these lines, but they are few, or are elsewhere too.
    Perhaps((usize, usize)),
    No,
}

/// Characters, blanks not counted, from which lines say something, and from which they say enough.
const DISTINCTIVE: usize = 8;
const SURE: usize = 16;

pub(super) fn certainty_of(index: &Index<'_>, sides: &HunkSides<'_>) -> Certainty {
    let new = &sides.new;
    let first = new.iter().position(|line| !is_blank(line)).unwrap_or(new.len());
    let last = new.iter().rposition(|line| !is_blank(line)).map_or(first, |at| at + 1);
    let new = &new[first..last];
    let letters = new.iter().flat_map(|line| line.chars()).filter(|char| !char.is_whitespace()).take(SURE);
    let letters = letters.count();
    if letters < DISTINCTIVE || sides.old.windows(new.len().max(1)).any(|old| old == new) {
        return Certainty::No;
    }
    let filled = new.iter().filter(|line| !is_blank(line)).count();
    let changes = sides.changes(LineKey::NoTrailing);
    let adds = changes.iter().any(|change| sides.new[change.new.clone()].iter().any(|line| !is_blank(line)));
    let inside = changes.iter().all(|change| change.old.start > 0 && change.old.end < sides.old.len());
    let removes =
        changes.iter().all(|change| sides.old[change.old.clone()].iter().any(|line| !is_blank(line)));
    let says_what_changes = adds || removes && inside && filled > 2;
    if !says_what_changes {
        return Certainty::No;
    }
    let places = index.find(LineKey::NoTrailing, new);
    let Some(&at) = places.first() else { return Certainty::No };
    let lines = (at + 1, at + new.len());
    // Blank lines around the others do not say where they are, but the hunk may be about them.
    let added = changes.iter().flat_map(|change| change.new.clone());
    let is_missing = added.filter(|new| *new < first || *new >= last).any(|new| {
        let there = (at + new).checked_sub(first).filter(|at| *at < index.len());
        there.is_none_or(|at| !is_blank(index.body(at)))
    });
    let sure = places.len() == 1 && letters == SURE && filled > 1 && !is_missing;
    let sure = sure && !is_left(index, sides, &changes, at..at + new.len());
    if sure { Certainty::Surely(lines) } else { Certainty::Perhaps(lines) }
}

fn is_left(index: &Index<'_>, sides: &HunkSides<'_>, changes: &[Change], there: Range<usize>) -> bool {
    changes.iter().map(|change| &sides.old[change.old.clone()]).any(|old| {
        let places = index.find(LineKey::NoTrailing, old);
        old.iter().any(|line| !is_blank(line))
            && places.iter().any(|at| at + old.len() == there.start || *at == there.end)
    })
}

/// Compares the new lines of `sides` with the lines at `span`, which its old lines match, and around them:
/// what was found may be part of what the hunk would make.
pub(super) fn covers(index: &Index<'_>, sides: &HunkSides<'_>, key: LineKey, span: &Range<usize>) -> Covers {
    let (old, new) = (sides.old.len(), sides.new.len());
    let around = |at: &usize| *at <= span.start && at + new >= span.end;
    let is_there = |key: LineKey| index.find(key, &sides.new).iter().any(around);
    if wants_one_more(sides, key) {
        return Covers::No;
    }
    if new < old || !is_there(key) {
        return if has_edge(index, sides, key, span) { Covers::InPart } else { Covers::No };
    }
    let same = if new == old || key == LineKey::Exact { LineKey::Exact } else { LineKey::NoTrailing };
    if new == old && !is_there(same) {
        let mut pairs = sides.old.iter().zip(&sides.new);
        let reindents = key == LineKey::NoIndent && pairs.any(|(old, new)| old != new && !is_blank(new));
        return if reindents { Covers::Perhaps } else { Covers::No };
    }
    let changes = sides.changes(LineKey::NoTrailing);
    let added = changes.iter().flat_map(|change| &sides.new[change.new.clone()]);
    let letters = added.flat_map(|line| line.chars()).filter(|char| !char.is_whitespace());
    let distinctive = new == old || letters.take(DISTINCTIVE).count() == DISTINCTIVE;
    if distinctive && is_there(same) { Covers::Surely } else { Covers::Perhaps }
}

const CONTEXT: usize = 3;

/// True if a diff whose old lines are at line `at` may just as well have been made there before: its new
/// lines are at the same line. One that ends with what it adds, after less context than programs write, is of
/// the text as it is.
pub(super) fn fits_both(index: &Index<'_>, sides: &HunkSides<'_>, at: usize) -> bool {
    let changes = sides.changes(LineKey::Exact);
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return false };
    let framed = last.old.end < sides.old.len() || first.old.start >= CONTEXT;
    framed && index.find(LineKey::Exact, &sides.new).contains(&at)
}

fn has_edge(index: &Index<'_>, sides: &HunkSides<'_>, key: LineKey, span: &Range<usize>) -> bool {
    sides.changes(LineKey::NoTrailing).into_iter().filter(|change| change.old.is_empty()).any(|change| {
        let new = &sides.new[change.new.clone()];
        let letters = new.iter().flat_map(|line| line.chars()).filter(|char| !char.is_whitespace());
        let above = change.old.start == 0;
        let at = if above { span.start.checked_sub(new.len()) } else { Some(span.end) };
        (above || change.old.start == sides.old.len())
            && letters.take(DISTINCTIVE).count() == DISTINCTIVE
            && at.is_some_and(|at| index.find(key, new).contains(&at))
    })
}

/// True if all lines that are added are lines of the old text, which was found as it is written: the author
/// of the hunk has seen them, and wants one more of each.
fn wants_one_more(sides: &HunkSides<'_>, key: LineKey) -> bool {
    if !matches!(key, LineKey::Exact | LineKey::NoTrailing) {
        return false;
    }
    let changes = sides.changes(LineKey::NoTrailing);
    let mut added = changes.iter().flat_map(|change| &sides.new[change.new.clone()]).peekable();
    let is_old = |line: &str| sides.old.iter().any(|old| key.normalize(old) == key.normalize(line));
    added.peek().is_some() && added.all(|line| is_old(line))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Covers {
    Surely,
    /// They are, but for blanks, or the new lines are next to nothing.
    Perhaps,
    /// They are not, but what is added above or below them is there.
    InPart,
    No,
}
