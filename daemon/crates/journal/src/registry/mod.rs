//! The journals of projects: finds and opens one when it is needed, and maintains it. A [`ProjectJournal`] is
//! the journal of one project; a process has one for each, so that it is opened once.
//!
//! Knows the folder of state and the path of each project's journal; not what an operation does. Recovery,
//! and every caller that replaces a journal's file, holds the lock of the root.

#![allow(
    clippy::disallowed_methods,
    reason = "the folders of state are clada's own, also the one in a project"
)]

mod applied;
mod forgetting;
mod journals;
mod location;
mod maintenance;
mod owner;
mod ownership;
mod reserve;
mod rights;

pub use applied::{Applied, AppliedActions, applied};
pub use forgetting::Record;
pub use journals::{JournalRegistry, OpenJournal, ProjectJournal};
pub use location::fallback_folder;
pub use maintenance::Retention;
pub use owner::note_owner;
pub use ownership::FoundRecord;
pub use rights::GivenRight;
