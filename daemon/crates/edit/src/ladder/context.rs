//! Rung 9: a few lines of context differ, away from what changes.
//!
//! It must not know how the other rungs match. The lines that change and those that touch them must be there
//! as written; of the other context, at most a quarter may differ, and no other place may come near that.

use std::borrow::Cow;
use std::ops::Range;

use super::climb::Climb;
use super::error::{PatchFailure, ambiguous};
use super::index::Index;
use super::key::{LineKey, is_blank};
use super::placed::PlacedHunk;
use super::rung::Rung;
use super::sides::HunkSides;
use crate::changes::Change;

/// Places of the first change that are looked at; with more of them, none is.
const PLACES: usize = 200;
const WINDOW: usize = 200;
/// Lines of context that must match, and how many of these must say something.
const MATCHED: usize = 3;
const DISTINCTIVE: usize = 2;

/// Places the hunk at the one place that has the lines of its changes, and most of its context.
pub(super) fn place<'h>(
    climb: &Climb<'_, '_, 'h>,
    sides: &HunkSides<'h>,
) -> Result<Option<PlacedHunk<'h>>, PatchFailure> {
    let changes = sides.changes(LineKey::NoTrailing);
    // If nothing but blanks at line ends change, these have to be there as asked.
    let (key, changes) = if changes.is_empty() {
        (LineKey::Exact, sides.changes(LineKey::Exact))
    } else {
        (LineKey::NoTrailing, changes)
    };
    let cores = cores(sides, &changes);
    let Some(core) = cores.first() else { return Ok(None) };
    let places = climb.index.find(key, &sides.old[core.clone()]);
    if places.len() > PLACES {
        return Ok(None);
    }
    let aligned = places.iter().filter_map(|at| Aligned::new(climb.index, sides, &cores, *at));
    let context = sides.old.len() - changes.iter().map(|change| change.old.len()).sum::<usize>();
    let near: Vec<Aligned> = aligned.filter(|aligned| 2 * aligned.differing <= context).collect();
    let enough = |aligned: &&Aligned| {
        let counterpart = |(at, there): (usize, &Option<usize>)| {
            there.filter(|_| !changes.iter().any(|change| change.old.contains(&at))).map(|_| at)
        };
        let matched: Vec<usize> = aligned.map.iter().enumerate().filter_map(counterpart).collect();
        let distinctive = matched.iter().filter(|at| !is_blank(&sides.old[**at])).count();
        4 * aligned.differing <= context && matched.len() >= MATCHED && distinctive >= DISTINCTIVE
    };
    let Some(best) = near.iter().find(enough) else { return Ok(None) };
    let starts: Vec<usize> = near.iter().map(|aligned| aligned.start).collect();
    if starts.len() > 1 {
        return Err(ambiguous(&starts, sides.old.len(), Rung::Context));
    }
    let same = |old: usize| {
        best.map[old].is_some_and(|at| key.normalize(climb.index.body(at)) == key.normalize(&sides.old[old]))
    };
    let unclear = !changes.iter().all(|change| change.old.clone().all(same))
        || points_elsewhere(climb.index, sides, &changes, &best.map)
        || is_indented_otherwise(climb.index, sides, &best.map);
    if unclear {
        return Err(PatchFailure::Unclear { line: best.start + 1 });
    }
    climb.select(&starts, sides.old.len().min(climb.index.len() - best.start), Rung::Context)?;
    climb.place_mapped(sides, &changes, &best.map, Rung::Context).map(Some)
}

