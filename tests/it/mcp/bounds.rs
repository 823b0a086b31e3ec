//! What an agent may not, however it is spelled, and what bounds its calls.

use serde_json::{Value, json};

use super::{Host, modern};
use crate::support::{Answer, World};

#[test]
fn what_is_a_persons_is_neither_listed_nor_accepted_and_changes_nothing() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let before = world.tree();
    let mut host = Host::old(&world);
    let listed = host.ask("tools/list", &json!({})).to_string();
    for info in clada_protocol::METHODS {
        // Neither as methods nor as tools, in any spelling.
        for name in [info.name.to_owned(), info.name.replace('.', "_"), info.name.to_uppercase()] {
            let params = json!({ "root": world.root(), "text": "x", "id": "1", "decision": "once" });
            assert_eq!(host.ask(&name, &params)["error"]["code"], -32601, "{name}");
            let is_tool = [
                "edit",
                "read",
                "search",
                "list",
                "embed",
                "stage",
                "instructions",
                "checkpoint_begin",
                "checkpoint_end",
            ]
            .contains(&name.as_str());
            if !is_tool {
                let call = json!({ "name": name, "arguments": params });
                assert_eq!(host.ask("tools/call", &call)["error"]["code"], -32602, "{name}");
            }
        }
        for name in info.user_params {
            assert!(!listed.contains(&format!("\"{name}\"")), "{name}");
            for tool in ["edit", "read", "search", "list", "apply", "preview", "embed", "stage", "changes"] {
                let spelled = name.chars().fold(String::new(), |mut text, letter| {
                    if letter.is_uppercase() {
                        text.push('_');
                    }
                    text.extend(letter.to_lowercase());
                    text
                });
                for name in [(*name).to_owned(), spelled] {
                    let mut arguments = json!({ "text": "x", "paths": ["a.txt"] });
                    arguments[&name] = json!(true);
                    let (text, works) = host.says(tool, &arguments);
                    assert!(!works && text.contains(&format!("`{name}`")), "{tool} {name}: {text}");
                }
            }
        }
    }
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn a_root_that_is_none_of_the_connections_is_refused() {
    let world = World::new();
    std::fs::create_dir_all(world.path("project/sub")).unwrap();
    let text = Answer::new().heredoc("new.txt", "new");
    let mut host = Host::old(&world);
    let root = world.root();
    let outside = world.path("outside").to_str().unwrap().to_owned();
    for wrong in [
        "/",
        "..",
        ".",
        "sub",
        &outside,
        &format!("{root}/.."),
        &format!("{root}/sub"),
        &format!("{root}/none"),
    ] {
        for (tool, arguments) in [
            ("apply", json!({ "text": text.text(), "root": wrong })),
            ("preview", json!({ "text": text.text(), "root": wrong })),
            ("embed", json!({ "paths": ["."], "root": wrong })),
            ("changes", json!({ "root": wrong })),
            ("stage", json!({ "root": wrong })),
        ] {
            let (said, works) = host.says(tool, &arguments);
            assert!(!works && said.contains(&root), "{tool} {wrong}: {said}");
        }
    }
    assert!(!world.exists("new.txt"));
    // The one that there is, by any path to it.
    let (said, works) = host.says("apply", &json!({ "text": text.text(), "root": format!("{root}/sub/..") }));
    assert!(works && world.exists("new.txt"), "{said}");
    // Two, of which one is to be named; and none.
    let mut two = Host::with(&world, &json!([root, outside]), false);
    two.initialize();
    let (said, works) = two.says("changes", &json!({}));
    assert!(!works && said.contains(&root) && said.contains(&outside), "{said}");
    assert!(two.says("changes", &json!({ "root": root })).1);
    let mut none = Host::with(&world, &json!([]), false);
    none.initialize();
    let (said, works) = none.says("changes", &json!({ "root": root }));
    assert!(!works && said.contains("--root DIR"), "{said}");
}

#[test]
fn a_connection_that_may_only_read_has_no_tool_that_does_more() {
    let world = World::new();
    let mut host = Host::with(&world, &json!([world.root()]), true);
    host.initialize();
    let listed = host.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "search", "list", "preview", "changes", "embed"]);
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let text = Answer::new().heredoc("new.txt", "new");
    for tool in ["edit", "apply", "stage"] {
        let call = json!({ "name": tool, "arguments": { "text": text.text() } });
        assert_eq!(host.ask("tools/call", &call)["error"]["code"], -32602);
    }
    assert!(host.says("preview", &json!({ "text": text.text() })).1);
    assert!(!world.exists("new.txt"));
}

