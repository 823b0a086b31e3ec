//! The actions of an answer applied before that still hold.
//!
//! Reads the operations of that answer that are not undone: an action counts as applied if all of its changes
//! were made and everything at their places is still as the last of them left it. An action of which a part
//! was left out does not count, nor does one whose place another program changed before an operation of the
//! same answer changed it again. Reads files, and changes nothing.

use std::collections::{HashMap, HashSet};

use blake3::Hash;
use clada_fs::{RootedPath, Roots};
use clada_store::StoreError;

use super::journals::ProjectJournal;
use crate::{Change, JournalPlace, State, current_state, is_same_state};

/// The operation that applied an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The id of the operation; empty if an editor was given the change.
    pub operation: String,
    /// The shortest beginning of it that names it.
    pub shown: String,
    /// The time when it began, in milliseconds since 1970.
    pub began: i64,
}

/// The actions of an answer that were applied, by their numbers.
#[derive(Debug, Default)]
pub struct AppliedActions {
    /// Those that still hold.
    pub standing: HashMap<usize, Applied>,
    /// Those whose places were changed since.
    pub changed_since: HashMap<usize, Applied>,
}

/// Returns the actions of the answer with this hash that are applied. `partly` returns the actions of which a
/// part was left out, from what an operation keeps of its request. `buffers` has the hashes of texts that
/// stand in for files.
///
/// # Errors
/// If the journal cannot be read.
pub fn applied(
    journal: &ProjectJournal,
    answer: &[u8; 32],
    (roots, buffers): (&Roots, &HashMap<RootedPath, Hash>),
    partly: &dyn Fn(&[u8]) -> Option<Vec<usize>>,
) -> Result<AppliedActions, StoreError> {
    let read = journal.if_exists(|journal| {
        let mut operations = journal.for_answer(answer)?;
        operations.reverse();
        let with_changes = |operation: crate::Operation| {
            let changes = journal.changes(&operation.id)?;
            let partly = match journal.details(&operation.id)?.request {
                Some(request) => partly(&request.plain(journal.path())?).ok_or_else(|| {
                    let reason = format!("what operation {} was asked for makes no sense", operation.id);
                    StoreError::nonsense(journal.path(), reason)
                })?,
                None => Vec::new(),
            };
            let shown = journal.short_id(&operation.id)?;
            Ok((operation, shown, changes, partly))
        };
        operations.into_iter().map(with_changes).collect::<Result<Vec<_>, StoreError>>()
    })?;
    let operations = read.unwrap_or_default();
    let mut last_states: HashMap<&JournalPlace, &State> = HashMap::new();
    let mut actions: HashMap<usize, (Applied, Vec<&Change>)> = HashMap::new();
    let mut changed_since = HashMap::new();
    for (operation, shown, changes, partly) in &operations {
        let failed =
            changes.iter().filter(|(_, was_made)| *was_made != Some(true)).map(|(change, _)| change.seq);
        let failed: HashSet<usize> = failed.chain(partly.iter().copied()).collect();
        let here = Applied { operation: operation.id.clone(), shown: shown.clone(), began: operation.began };
        let mut seen = HashSet::new();
        for (change, was_made) in changes {
            if *was_made == Some(true) {
                let last = last_states.insert(&change.place, &change.after);
                if last.is_some_and(|last| !is_same_state(last, &change.before)) {
                    // What was there was gone when this operation began.
                    let is_gone =
                        |(_, changes): &(_, Vec<&Change>)| changes.iter().any(|it| it.place == change.place);
                    let outdated = actions.extract_if(|_, action| is_gone(action));
                    changed_since.extend(outdated.map(|(seq, (applied, _))| (seq, applied)));
                }
            }
            if failed.contains(&change.seq) {
                if *was_made == Some(true) {
                    actions.remove(&change.seq);
                }
                continue;
            }
            if seen.insert(change.seq) {
                // A later operation of the same answer did it again.
                actions.insert(change.seq, (here.clone(), Vec::new()));
            }
            if let Some((_, changes)) = actions.get_mut(&change.seq) {
                changes.push(change);
            }
        }
    }
    let mut still_holds: HashMap<&JournalPlace, bool> = HashMap::new();
    for (place, state) in last_states {
        let path = roots.resolve_recorded(&place.root, &place.relative).ok();
        let now = path.and_then(|path| match buffers.get(&path) {
            Some(hash) => Some(State::File { hash: *hash, metadata: None }),
            None => current_state(roots, &path, state),
        });
        still_holds.insert(place, now.is_some_and(|now| is_same_state(&now, state)));
    }
    let all_hold =
        |changes: &[&Change]| changes.iter().all(|change| still_holds.get(&change.place) == Some(&true));
    let mut standing = HashMap::new();
    for (seq, (applied, changes)) in actions {
        changed_since.remove(&seq);
        let group = if all_hold(&changes) { &mut standing } else { &mut changed_since };
        group.insert(seq, applied);
    }
    Ok(AppliedActions { standing, changed_since })
}
