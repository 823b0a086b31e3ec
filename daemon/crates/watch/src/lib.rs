//! Knows what changed in a project, without ever being wrong.
//!
//! The guarantee: an answer has seen every change that was finished before the query, or it is an error, or
//! the whole tree was read for it. It rests on three things:
//!
//! - **A change event is only a hint** ([`Source`], `dirty_set`): the change itself is found by reading the
//!   place (`reconcile`), and nothing is concluded from the kind of the event.
//! - **A folder is watched before it is listed** (`read`), and its subfolders are treated the same way; so an
//!   entry that is made in between is seen twice and never missed.
//! - **The queue is read before an answer** ([`Watches::look`]): Linux queues the event before the call that
//!   made the change returns; on macOS the look waits for the event of a file of its own (`notify`).
//!
//! No event comes for a file system that is mounted over a folder; the kernel's table of mounts is read
//! instead (`mounts`). Where events can go missing (a queue that ran over, a look that was broken off) the
//! next look reads everything; where none can be had (too many folders, a file system of another machine)
//! every look does. Tracked files that ignore rules hide are read each time (`tracked`), for their folders
//! are not watched.
//!
//! Reads files through [`clada_fs`] alone, asks [`clada_git`] which it tracks, and changes none; on macOS it
//! makes and deletes an empty one of its own. Must not know actions, sessions, sockets, or the purpose of a
//! query. Synchronous; the time comes in as a value.

mod clock;
mod dirty_set;
mod index;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
mod mounts;
#[cfg(any(target_os = "macos", test))]
mod notify;
mod owners;
mod read;
mod reconcile;
mod routes;
mod self_originated;
mod source;
mod survey;
#[cfg(test)]
mod tests;
mod tracked;
mod watched;
mod watches;

pub use clada_git::GitUser;
pub use clock::{Clock, NoClock};
pub use dirty_set::Listener;
pub use index::{Change, Changes};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use inotify::{Inotify, max_user_instances, max_user_watches};
#[cfg(any(target_os = "macos", test))]
pub use notify::Notify;
pub use read::Failure;
pub use self_originated::{ChangeSource, SelfOriginated};
pub use source::{ChangeEvent, Source, SourceError, WatchId, WatchTarget};
pub use survey::{Look, Part, Survey, Surveyed, Visited};
pub use watched::{Care, Degraded, Known, Watched};
pub use watches::Watches;
