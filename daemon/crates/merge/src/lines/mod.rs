//! Merging by lines: the cheapest alignment of the part with the file, if no other reading is about as cheap.
//!
//! Knows no language. Each guard stands for a way in which the cheapest alignment was not what the writer meant.

mod again;
mod align;
mod alignment;
mod columns;
mod guards;

use std::borrow::Cow;
use std::ops::Range;

use align::{Costs, Place, Prefer};
use alignment::{Alignment, LineStep, LineStretch, changes};
use columns::{Grid, Token};

use crate::markers::Markers;
use crate::note::{Note, NoteKind, Position};
use crate::part::{Level, Merged};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, SourcePiece};

/// The factor by which lines that go are dearer in the second reading.
const FEWER: u32 = 5;

pub(crate) fn merge(file: &Source<'_>, part: &Source<'_>, markers: &Markers) -> Result<Merged, Refused> {
    if markers.is_empty() {
        return Err(Refused::new(Reason::NoPlace, "the part has no marker for omitted lines"));
    }
    let grid = Grid::new(file, part, markers);
    if !align::fits(&grid) {
        return Err(Refused::new(
            Reason::TooLarge,
            "the part and the file are too large to compare by lines",
        ));
    }
    let places = place(&grid, file, part, Margin::Line)?;
    let alignment = Alignment { steps: steps(&grid, &places) };
    guards::check(&grid, &alignment, file, part)?;
    again::check(&alignment, file, part)?;
    let text = file.assemble(&pieces(&alignment.steps, part));
    let notes = notes(&alignment.steps, file, part);
    if notes.is_empty() {
        return Err(Refused::new(Reason::AlreadyThere, "the file is already as the part shows it"));
    }
    Ok(Merged { text, level: Level::Proven, notes })
}

/// A region of the file, and the lines that take its place.
#[derive(Debug)]
pub(crate) struct FileRegion {
    pub(crate) lines: Range<usize>,
    pub(crate) new: Vec<String>,
    pub(crate) notes: Vec<Note>,
}

/// Finds the region of `file` that `part`, a stretch between two markers, stands for: it begins and ends with lines
/// of the file, and fits nowhere else as well.
pub(crate) fn find_region(file: &Source<'_>, part: &Source<'_>) -> Result<FileRegion, Refused> {
    let grid = Grid::between_markers(file, part);
    if !align::fits(&grid) {
        return Err(Refused::new(
            Reason::TooLarge,
            "the part and the file are too large to compare by lines",
        ));
    }
    let places = place(&grid, file, part, Margin::None)?;
    let alignment = Alignment { steps: steps(&grid, &places) };
    guards::check(&grid, &alignment, file, part)?;
    again::check(&alignment, file, part)?;
    let mut unchanged = alignment
        .steps
        .iter()
        .filter_map(|step| if let LineStep::Unchanged(at) = step { Some(*at) } else { None });
    let first = unchanged.next().unwrap_or_default();
    let lines = first..unchanged.next_back().unwrap_or(first) + 1;
    let line = |step: &LineStep| match step {
        LineStep::Unchanged(at) => Some(file.lines[*at].to_owned()),
        LineStep::New(at) => Some(part.lines[*at].to_owned()),
        LineStep::Taken(_) => None,
    };
    let new = alignment.steps.iter().filter_map(line).collect();
    Ok(FileRegion { lines, new, notes: notes(&alignment.steps, file, part) })
}

/// The extra cost that a line beside a marker needs at any other place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Margin {
    None,
    Line,
}

/// Finds the place of each token, if there is only one.
fn place(grid: &Grid, file: &Source<'_>, part: &Source<'_>, margin: Margin) -> Result<Vec<Place>, Refused> {
    let costs = Costs::new(grid, 1);
    let places = costs.trace(Prefer::Early);
    check_anchors(grid, &places, part)?;
    let text = result(grid, &places, file, part);
    if text != result(grid, &costs.trace(Prefer::Late), file, part) {
        return Err(Refused::new(Reason::Ambiguous, "the part fits at more than one place of the file"));
    }
    if margin == Margin::Line {
        check_unique(&costs, &places, part)?;
    }
    // The costs are large, and the second reading has its own.
    drop(costs);
    let fewer = Costs::new(grid, FEWER).trace(Prefer::Early);
    if text != result(grid, &fewer, file, part) {
        return Err(Refused::new(Reason::Loses, "another reading of the part removes fewer lines"));
    }
    Ok(places)
}

