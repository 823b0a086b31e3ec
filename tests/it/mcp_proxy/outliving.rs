//! What the proxy says for a daemon that goes away, held against a daemon that does what the test says.

use expect_test::expect;
use serde_json::{Value, json};

use super::fake::Fake;
use super::host::{Host, Person};

const MODERN: &str = "2026-07-28";

/// A proxy of a fake daemon.
fn begin(arguments: &[&str]) -> (Person, Fake, Host) {
    let person = Person::new();
    let socket = person.path("run/fake.sock");
    let fake = Fake::at(&socket, json!({}));
    let arguments = [arguments, &["--socket", socket.to_str().unwrap()]].concat();
    let host = Host::new(&mut person.proxy(&arguments));
    (person, fake, host)
}

fn request(id: &Value, method: &str, mut params: Value, version: Option<&str>) -> Value {
    if let Some(version) = version {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(id: u64, tool: &str) -> Value {
    request(&json!(id), "tools/call", json!({"name": tool, "arguments": {}}), None)
}

#[test]
fn the_greeting_bounds_the_connection_to_the_project_and_to_the_agent() {
    let (person, fake, _host) = begin(&[]);
    let mut hello = fake.next().hello;
    hello["client"] = json!("NAME");
    let project = person.project();
    assert_eq!(
        hello,
        json!({
            "client": "NAME", "protocol": [1, 1], "caller": "agent", "speaks": "mcp", "roots": [project],
            "readOnly": false,
        })
    );
    let (person, fake, _host) = begin(&["--root", "../planted", "--root", ".", "--read-only"]);
    let hello = fake.next().hello;
    assert_eq!(hello["roots"], json!([person.path("planted"), person.project()]));
    assert_eq!(hello["readOnly"], true);
}

#[test]
fn a_daemon_that_does_not_confirm_it_is_not_spoken_to() {
    let person = Person::new();
    let mut heard = String::new();
    for (number, instead) in [json!({"caller": "person"}), json!({"roots": ["/"]}), json!({"readOnly": true})]
        .into_iter()
        .enumerate()
    {
        let socket = person.path(&format!("run/{number}.sock"));
        let fake = Fake::at(&socket, instead);
        let ran = person.refused(&["--socket", socket.to_str().unwrap()]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
        assert_eq!(fake.next().rest(), [Value::Null; 0], "nothing follows the greeting");
        heard += &ran.stderr;
    }
    expect![[r#"
        clada-daemon mcp: the daemon (9.9.9) does not confirm the limits of this connection (caller), so nothing was sent to it: stop it with `clada stop`, then try again
        clada-daemon mcp: the daemon (9.9.9) does not confirm the limits of this connection (roots), so nothing was sent to it: stop it with `clada stop`, then try again
        clada-daemon mcp: the daemon (9.9.9) does not confirm the limits of this connection (readOnly), so nothing was sent to it: stop it with `clada stop`, then try again
    "#]].assert_eq(&heard);
}

#[test]
fn each_request_in_flight_is_answered_by_its_kind_and_none_twice() {
    let (_person, fake, mut host) = begin(&[]);
    let daemon = fake.next();
    let modern = |id: Value, method: &str, params| request(&id, method, params, Some(MODERN));
    let messages = [
        call(1, "apply"),
        call(2, "preview"),
        modern(json!("drei"), "tools/call", json!({"name": "stage"})),
        modern(json!(4), "subscriptions/listen", json!({})),
        modern(json!(5), "tools/list", json!({})),
        call(6, "apply"),
        call(7, "apply"),
    ];
    for message in &messages {
        host.say(message);
    }
    let received: Vec<Value> = (0..messages.len()).map(|_| daemon.hear()).collect();
    assert_eq!(received, messages, "they pass as they are");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 6}});
    host.say(&cancel);
    assert_eq!(daemon.hear(), cancel);
    daemon.answer(&json!(7), "done");
    assert_eq!(host.hear()["result"]["said"], "done");
    // What comes for a request that was cancelled goes no further.
    daemon.answer(&json!(6), "too late");
    daemon.go();
    let said: Vec<String> = (0..5).map(|_| format!("{}\n", host.hear())).collect();
    expect![[r#"
        {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"The daemon ended before it answered: it may have been done, in part too. Look with `changes` or `preview` before you repeat it."}],"isError":true}}
        {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"The daemon ended before it answered. Nothing was changed by this call: ask again."}],"isError":true}}
        {"jsonrpc":"2.0","id":"drei","result":{"content":[{"type":"text","text":"The daemon ended before it answered: it may have been done, in part too. Look with `changes` or `preview` before you repeat it."}],"isError":true,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"0.1.0"}}}}
        {"jsonrpc":"2.0","id":4,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":4,"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"0.1.0"}},"resultType":"complete"}}
        {"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"the daemon ended before it answered: ask again"}}
    "#]].assert_eq(&said.concat());
    // The next request finds the next daemon.
    host.say(&call(8, "apply"));
    let daemon = fake.next();
    assert_eq!(daemon.hear(), call(8, "apply"));
    daemon.answer(&json!(8), "again");
    assert_eq!(host.hear()["result"]["said"], "again");
    daemon.go();
    assert!(host.ended().success());
    assert_eq!(host.rest(), [Value::Null; 0]);
}

