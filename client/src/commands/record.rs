//! `record`: runs a command with the terminal handed through, and makes one operation of what it changes.
//!
//! The command runs as the user's own: no sandbox, no approval. It waits at a gate, as a second instance of
//! this program, until the checkpoint has begun: so nothing that it does comes before, and the checkpoint
//! knows its process.

#![allow(clippy::disallowed_methods, reason = "the user's own command is run here")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use clada_protocol::method::{CheckpointBegin, CheckpointEnd};
use clada_protocol::{
    CheckpointBeginParams, CheckpointBeginResult, CheckpointEndParams, ExecutionResult, Method, Verbosity,
    recorded_line,
};
use rustix::io::FdFlags;
use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGINT, SIGQUIT};

use super::checkpoint::{tell, tell_warnings};
use crate::Process;
use crate::args::{RecordArgs, called};
use crate::connect::{Connector, OnInterrupt};
use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::request::{fetch, typed};
use crate::root;
use crate::settings::Settings;

/// The statuses of a command that is not there, and of one that cannot be run, as shells have them.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;

pub(super) fn run(process: &mut Process, settings: &Settings, args: &RecordArgs) -> Result<Status, Failure> {
    if let Some(gate) = args.gate {
        return pass(args, gate);
    }
    let root = root::find(process, settings)?;
    let (mut child, gate) = at_the_gate(process, args)?;
    let begun = begin(process, settings, &root, args, &child).and_then(|begun| {
        tell_warnings(process, begun.warnings.iter().map(String::as_str));
        // From now on Ctrl-C is the command's: it has the terminal, too.
        let interrupts = Interrupts::catch_all(&[SIGINT, SIGQUIT]);
        File::from(gate).write_all(b"!").map_err(|error| not_run("open its gate", &error))?;
        Ok((begun, interrupts))
    });
    let ended = child.wait().map_err(|error| not_run("wait for it", &error));
    let (begun, interrupts) = begun?;
    let status = Status::Command(status_of(ended?));
    drop(interrupts);
    let params =
        CheckpointEndParams { root, checkpoint: Some(begun.checkpoint), ..CheckpointEndParams::default() };
    let recorded = Connector::new(process, settings)
        .and_then(|mut connector| connector.call(CheckpointEnd::NAME, &params, OnInterrupt::Cancel))
        .and_then(|result| typed::<ExecutionResult>(CheckpointEnd::NAME, &result));
    match recorded {
        Ok(result) => {
            tell_warnings(process, result.warnings.iter().map(|warning| warning.message.as_str()));
            if settings.verbosity > Verbosity::Quiet {
                let line = recorded_line(&result, called(process));
                tell(process, &line);
            }
        }
        // The status is the command's, whatever became of the record.
        Err(failure) => tell(process, &failure.text(settings.json)),
    }
    Ok(status)
}

fn at_the_gate(process: &Process, args: &RecordArgs) -> Result<(Child, OwnedFd), Failure> {
    let fail = |error: rustix::io::Errno| not_run("make its gate", &error.into());
    let (gate, opener) = pipe_with(PipeFlags::CLOEXEC).map_err(fail)?;
    rustix::io::fcntl_setfd(&gate, FdFlags::empty()).map_err(fail)?;
    let program = process.executable.as_deref().unwrap_or(Path::new("/proc/self/exe"));
    let number = gate.as_raw_fd().to_string();
    let mut command = Command::new(program);
    command.args(["record", "--gate", &number, "--"]).args(&args.command);
    let child = command.spawn().map_err(|error| not_run("start it", &error))?;
    Ok((child, opener))
}

/// A client that has gone never opens it.
fn pass(args: &RecordArgs, gate: i32) -> Result<Status, Failure> {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let opened = File::open(Path::new(folder).join(gate.to_string()));
    let _ = nix::unistd::close(gate);
    let is_open = opened.is_ok_and(|mut gate| gate.read_exact(&mut [0; 1]).is_ok());
    let Some((program, arguments)) = args.command.split_first().filter(|_| is_open) else {
        return Ok(Status::Command(NOT_RUN));
    };
    let error = Command::new(program).args(arguments).exec();
    let shown = program.to_string_lossy();
    let status = if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
    Err(Failure::new(Status::Command(status), format!("cannot run '{shown}': {error}")))
}

fn begin(
    process: &mut Process,
    settings: &Settings,
    root: &str,
    args: &RecordArgs,
    child: &Child,
) -> Result<CheckpointBeginResult, Failure> {
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    let params = CheckpointBeginParams {
        root: root.to_owned(),
        name: Some(args.name.clone().unwrap_or_else(|| words.join(" "))),
        session: settings.session.clone(),
        ttl_ms: None,
        owners: vec![std::process::id(), child.id()],
    };
    fetch::<CheckpointBegin>(process, settings, &params)
}

fn status_of(ended: ExitStatus) -> u8 {
    let by_signal = || ended.signal().map_or(i32::from(NOT_RUN), |signal| 128 + signal);
    u8::try_from(ended.code().unwrap_or_else(by_signal)).unwrap_or(u8::MAX)
}

fn not_run(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(Status::Failed, format!("the command is not run, for clada could not {what}: {error}"))
}
