//! What is done to take an operation back, as data.

use std::sync::Arc;

use clada_fs::Metadata;
use clada_journal::JournalPlace;
use clada_protocol::ChangeKind;

use super::refusal::Conflict;
use crate::write::Before;

/// How an operation is taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reverse {
    /// What has to be done, in order.
    pub steps: Vec<Step>,
    /// What that does to each path.
    pub changes: Vec<Change>,
    /// Folders of the operation that stay, since they hold other files.
    pub stay: Vec<JournalPlace>,
    /// With [`Later::Force`](super::classify::Later::Force): what cannot be brought back.
    pub lost: Vec<Conflict>,
}

/// What is done to a path, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub place: JournalPlace,
    /// What.
    pub kind: ChangeKind,
    /// Of a move: where from.
    pub from: Option<JournalPlace>,
    /// What was changed since is kept.
    pub merged: bool,
}

/// One step, and the [`Change`] that it is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// Of [`Reverse::changes`], which; `None` for a step on the way.
    pub change: Option<usize>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// A folder comes to be.
    MakeFolder {
        /// Where.
        place: JournalPlace,
        /// Its permission bits; `None`: those of any new folder.
        mode: Option<u32>,
    },
    /// An empty folder goes.
    RemoveFolder {
        /// Which.
        place: JournalPlace,
    },
    /// A file or link goes.
    Remove {
        /// Which.
        place: JournalPlace,
        /// What must be there.
        before: Before,
    },
    /// A file or link moves to where nothing is.
    Move {
        /// From here.
        from: JournalPlace,
        /// To there.
        to: JournalPlace,
        /// What must be there.
        before: Before,
    },
    /// A file's content changes, or it comes to be.
    Write {
        /// Which.
        place: JournalPlace,
        /// What must be there.
        before: Before,
        /// What it will hold.
        content: Arc<[u8]>,
        /// What it will have besides; `None`: what it has.
        metadata: Option<Metadata>,
    },
    /// A link comes to be where nothing is.
    Link {
        /// Where.
        place: JournalPlace,
        /// Where it points.
        target: Vec<u8>,
    },
}

impl StepKind {
    /// The place at which nothing is left.
    pub(super) fn leaves(&self) -> Option<&JournalPlace> {
        match self {
            StepKind::RemoveFolder { place } | StepKind::Remove { place, .. } => Some(place),
            StepKind::Move { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The place at which something comes to be, or changes.
    pub(super) fn arrives(&self) -> Option<&JournalPlace> {
        match self {
            StepKind::MakeFolder { place, .. }
            | StepKind::Write { place, .. }
            | StepKind::Link { place, .. } => Some(place),
            StepKind::Move { to, .. } => Some(to),
            StepKind::RemoveFolder { .. } | StepKind::Remove { .. } => None,
        }
    }
}
