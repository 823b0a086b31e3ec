//! The journal of operations, or undo log: records the pre-image of every change durably, before the change
//! is made.
//!
//! Knows states of paths and contents, in the store of one project; not actions, not dialects, and not how a
//! change is made. The caller that changes files hands in what each place is before and will be after
//! ([`Journal::begin`]), makes the changes, and records what was done ([`Journal::finish`]). Every method is
//! one transaction; the caller holds the lock of the root.

mod checkpoints;
mod current;
mod editor_parts;
mod encode;
mod journal;
mod net;
mod operation;
mod recover;
mod registry;
mod retention;
mod rows;
mod snapshots;
mod summary;
mod tables;

#[cfg(test)]
mod tests;

pub use checkpoints::{CHECKPOINTS, Checkpoint, Recorded};
pub use current::{current_state, journal_place};
pub use editor_parts::{EditorPart, PendingPart};
pub use encode::{Compressed, json};
pub use journal::{Completion, FILE, Journal, Opened, SHORTEST, folder, path, shortest};
pub use net::{Net, net};
pub use operation::{
    Change, ChangedSum, Committed, Images, JournalPlace, Operation, OperationDetails, OperationKind,
    OperationStatus, Outline, State,
};
pub use registry::{
    Applied, AppliedActions, FoundRecord, GivenRight, JournalRegistry, OpenJournal, ProjectJournal, Record,
    Retention, applied, fallback_folder, note_owner,
};

pub use recover::{ChangeOutcome, is_same_state, recovered};
pub use snapshots::{SnapshotLog, SnapshotRecords};
pub use summary::{summary, summary_of_lost};
