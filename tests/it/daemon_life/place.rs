//! A home, a project and a folder for the socket, and the processes that were started there.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use clada_protocol::handshake::{LockInfo, Readiness};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tempfile::TempDir;

/// A guard against hanging, not a measure.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Marks the environment of everything that is started in a place.
const MARK: &str = "IT_PLACE";

/// The whole world of the programs. Every process that still runs in it ends with it.
pub(super) struct Place {
    top: TempDir,
    path: PathBuf,
}

impl Place {
    pub(super) fn new() -> Place {
        let top = tempfile::Builder::new().prefix("it").tempdir().unwrap();
        let path = top.path().canonicalize().unwrap();
        let place = Place { top, path };
        for folder in ["home/project/.git", "run", "tmp"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
        }
        place.set_mode("run", 0o700);
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn set_mode(&self, name: &str, mode: u32) {
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(mode)).unwrap();
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("run/v1.sock")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path("home/project")
    }

    /// Writes a file of the project.
    pub(super) fn file(&self, name: &str, content: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// A program that sees this place and nothing else.
    pub(super) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env(MARK, &self.path)
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.path("tmp"))
            .env("CLADA_SOCKET", self.socket())
            .env("CLADA_DAEMON", daemon_program())
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(super) fn client(&self, args: &[&str]) -> Command {
        let mut command = self.command(client_program());
        command.args(args);
        command
    }

    /// The daemon's program; its standard error is shown with the test's.
    pub(super) fn daemon(&self, args: &[&str]) -> Command {
        let mut command = self.command(daemon_program());
        command.args(args).stderr(Stdio::inherit());
        command
    }

    /// A daemon that is ready.
    pub(super) fn serve(&self) -> Running {
        self.serve_with(&mut self.daemon(&["serve", "--ready-stdout"]))
    }

    /// A daemon, started by this command, when it is ready.
    pub(super) fn serve_with(&self, command: &mut Command) -> Running {
        let mut child = command.spawn().unwrap();
        match readiness(&mut child) {
            Readiness::Ready { pid, .. } => Running { child, pid },
            other => panic!("{other:?}"),
        }
    }

    /// Runs the client with this answer on its standard input.
    pub(super) fn apply(&self, args: &[&str], answer: &str) -> Ran {
        let mut child = self.client(&[&["apply"], args].concat()).stdin(Stdio::piped()).spawn().unwrap();
        feed(child.stdin.take().unwrap(), answer);
        Ran::of(child)
    }

    /// Reads the lock file's entry about the daemon.
    pub(super) fn lock_info(&self) -> LockInfo {
        serde_json::from_slice(&std::fs::read(self.path("run/v1.lock")).unwrap()).unwrap()
    }

    /// The daemons that stay in this place, apart from those that are on their way out: the end of every
    /// other one than `staying` is waited for.
    pub(super) fn daemons(&self, staying: Option<u32>) -> Vec<u32> {
        self.running_daemons().into_iter().filter(|pid| Some(*pid) != staying).for_each(wait_for_exit);
        self.running_daemons()
    }

    fn running_daemons(&self) -> Vec<u32> {
        let is_daemon = |pid: &u32| {
            let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            program.file_name() == Path::new(daemon_program()).file_name()
        };
        self.processes().into_iter().filter(is_daemon).collect()
    }

    /// Everything that runs in this place.
    fn processes(&self) -> Vec<u32> {
        let mark = [MARK.as_bytes(), b"=", self.path.as_os_str().as_bytes()].concat();
        let marked = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark)
        };
        let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(marked).collect()
    }

    /// Holds up every operation on the project until it is dropped.
    pub(super) fn hold_project(&self) -> OwnedFd {
        let root = File::open(self.project()).unwrap();
        flock(&root, FlockOperation::LockExclusive).unwrap();
        root.into()
    }

    /// Watches names that appear or vanish in a folder.
    pub(super) fn watch(&self, folder: &str) -> Watch {
        Watch::new(&self.path(folder))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for pid in self.processes() {
            send(pid, Signal::KILL);
        }
        // A folder that a test has closed must not be left behind.
        let _ = std::fs::set_permissions(self.top.path(), PermissionsExt::from_mode(0o700));
    }
}

