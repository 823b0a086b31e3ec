//! What needs a person's approval, over MCP: told or waited for, and never given by anything that is sent.

use serde_json::{Value, json};

use super::Host;
use crate::support::{Answer, Connection, World};

const MAKE: &str = "sh -c 'echo x > made'";

fn run(command: &str) -> Answer {
    Answer::new().action("run", &[("command", command)])
}

/// A person who hears of what waits in the project.
fn person(world: &World) -> Connection {
    let mut person = world.connect();
    person.call("subscribe", &json!({ "root": world.root(), "kinds": ["approvalAsked"] }));
    person
}

fn decide(world: &World, asked: &Value, decision: &str) -> Value {
    let params = json!({ "id": asked["approvalId"], "decision": decision });
    world.connect().call("approval.answer", &params)
}

fn begin(host: &mut Host, answer: &Answer) -> u64 {
    host.begin("tools/call", &json!({ "name": "apply", "arguments": { "text": answer.text() } }))
}

fn ended(host: &mut Host, id: u64) -> (String, bool) {
    let result = host.answer(id).0;
    let text = result["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result:#}"));
    (text.to_owned(), result["result"]["isError"] == false)
}

#[test]
fn what_waits_is_told_with_nothing_that_approves() {
    let world = World::new();
    let mut host = Host::old(&world);
    let answer = run(MAKE).heredoc("new.txt", "new");
    let (text, works) = host.says("apply", &json!({ "text": answer.text() }));
    assert!(works && text.contains(MAKE) && world.exists("new.txt") && !world.exists("made"), "{text}");
    assert!(text.contains("The user must decide: ask them to run `clada approvals`."), "{text}");
    let (preview, _) = host.says("preview", &json!({ "text": run(MAKE).text() }));
    for said in [&text, &preview] {
        for word in ["--approve", "approve-all", "--resume", "--again", "\"approve\"", "approval.", "[id"] {
            assert!(!said.contains(word), "{word} in {said}");
        }
        // Sent back, it does nothing.
        host.says("apply", &json!({ "text": said }));
        assert!(!world.exists("made"));
    }
}

#[test]
fn code_that_waits_is_named_by_its_beginning_and_a_preview_counts_what_would_wait() {
    let world = World::new();
    let mut host = Host::old(&world);
    let code = format!("echo 1\necho {}\n", "x".repeat(300));
    let answer = Answer::new().action("exec", &[("lang", "bash"), ("code", &code)]).heredoc("new.txt", "new");
    let (preview, works) = host.says("preview", &json!({ "text": answer.text() }));
    assert!(works && preview.contains("2 tasks: 1 would be done, 1 would wait for the user."), "{preview}");
    let (text, works) = host.says("apply", &json!({ "text": answer.text() }));
    assert!(works && text.contains("the bash code `echo 1\\necho xxx"), "{text}");
    assert!(text.contains("xxx …`") && !text.contains(&"x".repeat(250)), "{text}");
    assert!(text.contains("shown to them: ask for what you need of it"), "{text}");
}

#[test]
fn a_command_that_ran_and_failed_is_not_to_be_sent_again_as_it_is() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let (mut host, mut person) = (Host::old(&world), person(&world));
    let id = begin(&mut host, &run("sh -c 'exit 3'").replace("none.txt", "a", "b"));
    decide(&world, &person.next_event(), "once");
    let (text, works) = ended(&mut host, id);
    assert!(
        !works && text.contains("Send only task 2 again, in the same format. Task 1 ran and failed"),
        "{text}"
    );
}

#[test]
fn an_approval_is_for_the_waiting_call_alone() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let (mut host, mut person) = (Host::old(&world), person(&world));
    let id = begin(&mut host, &run(MAKE));
    let asked = person.next_event();
    assert!(asked["text"].as_str().unwrap().contains(MAKE), "{asked:#}");
    decide(&world, &asked, "once");
    let (text, works) = ended(&mut host, id);
    assert!(works && world.exists("made"), "{text}");
    // Neither the same again, nor another argument, folder or text.
    let elsewhere = Answer::new().action("run", &[("command", MAKE), ("cwd", "sub")]);
    world.lay("sub/a.txt", "a\n");
    for other in [run(MAKE).heredoc("b.txt", "b"), run("sh -c 'echo y > made'"), elsewhere] {
        let id = begin(&mut host, &other);
        decide(&world, &person.next_event(), "no");
        let (text, works) = ended(&mut host, id);
        assert!(works == text.contains("b.txt") && world.read("made") == "x\n", "{text}");
        assert!(!world.exists("sub/made"), "{text}");
    }
}

