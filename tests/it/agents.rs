//! Agents on the socket: how far a connection is narrowed, what an agent is told, and answers that wait for a
//! person.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use clada_protocol::method::{CallerKind, METHODS};
use expect_test::expect;
use serde_json::{Value, json};

use crate::commands::run;
use crate::refusals::kinds;
use crate::support::{Answer, Connection, Terminal, World, skipped};

/// A command that needs approval.
const MAKE: &str = "sh -c 'echo x > made'";
const WAIT: &str = "mcp: {approvals: wait}\n";

/// A connection that is narrowed to an agent's in the project.
fn agent(world: &World) -> Connection {
    let mut agent = world.connect();
    let roots = [world.root()];
    agent.call("hello", &json!({ "client": "robot\u{1b} 1.0", "caller": "agent", "roots": roots }));
    agent
}

/// A person who hears of what waits in the project.
fn person(world: &World) -> Connection {
    let mut person = world.connect();
    let kinds = ["approvalAsked", "approvalAnswered"];
    person.call("subscribe", &json!({ "root": world.root(), "kinds": kinds }));
    person
}

/// Has the agent carry the answer out, meanwhile.
fn executing(world: &World, mut agent: Connection, answer: &Answer) -> JoinHandle<Result<Value, Value>> {
    let params = json!({ "root": world.root(), "text": answer.text() });
    std::thread::spawn(move || agent.try_call("execute", &params))
}

fn result(executing: JoinHandle<Result<Value, Value>>) -> Value {
    executing.join().unwrap().unwrap()
}

/// The id in the next event, which says that something waits.
fn asked(person: &mut Connection) -> String {
    let event = person.next_event();
    assert_eq!(event["kind"], "approvalAsked", "{event:#}");
    event["approvalId"].as_str().unwrap_or_else(|| panic!("{event:#}")).to_owned()
}

/// The id of the question after one that was answered with `decision`.
fn asked_after(person: &mut Connection, decision: &Value) -> String {
    let event = person.next_event();
    assert_eq!((&event["kind"], &event["decision"]), (&json!("approvalAnswered"), decision), "{event:#}");
    asked(person)
}

/// The next event, which says that nothing waits under `id` any more, has this decision.
fn over(person: &mut Connection, id: &str, decision: &Value) {
    let event = person.next_event();
    let said = (&event["kind"], &event["approvalId"], &event["decision"]);
    assert_eq!(said, (&json!("approvalAnswered"), &json!(id), decision), "{event:#}");
}

fn decide(world: &World, id: &str, decision: &str) -> Result<Value, Value> {
    world.connect().try_call("approval.answer", &json!({ "id": id, "decision": decision }))
}

fn listed(world: &World) -> Value {
    world.connect().call("approval.list", &json!({ "root": world.root() }))
}

fn kind(error: &Value) -> &str {
    error["data"]["kind"].as_str().unwrap_or("no kind")
}

/// The text without how long ago something was.
fn without_ages(text: &str) -> String {
    (0..100).fold(text.to_owned(), |text, age| text.replace(&format!(", {age} s ago"), ""))
}

