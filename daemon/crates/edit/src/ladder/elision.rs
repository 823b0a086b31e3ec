//! Rung 8: lines that stand for code left out.
//!
//! It must not know the language: a placeholder is recognised by its dots or its words. In old and new lines
//! they pair one to one; one that only the new lines have would take the place of code, and is refused.

use std::ops::Range;

use clada_dialects::elision;

use super::climb::Climb;
use super::error::PatchFailure;
use super::key::LineKey;
use super::placed::PlacedHunk;
use super::rung::Rung;
use super::sides::HunkSides;

const PIECES: usize = 100;

/// `None` unless they say for sure what changes.
pub(super) fn place<'h>(
    climb: &Climb<'_, '_, 'h>,
    sides: &HunkSides<'h>,
) -> Result<Option<PlacedHunk<'h>>, PatchFailure> {
    let Some(pieces) = pieces(sides) else { return Ok(None) };
    let mut placed = Vec::new();
    for piece in &pieces {
        let unchanged = piece.old == piece.new;
        let places = if unchanged { None } else { climb.strict(piece)? };
        if !unchanged && places.is_none() {
            return Ok(None);
        }
        placed.push(places);
    }
    let spans: Vec<Option<Range<usize>>> =
        placed.iter().map(|placed| placed.as_ref().map(|placed| placed.span.clone())).collect();
    let Some(span) = in_order(climb, &pieces, &spans) else { return Ok(None) };
    let changed: Vec<PlacedHunk<'h>> = placed.into_iter().flatten().collect();
    let applied = changed.iter().filter(|placed| placed.rung == Rung::AlreadyApplied).count();
    match applied {
        0 => {}
        all if all == changed.len() => return Ok(Some(PlacedHunk::nothing(Rung::AlreadyApplied, span))),
        _ => return Err(PatchFailure::Unclear { line: span.start + 1 }),
    }
    let edits = changed.into_iter().flat_map(|placed| placed.edits).collect();
    Ok(Some(climb.finish(Rung::Elision, span, edits)))
}

/// Returns the parts between the elisions, if they pair, and if every part that changes has lines to be found
/// by.
fn pieces<'h>(sides: &HunkSides<'h>) -> Option<Vec<HunkSides<'h>>> {
    let stops = |lines: &[std::borrow::Cow<'_, str>]| -> Vec<usize> {
        (0..lines.len()).filter(|at| elision(&lines[*at]).is_some()).collect()
    };
    let (old, new) = (stops(&sides.old), stops(&sides.new));
    if old.is_empty() || old.len() != new.len() || old.len() >= PIECES {
        return None;
    }
    let pairs = old.iter().copied().zip(new.iter().copied()).chain([(sides.old.len(), sides.new.len())]);
    let (mut from, mut pieces) = ((0, 0), Vec::new());
    for (old, new) in pairs {
        let piece = sides.part(from.0..old, from.1..new)?;
        if piece.old != piece.new && !piece.is_distinctive() {
            return None;
        }
        pieces.push(piece);
        from = (old + 1, new + 1);
    }
    pieces.iter().any(|piece| piece.old != piece.new).then_some(pieces)
}

fn in_order(
    climb: &Climb<'_, '_, '_>,
    pieces: &[HunkSides<'_>],
    spans: &[Option<Range<usize>>],
) -> Option<Range<usize>> {
    let (mut from, mut start) = (0, None);
    for (at, piece) in pieces.iter().enumerate() {
        let to = spans[at..].iter().flatten().next().map_or(climb.index.len(), |span| span.start);
        let span = match &spans[at] {
            Some(span) => span.clone(),
            None if !piece.is_distinctive() => continue,
            None => {
                let trimmed = piece.trimmed().map(|trimmed| trimmed.sides);
                let lines = &trimmed.as_ref().unwrap_or(piece).old;
                let places = climb.index.find(LineKey::NoTrailing, lines);
                let first =
                    places.into_iter().find(|places| *places >= from && places + lines.len() <= to)?;
                first..first + lines.len()
            }
        };
        if span.start < from {
            return None;
        }
        start = start.or(Some(span.start));
        from = span.end;
    }
    Some(start?..from)
}
