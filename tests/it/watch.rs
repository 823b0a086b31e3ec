//! `changes` and `watch`: the real client and daemon, on a project that other programs change.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Answer, World};

fn clock(stderr: &str) -> String {
    let line = stderr.lines().find_map(|line| line.strip_prefix("clock: "));
    line.unwrap_or_else(|| panic!("no clock: {stderr}")).to_owned()
}

#[test]
fn changes_since_a_clock() {
    let world = World::new();
    world.lay("a.txt", "a");
    world.lay("src/b.txt", "b");
    world.lay("target/c.o", "c");
    world.lay(".gitignore", "target\n");
    let first = world.run(&["changes"], "");
    assert_eq!(first.code, 0, "{first:?}");
    let mut files: Vec<&str> = first.stdout.lines().collect();
    files.sort_unstable();
    assert_eq!(files, [".gitignore", "a.txt", "src/b.txt"]);
    let since = clock(&first.stderr);
    let none = world.run(&["changes", "--since", &since], "");
    assert_eq!((none.stdout.as_str(), clock(&none.stderr)), ("", since.clone()));

    world.lay("src/new/d.txt", "d");
    world.lay("target/e.o", "e");
    std::fs::remove_file(world.path("project/a.txt")).unwrap();
    let second = world.run(&["changes", "--since", &since], "");
    assert_eq!(second.stdout, "A src/new/d.txt\nD a.txt\n", "{second:?}");
    // A write of clada itself is a change like any other.
    world.apply(&Answer::new().replace(&world.at("src/b.txt"), "b", "B"));
    let third = world.run(&["changes", "--json", "--since", &clock(&second.stderr)], "");
    let third: Value = serde_json::from_str(&third.stdout).unwrap();
    assert_eq!(third["files"], json!([{ "path": "src/b.txt", "kind": "changed" }]), "{third:#}");

    let other = world.run(&["changes", "--since", "c:1:1:1"], "");
    assert!(other.stdout.lines().count() == 3, "{other:?}");
    expect![[r#"
        Changes since that clock are not known: all files are listed.
        clock: c:ID:1:3
    "#]]
    .assert_eq(&world.shown(&other.stderr));
    let wrong = world.run(&["changes", "--since", "yesterday"], "");
    assert!(wrong.code != 0, "{wrong:?}");
    expect![[r#"
        clada: since: not a clock: one looks like c:START:EPOCH:TICK and is in each result of `changes`
          leave it out to get every file and a clock
    "#]]
    .assert_eq(&world.shown(&wrong.stderr));
    let status = world.status();
    assert!(status["watches"].as_u64().unwrap() >= 1, "{status:#}");
}

#[test]
fn every_change_of_another_process_is_seen() {
    let world = World::new();
    world.lay("f", "");
    let mut connection = world.connect();
    let params = json!({ "root": world.root() });
    let mut clock = connection.call("project.changes", &params)["clock"].clone();
    for round in 0..300 {
        let kind = match round % 3 {
            0 => {
                world.lay("x", "x");
                "created"
            }
            1 => {
                world.lay("x", "y");
                "changed"
            }
            _ => {
                std::fs::remove_file(world.path("project/x")).unwrap();
                "deleted"
            }
        };
        let params = json!({ "root": world.root(), "since": clock });
        let changes = connection.call("project.changes", &params);
        let file = &changes["files"][0];
        let came_back = kind == "created" && file["kind"] == "changed";
        assert!(file["path"] == "x" && (file["kind"] == kind || came_back), "round {round}: {changes:#}");
        clock = changes["clock"].clone();
    }
}

#[test]
fn changes_are_printed_as_they_come() {
    let world = World::new();
    world.lay("a.txt", "a");
    let mut command = world.client(&["watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    // From here on, changes are reported.
    let begun = errors.by_ref().map_while(Result::ok).find(|line| line.starts_with("clock: "));
    assert!(begun.is_some(), "it ended before it began");
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next_with = |path: &str| loop {
        let event: Value = serde_json::from_str(&events.next().expect("it ended").unwrap()).unwrap();
        assert_eq!(event["kind"], "changed", "{event:#}");
        if event["files"].as_array().unwrap().iter().any(|file| file["path"] == path) {
            break;
        }
    };
    world.lay("a.txt", "changed");
    next_with("a.txt");
    world.lay("deep/er/b.txt", "b");
    next_with("deep/er/b.txt");
    let mut connection = world.connect();
    assert_eq!(connection.call("project.list", &json!({}))["projects"][0]["root"], world.root().as_str());
    assert_eq!(connection.call("project.unwatch", &json!({ "root": world.root() }))["watched"], true);
    // A file that is written may be reported more than once.
    let mut later = events.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    let last: Value = later.find(|event: &Value| event["kind"] != "changed").unwrap();
    assert_eq!(last["kind"], "ended", "{last:#}");
    let said: Vec<String> = errors.map_while(Result::ok).collect();
    assert!(said.concat().contains("not watched any more"), "{said:?}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn what_clada_changes_itself_is_told_of_once() {
    let world = World::new();
    world.lay("src/a.txt", "one two");
    world.lay("src/old.txt", "old");
    let root = json!({ "root": world.root() });
    let changed = json!({ "root": world.root(), "kinds": ["changed"] });
    let executed = json!({ "root": world.root(), "kinds": ["executed", "undone"] });
    let (mut all, mut files, mut operations) = (world.connect(), world.connect(), world.connect());
    all.call("subscribe", &root);
    files.call("subscribe", &changed);
    operations.call("subscribe", &executed);
    let answer = Answer::new()
        .replace(&world.at("src/a.txt"), "one", "ONE")
        .write(&world.at("new/b.txt"), "b\n")
        .action("file_delete", &[("path", &world.at("src/old.txt"))]);
    let result = world.apply_json(&[], answer.text());
    let id = result["operationId"].clone();
    let by_path = |event: &Value| -> Vec<(String, String, bool)> {
        let one = |file: &Value| {
            let text = |key: &str| file[key].as_str().unwrap_or_default().to_owned();
            (text("path"), text("kind"), file["own"] == true)
        };
        let mut files: Vec<_> = event["files"].as_array().unwrap().iter().map(one).collect();
        files.sort();
        files
    };
    let expected = |own: bool| {
        [("new/b.txt", "created"), ("src/a.txt", "changed"), ("src/old.txt", "deleted")]
            .map(|(path, kind)| (path.to_owned(), kind.to_owned(), own))
            .to_vec()
    };
    for connection in [&mut all, &mut operations] {
        let event = connection.next_event();
        assert_eq!((&event["kind"], &event["operationId"]), (&json!("executed"), &id), "{event:#}");
        assert_eq!(by_path(&event), expected(false));
    }
    // A subscriber without events of operations gets the files, once each.
    let mut told = Vec::new();
    while told.len() < 3 {
        let event = files.next_event();
        assert_eq!(event["kind"], "changed", "{event:#}");
        told.extend(by_path(&event));
    }
    told.sort();
    assert_eq!(told, expected(true));
    // A later change by another process is external, at the same path, too. In one step: a file that is
    // emptied and then written may be reported twice.
    std::fs::write(world.path("outside/a.txt"), "somebody else").unwrap();
    std::fs::rename(world.path("outside/a.txt"), world.project().join("src/a.txt")).unwrap();
    let event = all.next_event();
    assert_eq!(event["kind"], "changed", "{event:#}");
    assert_eq!(by_path(&event), [("src/a.txt".to_owned(), "changed".to_owned(), false)]);
    let undone = world.run(&["undo", "--force"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    for connection in [&mut all, &mut operations] {
        let event = connection.next_event();
        assert_eq!((&event["kind"], &event["undoes"]), (&json!("undone"), &id), "{event:#}");
        assert_eq!(by_path(&event).len(), 3, "{event:#}");
    }
    let answer = Answer::new().action("run", &[("command", "sh -c true")]);
    let params = json!({ "root": world.root(), "text": answer.text() });
    let waiting = world.connect().call("execute", &params);
    assert_eq!(waiting["approvals"][0]["kind"], "command", "{waiting:#}");
    let event = all.next_event();
    assert_eq!(event["kind"], "approvalAsked", "{event:#}");
    assert_eq!(event["approvals"][0]["kind"], "command", "{event:#}");
    let nothing = world.connect().fail("subscribe", &json!({ "root": world.root(), "kinds": [] }));
    assert_eq!(nothing["data"]["kind"], "invalid_params", "{nothing:#}");
}

/// A stopped daemon, while more changes happen than the system queues.
#[test]
fn nothing_is_missed_when_word_of_changes_is_lost() {
    let allowed = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let Some(allowed) = allowed.ok().and_then(|text| text.trim().parse::<usize>().ok()) else {
        return eprintln!("the system does not say how much it keeps: not run");
    };
    if allowed > 100_000 {
        return eprintln!("it keeps too much: not run");
    }
    for backend in ["inotify", "notify"] {
        let world = World::with_config(&format!("watch: {{backend: {backend}}}\n"));
        for number in 0..20 {
            world.lay(&format!("src/d{}/f{number}.txt", number % 5), "text");
        }
        let since = clock(&world.run(&["changes"], "").stderr);
        let pid = i32::try_from(world.status()["pid"].as_i64().unwrap()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        // Two events each, and none that equals the one before. Every source is the same one here.
        let (one, other) = (world.path("project/src/d4/f4.txt"), world.path("project/src/d4/moved"));
        for _ in 0..if backend == "inotify" || crate::support::all() { allowed } else { 0 } {
            std::fs::rename(&one, &other).unwrap();
            std::fs::rename(&other, &one).unwrap();
        }
        world.lay("src/new/deep/g.txt", "new");
        world.lay("src/d1/f1.txt", "changed");
        std::fs::remove_file(world.path("project/src/d2/f2.txt")).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        let changes = world.run(&["changes", "--since", &since], "");
        let mut said: Vec<&str> = changes.stdout.lines().collect();
        // A file written just before the first look may be listed once more.
        said.retain(|line| !line.starts_with("M ") || *line == "M src/d1/f1.txt");
        said.sort_unstable();
        assert_eq!(said, ["A src/new/deep/g.txt", "D src/d2/f2.txt", "M src/d1/f1.txt"], "{backend}");
        let warnings = world.status()["warnings"].to_string();
        let lost = backend == "inotify" || crate::support::all();
        assert_eq!(warnings.contains("dropped file events"), lost, "{backend}: {warnings}");
        // The library is a source of macOS alone.
        let other = warnings.contains("this system does not have `notify`; `inotify` is used");
        assert_eq!(other, backend == "notify", "{backend}: {warnings}");
    }
}

#[test]
fn subscriptions_end_when_asked_to() {
    let world = World::new();
    let mut connection = world.connect();
    let params = json!({ "root": world.root() });
    let name = connection.call("subscribe", &params)["subscription"].clone();
    let ended = json!({ "subscription": name });
    assert_eq!(world.connect().call("unsubscribe", &ended)["ended"], false, "it is another connection's");
    assert_eq!(connection.call("unsubscribe", &ended)["ended"], true);
    assert_eq!(connection.call("unsubscribe", &ended)["ended"], false);
    for _ in 0..64 {
        connection.call("subscribe", &params);
    }
    assert_eq!(connection.fail("subscribe", &params)["data"]["kind"], "limit_exceeded");
    let root = world.connect().fail("subscribe", &json!({ "root": world.path("home") }));
    assert_eq!(root["data"]["kind"], "approval_required", "{root:#}");
}
