//! Commands that are run for real, with the daemon's own program as their helper.

// Tests start programs, write the files that these need, and fail by panicking.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod code;
mod enclosed;
mod ending;
mod escapes;
mod place;
mod running;
