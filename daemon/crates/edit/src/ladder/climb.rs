//! One hunk on its way down the ladder: finds it as a run of lines, and makes its changes there.
//!
//! It must not know the other hunks, but for where the last one ended, and what they say of its place.

use std::borrow::Cow;
use std::cell::Cell;

use clada_schema::Hunk;

use super::already::{self, Covers};
use super::error::PatchFailure;
use super::indent::IndentShift;
use super::index::Index;
use super::key::{LineKey, is_blank, plain};
use super::placed::{LineEdit, PlacedHunk};
use super::rival;
use super::rung::{Match, Rung};
use super::sides::{HunkSides, Trimmed};
use super::turn::{Choice, Drift, Turn};

pub(super) struct Climb<'c, 'a, 'h> {
    pub(super) index: &'c Index<'a>,
    pub(super) hunk: &'h Hunk,
    pub(super) behind: &'h [Hunk],
    pub(super) after: usize,
    pub(super) level: Match,
    pub(super) turn: Turn,
    pub(super) drift: Drift,
    /// The reason for its place, if it is one of several and nothing certain says so.
    pub(super) chosen_by: Cell<Option<Choice>>,
}

#[derive(Clone, Copy)]
pub(super) struct MatchWay {
    pub(super) key: LineKey,
    pub(super) rung: Rung,
}

const EXACT: MatchWay = MatchWay { key: LineKey::Exact, rung: Rung::Exact };
const EDGES: MatchWay = MatchWay { key: LineKey::Exact, rung: Rung::EdgeBlankLines };
const TRAILING: MatchWay = MatchWay { key: LineKey::NoTrailing, rung: Rung::TrailingBlanks };
pub(super) const INDENTATION: MatchWay = MatchWay { key: LineKey::NoIndent, rung: Rung::Indentation };
pub(super) const PLAIN: MatchWay = MatchWay { key: LineKey::Plain, rung: Rung::Damage };

pub(super) type Climbed<'h> = Result<Option<PlacedHunk<'h>>, PatchFailure>;

impl<'h> Climb<'_, '_, 'h> {
    /// True if there is a place for each of the hunks with the same old lines: then this one is no
    /// repetition.
    pub(super) fn has_place_of_its_own(&self) -> bool {
        let old: Vec<_> = self.hunk.old_lines().into_iter().map(Cow::Borrowed).collect();
        self.turn.among(&self.index.find(LineKey::Exact, &old), old.len()).is_some()
    }

