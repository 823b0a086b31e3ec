//! Hunk matching, by the ladder: applies hunks that almost say what a text holds, if exactly one place can be
//! meant.
//!
//! It must not know files, dialects or actions. Its input is a file's text and hunks that a model wrote: a
//! search and its replacement (all lines removed, then all lines added) or the lines of a diff. Each rung
//! ignores a little more than the one before. The first rung at which a hunk matches decides: one place is
//! taken, several are an error. Only what differs between search and replacement is applied, so every other
//! line keeps its bytes and its line end. Nothing is ever applied by similarity.

mod already;
mod blank;
mod build;
mod climb;
mod context;
mod damage;
mod elision;
mod error;
mod hints;
mod indent;
mod index;
mod key;
mod mapped;
mod order;
mod placed;
mod rival;
mod rung;
mod scope;
mod select;
mod sides;
mod turn;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::HashSet;

use clada_schema::{Hunk, HunkLine};

use super::split_lines;
use super::text::Text;

use climb::Climb;
use index::Index;
use key::LineKey;
use placed::PlacedHunk;
use sides::HunkSides;
use turn::{Drift, Same};

pub(super) use damage::{decoded, without_number};
pub use error::{PatchError, PatchFailure};
pub use hints::hint_for_hunk;
pub(super) use key::plain;
pub use rung::{Match, Rung};
pub use turn::{Choice, Turn, turns};

/// The result of applying hunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// All of the file, with byte order mark.
    pub bytes: Vec<u8>,
    /// For each hunk, the rung that matched it.
    pub matched_by: Vec<Rung>,
    /// The hunks, from 0, that had been applied before.
    pub already_applied: Vec<usize>,
    /// For each hunk, the line from 0 of the new text that follows it.
    pub ends: Vec<usize>,
    /// The reasons for the places of hunks, from 0, that match at several.
    pub chosen: Vec<(usize, Choice)>,
    /// True if the file holds this content already.
    pub unchanged: bool,
    /// True if every hunk has right counts and is there exactly as written at the line that it names.
    pub as_diffed: bool,
}

impl Patched {
    /// The loosest rung that a hunk needed, if it is one that a report has to name.
    #[must_use]
    pub fn named_rung(&self) -> Option<Rung> {
        let loosened = self.matched_by.iter().copied().filter(|rung| rung.is_named());
        loosened.max()
    }
}

/// Applies `hunks` to `text`, going down the ladder as far as `level` allows.
///
/// All hunks are located in the text as it is given; if their changes overlap, it is a conflict. A hunk is
/// looked for after the one before it first, then in the whole text. Hunks with the same old lines, and as
/// many places, have them in order.
///
/// # Errors
/// The first hunk that cannot be applied, and why; nothing is applied then.
pub fn apply_hunks_tolerant(
    text: &Text<'_>,
    hunks: &[Hunk],
    level: Match,
    max_bytes: usize,
) -> Result<Patched, PatchError> {
    apply_in_turn(text, hunks, &turns(hunks), level, max_bytes)
}

/// Applies `hunks` with their turns among all edits of the file; [`turns`] gives those of one edit.
///
/// # Errors
/// As [`apply_hunks_tolerant`].
pub fn apply_in_turn(
    text: &Text<'_>,
    hunks: &[Hunk],
    turns: &[Turn],
    level: Match,
    max_bytes: usize,
) -> Result<Patched, PatchError> {
    let index = Index::new(text);
    apply_to(&index, text, (hunks, turns), level, max_bytes)
}

