//! The folders of a host that nobody has told clada: `roots/list`.

use serde_json::{Value, json};

use super::host::{Host, Person, text};

/// A host of the old era, in a folder that is not a project. Returns what `initialize` says for the model.
fn begin(person: &Person, folder: &str, capabilities: &Value) -> (Host, String) {
    let mut host = Host::new(person.proxy(&[]).current_dir(person.path(folder)));
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": capabilities,
        "clientInfo": {"name": "host", "version": "1"},
    });
    let answer = host.ask(1, "initialize", &params);
    let instructions = answer["result"]["instructions"].as_str().unwrap().to_owned();
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    (host, instructions)
}

fn call(host: &mut Host, id: u64, tool: &str, arguments: &Value) -> Value {
    host.ask(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

/// Answers the question for the folders, which is what the proxy says next.
fn answer(host: &mut Host, person: &Person, folders: &[&str]) {
    let question = host.hear();
    assert_eq!(question["method"], "roots/list", "{question}");
    let uri =
        |folder: &&str| json!({"uri": format!("file://{}", person.path(folder).display()), "name": folder});
    let roots: Vec<Value> = folders.iter().map(uri).collect();
    host.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
}

#[test]
fn a_host_in_a_folder_without_a_project_is_asked_for_its_folders() {
    let person = Person::new();
    std::fs::create_dir_all(person.path("second/.git")).unwrap();
    std::fs::write(person.path("project/a.txt"), "one\n").unwrap();
    let (mut host, instructions) = begin(&person, "", &json!({"roots": {"listChanged": true}}));
    assert!(instructions.contains("has opened in this program"), "{instructions}");
    // A call before the answer waits for it.
    host.say(&json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "read", "arguments": {"paths": ["a.txt"]}},
    }));
    answer(&mut host, &person, &["project"]);
    let read = host.hear();
    assert!(read["id"] == 2 && text(&read).contains("one"), "{read}");
    // Other folders, of which two are projects.
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    answer(&mut host, &person, &["second", "", "project"]);
    let nowhere = call(&mut host, 3, "read", &json!({"paths": ["a.txt"]}));
    assert!(nowhere["result"]["isError"] == true && text(&nowhere).contains("second"), "{nowhere}");
    let second = person.path("second");
    let created =
        call(&mut host, 4, "edit", &json!({"root": second, "create": [{"path": "b", "text": "2\n"}]}));
    assert_eq!(created["result"]["isError"], false, "{created}");
    let tools = host.ask(5, "tools/list", &json!({}));
    assert!(tools["result"]["tools"][0]["inputSchema"]["properties"]["root"].is_object(), "{tools}");
    // None at all is as before the answer.
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    answer(&mut host, &person, &[]);
    let none = call(&mut host, 6, "read", &json!({"paths": ["a.txt"]}));
    assert!(text(&none).contains("No project is configured"), "{none}");
    assert_eq!(person.daemons().len(), 1);
}

#[test]
fn a_host_that_does_not_answer_or_need_not_be_asked_is_served_as_before() {
    let person = Person::new();
    // In a project it is not asked: the answer to the call is all that comes.
    let (mut host, instructions) = begin(&person, "project", &json!({"roots": {}}));
    assert!(instructions.contains("/project."), "{instructions}");
    assert_eq!(call(&mut host, 2, "list", &json!({}))["result"]["isError"], false);
    let (mut host, instructions) = begin(&person, "", &json!({}));
    assert!(instructions.contains("No project is configured"), "{instructions}");
    assert!(text(&call(&mut host, 2, "list", &json!({}))).contains("No project"));
    // One that refuses, and one that says nothing.
    let (mut host, _) = begin(&person, "", &json!({"roots": {}}));
    let question = host.hear();
    let error = json!({"code": -32601, "message": "Method not found"});
    host.say(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    assert!(text(&call(&mut host, 2, "list", &json!({}))).contains("No project"));
    let mut host = Host::new(person.impatient_proxy(2000, &[]).current_dir(person.path("")));
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}});
    host.ask(1, "initialize", &params);
    host.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(host.hear()["method"], "roots/list");
    assert!(text(&call(&mut host, 2, "list", &json!({}))).contains("No project"));
}
