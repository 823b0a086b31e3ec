//! The ends: of the daemon while it works, of a client that is interrupted or goes away.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::json;

use super::place::{Place, Ran, feed, read_until, rest, run, send, wait_for_exit};
use super::wire::{Many, SocketWire, writes};

#[test]
fn a_daemon_that_is_asked_to_end_finishes_and_answers_what_runs() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let place = Place::new();
        let mut daemon = place.serve();
        let held = place.hold_project();
        let mut wire = SocketWire::open(&place.socket());
        let text = format!("{}{}", writes("a.txt", "one"), writes("b/c.txt", "two"));
        let id = wire.begin_and_wait(&json!({"text": text, "root": place.project()}));
        let watch = place.watch("run");
        daemon.signal(signal);
        watch.wait(|name| name == "v1.sock");
        assert!(!place.socket().exists());
        drop(held);
        let answer = wire.answer(id);
        assert_eq!(answer["result"]["success"], true, "{answer}");
        assert_eq!(daemon.wait().code(), Some(0));
        assert_eq!((place.read("a.txt").trim_end(), place.read("b/c.txt").trim_end()), ("one", "two"));
        assert!(!place.socket().exists());
    }
}

#[test]
fn while_a_daemon_finishes_another_one_serves() {
    let place = Place::new();
    let mut daemon = place.serve();
    let held = place.hold_project();
    let mut wire = SocketWire::open(&place.socket());
    let id = wire.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    let watch = place.watch("run");
    daemon.signal(Signal::TERM);
    watch.wait(|name| name == "v1.sock");
    assert_eq!(run(&mut place.client(&["status"])).code, 0);
    let next = place.lock_info().pid;
    assert_ne!(next, daemon.pid);
    // Its work on the same project waits for the rest of the other's work.
    let mut other = SocketWire::open(&place.socket());
    let second = other.begin_and_wait(&json!({"text": writes("a.txt", "two"), "root": place.project()}));
    drop(held);
    assert_eq!(wire.answer(id)["result"]["success"], true);
    assert_eq!(other.answer(second)["result"]["success"], true);
    assert_eq!(daemon.wait().code(), Some(0));
    // The end of the first does not remove the socket of the next one.
    assert_eq!(other.call("status", &json!({}))["pid"], next);
    assert_eq!(run(&mut place.client(&["status", "--no-spawn"])).code, 0);
    assert_eq!(place.daemons(Some(next)), [next]);
}

