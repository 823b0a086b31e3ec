//! Who may call the daemon: real processes that try, each with what refused it.
//!
//! A daemon serves on a socket that everything here can reach; commands run without a sandbox through a helper of this
//! program, which is another daemon's as far as that one can tell. What asks is this very program (`probe`).
#![cfg(target_os = "linux")]
// Tests start programs, write the files that these need, and fail by panicking.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::ffi::OsString;
use std::io::{BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clada_exec::{Bounds, CommandSpec, Follow, Helper, Runner, Sandbox};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_clada-daemon");
const STATUS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#;

/// A folder with a daemon that serves in it.
struct Place {
    folder: tempfile::TempDir,
    daemon: Child,
    pid: u32,
}

impl Place {
    fn new(config: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["s", "other"] {
            std::fs::DirBuilder::new().mode(0o700).create(folder.path().join(name)).unwrap();
        }
        for name in [".config/clada", "project", "temporary"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join(".config/clada/config.yaml"), config).unwrap();
        let socket = folder.path().join("s/v1.sock");
        // Without CLADA_SOCKET, as in the escape that was found.
        let mut daemon = Command::new(PROGRAM)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", folder.path())
            .args(["serve", "--ready-stdout", "--socket"])
            .arg(socket)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(ready["state"], "ready", "{ready}");
        let pid = daemon.id();
        Place { folder, daemon, pid }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn socket(&self) -> String {
        self.path("s/v1.sock").to_str().unwrap().to_owned()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(i32::try_from(self.pid).unwrap()).unwrap(), signal).unwrap();
    }

    /// Runs a script of the shell as a command of an answer, without a sandbox; `probe` asks the daemon.
    fn command(&self, script: &str) -> String {
        let runner = Runner::new(Helper::from_program(Path::new(PROGRAM)).unwrap(), self.path("temporary"));
        let environment: Vec<(OsString, OsString)> = [
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("HOME", self.folder.path().to_str().unwrap().to_owned()),
            ("SOCKET", self.socket()),
            ("DAEMON", PROGRAM.to_owned()),
            ("OTHER", self.path("other").to_str().unwrap().to_owned()),
            ("P", std::env::current_exe().unwrap().to_str().unwrap().to_owned()),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec();
        let spec = CommandSpec {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), format!("{FUNCTION}{script}").into()],
            folder: self.path("project"),
            environment,
            umask: 0o022,
            bounds: Bounds { time: Duration::from_secs(60), ..Bounds::default() },
            enclosure: None,
        };
        let mut follow = Follow { stop: &|| false, sink: &mut |_, _| {} };
        let outcome = runner.run(&spec, Sandbox::None, None, &mut follow).unwrap();
        format!("{}{}", outcome.stdout.text, outcome.stderr.text)
    }

    /// Runs a script of the shell as the person would.
    fn persons(&self, wrapper: &[&str], asked: &str, say: &str) -> Option<String> {
        let own = std::env::current_exe().unwrap();
        let words: Vec<&str> = wrapper.iter().copied().chain([own.to_str().unwrap()]).collect();
        let ran = Command::new(words[0])
            .args(&words[1..])
            .args(["--exact", "probe", "--test-threads=1"])
            .env("CLADA_PROBE", asked)
            .env("CLADA_SAY", say)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        said.contains("{\"").then_some(said)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

const FUNCTION: &str = "probe() { CLADA_PROBE=$1 exec \"$P\" --exact probe --test-threads=1; }; ";

/// The answers that stand in what a probe printed.
fn answers(said: &str) -> Vec<Value> {
    said.lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The reason for which the daemon refused, as one line and nothing else.
fn refused(said: &str) -> String {
    let answers = answers(said);
    assert_eq!(answers.len(), 1, "{said}");
    let error = &answers[0]["error"];
    assert_eq!(
        (&answers[0]["id"], &error["data"]["kind"]),
        (&Value::Null, &json!("peer_not_allowed")),
        "{said}"
    );
    assert_eq!(error["code"], 43);
    error["data"]["reason"].as_str().unwrap().to_owned()
}

/// Not a test of its own: what the probes run, with what to do in a variable.
#[test]
fn probe() {
    let Some(asked) = std::env::var_os("CLADA_PROBE") else { return };
    let asked = asked.into_string().unwrap();
    let (what, socket) = asked.split_once(':').unwrap();
    match what {
        "ask" => ask(&UnixStream::connect(socket).unwrap()),
        "filtered" => {
            filter_nothing();
            ask(&UnixStream::connect(socket).unwrap());
        }
        // Hands a connected socket to whoever listens beside it, and ends when that one has had it.
        "hand" => {
            let connected = UnixStream::connect(socket).unwrap();
            let to = UnixStream::connect(Path::new(socket).with_file_name("to.sock")).unwrap();
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            let handed = [connected.as_fd()];
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(&handed)));
            sendmsg(&to, &[IoSlice::new(b"x")], &mut ancillary, SendFlags::empty()).unwrap();
            let _ = (&to).read(&mut [0]);
        }
        other => panic!("nothing to try is called {other}"),
    }
}

/// Says what is to be said, and shows what is answered.
fn ask(stream: &UnixStream) {
    let say = std::env::var("CLADA_SAY").unwrap_or_else(|_| STATUS.to_owned());
    // One that is turned away may have its words refused; the answer is there all the same.
    let _ = (&mut &*stream).write_all(format!("{say}\n").as_bytes());
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut said = String::new();
    let _ = (&mut &*stream).read_to_string(&mut said);
    // Not printed, so that it is not kept back with what tests print.
    std::io::stdout().write_all(format!("\n{said}\n").as_bytes()).unwrap();
}

/// Confines this process as an agent's sandbox does, with a filter that lets everything pass.
fn filter_nothing() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter_all_threads};

    let filter = SeccompFilter::new(
        std::collections::BTreeMap::new(),
        SeccompAction::Allow,
        SeccompAction::Log,
        std::env::consts::ARCH.try_into().unwrap(),
    );
    apply_filter_all_threads(&BpfProgram::try_from(filter.unwrap()).unwrap()).unwrap();
}

