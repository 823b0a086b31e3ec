//! Uses the hunks around a hunk to choose its place: its turn among those with the same old lines, and how
//! far the line numbers before it were off.
//!
//! It must not know how places are found. What it says only chooses among places, and never finds one.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use clada_schema::{Hunk, HunkLine};

use super::placed::PlacedHunk;
use super::rung::Rung;

/// A hunk's turn among the edits of its file that have the same old lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    /// The number of them that come before it, and change the same text.
    pub at: usize,
    /// The number of them, later edits of the file included.
    pub of: usize,
    /// The line, from 0, before which none of their places is: earlier edits of the file have been there.
    pub from: usize,
}

/// Hunks with the same old lines at most: each looks at all of their places.
const MOST: usize = 1000;

impl Turn {
    /// Returns the hunk's place of `places`, each `count` lines long: there are as many as edits, and none
    /// overlaps another.
    pub(super) fn among(&self, places: &[usize], count: usize) -> Option<usize> {
        let places = &places[places.partition_point(|at| *at < self.from)..];
        let has_rivals = self.of > 1 || self.of == 1 && self.from > 0;
        let is_one_each = has_rivals && self.of <= MOST && self.of == places.len();
        let are_apart = || places.windows(2).all(|pair| pair[0] + count <= pair[1]);
        (is_one_each && are_apart()).then(|| places[self.at])
    }
}

/// The reason for one of several places of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Its turn: there are as many places as hunks.
    Turn,
    /// Its line number.
    Number,
}

/// Returns the turns of the hunks of one edit. One that says the same as another at the same line number is a
/// repetition, and has none; nor has one that looks for nothing.
#[must_use]
pub fn turns(hunks: &[Hunk]) -> Vec<Turn> {
    let mut seen = HashSet::new();
    let mut alike: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    for (at, hunk) in hunks.iter().enumerate() {
        let old = hunk.old_lines();
        let is_first = seen.insert(Same(hunk));
        if !old.is_empty() && (is_first || hunk.line_hint.is_none()) {
            alike.entry(old).or_default().push(at);
        }
    }
    let mut turns = vec![Turn::default(); hunks.len()];
    for group in alike.values() {
        for (at, hunk) in group.iter().enumerate() {
            turns[*hunk] = Turn { at, of: group.len(), from: 0 };
        }
    }
    turns
}

/// Returns a hunk whose turn chose its place, if others with the same old lines are not before and after it
/// as they should: then the order says nothing.
pub(super) fn out_of_order(
    hunks: &[Hunk],
    placed: &[PlacedHunk<'_>],
    chosen: &[(usize, Choice)],
) -> Option<usize> {
    let by_turn = chosen.iter().filter(|(_, choice)| *choice == Choice::Turn);
    let mut sides = HashSet::new();
    by_turn.map(|(hunk, _)| *hunk).filter(|hunk| sides.insert(hunks[*hunk].old_lines())).find(|hunk| {
        let old = hunks[*hunk].old_lines();
        let alike = hunks.iter().zip(placed).filter(|(hunk, _)| hunk.old_lines() == old);
        let spans: Vec<_> = alike.map(|(_, placed)| &placed.span).collect();
        !spans.windows(2).all(|pair| pair[0].end <= pair[1].start)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Drift {
    /// The number of lines from the last hunk's number to its place.
    observed: Option<isize>,
    growth: isize,
}

impl Drift {
    pub(super) fn after(&mut self, hunk: &Hunk, placed: &PlacedHunk<'_>) {
        if let (Some(line), Rung::Exact) = (hunk.line_hint, placed.rung) {
            self.observed = (placed.span.start as isize + 1).checked_sub(line as isize);
        }
        self.growth += placed.grows();
    }

    pub(super) fn shift(&self) -> Option<isize> {
        self.observed.filter(|shift| *shift != 0)
    }

    /// Returns the lines, from 0, that may be meant by `line`, from 0, if it is not that line itself: the
    /// numbers are those of an older text, or count what the hunks before it add.
    pub(super) fn meant_by(&self, line: usize) -> impl Iterator<Item = usize> + use<> {
        let offsets = [self.observed, Some(-self.growth)].into_iter().flatten();
        offsets.filter_map(move |offset| line.checked_add_signed(offset))
    }
}

/// A hunk, compared by all that it says: models repeat themselves.
#[derive(PartialEq, Eq)]
pub(super) struct Same<'h>(pub(super) &'h Hunk);

impl Hash for Same<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.line_hint.hash(state);
        for line in &self.0.lines {
            let (HunkLine::Context(text) | HunkLine::Removed(text) | HunkLine::Added(text)) = line;
            text.hash(state);
        }
    }
}
