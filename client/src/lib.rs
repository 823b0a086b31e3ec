//! The command line: a small blocking program that calls the daemon and shows its answers.
//!
//! [`run`] reads the arguments (`usage`, `args`), resolves them with the environment (`settings`), connects to the
//! daemon or starts it (`connect`), calls one method and renders the result (`commands`). It must not know
//! how an answer is parsed or applied: that is the daemon's, and `clada-protocol` is the language of both
//! sides. Arguments, environment and streams come in as a [`Process`], the only module that asks the system
//! for them; the way out is an exit status, so that everything is dropped in order.
//!
//! Standard output carries results only, everything else goes to standard error. Foreign text is shown with
//! its control characters made visible.

mod args;
mod asking;
mod clipboard;
mod commands;
mod connect;
mod editor;
mod exit;
mod input;
mod interrupt;
mod output;
mod pager;
mod paint;
mod paste;
mod process;
mod program;
mod progress;
mod request;
pub mod review;
mod root;
mod settings;
mod terminal;
mod usage;
mod width;
mod wrap;

use std::process::ExitCode;

pub use process::{Process, Terminals};

use crate::output::report;

/// Carries out the arguments of `process`.
///
/// Returns the exit status: 0 all well, 1 something failed, 2 wrong usage, 3 the daemon cannot be reached.
#[must_use]
pub fn run(mut process: Process) -> ExitCode {
    let status = match usage::parse(&mut process) {
        Ok(args) => {
            let settings = settings::resolve(&process, &args);
            let outcome =
                settings.and_then(|settings| commands::run(&mut process, &settings, args.command.as_ref()));
            outcome.unwrap_or_else(|failure| report(&mut process, &failure, args.global.json))
        }
        Err(status) => status,
    };
    status.into()
}
