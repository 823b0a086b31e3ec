//! The rights that an owner gives itself for the time of an undo.
//!
//! Pure. An agent makes `mod` with the mode 0555 and `mod/a` in it. Its undo is: mode of `mod` to 0755, remove
//! `mod/a`, remove `mod`. Where the folder stays, its mode comes back last; the journal has both changes, so
//! that recovery knows the mode to give back after a crash.

use std::collections::{BTreeMap, BTreeSet};

use clada_journal::JournalPlace;

use super::now::{CurrentState, Now};
use super::place::above;
use super::step::{Step, StepKind};

/// The bits of an owner who can make and remove entries.
const OWNER: u32 = 0o700;
/// The bit of an owner who can pass to what is in it.
const PASS: u32 = 0o100;

/// Returns `steps`, which are in order, with those that let the owner of closed folders change what is in them,
/// and give the mode back.
pub(super) fn with_rights(steps: &[Step], now: &Now) -> Vec<Step> {
    let places = steps
        .iter()
        .filter(|step| !matches!(step.kind, StepKind::FolderMode { .. }))
        .flat_map(|step| step.kind.leaves().into_iter().chain(step.kind.arrives()));
    // The folders in which something is made or removed, and those on the way to them.
    let (mut changed, mut passed) = (BTreeSet::new(), BTreeSet::new());
    for place in places {
        let mut folders = above(place);
        changed.extend(folders.next());
        passed.extend(folders);
    }
    let needed = |folder: &JournalPlace, mode: u32| {
        changed.contains(folder) || mode & PASS != PASS && passed.contains(folder)
    };
    let mut opening: BTreeMap<JournalPlace, (u32, u32)> = BTreeMap::new();
    let mut closing: BTreeMap<JournalPlace, (u32, u32)> = BTreeMap::new();
    for folder in &now.closed {
        let CurrentState::Folder(mode) = now.at(folder) else { continue };
        if !needed(folder, *mode) {
            continue;
        }
        opening.insert(folder.clone(), (*mode, mode | OWNER));
        closing.insert(folder.clone(), (mode | OWNER, *mode));
    }
    let mut remaining = Vec::with_capacity(steps.len());
    for Step { kind, change } in steps.iter().cloned() {
        let kind = match kind {
            StepKind::RemoveFolder { place } => {
                closing.remove(&place);
                StepKind::RemoveFolder { place }
            }
            StepKind::MakeFolder { place, mode: Some(mode) }
                if mode & OWNER != OWNER && needed(&place, mode) =>
            {
                closing.insert(place.clone(), (mode | OWNER, mode));
                StepKind::MakeFolder { place, mode: Some(mode | OWNER) }
            }
            // It begins with what the owner has given itself; what takes that away comes last.
            StepKind::FolderMode { place, before, mode } if opening.contains_key(&place) => {
                if mode & OWNER != OWNER {
                    closing.insert(place, (before | OWNER, mode));
                    continue;
                }
                closing.remove(&place);
                StepKind::FolderMode { place, before: before | OWNER, mode }
            }
            kind => kind,
        };
        remaining.push(Step { kind, change });
    }
    let step = |(place, (before, mode)): (JournalPlace, (u32, u32))| Step {
        kind: StepKind::FolderMode { place, before, mode },
        change: None,
    };
    opening.into_iter().map(step).chain(remaining).chain(closing.into_iter().rev().map(step)).collect()
}
