//! Commands that are run for real, with the daemon's own program as their helper.

// Tests start programs, write the files that these need, print what they could not try, and fail by panicking.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

mod code;
mod enclosed;
mod ending;
mod escapes;
mod place;
mod probes;
mod running;
