//! Finds what a command has changed in a project, from a snapshot before and a walk after.
//!
//! The content of a file that is as it was committed need not be kept: it comes from git afterwards. The
//! contents of the others are kept as far as there is room, so that they can be restored; the rest is
//! reported, before and after. Files that git ignores are left out, since the output of builds is not kept.
//! Those that the operation itself has made ignored are not left out ([`Spared`]).
//!
//! A snapshot costs what changed since the one before it: a file that shows no change is not read
//! ([`CachedSnapshot`]), and only what is new in a snapshot is written ([`LogAppend`]). So a process that
//! follows one that was ended finds out what its command did.
//!
//! Reads files and changes nothing. Knows neither commands nor operations, nor where things are kept.

mod cache;
mod changes;
mod coverage;
mod encoding;
mod git;
mod log;
mod repositories;
mod risk;
mod snapshot;
mod stamp;
mod stamps;
mod take;
mod visit;

#[cfg(test)]
mod tests;

pub use cache::{CachedSnapshot, SnapshotCache};
pub use changes::{CommandChanges, PostImages};
pub use coverage::Room;
pub use git::Git;
pub use log::{LogAppend, LogRecords, NewSnapshot, ReadySnapshot, SavedSnapshot};
pub use repositories::{NewRepositories, Repositories};
pub use risk::{AtRisk, Linked};
pub use snapshot::TreeSnapshot;
pub use visit::{Spared, repositories_in};
