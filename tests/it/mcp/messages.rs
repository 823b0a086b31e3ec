//! Every row of the table of messages, in both eras.

use std::fmt::Write as _;

use expect_test::expect;
use serde_json::{Value, json};

use super::{Host, modern};
use crate::support::World;

/// An answer as one line: lists by their length, texts by their beginning.
fn line(answer: &Value) -> String {
    let mut answer = answer.clone();
    for at in [
        "/result/instructions",
        "/result/_meta/io.modelcontextprotocol~1serverInfo/version",
        "/result/serverInfo/version",
    ] {
        if let Some(text) = answer.pointer_mut(at) {
            *text = json!("…");
        }
    }
    if let Some(tools) = answer.pointer_mut("/result/tools") {
        let names: Vec<Value> = tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        *tools = names.into();
    }
    answer.to_string()
}

#[test]
fn each_method_is_answered_in_the_era_of_its_request() {
    let world = World::new();
    let mut told = String::new();
    for (era, mut host) in
        [("neither", Host::of(&world)), ("old", Host::old(&world)), ("modern", Host::of(&world))]
    {
        for (method, params) in [
            ("ping", json!({})),
            ("logging/setLevel", json!({ "level": "info" })),
            ("server/discover", json!({})),
            ("tools/list", json!({})),
            ("tools/list", json!({ "cursor": "x" })),
            ("tools/call", json!({ "name": "undo", "arguments": {} })),
            ("tools/call", json!({ "arguments": {} })),
            ("tools/call", json!({ "name": "changes", "arguments": [] })),
            ("resources/list", json!({})),
            ("execute", json!({})),
        ] {
            let mut params = params;
            if era == "modern" {
                params["_meta"] = modern();
            }
            writeln!(told, "{era} {method} {}", line(&host.ask(method, &params))).unwrap();
        }
    }
    let mut host = Host::of(&world);
    for version in ["2024-11-05", "2025-11-25", "2026-07-28", "1999-01-01"] {
        let answer = host.ask("initialize", &json!({ "protocolVersion": version, "_meta": modern() }));
        writeln!(told, "initialize {version} {}", line(&answer)).unwrap();
    }
    for meta in [
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
        json!({ "io.modelcontextprotocol/clientCapabilities": {} }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2030-01-01" }),
    ] {
        writeln!(told, "{meta} {}", line(&host.ask("tools/list", &json!({ "_meta": meta })))).unwrap();
    }
    expect![[r#""#]].assert_eq(&told);
}

#[test]
fn ids_are_echoed_batches_answered_and_notifications_not() {
    let world = World::new();
    let mut host = Host::old(&world);
    let ping = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    for id in [json!("a\u{e9}"), json!(-7), json!(1.5), json!("")] {
        host.send(&ping(id.clone()));
        assert_eq!(host.hear(), json!({ "jsonrpc": "2.0", "id": id, "result": {} }));
    }
    host.send(&ping(Value::Null));
    assert_eq!(host.hear()["error"]["code"], -32600);
    let write = json!({ "name": "apply", "arguments": { "text": "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\n" } });
    for silent in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/unheard_of", "params": [] }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 99 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": null } }),
        json!({ "jsonrpc": "2.0", "id": 7, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 8, "error": { "code": 1, "message": "" } }),
        json!({ "jsonrpc": "2.0", "method": "tools/call", "params": write }),
        json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]),
    ] {
        host.send(&silent);
    }
    host.send(&json!([ping(json!(1)), { "jsonrpc": "2.0", "method": "tools/call", "params": write }, ping(json!("2")), 3]));
    let batch = host.hear();
    let ids: Vec<&Value> = batch.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!("2"), &Value::Null]);
    assert!(!world.exists("a.txt"), "a call that nobody waits for is not made");
}

#[test]
fn a_subscription_is_acknowledged_and_open_until_it_is_cancelled() {
    let world = World::new();
    let mut host = Host::of(&world);
    let params = json!({ "notifications": { "toolsListChanged": true }, "_meta": modern() });
    let id = host.begin("subscriptions/listen", &params);
    let told = host.hear();
    assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
    assert_eq!(told["params"], json!({ "_meta": meta, "notifications": {} }));
    host.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    let discovered = host.ask("server/discover", &json!({ "_meta": modern() }));
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]));
    // As many as there is room for, and then no more; the others go on.
    let open: Vec<u64> = (0..8).map(|_| host.begin("subscriptions/listen", &params)).collect();
    for _ in &open {
        assert_eq!(host.hear()["method"], "notifications/subscriptions/acknowledged");
    }
    assert_eq!(host.ask("subscriptions/listen", &params)["error"]["code"], 4);
    // The end of the daemon ends them with a result.
    world.connect().call("shutdown", &json!({}));
    for _ in &open {
        let closed = host.hear();
        assert_eq!(closed["result"]["resultType"], "complete", "{closed}");
        assert!(open.iter().any(|id| closed["id"] == json!(id)));
    }
}