    pub(super) fn strict(&self, sides: &HunkSides<'h>) -> Climbed<'h> {
        if let Some(placed) = self.run(sides, EXACT)? {
            return Ok(Some(placed));
        }
        if self.level == Match::Exact {
            return Ok(None);
        }
        if let Some(trimmed) = sides.trimmed()
            && let Some(placed) = self.trimmed_run(&trimmed, EDGES)?
        {
            return Ok(Some(placed));
        }
        self.both(sides, TRAILING)
    }

    pub(super) fn both(&self, sides: &HunkSides<'h>, way: MatchWay) -> Climbed<'h> {
        if let Some(placed) = self.run(sides, way)? {
            return Ok(Some(placed));
        }
        sides.trimmed().map_or(Ok(None), |trimmed| self.trimmed_run(&trimmed, way))
    }

    fn trimmed_run(&self, trimmed: &Trimmed<'h>, way: MatchWay) -> Climbed<'h> {
        let placed = self.run(&trimmed.sides, way)?;
        if let Some(PlacedHunk { span, .. }) = &placed {
            let above = span.start.checked_sub(1).is_some_and(|at| is_blank(self.index.body(at)));
            let below = span.end < self.index.len() && is_blank(self.index.body(span.end));
            let dropped = trimmed.drops_above && above || trimmed.drops_below && below;
            if dropped || rival::exists(self.index, trimmed, span) {
                return Err(PatchFailure::Unclear { line: span.start + 1 });
            }
        }
        Ok(placed)
    }

    fn run(&self, sides: &HunkSides<'h>, way: MatchWay) -> Climbed<'h> {
        if way.rung > Rung::Exact && !sides.is_distinctive() {
            return Ok(None);
        }
        let outcome = self.index.find(way.key, &sides.old);
        let at = self.select(&outcome, sides.old.len(), way.rung)?;
        at.map(|at| self.place_at(sides, way, at)).transpose()
    }

    fn place_at(
        &self,
        sides: &HunkSides<'h>,
        way: MatchWay,
        at: usize,
    ) -> Result<PlacedHunk<'h>, PatchFailure> {
        let span = at..at + sides.old.len();
        let is_meant = self.is_meant(way, at);
        match already::covers(self.index, sides, way.key, &span) {
            _ if is_meant && !already::fits_both(self.index, sides, at) => {}
            Covers::Surely => return Ok(PlacedHunk::nothing(Rung::AlreadyApplied, span)),
            Covers::Perhaps if sides.new.len() == sides.old.len() => {
                return Err(PatchFailure::Unclear { line: span.start + 1 });
            }
            Covers::Perhaps | Covers::InPart => {
                return Err(PatchFailure::AlreadyInFile { lines: (span.start + 1, span.end) });
            }
            Covers::No => {}
        }
        let key = if way.key == LineKey::NoIndent { LineKey::NoTrailing } else { way.key };
        let changes = sides.changes(key);
        let shift = match way.key {
            LineKey::NoIndent => IndentShift::learn(self.index, sides, &changes, at)
                .filter(|shift| shift.is_plausible(self.index, sides, &changes))
                .ok_or(PatchFailure::Indentation { lines: (span.start + 1, span.end) })?,
            _ => IndentShift::Keep,
        };
        let mut edits = Vec::with_capacity(changes.len());
        for (old, new) in sides.pairs(&changes).filter(|(old, new)| sides.old[*old] != sides.new[*new]) {
            let there = self.index.body(at + old);
            let shifted = shift.apply(&sides.new[new], new, self.index);
            let as_written = is_blank(&sides.new[new]) && shifted.as_ref() == Some(&sides.new[new]);
            if (shift == IndentShift::Keep || as_written) && sides.old[old] == there {
                // The line is exactly what was asked: the change of its blanks or quotes is meant.
                edits.push(LineEdit { old: at + old..at + old + 1, new: vec![sides.new[new].clone()] });
            } else if shifted.as_deref() != Some(there) {
                return Err(PatchFailure::Unclear { line: at + old + 1 });
            }
        }
        if way.key == LineKey::Plain {
            self.refuse_damaged(sides, &changes, at)?;
        }
        for change in changes {
            let indented = change.new.clone().map(|new| shift.apply(&sides.new[new], new, self.index));
            let new: Option<Vec<_>> = indented.collect();
            let new = new.ok_or(PatchFailure::Indentation { lines: (span.start + 1, span.end) })?;
            edits.push(LineEdit { old: at + change.old.start..at + change.old.end, new });
        }
        edits.sort_by_key(|edit| edit.old.start);
        Ok(self.finish(way.rung, span, edits))
    }

    /// True if the hunk is one of a diff that was made of this text: its lines are there as written at the
    /// line that it names, and its counts are right.
    fn is_meant(&self, way: MatchWay, at: usize) -> bool {
        let named = self.hunk.line_hint.is_some_and(|line| u64::from(line) == at as u64 + 1);
        way.rung == Rung::Exact && self.hunk.is_counted && named
    }

    pub(super) fn finish(
        &self,
        rung: Rung,
        span: std::ops::Range<usize>,
        mut edits: Vec<LineEdit<'h>>,
    ) -> PlacedHunk<'h> {
        let same = |edit: &LineEdit<'_>| {
            let there = edit.old.clone().map(|at| self.index.body(at));
            edit.old.len() == edit.new.len() && there.eq(edit.new.iter().map(AsRef::as_ref))
        };
        edits.retain(|edit| !same(edit));
        let rung = if edits.is_empty() { Rung::AlreadyApplied } else { rung };
        PlacedHunk { rung, span, edits }
    }

    fn refuse_damaged(
        &self,
        sides: &HunkSides<'_>,
        changes: &[crate::changes::Change],
        at: usize,
    ) -> Result<(), PatchFailure> {
        let fancy = |char: &char| plain(*char) != *char;
        let mut damage: Vec<char> = Vec::new();
        for (index, line) in sides.old.iter().enumerate().filter(|(_, line)| !line.is_ascii()) {
            let there = self.index.body(at + index);
            damage.extend(line.chars().filter(fancy).filter(|char| !there.contains(*char)).take(9));
        }
        let new = changes.iter().flat_map(|change| &sides.new[change.new.clone()]);
        let damaged = |line: &str| line.contains(|char| damage.contains(&char));
        match new.clone().any(|line| damaged(line)) {
            true => Err(PatchFailure::Unclear { line: at + 1 }),
            false => Ok(()),
        }
    }
}
