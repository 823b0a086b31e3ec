//! Staging: what changed since last time, copied under flat names into a folder of its own, with a manifest.
//!
//! - `names`, `manifest`, `ignore`: what a file is called, what is said of it, which are left out. Pure but for two files
//!   with rules.
//! - `catalog` (and `tables`): what is known of the project's files, and what each baseline had of them.
//! - `sight`, `taking`: looking at files, and which of them are handed on.
//! - `folder`, `remove`: staging folders, made and deleted through descriptors alone.
//! - `sweep`: deleting large ones while nobody waits.
//! - `returning` (and `origins`): copies that come back, which files they are of, and what they were made of.
//! - `handing`, `handed`: puts them together. A stage is complete, and put down, before anybody is told of it; the baseline moves
//!   only when whoever asked has confirmed that he has it.
//!
//! Changes nothing in a project. Must not know sessions, sockets, or how it became known what changed.

mod catalog;
mod error;
mod filling;
mod folder;
mod handed;
mod handing;
mod ignore;
mod manifest;
mod names;
mod origins;
mod remove;
mod returning;
mod shelf;
mod sight;
mod stores;
mod sweep;
mod tables;
mod taking;
#[cfg(test)]
mod tests;

pub use error::StageError;
pub use handing::{Handed, Last, Rules, See, Seen, Session, Wanted};
pub use ignore::{DEFAULT as DEFAULT_IGNORE, FILES as IGNORE_FILES, StageIgnore, written as written_rules};
pub use returning::{Bounds, Copy, MadeOf, find as find_copies};
pub use sight::Looking;
pub use stores::{HeldStore, StageStore, Stores};
pub use sweep::{is_left, sweep};
pub use taking::{Care, Index, Scope, Taken, Touched};
