//! Whoever wants to know what an operation does to a place while it does it, so that he can tell its changes from
//! those of others.

use std::fmt::Debug;

use clada_fs::Identity;
use clada_journal::JournalPlace;

/// Told of an operation's changes as they are made.
pub trait ChangeObserver: Debug {
    /// The operation is about to change what is at `place`.
    fn will_change(&self, place: &JournalPlace);

    /// It has changed it, and this is what was there right after; `None`: nothing.
    fn changed(&self, place: &JournalPlace, now: Option<Identity>);

    /// What it was about to change and has not changed so far, it will not change.
    fn finished(&self);
}
