//! The memory of a daemon that had much to do and is idle again.

use std::io::BufReader;
use std::process::Stdio;

use serde_json::json;

use super::place::{Place, read_until};
use super::wire::{SocketWire, writes};
use crate::support::cases;

/// Bytes that a daemon may have more than before its first request: it keeps them for the next one.
const MORE: u64 = 24 << 20;

/// The daemon logs that it has given memory back, some time after the last request.
#[test]
fn regression_memory_goes_back_when_nothing_is_to_be_done() {
    let place = Place::new();
    for number in 0..400 {
        place.file(&format!("src/part{}/file{number}.rs", number % 20), &"fn name() {}\n".repeat(200));
    }
    let mut command = place.daemon(&["serve", "--ready-stdout"]);
    // A service's log is on standard error, too.
    command
        .env("IT_QUIET", "yes")
        .env("JOURNAL_STREAM", "0:0")
        .env("CLADA_LOG", "clada_daemon=debug")
        .stderr(Stdio::piped());
    let mut daemon = place.serve_with(&mut command);
    let mut log = BufReader::new(daemon.child.stderr.take().unwrap());
    let before = daemon.memory();
    let mut wire = SocketWire::open(&place.socket());
    for round in 0..cases(2, 4) {
        let text = format!("line {round}\n").repeat(20_000);
        let answer: String = (0..8).map(|file| writes(&format!("new{file}.txt"), &text)).collect();
        let whole = json!({"root": place.project(), "text": answer});
        wire.call("plan", &whole);
        assert_eq!(wire.call("execute", &whole)["success"], true);
        // The table of tokens is read once; to count by it takes the time of all the rest.
        let (paths, tokens) = if round == 0 { ("src", true) } else { (".", false) };
        wire.call("embed", &json!({"root": place.project(), "paths": [paths], "tokens": tokens}));
        wire.call("stage", &json!({"root": place.project()}));
    }
    let busy = daemon.memory();
    read_until(&mut log, "gave memory back");
    let idle = daemon.memory();
    let figures = [before, busy, idle].map(|bytes| bytes >> 20);
    println!("MB before, at work, idle: {figures:?}");
    assert!(busy > before + MORE, "too little to show anything: {figures:?}");
    assert!(idle < before + MORE, "{figures:?}");
    // It goes on as before.
    assert_eq!(wire.call("status", &json!({}))["pid"], daemon.pid);
    daemon.kill();
}
