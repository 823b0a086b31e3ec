//! The net effect of an operation on each place: from before its first change there to after its last one.
//!
//! Pure. Changes that were not made do not count.

use std::collections::HashMap;

use super::operation::{Change, JournalPlace, State};
use super::recover::is_same_state;

/// The net change of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    /// The place.
    pub place: JournalPlace,
    /// The state before the operation.
    pub before: State,
    /// The state after it.
    pub after: State,
    /// The place that the current content had before the operation, if that was another one.
    pub came_from: Option<JournalPlace>,
    /// The operation created what is there, also if something of the same kind was there before.
    pub is_new: bool,
}

/// Returns the places that differ from before, in the order in which they were first changed.
#[must_use]
pub fn net<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Vec<Net> {
    let mut places: Vec<Net> = Vec::new();
    let mut index: HashMap<&JournalPlace, usize> = HashMap::new();
    // The original place of the current content of each place.
    let mut origins: HashMap<&JournalPlace, Option<JournalPlace>> = HashMap::new();
    for change in changes {
        let origin_of =
            |place: &JournalPlace| origins.get(place).cloned().unwrap_or_else(|| Some(place.clone()));
        let origin = match &change.moved_from {
            Some(from) => origin_of(from),
            None if is_same_state(&change.before, &State::Missing) => None,
            // What goes may be about to come somewhere else; a text that is changed in its place is still
            // what came from there.
            None => origin_of(&change.place),
        };
        origins.insert(&change.place, origin);
        match index.get(&change.place) {
            Some(at) => places[*at].after = change.after.clone(),
            None => {
                index.insert(&change.place, places.len());
                places.push(Net {
                    place: change.place.clone(),
                    before: change.before.clone(),
                    after: change.after.clone(),
                    came_from: None,
                    is_new: false,
                });
            }
        }
    }
    for place in &mut places {
        if is_same_state(&place.after, &State::Missing) {
            continue;
        }
        let origin = origins.get(&place.place).cloned().flatten();
        place.is_new = origin.is_none();
        place.came_from = origin.filter(|from| *from != place.place);
    }
    // A new file may have another mode.
    let is_other = |place: &Net| place.is_new && !matches!(place.after, State::Link(_));
    places.retain(|place| !same(&place.before, &place.after) || place.came_from.is_some() || is_other(place));
    places
}

fn same(before: &State, after: &State) -> bool {
    match (before, after) {
        (
            State::File { metadata: Some(before_metadata), .. },
            State::File { metadata: Some(metadata), .. },
        ) => is_same_state(before, after) && before_metadata == metadata,
        (State::Folder(before), State::Folder(after)) => before == after,
        _ => is_same_state(before, after),
    }
}