#[test]
fn progress_grows_and_ends_with_the_result() {
    let world = World::new();
    let mut host = Host::of(&world);
    let mut answer = Answer::new();
    for number in 0..20 {
        answer = answer.heredoc(&format!("f{number}.txt"), "x");
    }
    let mut meta = modern();
    meta["progressToken"] = json!("t");
    let params = json!({ "name": "apply", "arguments": { "text": answer.text() }, "_meta": meta });
    let id = host.begin("tools/call", &params);
    let (result, before) = host.answer(id);
    assert_eq!(result["result"]["isError"], false, "{result:#}");
    assert!(!before.is_empty());
    let mut last = -1.0;
    for told in &before {
        assert_eq!(
            (&told["method"], &told["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("t"))
        );
        let progress = told["params"]["progress"].as_f64().unwrap();
        assert!(progress > last && progress < 20.0, "{before:?}");
        last = progress;
    }
    // Nothing is told without a token, and nothing after the result.
    let id = host.begin("tools/call", &json!({ "name": "changes", "_meta": modern() }));
    assert_eq!(host.answer(id).1, Vec::<Value>::new());
}

#[test]
fn a_wait_is_told_again_and_again() {
    let mut world = World::with_config("mcp: {approvals: wait}\n");
    world.set("IT_WAITS", "300");
    let mut person = world.connect();
    person.call("subscribe", &json!({ "root": world.root(), "kinds": ["approvalAsked"] }));
    let mut host = Host::old(&world);
    let answer = Answer::new().action("run", &[("command", "sh -c 'echo x > made'")]);
    let params = json!({
        "name": "apply", "arguments": { "text": answer.text() }, "_meta": { "progressToken": 7 },
    });
    let id = host.begin("tools/call", &params);
    let asked = person.next_event();
    // At the beginning, at the wait, and then only because time passes.
    let mut last = -1.0;
    for _ in 0..4 {
        let told = host.hear();
        let progress = told["params"]["progress"].as_f64().unwrap_or_else(|| panic!("{told}"));
        assert!(told["params"]["progressToken"] == 7 && progress > last && progress < 1.0, "{told}");
        last = progress;
    }
    world.connect().call("approval.answer", &json!({ "id": asked["approvalId"], "decision": "no" }));
    assert_eq!(host.answer(id).0["result"]["isError"], true);
}

#[test]
fn of_a_large_cancelled_request_nothing_is_heard_and_nothing_done() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let mut person = world.connect();
    person.call("subscribe", &json!({ "root": world.root(), "kinds": ["approvalAsked"] }));
    let mut host = Host::old(&world);
    let long = "x".repeat(200 << 10);
    let answer =
        Answer::new().action("run", &[("command", "sh -c 'echo x > made'")]).heredoc("new.txt", &long);
    let id = host.begin("tools/call", &json!({ "name": "apply", "arguments": { "text": answer.text() } }));
    person.next_event();
    // A cancel that is itself longer than what is read at once.
    host.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": long },
    }));
    let waiting =
        || world.connect().call("approval.list", &json!({ "root": world.root() }))["approvals"].clone();
    while waiting() != json!([]) {}
    let ping = host.begin("ping", &json!({}));
    assert_eq!(host.answer(ping).1, Vec::<Value>::new());
    assert!(!world.exists("made") && !world.exists("new.txt"));
}

#[test]
fn a_large_batch_is_answered_whole() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut host = Host::old(&world);
    let call = |id: u64| {
        let params = json!({ "name": "embed", "arguments": { "paths": ["a.txt"] } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    host.send(&(0..100).map(call).collect());
    let answers = host.hear();
    let mut ids: Vec<u64> =
        answers.as_array().unwrap().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..100).collect::<Vec<u64>>());
    let works = |answer: &Value| answer["result"]["isError"] == false;
    assert!(answers.as_array().unwrap().iter().all(works), "{answers:#}");
}

#[test]
fn of_a_cancelled_request_nothing_more_is_heard() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let mut person = world.connect();
    person.call("subscribe", &json!({ "root": world.root(), "kinds": ["approvalAsked"] }));
    let mut host = Host::old(&world);
    let answer =
        Answer::new().action("run", &[("command", "sh -c 'echo x > made'")]).heredoc("new.txt", "new");
    let params = json!({
        "name": "apply", "arguments": { "text": answer.text() }, "_meta": { "progressToken": 7 },
    });
    let id = host.begin("tools/call", &params);
    person.next_event();
    host.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    let ping = host.begin("ping", &json!({}));
    let (_, before) = host.answer(ping);
    assert!(before.iter().all(|told| told["method"] == "notifications/progress"), "{before:?}");
    // Once the daemon has no work left, what it would have said would be there.
    let waiting =
        || world.connect().call("approval.list", &json!({ "root": world.root() }))["approvals"].clone();
    while waiting() != json!([]) {}
    let ping = host.begin("ping", &json!({}));
    assert_eq!(host.answer(ping).1, Vec::<Value>::new());
    assert!(!world.exists("made") && !world.exists("new.txt"));
}
