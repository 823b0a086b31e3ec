//! What to say of a hunk that was not applied.
//!
//! It must not know what hints are made of: it says what was looked for, and where it stands too often.

use clada_schema::Hunk;

use crate::edit::hint::{Hint, hint_for_lines, hint_for_places};
use crate::edit::{Text, split_lines};

use super::asked::Asked;
use super::{PatchError, PatchFailure};

/// A hint for a failure of [`apply_hunks_tolerant`](super::apply_hunks_tolerant) with these hunks, where there
/// is one.
#[must_use]
pub fn hint_for_hunk(text: &Text<'_>, hunks: &[Hunk], error: &PatchError) -> Option<Hint> {
    let asked = Asked::new(hunks.get(error.hunk)?);
    match &error.failure {
        PatchFailure::NoMatch
        | PatchFailure::AlreadyInFile { .. }
        | PatchFailure::Indentation { .. }
        | PatchFailure::Unclear { .. } => {
            let (old, new) = (joined(&asked.old), joined(&asked.new));
            (!old.is_empty()).then(|| hint_for_lines(text, &old, &new))
        }
        PatchFailure::Ambiguous { lines, .. } => {
            let mut spans = Vec::with_capacity(lines.len());
            let all: Vec<_> = split_lines(text.as_str()).collect();
            for (first, last) in lines {
                let first = all.get(first.checked_sub(1)?)?;
                let last = all.get(last.checked_sub(1)?).or(all.last())?;
                spans.push(first.start..last.start + last.body.len());
            }
            Some(hint_for_places(text, &spans))
        }
        _ => None,
    }
}

fn joined(lines: &[std::borrow::Cow<'_, str>]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
