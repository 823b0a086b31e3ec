//! The daemon's life and its clients all at once, with real processes.
//!
//! Nothing here waits for time to pass: tests wait for a line, an answer, a change of a folder or the end of
//! a process, with [`place::PATIENCE`] as a guard against hanging. An operation that has to be held up in the
//! middle is held up by the lock of the project's root, which every operation needs and a test can take too.

#![allow(clippy::print_stdout, reason = "numbers that are told and not asserted")]

mod cancelling;
mod crowd;
mod ending;
mod engines;
mod folder;
mod forbidden;
mod killed;
mod memory;
mod place;
mod starting;
mod stdio;
mod units;
mod versions;
mod wire;
