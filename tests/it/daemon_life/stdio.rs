//! `serve --stdio`: the running daemon's voice where there is one, else a server of its own.

use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use rustix::process::Signal;
use serde_json::json;

use super::place::{Place, send};
use super::wire::{SocketWire, Wire, writes};

fn start(place: &Place) -> (Child, Wire<ChildStdout, ChildStdin>) {
    let mut child = place.daemon(&["serve", "--stdio"]).stdin(Stdio::piped()).spawn().unwrap();
    let wire = Wire::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    (child, wire)
}

#[test]
fn with_a_daemon_it_hands_on() {
    let place = Place::new();
    let daemon = place.serve();
    let (mut child, mut stdio) = start(&place);
    assert_eq!(stdio.call("status", &json!({}))["pid"], daemon.pid);
    // They share their sessions, since they are one.
    let root = place.project();
    stdio.call("session.open", &json!({"root": root, "session": "shared"}));
    let mut socket = SocketWire::open(&place.socket());
    assert_eq!(socket.call("session.get", &json!({"root": root, "session": "shared"}))["session"], "shared");
    let result = stdio.call("execute", &json!({"text": writes("a.txt", "one"), "root": root}));
    assert_eq!(result["success"], true);
    drop(stdio);
    assert!(child.wait().unwrap().success());
    assert_eq!(socket.call("status", &json!({}))["pid"], daemon.pid);
}

#[test]
fn a_named_socket_means_no_daemon_at_another_one_of_its_folder() {
    let place = Place::new();
    let _daemon = place.serve();
    let mut command = place.daemon(&["serve", "--stdio"]);
    command.env("CLADA_SOCKET", place.path("run/other.sock")).stdin(Stdio::null()).stderr(Stdio::piped());
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let said = String::from_utf8(ran.stderr).unwrap();
    let named = [place.path("run/other.sock"), place.socket()];
    assert!(named.iter().all(|path| said.contains(path.to_str().unwrap())), "{said}");
}

#[test]
fn without_a_daemon_it_serves_by_itself() {
    let place = Place::new();
    let (mut child, mut stdio) = start(&place);
    assert_eq!(stdio.call("status", &json!({}))["pid"], child.id());
    let result = stdio.call("execute", &json!({"text": writes("a.txt", "one"), "root": place.project()}));
    assert_eq!(result["success"], true);
    // No socket is made: others do not find it, and start a daemon.
    assert!(!place.socket().exists());
    drop(stdio);
    assert!(child.wait().unwrap().success());
    assert_eq!(place.read("a.txt").trim_end(), "one");
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let place = Place::new();
    let (mut child, mut stdio) = start(&place);
    let held = place.hold_project();
    let id = stdio.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    // The client has sent all its requests, and still listens.
    let Wire { reader, writer, .. } = stdio;
    drop(writer);
    drop(held);
    let mut stdio = Wire::new(reader, std::io::sink());
    assert_eq!(stdio.answer(id)["result"]["success"], true);
    assert!(child.wait().unwrap().success());
    assert_eq!(place.read("a.txt").trim_end(), "one");
}

#[test]
fn a_signal_ends_it_when_it_has_finished() {
    let place = Place::new();
    let (mut child, mut stdio) = start(&place);
    let held = place.hold_project();
    let id = stdio.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    send(child.id(), Signal::TERM);
    drop(held);
    assert_eq!(stdio.answer(id)["result"]["success"], true);
    assert!(child.wait().unwrap().success());
}

#[test]
fn messages_after_headers_are_understood_and_http_is_not() {
    use std::io::Write;

    let status = r#"{"jsonrpc":"2.0","id":1,"method":"status"}"#;
    let framed = format!("Content-Length: {}\r\n\r\n{status}", status.len());
    for with_daemon in [true, false] {
        let place = Place::new();
        let _daemon = with_daemon.then(|| place.serve());
        let talk = |said: &str| {
            let mut child = place.daemon(&["serve", "--stdio"]).stdin(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
            String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
        };
        let heard = talk(&framed);
        assert!(heard.starts_with("Content-Length: ") && heard.contains("\"pid\":"), "{heard}");
        let heard = talk("POST /rpc HTTP/1.1\r\n\r\n");
        assert!(heard.contains("parse_error") && heard.contains("spoken here: JSON-RPC 2.0"), "{heard}");
        assert!(!heard.contains("HTTP/1.1"), "{heard}");
    }
}
