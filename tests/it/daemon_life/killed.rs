//! `kill -9`: a new call recovers, and no file is ever cut.

use std::io::{BufRead, BufReader};

use rustix::process::Signal;
use serde_json::json;

use super::place::{Place, Ran, run, send};
use super::wire::{Many, SocketWire, writes};

#[test]
fn after_a_kill_the_next_call_starts_another() {
    let place = Place::new();
    assert_eq!(place.apply(&[], &writes("a.txt", "one")).code, 0);
    let killed = place.lock_info().pid;
    let mut wire = SocketWire::open(&place.socket());
    send(killed, Signal::KILL);
    // Its end is the end of its connections.
    assert_eq!(wire.reader.read_until(b'\n', &mut Vec::new()).unwrap_or_default(), 0);
    assert!(place.socket().exists());
    let ran = place.apply(&[], &writes("a.txt", "two"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert_eq!(place.read("a.txt").trim_end(), "two");
    assert_ne!(place.lock_info().pid, killed);
}

#[test]
fn sixteen_clients_after_a_kill_end_with_one_daemon() {
    let place = Place::new();
    place.serve().kill();
    let clients: Vec<_> = (0..16).map(|_| place.client(&["status", "--json"]).spawn().unwrap()).collect();
    for client in clients {
        assert_eq!(Ran::of(client).code, 0);
    }
    assert_eq!(place.daemons(Some(place.lock_info().pid)), [place.lock_info().pid]);
}

#[test]
fn a_client_whose_daemon_is_killed_says_so_and_does_not_repeat_what_changes_files() {
    let place = Place::new();
    let daemon = place.serve();
    let held = place.hold_project();
    let mut child = place.client(&["apply", "-v"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    super::place::feed(child.stdin.take().unwrap(), &writes("a.txt", "one"));
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    super::place::read_until(&mut stderr, "Waiting for another operation");
    daemon.kill();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let said = super::place::rest(stderr);
    assert!(said.contains("closed the connection before it answered execute"), "{said}");
    drop(held);
    assert!(!place.project().join("a.txt").exists());
    assert_eq!(run(&mut place.client(&["status"])).code, 0);
}

#[test]
fn a_kill_in_the_middle_of_an_operation_cuts_no_file() {
    let place = Place::new();
    // A larger operation, should the machine have been too fast for the kill to come in its middle.
    for count in [1000, 3000, 9000] {
        if kill_in_the_middle(&place, &Many { count }) {
            return;
        }
    }
    panic!("each operation was over before the kill");
}

/// Returns true if the kill came between two files.
fn kill_in_the_middle(place: &Place, many: &Many) -> bool {
    for number in 0..many.count {
        place.file(&Many::name(number), &Many::content("before", number));
    }
    let daemon = place.serve();
    let watch = place.watch("home/project/many");
    let mut wire = SocketWire::open(&place.socket());
    wire.request("execute", &json!({"text": many.answer("after"), "root": place.project()}));
    watch.wait(|name| name == "00100.txt");
    daemon.kill();

    let (mut before, mut after) = (0, 0);
    for number in 0..many.count {
        let content = place.read(&Many::name(number));
        match content.trim_end() {
            whole if whole == Many::content("before", number).trim_end() => before += 1,
            whole if whole == Many::content("after", number).trim_end() => after += 1,
            cut => panic!("file {number} is neither what it was nor what it was to be: {cut:?}"),
        }
    }
    let left = std::fs::read_dir(place.project().join("many")).unwrap().count() - many.count;
    println!("{after} files were replaced, {before} were not, {left} temporary files are left");
    assert!(after > 100);
    // The lock of the project died with its owner, and its leftovers block no one.
    let ran = place.apply(&[], &many.answer("again"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.read(&Many::name(many.count - 1)).trim_end(), Many::content("again", many.count - 1));
    assert_eq!(run(&mut place.client(&["stop"])).code, 0);
    before > 0
}
