//! The journal of operations, with real processes: a daemon's knowledge of those that another one carried
//! out.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World};

fn listed(world: &World) -> Vec<Value> {
    let ran = world.run(&["--json", "history"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    let listed: Value = serde_json::from_str(&ran.stdout).unwrap();
    listed["operations"].as_array().unwrap().clone()
}

/// Returns the folder where the daemon keeps its journals, once it runs.
fn records(world: &World) -> std::path::PathBuf {
    world.status();
    let mut machines = std::fs::read_dir(world.path("state/clada")).unwrap().map(Result::unwrap);
    machines.next().unwrap().path().join("projects")
}

#[test]
fn an_answer_that_stands_is_skipped_also_by_the_next_daemon() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("a"), "1\n")
        .action("file_append", &[("path", &world.at("a")), ("content", "2\n")])
        .read(&world.at("a"));
    assert_eq!(world.apply(&answer).code, 0);
    world.stop().unwrap();
    let again = world.apply(&answer);
    assert_eq!(again.code, 0, "{again:?}");
    expect![[r#"
        [task-1] SKIP: file_write - Already applied at TIME, and still in place (operation ID) (ANSWER_ALREADY_APPLIED)
          leave it out; to apply it again, undo that operation or add --again
        [task-2] SKIP: file_append - Already applied at TIME, and still in place (operation ID) (ANSWER_ALREADY_APPLIED)
          leave it out; to apply it again, undo that operation or add --again
        [task-3] SUCCESS: file_read - read a

        3 actions: 1 succeeded, 2 not attempted. Operation ID.
    "#]].assert_eq(&world.shown(&again.stdout));
    let result = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&result), ["answer_already_applied", "answer_already_applied", "none"]);
    assert_eq!(result["results"][0]["status"], "SKIP");
    let first = listed(&world);
    assert_eq!(first.len(), 1);
    assert_eq!(result["results"][0]["data"]["operationId"], first[0]["operationId"]);
    assert_eq!(world.read("a"), "1\n2\n");
    let result = world.apply_json(&["--again"], answer.text());
    assert_eq!(kinds(&result), ["none", "none", "none"]);
    assert_eq!(listed(&world).len(), 2);
    // The second one left everything as it was.
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert!(!world.exists("a"));
    assert_eq!(kinds(&world.apply_json(&[], answer.text())), ["none", "none", "none"]);
}

#[test]
fn an_operation_is_resumed_by_the_next_daemon() {
    let world = World::new();
    world.lay("b", "0\n");
    let answer = Answer::new().write(&world.at("a"), "1\n").replace(&world.at("b"), "one", "two");
    let failed = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&failed), ["none", "no_match"]);
    world.stop().unwrap();
    world.lay("b", "one\n");
    let resumed = world.apply_json(&["--resume"], "");
    assert_eq!(kinds(&resumed), ["none"]);
    assert_eq!(resumed["results"][0]["task"], "2");
    assert_eq!(world.read("b"), "two\n");
    world.stop().unwrap();
    let id = failed["operationId"].as_str().unwrap();
    world.lay("b", "one\n");
    assert_eq!(kinds(&world.apply_json(&["--resume", id], "")), ["none"]);
}

#[test]
fn without_a_place_for_the_record_nothing_is_changed_unless_a_person_says_so() {
    let world = World::new();
    world.lay("a", "0\n");
    world.lay(".clada/state", "no folder\n");
    let answer = Answer::new().replace(&world.at("a"), "0", "1").read(&world.at("a"));
    std::fs::write(records(&world), "no folder\n").unwrap();
    let refused = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&refused), ["io", "none"]);
    let error = refused["results"][0]["error"].as_str().unwrap();
    expect!["file_replace_text: Nothing was changed: the record that undo needs cannot be written: cannot use /TOP/state/clada/ID/projects/ID: Not a directory (os error 20) (EIO)"].assert_eq(&world.shown(error));
    expect!["check that the path is a folder and writable, then try again; --no-undo changes files without a record"]
        .assert_eq(&world.shown(refused["results"][0]["hint"].as_str().unwrap()));
    assert_eq!(world.read("a"), "0\n");
    let done = world.apply_json(&["--no-undo"], answer.text());
    assert_eq!(kinds(&done), ["none", "none"]);
    assert_eq!(world.read("a"), "1\n");
}