/// Returns whether nothing in `text` helps to approve anything.
fn assert_approves_nothing(text: &str) {
    for word in ["--approve", "approve-all", "--resume", "--again", "\"approve\"", "approval.", "[id"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn what_is_a_persons_is_refused_to_an_agent_and_changes_nothing() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let before = world.tree();
    let mut agent = agent(&world);
    for info in METHODS {
        if info.caller == CallerKind::Person {
            let error = agent.fail(info.name, &json!({ "root": world.root() }));
            assert_eq!(kind(&error), "method_not_found", "{}", info.name);
            let hint = error["data"]["hint"].as_str().unwrap_or_default();
            let told = METHODS.iter().filter(|info| info.caller == CallerKind::Person);
            assert!(told.into_iter().all(|other| !hint.contains(&format!("`{}`", other.name))), "{hint}");
        }
        let settings = info.takes_settings().then_some(&clada_protocol::method::SETTINGS);
        for name in info.user_params.iter().chain(settings) {
            let mut params = json!({ "root": world.root(), "text": "", "paths": ["a.txt"] });
            params[name] = json!(true);
            let error = agent.fail(info.name, &params);
            assert!(["invalid_params", "method_not_found"].contains(&kind(&error)), "{name}: {error}");
            if info.caller == CallerKind::Agent {
                assert_eq!(error["data"]["parameter"], *name, "{error}");
            }
        }
    }
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn a_hello_only_ever_narrows() {
    let world = World::new();
    std::fs::create_dir_all(world.path("project/sub")).unwrap();
    std::fs::create_dir_all(world.path("home/work")).unwrap();
    let mut agent = world.connect();
    let says = |agent: &mut Connection, params: Value| match agent.try_call("hello", &params) {
        Ok(hello) => format!("{} {} {}", hello["caller"], hello["roots"], hello["readOnly"]),
        Err(error) => format!("{}: {}", kind(&error), error["message"].as_str().unwrap()),
    };
    let root = world.root();
    let (home, top) = (world.path("home"), world.path(""));
    let mut told = String::new();
    for params in [
        json!({}),
        json!({ "caller": "person" }),
        json!({ "roots": [root] }),
        json!({ "readOnly": true }),
        json!({ "speaks": "mcp" }),
        json!({ "caller": "agent", "speaks": "smtp" }),
        json!({ "caller": "robot" }),
        json!({ "caller": "agent", "roots": ["/"] }),
        json!({ "caller": "agent", "roots": [root, home] }),
        json!({ "caller": "agent", "roots": [top] }),
        json!({ "caller": "agent", "roots": [format!("{root}/../home")] }),
        json!({ "caller": "agent", "roots": ["project"] }),
        json!({ "caller": "agent", "roots": [format!("{root}/none")] }),
        // Until here nothing was narrowed.
        json!({}),
        json!({ "caller": "agent", "roots": [format!("{root}/sub/.."), home.join("work")] }),
        json!({ "caller": "person" }),
        json!({ "roots": [root, world.path("outside")] }),
        json!({ "roots": [format!("{root}/sub")], "readOnly": true }),
        json!({ "roots": [root] }),
        json!({ "readOnly": false }),
        json!({}),
    ] {
        told.push_str(&format!("{params}\n    {}\n", says(&mut agent, params.clone())));
    }
    expect![[r#"
        {}
            "person" null false
        {"caller":"person"}
            "person" null false
        {"roots":["/TOP/project"]}
            invalid_params: hello: `roots` goes with `caller: "agent"`
        {"readOnly":true}
            invalid_params: hello: `readOnly` goes with `caller: "agent"`
        {"speaks":"mcp"}
            invalid_params: hello: `speaks` goes with `caller: "agent"`
        {"caller":"agent","speaks":"smtp"}
            invalid_params: hello: `speaks` can only be `mcp`
        {"caller":"robot"}
            invalid_params: hello: `caller`: unknown variant `robot`, expected `agent` or `person`
        {"caller":"agent","roots":["/"]}
            path_denied: hello: the root '/' is the whole file system
        {"caller":"agent","roots":["/TOP/project","/TOP/home"]}
            path_denied: hello: the root '/TOP/home' is a home folder
        {"caller":"agent","roots":["/TOP/"]}
            path_denied: hello: the root '/TOP/' is a folder that holds the home folder
        {"caller":"agent","roots":["/TOP/project/../home"]}
            path_denied: hello: the root '/TOP/project/../home' is a home folder
        {"caller":"agent","roots":["project"]}
            invalid_params: root: 'project' is not an absolute path
        {"caller":"agent","roots":["/TOP/project/none"]}
            project_not_found: The root '/TOP/project/none' cannot be opened: No such file or directory (os error 2)
        {}
            "person" null false
        {"caller":"agent","roots":["/TOP/project/sub/..","/TOP/home/work"]}
            "agent" ["/TOP/project","/TOP/home/work"] false
        {"caller":"person"}
            invalid_params: hello: this connection is an agent's and stays so: `caller` only ever narrows
        {"roots":["/TOP/project","/TOP/outside"]}
            path_escape: hello: the root '/TOP/outside' is outside of those so far
        {"roots":["/TOP/project/sub"],"readOnly":true}
            "agent" ["/TOP/project/sub"] true
        {"roots":["/TOP/project"]}
            path_escape: hello: the root '/TOP/project' is outside of those so far
        {"readOnly":false}
            invalid_params: hello: this connection may only read and stays so
        {}
            "agent" ["/TOP/project/sub"] true
    "#]]
    .assert_eq(&world.shown(&told));
}

#[test]
fn a_root_outside_is_refused_however_it_is_spelled() {
    let world = World::new();
    std::fs::create_dir_all(world.path("project/sub")).unwrap();
    std::os::unix::fs::symlink(world.path("outside"), world.path("project/link")).unwrap();
    std::os::unix::fs::symlink(world.project(), world.path("outside/in")).unwrap();
    let mut agent = agent(&world);
    let root = world.root();
    let outside = world.path("outside").to_str().unwrap().to_owned();
    let answer = Answer::new().heredoc("new.txt", "new");
    let params = |root: &str| json!({ "root": root, "text": answer.text() });
    for wrong in [
        outside.clone(),
        format!("{outside}/none"),
        "/".to_owned(),
        format!("{root}/.."),
        format!("{root}/sub/../.."),
        format!("{root}/link"),
        format!("{root}/none/../../outside"),
        world.path("home").to_str().unwrap().to_owned(),
    ] {
        for (method, params) in [
            ("execute", params(&wrong)),
            ("plan", params(&wrong)),
            ("parse", params(&wrong)),
            ("embed", json!({ "root": wrong, "paths": ["."] })),
            ("stage", json!({ "root": wrong })),
            ("project.changes", json!({ "root": wrong })),
            ("session.open", json!({ "root": wrong })),
            ("instructions", json!({ "root": wrong })),
        ] {
            assert_eq!(kind(&agent.fail(method, &params)), "path_escape", "{method} {wrong}");
        }
    }
    assert_eq!(kind(&agent.fail("plan", &params(&format!("{root}/none")))), "project_not_found");
    // Below, and by a link from elsewhere.
    for right in [format!("{root}/sub"), format!("{outside}/in")] {
        agent.call("execute", &params(&right));
    }
    assert!(world.exists("sub/new.txt") && world.exists("new.txt"));
    assert!(!world.path("outside/new.txt").exists());
}

#[test]
fn what_follows_a_hello_has_its_bounds_also_in_one_batch() {
    let world = World::new();
    let mut stream = {
        world.status();
        UnixStream::connect(world.socket()).unwrap()
    };
    let call = |id: u32, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let narrow = json!({ "caller": "agent", "roots": [world.root()], "readOnly": true });
    let text = Answer::new().write(&world.at("a.txt"), "a").text().to_owned();
    let execute = json!({ "root": world.root(), "text": text });
    let batch = json!([
        call(1, "history.list", json!({ "root": world.root() })),
        call(2, "hello", narrow),
        call(3, "history.list", json!({ "root": world.root() })),
        call(4, "execute", execute.clone()),
    ]);
    // All at once: the daemon reads the next line while the batch is worked on.
    let lines = format!("{batch}\n{}\n", call(5, "execute", execute));
    stream.write_all(lines.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stream, &mut said).unwrap();
    let mut answers: Vec<Value> = Vec::new();
    for line in said.lines() {
        match serde_json::from_str(line).unwrap() {
            Value::Array(batch) => answers.extend(batch),
            single => answers.push(single),
        }
    }
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let told: Vec<&str> =
        answers.iter().map(|answer| answer["error"]["data"]["kind"].as_str().unwrap_or("ok")).collect();
    assert_eq!(told, ["ok", "ok", "method_not_found", "method_not_found", "method_not_found"], "{said}");
    assert!(!world.exists("a.txt"));
}

#[test]
fn an_agent_is_not_told_of_the_daemon_and_hears_of_nothing() {
    let world = World::new();
    let mut other = world.connect();
    let elsewhere = world.path("outside").to_str().unwrap().to_owned();
    other.call("session.get", &json!({ "root": elsewhere }));
    other.call("session.get", &json!({ "root": world.root() }));
    let seen = other.call("status", &json!({}));
    assert!(seen["pid"].is_u64() && seen["logFile"].is_string(), "{seen:#}");
    assert!(seen["socket"].as_str().is_some_and(|socket| std::path::Path::new(socket).exists()), "{seen:#}");
    other.call("subscribe", &json!({ "root": world.root() }));
    other.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    let seen = other.call("status", &json!({}));
    assert_eq!(seen["projects"], json!([world.root()]));
    assert!(["pid", "logFile", "socket"].iter().all(|key| seen.get(key).is_none()), "{seen:#}");
    world.lay("new.txt", "new\n");
    // A person's subscription is told by now; the narrowed connection reads nothing but its answer.
    let mut person = world.connect();
    person.call("subscribe", &json!({ "root": world.root() }));
    world.lay("newer.txt", "new\n");
    person.next_event();
    let mut heard = other.notifications("status", &json!({}));
    heard.retain(|message| message["method"] == "event");
    assert_eq!(heard, Vec::<Value>::new());
}

#[test]
fn a_plan_is_carried_out_by_its_maker_alone() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a");
    let plan = json!({ "root": world.root(), "text": answer.text() });
    std::fs::create_dir_all(world.path("home/work")).unwrap();
    let (mut person, mut agent, mut free) = (world.connect(), agent(&world), world.connect());
    free.call("hello", &json!({ "caller": "agent", "roots": [world.root(), world.path("home/work")] }));
    let mut ids: Vec<String> = Vec::new();
    for at in 0..3 {
        let mut callers = [&mut person, &mut agent, &mut free];
        let id = callers[at].call("plan", &plan)["planId"].as_str().unwrap().to_owned();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        for (other, caller) in callers.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let error = caller.fail("execute", &json!({ "root": world.root(), "planId": id }));
            assert_eq!(kind(&error), "plan_not_found", "{at} by {other}");
        }
        assert!(!world.exists("a.txt"));
        ids.push(id);
    }
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    agent.call("execute", &json!({ "root": world.root(), "planId": ids[1] }));
    assert_eq!(world.read("a.txt"), "a");
}

#[test]
fn what_needs_approval_is_told_and_a_person_finds_it() {
    let world = World::new();
    let mut agent = agent(&world);
    let answer = run(MAKE)
        .write(&world.at(".envrc"), "x\n")
        .replace(&world.at("none.txt"), "a", "b")
        .write(&world.at("a.txt"), "a");
    let params = json!({ "root": world.root(), "text": answer.text() });
    for method in ["parse", "plan", "execute"] {
        let result = agent.call(method, &params);
        assert!(result["approvals"].as_array().is_some_and(|approvals| approvals.len() == 2), "{result:#}");
        assert!(result["approvals"][0].get("id").is_none());
        assert_approves_nothing(&result.to_string());
    }
    let again = agent.call("execute", &params);
    assert_eq!(
        kinds(&again),
        ["command_not_allowed", "approval_required", "file_not_found", "answer_already_applied"]
    );
    let hints: Vec<&str> = again["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["hint"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(hints[0], "the user must decide: ask them to run `clada approvals`");
    assert_eq!(hints[1], "the user must decide: ask them to run `clada approvals`");
    let ran = world.run(&["approvals"], "");
    expect![[r#"
        Nothing needs your approval.

        Operation ID of the agent 'robot\u{1b} 1.0' in /TOP/project, left out what needs your approval:
          sh -c 'echo x > made'
          /TOP/project/.envrc

        Operation ID of the agent 'robot\u{1b} 1.0' in /TOP/project, left out what needs your approval:
          sh -c 'echo x > made'
          /TOP/project/.envrc

        `clada apply --resume OPERATION` asks you about what was left out.
    "#]]
    .assert_eq(&without_ages(&world.shown(&ran.stdout)));
    // What the person is told to do asks about it, and then it is not left out any more.
    let id = listed(&world)["leftOut"][0]["operationId"].as_str().unwrap().to_owned();
    world.run(&["apply", "--resume", &id, "--approve-all"], "");
    assert_eq!(listed(&world)["leftOut"].as_array().map_or(0, Vec::len), 1);
}

#[test]
fn an_answer_waits_and_is_carried_out_once_as_it_was_shown() {
    let world = World::with_config(WAIT);
    let mut person = person(&world);
    let answer = run(MAKE).write(&world.at("a.txt"), "a\u{200b}\n");
    let call = executing(&world, agent(&world), &answer);
    let event = person.next_event();
    let id = event["approvalId"].as_str().unwrap();
    assert!(id.len() == 32 && !event["text"].as_str().unwrap().contains('\u{1b}'), "{event:#}");
    assert!(!world.exists("a.txt"), "nothing is done before the reply");
    let waiting = listed(&world);
    assert_eq!(waiting["approvals"].as_array().unwrap().len(), 1);
    assert_eq!(waiting["approvals"][0]["id"], id);
    assert!(waiting["approvals"][0]["diff"].as_str().unwrap().contains("+a\u{200b}"));
    let ran = world.run(&["approvals", "show", &id[..8]], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = waiting["approvals"][0]["text"].as_str().unwrap();
    // But for how long it has waited.
    assert_eq!(text.split_once('\n').unwrap().1, ran.stdout.split_once('\n').unwrap().1);
    for words in ["the agent 'robot\\u{1b} 1.0'", MAKE, "+a\\u{200b}"] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert_eq!(world.run(&["approvals", "show", "nothing"], "").code, 1);
    // Another call of the project runs as always: no lock is held.
    assert!(world.execute(&Answer::new().write(&world.at("b.txt"), "b"), json!({}))["success"] == true);
    // The command could read what that has written.
    let taken = decide(&world, id, "once").unwrap();
    let id = taken["askedAgain"].as_str().unwrap_or_else(|| panic!("{taken}"));
    assert_eq!(asked_after(&mut person, &json!("once")), id);
    assert_eq!(decide(&world, id, "once").unwrap(), json!({ "answered": true }));
    over(&mut person, id, &json!("once"));
    let done = result(call);
    assert_eq!(done["success"], true, "{done:#}");
    assert!(world.exists("made") && world.exists("a.txt"));
    assert_approves_nothing(&done.to_string());
    for decision in ["once", "no"] {
        assert_eq!(kind(&decide(&world, id, decision).unwrap_err()), "approval_not_found");
    }
    // It was for that call alone.
    let call = executing(&world, agent(&world), &run(MAKE));
    let again = asked(&mut person);
    assert_ne!(again, id);
    decide(&world, &again, "no").unwrap();
    assert_eq!(kinds(&result(call)), ["command_not_allowed"]);
}

#[test]
fn after_no_the_rest_is_done_and_the_agent_knows_why() {
    let world = World::with_config(WAIT);
    let mut person = person(&world);
    let answer = run(MAKE).write(&world.at("a.txt"), "a");
    let call = executing(&world, agent(&world), &answer);
    let id = asked(&mut person);
    decide(&world, &id, "no").unwrap();
    over(&mut person, &id, &json!("no"));
    let done = result(call);
    assert_eq!((world.exists("made"), world.exists("a.txt")), (false, true));
    let hint = done["results"][0]["hint"].as_str().unwrap();
    assert_eq!(hint, "the user declined it: do without it, and do not send it again");
    assert_approves_nothing(&done.to_string());
    assert_eq!(listed(&world)["leftOut"][0]["declined"], true);
}

#[test]
fn nobody_answers_in_time() {
    let world = World::with_config("mcp: {approvals: wait, approval_wait: 1s}\n");
    let mut person = person(&world);
    let call = executing(&world, agent(&world), &run(MAKE).write(&world.at("a.txt"), "a"));
    let id = asked(&mut person);
    over(&mut person, &id, &Value::Null);
    let done = result(call);
    assert_eq!((world.exists("made"), world.exists("a.txt")), (false, true));
    let hint = done["results"][0]["hint"].as_str().unwrap();
    assert!(hint.starts_with("no answer within 1 s; the user must decide"), "{hint}");
    assert_eq!(kind(&decide(&world, &id, "once").unwrap_err()), "approval_not_found");
}

#[test]
fn a_change_while_a_person_looks_is_asked_about_again() {
    let world = World::with_config(WAIT);
    world.lay("test.sh", "echo fine\n");
    world.lay("b.txt", "one\n");
    let mut person = person(&world);
    let answer = run("sh test.sh").replace(&world.at("b.txt"), "one", "two");
    let call = executing(&world, agent(&world), &answer);
    let first = asked(&mut person);
    // An agent changes what the command runs; nothing in the plan itself is another.
    let evil = Answer::new().write(&world.at("test.sh"), "touch evil\n");
    let mut other = agent(&world);
    other.call("execute", &json!({ "root": world.root(), "text": evil.text() }));
    let taken = decide(&world, &first, "once").unwrap();
    let second = taken["askedAgain"].as_str().unwrap_or_else(|| panic!("{taken}")).to_owned();
    over(&mut person, &first, &json!("once"));
    assert_eq!(asked(&mut person), second);
    assert_ne!(second, first);
    let waiting = &listed(&world)["approvals"][0];
    expect![[r#"
        An agent's operation ID changed test.sh.
        The plan changed: task 1, run sh test.sh."#]]
    .assert_eq(&world.shown(waiting["changedSince"].as_str().unwrap()));
    assert_eq!(kind(&decide(&world, &first, "once").unwrap_err()), "approval_not_found");
    assert!(!world.exists("evil") && world.read("b.txt") == "one\n");
    // Somebody else changes a file that the plan is about.
    world.lay("b.txt", "zero\none\n");
    let taken = decide(&world, &second, "once").unwrap();
    let third = taken["askedAgain"].as_str().unwrap_or_else(|| panic!("{taken}")).to_owned();
    let waiting = &listed(&world)["approvals"][0];
    expect!["The plan changed: task 2, file_replace_text /TOP/project/b.txt."]
        .assert_eq(&world.shown(waiting["changedSince"].as_str().unwrap()));
    assert_eq!(world.read("b.txt"), "zero\none\n");
    decide(&world, &third, "no").unwrap();
    let done = result(call);
    assert_eq!(kinds(&done), ["command_not_allowed", "none"]);
    assert!(!world.exists("evil") && world.read("b.txt") == "zero\ntwo\n");
}

/// The plan that a person was shown is the one that is applied; it is asked about again if it would do anything else.
#[test]
fn what_waited_is_applied_as_it_was_shown_or_asked_about_again() {
    type Change = fn(&World);
    let changes: [(&str, Change, bool); 7] = [
        ("nothing", |_| {}, false),
        ("the same bytes again", |world| world.lay("b.txt", "one\n"), false),
        ("a file that no task is about", |world| world.lay("c.txt", "new\n"), false),
        ("a line above the edit", |world| world.lay("b.txt", "zero\none\n"), true),
        ("the edited line is gone", |world| world.lay("b.txt", "none\n"), true),
        ("the new file is there", |world| world.lay("a.txt", "theirs\n"), true),
        (
            "the edited file is gone",
            |world| std::fs::remove_file(world.project().join("b.txt")).unwrap(),
            true,
        ),
    ];
    for (name, change, is_asked_again) in changes {
        for is_plan in [false, true] {
            let world = World::with_config(WAIT);
            world.lay("b.txt", "one\n");
            let (mut person, mut robot) = (person(&world), agent(&world));
            let answer = Answer::new()
                .write(&world.at(".envrc"), "A=1\n")
                .replace(&world.at("b.txt"), "one", "two")
                .heredoc(&world.at("a.txt"), "a");
            let text = json!({ "root": world.root(), "text": answer.text() });
            let params = match is_plan {
                true => json!({ "root": world.root(), "planId": robot.call("plan", &text)["planId"] }),
                false => text,
            };
            let call = std::thread::spawn(move || robot.try_call("execute", &params));
            let first = asked(&mut person);
            change(&world);
            let files = || {
                ["a.txt", "b.txt", ".envrc"]
                    .map(|file| std::fs::read_to_string(world.project().join(file)).ok())
            };
            let before = files();
            let taken = decide(&world, &first, "once").unwrap();
            assert_eq!(taken["askedAgain"].is_string(), is_asked_again, "{name} {is_plan}: {taken}");
            if !is_asked_again {
                assert_eq!(result(call)["success"], true, "{name} {is_plan}");
                assert_eq!(
                    files(),
                    [Some("a\n"), Some("two\n"), Some("A=1\n")].map(|text| text.map(str::to_owned)),
                    "{name}"
                );
                continue;
            }
            assert_eq!(files(), before, "{name} {is_plan}");
            let diff = listed(&world)["approvals"][0]["diff"].as_str().unwrap().to_owned();
            decide(&world, taken["askedAgain"].as_str().unwrap(), "once").unwrap();
            let done = result(call);
            // What was not shown is never written.
            for ((file, before), after) in ["a.txt", "b.txt"].into_iter().zip(&before).zip(&files()) {
                assert!(
                    before == after || diff.contains(&format!("+++ b/{file}")),
                    "{name} {is_plan} {file}: {diff}{done:#}"
                );
            }
            assert_eq!(files()[2].as_deref(), Some("A=1\n"), "{name} {is_plan}: {done:#}");
        }
    }
}

/// The project's bound of results cuts nothing of what a person is shown.
#[test]
fn what_a_person_approves_is_shown_whole_or_only_told() {
    let world = World::with_config("mcp: {approvals: wait}\nlimits: {result_bytes: 64kB}\n");
    let mut person = person(&world);
    let long: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
    let answer = run(MAKE).write(&world.at("long.txt"), &long);
    let call = executing(&world, agent(&world), &answer);
    let id = asked(&mut person);
    let diff = listed(&world)["approvals"][0]["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("+line 0\n") && diff.contains("+line 19999\n"), "{} bytes", diff.len());
    // A change far beyond what 64 kB would show.
    decide(&world, &id, "once").unwrap();
    over(&mut person, &id, &json!("once"));
    assert_eq!(result(call)["success"], true);
    assert!(world.exists("made") && world.read("long.txt") == long);
    // What cannot be shown whole cannot be approved by waiting: it is told at once, and the rest is done.
    let huge = "x".repeat(5 << 20);
    for (path, text) in [("huge.txt", huge.as_str()), (".envrc", &"A=1\n".repeat(20_000))] {
        let answer = run("sh -c 'echo x > never'").write(&world.at(path), text);
        let told = agent(&world).call("execute", &json!({ "root": world.root(), "text": answer.text() }));
        let hint = told["results"][0]["hint"].as_str().unwrap();
        assert_eq!(hint, "the user must decide: ask them to run `clada approvals`", "{path}");
        let event = person.next_event();
        assert!(event["operationId"].is_string() && event.get("approvalId").is_none(), "{event:#}");
    }
    assert_eq!(
        (world.exists("never"), world.exists("huge.txt"), world.exists(".envrc")),
        (false, true, false)
    );
}

/// `once` for a plan that has become too large to be shown is not told as taken.
#[test]
fn once_is_of_no_use_if_what_it_became_cannot_be_shown() {
    let world = World::with_config(WAIT);
    world.lay("b.txt", "one\n");
    world.lay("huge.txt", "small\n");
    let mut person = person(&world);
    let answer = run(MAKE)
        .action("file_move", &[("old_path", &world.at("huge.txt")), ("new_path", &world.at("gone.txt"))])
        .action("file_delete", &[("path", &world.at("gone.txt"))]);
    let call = executing(&world, agent(&world), &answer);
    let id = asked(&mut person);
    world.lay("huge.txt", format!("{}\n", "x".repeat(99)).repeat(60_000));
    let taken = decide(&world, &id, "once").unwrap();
    assert_eq!((&taken["answered"], taken.get("askedAgain")), (&json!(false), None), "{taken}");
    assert!(taken["message"].as_str().unwrap().contains("too large to be"), "{taken}");
    over(&mut person, &id, &json!("once"));
    let done = result(call);
    assert!(!world.exists("made") && !world.exists("huge.txt"), "{done:#}");
    assert_eq!(kinds(&done)[0], "command_not_allowed");
}

/// Whichever comes first: what a person is told was taken, and nothing else, is done.
#[test]
fn a_decision_and_a_cancel_of_the_same_moment_agree() {
    let world = World::with_config(WAIT);
    let mut person = person(&world);
    let hello = json!({ "jsonrpc": "2.0", "id": 6, "method": "hello", "params": { "caller": "agent", "roots": [world.root()] } });
    for round in 0..20 {
        let path = format!("made-{round}");
        let answer = run(&format!("sh -c 'echo x > {path}'"));
        let params = json!({ "root": world.root(), "text": answer.text() });
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "execute", "params": params });
        let mut stream = UnixStream::connect(world.socket()).unwrap();
        stream.write_all(format!("{hello}\n{request}\n").as_bytes()).unwrap();
        let id = asked(&mut person);
        let cancels = stream.try_clone().unwrap();
        let cancel = std::thread::spawn(move || {
            let mut cancels = cancels;
            let cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":7}}\n";
            cancels.write_all(cancel.as_bytes()).unwrap();
            cancels.shutdown(std::net::Shutdown::Write).unwrap();
        });
        let decided = decide(&world, &id, "once");
        cancel.join().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut stream, &mut said).unwrap();
        let taken = match &decided {
            Ok(taken) => taken["answered"] == true,
            Err(error) => {
                assert_eq!(kind(error), "approval_not_found");
                false
            }
        };
        assert!(taken || !world.exists(&path), "{decided:?}: {said}");
        // The event says the same as the reply.
        let event = person.next_event();
        assert_eq!(
            (&event["kind"], &event["approvalId"]),
            (&json!("approvalAnswered"), &json!(id)),
            "{event}"
        );
        assert_eq!(event["decision"].is_null(), decided.is_err(), "{decided:?}: {event}");
    }
}

/// 8 calls wait at most, one a project; more are told at once.
#[test]
fn a_bounded_number_of_calls_waits() {
    let world = World::with_config(WAIT);
    let mut person = world.connect();
    let roots: Vec<String> = (0..9).map(|number| format!("{}/p{number}", world.root())).collect();
    for root in &roots {
        std::fs::create_dir(root).unwrap();
        std::fs::create_dir(format!("{root}/.git")).unwrap();
        person.call("subscribe", &json!({ "root": root, "kinds": ["approvalAsked"] }));
    }
    let asks = |root: &str| {
        let mut agent = world.connect();
        agent.call("hello", &json!({ "caller": "agent", "roots": [root] }));
        let params = json!({ "root": root, "text": run(MAKE).text() });
        std::thread::spawn(move || agent.try_call("execute", &params))
    };
    let mut calls: Vec<_> = roots[..8].iter().map(|root| asks(root)).collect();
    (0..8).for_each(|_| drop(asked(&mut person)));
    // The ninth, in a project of its own, and a second one of a project.
    for root in [&roots[8], &roots[0]] {
        let told = result(asks(root));
        assert_eq!(told["results"][0]["hint"], "the user must decide: ask them to run `clada approvals`");
    }
    let waiting = world.connect().call("approval.list", &json!({}));
    let waiting = waiting["approvals"].as_array().unwrap();
    assert_eq!(waiting.len(), 8);
    // Each is decided about by its own id; then there is room again.
    for entry in waiting {
        decide(&world, entry["id"].as_str().unwrap(), "no").unwrap();
    }
    calls.drain(..).for_each(|call| assert_eq!(kinds(&result(call)), ["command_not_allowed"]));
    let call = asks(&roots[8]);
    let again =
        std::iter::from_fn(|| Some(person.next_event())).find(|event| event["approvalId"].is_string());
    decide(&world, again.unwrap()["approvalId"].as_str().unwrap(), "no").unwrap();
    assert_eq!(kinds(&result(call)), ["command_not_allowed"]);
}

#[test]
fn one_approval_is_of_no_use_for_another_argument_folder_or_text() {
    let world = World::with_config(WAIT);
    std::fs::create_dir_all(world.path("project/sub")).unwrap();
    let mut person = person(&world);
    let call = executing(&world, agent(&world), &run(MAKE));
    let id = asked(&mut person);
    decide(&world, &id, "once").unwrap();
    over(&mut person, &id, &json!("once"));
    assert_eq!(result(call)["success"], true);
    for other in [
        run("sh -c 'echo x > other'"),
        run(MAKE),
        Answer::new().action("run", &[("command", MAKE), ("cwd", &world.at("sub"))]),
        Answer::new().action("run", &[("command", "sh  -c 'echo x > made'")]),
    ] {
        let call = executing(&world, agent(&world), &other);
        let id = asked(&mut person);
        decide(&world, &id, "no").unwrap();
        over(&mut person, &id, &json!("no"));
        assert_eq!(kinds(&result(call)).len(), 1);
    }
    assert!(!world.exists("other") && !world.exists("sub/made"));
    // What reaches the agent, sent back by it, approves nothing.
    let mut agent = agent(&world);
    let told =
        agent.call("plan", &json!({ "root": world.root(), "text": run("sh -c 'echo x > other'").text() }));
    let back = json!({ "root": world.root(), "text": run("sh -c 'echo x > other'").text(), "approve": told["approvals"] });
    assert_eq!(kind(&agent.fail("execute", &back)), "invalid_params");
    assert_eq!(
        kind(&agent.fail("approval.answer", &json!({ "id": id, "decision": "once" }))),
        "method_not_found"
    );
}

#[test]
fn a_second_call_of_the_project_is_told_and_who_goes_or_cancels_leaves_nothing() {
    let world = World::with_config(WAIT);
    let mut person = person(&world);
    let answer = run(MAKE).write(&world.at("a.txt"), "a");
    let params = json!({ "root": world.root(), "text": answer.text() });
    // Who goes away.
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "execute", "params": params });
    let hello = json!({ "jsonrpc": "2.0", "id": 6, "method": "hello", "params": { "caller": "agent", "roots": [world.root()] } });
    let stream = |lines: &str| {
        let mut stream = UnixStream::connect(world.socket()).unwrap();
        stream.write_all(lines.as_bytes()).unwrap();
        stream
    };
    let gone = stream(&format!("{hello}\n{request}\n"));
    let id = asked(&mut person);
    let told = agent(&world)
        .call("execute", &json!({ "root": world.root(), "text": run("sh -c 'echo x > b'").text() }));
    assert_eq!(told["results"][0]["hint"], "the user must decide: ask them to run `clada approvals`");
    let event = person.next_event();
    assert!(event["operationId"].is_string() && event.get("approvalId").is_none(), "{event:#}");
    drop(gone);
    over(&mut person, &id, &Value::Null);
    // Who cancels.
    let mut cancels = stream(&format!("{hello}\n{request}\n"));
    let id = asked(&mut person);
    cancels
        .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":7}}\n")
        .unwrap();
    over(&mut person, &id, &Value::Null);
    cancels.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut cancels, &mut said).unwrap();
    assert!(said.contains("\"waiting\"") && said.contains("\"for\":\"approval\""), "{said}");
    assert!(said.contains("\"cancelled\""), "{said}");
    // The end of the daemon.
    let call = executing(&world, agent(&world), &answer);
    asked(&mut person);
    drop(person);
    world.stop().unwrap();
    assert_eq!(kind(&call.join().unwrap().unwrap_err()), "cancelled");
    assert!(!world.exists("made") && !world.exists("a.txt"));
}

#[test]
fn a_person_answers_at_the_terminal_alone_and_sees_what_it_became() {
    let world = World::with_config(WAIT);
    world.lay("test.sh", "echo fine\n");
    let mut person = person(&world);
    let answer = run("sh test.sh").write(&world.at("a.txt"), "a\u{202e}\n");
    let nothing = world.run(&["approvals", "answer"], "y\n");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, "Nothing needs your approval.\n"));
    let call = executing(&world, agent(&world), &answer);
    asked(&mut person);
    for args in [&["approvals", "answer"][..], &["approvals", "answer", "--json"]] {
        let ran = world.run(args, "y\ny\n");
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("there is no terminal to ask at"), "{ran:?}");
    }
    assert!(!world.exists("a.txt"));
    let Some(mut terminal) = Terminal::open() else {
        decide(&world, listed(&world)["approvals"][0]["id"].as_str().unwrap(), "no").unwrap();
        result(call);
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let child = terminal.start(&world.client(&["approvals"]), b"");
    const QUESTION: &str = "Apply all of it? [y,n,l,q,?] ";
    let shown = terminal.expect(QUESTION);
    assert!(shown.contains("sh test.sh") && shown.contains("+a\\u{202e}"), "{shown}");
    // What the command would run changes while the question about it is open.
    let evil = Answer::new().write(&world.at("test.sh"), "touch evil\n");
    agent(&world).call("execute", &json!({ "root": world.root(), "text": evil.text() }));
    terminal.send("y\n");
    let shown = terminal.expect(QUESTION);
    assert!(shown.contains("it would now do something other than was shown"), "{shown}");
    assert!(shown.contains("changed test.sh"), "{shown}");
    assert!(!world.exists("evil") && !world.exists("a.txt"));
    terminal.send("n\n");
    let seen = terminal.close();
    let ran: crate::support::Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Approved once: 0. Declined: 1.\n"), "{seen}");
    let done = result(call);
    assert_eq!(kinds(&done), ["command_not_allowed", "none"]);
    assert!(world.exists("a.txt") && !world.exists("evil"));
}

