//! The program itself: real processes, each with a socket and a state folder of its own.

// Tests start programs, write the files that these need, and fail by panicking.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs::DirBuilder;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_clada-daemon");
const STATUS: &str = "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"status\"}\n";

/// A place where one daemon lives.
struct Place {
    folder: tempfile::TempDir,
}

/// A daemon that is ended with the test.
struct Running {
    child: Child,
    ready: Value,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        DirBuilder::new().mode(0o700).create(folder.path().join("s")).unwrap();
        Place { folder }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("s/v1.sock")
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .env("CLADA_SOCKET", self.socket())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
    }

    /// Starts a daemon through a shell that sets it up, and waits until it says that it is ready.
    fn start(&self, setup: &str) -> Running {
        let script = format!("{setup} exec \"$0\" serve --ready-stdout");
        let mut command = Command::new("/bin/sh");
        self.surround(&mut command).args(["-c", &script, PROGRAM]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Running { child, ready: serde_json::from_str(&line).unwrap() }
    }

    fn talk(&self, input: &str) -> Output {
        let mut command = Command::new(PROGRAM);
        self.surround(&mut command).args(["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

impl Running {
    fn pid(&self) -> u64 {
        u64::from(self.child.id())
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(output: &Output) -> Value {
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn ask(socket: &Path) -> Option<Value> {
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.write_all(STATUS.as_bytes()).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

#[test]
fn ready_then_asked_then_stopped() {
    use rustix::process::Signal;

    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let place = Place::new();
        let mut daemon = place.start("");
        let socket = place.socket();
        assert_eq!(daemon.ready, json!({"state": "ready", "socket": socket.to_str(), "pid": daemon.pid()}));
        assert_eq!(ask(&socket).unwrap()["result"]["pid"], daemon.pid());
        let second = place.start("");
        assert_eq!(second.ready, json!({"state": "running", "socket": socket.to_str(), "pid": daemon.pid()}));
        daemon.signal(signal);
        assert!(daemon.child.wait().unwrap().success());
        assert!(!socket.exists());
        assert!(ask(&socket).is_none());
    }
}

#[test]
fn a_killed_one_is_replaced() {
    let place = Place::new();
    let mut first = place.start("");
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    assert!(place.socket().exists());
    let second = place.start("");
    assert_eq!(second.ready["state"], "ready");
    assert_eq!(ask(&place.socket()).unwrap()["result"]["pid"], second.pid());
}

#[test]
fn a_folder_that_others_may_enter_is_refused() {
    let place = Place::new();
    let daemon = place.start("chmod 755 \"$HOME/s\";");
    assert_eq!(daemon.ready["state"], "failed");
    assert!(daemon.ready["message"].as_str().unwrap().contains("chmod 700"), "{}", daemon.ready);
}

#[test]
fn stdio_hands_on_to_the_running_daemon() {
    let place = Place::new();
    let daemon = place.start("");
    let status = answer(&place.talk(STATUS));
    assert_eq!((&status["id"], &status["result"]["pid"]), (&json!(-7), &json!(daemon.pid())));
    // Large ones go through whole, both ways.
    let method = "m".repeat(3 << 20);
    let refused = answer(&place.talk(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}")));
    assert_eq!(refused["error"]["data"]["kind"], "method_not_found");
}

#[test]
fn stdio_answers_itself_where_no_daemon_is() {
    let place = Place::new();
    let lines = format!("{STATUS}{{}}\n{}", STATUS.trim_end());
    let output = place.talk(&lines);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert!(answers[0]["result"]["pid"].is_number() && answers[2]["result"]["pid"].is_number());
    assert_eq!(answers[1]["error"]["data"]["kind"], "invalid_request");
    assert!(!place.socket().exists());
}

#[test]
fn a_listening_socket_can_be_handed_over() {
    let place = Place::new();
    let listener = UnixListener::bind(place.socket()).unwrap();
    // The client comes first, as under socket activation.
    let mut client = UnixStream::connect(place.socket()).unwrap();
    client.write_all(STATUS.as_bytes()).unwrap();
    let mut command = Command::new(PROGRAM);
    place.surround(&mut command).args(["serve", "--listen-stdin", "--idle-exit", "1"]);
    let child = command.stdin(Stdio::from(std::os::fd::OwnedFd::from(listener))).spawn().unwrap();
    let mut running = Running { child, ready: Value::Null };
    let mut line = String::new();
    BufReader::new(client).read_line(&mut line).unwrap();
    let status: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(status["result"]["pid"], running.pid());
    running.signal(rustix::process::Signal::TERM);
    assert!(running.child.wait().unwrap().success());
    assert!(place.socket().exists(), "the socket is not the daemon's to remove");
}

#[test]
fn few_descriptors_slow_the_door_and_no_more() {
    let place = Place::new();
    let daemon = place.start("ulimit -n 40;");
    assert_eq!(daemon.ready["state"], "ready");
    let idle: Vec<UnixStream> = (0..80).map(|_| UnixStream::connect(place.socket()).unwrap()).collect();
    assert_eq!(ask(&place.socket()).unwrap()["result"]["pid"], daemon.pid());
    drop(idle);
    assert_eq!(ask(&place.socket()).unwrap()["result"]["pid"], daemon.pid());
}

#[test]
fn the_log_names_no_content() {
    let place = Place::new();
    let mut daemon = place.start("");
    let mut stream = UnixStream::connect(place.socket()).unwrap();
    stream
        .write_all(
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"parse\",\"params\":{\"text\":\"hush-hush\"}}\n",
        )
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    daemon.signal(rustix::process::Signal::TERM);
    daemon.child.wait().unwrap();
    let state = place.folder.path().join(".local/state/clada");
    let machine = std::fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let log = std::fs::read_to_string(machine.join("daemon.log")).unwrap();
    assert!(log.contains("listening") && log.contains("stopped") && !log.contains("hush"), "{log}");
}

#[test]
fn the_units_are_sound() {
    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else {
        println!("not run: there is no systemd-analyze here");
        return;
    };
    assert!(version.status.success());
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd");
    let place = Place::new();
    let service = std::fs::read_to_string(units.join("clada.service")).unwrap();
    // The program is not installed where the tests run.
    let service = service.replace("%h/.cargo/bin/clada-daemon", PROGRAM);
    let copies = ["clada.service", "clada.socket"].map(|name| place.folder.path().join(name));
    std::fs::write(&copies[0], service).unwrap();
    std::fs::copy(units.join("clada.socket"), &copies[1]).unwrap();
    let mut command = Command::new("systemd-analyze");
    place.surround(&mut command).env("XDG_RUNTIME_DIR", place.folder.path().join("s"));
    let verified = command.args(["--user", "verify"]).args(&copies).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("clada."), "{said}");
}

#[test]
fn the_configuration_says_how_long_it_stays_and_what_it_logs() {
    let place = Place::new();
    let folder = place.folder.path().join(".config/clada");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), "daemon:\n  idle_exit: 1s\n  log_level: error\n").unwrap();
    let mut daemon = place.start("");
    assert_eq!(daemon.ready["state"], "ready");
    assert!(daemon.child.wait().unwrap().success());
    let logged = walk(place.folder.path()).into_iter().find(|path| path.ends_with("daemon.log"));
    assert_eq!(logged.map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default(), "");
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .flat_map(
            |entry| {
                if entry.file_type().unwrap().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }
            },
        )
        .collect()
}

#[test]
fn a_folder_that_is_not_for_sockets_alone_is_refused() {
    for (setup, words) in [
        ("mkdir \"$HOME/s/project\";", "holds other things"),
        ("touch \"$HOME/s/file\";", "holds other things"),
        ("HOME=\"$HOME/s\"", "where work is done"),
        ("CLADA_ALLOWED_ROOTS=\"[$HOME/s]\"", "where work is done"),
    ] {
        let place = Place::new();
        let daemon = place.start(setup);
        assert_eq!(daemon.ready["state"], "failed", "{setup}");
        assert!(daemon.ready["message"].as_str().unwrap().contains(words), "{setup} {}", daemon.ready);
        assert!(!place.socket().exists());
    }
}

#[test]
fn a_project_that_overlaps_the_folder_of_the_socket_is_refused() {
    let place = Place::new();
    let _daemon = place.start("");
    let top = place.folder.path().canonicalize().unwrap();
    for root in [top.clone(), top.join("s")] {
        let mut stream = UnixStream::connect(place.socket()).unwrap();
        let params = json!({"root": root, "text": "", "approve": "all"});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "execute", "params": params});
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["error"]["data"]["kind"], "path_denied", "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("overlap"), "{answer}");
    }
}
