//! Guards of the cheapest alignment: it loses little of what the part shows, and doubles nothing of a marker.

use std::collections::HashMap;
use std::ops::Range;

use super::align::segments;
use super::alignment::{Alignment, LineStep, changes};
use super::columns::Grid;
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, letters};

/// A region up to this many lines may lose any of them, and a run of up to so many lines may go.
const FEW: usize = 6;
/// Lines that may go at an end of the part that has no marker.
const EDGE: usize = 2;

pub(super) fn check(
    grid: &Grid,
    alignment: &Alignment,
    file: &Source<'_>,
    part: &Source<'_>,
) -> Result<(), Refused> {
    check_moved(alignment, file, part)?;
    check_runs(alignment, file, part)?;
    check_regions(grid, alignment, file)?;
    check_ends(alignment, file, part)
}

/// A new line that stands once in what a marker keeps was moved by the writer: it would be there twice.
fn check_moved(alignment: &Alignment, file: &Source<'_>, part: &Source<'_>) -> Result<(), Refused> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, line) in file.lines.iter().enumerate() {
        places.entry(line.trim()).and_modify(|place| *place = None).or_insert(Some(at));
    }
    let taken = taken(alignment);
    for step in &alignment.steps {
        let LineStep::New(at) = step else { continue };
        let line = part.lines[*at].trim();
        let place = places.get(line).copied().flatten();
        if letters(line) >= FEW && place.is_some_and(|place| is_in(&taken, place)) {
            let detail = format!("`{}` is new, and also in the lines that a marker keeps", excerpt(line));
            return Err(Refused::new(Reason::Breaks, detail));
        }
    }
    Ok(())
}

/// No run of lines goes with less than half as many in its place.
fn check_runs(alignment: &Alignment, file: &Source<'_>, part: &Source<'_>) -> Result<(), Refused> {
    for change in changes(&alignment.steps, file.len()) {
        let removed = change.lines.clone().filter(|at| !file.is_blank(*at)).count();
        let new = change.new.iter().filter(|at| !part.is_blank(**at)).count();
        if removed > FEW && removed > 2 * new {
            let first = file.lines[change.lines.clone()].iter().find(|line| !line.trim().is_empty());
            let first = first.map_or_else(String::new, |line| excerpt(line));
            let detail = format!("{removed} lines in a row from `{first}` would go for {new} new ones");
            return Err(Refused::new(Reason::Loses, detail));
        }
    }
    Ok(())
}

/// Of a region that the part shows, at most half of the lines go.
fn check_regions(grid: &Grid, alignment: &Alignment, file: &Source<'_>) -> Result<(), Refused> {
    let mut start = 0;
    let mut steps = alignment.steps.iter();
    for segment in segments(grid) {
        let shown: Vec<&LineStep> = steps.by_ref().take(segment.len()).collect();
        let end = match steps.next() {
            Some(LineStep::Taken(range)) => range.clone(),
            _ => file.len()..file.len(),
        };
        let unchanged = shown
            .iter()
            .filter(|step| matches!(step, LineStep::Unchanged(at) if !file.is_blank(*at)))
            .count();
        let lines = (start..end.start).filter(|at| !file.is_blank(*at)).count();
        if lines > FEW && 2 * (lines - unchanged) > lines {
            let detail = format!("{} of {lines} lines would go", lines - unchanged);
            return Err(Refused::new(Reason::Loses, detail));
        }
        start = end.end;
    }
    Ok(())
}

/// A part without a marker at an end begins (ends) as the file does.
fn check_ends(alignment: &Alignment, file: &Source<'_>, part: &Source<'_>) -> Result<(), Refused> {
    for change in changes(&alignment.steps, file.len()) {
        let removed = change.lines.clone().filter(|at| !file.is_blank(*at)).count();
        let new = change.new.iter().filter(|at| !part.is_blank(**at)).count();
        let is_outer = change.lines.start == 0 || change.lines.end == file.len();
        if is_outer && removed > EDGE.min(new) {
            let end = if change.lines.start == 0 { "begin" } else { "end" };
            let detail = format!("the part does not {end} as the file does, and has no marker there");
            return Err(Refused::new(Reason::Loses, detail));
        }
    }
    Ok(())
}

/// Returns what markers take, in order.
pub(super) fn taken(alignment: &Alignment) -> Vec<Range<usize>> {
    let range = |step: &LineStep| match step {
        LineStep::Taken(range) => Some(range.clone()),
        _ => None,
    };
    alignment.steps.iter().filter_map(range).collect()
}

pub(super) fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}
