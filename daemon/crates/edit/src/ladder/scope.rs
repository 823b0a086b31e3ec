//! Uses the lines that name a scope to decide on a place, and places hunks that have nothing but new lines.
//!
//! It must not know languages: the lines inside of a line are those that follow it and are indented more.

use super::climb::Climb;
use super::error::{PatchFailure, ambiguous};
use super::index::Index;
use super::key::{INDENT, LineKey, indent};
use super::placed::{LineEdit, PlacedHunk};
use super::rung::Rung;
use super::sides::HunkSides;

/// Bytes from which the start of a line is enough to name it: diffs cut long lines.
const START: usize = 8;

pub(super) fn first_line(index: &Index<'_>, scopes: &[String]) -> Option<usize> {
    let mut first = None;
    for scope in scopes {
        let from = first.map_or(0, |first| first + 1);
        first = Some(lines(index, scope).into_iter().find(|line| *line >= from)?);
    }
    first
}

/// Returns the lines that are `scope`, whatever their indentation; those that start with it if there are
/// none.
fn lines(index: &Index<'_>, scope: &str) -> Vec<usize> {
    let scope = scope.trim();
    if scope.is_empty() {
        return Vec::new();
    }
    let places = index.find(LineKey::NoIndent, &[scope.into()]);
    if !places.is_empty() || scope.len() < START {
        return places;
    }
    index.spend(index.len());
    let starts = |line: &usize| {
        let rest = index.body(*line).trim_start_matches(INDENT).strip_prefix(scope);
        rest.is_some_and(|rest| {
            scope.len() > 70 || !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    };
    (0..index.len()).filter(starts).collect()
}

pub(super) fn encloses(index: &Index<'_>, scopes: &[String], at: usize) -> bool {
    scopes.iter().all(|scope| {
        let lines = lines(index, scope);
        let before = &lines[..lines.partition_point(|line| *line < at)];
        before.last().is_some_and(|line| is_inside(index, *line, at))
    })
}

/// True if no line after `outer`, down to `at`, is indented as little as it is. Lines of signs do not count.
fn is_inside(index: &Index<'_>, outer: usize, at: usize) -> bool {
    index.spend(at - outer);
    let depth = indent(index.body(outer)).len();
    (outer + 1..at).all(|line| {
        let body = index.body(line);
        let word = body
            .trim_start_matches(INDENT)
            .starts_with(|first: char| first.is_alphanumeric() || first == '_');
        !word || indent(body).len() > depth
    })
}

/// Places a hunk of new lines only: after the line that names its scope, or at the end of the text.
pub(super) fn add<'h>(
    climb: &Climb<'_, '_, 'h>,
    sides: &HunkSides<'h>,
) -> Result<PlacedHunk<'h>, PatchFailure> {
    let index = climb.index;
    if let Some(line) = climb.hunk.after_line {
        // An author who names the line has seen the text: the same lines again are meant.
        let at = usize::try_from(line).ok().filter(|at| *at <= index.len());
        let at = at.ok_or(PatchFailure::BeyondEnd { line, lines: index.len() })?;
        return Ok(climb.finish(Rung::Exact, at..at, vec![LineEdit { old: at..at, new: sides.new.clone() }]));
    }
    let at = match climb.hunk.scopes.split_last() {
        Some((innermost, outer)) => after_scope(index, innermost, outer)?,
        None => {
            let hint = climb.hunk.line_hint.map(|line| usize::try_from(line).unwrap_or(usize::MAX));
            if !climb.hunk.at_end_of_file && hint.is_some_and(|line| !is_end(index.len(), line)) {
                return Err(PatchFailure::NoPlace);
            }
            index.len()
        }
    };
    let new = &sides.new;
    let same = |start: usize| {
        (start..start + new.len()).map(|line| index.body(line)).eq(new.iter().map(AsRef::as_ref))
    };
    let is_there = |start: usize| start + new.len() <= index.len() && same(start);
    // A diff that was made of this text says that the new lines follow its last line.
    let meant = climb.hunk.is_counted && climb.hunk.line_hint.is_some_and(|line| line as usize == at);
    let is_there =
        is_there(at) || climb.hunk.scopes.is_empty() && at.checked_sub(new.len()).is_some_and(is_there);
    if is_there && !meant {
        return Ok(PlacedHunk::nothing(Rung::AlreadyApplied, at..at));
    }
    Ok(climb.finish(Rung::Exact, at..at, vec![LineEdit { old: at..at, new: new.clone() }]))
}

/// True if new lines of which a header says `line` surely belong behind a text of `length` lines. The number
/// may be that of the line before them or that of the first of them: in a text of one line, 1 says nothing.
fn is_end(length: usize, line: usize) -> bool {
    match length {
        0 => true,
        1 => line == 2,
        _ => line == length || line == length + 1,
    }
}

fn after_scope(index: &Index<'_>, innermost: &str, outer: &[String]) -> Result<usize, PatchFailure> {
    let missing = |scope: &str| PatchFailure::ScopeNotFound { scope: scope.to_owned() };
    let places = lines(index, innermost);
    if let Some(absent) = outer.iter().find(|scope| lines(index, scope).is_empty()) {
        return Err(missing(absent));
    }
    match places[..] {
        [] => Err(missing(innermost)),
        [only] => Ok(only + 1),
        _ => {
            let inside: Vec<usize> =
                places.iter().copied().take(1_000).filter(|at| encloses(index, outer, *at)).collect();
            match inside[..] {
                [only] if !outer.is_empty() => Ok(only + 1),
                _ => Err(ambiguous(&places, 1, Rung::Exact)),
            }
        }
    }
}