/// Checks that the lines beside each marker are lines of the file, at that place.
fn check_anchors(grid: &Grid, places: &[Place], part: &Source<'_>) -> Result<(), Refused> {
    for (at, place) in places.iter().enumerate() {
        let Place::Taken(start, end) = *place else { continue };
        let neighbours = [(at.checked_sub(1), start.checked_sub(1)), (Some(at + 1), Some(end))];
        for (token, column) in neighbours {
            let Some((token, line)) = token.and_then(|token| Some((token, line_of(grid, token)?))) else {
                continue;
            };
            if places[token] == Place::New {
                let detail = format!(
                    "the file does not have the line `{}` beside a marker",
                    excerpt(part.lines[line])
                );
                return Err(Refused::new(Reason::NoPlace, detail));
            }
            if Some(places[token]) != column.map(Place::Column) {
                let detail =
                    format!("lines beside `{}` would go, next to a marker", excerpt(part.lines[line]));
                return Err(Refused::new(Reason::Loses, detail));
            }
        }
    }
    Ok(())
}

/// Checks that the lines beside markers cost clearly more at any other place.
fn check_unique(costs: &Costs<'_>, places: &[Place], part: &Source<'_>) -> Result<(), Refused> {
    let grid = costs.grid();
    let behind = align::costs_behind(grid, |token| grid.is_anchor(token));
    let limit = costs.best() + columns::LINE;
    for (token, behind) in behind.iter().enumerate() {
        let (Some(behind), Place::Column(column)) = (behind, places[token]) else { continue };
        if align::elsewhere(costs, behind, token, column) < limit {
            let line = line_of(grid, token).map_or("", |at| part.lines[at]);
            let detail = format!("the line `{}` beside a marker may be at another place", excerpt(line));
            return Err(Refused::new(Reason::Ambiguous, detail));
        }
    }
    Ok(())
}

fn line_of(grid: &Grid, token: usize) -> Option<usize> {
    match grid.tokens.get(token)? {
        Token::Line { at, .. } => Some(*at),
        Token::Marker => None,
    }
}

/// Returns the lines that a placement gives, without blanks at their ends.
fn result<'a>(grid: &Grid, places: &[Place], file: &Source<'a>, part: &Source<'a>) -> Vec<&'a str> {
    let mut out = Vec::new();
    for (token, place) in places.iter().enumerate() {
        match *place {
            Place::New => out.extend(line_of(grid, token).map(|at| part.lines[at].trim_end())),
            Place::Column(column) => {
                out.extend(grid.lines(column..column + 1).map(|at| file.lines[at].trim_end()))
            }
            Place::Taken(start, end) => {
                out.extend(grid.lines(start..end).map(|at| file.lines[at].trim_end()))
            }
        }
    }
    out
}

fn steps(grid: &Grid, places: &[Place]) -> Vec<LineStep> {
    let step = |(token, place): (usize, &Place)| match *place {
        Place::New => line_of(grid, token).map(LineStep::New),
        Place::Column(column) => Some(LineStep::Unchanged(grid.lines(column..column + 1).start)),
        Place::Taken(start, end) => Some(LineStep::Taken(grid.lines(start..end))),
    };
    places.iter().enumerate().filter_map(step).collect()
}

fn pieces<'a>(steps: &[LineStep], part: &Source<'a>) -> Vec<SourcePiece<'a>> {
    let piece = |step: &LineStep| match step {
        LineStep::Unchanged(at) => SourcePiece::Old(*at..*at + 1),
        LineStep::New(at) => SourcePiece::New(Cow::Borrowed(part.lines[*at])),
        LineStep::Taken(range) => SourcePiece::Old(range.clone()),
    };
    steps.iter().map(piece).collect()
}

fn notes(steps: &[LineStep], file: &Source<'_>, part: &Source<'_>) -> Vec<Note> {
    let first = |source: &Source<'_>, mut lines: &mut dyn Iterator<Item = usize>| {
        Iterator::find(&mut lines, |at| !source.is_blank(*at))
            .map(|at| excerpt(source.lines[at]))
            .unwrap_or_default()
    };
    let note = |change: LineStretch| {
        let lines = change.lines;
        if change.new.is_empty() {
            let count = lines.clone().filter(|at| !file.is_blank(*at)).count();
            let kind = NoteKind::Removed { count, is_mentioned: false };
            return Note::new(kind, first(file, &mut lines.clone()), lines);
        }
        if !lines.is_empty() {
            return Note::new(NoteKind::Changed, first(file, &mut lines.clone()), lines);
        }
        let above = first(file, &mut (0..lines.start).rev());
        let position = if above.is_empty() { Position::Top } else { Position::After(above) };
        Note::new(NoteKind::Inserted(position), first(part, &mut change.new.iter().copied()), lines)
    };
    changes(steps, file.len()).into_iter().map(note).collect()
}
