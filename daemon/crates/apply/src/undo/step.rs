//! The steps that undo an operation, as data.

use std::sync::Arc;

use clada_fs::Metadata;
use clada_journal::JournalPlace;
use clada_protocol::ChangeKind;

use super::refusal::Conflict;
use crate::write::Before;

/// The undo of an operation, planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reverse {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The changes that they make to each path.
    pub changes: Vec<Change>,
    /// Folders of the operation that stay, since they hold other files.
    pub stay: Vec<JournalPlace>,
    /// The places that cannot be brought back, with [`Later::Force`](super::classify::Later::Force).
    pub lost: Vec<Conflict>,
}

impl Reverse {
    /// Returns the places in the reserve to which files move.
    pub fn reserved_places(&self) -> impl Iterator<Item = &JournalPlace> {
        self.steps.iter().filter_map(|step| step.kind.arrives()).filter(|place| place.is_reserved())
    }
}

/// A change of a path, as it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its place.
    pub place: JournalPlace,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The source of a move.
    pub from: Option<JournalPlace>,
    /// True if what was changed since is kept.
    pub merged: bool,
}

/// One step, and the [`Change`] that it is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The work of the step.
    pub kind: StepKind,
    /// Its index in [`Reverse::changes`]; `None` for a step on the way.
    pub change: Option<usize>,
}

/// The work of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// A folder gets other permission bits.
    FolderMode {
        /// Its place.
        place: JournalPlace,
        /// The bits that it has.
        before: u32,
        /// Its new bits.
        mode: u32,
    },
    /// A folder comes to be.
    MakeFolder {
        /// Its place.
        place: JournalPlace,
        /// Its permission bits; `None`: those of any new folder.
        mode: Option<u32>,
    },
    /// An empty folder goes.
    RemoveFolder {
        /// Its place.
        place: JournalPlace,
    },
    /// A file or link goes.
    Remove {
        /// Its place.
        place: JournalPlace,
        /// The state that must be there.
        before: Before,
    },
    /// A file or link moves to where nothing is.
    Move {
        /// Its source.
        from: JournalPlace,
        /// Its target.
        to: JournalPlace,
        /// The state that must be there.
        before: Before,
    },
    /// A file's content changes, or it comes to be.
    Write {
        /// Its place.
        place: JournalPlace,
        /// The state that must be there.
        before: Before,
        /// Its new content.
        content: Arc<[u8]>,
        /// Its new attributes; `None`: those that it has.
        metadata: Option<Metadata>,
    },
    /// A link comes to be where nothing is.
    Link {
        /// Its place.
        place: JournalPlace,
        /// Its target.
        target: Vec<u8>,
    },
}

impl StepKind {
    /// Returns the place at which nothing is left.
    pub(super) fn leaves(&self) -> Option<&JournalPlace> {
        match self {
            StepKind::RemoveFolder { place } | StepKind::Remove { place, .. } => Some(place),
            StepKind::Move { from, .. } => Some(from),
            _ => None,
        }
    }

    pub(super) fn arrives(&self) -> Option<&JournalPlace> {
        match self {
            StepKind::MakeFolder { place, .. }
            | StepKind::FolderMode { place, .. }
            | StepKind::Write { place, .. }
            | StepKind::Link { place, .. } => Some(place),
            StepKind::Move { to, .. } => Some(to),
            StepKind::RemoveFolder { .. } | StepKind::Remove { .. } => None,
        }
    }
}
