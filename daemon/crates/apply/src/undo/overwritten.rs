//! What is overwritten or removed to take an operation back, and is kept nowhere yet: read before anything is done, so
//! that it can come back.
//!
//! Looks at files through `fs` and changes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use blake3::Hash;
use clada_fs::Roots;
use clada_journal::JournalPlace;

use super::now::{CurrentFile, CurrentState, Now};
use super::refusal::{Conflict, Reason, Refusal};
use super::step::{Step, StepKind};
use super::survey::resolve;
use crate::write::Before;

/// Contents that go with `steps` and for which `is_kept` says no, at most `room` bytes of them.
///
/// # Errors
/// Every place whose content has no room.
pub fn overwritten(
    steps: &[Step],
    now: &Now,
    roots: &Roots,
    is_kept: &dyn Fn(&Hash) -> bool,
    mut room: u64,
) -> Result<HashMap<Hash, Arc<[u8]>>, Refusal> {
    let mut contents: HashMap<Hash, Arc<[u8]>> = HashMap::new();
    let mut conflicts = Vec::new();
    // A file may have been moved back before it is changed.
    let found: HashMap<Hash, (&JournalPlace, &CurrentFile)> = now
        .states
        .iter()
        .filter_map(|(place, current)| match current {
            CurrentState::File(found) => Some((found.hash?, (place, found))),
            _ => None,
        })
        .collect();
    for step in steps {
        let (StepKind::Remove { place, before } | StepKind::Write { place, before, .. }) = &step.kind else {
            continue;
        };
        let mut no_room = || conflicts.push(Conflict { place: place.clone(), reason: Reason::NoRoom });
        let hash = match before {
            Before::Missing | Before::Symlink(_) => continue,
            Before::File(_) => {
                no_room();
                continue;
            }
            Before::Content(hash) => hash,
        };
        let Some((stands, file)) = found.get(hash).copied() else { continue };
        if contents.contains_key(hash) || is_kept(hash) {
            continue;
        }
        if file.identity.size > room {
            no_room();
            continue;
        }
        // One that is another by now is a conflict when it is changed.
        let read = resolve(roots, stands).and_then(|path| roots.read(&path, room));
        let Some(read) = read.ok().filter(|read| blake3::hash(&read.bytes) == *hash) else { continue };
        room -= read.bytes.len() as u64;
        contents.insert(*hash, read.bytes.into());
    }
    if conflicts.is_empty() { Ok(contents) } else { Err(Refusal { conflicts }) }
}
