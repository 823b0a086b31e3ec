//! A place to run the program in, and a daemon that sends canned lines.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A home, a project in it and a folder for the socket: all that the program sees.
pub(crate) struct Fixture {
    top: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let top = tempfile::Builder::new().prefix("clada").tempdir().unwrap();
        let fixture = Fixture { top };
        for folder in ["home/project/.git", "run"] {
            std::fs::create_dir_all(fixture.path(folder)).unwrap();
        }
        std::fs::set_permissions(fixture.path("run"), PermissionsExt::from_mode(0o700)).unwrap();
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/v1.sock")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("home/project")
    }

    /// Returns a text for comparison: its paths begin at the same folder in every run, the hash of the
    /// socket's path is `ID`, and control characters are seen.
    pub(crate) fn shown(&self, text: &str) -> String {
        let top = self.path("").into_os_string().into_string().unwrap();
        let text = text.replace(top.trim_end_matches('/'), "/TOP");
        let is_hash = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        visible(&words.filter(is_hash).fold(text.clone(), |text, hash| text.replace(hash, "ID")))
    }

    /// Returns the program with these arguments, in the project.
    pub(crate) fn client(&self, args: &[&str]) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_clada-client")), args)
    }

    pub(crate) fn program(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm")
            // Otherwise every answer would be the user's first one, about which is asked.
            .env("CI", "true")
            .env("CLADA_SOCKET", self.socket())
            .env("CLADA_DAEMON", self.path("daemon"))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A daemon's program: a shell script.
    pub(crate) fn script(&self, body: &str) {
        let text = format!("#!/bin/sh\ncd '{}'\n{body}\n", self.path("").display());
        lay_program(&self.path("daemon"), text.as_bytes());
    }

    /// Returns the line of a daemon that is ready.
    pub(crate) fn ready(&self) -> String {
        json!({"state": "ready", "socket": self.socket(), "pid": 1}).to_string()
    }
}

/// Returns the text with a picture in place of each control character but the end of a line.
pub(crate) fn visible(text: &str) -> String {
    let picture = |c: char| match c {
        '\0'..' ' if c != '\n' => char::from_u32('\u{2400}' as u32 + c as u32).unwrap(),
        _ => c,
    };
    text.chars().map(picture).collect()
}

/// Writes a program through another process: a descriptor of our own that is open for writing could be
/// inherited by a child that another test starts just then, and a file that is open for writing cannot be run
/// (ETXTBSY).
pub(crate) fn lay_program(path: &Path, content: &[u8]) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "cat > \"$0\" && chmod 700 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    shell.stdin.take().unwrap().write_all(content).unwrap();
    assert!(shell.wait().unwrap().success());
}

/// The end of a run.
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

pub(crate) fn run(command: &mut Command) -> Ran {
    command.output().unwrap().into()
}

pub(crate) fn run_with(command: &mut Command, input: &[u8]) -> Ran {
    finish(start_with(command, input))
}

pub(crate) fn start_with(command: &mut Command, input: &[u8]) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that stops reading early is not a failure of the test.
    std::thread::spawn(move || drop(stdin.write_all(&input)));
    child
}

pub(crate) fn finish(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

/// The daemon's reply to a request.
pub(crate) enum Reply {
    /// The result.
    Result(Value),
    /// The error.
    Error(Value),
    /// These lines as they are, before anything else is read.
    Lines(Vec<String>),
    /// Nothing.
    Silence,
    /// It closes the connection.
    HangUp,
    /// It answers with an empty object, closes the connection and its socket.
    Leave,
}

/// A daemon in a thread.
pub(crate) struct Fake {
    received: Arc<Mutex<Vec<Value>>>,
}

type Script = dyn Fn(&str, &Value) -> Reply + Send + Sync;

impl Fake {
    /// Listens at the place's socket. `reply` answers everything but `hello`.
    pub(crate) fn serve(
        fixture: &Fixture,
        reply: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static,
    ) -> Fake {
        Fake::listen(&fixture.socket(), env!("CARGO_PKG_VERSION"), reply)
    }

    pub(crate) fn listen(
        socket: &Path,
        version: &'static str,
        reply: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static,
    ) -> Fake {
        let listener = UnixListener::bind(socket).unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let reply: Arc<Script> = Arc::new(reply);
        let heard = Arc::clone(&received);
        let socket = socket.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, reply, socket) = (Arc::clone(&heard), Arc::clone(&reply), socket.clone());
                std::thread::spawn(move || converse(stream.unwrap(), version, &heard, &*reply, &socket));
            }
        });
        Fake { received }
    }

    /// Returns the requests so far.
    pub(crate) fn received(&self) -> Vec<Value> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn methods(&self) -> Vec<String> {
        self.received().iter().map(|request| request["method"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the parameters of the last request of this method.
    pub(crate) fn params(&self, method: &str) -> Value {
        let all = self.received();
        all.iter().rev().find(|request| request["method"] == method).unwrap()["params"].clone()
    }
}

fn converse(stream: UnixStream, version: &str, heard: &Mutex<Vec<Value>>, reply: &Script, socket: &Path) {
    let mut writer = stream.try_clone().unwrap();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap();
        heard.lock().unwrap().push(request.clone());
        let method = request["method"].as_str().unwrap();
        let answer =
            |member: &str, value: Value| json!({"jsonrpc": "2.0", "id": request["id"], member: value});
        let replied = match method {
            "hello" => {
                Reply::Result(json!({"server": "fake", "version": version, "protocol": 1, "features": []}))
            }
            _ => reply(method, &request["params"]),
        };
        let lines = match replied {
            Reply::Result(result) => vec![answer("result", result).to_string()],
            Reply::Error(error) => vec![answer("error", error).to_string()],
            Reply::Lines(lines) => lines,
            Reply::Silence => Vec::new(),
            Reply::HangUp => return,
            Reply::Leave => {
                std::fs::remove_file(socket).unwrap();
                let _ = writeln!(writer, "{}", answer("result", json!({})));
                return;
            }
        };
        for line in lines {
            // A client that has gone away is not a concern of the daemon.
            let _ = writeln!(writer, "{line}");
        }
    }
}

/// Returns a result of `execute` that holds one written file.
pub(crate) fn written(fixture: &Fixture) -> Value {
    json!({
        "success": true, "totalBlocks": 1, "executedActions": 1, "warnings": [], "parseErrors": [],
        "operationId": "op1",
        "results": [{
            "seq": 1, "task": "1", "blockId": "abc", "action": "file_write", "params": {},
            "status": "SUCCESS", "success": true, "durationMs": 1,
            "data": {"path": fixture.project().join("a.txt"), "bytesWritten": 3, "created": true},
        }],
    })
}

/// Returns a result of `execute` in which the only action failed.
pub(crate) fn failed(error: &str) -> Value {
    json!({
        "success": false, "totalBlocks": 1, "executedActions": 1, "warnings": [], "parseErrors": [],
        "operationId": "op1",
        "results": [{
            "seq": 1, "task": "1", "blockId": "abc", "action": "file_delete", "params": {"path": "x"},
            "status": "ERROR", "success": false, "durationMs": 1, "kind": "file_not_found",
            "error": error, "hint": "look\u{1b}[31m again",
        }],
    })
}