/// True if context that differs at a place is there unchanged at another one, which may then be meant.
fn points_elsewhere(
    index: &Index<'_>,
    sides: &HunkSides<'_>,
    changes: &[Change],
    map: &[Option<usize>],
) -> bool {
    let ends = changes.iter().map(|change| change.old.start).chain([sides.old.len()]);
    let starts = std::iter::once(0).chain(changes.iter().map(|change| change.old.end));
    starts.zip(ends).any(|(start, end)| {
        let run = &sides.old[start..end];
        let there: Option<Vec<usize>> = map[start..end].iter().copied().collect();
        let whole = there.is_some_and(|lines| lines.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        let distinctive =
            run.iter().any(|line| line.chars().filter(|char| char.is_alphanumeric()).count() >= MATCHED);
        !whole && distinctive && !index.find(LineKey::NoTrailing, run).is_empty()
    })
}

/// True if context differs by its indentation: then that of the new lines is not to be trusted either.
fn is_indented_otherwise(index: &Index<'_>, sides: &HunkSides<'_>, map: &[Option<usize>]) -> bool {
    let differing = sides.old.iter().zip(map).filter(|(line, there)| there.is_none() && !is_blank(line));
    let is_there =
        |key: LineKey, line: &Cow<'_, str>| !index.find(key, std::slice::from_ref(line)).is_empty();
    differing
        .map(|(line, _)| line)
        .any(|line| is_there(LineKey::NoIndent, line) && !is_there(LineKey::NoTrailing, line))
}

/// Returns the lines of each change with the context that touches it; those that touch are one.
fn cores(sides: &HunkSides<'_>, changes: &[Change]) -> Vec<Range<usize>> {
    let mut cores: Vec<Range<usize>> = Vec::new();
    for change in changes {
        let core = change.old.start.saturating_sub(1)..(change.old.end + 1).min(sides.old.len());
        match cores.last_mut() {
            Some(last) if core.start <= last.end => last.end = core.end,
            _ => cores.push(core),
        }
    }
    cores
}

struct Aligned {
    map: Vec<Option<usize>>,
    /// Lines of context that are not there, or that are there and were not asked for.
    differing: usize,
    start: usize,
}

impl Aligned {
    fn new(index: &Index<'_>, sides: &HunkSides<'_>, cores: &[Range<usize>], at: usize) -> Option<Aligned> {
        let first = cores.first()?;
        let mut aligned = Aligned { map: vec![None; sides.old.len()], differing: 0, start: at };
        let slack = sides.old.len() / 4 + 1;
        aligned.keep(first, at);
        let (mut asked_end, mut there_end) = (first.end, at + first.len());
        for core in &cores[1..] {
            let between = core.start - asked_end;
            let window = there_end + between.saturating_sub(slack)..=there_end + between + slack;
            index.spend(window.clone().count() * core.len());
            let is_there = |at: &usize| same(index, sides, core, *at);
            let mut places = window.filter(is_there);
            let place = places.next().filter(|_| places.next().is_none())?;
            aligned.compare(index, sides, asked_end..core.start, there_end..place, OpenEnd::No)?;
            aligned.keep(core, place);
            (asked_end, there_end) = (core.end, place + core.len());
        }
        let above = at.saturating_sub(first.start + slack)..at;
        aligned.compare(index, sides, 0..first.start, above, OpenEnd::Start)?;
        let below = there_end..(there_end + sides.old.len() - asked_end + slack).min(index.len());
        aligned.compare(index, sides, asked_end..sides.old.len(), below, OpenEnd::End)?;
        aligned.start = aligned.map.iter().flatten().next().copied().unwrap_or(at);
        Some(aligned)
    }

    fn keep(&mut self, sides: &Range<usize>, at: usize) {
        sides.clone().zip(at..).for_each(|(line, there)| self.map[line] = Some(there));
    }

    fn compare(
        &mut self,
        index: &Index<'_>,
        sides: &HunkSides<'_>,
        old: Range<usize>,
        there: Range<usize>,
        open: OpenEnd,
    ) -> Option<()> {
        if old.len() > WINDOW || there.len() > 2 * WINDOW {
            return None;
        }
        index.spend(1 + old.len() * there.len());
        // From the change outwards: what is open is the far end.
        let line = |step: usize| if open == OpenEnd::Start { old.end - 1 - step } else { old.start + step };
        let place =
            |step: usize| if open == OpenEnd::Start { there.end - 1 - step } else { there.start + step };
        let equal = |one: usize, other: usize| {
            LineKey::NoTrailing.normalize(&sides.old[line(one)])
                == LineKey::NoTrailing.normalize(index.body(place(other)))
        };
        let (rows, columns) = (old.len(), there.len());
        let mut cost = vec![vec![0usize; columns + 1]; rows + 1];
        for row in 0..=rows {
            for column in 0..=columns {
                cost[row][column] = match (row, column) {
                    (0, _) => column,
                    (_, 0) => row,
                    _ if equal(row - 1, column - 1) => cost[row - 1][column - 1],
                    _ => 1 + cost[row - 1][column - 1].min(cost[row - 1][column]).min(cost[row][column - 1]),
                };
            }
        }
        // Of ends that cost the same the farthest, which leaves more lines a chance to be paired.
        let end = match open {
            OpenEnd::No => Some(columns),
            _ => (0..=columns).min_by_key(|end| (cost[rows][*end], columns - end)),
        };
        let (mut row, mut column) = (rows, end?);
        self.differing += cost[row][column];
        while row > 0 && column > 0 {
            let here = cost[row][column];
            if equal(row - 1, column - 1) && here == cost[row - 1][column - 1] {
                (row, column) = (row - 1, column - 1);
                self.map[line(row)] = Some(place(column));
            } else if here == cost[row - 1][column - 1] + 1 {
                (row, column) = (row - 1, column - 1);
            } else if here == cost[row - 1][column] + 1 {
                row -= 1;
            } else {
                column -= 1;
            }
        }
        Some(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenEnd {
    Start,
    End,
    No,
}

fn same(index: &Index<'_>, sides: &HunkSides<'_>, core: &Range<usize>, at: usize) -> bool {
    let there = (at..at + core.len()).map(|at| LineKey::NoTrailing.normalize(index.body(at)));
    at + core.len() <= index.len()
        && there.eq(sides.old[core.clone()].iter().map(|line| LineKey::NoTrailing.normalize(line)))
}
