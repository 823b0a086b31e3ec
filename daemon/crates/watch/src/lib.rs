//! Knowing what changed in a project, without ever being wrong.
//!
//! The guarantee: an answer has seen every change that was finished before it was asked for, or it is an error, or
//! the whole tree was looked through for it. It rests on three things:
//!
//! - **Word of a change is only a mark** ([`Source`], `marks`): what has happened is found out by looking
//!   at the place (`settle`), and nothing is concluded from what the word was.
//! - **A folder is watched before it is listed** (`read`), and what turns up in it is treated the same way; so what is
//!   made in between is seen twice and never missed.
//! - **What was queued is read before an answer** ([`Watches::look`]): the kernel queues word of a change before the
//!   call that made it returns.
//!
//! Of what is mounted over a folder no word comes; the kernel's table of mounts is asked (`mounts`).
//! Where word can go missing (a queue that ran over, a look that was broken off) the next look goes through everything;
//! where it cannot be had (too many folders, a file system of another machine) every look does. Tracked
//! files that ignore rules hide are looked at each time (`tracked`), for no folder of theirs is watched.
//!
//! Looks at files through [`clada_fs`] alone, asks [`clada_git`] which it tracks, and changes none. Must not know actions, sessions, sockets, or what
//! somebody wants to know changes for. Synchronous; the time comes in as a value.

mod clock;
mod index;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
mod marks;
mod mounts;
#[cfg(target_os = "linux")]
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

pub use clada_git::Person;
pub use clock::{Clock, NoClock};
pub use index::{Change, Changes};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use inotify::Inotify;
pub use marks::Listener;
#[cfg(target_os = "linux")]
pub use notify::Notify;
pub use own::{Own, Whose};
pub use read::Failure;
pub use source::{Notice, Place, Source, SourceError, WatchId};
pub use watched::{Care, Degraded, Known, Watched};
pub use watches::Watches;
