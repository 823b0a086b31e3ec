//! Daemons of other versions: an older one is replaced by the real one, a newer one is used.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};

use super::place::{Place, run};
use super::wire::writes;

/// Plays a daemon of this version for some connections; returns the methods of its requests.
fn play(place: &Place, version: &'static str, connections: usize) -> thread::JoinHandle<Vec<String>> {
    let socket = place.socket();
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || {
        let mut heard = Vec::new();
        for _ in 0..connections {
            let (stream, _) = listener.accept().unwrap();
            converse(&stream, version, &socket, &mut heard);
        }
        heard
    })
}

fn converse(stream: &UnixStream, version: &str, socket: &PathBuf, heard: &mut Vec<String>) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap();
        let method = request["method"].as_str().unwrap().to_owned();
        let result = match method.as_str() {
            "hello" => json!({"server": "played", "version": version, "protocol": 1, "features": []}),
            "status" => json!({"version": version, "pid": 1}),
            _ => json!({"running": 0}),
        };
        let leaves = method == "shutdown";
        heard.push(method);
        if leaves {
            std::fs::remove_file(socket).unwrap();
        }
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        let mut stream = stream;
        // A client that has its answer may be gone.
        let _ = writeln!(stream, "{answer}");
        if leaves {
            return;
        }
    }
}

#[test]
fn an_older_daemon_is_asked_to_leave_and_replaced() {
    let place = Place::new();
    let older = play(&place, "0.0.1", 1);
    let ran = place.apply(&["-v"], &writes("a.txt", "one"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("Replacing the daemon of version 0.0.1"), "{}", ran.stderr);
    assert_eq!(older.join().unwrap(), ["hello", "shutdown"]);
    assert_eq!(place.read("a.txt").trim_end(), "one");
    assert_eq!(place.daemons(Some(place.lock_info().pid)), [place.lock_info().pid]);
}

#[test]
fn an_older_daemon_is_used_where_none_may_be_started() {
    let place = Place::new();
    let older = play(&place, "0.0.1", 1);
    let ran = run(&mut place.client(&["status", "--json", "--no-spawn"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(older.join().unwrap(), ["hello", "status"]);
}

#[test]
fn a_newer_daemon_is_used() {
    let place = Place::new();
    let newer = play(&place, "99.0.0", 1);
    let ran = run(&mut place.client(&["status", "--json"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("99.0.0"), "{}", ran.stdout);
    assert_eq!(newer.join().unwrap(), ["hello", "status"]);
    assert!(place.daemons(None).is_empty());
}
