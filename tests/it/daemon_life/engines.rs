//! Two engines on one project: a daemon, and another that serves in a process of its own.

use std::path::Path;
use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};

use super::place::Place;
use super::wire::{SocketWire, Wire, reads, writes};
use crate::support::cases;

const FILES: usize = 8;
/// Operations of each engine.
fn operations() -> usize {
    cases(8, 25)
}

/// Reads all files, then writes its mark into all of them: a reader that sees two marks at once sees half an
/// operation.
fn operation(mark: &str) -> String {
    let name = |number: usize| format!("shared/{number}.txt");
    let reading = (0..FILES).map(|number| reads(&name(number)));
    let writing = (0..FILES).map(|number| writes(&name(number), mark));
    reading.chain(writing).collect()
}

/// The one mark that an operation has read.
fn mark_seen(result: &Value) -> String {
    let actions = result["results"].as_array().unwrap();
    let mut marks = actions[..FILES].iter().map(|action| action["data"]["content"].as_str().unwrap().trim());
    let first = marks.next().unwrap();
    assert!(marks.all(|mark| mark == first), "half an operation was seen: {result}");
    first.to_owned()
}

/// Runs operations one after another; the marks that were seen and written, in order.
fn operate<R: std::io::Read, W: std::io::Write>(
    mut wire: Wire<R, W>,
    root: &Path,
    who: &str,
) -> Vec<[String; 2]> {
    let operate = |number: usize| {
        let mark = format!("{who}-{number}");
        let result = wire.call("execute", &json!({"text": operation(&mark), "root": root}));
        // Under the lock of the project no other engine can come between: there are no conflicts either.
        assert_eq!(result["success"], true, "{result}");
        [mark_seen(&result), mark]
    };
    (0..operations()).map(operate).collect()
}

#[test]
fn two_engines_never_interleave_operations() {
    let place = Place::new();
    for number in 0..FILES {
        place.file(&format!("shared/{number}.txt"), "nobody\n");
    }
    let daemon = place.serve();
    place.set_mode("run", 0o700);
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    place.set_mode("elsewhere", 0o700);
    let mut other = place
        .daemon(&["serve", "--stdio"])
        .env("CLADA_SOCKET", place.path("elsewhere/v1.sock"))
        .env("HOME", place.path("elsewhere"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut private = Wire::new(other.stdout.take().unwrap(), other.stdin.take().unwrap());
    assert_eq!(private.call("status", &json!({}))["pid"], other.id());
    assert_ne!(other.id(), daemon.pid);

    let root = place.project();
    let threads = [
        thread::spawn({
            let root = root.clone();
            move || operate(private, &root, "private")
        }),
        thread::spawn({
            let (root, wire) = (root.clone(), SocketWire::open(&place.socket()));
            move || operate(wire, &root, "first")
        }),
        thread::spawn({
            let (root, wire) = (root.clone(), SocketWire::open(&place.socket()));
            move || operate(wire, &root, "second")
        }),
    ];
    let mut steps: Vec<[String; 2]> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert!(other.wait().unwrap().success());

    // Each operation saw exactly the marks that one other had written: put end to end they are one chain.
    let mut mark = "nobody".to_owned();
    while let Some(next) = steps.iter().position(|[seen, _]| *seen == mark) {
        [_, mark] = steps.swap_remove(next);
    }
    assert!(steps.is_empty(), "not in one order: {steps:?} after {mark}");
    for number in 0..FILES {
        assert_eq!(place.read(&format!("shared/{number}.txt")).trim(), mark);
    }
}
