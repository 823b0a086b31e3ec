//! A host of MCP that starts the proxy, and the user in whose home it does.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clada_protocol::handshake::LockInfo;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Connection, Ran, feed};

const CLIENT: &str = env!("CARGO_BIN_EXE_it-client");
const DAEMON: &str = env!("CARGO_BIN_EXE_it-daemon");

/// A guard against hanging, not a measure.
const PATIENCE: Duration = Duration::from_secs(120);

/// A user with a home, a usual place for the socket, and a project; no environment names any of them. A
/// daemon that still runs ends with it.
pub(super) struct Person {
    home: PathBuf,
    _folder: TempDir,
}

impl Person {
    pub(super) fn new() -> Person {
        let folder = tempfile::Builder::new().prefix("clada-it").tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        for name in ["run", "project/.git", "planted/clada"] {
            std::fs::create_dir_all(home.join(name)).unwrap();
        }
        std::fs::set_permissions(home.join("run"), PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::write(home.join(".it-person"), "").unwrap();
        Person { home, _folder: folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("run/v1.sock")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// A program in the environment that hosts give, in the project.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("IT_PERSON", &self.home)
            .env("HOME", &self.home)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The proxy, not started yet.
    pub(super) fn proxy(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(DAEMON);
        command.arg("mcp").args(arguments);
        command
    }

    /// The proxy, which waits for nothing longer than `milliseconds`.
    pub(super) fn impatient_proxy(&self, milliseconds: u32, arguments: &[&str]) -> Command {
        let mut command = self.proxy(arguments);
        command.env("IT_WAITS", milliseconds.to_string());
        command
    }

    /// The proxy, run by a host that says nothing.
    pub(super) fn refused(&self, arguments: &[&str]) -> Ran {
        feed(&mut self.proxy(arguments), b"")
    }

    /// The user's own client.
    pub(super) fn client(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(CLIENT);
        command.env("CLADA_DAEMON", DAEMON).env("CLADA_SOCKET", self.socket());
        feed(command.args(arguments), b"")
    }

    /// The process of the daemon at the usual place.
    pub(super) fn daemon(&self) -> Option<i32> {
        let mut connection = Connection::open(&self.socket()).ok()?;
        let status = connection.try_call("status", &json!({})).ok()?;
        i32::try_from(status["pid"].as_i64()?).ok()
    }

    /// The process that the lock file names, which may be in the middle of anything.
    pub(super) fn lock_holder(&self) -> i32 {
        let text = std::fs::read(self.path("run/v1.lock")).unwrap();
        i32::try_from(serde_json::from_slice::<LockInfo>(&text).unwrap().pid).unwrap()
    }

    /// The daemons that serve in this home.
    pub(super) fn daemons(&self) -> Vec<i32> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let home = format!("HOME={}", self.home.display());
            let serves = line.split(|byte| *byte == 0).nth(1) == Some(b"serve");
            if serves && environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes()) {
                found.push(pid);
            }
        }
        found
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        for pid in self.daemons() {
            kill(pid);
        }
    }
}

/// Ends a process in the middle of its work, and waits until it has.
pub(super) fn kill(pid: i32) {
    use rustix::event::{PollFd, PollFlags, poll};
    let Some(pid) = Pid::from_raw(pid) else { return };
    let Ok(descriptor) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) else {
        return;
    };
    let _ = kill_process(pid, Signal::KILL);
    poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None).unwrap();
}

/// A host with its proxy.
pub(super) struct Host {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Value>,
}

impl Host {
    pub(super) fn new(command: &mut Command) -> Host {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (send, heard) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or_else(|_| Value::from(line));
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        Host { input: child.stdin.take(), child, heard }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn say(&mut self, message: &Value) {
        self.write(&format!("{message}\n"));
    }

    pub(super) fn write(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(super) fn hear(&mut self) -> Value {
        self.heard.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("the proxy says nothing: {error}"))
    }

    /// Everything that it says until its end.
    pub(super) fn rest(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.heard.recv_timeout(PATIENCE).ok()).collect()
    }

    /// Says a request and returns its answer; nothing else may come.
    pub(super) fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Says that nothing more comes.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the proxy.
    pub(super) fn ended(&mut self) -> ExitStatus {
        self.close();
        self.child.wait().unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the text of the first block of a tool's result.
pub(super) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

/// Returns the path of the program under test.
pub(super) fn program() -> &'static Path {
    Path::new(DAEMON)
}
