//! The engine and the server.

mod args;
mod log;
pub mod process;
pub mod rpc;
mod serve;
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