fn apply_to(
    index: &Index<'_>,
    text: &Text<'_>,
    (hunks, turns): (&[Hunk], &[Turn]),
    level: Match,
    max_bytes: usize,
) -> Result<Patched, PatchError> {
    let mut placed: Vec<PlacedHunk<'_>> = Vec::with_capacity(hunks.len());
    let mut final_newline = None;
    let mut seen = HashSet::new();
    let (mut after, mut drift, mut chosen) = (0, Drift::default(), Vec::new());
    for (at, (hunk, turn)) in hunks.iter().zip(turns).enumerate() {
        let behind = hunks.get(at + 1..).unwrap_or_default();
        let climb =
            Climb { index, hunk, behind, after, level, turn: *turn, drift, chosen_by: Cell::new(None) };
        // Models repeat hunks: a repetition without a place of its own is done already, and is not a failure.
        let repeats = !seen.insert(Same(hunk));
        let place = if repeats && !climb.has_place_of_its_own() {
            PlacedHunk::nothing(Rung::AlreadyApplied, after..after)
        } else {
            climb.place(&HunkSides::new(hunk)).map_err(|failure| PatchError { hunk: at, failure })?
        };
        after = after.max(place.span.end);
        if place.span.end == index.len() && place.rung != Rung::AlreadyApplied {
            final_newline = sides::final_newline(hunk).or(final_newline);
        }
        drift.after(hunk, &place);
        chosen.extend(climb.chosen_by.get().map(|choice| (at, choice)));
        placed.push(place);
    }
    if let Some(hunk) = turn::out_of_order(hunks, &placed, &chosen) {
        let old = HunkSides::new(&hunks[hunk]).old;
        let failure = error::ambiguous(&index.find(LineKey::NoIndent, &old), old.len(), placed[hunk].rung);
        return Err(PatchError { hunk, failure });
    }
    let bytes = build::build(index, text, &placed, final_newline, max_bytes)?;
    let as_diffed = hunks.iter().zip(&placed).all(|(hunk, placed)| {
        let at = hunk.line_hint.and_then(|line| usize::try_from(line).ok());
        hunk.is_counted && placed.rung == Rung::Exact && at == Some(placed.span.start + 1)
    });
    let applied =
        |(at, placed): (usize, &PlacedHunk<'_>)| (placed.rung == Rung::AlreadyApplied).then_some(at);
    Ok(Patched {
        unchanged: index.is(&bytes[text.bom_len()..]),
        bytes,
        as_diffed,
        already_applied: placed.iter().enumerate().filter_map(applied).collect(),
        matched_by: placed.iter().map(|placed| placed.rung).collect(),
        ends: placed::ends(&placed),
        chosen,
    })
}

/// Returns the hunk that replaces the lines of `search` by those of `replace`.
#[must_use]
pub fn replacing_hunk(search: &str, replace: &str) -> Hunk {
    let removed = split_lines(search).map(|line| HunkLine::Removed(line.body.to_owned()));
    let added = split_lines(replace).map(|line| HunkLine::Added(line.body.to_owned()));
    Hunk { lines: removed.chain(added).collect(), ..Hunk::default() }
}

/// Returns the hunk that does to lines what replacing the text `old` by `new` does; `None` if that is nothing
/// that lines can say, since `old` takes a line end with it that `new` does not bring back, or if `old` has
/// no lines.
///
/// A text that ends in the middle of a line stays there: replacing `a` by nothing leaves an empty line.
#[must_use]
pub fn hunk_of_text(old: &str, new: &str) -> Option<Hunk> {
    let ended = |text: &str| text.ends_with(['\n', '\r']);
    if old.is_empty() || ended(old) && !(ended(new) || new.is_empty()) {
        return None;
    }
    let mut hunk = replacing_hunk(old, new);
    if !ended(old) && (ended(new) || new.is_empty()) {
        hunk.lines.push(HunkLine::Added(String::new()));
    }
    Some(hunk)
}

/// Returns the loosest rung that `hunks`, which do not match at a stricter level, need to match `text` at one
/// place each.
#[must_use]
pub fn would_match(text: &Text<'_>, hunks: &[Hunk]) -> Option<Rung> {
    let patched = apply_hunks_tolerant(text, hunks, Match::Tolerant, usize::MAX).ok()?;
    patched.matched_by.iter().copied().max().filter(|_| !patched.unchanged)
}
