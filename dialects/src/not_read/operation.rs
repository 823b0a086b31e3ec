//! Operations of a patch that are in none: `*** Update File: src/a.rs` without `*** Begin Patch`.

use crate::apply_patch::{Stray, stray};
use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cursor::Line;
use crate::file_name::extension_of;

/// Reads `line`. At the end of a patch its operations are an error already, which its dialect reports if that
/// is read (`reported`).
pub(super) fn line(line: &Line<'_>, reported: bool, candidates: &mut Vec<Candidate>) {
    match stray(line) {
        Some(Stray::Operation(field)) => {
            let wants = if extension_of(&field.value).is_some() { Wants::Room } else { Wants::Existing };
            candidates.push(Candidate {
                kind: NotReadKind::UnknownElement,
                line: line.number,
                path: Some(field.value.into_owned()),
                wants,
                shows: None,
                hint: "clada reads this operation only in a patch: put `*** Begin Patch` before it and `*** End Patch` \
                       after its lines"
                    .to_owned(),
            });
        }
        Some(Stray::End) if reported => {
            while candidates.last().is_some_and(|last| last.kind == NotReadKind::UnknownElement) {
                candidates.pop();
            }
        }
        _ => {}
    }
}