#[test]
fn what_changes_nothing_leaves_no_record() {
    let world = World::new();
    world.lay("a", "0\n");
    let same = Answer::new().write(&world.at("a"), "0\n").read(&world.at("a"));
    assert_eq!(world.apply(&same).code, 0);
    let dry = Answer::new().write(&world.at("a"), "1\n");
    assert_eq!(world.run(&["apply", "--dry-run"], dry.text()).code, 0);
    let missing = Answer::new().replace(&world.at("gone"), "0", "1");
    assert_eq!(world.apply(&missing).code, 1);
    assert_eq!(listed(&world), Vec::<Value>::new());
    assert!(!records(&world).exists());
    assert_eq!(world.apply(&dry).code, 0);
    assert!(records(&world).exists());
}

#[test]
fn two_processes_keep_one_record() {
    let world = World::new();
    let daemon = Answer::new().write(&world.at("a"), "daemon\n");
    assert_eq!(world.execute(&daemon, json!({}))["success"], true);
    // A `serve --stdio` that reaches no daemon answers by itself.
    let mut other = world.program(env!("CARGO_BIN_EXE_it-daemon"));
    other.args(["serve", "--stdio"]).env("CLADA_SOCKET", world.path("none/s"));
    let text = Answer::new().write(&world.at("b"), "other\n");
    let params = json!({ "root": world.root(), "text": text.text() });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "execute", "params": params });
    let reply = crate::support::feed(&mut other, format!("{request}\n").as_bytes());
    let reply: Value = serde_json::from_str(reply.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(reply["result"]["success"], true, "{reply:#}");
    let listed = listed(&world);
    assert_eq!(listed.len(), 2, "{listed:#?}");
    assert_eq!(listed[0]["operationId"], reply["result"]["operationId"]);
    assert_eq!(kinds(&world.execute(&text, json!({}))), ["answer_already_applied"]);
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert!(world.exists("a") && !world.exists("b"));
}

#[test]
fn regression_a_record_that_was_emptied_is_set_aside_and_told() {
    for stopped in [true, false] {
        let world = World::new();
        assert_eq!(world.apply(&Answer::new().write(&world.at("a"), "1\n")).code, 0);
        let folder = std::fs::read_dir(records(&world)).unwrap().next().unwrap().unwrap().path();
        if stopped {
            world.stop().unwrap();
        }
        std::fs::write(folder.join("operations.db"), "").unwrap();
        // The first process to see it reports it, which may be the daemon by itself, between the two.
        let listed_first = world.run(&["history"], "");
        let applied = world.apply(&Answer::new().write(&world.at("b"), "1\n"));
        assert_eq!(applied.code, 0);
        let told = [&listed_first, &applied].map(|ran| ran.stdout.clone() + &ran.stderr).concat();
        assert!(told.contains("was damaged and is now"), "{stopped}: {told}");
        assert_eq!(listed(&world).len(), 1);
    }
}

#[test]
fn regression_a_record_that_was_removed_is_told() {
    for stopped in [true, false] {
        let world = World::new();
        assert_eq!(world.apply(&Answer::new().write(&world.at("a"), "1\n")).code, 0);
        let folder = std::fs::read_dir(records(&world)).unwrap().next().unwrap().unwrap().path();
        if stopped {
            world.stop().unwrap();
        }
        for round in 0..2 {
            std::fs::remove_file(folder.join("operations.db")).unwrap();
            let told = world.run(&["history"], "");
            let text = told.stdout.clone() + &told.stderr;
            assert!(text.contains("was removed or replaced"), "{stopped} {round}: {told:?}");
            let told = world.run(&["history"], "");
            assert!(!(told.stdout.clone() + &told.stderr).contains("removed"), "{told:?}");
        }
        assert_eq!(world.apply(&Answer::new().write(&world.at("b"), "1\n")).code, 0);
        assert_eq!(listed(&world).len(), 1);
        if !stopped {
            std::fs::remove_dir_all(&folder).unwrap();
            let told = world.run(&["history"], "");
            assert!((told.stdout.clone() + &told.stderr).contains("was removed or replaced"), "{told:?}");
        }
    }
}
