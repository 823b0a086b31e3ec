//! Tells what clada's own operations changed while a checkpoint was open from the rest.
//!
//! An own operation keeps its own undo, so the checkpoint holds the rest: what a place was after the last own
//! change counts as what it was before. A place that another program changed before an own operation did goes
//! back to what it was when the checkpoint began, and that is told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use blake3::Hash;
use clada_command_changes::CommandChanges;
use clada_journal::{Change, Images, JournalPlace, OperationKind, ProjectJournal, State, is_same_state};
use clada_store::StoreError;

use super::some_of;

/// The changes of own operations, by their places and in their order, each with the operation.
pub(super) type OwnChanges = BTreeMap<JournalPlace, Vec<(State, State, String)>>;

/// The changes that a checkpoint holds.
#[derive(Debug, Default)]
pub(super) struct Rest {
    pub(super) changes: Vec<Change>,
    pub(super) images: Images,
    /// The paths that cannot be restored.
    pub(super) lost: Vec<String>,
    /// Those of them that are no part of the changes.
    pub(super) unrecoverable: Vec<String>,
    /// Entries that came and stay whatever is undone, and their number.
    left: (Vec<String>, usize),
    touched_ignored_dirs: Vec<String>,
    repositories: (Vec<String>, usize),
    /// The operations whose changes an undo takes back, too, each with the first such path.
    mixed: BTreeMap<String, String>,
    complete: bool,
}

/// Returns the changes that the operations after the number `after` made beneath `root`.
pub(super) fn own_changes(
    journal: &ProjectJournal,
    after: u64,
    root: &Path,
) -> Result<OwnChanges, StoreError> {
    let mut own = OwnChanges::new();
    journal.if_exists(|journal| {
        for operation in journal.since(after)? {
            // What another checkpoint recorded belongs to all that were open.
            if operation.kind == OperationKind::Record {
                continue;
            }
            for (change, made) in journal.changes(&operation.id)? {
                if made == Some(true) && change.place.root == root {
                    let states = (change.before, change.after, operation.id.clone());
                    own.entry(change.place).or_default().push(states);
                }
            }
        }
        Ok(())
    })?;
    Ok(own)
}

/// Returns the part of `found` that is not of `own` operations; `is_kept` says whether the journal has a
/// content.
pub(super) fn rest(found: CommandChanges, own: &OwnChanges, is_kept: &dyn Fn(&Hash) -> bool) -> Rest {
    let mut rest = Rest {
        images: found.images,
        lost: found.lost,
        unrecoverable: found.unrecoverable,
        left: (found.left, found.left_count),
        touched_ignored_dirs: found.touched_ignored_dirs,
        repositories: (found.repositories.paths, found.repositories.count),
        complete: found.complete,
        ..Rest::default()
    };
    for change in found.changes {
        let Some(states) = own.get(&change.place) else {
            rest.changes.push(change);
            continue;
        };
        let links = || std::iter::once(&change.before).chain(states.iter().map(|(_, after, _)| after));
        let mut steps = links().zip(states.iter().map(|(before, ..)| before));
        let Some((_, last, operation)) = states.last() else { continue };
        if steps.any(|(was, before)| !is_alike(was, before)) {
            let path = change.place.relative.to_string_lossy().into_owned();
            rest.mixed.entry(operation.clone()).or_insert(path);
            rest.changes.push(change);
        } else if !is_alike(last, &change.after) {
            let before = match last {
                State::File { hash, metadata: None } => {
                    let metadata = match &change.before {
                        State::File { metadata, .. } => metadata.clone(),
                        _ => None,
                    };
                    State::File { hash: *hash, metadata }
                }
                other => other.clone(),
            };
            if let State::File { hash, .. } = &before
                && !is_kept(hash)
            {
                rest.lost.push(change.place.relative.to_string_lossy().into_owned());
            }
            rest.changes.push(Change { before, ..change });
        }
    }
    // What came from a place is only known as that while the place itself is among the changes.
    let places: BTreeSet<JournalPlace> = rest.changes.iter().map(|change| change.place.clone()).collect();
    for change in &mut rest.changes {
        change.moved_from = change.moved_from.take().filter(|from| places.contains(from));
    }
    rest
}

/// Returns whether both are the same, as far as both say.
fn is_alike(one: &State, other: &State) -> bool {
    match (one, other) {
        (State::File { metadata: Some(one_has), .. }, State::File { metadata: Some(other_has), .. }) => {
            is_same_state(one, other) && one_has == other_has
        }
        _ => is_same_state(one, other),
    }
}

impl Rest {
    /// Returns what the user should know of it; `shown` shows the id of an operation.
    pub(super) fn warnings(&self, shown: &dyn Fn(&str) -> String) -> Vec<String> {
        let mut told = Vec::new();
        if !self.complete {
            told.push(
                "Not all of the project could be looked at; undo does not know what changed in the rest"
                    .into(),
            );
        }
        if !self.lost.is_empty() {
            let named = some_of(&self.lost, self.lost.len());
            told.push(format!("What was there is not kept, so that undo cannot bring it back: {named}"));
        }
        let (left, count) = &self.left;
        if *count > 0 {
            let named = some_of(left, *count);
            told.push(format!("New, and left by undo, since git ignores it or it is no file: {named}"));
        }
        if !self.touched_ignored_dirs.is_empty() {
            let named = some_of(&self.touched_ignored_dirs, self.touched_ignored_dirs.len());
            told.push(format!("Something came or went in {named}, which git ignores: undo leaves that"));
        }
        let (repositories, count) = &self.repositories;
        if *count > 0 {
            let named = some_of(repositories, *count);
            told.push(format!("New repositories, whose .git undo leaves: {named}"));
        }
        for (operation, path) in &self.mixed {
            told.push(format!(
                "Operation {} changed '{}' after something else had: undo takes both back",
                shown(operation),
                clada_protocol::visible_line(path)
            ));
        }
        told
    }
}
