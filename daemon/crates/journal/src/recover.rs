//! Recovery: derives what an operation that was cut off has done from the current state of its places.
//!
//! Pure: the caller reads the files. A place that holds neither what was before nor what was to come of any
//! change has been changed by another process, and is left alone.

// Example: clada is killed before it has made the third of four recorded changes.
//
//     change        before    after     now     outcome
//     1  create a   missing   "1"       "2"     Applied: a later change of the same place was made
//     2  edit a     "1"       "2"       "2"     Applied: the last change whose after-state is there
//     3  edit a     "2"       "3"       "2"     NotApplied: it comes after that one
//     4  delete b   "x"       missing   "x"     NotApplied: no after-state is there, and the first before-state is
//
// If another program has written "9" to `a` meanwhile, 1 to 3 are Unknown: neither "9" nor anything that leads to
// it is on record, so that nobody knows what was made first, and `a` is left alone.
//
// A change of a mode alone has the same content before and after. Then the mode decides: `chmod 755 a` is Applied if
// `a` has 755 now, and NotApplied if it has the 644 of before.

use std::collections::HashMap;

use clada_fs::Identity;

use super::operation::{Change, JournalPlace, State};

/// The finding about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// It was made.
    Applied,
    /// It was not made.
    NotApplied,
    /// Another process has changed the place since.
    Unknown,
}

impl ChangeOutcome {
    pub(super) fn stored(self) -> Option<bool> {
        match self {
            ChangeOutcome::Applied => Some(true),
            ChangeOutcome::NotApplied => Some(false),
            ChangeOutcome::Unknown => None,
        }
    }
}

/// Returns for each of `changes`, in their order, whether it was made; `now` returns the current state of a
/// place, if it is known.
pub fn recovered(
    changes: &[Change],
    mut now: impl FnMut(&JournalPlace) -> Option<State>,
) -> Vec<ChangeOutcome> {
    let mut by_place: HashMap<&JournalPlace, Vec<usize>> = HashMap::new();
    for (index, change) in changes.iter().enumerate() {
        by_place.entry(&change.place).or_default().push(index);
    }
    let mut outcomes = vec![ChangeOutcome::Unknown; changes.len()];
    for (place, indexes) in by_place {
        let Some(now) = now(place) else { continue };
        // The last change whose outcome is there: a text that went and came back was, in effect, never
        // changed.
        let last = indexes.iter().rposition(|index| is_same_state(&now, &changes[*index].after));
        let before = &changes[indexes[0]].before;
        let untouched = is_same_state(&now, before);
        // Changes that differ in a mode alone are distinguished by that.
        let after = |position: usize| &changes[indexes[position]].after;
        let last = match last {
            Some(last) if same_attributes(&now, after(last)) == Some(false) => {
                let exact = |index: &usize| {
                    let after = &changes[*index].after;
                    is_same_state(&now, after) && same_attributes(&now, after) == Some(true)
                };
                let never = untouched && same_attributes(&now, before) == Some(true);
                indexes.iter().rposition(exact).or((!never).then_some(last))
            }
            last => last,
        };
        for (position, index) in indexes.iter().enumerate() {
            outcomes[*index] = match last {
                Some(last) if position <= last => ChangeOutcome::Applied,
                Some(_) => ChangeOutcome::NotApplied,
                None if untouched => ChangeOutcome::NotApplied,
                None => ChangeOutcome::Unknown,
            };
        }
    }
    outcomes
}

fn same_attributes(now: &State, expected: &State) -> Option<bool> {
    match (now, expected) {
        (State::File { metadata: Some(now), .. }, State::File { metadata: Some(expected), .. }) => {
            Some(now == expected)
        }
        (State::Folder(now), State::Folder(expected)) => Some(now == expected),
        _ => None,
    }
}

/// Returns whether `now` matches `expected`, as far as that says anything.
pub fn is_same_state(now: &State, expected: &State) -> bool {
    match (now, expected) {
        (State::File { hash: now, .. }, State::File { hash: expected, .. }) => now == expected,
        (State::Folder(_), State::Folder(_)) => true,
        // Moving a file changes its ctime, and nothing else.
        (State::Large(now), State::Large(expected)) => {
            let same = |identity: &Identity| (identity.dev, identity.ino, identity.size, identity.mtime);
            same(now) == same(expected)
        }
        (now, expected) => now == expected,
    }
}
