//! Starts a daemon: a shared one behind the socket, or a private one as our child.
//!
//! Many clients may find none at the same time: they take turns at a lock next to the socket, and each checks
//! again before it starts one. The only place that runs a program.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clada_protocol::address::SOCKET_VARIABLE;
use clada_protocol::handshake::Readiness;
use clada_protocol::visible_path;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::dial::{Dialled, answering, dial, forbids, is_same};
use super::link::{DaemonLink, ending};
use super::place::{SocketAddress, elsewhere, folder_is_safe, folder_of, make_folder};
use crate::Process;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{self, NotFound};
use crate::settings::is_of_daemon;

const STARTING: Duration = Duration::from_secs(60);

/// The first pause, and the longest one, before the next check if a daemon answers or can be started.
const PAUSE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));

const PROGRAM_VARIABLE: &str = "CLADA_DAEMON";

const PROGRAM: &str = "clada-daemon";

/// Variables that a service manager sets for one process of its own: a daemon that we start is not that one.
/// With them it would report to another process's manager, and write its log to standard error, which nothing
/// rotates.
const MANAGERS: [&str; 7] = [
    "NOTIFY_SOCKET",
    "JOURNAL_STREAM",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
];

#[derive(Debug)]
pub(super) enum SpawnOutcome {
    Answers(UnixStream),
    Forbidden(io::Error),
}

pub(super) fn start(
    process: &Process,
    address: &SocketAddress,
    mut interrupts: Option<&mut Interrupts>,
) -> Result<SpawnOutcome, Failure> {
    let socket = &address.socket;
    if let Err(error) = make_folder(socket) {
        return forbidden_or(error, |error| folder_failure(socket, error));
    }
    folder_is_safe(socket, process.uid)?;
    let folder = folder_of(socket);
    let lock = match private_file(&folder.join("spawn.lock"), OFlags::empty()) {
        Ok(lock) => lock,
        Err(error) => return forbidden_or(error, |error| folder_failure(socket, error)),
    };
    let deadline = Instant::now() + STARTING;
    let mut pause = PAUSE.0;
    loop {
        if interrupts.as_deref_mut().is_some_and(Interrupts::has_come) {
            return Err(Failure::interrupted());
        }
        let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive);
        // Another client's daemon may have become ready while we waited, or just before we got the lock.
        match answering(address) {
            Dialled::Answers(stream) => return Ok(SpawnOutcome::Answers(stream)),
            Dialled::Elsewhere(other) => return Err(elsewhere(socket, &other)),
            Dialled::Nobody => {}
            Dialled::Forbidden(error) => return Ok(SpawnOutcome::Forbidden(error)),
            Dialled::Failed(error) => return Err(no_answer(socket, &error)),
        }
        match locked {
            // A daemon that ends, or binds its socket again, holds the lock while no socket answers.
            Ok(()) => match spawn(process, address, interrupts.as_deref())? {
                Spawned::Started(started) => return Ok(started),
                Spawned::Held(_) if Instant::now() < deadline => {
                    sleep(pause);
                    pause = (pause * 2).min(PAUSE.1);
                }
                Spawned::Held(at) => return Err(no_answer(&at, &io::ErrorKind::ConnectionRefused.into())),
            },
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => sleep(PAUSE.0),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {
                let message =
                    format!("another command has been starting a daemon for {} s", STARTING.as_secs());
                return Err(Failure::no_daemon(message).hint(format!(
                    "It holds {}. End it, or wait and run the command again.",
                    folder.join("spawn.lock").display()
                )));
            }
            Err(errno) => return Err(folder_failure(socket, &errno.into())),
        }
    }
}

enum Spawned {
    Started(SpawnOutcome),
    /// A daemon holds the lock, and its socket, which this is, does not answer.
    Held(PathBuf),
}

