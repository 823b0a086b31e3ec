//! The starter: confines itself, starts the command inside that, and reports how it ended.

use std::io::{self, BufReader};
use std::os::unix::net::UnixStream;
#[cfg(target_os = "linux")]
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, WaitOptions};

use super::descriptors::let_go_of_output;
use super::keeper::{failed, status_from};
use crate::wire::{self, Confinement, Report, StartRequest};

pub(super) fn start(control: &UnixStream) -> io::Result<()> {
    let Some(start) = wire::receive::<StartRequest>(BufReader::new(control))? else { return Ok(()) };
    let report = match begin(&start) {
        Ok(process) => {
            let_go_of_output()?;
            let (_, status) = loop {
                match rustix::process::waitpid(Some(process), WaitOptions::empty()) {
                    Ok(Some(ended)) => break ended,
                    Ok(None) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            };
            Report::Ended { status: status_from(status), requested: false, swept: 0, survivors: 0 }
        }
        Err(report) => report,
    };
    wire::send(control, &report)
}

#[allow(clippy::disallowed_methods)] // The exec room is where processes start.
fn begin(start: &StartRequest) -> Result<Pid, Report> {
    // No core files in the project.
    let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let mut command = Command::new(&start.program);
    command
        .args(&start.arguments)
        .current_dir(&start.folder)
        .env_clear()
        .envs(start.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null());
    // A group of its own, so that a signal to its own group does not reach this process. On systems where
    // processes are found only by their group, it stays in this one.
    #[cfg(target_os = "linux")]
    command.process_group(0);
    become_owner(start)?;
    #[cfg(target_os = "linux")]
    if let Some(most) = start.limit {
        super::bound::limit(most).map_err(|error| failed("bound its processes", &error))?;
    }
    confine(&start.confinement)?;
    let child = command.spawn().map_err(|error| failed("start", &error))?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| failed("start", &io::ErrorKind::InvalidData.into()))
}

#[cfg(target_os = "linux")]
fn become_owner(start: &StartRequest) -> Result<(), Report> {
    // Only root can, and it has no more rights from here on.
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    let Some(owner) = start.owner else { return Ok(()) };
    let (user, group) = (rustix::fs::Uid::from_raw(owner.user), rustix::fs::Gid::from_raw(owner.group));
    // This process has one thread.
    set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(group, group, group))
        .and_then(|()| set_thread_res_uid(user, user, user))
        .map_err(|error| failed("become the user of the project", &error.into()))
}

#[cfg(not(target_os = "linux"))]
fn become_owner(start: &StartRequest) -> Result<(), Report> {
    match start.owner {
        None => Ok(()),
        Some(_) => Err(failed("become the user of the project", &io::ErrorKind::Unsupported.into())),
    }
}

#[cfg(target_os = "linux")]
fn confine(confinement: &Confinement) -> Result<(), Report> {
    use crate::sandbox::{landlock, seccomp};

    match confinement {
        Confinement::Landlock(rules) => landlock::restrict(rules)
            .and_then(|()| seccomp::apply(&seccomp::alongside_landlock(rules)))
            .map_err(|error| failed("set up the sandbox", &error)),
        Confinement::None | Confinement::Bubblewrap { .. } => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn confine(confinement: &Confinement) -> Result<(), Report> {
    match confinement {
        Confinement::None => Ok(()),
        Confinement::Landlock(_) | Confinement::Bubblewrap { .. } => {
            Err(failed("set up the sandbox", &io::ErrorKind::Unsupported.into()))
        }
    }
}
