//! The engine and the server.

mod args;
pub mod config;
pub mod edit;
pub mod engine;
pub mod fs;
mod log;
pub mod pipeline;
pub mod process;
pub mod project;
pub mod rpc;
mod serve;
pub mod service;
pub mod session;
mod shutdown;
mod stdio;

use std::process::ExitCode;

use clap::Parser;

use process::Process;
use rpc::{RpcLimits, ServerBuilder};

/// Runs the program: reads its surroundings, does what the arguments say.
#[must_use]
pub fn run() -> ExitCode {
    run_in(&Process::from_system())
}

/// As [`run`], in given surroundings.
#[must_use]
pub fn run_in(process: &Process) -> ExitCode {
    match args::Arguments::try_parse_from(&process.args) {
        Ok(args::Arguments { command: args::Command::Serve(arguments) }) => {
            serve::serve(process, &arguments, assemble)
        }
        Err(error) => {
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

/// Puts the server together: every handler is registered here. Nothing in here may take time.
fn assemble(process: &Process, limits: RpcLimits) -> ServerBuilder {
    ServerBuilder::new(limits, process.uid)
}
