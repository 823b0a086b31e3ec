//! What was done of an operation that was cut off, told from what stands at its places now.
//!
//! Pure: whoever calls looks at the files. A place that holds neither what was before nor what was to come of any
//! change has been changed by somebody else, and is left alone.

use std::collections::HashMap;

use super::record::{Change, Place, State};

/// Whether a change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It was.
    Yes,
    /// It was not.
    No,
    /// Somebody else has changed the place since.
    Unknown,
}

impl Made {
    /// As the record keeps it.
    pub(super) fn stored(self) -> Option<bool> {
        match self {
            Made::Yes => Some(true),
            Made::No => Some(false),
            Made::Unknown => None,
        }
    }
}

/// For each of `changes`, in their order, whether it was made; `now` says what stands at a place.
pub fn recovered(changes: &[Change], mut now: impl FnMut(&Place) -> State) -> Vec<Made> {
    let mut by_place: HashMap<&Place, Vec<usize>> = HashMap::new();
    for (index, change) in changes.iter().enumerate() {
        by_place.entry(&change.place).or_default().push(index);
    }
    let mut made = vec![Made::Unknown; changes.len()];
    for (place, indexes) in by_place {
        let now = now(place);
        // The last change whose outcome is there: a text that went and came back was, in effect, never changed.
        let last = indexes.iter().rposition(|index| is(&now, &changes[*index].after));
        let untouched = is(&now, &changes[indexes[0]].before);
        for (position, index) in indexes.iter().enumerate() {
            made[*index] = match last {
                Some(last) if position <= last => Made::Yes,
                Some(_) => Made::No,
                None if untouched => Made::No,
                None => Made::Unknown,
            };
        }
    }
    made
}

/// Whether `now` is what `expected` says, as far as it says anything.
pub fn is(now: &State, expected: &State) -> bool {
    match (now, expected) {
        (State::File { hash: now, .. }, State::File { hash: expected, .. }) => now == expected,
        (State::Folder(_), State::Folder(_)) => true,
        (now, expected) => now == expected,
    }
}
