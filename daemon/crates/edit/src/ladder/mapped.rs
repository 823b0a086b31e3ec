//! Makes changes at a place where not every line of a hunk has its line in the text.
//!
//! It must not know why some have none. Lines that change must all be there, and next to each other.

use std::borrow::Cow;
use std::ops::Range;

use super::climb::Climb;
use super::error::PatchFailure;
use super::key::{LineKey, is_blank};
use super::placed::{LineEdit, PlacedHunk};
use super::rung::Rung;
use super::sides::HunkSides;
use crate::changes::Change;

/// The lines from which on an answer without blank lines has a place.
const DISTINCT: usize = 3;

impl<'h> Climb<'_, '_, 'h> {
    /// Makes `changes`; `map` says for each old line of `sides` which line of the text it is.
    pub(super) fn place_mapped(
        &self,
        sides: &HunkSides<'h>,
        changes: &[Change],
        map: &[Option<usize>],
        rung: Rung,
    ) -> Result<PlacedHunk<'h>, PatchFailure> {
        let first = map.iter().flatten().next().copied().unwrap_or_default();
        let last = map.iter().flatten().next_back().copied().unwrap_or_default();
        let unclear = PatchFailure::Unclear { line: first + 1 };
        for (old, new) in sides.pairs(changes) {
            let there = map[old].map(|at| self.index.body(at));
            if sides.old[old] != sides.new[new] && there != Some(&*sides.new[new]) {
                return Err(unclear);
            }
        }
        let mut edits = Vec::with_capacity(changes.len());
        for change in changes {
            let new = &sides.new[change.new.clone()];
            match lines(&change.old, map) {
                Some(old) => edits.push(LineEdit { old, new: new.to_vec() }),
                // An answer that drops all blank lines drops those within a change, too: they stay where they are.
                None if drops_blank_lines(sides) && new.len() == change.old.len() => {
                    for (old, new) in change.old.clone().zip(new) {
                        let at = map[old].ok_or_else(|| unclear.clone())?;
                        edits.push(LineEdit { old: at..at + 1, new: vec![new.clone()] });
                    }
                }
                None => return Err(unclear),
            }
        }
        if edits.iter().all(|edit| self.is_inserted(edit)) {
            return Err(PatchFailure::AlreadyInFile { lines: (first + 1, last + 1) });
        }
        Ok(self.finish(rung, first..last + 1, edits))
    }

    fn is_inserted(&self, edit: &LineEdit<'_>) -> bool {
        let count = edit.new.len();
        let is_there = |at: usize| {
            let there = (at..at + count).map(|at| LineKey::NoTrailing.normalize(self.index.body(at)));
            at + count <= self.index.len()
                && there.eq(edit.new.iter().map(|line: &Cow<'_, str>| LineKey::NoTrailing.normalize(line)))
        };
        edit.old.is_empty()
            && (is_there(edit.old.start) || edit.old.start.checked_sub(count).is_some_and(is_there))
    }
}

fn drops_blank_lines(sides: &HunkSides<'_>) -> bool {
    let mut lines = sides.old.iter().chain(&sides.new);
    sides.old.len() >= DISTINCT && lines.all(|line| !is_blank(line))
}

fn lines(old: &Range<usize>, map: &[Option<usize>]) -> Option<Range<usize>> {
    if old.is_empty() {
        let above = old.start.checked_sub(1).map(|at| map[at]);
        return match (above, map.get(old.end)) {
            (Some(Some(above)), Some(Some(below))) if above + 1 == *below => Some(*below..*below),
            (Some(Some(above)), None) => Some(above + 1..above + 1),
            (None, Some(Some(below))) => Some(*below..*below),
            _ => None,
        };
    }
    let lines: Vec<usize> = map[old.clone()].iter().copied().collect::<Option<_>>()?;
    let run = lines.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    run.then(|| lines[0]..lines[0] + lines.len())
}
