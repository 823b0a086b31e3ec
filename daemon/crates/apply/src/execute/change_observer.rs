//! An observer of the changes that an operation makes, so that they can be told from those of others.

use std::fmt::Debug;

use clada_fs::Identity;
use clada_journal::JournalPlace;

/// An observer of an operation's changes as they are made.
pub trait ChangeObserver: Debug {
    /// The operation is about to change what is at `place`.
    fn will_change(&self, place: &JournalPlace);

    /// The operation has changed it, and `now` was there right after; `None`: nothing.
    fn changed(&self, place: &JournalPlace, now: Option<Identity>);

    /// The operation changes nothing more of what it was about to change.
    fn finished(&self);
}
