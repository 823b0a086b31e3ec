//! The class of a place, from its current state and its states before and after the operation, and the
//! meaning of that for undo.
//!
//! Pure; each place by itself.

use clada_journal::{Net, State};

use super::attributes::Altered;
use super::now::{CurrentFile, CurrentState, Now};
use super::refusal::Reason;

/// The treatment of changes that were made since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Later {
    /// They keep the operation from being undone.
    Refuse,
    /// Those of text are kept, if they touch other lines.
    Merge,
    /// They are overwritten.
    Force,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceClass {
    /// It is as it was before the operation: nothing is to be done.
    AsBefore,
    AsAfter,
    /// It is neither, and that is to be merged or overwritten.
    ChangedSince,
    /// It is neither, and that keeps the operation from being undone.
    Conflict,
}

pub(super) fn classify(net: &Net, now: &Now, later: Later) -> Result<PlaceClass, Reason> {
    let current = now.at(&net.place);
    if let (CurrentState::Folder(now), State::Folder(before), State::Folder(after), false) =
        (current, &net.before, &net.after, net.is_new)
    {
        // A mode that was changed again since is left alone.
        let stands = now == after && before != after;
        return Ok(if stands { PlaceClass::AsAfter } else { PlaceClass::AsBefore });
    }
    if current.is(&net.before) && has_attributes_of(current, &net.before, net) {
        return Ok(PlaceClass::AsBefore);
    }
    if current.is(&net.after) && has_attributes_of(current, &net.after, net) {
        return Ok(PlaceClass::AsAfter);
    }
    let goes_on = match later {
        Later::Refuse => false,
        Later::Merge => may_be_merged(current, net),
        Later::Force => may_be_overwritten(current, net),
    };
    if goes_on {
        return Ok(PlaceClass::ChangedSince);
    }
    Err(match current {
        CurrentState::Missing | CurrentState::File(_) | CurrentState::Link(_) if later == Later::Merge => {
            Reason::NotMergeable
        }
        CurrentState::Missing => Reason::Missing,
        CurrentState::File(_) | CurrentState::Link(_) => Reason::Changed,
        CurrentState::Special | CurrentState::Folder(_) => Reason::InTheWay,
        CurrentState::Unknown(why) => Reason::Unknown(why.clone()),
    })
}

/// Returns true if a file has the attributes of `state`, or a folder its mode, as far as the operation has
/// changed them; what it left alone may be changed by others.
fn has_attributes_of(current: &CurrentState, state: &State, net: &Net) -> bool {
    match (current, state, &net.before) {
        // Of a file that could not be read when the operation ended, no more is known than that its mode changed.
        (CurrentState::File(file), State::File { metadata: Some(metadata), .. }, _)
            if !file.is_readable && matches!(net.after, State::Large(_)) =>
        {
            file.metadata.mode == metadata.mode
        }
        (
            CurrentState::File(file),
            State::File { metadata: Some(metadata), .. },
            State::File { metadata: Some(before), .. },
        ) => {
            let altered = Altered::by(net, &net.place, before);
            match std::ptr::eq(state, &net.before) {
                true => altered.is_back(&file.metadata, metadata),
                false => altered.is_left(&file.metadata, metadata),
            }
        }
        (CurrentState::Folder(now), State::Folder(mode), State::Folder(_)) if net.is_new => now == mode,
        _ => true,
    }
}

/// Returns true if a file was, is and has to be text that can be merged, as far as is known before it is
/// read.
fn may_be_merged(current: &CurrentState, net: &Net) -> bool {
    matches!(current, CurrentState::File(CurrentFile { hash: Some(_), .. }))
        && matches!(net.after, State::File { .. })
        && matches!(net.before, State::File { .. } | State::Missing)
}

/// Returns true if the current content of a place may be lost to the content before: only what the undo
/// itself keeps, and nothing is removed that is not of the kind that the operation made.
fn may_be_overwritten(current: &CurrentState, net: &Net) -> bool {
    match current {
        CurrentState::Missing => true,
        // It moves to the reserve where its content cannot be kept.
        CurrentState::File(_) => match &net.before {
            State::Missing => matches!(net.after, State::File { .. } | State::Large(_)),
            State::Folder(_) => false,
            _ => true,
        },
        CurrentState::Link(_) => match &net.before {
            State::Missing => matches!(net.after, State::Link(_)),
            State::Folder(_) => false,
            _ => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use clada_fs::{Identity, Metadata, Timestamp};
    use clada_journal::JournalPlace;

    use super::*;

    /// The content, the owner and the mode of a file.
    type Attributes = (&'static str, u32, u32);

    const TIME: Timestamp = Timestamp { seconds: 0, nanoseconds: 0 };
    const BEFORE: Attributes = ("old", 1, 0o600);

    fn metadata((_, uid, mode): Attributes) -> Metadata {
        Metadata { mode, uid, gid: uid, xattrs: Vec::new() }
    }

    fn class(after: Attributes, found: Attributes) -> Result<PlaceClass, Reason> {
        let place = JournalPlace { root: "/".into(), relative: "f".into() };
        let hash = |(content, ..): Attributes| blake3::hash(content.as_bytes());
        let state = |of: Attributes| State::File { hash: hash(of), metadata: Some(metadata(of)) };
        let current = CurrentFile {
            hash: Some(hash(found)),
            identity: Identity { dev: 0, ino: 1, size: 4, mtime: TIME, ctime: TIME },
            metadata: metadata(found),
            is_readable: true,
        };
        let mut now = Now::default();
        now.states.insert(place.clone(), CurrentState::File(current));
        let net = Net { place, before: state(BEFORE), after: state(after), is_new: false, came_from: None };
        classify(&net, &now, Later::Refuse)
    }

    /// A file is as before only if its owner is the one of before; it is as the operation left it whoever owns it,
    /// since nobody but root can give a file back.
    #[test]
    fn a_file_is_as_before_or_as_after_by_what_was_changed_of_it() {
        use PlaceClass::{AsAfter, AsBefore};
        let rows: [(Attributes, Attributes, Result<PlaceClass, Reason>); 13] = [
            // Content alone.
            (("new", 1, 0o600), ("old", 1, 0o600), Ok(AsBefore)),
            (("new", 1, 0o600), ("new", 1, 0o600), Ok(AsAfter)),
            (("new", 1, 0o600), ("mine", 1, 0o600), Err(Reason::Changed)),
            (("new", 1, 0o600), ("old", 3, 0o644), Ok(AsBefore)),
            (("new", 1, 0o600), ("new", 3, 0o644), Ok(AsAfter)),
            // The owner alone.
            (("old", 2, 0o600), ("old", 1, 0o600), Ok(AsBefore)),
            (("old", 2, 0o600), ("old", 2, 0o600), Ok(AsAfter)),
            (("old", 2, 0o600), ("old", 3, 0o600), Ok(AsAfter)),
            // Content and owner.
            (("new", 2, 0o600), ("new", 1, 0o600), Ok(AsAfter)),
            (("new", 2, 0o600), ("old", 2, 0o600), Err(Reason::Changed)),
            // The mode alone.
            (("old", 1, 0o644), ("old", 1, 0o600), Ok(AsBefore)),
            (("old", 1, 0o644), ("old", 1, 0o644), Ok(AsAfter)),
            (("old", 1, 0o644), ("old", 1, 0o666), Err(Reason::Changed)),
        ];
        for (after, found, expected) in rows {
            assert_eq!(class(after, found), expected, "{after:?}, {found:?}");
        }
    }
}
