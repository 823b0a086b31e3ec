//! One daemon, three ways to talk: they differ in nothing but the bytes around a message.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Speaker, Way, World};

/// Requests of many kinds, good ones and bad ones.
fn requests(root: &str) -> Vec<String> {
    let text = "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"é.txt\"\ncontent = \"x\"\n#!END_SHAM_abc\n";
    let mut all = Vec::new();
    for number in 0..20 {
        let mut add = |method: &str, params: Value| {
            all.push(json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).to_string());
        };
        add("hello", json!({"protocol": [1, number + 1]}));
        add("parse", json!({"root": root, "text": text.repeat(number)}));
        add("parse", json!({"root": root, "text": text.chars().take(number * 5).collect::<String>()}));
        add("history.list", json!({ "root": root }));
        add("config.show", json!({ "root": root }));
        add("status", json!({ "unknown": number }));
        add("no.such", json!([]));
        add("session.get", json!({"root": root, "session": format!("s{number}")}));
        all.push(format!("[{}, 1, {{\"id\": {number}}}]", all[all.len() - 1]));
        all.push(format!("{{\"jsonrpc\": \"2.0\", \"id\": {number}"));
    }
    all
}

#[test]
fn two_hundred_requests_have_the_same_answers_however_they_come() {
    let world = World::new();
    world.status();
    let requests = requests(&world.root());
    assert_eq!(requests.len(), 200);
    let mut speakers = Way::ALL.map(|way| Speaker::new(&world.socket(), way));
    for (number, request) in requests.iter().enumerate() {
        let pieces = [usize::MAX, 1 + number % 50, 64];
        let answers: Vec<String> =
            speakers.iter_mut().zip(pieces).map(|(speaker, piece)| speaker.ask(request, piece)).collect();
        assert!(answers[0].starts_with(['{', '[']), "{request}: {answers:?}");
        assert!(answers[1] == answers[0] && answers[2] == answers[0], "{request}: {answers:#?}");
    }
}

#[test]
fn one_byte_at_a_time_is_understood() {
    let world = World::new();
    world.status();
    let request = r#"{"jsonrpc":"2.0","id":"é","method":"session.get","params":{"root":"/"}}"#;
    let answers = Way::ALL.map(|way| Speaker::new(&world.socket(), way).ask(request, 1));
    assert!(answers[1] == answers[0] && answers[2] == answers[0], "{answers:#?}");
}

#[test]
fn http_that_is_refused_changes_nothing() {
    let world = World::new();
    world.status();
    let text = "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"a.txt\"\ncontent = \"x\"\n#!END_SHAM_abc\n";
    let params = json!({"root": world.root(), "text": text});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "execute", "params": params}).to_string();
    let sent = |head: &str| {
        let mut stream = UnixStream::connect(world.socket()).unwrap();
        let length = body.len();
        let request = format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut said = Vec::new();
        // Where bytes were left unread the end is an error.
        let _ = stream.read_to_end(&mut said);
        String::from_utf8(said).unwrap()[9..12].to_owned()
    };
    let json = "Content-Type: application/json";
    for (head, status) in [
        (format!("POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n{json}"), "403"),
        (format!("POST / HTTP/1.1\r\nHost: evil.example\r\n{json}"), "403"),
        (format!("POST / HTTP/1.1\r\n{json}"), "400"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain".to_owned(), "415"),
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded"
                .to_owned(),
            "415",
        ),
        (format!("GET /execute HTTP/1.1\r\nHost: localhost\r\n{json}"), "404"),
        (format!("GET /rpc HTTP/1.1\r\nHost: localhost\r\n{json}"), "405"),
    ] {
        assert_eq!(sent(&head), status, "{head}");
        assert!(!world.exists("a.txt"), "{head}");
    }
    assert_eq!(sent(&format!("POST / HTTP/1.1\r\nHost: localhost\r\n{json}")), "200");
    assert!(world.exists("a.txt"), "the request itself is a good one");
}

#[test]
fn regression_subscriptions_over_http_make_room_for_others() {
    let world = World::new();
    world.status();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"root": world.root()}})
        .to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: clada\r\nAccept: application/x-ndjson\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // As many as there may be connections.
    let subscribed: Vec<UnixStream> = (0..256)
        .map(|_| {
            let mut stream = UnixStream::connect(world.socket()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut told = Vec::new();
            while !told.ends_with(b"}\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                told.push(byte[0]);
            }
            stream
        })
        .collect();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"session.get","params":{}}"#;
    for way in Way::ALL {
        let answer = Speaker::new(&world.socket(), way).ask(request, usize::MAX);
        assert!(answer.contains("invalid_params"), "{answer}");
    }
    drop(subscribed);
}
