//! Contents that an undo overwrites or removes and that are not in the journal yet: read before anything is
//! done, so that they can come back. What the journal has no room for moves to the reserve.
//!
//! Looks at files through `fs` and changes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use blake3::Hash;
use clada_fs::Roots;
use clada_journal::JournalPlace;

use super::now::{CurrentFile, CurrentState, Now};
use super::step::{Reverse, Step, StepKind};
use super::survey::resolve;
use crate::write::Before;

/// The contents that an undo overwrites or removes.
#[derive(Debug, Default)]
pub struct Overwritten {
    /// Those that the journal is to keep.
    pub contents: HashMap<Hash, Arc<[u8]>>,
    /// The files for which the journal has no room.
    pub unkept: Vec<UnkeptFile>,
}

/// A file that goes and whose content is not kept.
#[derive(Debug, Clone)]
pub struct UnkeptFile {
    /// The place from which it goes.
    pub place: JournalPlace,
    /// The index of the step by which it goes.
    pub step: usize,
    /// The file.
    pub file: CurrentFile,
    before: Before,
}

/// Reads the contents that go with `steps` and for which `is_kept` says no, at most `room` bytes of them.
#[must_use]
pub fn overwritten(
    steps: &[Step],
    now: &Now,
    roots: &Roots,
    is_kept: &dyn Fn(&Hash) -> bool,
    mut room: u64,
) -> Overwritten {
    let mut overwritten = Overwritten::default();
    // The place at which each file was found that was moved before it goes.
    let mut origins: HashMap<&JournalPlace, &JournalPlace> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let (place, before) = match &step.kind {
            StepKind::Move { from, to, .. } => {
                let origin = origins.remove(from).unwrap_or(from);
                origins.insert(to, origin);
                continue;
            }
            StepKind::Remove { place, before } | StepKind::Write { place, before, .. } => (place, before),
            _ => continue,
        };
        let origin = origins.get(place).copied().unwrap_or(place);
        let CurrentState::File(file) = now.at(origin) else { continue };
        let hash = match before {
            Before::Missing | Before::Symlink(_) => continue,
            Before::File(_) => None,
            Before::Content(hash) => Some(hash),
        };
        if hash.is_some_and(|hash| overwritten.contents.contains_key(hash) || is_kept(hash)) {
            continue;
        }
        let Some(hash) = hash.filter(|_| file.identity.size <= room) else {
            // Once it was moved its identity is another one.
            let before = if origin == place { Before::File(file.identity) } else { before.clone() };
            overwritten.unkept.push(UnkeptFile {
                place: place.clone(),
                step: index,
                file: file.clone(),
                before,
            });
            continue;
        };
        // One that is another by now is a conflict when it is changed.
        let read = resolve(roots, origin).and_then(|path| roots.read(&path, room));
        let Some(read) = read.ok().filter(|read| blake3::hash(&read.bytes) == *hash) else { continue };
        room -= read.bytes.len() as u64;
        overwritten.contents.insert(*hash, read.bytes.into());
    }
    overwritten
}

/// Has the `reserved` files, each with its place in the reserve, move there instead of going.
pub fn reserve(reverse: &mut Reverse, reserved: &[(UnkeptFile, JournalPlace)]) {
    let by_step: HashMap<usize, &(UnkeptFile, JournalPlace)> =
        reserved.iter().map(|reserved| (reserved.0.step, reserved)).collect();
    let steps = std::mem::take(&mut reverse.steps);
    for (index, Step { kind, change }) in steps.into_iter().enumerate() {
        let Some((unkept, to)) = by_step.get(&index) else {
            reverse.steps.push(Step { kind, change });
            continue;
        };
        let (from, to, before) = (unkept.place.clone(), to.clone(), unkept.before.clone());
        let is_write = matches!(kind, StepKind::Write { .. });
        let away = Step {
            kind: StepKind::Move { from, to, before },
            // It is reported with what comes in its place.
            change: if is_write { None } else { change },
        };
        reverse.steps.push(away);
        if let StepKind::Write { place, content, metadata, .. } = kind {
            let metadata = Some(metadata.unwrap_or_else(|| unkept.file.metadata.clone()));
            let kind = StepKind::Write { place, before: Before::Missing, content, metadata };
            reverse.steps.push(Step { kind, change });
        }
    }
}
