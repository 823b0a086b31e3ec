//! The command line as a process, against a daemon that each test scripts.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "tests run the program and lay out files")]

mod apply;
mod clipboard;
mod commands;
mod doctor;
mod fake;
mod first;
mod forget;
mod interactive;
mod listen;
mod pasting;
mod planned;
mod progress;
mod starting;
#[path = "../../../tests/support/terminal.rs"]
mod terminal;
mod usage;