#[test]
fn what_a_person_has_declined_is_said_to_be_and_the_rest_is_done() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let (mut host, mut person) = (Host::old(&world), person(&world));
    let id = begin(&mut host, &run(MAKE).heredoc("new.txt", "new"));
    decide(&world, &person.next_event(), "no");
    let (text, works) = ended(&mut host, id);
    assert!(works && world.exists("new.txt") && !world.exists("made"), "{text}");
    assert!(text.contains("DECLINED") && text.contains("declined it. Do without it"), "{text}");
    assert!(text.contains("1 declined by the user"), "{text}");
    assert!(!text.contains("WAITING") && !text.contains("clada approvals"), "{text}");
}

#[test]
fn a_person_is_shown_the_hosts_program_and_no_control_characters() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    let info = json!({ "name": "claude\u{1b}[31m-code", "version": "2.1" });
    let mut modern = super::modern();
    modern["io.modelcontextprotocol/clientInfo"] = info.clone();
    let (mut host, mut person) = (Host::of(&world), person(&world));
    let old = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    host.ask("initialize", &old);
    let mut new = Host::of(&world);
    for (host, meta) in [(&mut host, json!({})), (&mut new, modern)] {
        let params = json!({ "name": "apply", "arguments": { "text": run(MAKE).text() }, "_meta": meta });
        let id = host.begin("tools/call", &params);
        let asked = person.next_event();
        let listed = world.connect().call("approval.list", &json!({ "root": world.root() }));
        let client = listed["approvals"][0]["client"].as_str().unwrap();
        assert_eq!(client, "claude\\u{1b}[31m-code 2.1 (mcp)");
        decide(&world, &asked, "no");
        host.answer(id);
    }
}

#[test]
fn a_command_finds_a_tool_of_the_user_and_one_that_is_nowhere_names_where_it_is_not() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::with_config("mcp: {approvals: wait}\n");
    let tool = world.path("home/.cargo/bin/mytool");
    std::fs::create_dir_all(tool.parent().unwrap()).unwrap();
    std::fs::write(&tool, "#!/bin/sh\necho from $HOME\n").unwrap();
    std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
    let (mut host, mut person) = (Host::old(&world), person(&world));
    let id = begin(&mut host, &run("mytool"));
    let asked = person.next_event();
    assert!(asked["text"].as_str().unwrap().contains(".cargo/bin/mytool"), "{asked:#}");
    decide(&world, &asked, "once");
    let (text, works) = ended(&mut host, id);
    assert!(works && text.contains(&format!("from {}", world.path("home").display())), "{text}");
    let (text, works) = host.says("apply", &json!({ "text": run("no-such-tool").text() }));
    assert!(!works && text.contains("/usr/bin") && text.contains(".cargo/bin"), "{text}");
    assert!(text.contains("exec.env"), "{text}");
}

#[test]
fn a_file_that_changes_while_a_person_looks_is_asked_about_again() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    world.lay("a.txt", "a\n");
    let (mut host, mut other, mut person) = (Host::old(&world), Host::old(&world), person(&world));
    let id = begin(&mut host, &run(MAKE));
    let asked = person.next_event();
    let (said, works) =
        other.says("apply", &json!({ "text": Answer::new().replace("a.txt", "a", "b").text() }));
    assert!(works, "{said}");
    let answered = decide(&world, &asked, "once");
    assert!(answered["askedAgain"].is_string() && !world.exists("made"), "{answered:#}");
    let again = person.next_event();
    assert!(again["text"].as_str().unwrap().contains("a.txt"), "{again:#}");
    decide(&world, &again, "once");
    assert!(ended(&mut host, id).1 && world.exists("made"));
}
