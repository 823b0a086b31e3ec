//! The helper: a small process of its own between the daemon and a command.
//!
//! The daemon starts it through posix_spawn from the program that it runs itself, so that neither the
//! daemon's memory nor its descriptors, environment or working directory play a part. The *keeper* adopts
//! every process of the command, however it tries to escape, and ends them all when the command has ended,
//! when the daemon requests it, or when the daemon goes away. Without bubblewrap the command is started by a
//! *starter* of its own, so that a command that ends its parent ends only that.
//!
//! Must not know projects, approvals or sessions. The command to run comes over standard input, which is a
//! socket.

#[cfg(target_os = "linux")]
mod bound;
#[cfg(target_os = "linux")]
mod cgroup;
mod descriptors;
#[cfg(target_os = "linux")]
mod inner;
mod keeper;
mod remains;
mod starter;
pub(super) mod tree;

use std::process::ExitCode;

use self::descriptors::{control, keep_descriptors_to_ourselves};
use super::hold::Hold;
#[cfg(target_os = "linux")]
use super::wire::INNER;
use super::wire::STARTER;
pub use remains::{Remains, end_orphans, end_remains, has_orphans};

/// Runs the helper: `clada-daemon exec-helper [starter | inner LIMITS PROGRAM ARGUMENTS…]`.
#[must_use]
pub fn run(arguments: &[std::ffi::OsString]) -> ExitCode {
    #[cfg(target_os = "linux")]
    if let [role, limits, program, arguments @ ..] = arguments
        && role == INNER
    {
        return inner::become_command(limits, program, arguments);
    }
    // Set before it starts anything: daemons recognize descendants of a command by this name.
    #[cfg(target_os = "linux")]
    if rustix::thread::set_name(super::wire::HELPER_NAME).is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(control) = control() else { return ExitCode::FAILURE };
    keep_descriptors_to_ourselves();
    let done = match arguments {
        [] => keeper::keep(&control),
        [role] if role == STARTER => starter::start(&control),
        _ => return ExitCode::FAILURE,
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(target_os = "linux")]
pub(super) fn end_left_of(helper: u32, hold: &Hold) -> usize {
    let leader = i32::try_from(helper).ok().and_then(rustix::process::Pid::from_raw);
    cgroup::end_of(&hold.mark().to_string(), helper);
    let survivors = leader.map_or(0, tree::end_session);
    if !hold.is_of_operation() {
        return survivors;
    }
    let mark = hold.mark();
    remains::end(&|other| *other == mark).stuck.len().max(survivors)
}

#[cfg(target_os = "linux")]
pub(super) fn is_only_counted() -> bool {
    bound::is_only_counted()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_only_counted() -> bool {
    true
}

pub(super) fn sweep() {
    #[cfg(target_os = "linux")]
    cgroup::sweep(&|mark| mark.daemon.has_ended());
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_left_of(helper: u32, _: &Hold) -> usize {
    // Processes cannot be listed on this system.
    let leader = i32::try_from(helper).ok().and_then(rustix::process::Pid::from_raw);
    let group = |leader| rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    let _ = leader.map(group);
    0
}
