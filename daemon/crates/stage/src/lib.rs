//! Staging: copies the changes since the last time under flat names into a folder of its own, with a
//! manifest.
//!
//! - `names`, `manifest`, `ignore`: the flat name of a file, its entry in the manifest, and the files that
//!   are left out. Pure but for two files with rules.
//! - `catalog` (and `tables`): the index of the project's files, and the state of each baseline.
//! - `sight`, `taking`: read files, and collect those that are handed on.
//! - `folder`, `remove`: make and delete staging folders, through descriptors alone.
//! - `sweep`: deletes large ones when no caller waits.
//! - `returning` (and `origins`): finds the files that returned copies belong to, and the contents that they
//!   were made of.
//! - `handing`, `handed`: combine them. A folder is complete, and recorded, before a caller is notified of
//!   it; the baseline moves only when the caller has confirmed that it has the folder.
//!
//! Changes nothing in a project. Must not know sessions, sockets, or how changes became known.

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
pub use stores::{HeldStore, IgnoreCache, Leases, StageStore, set_aside_store};
pub use sweep::{is_left, sweep};
pub use taking::{Care, Index, Scope, Taken, Touched};
