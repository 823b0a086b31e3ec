//! The last step inside bubblewrap: gives up the rights that mounts and namespaces do not take away, and
//! becomes the command.
//!
//! Runs from a descriptor: the daemon's own program need not exist in the sandbox. The command gets no
//! descriptor but standard input, output and error.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit};

use super::descriptors::keep_descriptors_to_ourselves;
use super::keeper::failed;
use crate::sandbox::{landlock, seccomp};
use crate::wire::{self, Begun, Inner};

/// Returns only on failure, which is reported to the keeper.
pub(super) fn become_command(limits: &OsStr, program: &OsStr, arguments: &[OsString]) -> ExitCode {
    // Standard input is the connection to the keeper; the command gets none.
    let Ok(keeper) = take_keeper_pipe() else { return ExitCode::FAILURE };
    keep_descriptors_to_ourselves();
    let Some(inner) = limits.to_str().and_then(|limits| serde_json::from_str::<Inner>(limits).ok()) else {
        return ExitCode::FAILURE;
    };
    let report = match give_up(&inner) {
        // Without this message the keeper takes the command for not started, however bubblewrap ends.
        Ok(()) if wire::send(&keeper, &Begun).is_err() => return ExitCode::FAILURE,
        Ok(()) => failed("start", &execute(program, arguments)),
        Err(error) => failed("set up the sandbox", &error),
    };
    let _ = wire::send(&keeper, &report);
    ExitCode::FAILURE
}

fn take_keeper_pipe() -> io::Result<File> {
    let keeper = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(File::from(keeper))
}

#[allow(clippy::disallowed_methods)] // The exec room is where processes start.
fn execute(program: &OsStr, arguments: &[OsString]) -> io::Error {
    Command::new(program).args(arguments).exec()
}

fn give_up(inner: &Inner) -> io::Result<()> {
    rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    if let Some(most) = inner.processes {
        super::bound::limit(most)?;
    }
    let scoped = landlock::restrict_within_namespaces(inner)?;
    // Without Landlock's scopes, a command in the machine's network reaches its abstract sockets; only this
    // rule prevents it.
    let reaches = inner.network && scoped == landlock::Scoped::No;
    let named = if inner.sockets && !reaches {
        seccomp::NamedSockets::Allowed
    } else {
        seccomp::NamedSockets::Refused
    };
    seccomp::apply(&seccomp::within_namespaces(named))
}