fn spawn(
    process: &Process,
    address: &SocketAddress,
    interrupts: Option<&Interrupts>,
) -> Result<Spawned, Failure> {
    let socket = &address.socket;
    let program = find_program(process)?;
    let start_log = folder_of(socket).join("start.log");
    let errors = private_file(&start_log, OFlags::TRUNC).map_or_else(|_| Stdio::null(), Stdio::from);
    let mut child = command(process, &program, For::Everybody)
        // It leaves our session by itself; that requires that it leads no process group.
        .args(["serve", "--ready-stdout"])
        .env(SOCKET_VARIABLE, socket)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .map_err(|error| not_started(&program, &error))?;
    let line = child.stdout.take().map(|from| read_line(from, interrupts));
    let readiness = match &line {
        Some(Ok(line)) => serde_json::from_slice(line).ok(),
        _ => None,
    };
    match readiness {
        Some(Readiness::Ready { socket, .. }) => match reached(&socket, dial(Path::new(&socket)))? {
            Spawned::Held(at) => Err(no_answer(&at, &io::ErrorKind::ConnectionRefused.into())),
            started @ Spawned::Started(_) => Ok(started),
        },
        Some(Readiness::Running { socket: other, .. }) => {
            // It reports that and ends.
            let _ = child.wait();
            if address.is_named && !is_same(Path::new(&other), socket) {
                return Err(elsewhere(socket, Path::new(&other)));
            }
            let socket = other;
            reached(&socket, dial(Path::new(&socket)))
        }
        Some(Readiness::Failed { message }) => {
            Err(Failure::no_daemon(format!("the daemon did not start: {message}"))
                .hint(format!("It was started as: {} serve", program.display())))
        }
        // The next client finds it ready, or gone.
        None if was_interrupted(&line) => Err(Failure::interrupted()),
        None => Err(ended_early(&program, line, &mut child, &start_log)),
    }
}

fn reached(socket: &str, dialled: Dialled) -> Result<Spawned, Failure> {
    match dialled {
        Dialled::Answers(stream) => Ok(Spawned::Started(SpawnOutcome::Answers(stream))),
        Dialled::Forbidden(error) => Ok(Spawned::Started(SpawnOutcome::Forbidden(error))),
        Dialled::Nobody | Dialled::Elsewhere(_) => Ok(Spawned::Held(PathBuf::from(socket))),
        Dialled::Failed(error) => Err(no_answer(Path::new(socket), &error)),
    }
}

pub(super) fn private(process: &Process) -> Result<DaemonLink, Failure> {
    let program = find_program(process)?;
    let mut child = command(process, &program, For::Us)
        .args(["serve", "--stdio"])
        // Ctrl-C is for us: we pass it on as a request.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| not_started(&program, &error))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(input), Some(output)) => Ok(DaemonLink::child(child, input, output)),
        _ => Err(not_started(&program, &io::ErrorKind::BrokenPipe.into())),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    Us,
    // All of the user's: what one of them has in its environment is not a setting of the others.
    Everybody,
}

const OWN: &str = "CLADA_";

#[allow(clippy::disallowed_methods, reason = "the one place of the client that runs a program")]
fn command(process: &Process, program: &Path, clients: For) -> Command {
    let mut command = Command::new(program);
    let handed_on = process.env.iter().filter(|(name, _)| {
        let ours = clients == For::Everybody && name.as_encoded_bytes().starts_with(OWN.as_bytes());
        !ours && !MANAGERS.iter().any(|own| name == own)
    });
    command.env_clear().envs(handed_on.map(|(name, value)| (name, value)));
    command
}

/// Returns what a user should know about the surroundings that a daemon was started with: settings that it
/// does not have, and folders that are others than the password database leads to.
pub(super) fn surroundings(process: &Process) -> Vec<String> {
    let names = process.env.iter().filter_map(|(name, _)| name.to_str());
    let settings = names.filter(|name| is_of_daemon(name));
    let mut notes: Vec<String> = settings
        .map(|name| {
            format!(
                "{name} is not passed to the daemon, which serves all clients. Set it in the configuration, or \
                 for `clada-daemon serve`.\n"
            )
        })
        .collect();
    let Some(home) = process.passwd_home() else { return notes };
    for (name, usual) in [("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")] {
        let Some(set) = process.var(name).map(Path::new).filter(|set| set.is_absolute()) else { continue };
        let usual = home.join(usual);
        if set != usual {
            notes.push(format!(
                "The daemon was started with {name}={}, and not {}: this applies to all clients until it stops.\n",
                visible_path(&set.to_string_lossy()),
                usual.display(),
            ));
        }
    }
    notes
}