pub(super) fn daemon_program() -> &'static str {
    env!("CARGO_BIN_EXE_it-daemon")
}

pub(super) fn client_program() -> &'static str {
    env!("CARGO_BIN_EXE_it-client")
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A daemon that a test started and waits for.
pub(super) struct Running {
    pub(super) child: Child,
    pub(super) pid: u32,
}

impl Running {
    pub(super) fn signal(&self, signal: Signal) {
        send(self.pid, signal);
    }

    /// Ends it at once.
    pub(super) fn kill(mut self) {
        self.signal(Signal::KILL);
        self.child.wait().unwrap();
    }

    /// Waits for its end and returns its status.
    pub(super) fn wait(&mut self) -> ExitStatus {
        wait_for_exit(self.pid);
        self.child.wait().unwrap()
    }

    /// The most memory that it ever had, in bytes.
    pub(super) fn peak_memory(&self) -> u64 {
        self.status("VmHWM:")
    }

    /// The memory that it has, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }
}

pub(super) fn send(pid: u32, signal: Signal) {
    // One that has ended already is as good.
    let _ = kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal);
}

/// Waits for the end of any process, ours or not.
pub(super) fn wait_for_exit(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    if let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) {
        wait_readable(&process, "a process does not end");
    }
}

fn wait_readable(fd: &impl AsFd, otherwise: &str) {
    let patience = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
    assert_ne!(poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&patience)).unwrap(), 0, "{otherwise}");
}

/// Returns the message of a daemon that is started with `--ready-stdout`.
pub(super) fn readiness(child: &mut Child) -> Readiness {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}

/// Writes in the background: the reader may stop early.
pub(super) fn feed(mut input: ChildStdin, text: &str) {
    let text = text.to_owned();
    std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
}

/// Reads lines until one has these words; returns all that was read.
pub(super) fn read_until(from: &mut impl BufRead, words: &str) -> String {
    let mut read = String::new();
    while !read.contains(words) {
        assert_ne!(from.read_line(&mut read).unwrap(), 0, "{words} is not in {read}");
    }
    read
}

/// The way in which a run ended.
#[derive(Debug)]
pub(super) struct Ran {
    /// The exit status; -1 if a signal ended it.
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ran {
    pub(super) fn of(child: Child) -> Ran {
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(super) fn run(command: &mut Command) -> Ran {
    Ran::of(command.spawn().unwrap())
}

/// Reports names that appear or vanish in a folder.
pub(super) struct Watch {
    queue: OwnedFd,
}

impl Watch {
    fn new(folder: &Path) -> Watch {
        let queue = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
        let wanted =
            inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::DELETE;
        inotify::add_watch(&queue, folder, wanted).unwrap();
        Watch { queue }
    }

    /// Waits until a name that `wanted` knows was put in place or removed.
    pub(super) fn wait(&self, wanted: impl Fn(&str) -> bool) {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut events = inotify::Reader::new(&self.queue, &mut buffer);
        loop {
            if events.is_buffer_empty() {
                wait_readable(&self.queue, "the folder does not change");
            }
            let event = events.next().unwrap();
            if event.file_name().is_some_and(|name| wanted(&name.to_string_lossy())) {
                return;
            }
        }
    }
}

/// Copies a program to a place where every user may run it.
///
/// Through another process: a descriptor of our own that is open for writing could be inherited by a child
/// that another test starts just then, and a file that is open for writing cannot be run (ETXTBSY).
pub(super) fn install(program: &str, target: &Path) {
    assert!(Command::new("cp").arg(program).arg(target).status().unwrap().success());
    std::fs::set_permissions(target, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Reads the rest.
pub(super) fn rest(mut from: impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    text
}
