//! Many clients at once, and misbehaving ones alongside them.

use std::io::{BufRead, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::place::Place;
use super::wire::{SocketWire, writes};
use crate::support::{Speaker, Way, cases, skipped};

const CLIENTS: usize = 64;
/// Requests that a client has on the way at a time.
const WINDOW: usize = 50;

/// Far more than 68 connections need, far less than the misbehaving ones send and never read: one message may
/// be 128 MB long, and is held once while it is read.
const MEMORY: u64 = 640 << 20;

#[test]
fn sixty_four_clients_beside_those_who_misbehave() {
    let place = Place::new();
    let daemon = place.serve();
    let socket = place.socket();
    let misbehaving = [pour_garbage(&socket), pour_endless_line(&socket), never_read(&socket)];
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (socket, root) = (socket.clone(), place.project());
            thread::spawn(move || converse(&socket, &root, client))
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    let peak = daemon.peak_memory();
    println!("the daemon needed {} MB at most", peak >> 20);
    assert!(peak < MEMORY, "the daemon needed {} MB", peak >> 20);
    let status = SocketWire::open(&socket).call("status", &json!({}));
    assert!(status["memoryBytes"].as_u64().unwrap() < MEMORY, "{status}");
    assert_eq!(status["pid"], daemon.pid);
    for (stream, thread) in misbehaving {
        // Its connection may be closed already.
        let _ = stream.shutdown(Shutdown::Both);
        thread.join().unwrap();
    }
}

/// A thousand requests; each answer has to be to its own question.
fn converse(socket: &Path, root: &Path, client: usize) {
    let mut wire = SocketWire::open(socket);
    let session = format!("client-{client}");
    wire.call("session.open", &json!({"root": root, "session": session}));
    for window in 0..cases(2, 20) {
        let mut asked = String::new();
        for step in 0..WINDOW {
            let name = format!("{client}-{window}-{step}");
            asked.push_str(&question(&name, step, root, &session).to_string());
            asked.push('\n');
        }
        wire.writer.write_all(asked.as_bytes()).unwrap();
        let mut open: Vec<bool> = vec![true; WINDOW];
        let mut last_at_once = None;
        for _ in 0..WINDOW {
            let answer = wire.hear();
            let id = answer["id"].as_str().unwrap_or_else(|| panic!("{answer}"));
            let step = id.strip_prefix(&format!("{client}-{window}-")).and_then(|step| step.parse().ok());
            let step: usize = step.unwrap_or_else(|| panic!("{id} was not asked here"));
            assert!(std::mem::replace(&mut open[step], false), "{id} is answered twice");
            check(&answer, id, step, root, &session);
            if is_at_once(step) {
                assert!(last_at_once < Some(step), "{id} comes after {last_at_once:?}");
                last_at_once = Some(step);
            }
        }
    }
}

/// Returns true if the request of `step` is a `status`: that is ready at once, so it is answered in order.
fn is_at_once(step: usize) -> bool {
    step % 5 < 2
}

fn question(name: &str, step: usize, root: &Path, session: &str) -> Value {
    let text = writes(&format!("{name}.txt"), name);
    let (method, params) = match step % 5 {
        0 | 1 => ("status", json!({})),
        2 => ("session.get", json!({"root": root, "session": session})),
        3 => ("parse", json!({"text": text})),
        _ => ("plan", json!({"text": text, "root": root})),
    };
    json!({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
}

fn check(answer: &Value, id: &str, step: usize, root: &Path, session: &str) {
    let result = &answer["result"];
    let path = format!("{id}.txt");
    match step % 5 {
        0 | 1 => assert!(result["pid"].is_u64(), "{answer}"),
        2 => assert_eq!((&result["session"], &result["root"]), (&json!(session), &json!(root)), "{answer}"),
        3 => assert_eq!(result["actions"][0]["parameters"]["path"], path, "{answer}"),
        _ => {
            assert_eq!(result["actions"][0]["action"], "file_write", "{answer}");
            assert!(result["actions"][0]["path"].as_str().unwrap().ends_with(&path), "{answer}");
            assert!(result["diff"].as_str().unwrap().contains(&format!("+{id}")), "{answer}");
        }
    }
}

type Misbehaving = (UnixStream, thread::JoinHandle<()>);

/// Runs `work` on a stream of its own, which the test can cut.
fn misbehave(socket: &Path, work: impl FnOnce(UnixStream) + Send + 'static) -> Misbehaving {
    let stream = UnixStream::connect(socket).unwrap();
    let theirs = stream.try_clone().unwrap();
    (stream, thread::spawn(move || work(theirs)))
}

/// Writes `piece` until the daemon reads no more.
fn pour(mut stream: &UnixStream, piece: &[u8]) {
    while stream.write_all(piece).is_ok() {}
}

fn pour_garbage(socket: &Path) -> Misbehaving {
    misbehave(socket, |mut stream| {
        let mut reader = stream.try_clone().unwrap();
        let read = thread::spawn(move || drop(reader.read_to_end(&mut Vec::new())));
        let pieces: [&[u8]; 4] = [
            b"{]}\n\xff\xfe\x00{}\n",
            b"[[[[[[[[\n",
            b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":7}\n",
            b"{\"jsonrpc\":\"2.0\",\"id\":-1.5e400,\"method\":\"execute\",\"params\":[]}\n",
        ];
        // So much that it would show, and no more: garbage is answered as politely as anything else.
        for _ in 0..cases(1_500, 20_000) {
            if pieces.iter().any(|piece| stream.write_all(piece).is_err()) {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Write);
        read.join().unwrap();
    })
}

fn pour_endless_line(socket: &Path) -> Misbehaving {
    misbehave(socket, |mut stream| {
        if stream.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"").is_ok() {
            pour(&stream, &[b'x'; 64 * 1024]);
        }
    })
}

fn never_read(socket: &Path) -> Misbehaving {
    misbehave(socket, |stream| {
        pour(&stream, &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"config.show\"}\n".repeat(1000));
    })
}

/// Rounds of each client that is asked one thing after the other.
fn rounds() -> usize {
    cases(12, 60)
}

/// The bytes of one who misbehaves: what it begins with, and what it goes on with until it is cut off.
struct Abuse {
    first: Vec<u8>,
    more: Vec<u8>,
    /// True if a byte comes now and then, and not as much as is taken.
    drips: bool,
}

fn abuses() -> Vec<Abuse> {
    let pours = |first: &str, more: &[u8]| Abuse { first: first.into(), more: more.into(), drips: false };
    let drips = |first: &str| Abuse { first: first.into(), more: b"x".into(), drips: true };
    let status = json!({"jsonrpc": "2.0", "id": 1, "method": "status"});
    let batch = json!(vec![&status; 1000]).to_string();
    let streamed = format!(
        "POST / HTTP/1.1\r\nHost: clada\r\nContent-Type: application/json\r\nAccept: application/x-ndjson\r\n\
         Content-Length: {}\r\n\r\n{batch}",
        batch.len()
    );
    vec![
        // Heads that have no end, fast and slow, by headers and by HTTP.
        pours("Content-Length: 1\r\nX: ", &[b'x'; 1000]),
        pours("POST / HTTP/1.1\r\nX: ", &[b'x'; 1000]),
        pours("POST / HTTP/1.1\r\n", &b"X: x\r\n".repeat(100)),
        drips("Content-"),
        drips("Content-Length: 1\r\nX: "),
        drips("POST / HTTP/1.1\r\nX: "),
        drips("PO"),
        // Bodies that are longer than anything.
        pours("Content-Length: 9223372036854775808\r\n\r\n", &[b'x'; 64 * 1024]),
        pours(&streamed.replace("Content-Length: ", "Content-Length: 99999999999"), &[b'x'; 64 * 1024]),
        // Framing that is none: of another version, of TLS, with a NUL, with two lengths.
        pours("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"x"),
        pours("CONNECT localhost:1 HTTP/1.1\r\n\r\n", b"x"),
        pours("\u{16}\u{3}\u{1}", &[0; 1000]),
        pours("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", b"{}"),
        pours("POST / HTTP/1.1\r\nHost: a\0b\r\n\r\n", b"x"),
        // Floods of good requests, whose answers are never read.
        pours("", &format!("{status}\n").repeat(1000).into_bytes()),
        pours("", &Way::Headers.framed(&status.to_string()).repeat(1000)),
        pours("", &Way::Http.framed(&status.to_string()).repeat(1000)),
        pours("", &streamed.repeat(20).into_bytes()),
    ]
}

/// Each of the good clients talks in one of the ways, and asks one thing after the other.
#[test]
fn sixty_four_clients_of_each_framing_beside_those_who_misbehave() {
    if !allow_descriptors(2000) {
        return skipped("a crowd of clients", "a process may not have so many files open");
    }
    let place = Place::new();
    let daemon = place.serve();
    let (socket, root) = (place.socket(), place.project());
    // Those who behave are known before the others come, as editors are.
    let known = Arc::new(Barrier::new(3 * CLIENTS + 1));
    let clients: Vec<_> = (0..3 * CLIENTS)
        .map(|number| {
            let (socket, root, known) = (socket.clone(), root.clone(), Arc::clone(&known));
            thread::spawn(move || {
                let mut speaker = Speaker::new(&socket, Way::ALL[number % 3]);
                let session = format!("client-{number}");
                let opened = ask(&mut speaker, "session.open", &json!({"root": root, "session": session}));
                assert_eq!(opened["result"]["session"], session, "{opened}");
                known.wait();
                for round in 0..rounds() {
                    let name = format!("{number}-{round}");
                    let answer =
                        speaker.ask(&question(&name, round, &root, &session).to_string(), usize::MAX);
                    check(&serde_json::from_str(&answer).unwrap(), &name, round, &root, &session);
                }
            })
        })
        .collect();
    known.wait();
    let over = Arc::new(AtomicBool::new(false));
    let misbehaving: Vec<Misbehaving> = abuses()
        .into_iter()
        .map(|Abuse { first, more, drips }| {
            let over = Arc::clone(&over);
            misbehave(&socket, move |mut stream| {
                let mut sent = stream.write_all(&first);
                while sent.is_ok() && !over.load(Ordering::Relaxed) {
                    sent = stream.write_all(&more);
                    if drips {
                        thread::sleep(Duration::from_millis(20));
                    }
                }
            })
        })
        .collect();
    // Connections of HTTP with half a head, far more than there is room for; and some that only come and go.
    let crowd: Vec<UnixStream> = (0..300)
        .map(|number| {
            let mut stream = UnixStream::connect(&socket).unwrap();
            let _ = stream.write_all(if number % 2 == 0 { b"POST / HTTP/1.1\r\nHost: l" } else { b"G" });
            if number % 10 == 0 {
                let _ = stream.shutdown(Shutdown::Write);
            }
            stream
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    drop(crowd);
    over.store(true, Ordering::Relaxed);
    for (stream, thread) in misbehaving {
        // Its connection may be closed already.
        let _ = stream.shutdown(Shutdown::Both);
        thread.join().unwrap();
    }
    let peak = daemon.peak_memory();
    println!("the daemon needed {} MB at most", peak >> 20);
    assert!(peak < MEMORY, "the daemon needed {} MB", peak >> 20);
    let status = SocketWire::open(&socket).call("status", &json!({}));
    assert_eq!(status["pid"], daemon.pid);
    let traffic = &status["traffic"];
    println!("{traffic}");
    assert!(
        traffic["refused"].as_u64().unwrap() > 0 && traffic["evicted"].as_u64().unwrap() > 0,
        "{traffic}"
    );
}

/// Asks one thing, and returns the whole answer.
fn ask(speaker: &mut Speaker, method: &str, params: &Value) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    serde_json::from_str(&speaker.ask(&request.to_string(), usize::MAX)).unwrap()
}

#[test]
fn a_line_that_does_not_end_is_refused_and_its_client_left() {
    let place = Place::new();
    let daemon = place.serve();
    let mut wire = SocketWire::open(&place.socket());
    let writer = wire.writer.try_clone().unwrap();
    let thread = thread::spawn(move || pour(&writer, &[b'{'; 256 * 1024]));
    let answer = wire.hear();
    assert_eq!(answer["error"]["data"]["kind"], "limit_exceeded", "{answer}");
    // The rest is discarded until it is too much, then the connection is closed. Bytes that were on their way
    // then turn the end into a reset.
    let mut end = Vec::new();
    let ended = wire.reader.read_until(b'\n', &mut end);
    assert!(matches!(ended, Ok(0) | Err(_)), "{}", String::from_utf8_lossy(&end));
    thread.join().unwrap();
    assert!(daemon.peak_memory() < MEMORY);
}

#[test]
fn more_clients_than_there_is_room_for_are_told_so_or_take_the_place_of_idle_ones() {
    // Two for each of our ends, and those that other tests have open.
    if !allow_descriptors(2000) {
        return skipped("a crowd of clients", "a process may not have so many files open");
    }
    let place = Place::new();
    let _daemon = place.serve();
    // Idle ones make room, the longest idle first.
    let mut crowd: Vec<SocketWire> = (0..300)
        .map(|_| {
            let mut wire = SocketWire::open(&place.socket());
            wire.call("status", &json!({}));
            wire
        })
        .collect();
    assert_eq!(crowd[0].hear()["error"]["data"]["kind"], "busy");
    let last = crowd.len() - 1;
    assert!(crowd[last].call("status", &json!({}))["connections"].as_u64().unwrap() <= 256);
}

/// Lets this process have so many files open, if it may.
fn allow_descriptors(count: u64) -> bool {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= count);
    enough(current)
        || (enough(maximum) && setrlimit(Resource::Nofile, Rlimit { current: Some(count), maximum }).is_ok())
}
