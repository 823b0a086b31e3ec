//! The last step inside of bubblewrap: gives up what mounts and namespaces do not take away, and becomes the command.
//!
//! Runs from a descriptor: the daemon's own program need not be there in the sandbox. No descriptor but standard input,
//! output and error is left to the command.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit};

use super::keeper::failed;
use crate::sandbox::{landlock, seccomp};
use crate::wire::{self, Begun, Inner};

/// Becomes the command. What comes back is a failure, which the keeper is told.
pub(super) fn become_command(limits: &OsStr, program: &OsStr, arguments: &[OsString]) -> ExitCode {
    // Standard input is the way to the keeper; the command gets none.
    let Ok(told) = told() else { return ExitCode::FAILURE };
    super::keep_descriptors_to_ourselves();
    let Some(inner) = limits.to_str().and_then(|limits| serde_json::from_str::<Inner>(limits).ok()) else {
        return ExitCode::FAILURE;
    };
    let report = match give_up(&inner) {
        // Without this word nothing was started, however bubblewrap ends.
        Ok(()) if wire::send(&told, &Begun).is_err() => return ExitCode::FAILURE,
        Ok(()) => failed("start", &execute(program, arguments)),
        Err(error) => failed("set up the sandbox", &error),
    };
    let _ = wire::send(&told, &report);
    ExitCode::FAILURE
}

fn told() -> io::Result<File> {
    let told = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(File::from(told))
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
    // Without a network of its own it has the machine's abstract sockets, and no other rule keeps it from them.
    let reaches = inner.network && scoped == landlock::Scoped::No;
    let named = if inner.sockets && !reaches { seccomp::Named::Allowed } else { seccomp::Named::Refused };
    seccomp::apply(&seccomp::within_namespaces(named))
}
