//! The part of an operation that is still to be undone when an undo of it was cut off.
//!
//! Pure. An undo that moves a file back and then writes another one where it was, or that goes by way of a
//! spare name, leaves states on the way that are neither as the operation left them nor as they were before.
//! They are nobody's work: the operation and what was done of its undos are taken together, as one.

use std::collections::{BTreeSet, HashMap};

use clada_journal::{Change, JournalPlace, Net, Operation, State, is_same_state, net};

use super::classify::{Later, PlaceClass, classify};
use super::now::Now;

/// Returns the undos of `operation` that did a part of it, and the undos of those; oldest first. `operations`
/// are newest first.
pub fn attempts<'o>(operations: &'o [Operation], operation: &Operation) -> Vec<&'o Operation> {
    let mut ids = BTreeSet::from([operation.id.as_str()]);
    let mut attempts = Vec::new();
    for later in operations.iter().rev() {
        let undoes = later.undoes.as_deref().is_some_and(|undone| ids.contains(undone));
        if undoes && later.undone_by.is_none() {
            ids.insert(&later.id);
            attempts.push(later);
        }
    }
    attempts
}

/// Returns the net of an operation that has made the changes `own` and of undos of it that have made the
/// changes `back` since. Empty if an undo found something else than what was left before it: then what was
/// there is another's work.
pub fn continued(own: &[Change], back: &[Change]) -> Vec<Net> {
    let mut states: HashMap<&JournalPlace, &State> =
        own.iter().map(|change| (&change.place, &change.after)).collect();
    let mut continuing = Vec::new();
    for (index, change) in back.iter().enumerate() {
        // A place of its own, that nothing of the operation is about: only spare names matter. What is in the
        // reserve stays there for the redo.
        let is_spare = !states.contains_key(&change.place);
        if is_spare && (change.moved_from.is_none() || change.place.is_reserved()) {
            continue;
        }
        let stood = states.insert(&change.place, &change.after).unwrap_or(&State::Missing);
        if !is_same_state(stood, &change.before) {
            return Vec::new();
        }
        continuing.push(index);
    }
    if continuing.is_empty() {
        return Vec::new();
    }
    net(own.iter().chain(continuing.into_iter().map(|index| &back[index])))
}

/// Returns what is to be undone, given the current states `now`, of an operation with the net `own`, which
/// was `continued` by undos that were cut off. Each place counts as those left it, or, if it is not so, as
/// the operation did.
pub fn rest(own: &[Net], continued: &[Net], now: &Now) -> Vec<Net> {
    let as_left = |net: &Net| {
        matches!(classify(net, now, Later::Refuse), Ok(PlaceClass::AsBefore | PlaceClass::AsAfter))
    };
    let mut later: HashMap<&JournalPlace, &Net> =
        continued.iter().filter(|net| as_left(net)).map(|net| (&net.place, net)).collect();
    let places = own.iter().map(|net| later.remove(&net.place).unwrap_or(net).clone()).collect::<Vec<_>>();
    let others = continued.iter().filter(|net| later.contains_key(&net.place)).cloned();
    places.into_iter().chain(others).collect()
}
