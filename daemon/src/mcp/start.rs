//! Finds the daemon, or starts one that serves the user whoever started it.
//!
//! Nothing of this process's environment reaches a daemon that is started here: its host may be led by a
//! repository's configuration. The only place of the program, beside commands of answers, that runs one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clada_fs::{Symlinks, open_regular};
use clada_protocol::handshake::Readiness;
use clada_server::{AddressError, check_folder, lock_info, prepare_folder};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::process::Process;

const PAUSE: Duration = Duration::from_millis(5);

/// The most bytes that are read of what a daemon says at its start, and of its log if it ended before.
const MAX_SAID: u64 = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub(super) enum NoDaemon {
    #[error("no daemon answers at {}", .0.display())]
    Nobody(PathBuf),
    #[error("connecting to {} is forbidden here: {error}", .socket.display())]
    Forbidden { socket: PathBuf, error: io::Error },
    #[error(transparent)]
    Folder(#[from] AddressError),
    /// One is there, and is not ready: it may be so later.
    #[error(
        "no daemon is ready at {} within {} s{}: it starts or ends slowly, or hangs. Ask again; if it stays so, a \
         person can end it",
        .socket.display(), .time.as_secs(), .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
    )]
    NotReady { socket: PathBuf, time: Duration, pid: Option<u32> },
    #[error("{0}")]
    Failed(String),
}

/// Connects to the daemon at `socket`; if `follows`, to the one that holds the lock beside it, wherever it
/// is.
pub(super) fn find(socket: &Path, uid: u32, follows: bool) -> Result<UnixStream, NoDaemon> {
    let here = dial(socket, uid);
    match here {
        Err(NoDaemon::Nobody(_)) if follows => {
            let elsewhere = lock_info(socket).filter(|info| Path::new(&info.socket) != socket);
            elsewhere.and_then(|info| dial(Path::new(&info.socket), uid).ok()).map_or(here, Ok)
        }
        here => here,
    }
}

fn dial(socket: &Path, uid: u32) -> Result<UnixStream, NoDaemon> {
    let folder = folder_of(socket);
    match check_folder(folder, uid) {
        Ok(()) => {}
        Err(AddressError::Io { error, .. }) => return Err(judge(socket, error)),
        Err(error) => return Err(error.into()),
    }
    UnixStream::connect(socket).map_err(|error| judge(socket, error))
}

fn judge(socket: &Path, error: io::Error) -> NoDaemon {
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT | Errno::CONNREFUSED | Errno::NOTSOCK | Errno::NOTDIR) => {
            NoDaemon::Nobody(socket.to_owned())
        }
        Some(Errno::PERM | Errno::ACCESS | Errno::AFNOSUPPORT | Errno::NOSYS | Errno::ROFS) => {
            NoDaemon::Forbidden { socket: socket.to_owned(), error }
        }
        _ => NoDaemon::Failed(format!("the daemon at {} cannot be reached: {error}", socket.display())),
    }
}

/// Connects to the daemon at `socket`, and starts it there unless another program does so first. Either has no more time
/// to be ready than a daemon that runs has to greet back.
pub(super) fn find_or_start(process: &Process, socket: &Path) -> Result<UnixStream, NoDaemon> {
    match find(socket, process.uid, true) {
        Err(NoDaemon::Nobody(_)) => {}
        result => return result,
    }
    match prepare_folder(folder_of(socket), process.uid) {
        Ok(()) => {}
        Err(AddressError::Io { error, .. }) if may_not(&error) => {
            return Err(NoDaemon::Forbidden { socket: socket.to_owned(), error });
        }
        Err(error) => return Err(error.into()),
    }
    // Clients take turns at the same file.
    let lock = private_file(&folder_of(socket).join("spawn.lock"), OFlags::empty())
        .map_err(|error| NoDaemon::Failed(format!("the socket's folder cannot be used: {error}")))?;
    let deadline = Instant::now() + process.waits.greeting;
    loop {
        let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive);
        match find(socket, process.uid, true) {
            Err(NoDaemon::Nobody(_)) => {}
            result => return result,
        }
        // A daemon that ends holds its own lock while no socket answers.
        let remaining = deadline.saturating_duration_since(Instant::now());
        let ready = locked.is_ok() && start(process, socket, remaining)?;
        if Instant::now() > deadline {
            return Err(not_ready(process, socket));
        }
        if !ready {
            sleep(PAUSE);
        }
    }
}

fn not_ready(process: &Process, socket: &Path) -> NoDaemon {
    let time = process.waits.greeting;
    NoDaemon::NotReady { socket: socket.to_owned(), time, pid: lock_info(socket).map(|info| info.pid) }
}

fn start(process: &Process, socket: &Path, time: Duration) -> Result<bool, NoDaemon> {
    let failed = |what: String| NoDaemon::Failed(format!("the daemon cannot be started: {what}"));
    let program =
        process.executable.as_deref().ok_or_else(|| failed("its program is not known".to_owned()))?;
    let log = folder_of(socket).join("start.log");
    let errors = private_file(&log, OFlags::TRUNC).map_or_else(|_| Stdio::null(), Stdio::from);
    let child = command(process, program)
        // It is not our child: a host that ends us with all that we started must not end it.
        .args(["serve", "--ready-stdout", "--detach"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .map_err(|error| failed(format!("{}: {error}", program.display())))?;
    match ready_line(child, time).map(|line| serde_json::from_slice(&line)) {
        Ok(Ok(Readiness::Ready { .. })) => Ok(true),
        Ok(Ok(Readiness::Running { .. })) => Ok(false),
        Ok(Ok(Readiness::Failed { message })) => Err(failed(message)),
        Ok(Err(_)) => {
            let mut errors = Vec::new();
            let opened = open_regular(&log, Symlinks::Refuse);
            let _ = opened.and_then(|file| file.take(MAX_SAID).read_to_end(&mut errors));
            let last = String::from_utf8_lossy(&errors).lines().last().unwrap_or_default().to_owned();
            Err(failed(format!("it ended before it was ready ({last})")))
        }
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(not_ready(process, socket)),
        Err(error) => Err(failed(format!("it said nothing: {error}"))),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts a daemon from within this program")]
fn command(process: &Process, program: &Path) -> Command {
    let anew = process.made_anew();
    let mut command = Command::new(program);
    command.env_clear().envs(anew.variables());
    command
}

fn ready_line(mut daemon: Child, time: Duration) -> io::Result<Vec<u8>> {
    // A daemon that is not ready within `time` is left alone: it may only be slow.
    let output = daemon.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (send, line) = channel();
    // It ends with the daemon's output at the latest, which a daemon gives up when it is ready.
    std::thread::Builder::new().name("clada-ready".to_owned()).spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(output.take(MAX_SAID)).read_until(b'\n', &mut line);
        let _ = send.send(read.map(|_| line));
        let _ = daemon.wait();
    })?;
    line.recv_timeout(time).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

fn folder_of(socket: &Path) -> &Path {
    socket.parent().unwrap_or(Path::new("/"))
}

fn may_not(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::PERM | Errno::ACCESS | Errno::ROFS))
}

fn private_file(path: &Path, extra: OFlags) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC | extra).bits()).unwrap_or_default();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.custom_flags(flags).open(path)
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a program that stands for a daemon")]
    fn a_daemon_that_is_not_ready_is_neither_waited_for_nor_ended() {
        let daemon = Command::new("sleep").arg("1000").stdout(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_child(&daemon);
        let error = ready_line(daemon, Duration::from_millis(10)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        kill_process(pid, Signal::KILL).expect("it runs still");
    }
}