#[test]
fn regression_an_agent_s_root_is_a_whole_project_and_nothing_of_git_or_clada() {
    let world = World::new();
    for folder in [".git/hooks", ".clada", "private", "nested/.git"] {
        std::fs::create_dir_all(world.project().join(folder)).unwrap();
    }
    let project = world.root();
    let top = agent(&world);
    let write = |name: &str| Answer::new().write(name, "x\n").text().to_owned();
    let mut agent = top;
    for inner in [".git", ".git/hooks", ".clada", "private", "nested/.git"] {
        let root = format!("{project}/{inner}");
        let error = agent.fail("execute", &json!({ "root": root, "text": write("made") }));
        assert_eq!(error["data"]["kind"], "path_escape", "{inner}: {error:#}");
        assert!(!world.project().join(inner).join("made").exists(), "{inner}");
        assert_eq!(kind(&named(&world, &root).unwrap_err()), "path_escape", "{inner}");
    }
    for whole in [project.to_owned(), format!("{project}/nested")] {
        let done = agent.call("execute", &json!({ "root": whole, "text": write("made") }));
        assert_eq!(done["success"], true, "{whole}: {done:#}");
    }
}

/// What `hello` says to an agent that names this root.
fn named(world: &World, root: &str) -> Result<Value, Value> {
    world.connect().try_call("hello", &json!({ "caller": "agent", "roots": [root] }))
}

