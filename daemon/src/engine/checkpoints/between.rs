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
pub(in crate::engine) type OwnChanges = BTreeMap<JournalPlace, Vec<(State, State, String)>>;

#[derive(Debug, Default)]
pub(super) struct CheckpointRest {
    pub(super) changes: Vec<Change>,
    pub(super) images: Images,
    pub(super) lost: Vec<String>,
    pub(super) unrecoverable: Vec<String>,
    /// Entries that came and stay whatever is undone, and their number.
    untracked: (Vec<String>, usize),
    touched_ignored_dirs: Vec<String>,
    repositories: (Vec<String>, usize),
    /// The operations whose changes an undo takes back, too, each with the first such path.
    mixed: BTreeMap<String, String>,
    complete: bool,
}

pub(in crate::engine) fn own_changes(
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
            for (change, was_made) in journal.changes(&operation.id)? {
                if was_made == Some(true) && change.place.root == root {
                    let states = (change.before, change.after, operation.id.clone());
                    own.entry(change.place).or_default().push(states);
                }
            }
        }
        Ok(())
    })?;
    Ok(own)
}

pub(super) fn rest(
    command_changes: CommandChanges,
    own: &OwnChanges,
    is_kept: &dyn Fn(&Hash) -> bool,
) -> CheckpointRest {
    let mut rest = CheckpointRest {
        images: command_changes.images,
        lost: command_changes.lost,
        unrecoverable: command_changes.unrecoverable,
        untracked: (command_changes.untracked, command_changes.untracked_count),
        touched_ignored_dirs: command_changes.touched_ignored_dirs,
        repositories: (command_changes.repositories.paths, command_changes.repositories.count),
        complete: command_changes.complete,
        ..CheckpointRest::default()
    };
    for change in command_changes.changes {
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

fn is_alike(one: &State, other: &State) -> bool {
    match (one, other) {
        (State::File { metadata: Some(one_has), .. }, State::File { metadata: Some(other_has), .. }) => {
            is_same_state(one, other) && one_has == other_has
        }
        _ => is_same_state(one, other),
    }
}

impl CheckpointRest {
    pub(super) fn warnings(&self, shown: &dyn Fn(&str) -> String) -> Vec<String> {
        let mut warnings = Vec::new();
        // The gravest first: a caller that cuts the list must still show what undo does not know.
        if !self.complete {
            warnings
                .push("Not all of the project could be read; undo does not cover changes in the rest".into());
        }
        if !self.lost.is_empty() {
            let named = some_of(&self.lost, self.lost.len());
            warnings.push(format!("The earlier content is not recorded, so undo cannot restore it: {named}"));
        }
        let (untracked, count) = &self.untracked;
        if *count > 0 {
            let named = some_of(untracked, *count);
            warnings.push(format!(
                "New, and not removed by undo, because git ignores it or it is not a file: {named}"
            ));
        }
        if !self.touched_ignored_dirs.is_empty() {
            let named = some_of(&self.touched_ignored_dirs, self.touched_ignored_dirs.len());
            warnings
                .push(format!("Files were added or removed in {named}, which git ignores: undo leaves them"));
        }
        let (repositories, count) = &self.repositories;
        if *count > 0 {
            let named = some_of(repositories, *count);
            warnings.push(format!("New repositories; undo keeps their .git: {named}"));
        }
        for (operation, path) in &self.mixed {
            warnings.push(format!(
                "Operation {} changed '{}' after another program changed it; undo reverts both changes",
                shown(operation),
                clada_protocol::visible_line(path)
            ));
        }
        warnings
    }
}