#[test]
fn the_next_daemon_hears_the_initialize_of_an_old_client_and_the_host_its_answer_once() {
    let (_person, fake, mut host) = begin(&[]);
    let daemon = fake.next();
    let initialize = request(&json!("i"), "initialize", json!({"protocolVersion": "2025-11-25"}), None);
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.say(&initialize);
    assert_eq!(daemon.hear(), initialize);
    daemon.answer(&json!("i"), "first");
    assert_eq!(host.hear()["result"]["said"], "first");
    host.say(&initialized);
    assert_eq!(daemon.hear(), initialized);
    daemon.go();
    // A notification is no reason to look for a daemon.
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    host.say(&call(2, "apply"));
    let daemon = fake.next();
    assert_eq!(daemon.hear(), initialize);
    daemon.answer(&json!("i"), "second");
    assert_eq!(daemon.hear(), initialized);
    assert_eq!(daemon.hear(), call(2, "apply"));
    daemon.answer(&json!(2), "done");
    assert_eq!(host.hear()["result"]["said"], "done");
}

#[test]
fn a_batch_is_handed_on_as_messages_and_nonsense_is_answered_here() {
    let (_person, fake, mut host) = begin(&[]);
    let daemon = fake.next();
    host.write(&format!("[{}, {}]\n", call(1, "apply"), call(2, "apply")));
    assert_eq!([daemon.hear(), daemon.hear()], [call(1, "apply"), call(2, "apply")]);
    for nonsense in ["[]", "{", "7", "Content-Length: 5", r#"{"id":1,"id":2,"method":"ping"}"#, "[[1]]"] {
        host.write(&format!("{nonsense}\n"));
        let answer = host.hear();
        assert!(answer["error"]["code"].as_i64().unwrap() < -32000, "{nonsense}: {answer}");
        assert_eq!(answer["id"], Value::Null);
    }
    // Blank lines are none, and what the daemon says unasked is the host's.
    host.write("\n \n");
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}});
    daemon.say(&progress);
    assert_eq!(host.hear(), progress);
}

#[test]
fn at_the_hosts_end_what_runs_is_finished_and_what_listens_is_cancelled() {
    let (_person, fake, mut host) = begin(&[]);
    let daemon = fake.next();
    host.say(&call(1, "apply"));
    host.say(&request(&json!("l"), "subscriptions/listen", json!({}), Some(MODERN)));
    // The last line has no end.
    host.write(&call(2, "apply").to_string());
    host.close();
    let received = daemon.rest();
    let methods: Vec<&str> = received.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["tools/call", "subscriptions/listen", "tools/call", "notifications/cancelled"]);
    assert_eq!(received[3]["params"]["requestId"], "l");
    daemon.answer(&json!(2), "two");
    daemon.answer(&json!(1), "one");
    daemon.go();
    let said: Vec<Value> = host.rest();
    assert_eq!((&said[0]["id"], &said[1]["id"], said.len()), (&json!(2), &json!(1), 3));
    assert_eq!(said[2]["result"]["resultType"], "complete", "the closing result of what listened");
    assert!(host.ended().success());
}

#[test]
fn a_message_of_many_megabytes_passes_whole_in_both_directions() {
    let (_person, fake, mut host) = begin(&[]);
    let daemon = fake.next();
    let text = "x".repeat(20 << 20);
    host.say(&request(&json!(1), "tools/call", json!({"name": "apply", "arguments": {"text": text}}), None));
    assert_eq!(daemon.hear()["params"]["arguments"]["text"], text);
    daemon.answer(&json!(1), &text);
    assert_eq!(host.hear()["result"]["said"], text);
}
