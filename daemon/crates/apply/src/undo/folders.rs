//! The folders around what goes and what comes: those that have to be made, and those that cannot go.
//!
//! Pure; from the steps that are known so far.

use std::collections::BTreeSet;

use clada_journal::JournalPlace;

use super::now::{CurrentState, Now};
use super::place::{above, child};
use super::refusal::{Conflict, Reason};
use super::step::{Step, StepKind};

/// Returns the folders that are gone by now and have to be made for what comes, outermost first; what keeps
/// that from being done goes to `conflicts`.
pub(super) fn missing_parents(
    steps: &[Step],
    now: &Now,
    conflicts: &mut Vec<Conflict>,
) -> BTreeSet<JournalPlace> {
    let created_folder = |step: &Step| match &step.kind {
        StepKind::MakeFolder { place, .. } => Some(place.clone()),
        _ => None,
    };
    let mut seen: BTreeSet<JournalPlace> = steps.iter().filter_map(created_folder).collect();
    let mut missing = BTreeSet::new();
    for place in steps.iter().filter_map(|step| step.kind.arrives()) {
        // From the nearest folder outwards, up to the first that exists: the folders above it exist, too.
        for folder in above(place) {
            if !seen.insert(folder.clone()) {
                break;
            }
            let reason = match now.at(&folder) {
                CurrentState::Folder(_) => break,
                CurrentState::Missing => {
                    missing.insert(folder);
                    continue;
                }
                CurrentState::Unknown(why) => Reason::Unknown(why.clone()),
                CurrentState::File(_) | CurrentState::Link(_) | CurrentState::Special => Reason::NotFolder,
            };
            conflicts.push(Conflict { place: folder, reason });
            break;
        }
    }
    missing
}

/// The folders of which removal is a step and that cannot go.
#[derive(Debug, Default)]
pub(super) struct StayingFolders {
    pub(super) all: BTreeSet<JournalPlace>,
    /// Those that hold what is not the operation's.
    pub(super) with_others: Vec<JournalPlace>,
    /// Those in whose place something else has to come.
    pub(super) in_the_way: Vec<JournalPlace>,
}

/// Finds the folders that stay: those that hold what does not go, or what comes, and those that hold them.
pub(super) fn staying(steps: &[Step], now: &Now) -> StayingFolders {
    let mut leaving: BTreeSet<JournalPlace> =
        steps.iter().filter_map(|step| step.kind.leaves().cloned()).collect();
    let arriving: BTreeSet<&JournalPlace> = steps.iter().filter_map(|step| step.kind.arrives()).collect();
    let needed: BTreeSet<JournalPlace> = arriving.iter().flat_map(|place| above(place)).collect();
    let created_folder = |step: &Step| match &step.kind {
        StepKind::MakeFolder { place, .. } => Some(place.clone()),
        _ => None,
    };
    let created: BTreeSet<JournalPlace> = steps.iter().filter_map(created_folder).collect();
    let removed = |step: &Step| match &step.kind {
        StepKind::RemoveFolder { place } => Some(place.clone()),
        _ => None,
    };
    let mut folders: Vec<JournalPlace> = steps.iter().filter_map(removed).collect();
    // The innermost first.
    folders.sort_by_key(|place| std::cmp::Reverse(place.relative.components().count()));
    let mut result = StayingFolders::default();
    for folder in folders {
        let inside = now.names(&folder).iter().map(|name| child(&folder, name));
        let staying: Vec<JournalPlace> = inside.filter(|place| !leaving.contains(place)).collect();
        let is_made_again = created.contains(&folder);
        if staying.is_empty() && (is_made_again || !needed.contains(&folder)) {
            continue;
        }
        if is_made_again {
            // It stays as it is; only its mode is another one.
        } else if arriving.contains(&folder) {
            result.in_the_way.push(folder.clone());
        } else if staying.iter().any(|place| !result.all.contains(place)) {
            result.with_others.push(folder.clone());
        }
        leaving.remove(&folder);
        result.all.insert(folder);
    }
    result
}
