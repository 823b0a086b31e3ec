//! Knows what changed in a project, without ever being wrong.
//!
//! The guarantee: an answer has seen every change that was finished before the query, or it is an error, or
//! the whole tree was read for it. It rests on three things:
//!
//! - **A change event is only a mark** ([`Source`], `marks`): the change itself is found by reading the place
//!   (`settle`), and nothing is concluded from the kind of the event.
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
mod index;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
mod marks;
mod mounts;
#[cfg(any(target_os = "macos", test))]
mod notify;
mod own;
mod owners;
mod read;
mod routes;
mod settle;
mod source;
#[cfg(test)]
mod tests;
mod tracked;
mod watched;
mod watches;

pub use clada_git::GitUser;
pub use clock::{Clock, NoClock};
pub use index::{Change, Changes};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use inotify::Inotify;
pub use marks::Listener;
#[cfg(any(target_os = "macos", test))]
pub use notify::Notify;
pub use own::{Own, Whose};
pub use read::Failure;
pub use source::{Notice, Place, Source, SourceError, WatchId};
pub use watched::{Care, Degraded, Known, Watched};
pub use watches::Watches;
