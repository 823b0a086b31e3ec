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
    expect![[r#"
        neither ping {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither logging/setLevel {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither server/discover {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither tools/list {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither tools/list {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither tools/call {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither tools/call {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither tools/call {"error":{"code":-32602,"message":"Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`"}}
        neither resources/list {"error":{"code":-32601,"message":"Method not found: resources/list"}}
        neither execute {"error":{"code":-32601,"message":"Method not found: execute"}}
        old ping {"result":{}}
        old logging/setLevel {"result":{}}
        old server/discover {"error":{"code":-32601,"message":"Method not found: server/discover"}}
        old tools/list {"result":{"tools":["edit","read","search","list","apply","preview","changes","embed"]}}
        old tools/list {"error":{"code":-32602,"message":"tools/list has one page: `cursor` is not supported"}}
        old tools/call {"error":{"code":-32602,"message":"Unknown tool: undo. Only a user can undo: ask them to run `clada undo`."}}
        old tools/call {"error":{"code":-32602,"message":"tools/call: `name` is missing"}}
        old tools/call {"error":{"code":-32602,"message":"tools/call: `arguments` must be an object"}}
        old resources/list {"error":{"code":-32601,"message":"Method not found: resources/list"}}
        old execute {"error":{"code":-32601,"message":"Method not found: execute"}}
        modern ping {"error":{"code":-32601,"message":"Method not found: ping"}}
        modern logging/setLevel {"error":{"code":-32601,"message":"Method not found: logging/setLevel"}}
        modern server/discover {"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"…","ttlMs":3600000,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"…"}}}}
        modern tools/list {"result":{"tools":["edit","read","search","list","apply","preview","changes","embed"],"ttlMs":3600000,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"…"}}}}
        modern tools/list {"error":{"code":-32602,"message":"tools/list has one page: `cursor` is not supported"}}
        modern tools/call {"error":{"code":-32602,"message":"Unknown tool: undo. Only a user can undo: ask them to run `clada undo`."}}
        modern tools/call {"error":{"code":-32602,"message":"tools/call: `name` is missing"}}
        modern tools/call {"error":{"code":-32602,"message":"tools/call: `arguments` must be an object"}}
        modern resources/list {"error":{"code":-32601,"message":"Method not found: resources/list"}}
        modern execute {"error":{"code":-32601,"message":"Method not found: execute"}}
        initialize 2024-11-05 {"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"clada","title":"clada","version":"…"},"instructions":"…"}}
        initialize 2025-11-25 {"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"clada","title":"clada","version":"…"},"instructions":"…"}}
        initialize 2026-07-28 {"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"clada","title":"clada","version":"…"},"instructions":"…"}}
        initialize 1999-01-01 {"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"clada","title":"clada","version":"…"},"instructions":"…"}}
        {"io.modelcontextprotocol/protocolVersion":"2026-07-28"} {"error":{"code":-32602,"message":"`_meta` has no `io.modelcontextprotocol/clientCapabilities`, which each request needs"}}
        {"io.modelcontextprotocol/clientCapabilities":{}} {"error":{"code":-32602,"message":"`_meta` has no `io.modelcontextprotocol/protocolVersion`, which each request needs"}}
        {"io.modelcontextprotocol/protocolVersion":"2025-11-25"} {"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
        {"io.modelcontextprotocol/protocolVersion":"2030-01-01"} {"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2030-01-01"}}}
    "#]].assert_eq(&told);
}

#[test]
fn nothing_is_remembered_from_one_modern_request_to_the_next() {
    let world = World::new();
    let mut host = Host::of(&world);
    assert!(host.ask("tools/list", &json!({ "_meta": modern() }))["result"].is_object());
    assert_eq!(host.ask("tools/list", &json!({}))["error"]["code"], -32602);
    // One that has fallen back to `initialize` may still ask in the modern way.
    host.initialize();
    assert_eq!(host.ask("tools/list", &json!({}))["result"].get("resultType"), None);
    assert_eq!(host.ask("tools/list", &json!({ "_meta": modern() }))["result"]["resultType"], "complete");
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
    world.stop().unwrap();
    for _ in &open {
        let closed = host.hear();
        assert_eq!(closed["result"]["resultType"], "complete", "{closed}");
        assert!(open.iter().any(|id| closed["id"] == json!(id)));
    }
}
