//! What stands at the places of an operation now. Data only; [`super::survey`] fills it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;

use blake3::Hash;
use clada_fs::{Identity, Metadata};
use clada_journal::{JournalPlace, State};

use crate::write::Before;

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurrentState {
    /// Nothing.
    Missing,
    /// A regular file.
    File(CurrentFile),
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// A folder with these permission bits.
    Folder(u32),
    /// A FIFO, socket or device.
    Special,
    /// It cannot be looked at; why.
    Unknown(String),
}

/// A regular file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentFile {
    /// Its content; `None` if it is too large to be kept.
    pub hash: Option<Hash>,
    /// Which file it is.
    pub identity: Identity,
    /// What it has besides its content.
    pub metadata: Metadata,
}

impl CurrentState {
    /// Whether it is what `state` says. Modes do not count, nor when a file too large to be kept was last
    /// moved.
    pub(super) fn is(&self, state: &State) -> bool {
        match (self, state) {
            (CurrentState::Missing, State::Missing) | (CurrentState::Folder(_), State::Folder(_)) => true,
            (CurrentState::File(found), State::File { hash, .. }) => found.hash == Some(*hash),
            (CurrentState::File(found), State::Large(identity)) => {
                Identity { ctime: identity.ctime, ..found.identity } == *identity
            }
            (CurrentState::Link(now), State::Link(target)) => now == target,
            _ => false,
        }
    }

    /// What has to be there right before it is changed; `None` for what is never changed.
    pub(super) fn before(&self) -> Option<Before> {
        Some(match self {
            CurrentState::Missing => Before::Missing,
            CurrentState::File(found) => match found.hash {
                Some(hash) => Before::Content(hash),
                None => Before::File(found.identity),
            },
            CurrentState::Link(target) => Before::Symlink(target.clone()),
            CurrentState::Folder(_) | CurrentState::Special | CurrentState::Unknown(_) => return None,
        })
    }
}

/// What stands at all places that matter, and what their folders hold.
#[derive(Debug, Clone, Default)]
pub struct Now {
    /// Places of the operation and the folders above them. Where there is no entry, there is nothing.
    pub states: HashMap<JournalPlace, CurrentState>,
    /// The names in folders that may have to go.
    pub entries: BTreeMap<JournalPlace, Vec<OsString>>,
}

impl Now {
    /// What stands at `place`.
    #[must_use]
    pub fn at(&self, place: &JournalPlace) -> &CurrentState {
        self.states.get(place).unwrap_or(&CurrentState::Missing)
    }

    /// The names in the folder at `place`.
    #[must_use]
    pub fn names(&self, place: &JournalPlace) -> &[OsString] {
        self.entries.get(place).map_or(&[], Vec::as_slice)
    }
}