pub(crate) fn find_program(process: &Process) -> Result<PathBuf, Failure> {
    program::find(process, PROGRAM_VARIABLE, PROGRAM).map_err(|why| match why {
        NotFound::Named(named) => {
            Failure::no_daemon(format!("{PROGRAM_VARIABLE} names {}, which is not a file", named.display()))
                .hint(format!("Set it to the path of {PROGRAM}, or unset it."))
        }
        NotFound::Nowhere(folders) => Failure::no_daemon(format!(
            "no daemon answers, and {PROGRAM} was not found to start one"
        ))
        .hint(format!(
            "Looked in: {}.\nInstall {PROGRAM} there, or set {PROGRAM_VARIABLE} to its path.",
            NotFound::folders(&folders)
        )),
    })
}

fn was_interrupted(line: &Option<io::Result<Vec<u8>>>) -> bool {
    matches!(line, Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted)
}

/// Reads up to the first line end, for at most [`STARTING`]. `Err(TimedOut)` if there is none by then,
/// `Err(Interrupted)` after Ctrl-C.
fn read_line(mut from: ChildStdout, interrupts: Option<&Interrupts>) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + STARTING;
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    while !line.contains(&b'\n') && line.len() < 64 * 1024 {
        let remaining = deadline.saturating_duration_since(Instant::now());
        let remaining = Timespec {
            tv_sec: remaining.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: remaining.subsec_nanos().into(),
        };
        let mut awaited = vec![PollFd::new(&from, PollFlags::IN)];
        awaited.extend(interrupts.map(|interrupts| PollFd::new(interrupts, PollFlags::IN)));
        match poll(&mut awaited, Some(&remaining)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) if awaited[0].revents().is_empty() => return Err(io::ErrorKind::Interrupted.into()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
        }
        match from.read(&mut piece)? {
            0 => break,
            length => line.extend_from_slice(&piece[..length]),
        }
    }
    Ok(line)
}

fn private_file(path: &Path, extra: OFlags) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | extra;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
}

fn forbidden_or(
    error: io::Error,
    failure: impl FnOnce(&io::Error) -> Failure,
) -> Result<SpawnOutcome, Failure> {
    match Errno::from_io_error(&error) {
        Some(errno) if forbids(errno) => Ok(SpawnOutcome::Forbidden(error)),
        _ => Err(failure(&error)),
    }
}

fn folder_failure(socket: &Path, error: &io::Error) -> Failure {
    let folder = folder_of(socket).display();
    Failure::no_daemon(format!("the folder of the socket, {folder}, cannot be used: {error}"))
        .hint("Name another socket with --socket PATH or CLADA_SOCKET.")
}

fn not_started(program: &Path, error: &io::Error) -> Failure {
    Failure::no_daemon(format!("{} cannot be run: {error}", program.display()))
        .hint(format!("Check that the file may be executed, or set {PROGRAM_VARIABLE} to another."))
}

fn no_answer(socket: &Path, error: &io::Error) -> Failure {
    Failure::no_daemon(format!("the daemon at {} cannot be reached: {error}", socket.display()))
        .hint("`clada log` shows its last messages.")
}

fn ended_early(
    program: &Path,
    line: Option<io::Result<Vec<u8>>>,
    child: &mut Child,
    start_log: &Path,
) -> Failure {
    let timed_out = matches!(&line, Some(Err(error)) if error.kind() == io::ErrorKind::TimedOut);
    let message = if timed_out {
        format!("the daemon was started and is not ready after {} s", STARTING.as_secs())
    } else {
        format!("the daemon ended before it was ready ({})", ending(child))
    };
    let mut hint = format!("It was started as: {} serve", program.display());
    let heard = line.and_then(Result::ok).unwrap_or_default();
    let errors = std::fs::read(start_log).unwrap_or_default();
    let heard = String::from_utf8_lossy(&[heard, errors].concat()).into_owned();
    let lines: Vec<&str> = heard.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in &lines[lines.len().saturating_sub(10)..] {
        hint.push_str("\nIts output: ");
        hint.push_str(line);
    }
    Failure::no_daemon(message).hint(hint)
}
