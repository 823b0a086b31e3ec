//! A home, a socket folder and the dist binaries: the whole world of a measured process.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A place of its own on the disk.
pub(crate) struct Place {
    top: TempDir,
    /// Apart from the rest, since the path of a socket has to be short.
    sockets: TempDir,
    binaries: PathBuf,
}

impl Place {
    /// Creates the place beneath `CLADA_BENCH_DIR`, else next to the binaries: the build has a real disk.
    pub(crate) fn new() -> Place {
        let example = std::env::current_exe().expect("this program has a path");
        let binaries = example.ancestors().nth(2).expect("target/dist/examples/NAME").to_owned();
        let parent = std::env::var_os("CLADA_BENCH_DIR").map_or_else(|| binaries.clone(), PathBuf::from);
        let top =
            tempfile::Builder::new().prefix("clada-bench").tempdir_in(parent).expect("a folder to work in");
        let sockets = tempfile::tempdir().expect("a folder for sockets");
        std::fs::set_permissions(sockets.path(), PermissionsExt::from_mode(0o700)).expect("a private one");
        let place = Place { top, sockets, binaries };
        for folder in ["home", "project/.git"] {
            std::fs::create_dir_all(place.path(folder)).expect("a folder");
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.sockets.path().join("v1.sock")
    }

    pub(crate) fn binary(&self, name: &str) -> PathBuf {
        let path = self.binaries.join(name);
        assert!(path.is_file(), "{} is missing: build with --profile dist first", path.display());
        path
    }

    /// A command that sees this place and little else.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("CLADA_SOCKET", self.socket())
            .env("CLADA_DAEMON", self.binary("clada-daemon"))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        command
    }

    pub(crate) fn client(&self, args: &[&str]) -> Command {
        let mut command = self.command(&self.binary("clada-client"));
        command.args(args);
        command
    }

    /// A running daemon, ready.
    pub(crate) fn daemon(&self) -> Daemon {
        Daemon::ready(self.command(&self.binary("clada-daemon")).args(["serve", "--ready-stdout"]))
    }
}

/// Ends with its owner.
pub(crate) struct Daemon(Child);

impl Daemon {
    /// Starts a server and waits until it reports that it is ready.
    pub(crate) fn ready(command: &mut Command) -> Daemon {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("the server says that it is ready");
        assert!(line.contains("ready"), "{line}");
        Daemon(child)
    }
}

impl Daemon {
    /// Returns the time that it has kept a core busy, as far as the system reports it.
    pub(crate) fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_ascii_whitespace();
        // In user mode and in the kernel, in hundredths of a second.
        let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Daemon {
    /// Returns the bytes that it has in memory, as far as the system reports it.
    pub(crate) fn resident(&self) -> usize {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.0.id())).unwrap_or_default();
        let pages = statm.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse().ok());
        pages.unwrap_or(0_usize) * 4096
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command that has to go well.
pub(crate) fn run(mut command: Command) {
    let status = command.status().expect("it runs");
    assert!(status.success(), "{command:?}: {status}");
}

/// A connection that asks one thing after another.
pub(crate) struct Connection(BufReader<UnixStream>);

impl Connection {
    pub(crate) fn open(socket: &Path) -> Connection {
        Connection(BufReader::new(UnixStream::connect(socket).expect("the daemon answers")))
    }

    /// Sends a line, returns the line that comes back.
    pub(crate) fn ask(&mut self, line: &[u8]) -> Vec<u8> {
        let mut answer = Vec::new();
        self.0.get_mut().write_all(line).expect("it is written");
        self.0.read_until(b'\n', &mut answer).expect("it is answered");
        answer
    }

    /// Sends a message, returns the body that comes back after headers, of HTTP or of others.
    pub(crate) fn ask_with_headers(&mut self, message: &[u8]) -> Vec<u8> {
        self.0.get_mut().write_all(message).expect("it is written");
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            self.0.read_line(&mut line).expect("it is answered");
            if let Some((name, value)) = line.split_once(": ")
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim_end().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        body
    }

    /// The next line that comes by itself.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.0.read_until(b'\n', &mut line).expect("a line");
        assert!(!line.is_empty(), "the daemon hung up");
        line
    }

    /// Calls a method.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(&request(method, params));
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        answer["result"].clone()
    }
}

/// A request as a line.
pub(crate) fn request(method: &str, params: &Value) -> Vec<u8> {
    let mut line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    line.push('\n');
    line.into_bytes()
}
