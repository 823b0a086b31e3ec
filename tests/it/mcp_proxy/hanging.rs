//! A daemon that hangs: what the host hears, and that cancels and its end are seen all the same.

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::fake::Fake;
use super::host::{Host, Person, text};

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// Milliseconds that a proxy waits for a daemon that hangs.
const SHORT: u32 = 1000;

/// Asks until a daemon was there in time: on a busy machine it may take longer than the short wait.
fn ask_again(host: &mut Host, method: &str, params: &Value) -> Value {
    let answers = (100..200).map(|id| host.ask(id, method, params));
    let is_there = |answer: &Value| {
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        !said.contains("says nothing") && !said.contains("no daemon is ready")
    };
    answers.into_iter().find(is_there).unwrap()
}

fn call(id: u64, arguments: &Value) -> Value {
    let params = json!({"name": "apply", "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// A call that no socket has room for.
fn large(id: u64) -> Value {
    call(id, &json!({"text": "x".repeat(4 << 20)}))
}

fn cancel(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

#[test]
fn a_daemon_that_is_stopped_is_named_and_asked_again_with_the_next_request() {
    let person = Person::new();
    Host::new(&mut person.proxy(&[])).ask(1, "ping", &json!({}));
    let daemon = person.daemon().unwrap();
    signal(daemon, Signal::STOP);
    let mut host = Host::new(&mut person.impatient_proxy(SHORT, &[]));
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "h", "version": "1"},
    });
    let answer = host.ask(1, "initialize", &initialize);
    let said = answer["error"]["message"].as_str().unwrap();
    assert!(said.contains(&format!("(process {daemon})")) && said.contains("says nothing"), "{said}");
    assert!(said.contains("nothing was done"), "{said}");
    signal(daemon, Signal::CONT);
    let answer = ask_again(&mut host, "initialize", &initialize);
    assert_eq!(answer["result"]["serverInfo"]["name"], "clada", "{answer}");
    let answer = host.ask(2, "tools/call", &json!({"name": "changes", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], false, "{}", text(&answer));
    assert!(host.ended().success());
}

#[test]
fn a_daemon_that_does_not_get_ready_is_named_and_asked_again_with_the_next_request() {
    let person = Person::new();
    // As another program that starts one holds it, and then hangs.
    let lock = std::fs::File::create(person.path("run/spawn.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut host = Host::new(&mut person.impatient_proxy(SHORT, &[]));
    let answer = host.ask(1, "ping", &json!({}));
    let said = answer["error"]["message"].as_str().unwrap();
    assert!(said.contains("no daemon is ready") && said.contains("Ask again"), "{said}");
    drop(lock);
    let answer = ask_again(&mut host, "ping", &json!({}));
    assert_eq!(answer["error"]["code"], -32602, "the daemon misses `initialize`: {answer}");
    assert!(host.ended().success());
}

/// A proxy of a daemon that reads nothing after the greeting until it is told to; `proxy` starts it.
fn begin(proxy: impl Fn(&Person, &[&str]) -> Command) -> (Person, Fake, Host) {
    let person = Person::new();
    let socket = person.path("run/fake.sock");
    let fake = Fake::deaf_at(&socket);
    let host = Host::new(&mut proxy(&person, &["--socket", socket.to_str().unwrap()]));
    (person, fake, host)
}

#[test]
fn while_a_daemon_takes_nothing_cancels_are_seen_and_go_first() {
    let (_person, fake, mut host) = begin(Person::proxy);
    let daemon = fake.next();
    host.say(&large(1));
    daemon.wait_for_message();
    host.say(&call(2, &json!({})));
    host.say(&call(3, &json!({})));
    host.say(&cancel(1));
    host.say(&cancel(2));
    // More than a pipe holds: once it is written, all before it has been read and taken.
    host.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/long", "params": {"x": "x".repeat(1 << 20)}}),
    );
    daemon.listen();
    let heard: Vec<Value> = (0..4).map(|_| daemon.hear()).collect();
    let shown = |message: &Value| match message["id"].as_u64() {
        Some(id) => format!("call {id}"),
        None => format!("{} {}", message["method"].as_str().unwrap(), message["params"]["requestId"]),
    };
    let heard: Vec<String> = heard.iter().map(shown).collect();
    assert_eq!(heard, ["call 1", "notifications/cancelled 1", "call 3", "notifications/long null"]);
    daemon.answer(&json!(1), "too late");
    daemon.answer(&json!(3), "done");
    assert_eq!(host.hear()["id"], 3, "nothing is said for what was cancelled");
}

#[test]
fn at_the_hosts_end_it_goes_though_the_daemon_takes_nothing() {
    let (_person, fake, mut host) = begin(|person, arguments| person.impatient_proxy(SHORT, arguments));
    let daemon = fake.next();
    host.say(&large(1));
    // It waits for this in vain, and for no more than its bound: the test would hang otherwise.
    assert!(host.ended().success());
    drop(daemon);
}

#[test]
fn a_daemon_of_an_older_version_is_named_with_what_to_do() {
    let person = Person::new();
    let socket = person.path("run/old.sock");
    let _fake = Fake::at(&socket, json!({"speaks": null, "version": "0.0.9"}));
    let ran = person.refused(&["--socket", socket.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    expect_test::expect![[r#"
        clada-daemon mcp: the running daemon (0.0.9) is too old for MCP: stop it with `clada stop`, then try again
    "#]]
    .assert_eq(&ran.stderr);
}

/// A host's umask and limits are not the user's: a daemon that the proxy starts serves everybody.
#[test]
fn a_daemon_that_is_started_has_neither_the_hosts_umask_nor_its_limits() {
    let person = Person::new();
    let mut command = person.command("sh");
    let script = "umask 077; ulimit -S -n 77; ulimit -S -f 1000; exec \"$0\" mcp";
    command.args(["-c", script, super::host::program().to_str().unwrap()]);
    let mut host = Host::new(&mut command);
    host.ask(1, "ping", &json!({}));
    let daemon = person.daemon().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{daemon}/status")).unwrap();
    assert!(status.contains("Umask:\t0022"), "{status}");
    let limits = std::fs::read_to_string(format!("/proc/{daemon}/limits")).unwrap();
    for name in ["Max open files", "Max file size"] {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], words[1], "soft is hard: {name} {line}");
    }
}
