//! Hints for a hunk that was not applied.
//!
//! It must not know what hints are made of: it gives what was looked for, and the places of what occurs too
//! often.

use std::ops::Range;

use clada_dialects::elision;
use clada_schema::Hunk;

use super::error::{PatchError, PatchFailure};
use super::index::Index;
use super::key::LineKey;
use super::sides::HunkSides;
use crate::eol::lines_at;
use crate::exact::occurrences;
use crate::hint::{Hint, HintKind, hint_for_lines, hint_for_places, hint_showing};
use crate::{Text, split_lines};

const LEFT_OUT: &str = "A part that changes must be unique without the parts before and behind lines like `...`: \
                        write those lines out.";

/// Returns a hint for a failure of [`apply_hunks_tolerant`](super::apply_hunks_tolerant) with these hunks,
/// where there is one.
#[must_use]
pub fn hint_for_hunk(text: &Text<'_>, hunks: &[Hunk], error: &PatchError) -> Option<Hint> {
    let sides = HunkSides::new(hunks.get(error.hunk)?);
    match &error.failure {
        PatchFailure::NoMatch
        | PatchFailure::AlreadyInFile { .. }
        | PatchFailure::Indentation { .. }
        | PatchFailure::Unclear { .. } => {
            let (old, new) = (joined(&sides.old), joined(&sides.new));
            if old.is_empty() {
                return None;
            }
            if let PatchFailure::AlreadyInFile { lines } = &error.failure
                && has_old_lines(text, &sides)
            {
                return Some(already_added(*lines));
            }
            Some(part_of_lines(text, &old).unwrap_or_else(|| hint_for_lines(text, &old, &new)))
        }
        PatchFailure::Ambiguous { lines, count, .. } => {
            let mut spans = Vec::with_capacity(lines.len());
            let all: Vec<_> = split_lines(text.as_str()).collect();
            for (first, last) in lines {
                let first = all.get(first.checked_sub(1)?)?;
                let last = all.get(last.checked_sub(1)?).or(all.last())?;
                // Places that overlap are reported as one.
                if spans.last().is_none_or(|before: &Range<usize>| before.end <= first.start) {
                    spans.push(first.start..last.start + last.body.len());
                }
            }
            let is_part = lines.iter().all(|(first, last)| last - first + 1 < sides.old.len());
            let elided = is_part && sides.old.iter().any(|line| elision(line).is_some());
            let count = if *count > lines.len() { *count } else { spans.len() };
            Some(hint_for_places(text, elided.then_some(LEFT_OUT), &spans, count))
        }
        _ => None,
    }
}

fn has_old_lines(text: &Text<'_>, sides: &HunkSides<'_>) -> bool {
    let bare = sides.trimmed();
    let old = bare.as_ref().map_or(&sides.old, |bare| &bare.sides.old);
    !Index::new(text).find(LineKey::NoTrailing, old).is_empty()
}

fn already_added(lines: (usize, usize)) -> Hint {
    let text = "The lines to change are in the file, with the new lines beside them already. If that is what was meant, leave \
                it out. If these are wanted once more, repeat lines of the file above and below the place, up to the next ones that differ.";
    Hint { kind: HintKind::AlreadyInFile, text: text.to_owned(), lines: Some(lines), similarity: None }
}

fn part_of_lines(text: &Text<'_>, old: &str) -> Option<Hint> {
    let old = old.trim_end_matches('\n');
    let at = occurrences(text.as_str(), old).next().filter(|_| !old.is_empty())?;
    let (before, after) = (&text.as_str()[..at.start], &text.as_str()[at.end..]);
    let before = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let after = after.lines().next().unwrap_or_default();
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let first = lines_at(text.as_str(), &[at.start]).pop()?;
    let lines = (first, first + old.matches('\n').count());
    let blanks = before.trim().is_empty() && after.is_empty();
    let why = if blanks { "blanks before it count" } else { "there is more text on its lines" };
    let sentence = format!("The text is at line {first}, but not as whole lines: {why}.");
    Some(hint_showing(text, &sentence, lines))
}

fn joined(lines: &[std::borrow::Cow<'_, str>]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
