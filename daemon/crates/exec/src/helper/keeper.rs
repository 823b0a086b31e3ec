//! The keeper: starts the command, waits for its end or for a reason to end it, and leaves no process behind.

#[cfg(target_os = "linux")]
use std::ffi::OsString;
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, WaitOptions, WaitStatus};

#[cfg(target_os = "linux")]
use super::bound::{Bounded, bound};
use super::descriptors::let_go_of_output;
use super::tree::{Crowd, LARGE, Tree};
use crate::wire::{self, Confinement, OWN_PROGRAM, Report, StartRequest, Status};
#[cfg(target_os = "linux")]
use crate::wire::{Begun, Inner};

const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

#[cfg(target_os = "linux")]
const FIRST: i32 = -20;

pub(super) fn keep(control: &UnixStream) -> io::Result<()> {
    // A session of its own has no terminal, and gets no signal that is meant for the daemon's.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // The locks of the operation are released when this process ends: when everything of the command has
    // ended.
    let Some((mut start, _locks)) = wire::receive_with::<StartRequest>(control)? else { return Ok(()) };
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(start.umask as _));
    let report = run(&mut start, control);
    if let Confinement::Bubblewrap { mount_points, .. } = &start.confinement {
        remove_if_empty(mount_points);
    }
    wire::send(control, &report)
}

#[cfg(target_os = "linux")]
fn run(start: &mut StartRequest, control: &UnixStream) -> Report {
    let mut bounded = bound(start);
    let mut begun = begin(start, &bounded);
    if begun.is_err() && matches!(bounded, Bounded::Cgroup(_)) {
        start.cgroup = false;
        bounded = bound(start);
        begun = begin(start, &bounded);
    }
    let ready = |running| {
        let_go_of_output().map_err(|error| failed("let go of the output", &error))?;
        Ok(running)
    };
    match begun.map_err(|error| failed("start the command", &error)).and_then(ready) {
        Ok(running) => watch(&running, start, &bounded, control),
        Err(failed) => failed,
    }
}

#[cfg(not(target_os = "linux"))]
fn run(start: &mut StartRequest, control: &UnixStream) -> Report {
    let ready = |running| let_go_of_output().map(|()| running);
    match begin(start, &Bounded::Counted).and_then(ready) {
        Ok(running) => watch(&running, start, &Bounded::Counted, control),
        Err(error) => failed("start the command", &error),
    }
}

#[cfg(not(target_os = "linux"))]
enum Bounded {
    Counted,
}

struct RunningCommand {
    process: Pid,
    /// The connection on which the starter, or the step inside bubblewrap, reports on the command.
    word: ReportChannel,
}

enum ReportChannel {
    Starter(UnixStream),
    #[cfg(target_os = "linux")]
    Inner(OwnedFd),
}

fn begin(start: &StartRequest, bounded: &Bounded) -> io::Result<RunningCommand> {
    match &start.confinement {
        #[cfg(target_os = "linux")]
        Confinement::Bubblewrap { command, inner, .. } => bubblewrap(start, bounded, command, inner),
        _ => through_starter(start, bounded),
    }
}

