//! The proxy and the real daemon: in the middle of work, at its end, one after the other, and two at a time.

use std::process::Command;

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::host::{Host, Person, kill, text};
use crate::support::{Answer, cases};

/// An answer that writes a file.
fn writes(path: &str, content: &str) -> String {
    Answer::new().action("file_write", &[("path", path), ("content", content)]).text().to_owned()
}

fn call(id: u64, tool: &str, arguments: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments.into()}})
}

/// A host of before 2026-07-28 that has begun.
fn begun(person: &Person, arguments: &[&str]) -> Host {
    begun_by(person.proxy(arguments))
}

fn begun_by(mut proxy: Command) -> Host {
    let mut host = Host::new(&mut proxy);
    let client = json!({"name": "host", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let answer = host.ask(0, "initialize", &params);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    host
}

fn hear_ids(host: &mut Host, count: usize) -> Vec<Value> {
    let answers = std::iter::from_fn(|| Some(host.hear())).filter(|heard| heard["id"].is_u64());
    let mut heard: Vec<Value> = answers.take(count).collect();
    heard.sort_by_key(|answer| answer["id"].as_u64());
    heard
}

#[test]
fn a_daemon_that_is_killed_with_three_calls_in_flight() {
    let person = Person::new();
    let mut host = begun(&person, &[]);
    // Held, so that what changes files waits.
    let held = std::fs::File::open(person.project()).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    for id in 1..=3 {
        let mut call = call(id, "apply", json!({"text": writes("a.txt", "one")}));
        call["params"]["_meta"] = json!({"progressToken": id});
        host.say(&call);
    }
    // The daemon has those whose progress it tells.
    let mut begun = std::collections::BTreeSet::new();
    while begun.len() < 3 {
        begun.insert(host.hear()["params"]["progressToken"].as_u64().unwrap());
    }
    let first = person.daemon().unwrap();
    kill(first);
    let lost = hear_ids(&mut host, 3);
    for (id, answer) in (1..).zip(&lost) {
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)), "{answer}");
        assert!(text(answer).contains("before you repeat it"), "{answer}");
    }
    drop(held);
    host.say(&call(4, "apply", json!({"text": writes("a.txt", "four")})));
    let answer = host.hear();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(4), &json!(false)), "{answer}");
    assert_eq!(std::fs::read_to_string(person.path("project/a.txt")).unwrap().trim_end(), "four");
    let daemons = person.daemons();
    assert!(daemons.len() == 1 && daemons[0] != first, "{daemons:?}");
}

#[test]
fn rounds_of_killing_and_calling_lose_no_answer() {
    let person = Person::new();
    let mut host = begun(&person, &[]);
    let rounds = cases(30, 1000);
    for round in 1..=rounds {
        let id = round * 10;
        // At any time: before it is asked, as it is asked, and as it works.
        let daemon = person.lock_holder();
        match round % 3 {
            0 => kill(daemon),
            1 => {
                host.say(&call(id + 1, "changes", json!({})));
                kill(daemon);
                let answer = host.hear();
                assert_eq!(answer["id"], id + 1, "{answer}");
            }
            _ => {
                let killer = std::thread::spawn(move || kill(daemon));
                host.say(&call(id + 1, "preview", json!({"text": writes("a.txt", "x")})));
                let answer = host.hear();
                assert_eq!(answer["id"], id + 1, "{answer}");
                killer.join().unwrap();
            }
        }
        host.say(&call(id + 2, "instructions", json!({})));
        let answer = host.hear();
        assert_eq!(answer["id"], id + 2, "{answer}");
        // What was sent in the moment of a death is lost, and said to be: it is asked again.
        if answer["result"]["isError"] == true {
            assert!(text(&answer).contains("ask again"), "{answer}");
        }
    }
    let answer = host.ask(1, "tools/list", &json!({}));
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_eq!(person.daemons().len(), 1);
    assert!(host.ended().success());
    assert_eq!(host.rest(), [Value::Null; 0]);
}

#[test]
fn a_host_that_goes_in_the_middle_of_an_apply_leaves_files_before_or_after_it() {
    for inside in [false, true] {
        let person = Person::new();
        let socket = person.path("run/none.sock");
        let arguments = ["--socket", socket.to_str().unwrap()];
        // Not held against the time that it has: other tests run, too.
        let mut host = begun_by(person.impatient_proxy(100_000, if inside { &arguments } else { &[] }));
        let mut answer = Answer::new();
        for number in 0..200 {
            let (path, content) = (format!("{number}.txt"), "x".repeat(1000));
            answer = answer.action("file_write", &[("path", &path), ("content", &content)]);
        }
        host.say(&call(1, "apply", json!({"text": answer.text()})));
        assert!(host.ended().success(), "{inside}");
        let said = host.rest();
        let written =
            (0..200).filter(|number| person.path(&format!("project/{number}.txt")).exists()).count();
        assert_eq!(written, 200, "it had time to finish: {said:?}");
        assert_eq!(said.len(), 1, "and is answered");
        let ran = person.client(&["history", "--json"]);
        let history: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(history["operations"].as_array().unwrap().len(), 1, "{history}");
    }
}

#[test]
fn two_proxies_have_one_daemon_also_when_they_start_at_once() {
    let person = Person::new();
    let commands: Vec<_> = (0..6).map(|_| person.proxy(&[])).collect();
    let mut hosts: Vec<Host> = commands.into_iter().map(|mut command| Host::new(&mut command)).collect();
    for (id, host) in (0..).zip(&mut hosts) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}});
        host.ask(id, "initialize", &params);
    }
    assert_eq!(person.daemons().len(), 1);
    let daemon = person.daemon().unwrap();
    // It is nobody's child: a host that ends a proxy with all that it started leaves it alone.
    let stat = std::fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap();
    let parent: u32 =
        stat.rsplit(')').next().unwrap().split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(hosts.iter().all(|host| host.pid() != parent));
    drop(hosts);
    assert_eq!(person.daemon(), Some(daemon), "it stays for others");
}

#[test]
fn a_daemon_that_is_asked_to_stop_is_followed_by_another() {
    let person = Person::new();
    let mut host = begun(&person, &[]);
    let first = person.daemon().unwrap();
    assert_eq!(person.client(&["stop"]).code, 0);
    let answer = host.ask(1, "tools/list", &json!({}));
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_ne!(person.daemon().unwrap(), first);
}
