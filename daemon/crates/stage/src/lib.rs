//! Staging: copies the changes since the last time under flat names into a folder of its own, with a
//! manifest.
//!
//! - `names`, `manifest`, `ignore`: the flat name of a file, its entry in the manifest, and the files that
//!   are left out. Pure but for two files with rules.
//! - `file_index` (and `tables`): the index of the project's files, and the state of each baseline.
//! - `reader`, `collect`: read files, and collect those that are handed on.
//! - `folder`, `folder_table`, `remove`: make and delete staging folders, through descriptors alone.
//! - `gc`: deletes large ones when no caller waits.
//! - `write_back` (and `provenance`): finds the files that returned copies belong to, and the contents that
//!   they were made of.
//! - `run`, `confirm`: combine them. A folder is complete, and recorded, before a caller is notified of
//!   it; the baseline moves only when the caller has confirmed that it has the folder.
//!
//! Changes nothing in a project. Must not know sessions, sockets, or how changes became known.

mod collect;
mod confirm;
mod error;
mod file_index;
mod filling;
mod folder;
mod folder_table;
mod gc;
mod ignore;
mod manifest;
mod names;
mod provenance;
mod reader;
mod remove;
mod run;
mod stores;
mod tables;
#[cfg(test)]
mod tests;
mod write_back;

pub use collect::{Care, Collected, ObservedFiles, Scope, Touched};
pub use error::StageError;
pub use gc::{collect_garbage, is_left};
pub use ignore::{
    DEFAULT as DEFAULT_IGNORE, FILES as IGNORE_FILES, StageIgnore, WrittenRules, written as written_rules,
};
pub use reader::StageReader;
pub use run::{Last, Observe, Observed, Rules, StageOutcome, StageRequest, StageRun};
pub use stores::{HeldStore, IgnoreCache, LeaseCount, Leases, StageStore, set_aside_store};
pub use write_back::{Bounds, Copies, Copy, CopyRequest, MadeOf, find as find_copies};
