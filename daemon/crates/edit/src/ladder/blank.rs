//! Rung 7: the lines match if blank lines do not count.
//!
//! It must not know how the other rungs match. Where it is not clear on which side of a blank line a change
//! belongs, it is refused.

use std::ops::Range;

use super::climb::Climb;
use super::error::PatchFailure;
use super::key::{LineKey, is_blank};
use super::placed::PlacedHunk;
use super::rung::Rung;
use super::sides::HunkSides;
use crate::changes::Change;

pub(super) fn place<'h>(
    climb: &Climb<'_, '_, 'h>,
    sides: &HunkSides<'h>,
) -> Result<Option<PlacedHunk<'h>>, PatchFailure> {
    let filled: Vec<usize> = (0..sides.old.len()).filter(|at| !is_blank(&sides.old[*at])).collect();
    if filled.len() < 2 {
        return Ok(None);
    }
    let lines: Vec<&str> = filled.iter().map(|at| sides.old[*at].as_ref()).collect();
    let there = climb.index.filled();
    let places = climb.index.find_filled(LineKey::NoTrailing, &lines);
    let starts: Vec<usize> = places.iter().map(|at| there[*at]).collect();
    let Some(start) = climb.select(&starts, filled.len(), Rung::BlankLines)? else { return Ok(None) };
    let number = there.partition_point(|line| *line < start);
    let map = map(sides, &filled, &there[number..number + filled.len()]);
    let changes = sides.changes(LineKey::NoTrailing);
    for change in &changes {
        refuse_unclear(climb, sides, change, &map)?;
    }
    climb.place_mapped(sides, &changes, &map, Rung::BlankLines).map(Some)
}

/// Returns for each old line its line in the text; blank lines have one where there are as many of them.
fn map(sides: &HunkSides<'_>, filled: &[usize], there: &[usize]) -> Vec<Option<usize>> {
    let mut map = vec![None; sides.old.len()];
    for (old, line) in filled.iter().zip(there) {
        map[*old] = Some(*line);
    }
    for (old, line) in filled.windows(2).zip(there.windows(2)) {
        if old[1] - old[0] == line[1] - line[0] {
            let between = (old[0] + 1..old[1]).zip(line[0] + 1..);
            between.for_each(|(old, line)| map[old] = Some(line));
        }
    }
    map
}

fn refuse_unclear(
    climb: &Climb<'_, '_, '_>,
    sides: &HunkSides<'_>,
    change: &Change,
    map: &[Option<usize>],
) -> Result<(), PatchFailure> {
    let Range { start, end } = change.old;
    let neighbours = |above: usize, below: usize| match (map.get(above), map.get(below)) {
        (Some(Some(above)), Some(Some(below))) => above + 1 == *below,
        (Some(_), Some(_)) => false,
        _ => true,
    };
    let gap_above = start > 0 && !neighbours(start - 1, start);
    let gap_below = end > 0 && !neighbours(end - 1, end);
    let new = &sides.new[change.new.clone()];
    let blank = |line: Option<&std::borrow::Cow<'_, str>>| line.is_none_or(|line| is_blank(line));
    let unclear = gap_above && gap_below && new.is_empty()
        || gap_above && !new.is_empty() && blank(new.first())
        || gap_below && !new.is_empty() && blank(new.last());
    let line = map.iter().flatten().next().map_or(1, |line| line + 1);
    climb.index.spend(1);
    if unclear { Err(PatchFailure::Unclear { line }) } else { Ok(()) }
}
