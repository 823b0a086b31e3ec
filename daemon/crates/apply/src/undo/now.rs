//! The current state of the places of an operation. Data only; [`super::survey`] fills it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;

use blake3::Hash;
use clada_fs::{Identity, Metadata};
use clada_journal::{JournalPlace, State};

use crate::write::Before;

/// The current state of a place.
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
    /// The file's identity.
    pub identity: Identity,
    /// Its attributes.
    pub metadata: Metadata,
    /// False if clada's user may not read it: its owner has forbidden that to itself, too.
    pub is_readable: bool,
}

impl CurrentState {
    /// Returns true if it is what `state` says. Modes do not count, nor when a file too large to be kept was
    /// last moved.
    pub(super) fn is(&self, state: &State) -> bool {
        match (self, state) {
            (CurrentState::Missing, State::Missing) | (CurrentState::Folder(_), State::Folder(_)) => true,
            (CurrentState::File(file), State::File { hash, .. }) => file.hash == Some(*hash),
            (CurrentState::File(file), State::Large(identity)) => {
                Identity { ctime: identity.ctime, ..file.identity } == *identity
            }
            (CurrentState::Link(now), State::Link(target)) => now == target,
            _ => false,
        }
    }

    /// Returns what has to be there right before it is changed; `None` for what is never changed.
    pub(super) fn before(&self) -> Option<Before> {
        Some(match self {
            CurrentState::Missing => Before::Missing,
            CurrentState::File(file) => match file.hash {
                Some(hash) if file.is_readable => Before::Content(hash),
                _ => Before::File(file.identity),
            },
            CurrentState::Link(target) => Before::Symlink(target.clone()),
            CurrentState::Folder(_) | CurrentState::Special | CurrentState::Unknown(_) => return None,
        })
    }
}

/// The current state of all places that matter, and the names in their folders.
#[derive(Debug, Clone, Default)]
pub struct Now {
    /// Places of the operation and the folders above them. Where there is no entry, there is nothing.
    pub states: HashMap<JournalPlace, CurrentState>,
    /// The names in folders that may have to go.
    pub entries: BTreeMap<JournalPlace, Vec<OsString>>,
    /// Places on which something is mounted.
    pub mounted: BTreeSet<JournalPlace>,
    /// Folders in which clada's user may change nothing, and whose mode it may change.
    pub closed: BTreeSet<JournalPlace>,
    /// Folders in which clada's user may change nothing, each with the reason.
    pub denied: BTreeMap<JournalPlace, String>,
}

impl Now {
    /// Returns the current state of `place`.
    #[must_use]
    pub fn at(&self, place: &JournalPlace) -> &CurrentState {
        self.states.get(place).unwrap_or(&CurrentState::Missing)
    }

    /// Returns the names in the folder at `place`.
    #[must_use]
    pub fn names(&self, place: &JournalPlace) -> &[OsString] {
        self.entries.get(place).map_or(&[], Vec::as_slice)
    }
}
