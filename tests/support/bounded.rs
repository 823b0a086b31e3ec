//! Programs that are run to their end, or for so long: no test waits for one without a bound.
//!
//! A program that stays is ended with all that it started, and the failure names each of these processes with
//! its command line, and shows what was written until then. Knows no daemon and no project.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The time for one program of a test: far more than any of them takes, and less than `.config/nextest.toml` gives a test, so that
/// the failure is told by what knows the processes.
const PATIENCE: Duration = Duration::from_secs(240);

/// The time between two looks whether a program that has closed its output has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// The way in which a program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs a program with this on its standard input.
#[track_caller]
pub(crate) fn feed(command: &mut Command, stdin: &[u8]) -> Ran {
    feed_for(PATIENCE, command, stdin)
}

/// The same, for a program that may take so long.
#[track_caller]
pub(crate) fn feed_for(limit: Duration, command: &mut Command, stdin: &[u8]) -> Ran {
    output_for(limit, command, stdin).unwrap_or_else(|error| panic!("{error}")).into()
}

/// Runs a program of the system with nothing on its standard input. An error names a program that could not be
/// started or did not end.
pub(crate) fn output(command: &mut Command) -> Result<Output, String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    output_for(PATIENCE, command, b"")
}

/// Returns what a program wrote, or why it has no end.
fn output_for(limit: Duration, command: &mut Command, stdin: &[u8]) -> Result<Output, String> {
    let until = Instant::now() + limit;
    let spawned = command.stdin(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_owned();
    // A program that stops reading early is not a failure of the test.
    std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let mut outputs = [Collected::of(child.stdout.take()), Collected::of(child.stderr.take())];
    let is_over = outputs.iter_mut().all(|output| output.is_whole(until));
    let status = if is_over { status_until(&mut child, until) } else { None };
    let pipes: Vec<PathBuf> = outputs.iter().filter_map(|output| output.name.clone()).collect();
    let [stdout, stderr] = outputs.map(|output| output.bytes);
    if let Some(status) = status {
        return Ok(Output { status, stdout, stderr });
    }
    let stayed = end_all(&mut child, &pipes);
    Err(format!(
        "{command:?} did not end within {} s.\nStill there, or with its output open:\n{stayed}\n\
         Standard output:\n{}\nStandard error:\n{}",
        limit.as_secs(),
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    ))
}

/// What comes out of a pipe, in a thread that a test may leave behind: a process that the program started can
/// keep the pipe open for good.
struct Collected {
    /// The pipe as `/proc` names it.
    name: Option<PathBuf>,
    parts: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Collected {
    fn of(pipe: Option<impl Read + AsRawFd + Send + 'static>) -> Collected {
        let (sender, parts) = channel();
        let name = pipe.as_ref().and_then(|pipe| name_of(format!("/proc/self/fd/{}", pipe.as_raw_fd())));
        if let Some(mut pipe) = pipe {
            std::thread::spawn(move || {
                let mut part = vec![0; 1 << 16];
                while let Ok(length @ 1..) = pipe.read(&mut part) {
                    if sender.send(part[..length].to_vec()).is_err() {
                        break;
                    }
                }
            });
        }
        Collected { name, parts, bytes: Vec::new() }
    }

    /// Takes what comes until the pipe is closed; `false` if it is still open at that time.
    fn is_whole(&mut self, until: Instant) -> bool {
        loop {
            match self.parts.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(part) => self.bytes.extend(part),
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }
}

/// The status of a child that ends before that time.
fn status_until(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return Some(status),
            None if Instant::now() >= until => return None,
            None => std::thread::sleep(PAUSE),
        }
    }
}

/// Ends a child, what it started, and what still has one of these pipes; returns a line for each of these processes.
fn end_all(child: &mut Child, pipes: &[PathBuf]) -> String {
    let mut processes = tree_of(child.id());
    processes.extend(holders_of(pipes));
    processes.sort_unstable();
    processes.dedup();
    let shown: String = processes.iter().map(|pid| format!("  {pid} {}\n", command_line(*pid))).collect();
    for pid in processes.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
    shown
}

/// The numbers of all processes; none on systems without `/proc`.
fn all_processes() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The processes that this one started, and itself, without those whose parent has ended.
fn tree_of(top: u32) -> Vec<i32> {
    let parents: Vec<(i32, i32)> =
        all_processes().into_iter().filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    let mut tree: Vec<i32> = i32::try_from(top).into_iter().collect();
    let mut at = 0;
    while let Some(above) = tree.get(at).copied() {
        tree.extend(parents.iter().filter(|(_, parent)| *parent == above).map(|(pid, _)| *pid));
        at += 1;
    }
    tree
}

/// The processes other than this one that have one of these pipes open.
fn holders_of(pipes: &[PathBuf]) -> Vec<i32> {
    let holds = |pid: &i32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut names = open.filter_map(|entry| name_of(entry.path()));
        names.any(|name| pipes.contains(&name))
    };
    let own = i32::try_from(std::process::id());
    all_processes().into_iter().filter(|pid| Ok(*pid) != own).filter(holds).collect()
}

fn name_of(descriptor: impl AsRef<Path>) -> Option<PathBuf> {
    std::fs::read_link(descriptor).ok()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program, in brackets, may hold brackets.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn command_line(pid: i32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned()
}

#[test]
fn regression_a_program_that_keeps_the_output_open_is_ended_and_named() {
    // As a daemon that inherits the pipe: the program itself ends at once.
    let mut command = Command::new("sh");
    command.args(["-c", "echo before; sleep 1001 & exit 0"]).stdout(Stdio::piped());
    let error = output_for(Duration::from_secs(1), &mut command, b"").unwrap_err();
    assert!(error.contains("\nStandard output:\nbefore\n"), "{error}");
    assert!(cfg!(not(target_os = "linux")) || error.contains(" sleep 1001\n"), "{error}");
    // And one that only stays, below another one.
    let mut command = Command::new("sh");
    command.args(["-c", "sh -c 'sleep 1002; true'; true"]).stdout(Stdio::piped());
    let error = output_for(Duration::from_secs(1), &mut command, b"").unwrap_err();
    assert!(cfg!(not(target_os = "linux")) || error.contains(" sleep 1002\n"), "{error}");
    assert_eq!(feed(Command::new("cat").stdout(Stdio::piped()), b"all").stdout, "all");
}