#[test]
fn stop_waits_for_what_others_have_asked_for() {
    let place = Place::new();
    let mut daemon = place.serve();
    let held = place.hold_project();
    let mut wire = SocketWire::open(&place.socket());
    let id = wire.begin_and_wait(&json!({"text": writes("a.txt", "one"), "root": place.project()}));
    let watch = place.watch("run");
    let mut stop = place.client(&["stop"]).spawn().unwrap();
    watch.wait(|name| name == "v1.sock");
    assert!(stop.try_wait().unwrap().is_none());
    drop(held);
    let ran = Ran::of(stop);
    assert_eq!((ran.code, place.read("a.txt").trim_end()), (0, "one"));
    assert!(ran.stderr.contains("ended"), "{}", ran.stderr);
    assert_eq!(wire.answer(id)["result"]["success"], true);
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn stop_ends_the_daemon_and_waits_for_it() {
    let place = Place::new();
    let mut daemon = place.serve();
    let ran = run(&mut place.client(&["stop"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.contains("ended"), "{}", ran.stderr);
    assert_eq!(daemon.wait().code(), Some(0));
    assert!(!place.socket().exists());
    // Now there is none, and none is started to be stopped.
    let ran = run(&mut place.client(&["stop"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.contains("No daemon is running"), "{}", ran.stderr);
    assert_eq!(run(&mut place.client(&["stop", "--quiet"])).stderr, "");
    assert!(place.daemons(None).is_empty());
}

#[test]
fn stop_finds_nothing_where_nothing_ever_was() {
    let place = Place::new();
    let ran = run(place.client(&["stop"]).env("CLADA_SOCKET", place.path("never/v1.sock")));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("No daemon is running"), "{}", ran.stderr);
    assert!(!place.path("never").exists());
}

#[test]
fn stop_ends_no_daemon_but_the_one_that_was_meant() {
    let place = Place::new();
    let mut daemon = place.serve();
    let ran = run(place.client(&["stop"]).env("CLADA_SOCKET", place.path("run/other.sock")));
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains(&place.socket().display().to_string()), "{}", ran.stderr);
    assert_eq!(run(&mut place.client(&["stop"])).code, 0);
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn a_daemon_that_nobody_needs_leaves() {
    let place = Place::new();
    // No client ever comes: one might come too late.
    let mut daemon = place.serve_with(&mut place.daemon(&["serve", "--ready-stdout", "--idle-exit", "1"]));
    assert_eq!(daemon.wait().code(), Some(0));
    assert!(!place.socket().exists());
}

/// Starts `apply -v` of this answer and waits until its standard error has these words.
fn apply_until(place: &Place, answer: &str, words: &str) -> (Child, impl BufRead + use<>) {
    let mut child = place.client(&["apply", "-v"]).stdin(Stdio::piped()).spawn().unwrap();
    feed(child.stdin.take().unwrap(), answer);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut stderr, words);
    (child, stderr)
}

const WAITING: &str = "Waiting for another operation";

#[test]
fn ctrl_c_while_waiting_for_the_project_changes_nothing() {
    let place = Place::new();
    let daemon = place.serve();
    let held = place.hold_project();
    let (mut client, stderr) = apply_until(&place, &writes("a.txt", "one"), WAITING);
    send(client.id(), Signal::INT);
    assert_eq!(client.wait().unwrap().code(), Some(1));
    let said = rest(stderr);
    assert!(said.contains("Cancelling") && said.contains("ancelled while"), "{said}");
    drop(held);
    let mut wire = SocketWire::open(&place.socket());
    let after = wire.call("execute", &json!({"text": writes("b.txt", "two"), "root": place.project()}));
    assert_eq!(after["success"], true);
    assert!(!place.project().join("a.txt").exists());
    assert_eq!(wire.call("status", &json!({}))["pid"], daemon.pid);
}

#[test]
fn ctrl_c_in_the_middle_still_prints_the_report() {
    let place = Place::new();
    let daemon = place.serve();
    for count in [1000, 3000, 9000] {
        let many = Many { count };
        let word = format!("of {count}");
        std::fs::create_dir_all(place.project().join("many")).unwrap();
        let watch = place.watch("home/project/many");
        let mut client = place.client(&["apply"]).stdin(Stdio::piped()).spawn().unwrap();
        feed(client.stdin.take().unwrap(), &many.answer(&word));
        watch.wait(|name| name == "00100.txt");
        send(client.id(), Signal::INT);
        let ran = Ran::of(client);
        let done = ran.stdout.lines().filter(|line| line.contains("] SUCCESS: file_write")).count();
        // A fast machine may be done before the signal arrives; then a larger operation is tried.
        if ran.code == 0 && done == count {
            continue;
        }
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!((100..count).contains(&done), "{done}");
        let written = (0..count).filter(|number| {
            let path = place.project().join(Many::name(*number));
            std::fs::read_to_string(path).is_ok_and(|text| text.starts_with(&word))
        });
        assert_eq!(written.count(), done);
        let failed =
            ran.stdout.lines().filter(|line| line.starts_with("[task-") && !line.contains("SUCCESS"));
        assert_eq!(failed.count() + done, count);
        assert!(ran.stderr.contains("Cancelling"), "{}", ran.stderr);
        assert_eq!(SocketWire::open(&place.socket()).call("status", &json!({}))["pid"], daemon.pid);
        return;
    }
    panic!("each operation was over before Ctrl-C");
}

#[test]
fn a_second_ctrl_c_stops_waiting() {
    let place = Place::new();
    let daemon = place.serve();
    let held = place.hold_project();
    let (mut client, mut stderr) = apply_until(&place, &writes("a.txt", "one"), WAITING);
    // A stopped daemon cannot answer the first one.
    daemon.signal(Signal::STOP);
    send(client.id(), Signal::INT);
    read_until(&mut stderr, "Cancelling");
    send(client.id(), Signal::INT);
    assert_eq!(client.wait().unwrap().code(), Some(1));
    assert!(rest(stderr).contains("stopped waiting for the report"));
    daemon.signal(Signal::CONT);
    drop(held);
    assert_eq!(run(&mut place.client(&["status"])).code, 0);
}

#[test]
fn what_a_client_began_is_finished_without_it() {
    let place = Place::new();
    let _daemon = place.serve();
    let held = place.hold_project();
    let (mut client, _) = apply_until(&place, &writes("a.txt", "one"), WAITING);
    client.kill().unwrap();
    client.wait().unwrap();
    // This one is queued behind it.
    let mut wire = SocketWire::open(&place.socket());
    let id = wire.begin_and_wait(&json!({"text": writes("b.txt", "two"), "root": place.project()}));
    drop(held);
    assert_eq!(wire.answer(id)["result"]["success"], true);
    assert_eq!((place.read("a.txt").trim_end(), place.read("b.txt").trim_end()), ("one", "two"));
}

#[test]
fn a_client_killed_in_the_middle_leaves_no_half_done_operation() {
    let place = Place::new();
    let _daemon = place.serve();
    let many = Many { count: 500 };
    std::fs::create_dir_all(place.project().join("many")).unwrap();
    let watch = place.watch("home/project/many");
    let mut client = place.client(&["apply"]).stdin(Stdio::piped()).spawn().unwrap();
    feed(client.stdin.take().unwrap(), &many.answer("whole"));
    watch.wait(|name| name == "00010.txt");
    client.kill().unwrap();
    client.wait().unwrap();
    let mut wire = SocketWire::open(&place.socket());
    wire.call("execute", &json!({"text": writes("b.txt", "two"), "root": place.project()}));
    for number in 0..many.count {
        assert_eq!(place.read(&Many::name(number)).trim_end(), Many::content("whole", number));
    }
}

#[test]
fn a_daemon_that_a_client_started_outlives_it_and_its_terminal() {
    let place = Place::new();
    assert_eq!(run(&mut place.client(&["status"])).code, 0);
    let pid = place.lock_info().pid;
    // A session of its own: the end of the terminal does not kill it.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session = stat.rsplit(") ").next().unwrap().split(' ').nth(3).unwrap().to_owned();
    assert_eq!(session, pid.to_string());
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap().to_str(), Some("/"));
    assert_eq!(run(&mut place.client(&["stop"])).code, 0);
    wait_for_exit(pid);
}