/// An agent that was narrowed by nobody chooses its roots: none until it names some, and no folders of
/// programs, settings and keys.
#[test]
fn regression_an_agent_without_roots_has_none_and_names_only_projects() {
    let mut world = World::new();
    let tools = world.path("home/tools");
    world.set("PATH", format!("/usr/bin:/bin:{}/bin", tools.display()));
    for folder in [
        "home/.local/bin",
        "home/.config/autostart",
        "home/.config/nvim/.git",
        "home/.ssh",
        "home/.oh/plugin",
        "home/bin",
        "home/tools/bin",
        "home/work/src",
        "home/code/.config",
        "config/systemd/user",
        "state/clada",
    ] {
        std::fs::create_dir_all(world.path(folder)).unwrap();
    }
    let answer = Answer::new().write("made", "x\n");
    let at = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let mut free = world.connect();
    free.call("hello", &json!({ "caller": "agent" }));
    for root in [world.root(), at("home/.local/bin"), at("home/work"), "/".to_owned()] {
        for (method, params) in [
            ("execute", json!({ "root": root, "text": answer.text() })),
            ("plan", json!({ "root": root, "text": answer.text() })),
            ("embed", json!({ "root": root, "paths": ["."] })),
            ("project.changes", json!({ "root": root })),
            ("session.open", json!({ "root": root })),
        ] {
            let error = free.fail(method, &params);
            assert_eq!(kind(&error), "path_escape", "{method} {root}");
            assert!(error["data"]["hint"].as_str().unwrap().contains("roots"), "{error}");
        }
    }
    for root in [
        "home/.local",
        "home/.local/bin",
        "home/.config",
        "home/.config/autostart",
        "home/.ssh",
        "home/.oh",
        "home/.oh/plugin",
        "home/.not-there",
        "home/.ssh/not-there",
        "home/bin",
        "home/tools",
        "home/tools/bin",
        "config",
        "config/systemd",
        "config/systemd/user",
        "config/clada",
        "state",
        "state/clada",
        "run",
    ] {
        let error = named(&world, &at(root)).unwrap_err();
        assert_eq!(kind(&error), "path_escape", "{root}: {error}");
    }
    for root in ["/etc", "/usr", "/usr/bin", "/var", "/proc/self", "/home", "/opt", "/root"] {
        if std::path::Path::new(root).is_dir() {
            assert_eq!(kind(&named(&world, root).unwrap_err()), "path_escape", "{root}");
        }
    }
    // Ordinary folders, and whole projects wherever they are; a folder of one of these is none.
    for root in ["home/work", "home/code", "home/code/.config", "home/.config/nvim", "outside", "project"] {
        assert!(named(&world, &at(root)).is_ok(), "{root}");
    }
    std::fs::create_dir_all(world.path("home/.config/nvim/lua")).unwrap();
    assert_eq!(kind(&named(&world, &at("home/.config/nvim/lua")).unwrap_err()), "path_escape");
    // Roots are named once, and then only narrowed.
    free.call("hello", &json!({ "roots": [at("home/work")] }));
    for outside in [
        world.root(),
        at("outside"),
        at("not-there"),
        at("home/.ssh"),
        at("home/work/../../project"),
        at("home"),
    ] {
        let error = free.fail("hello", &json!({ "roots": [outside] }));
        let told = error["message"].as_str().unwrap().replace(&outside, "ROOT");
        assert_eq!(told, "hello: the root 'ROOT' is outside of those so far");
    }
    free.call("execute", &json!({ "root": at("home/work"), "text": answer.text() }));
    assert!(world.path("home/work/made").exists());
}