/// Lets the next program begin in the command's cgroup.
#[cfg(target_os = "linux")]
fn place(command: &mut Command, bounded: &Bounded) -> io::Result<()> {
    let entry = match bounded {
        Bounded::Limit => return Ok(()),
        Bounded::Cgroup(cgroup) => Some(cgroup.entry().try_clone()?),
        Bounded::Counted => None,
    };
    let usual = rustix::process::getpriority_process(None)?;
    if entry.is_none() && rustix::process::setpriority_process(None, FIRST).is_err() {
        return Ok(());
    }
    let begin = move || {
        match &entry {
            Some(entry) => rustix::io::write(entry, b"0").map(drop)?,
            None => rustix::process::setpriority_process(None, usual)?,
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes one system call, with values that were made before.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(begin);
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn place(_: &mut Command, _: &Bounded) -> io::Result<()> {
    Ok(())
}

pub(super) fn failed(operation: &str, error: &io::Error) -> Report {
    Report::Failed { operation: operation.to_owned(), message: error.to_string(), code: error.raw_os_error() }
}

#[allow(clippy::disallowed_methods)] // The exec room is where processes start.
fn through_starter(start: &StartRequest, bounded: &Bounded) -> io::Result<RunningCommand> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut starter = Command::new(OWN_PROGRAM);
    starter.args([wire::HELPER, wire::STARTER]).process_group(0).stdin(Stdio::from(OwnedFd::from(theirs)));
    place(&mut starter, bounded)?;
    let child = starter.spawn()?;
    wire::send(&ours, start)?;
    Ok(RunningCommand { process: pid(child.id())?, word: ReportChannel::Starter(ours) })
}

#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods)] // The exec room is where processes start.
fn bubblewrap(
    start: &StartRequest,
    bounded: &Bounded,
    command: &[OsString],
    inner: &Inner,
) -> io::Result<RunningCommand> {
    use std::os::fd::{AsFd, AsRawFd};

    let own = File::open(OWN_PROGRAM)?;
    let (word, inherited_end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let mut blanks = Vec::new();
    let mut arguments = Vec::with_capacity(start.arguments.len());
    for argument in &start.arguments {
        // Descriptors are known only here, so the helper replaces their placeholders.
        if argument != wire::BLANK {
            arguments.push(argument.clone());
            continue;
        }
        let blank = File::open("/dev/null")?;
        arguments.push(OsString::from(blank.as_raw_fd().to_string()));
        blanks.push(blank);
    }
    for descriptor in blanks.iter().chain([&own]) {
        inherited(descriptor.as_fd())?;
    }
    let limits = serde_json::to_string(inner)?;
    let mut child = Command::new(&start.program);
    child.args(arguments).args([
        "--",
        &format!("/proc/self/fd/{}", own.as_raw_fd()),
        wire::HELPER,
        wire::INNER,
        &limits,
    ]);
    child.args(command).env_clear();
    child.envs(start.environment.iter().map(|(name, value)| (name, value))).stdin(Stdio::from(inherited_end));
    if let Some(owner) = start.owner {
        child.uid(owner.user).gid(owner.group);
    }
    place(&mut child, bounded)?;
    Ok(RunningCommand { process: pid(child.spawn()?.id())?, word: ReportChannel::Inner(word) })
}

#[cfg(target_os = "linux")]
fn inherited(descriptor: std::os::fd::BorrowedFd<'_>) -> io::Result<()> {
    Ok(rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::empty())?)
}

fn pid(number: u32) -> io::Result<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndReason {
    Requested,
    /// The daemon is gone: no process is left to see what the command does from now on.
    Alone,
    TooMany,
}

fn watch(running: &RunningCommand, start: &StartRequest, bounded: &Bounded, control: &UnixStream) -> Report {
    let mut reaped = Reaped { first: running.process, status: None };
    let exit = descriptor_of(running.process);
    let tree = Tree { first: running.process };
    let mut crowd = Crowd::new(start.processes);
    let why: Option<EndReason> = loop {
        reaped.all();
        if reaped.status.is_some() || running.has_word() {
            break None;
        }
        if too_many(bounded, &mut crowd, tree) {
            break Some(EndReason::TooMany);
        }
        if let Some(end) = asked_to_stop(control, exit.as_ref(), running) {
            break Some(end);
        }
    };
    if why.is_none() && reaped.status.is_none() {
        // The starter has reported, and is about to end.
        let _ = exit.map(|exit| rustix::event::poll(&mut [PollFd::new(&exit, PollFlags::IN)], Some(&TICK)));
    }
    let (swept, survivors) = match why {
        Some(EndReason::TooMany | EndReason::Alone) => kill(bounded, tree, &mut || reaped.all()),
        _ if is_large(bounded, &crowd) => kill(bounded, tree, &mut || reaped.all()),
        _ => tree.end(&mut || reaped.all()),
    };
    reaped.all();
    let known = running.status(reaped.status, why.is_some());
    match (why, known) {
        (Some(EndReason::TooMany), _) => {
            Report::Ended { status: Status::TooManyProcesses, requested: false, swept, survivors }
        }
        (_, Ok(status)) => Report::Ended { status, requested: why.is_some(), swept, survivors },
        (_, Err(report)) => report,
    }
}

fn too_many(bounded: &Bounded, crowd: &mut Crowd, tree: Tree) -> bool {
    match bounded {
        #[cfg(target_os = "linux")]
        Bounded::Cgroup(cgroup) => cgroup.was_full(),
        _ => crowd.too_many(tree),
    }
}

fn is_large(bounded: &Bounded, crowd: &Crowd) -> bool {
    match bounded {
        #[cfg(target_os = "linux")]
        Bounded::Cgroup(cgroup) => cgroup.tasks() > LARGE,
        _ => crowd.is_large(),
    }
}

fn kill(bounded: &Bounded, tree: Tree, reap: &mut dyn FnMut() -> bool) -> (usize, usize) {
    let struck = match bounded {
        #[cfg(target_os = "linux")]
        Bounded::Cgroup(cgroup) => cgroup.kill(reap),
        _ => 0,
    };
    let (swept, survivors) = tree.kill(reap);
    (swept.max(struck), survivors)
}

fn asked_to_stop(
    control: &UnixStream,
    exit: Option<&OwnedFd>,
    running: &RunningCommand,
) -> Option<EndReason> {
    let mut watched = vec![PollFd::new(control, PollFlags::IN)];
    watched.extend(running.starter().map(|word| PollFd::new(word, PollFlags::IN)));
    watched.extend(exit.map(|exit| PollFd::new(exit, PollFlags::IN)));
    // An error is an interruption: the next call waits again.
    let _ = rustix::event::poll(&mut watched, Some(&TICK));
    let events = watched[0].revents();
    // A daemon that requests the end closes one direction only. On other systems the two look the same.
    if cfg!(target_os = "linux") && events.intersects(PollFlags::HUP | PollFlags::ERR) {
        return Some(EndReason::Alone);
    }
    (!events.is_empty()).then_some(EndReason::Requested)
}

impl RunningCommand {
    fn starter(&self) -> Option<&UnixStream> {
        match &self.word {
            ReportChannel::Starter(word) => Some(word),
            #[cfg(target_os = "linux")]
            ReportChannel::Inner(_) => None,
        }
    }

    fn has_word(&self) -> bool {
        let Some(word) = self.starter() else { return false };
        let mut watched = [PollFd::new(word, PollFlags::IN)];
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut watched, Some(&none)).is_ok_and(|ready| ready > 0)
    }

    /// Returns how the command ended, as its parent reported it. `exit` is how that parent ended, and `end_requested`
    /// is true if it was made to end.
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "bubblewrap is on Linux"))]
    fn status(&self, exit: Option<WaitStatus>, end_requested: bool) -> Result<Status, Report> {
        match &self.word {
            ReportChannel::Starter(word) => {
                let _ = word.set_nonblocking(true);
                match wire::receive::<Report>(BufReader::new(word)) {
                    Ok(Some(Report::Ended { status, .. })) => Ok(status),
                    Ok(Some(failed)) => Err(failed),
                    Ok(None) | Err(_) => Ok(Status::Lost),
                }
            }
            #[cfg(target_os = "linux")]
            ReportChannel::Inner(word) => {
                let output = drain(word);
                if let Some(failed) =
                    output.lines().find_map(|line| serde_json::from_str::<Report>(line).ok())
                {
                    return Err(failed);
                }
                let begun = output.lines().any(|line| serde_json::from_str::<Begun>(line).is_ok());
                match exit {
                    // A bubblewrap that was ended while it set up the sandbox did not fail to do so.
                    Some(exit) if begun || end_requested => Ok(status_from(exit)),
                    Some(exit) => Err(Report::Failed {
                        operation: "set up the sandbox".to_owned(),
                        message: format!("bubblewrap gave up ({})", describe(status_from(exit))),
                        code: None,
                    }),
                    None => Ok(Status::Lost),
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn describe(status: Status) -> String {
    match status {
        Status::Exited(code) => format!("status {code}"),
        Status::Signalled(signal) => format!("signal {signal}"),
        Status::TooManyProcesses | Status::Lost => "status unknown".to_owned(),
    }
}

pub(super) fn status_from(status: WaitStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signalled(signal),
        (None, None) => Status::Lost,
    }
}

#[cfg(target_os = "linux")]
fn drain(pipe: &OwnedFd) -> String {
    let mut output = Vec::new();
    let mut piece = [0; 1024];
    let _ = rustix::io::ioctl_fionbio(pipe, true);
    while let Ok(count @ 1..) = rustix::io::read(pipe, &mut piece) {
        output.extend_from_slice(&piece[..count]);
    }
    String::from_utf8_lossy(&output).into_owned()
}

#[cfg(target_os = "linux")]
fn descriptor_of(process: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn descriptor_of(_: Pid) -> Option<OwnedFd> {
    None
}

/// Waits for children and adopted processes, so that none stays a zombie.
struct Reaped {
    first: Pid,
    status: Option<WaitStatus>,
}

impl Reaped {
    fn all(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((process, status))) if process == self.first => {
                    self.status.get_or_insert(status);
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }
}

fn remove_if_empty(mount_points: &[std::ffi::OsString]) {
    // A mount point that is not empty any more stays.
    for folder in mount_points {
        let _ = rustix::fs::rmdir(Path::new(folder));
    }
}