#[test]
fn regression_what_a_command_started_is_refused_however_it_hides() {
    let place = Place::new("");
    for (what, script) in [
        ("a command", "(probe \"ask:$SOCKET\")"),
        (
            "a session of its own",
            "export CLADA_PROBE=\"ask:$SOCKET\"; setsid -w \"$P\" --exact probe --test-threads=1",
        ),
        (
            "an orphan of a double fork",
            "mkfifo done; (setsid sh -c 'CLADA_PROBE=\"ask:$SOCKET\" \"$P\" --exact probe --test-threads=1 > out; echo > done' &) ; \
             read x < done; cat out",
        ),
        ("the link of another name", "ln \"$SOCKET\" \"$OTHER/hard\"; (probe \"ask:$OTHER/hard\")"),
        (
            "a socket that was renamed",
            "mv \"$SOCKET\" \"$OTHER/moved\"; (probe \"ask:$OTHER/moved\"); mv \"$OTHER/moved\" \"$SOCKET\"",
        ),
        ("a relative name", "cd \"${SOCKET%/*}\"; (probe ask:v1.sock)"),
    ] {
        let said = place.command(script);
        assert_eq!(refused(&said), "helper", "{what}: {said}");
        println!("{what:40} refused at accept: helper");
    }
    for wrapper in [["unshare", "-m"].as_slice(), &["unshare", "-Ur"], &["unshare", "-Urpf"]] {
        let said = place.command(&format!(
            "export CLADA_PROBE=\"ask:$SOCKET\"; {} \"$P\" --exact probe --test-threads=1",
            wrapper.join(" ")
        ));
        if answers(&said).is_empty() {
            println!("not run: {wrapper:?} does not work here");
            continue;
        }
        assert_eq!(refused(&said), "helper", "{wrapper:?}: {said}");
    }
    // The person is answered beside all this.
    let said = place.persons(&["/usr/bin/env"], &format!("ask:{}", place.socket()), STATUS).unwrap();
    assert_eq!(answers(&said)[0]["result"]["pid"], place.pid, "{said}");
}

#[test]
fn regression_a_daemon_that_a_command_starts_serves_nobody() {
    let place = Place::new("");
    let said = place.command("\"$DAEMON\" serve --foreground --socket \"$OTHER/x.sock\"; echo ended $?");
    assert!(said.contains("serves nobody") && said.contains("ended 1"), "{said}");
    let said = place.command(&format!("echo '{STATUS}' | \"$DAEMON\" serve --stdio; echo ended $?"));
    assert!(said.contains("ended 1") && answers(&said).is_empty(), "{said}");
    assert!(!place.path("other/x.sock").exists());
}

