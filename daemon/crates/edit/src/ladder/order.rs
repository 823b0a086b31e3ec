//! Goes down the ladder with one hunk: the order of its rungs, from the strictest.
//!
//! It must not know the other hunks, but for where the last one ended, and what they say of its place.

use super::already::{self, Certainty};
use super::climb::{Climb, Climbed, INDENTATION, PLAIN};
use super::error::PatchFailure;
use super::key::LineKey;
use super::placed::PlacedHunk;
use super::rung::{Match, Rung};
use super::sides::{self, HunkSides};
use super::{blank, context, damage, elision, scope};

impl<'h> Climb<'_, '_, 'h> {
    pub(super) fn place(&self, sides: &HunkSides<'h>) -> Result<PlacedHunk<'h>, PatchFailure> {
        if self.index.is_exhausted() {
            return Err(PatchFailure::TooMuchWork);
        }
        if sides.old == sides.new {
            if sides::final_newline(self.hunk).is_some() {
                return self.last_lines(sides);
            }
            // A diff that removes and adds the same lines has lost what it was about, unless they are there.
            if sides.is_diff_of_nothing() && self.index.find(LineKey::Exact, &sides.old).is_empty() {
                return Err(PatchFailure::NoMatch);
            }
            return Ok(PlacedHunk::nothing(Rung::Identical, self.after..self.after));
        }
        if sides.old.is_empty() {
            return scope::add(self, sides);
        }
        let outcome = match self.strict(sides)? {
            None if self.level == Match::Tolerant => self.tolerant(sides)?,
            outcome => outcome,
        };
        match outcome {
            Some(placed) if matches!(placed.rung, Rung::Exact | Rung::AlreadyApplied) => Ok(placed),
            // It would be made at one place and is at another already: either may be meant.
            outcome => match (already::certainty_of(self.index, sides), outcome) {
                (Certainty::Surely(lines) | Certainty::Perhaps(lines), None) => {
                    Err(PatchFailure::AlreadyInFile { lines })
                }
                (Certainty::Surely(lines), Some(placed)) if placed.is_apart(lines) => {
                    Err(PatchFailure::AlreadyInFile { lines })
                }
                (_, outcome) => outcome.ok_or(PatchFailure::NoMatch),
            },
        }
    }

    fn last_lines(&self, sides: &HunkSides<'h>) -> Result<PlacedHunk<'h>, PatchFailure> {
        let start = self.index.len().checked_sub(sides.old.len()).ok_or(PatchFailure::NoMatch)?;
        let there = (start..self.index.len()).map(|at| self.index.body(at));
        match there.eq(sides.old.iter().map(AsRef::as_ref)) {
            true => Ok(PlacedHunk::nothing(Rung::Exact, start..self.index.len())),
            false => Err(PatchFailure::NoMatch),
        }
    }

    fn tolerant(&self, sides: &HunkSides<'h>) -> Climbed<'h> {
        let unmapped = match self.both(sides, INDENTATION) {
            Ok(Some(placed)) => return Ok(Some(placed)),
            Ok(None) => None,
            // Looser rungs do not touch indentation: what they match may be right all the same.
            Err(failure @ PatchFailure::Indentation { .. }) => Some(failure),
            Err(failure) => return Err(failure),
        };
        match self.looser(sides)? {
            None => unmapped.map_or(Ok(None), Err),
            outcome => Ok(outcome),
        }
    }

    fn looser(&self, sides: &HunkSides<'h>) -> Climbed<'h> {
        if let Certainty::Surely((first, last)) = already::certainty_of(self.index, sides) {
            return Ok(Some(PlacedHunk::nothing(Rung::AlreadyApplied, first - 1..last)));
        }
        for undone in damage::undone(sides) {
            if let Some(placed) = self.undamaged(&undone)? {
                return Ok(Some(placed.by(Rung::Damage)));
            }
        }
        if let Some(placed) = self.both(sides, PLAIN)? {
            return Ok(Some(placed));
        }
        for rung in [blank::place, elision::place, context::place] {
            if let Some(placed) = rung(self, sides)? {
                return Ok(Some(placed));
            }
        }
        Ok(None)
    }

    fn undamaged(&self, sides: &HunkSides<'h>) -> Climbed<'h> {
        if let Some(placed) = self.strict(sides)? {
            return Ok(Some(placed));
        }
        if let Some(placed) = self.both(sides, INDENTATION)? {
            return Ok(Some(placed));
        }
        Ok(match already::certainty_of(self.index, sides) {
            Certainty::Surely((first, last)) => {
                Some(PlacedHunk::nothing(Rung::AlreadyApplied, first - 1..last))
            }
            _ => None,
        })
    }
}