/// Where the user's own configuration allows more roots, clada's own folders are not among what is changed.
#[test]
fn regression_no_answer_changes_what_clada_keeps_for_its_user() {
    let world = World::new();
    let allowed =
        format!("allowed_roots: ['{}', '{}']\n", world.path("config").display(), world.path("").display());
    std::fs::write(world.path("config/clada/config.yaml"), &allowed).unwrap();
    let file = world.path("config/clada/config.yaml");
    for path in ["config/clada/config.yaml", "config/clada/new.yaml", "state/clada/x", "run/x"] {
        let path = world.path(path).to_str().unwrap().to_owned();
        let answer = Answer::new().write(&path, "exec: {approval: never}\n");
        let params = json!({ "root": world.root(), "text": answer.text() });
        assert_eq!(kinds(&agent(&world).call("execute", &params)), ["path_denied"], "{path}");
        let done = world.execute(&answer, json!({ "approve": "all" }));
        assert_eq!(kinds(&done), ["path_denied"], "{path}: {done:#}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), allowed);
    let moved = Answer::new()
        .action("file_move", &[("old_path", file.to_str().unwrap()), ("new_path", &world.at("config.yaml"))]);
    assert_eq!(kinds(&world.execute(&moved, json!({ "approve": "all" }))), ["path_denied"]);
}

#[test]
fn regression_an_agent_takes_up_no_operation_of_a_person_nor_of_other_roots() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/work")).unwrap();
    world.lay("b.txt", "b\n");
    let half = Answer::new().write("a.txt", "confidential\n").replace("b.txt", "none", "confidential too");
    let done = world.execute(&half, json!({}));
    let person = done["operationId"].as_str().unwrap().to_owned();
    let resume = |agent: &mut Connection, id: &str| {
        let params = json!({ "root": world.root(), "resume": id, "dryRun": true });
        agent.try_call("execute", &params)
    };
    let mut mine = agent(&world);
    for id in [person.as_str(), "last", "zzzz"] {
        let error = resume(&mut mine, id).unwrap_err();
        assert_eq!(kind(&error), "operation_not_found", "{id}: {error}");
        assert!(!error.to_string().contains("confidential"), "{error}");
    }
    let done =
        mine.call("execute", &json!({ "root": world.root(), "text": half.text().replace("a.txt", "c.txt") }));
    let own = done["operationId"].as_str().unwrap().to_owned();
    assert!(resume(&mut mine, &own).is_ok() && resume(&mut mine, "last").is_ok());
    let mut other = world.connect();
    let roots = [world.root(), world.path("home/work").to_str().unwrap().to_owned()];
    other.call("hello", &json!({ "caller": "agent", "roots": roots }));
    assert_eq!(kind(&resume(&mut other, &own).unwrap_err()), "operation_not_found");
    // A person takes up any.
    for id in [&own, &person] {
        assert!(resume(&mut world.connect(), id).is_ok(), "{id}");
    }
}

#[test]
fn regression_where_a_persons_commands_run_is_not_an_agents_to_say() {
    let world = World::new();
    std::fs::create_dir_all(world.path("project/sub")).unwrap();
    let (mut person, mut agent) = (world.connect(), agent(&world));
    let root = world.root();
    person.call("session.open", &json!({ "root": root, "session": "mine" }));
    let cwd = |more: Value| {
        let mut params = json!({ "root": root, "cwd": "sub" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    assert_eq!(kind(&agent.fail("session.set_cwd", &cwd(json!({})))), "invalid_params");
    assert_eq!(kind(&agent.fail("session.set_cwd", &cwd(json!({ "session": "default" })))), "invalid_params");
    assert_eq!(kind(&agent.fail("session.set_cwd", &cwd(json!({ "session": "mine" })))), "session_not_found");
    assert_eq!(
        kind(&agent.fail("session.close", &json!({ "root": root, "session": "mine" }))),
        "session_not_found"
    );
    agent.call("session.close", &json!({ "root": root, "session": "default" }));
    agent.call("context.add", &json!({ "root": root, "paths": ["sub"] }));
    let own = agent.call("session.open", &json!({ "root": root }))["session"].clone();
    agent.call("session.set_cwd", &cwd(json!({ "session": own })));
    let listed = person.call("session.list", &json!({ "root": root }));
    let folders: Vec<&Value> =
        listed["sessions"].as_array().unwrap().iter().map(|info| &info["cwd"]).collect();
    assert_eq!(folders, [&json!(root), &json!(root)], "{listed:#}");
    let listed = person.call("context.list", &json!({ "root": root }));
    assert_eq!(listed["context"].as_array().map_or(0, Vec::len), 0, "{listed:#}");
}

#[cfg(unix)]
#[test]
fn regression_an_agents_umask_only_takes_rights_away() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let mode = |name: &str| std::fs::metadata(world.path("project").join(name)).unwrap().permissions().mode();
    let mut agent = agent(&world);
    for (name, umask) in [("open.sh", 0), ("closed.sh", 0o077)] {
        let answer = Answer::new().write(name, "x\n");
        agent.call("execute", &json!({ "root": world.root(), "text": answer.text(), "umask": umask }));
    }
    assert_eq!(mode("open.sh") & 0o022, 0, "{:o}", mode("open.sh"));
    assert_eq!(mode("closed.sh") & 0o077, 0, "{:o}", mode("closed.sh"));
}

#[test]
fn regression_what_an_agent_stages_a_person_has_not_received() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut agent = agent(&world);
    let root = world.root();
    let staged = |who: &mut Connection, more: Value| {
        let mut params = json!({ "root": root });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        who.try_call("stage", &params)
    };
    for more in [json!({}), json!({ "for": "chat" })] {
        let told = staged(&mut agent, more.clone()).unwrap();
        assert_eq!(told["files"], 1, "{told:#}");
        let own = staged(&mut agent, more.clone()).unwrap();
        assert_eq!(own["files"], 0, "{own:#}");
        let mut person = world.connect();
        let told = staged(&mut person, more.clone()).unwrap();
        assert_eq!(told["files"], 1, "{told:#}");
        let persons = told["stagingDir"].clone();
        let last = |who: &mut Connection| {
            let mut params = more.clone();
            params["last"] = json!(true);
            staged(who, params).unwrap()["stagingDir"].clone()
        };
        assert_eq!(last(&mut person), persons);
        assert_ne!(last(&mut agent), persons);
    }
}