#[test]
fn a_socket_counts_as_the_one_who_connected_it() {
    let place = Place::new("");
    let listener = UnixListener::bind(place.path("s/to.sock")).unwrap();
    let answered = |handed: OwnedFd| {
        let stream = UnixStream::from(handed);
        let _ = (&mut &stream).write_all(format!("{STATUS}\n").as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = String::new();
        let _ = (&mut &stream).read_to_string(&mut said);
        said
    };
    // A command hands its connection to a process of the person, which is no way out.
    let said = std::thread::scope(|scope| {
        let taken = scope.spawn(|| {
            let (handed, _from) = take(&listener);
            answered(handed)
        });
        place.command("(probe \"hand:$SOCKET\")");
        taken.join().unwrap()
    });
    assert_eq!(refused(&said), "helper", "{said}");
    // Whoever connected has ended before anybody looked: nobody knows any more what it was.
    place.signal(Signal::STOP);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "probe", "--test-threads=1"])
        .env("CLADA_PROBE", format!("hand:{}", place.socket()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (handed, from) = take(&listener);
    drop(from);
    assert!(child.wait().unwrap().success());
    place.signal(Signal::CONT);
    let said = answered(handed);
    assert_eq!(refused(&said), "gone", "{said}");
}

/// A descriptor that somebody hands over, and who waits for the end of that.
fn take(listener: &UnixListener) -> (OwnedFd, UnixStream) {
    let (from, _) = listener.accept().unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    recvmsg(&from, &mut [IoSliceMut::new(&mut [0])], &mut ancillary, RecvFlags::empty()).unwrap();
    let handed = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut handed) => handed.next(),
        _ => None,
    });
    (handed.unwrap(), from)
}

#[test]
fn other_namespaces_are_refused_or_agents() {
    let execute = json!({
        "jsonrpc": "2.0", "id": 1, "method": "execute",
        "params": {"root": "/nonexistent", "text": "", "allowEscape": true},
    })
    .to_string();
    let shutdown = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
    let hello = r#"{"jsonrpc":"2.0","id":3,"method":"hello","params":{"caller":"person"}}"#;
    for wrapper in
        [["unshare", "-m"].as_slice(), &["unshare", "-Ur"], &["unshare", "-Urpf"], &["unshare", "-Urm"]]
    {
        let place = Place::new("");
        let asked = format!("ask:{}", place.socket());
        let Some(said) = place.persons(wrapper, &asked, STATUS) else {
            println!("not run: {wrapper:?} does not work here");
            continue;
        };
        assert_eq!(refused(&said), "namespace", "{wrapper:?}: {said}");
        println!("{wrapper:?} refused at accept: namespace");
        let place = Place::new("socket: {foreign_namespaces: agent}\n");
        let asked = format!("ask:{}", place.socket());
        let said =
            place.persons(wrapper, &asked, &format!("{execute}\n{shutdown}\n{hello}\n{STATUS}")).unwrap();
        assert_agent(&said);
        // A command's stays nobody.
        let said = place.command(&format!(
            "export CLADA_PROBE=\"ask:$SOCKET\"; {} \"$P\" --exact probe --test-threads=1",
            wrapper.join(" ")
        ));
        assert_eq!(refused(&said), "helper", "{wrapper:?}: {said}");
    }
    // Another network namespace alone is no reason.
    let place = Place::new("");
    match place.persons(&["unshare", "-n"], &format!("ask:{}", place.socket()), STATUS) {
        Some(said) => assert_eq!(answers(&said)[0]["result"]["pid"], place.pid, "{said}"),
        None => println!("not run: unshare -n does not work here"),
    }
}

#[test]
fn a_process_in_a_sandbox_of_filters_is_an_agent() {
    let place = Place::new("");
    let execute = json!({
        "jsonrpc": "2.0", "id": 1, "method": "execute",
        "params": {"root": "/nonexistent", "text": "", "allowEscape": true},
    });
    let say = format!(
        "{execute}\n{}\n{}\n{STATUS}",
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"hello","params":{"caller":"person"}}"#
    );
    let said = place.persons(&["/usr/bin/env"], &format!("filtered:{}", place.socket()), &say).unwrap();
    assert_agent(&said);
}

/// Nothing that is a person's alone was done, and `hello` made nobody a person.
fn assert_agent(said: &str) {
    let mut answers = answers(said);
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let kinds: Vec<&str> =
        answers.iter().map(|answer| answer["error"]["data"]["kind"].as_str().unwrap_or("none")).collect();
    assert_eq!(kinds, ["invalid_params", "method_not_found", "invalid_params", "none"], "{said}");
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("only a person"), "{said}");
}
