//! Parts of an answer that were not accepted: resuming the operation asks about them, and never applies one unasked.

use std::process::Child;

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, Ran, Terminal, World, skipped};

const PATCH: &str = "```diff\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n one\n-two\n+TWO\n three\n four\n@@ -17,4 +17,4 @@\n \
    seventeen\n eighteen\n-nineteen\n+NINETEEN\n twenty\n```\n";
const NUMBERS: &str = "one\ntwo\nthree\nfour\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\nseventeen\neighteen\nnineteen\n\
    twenty\n";

/// Two writes and an append, which would show twice.
fn answer() -> Answer {
    Answer::new()
        .write("a", "a\n")
        .write("b", "b\n")
        .action("file_append", &[("path", "c"), ("content", "c\n")])
}

/// Applies what `accept` names of `text`.
fn accept(world: &World, daemon: &mut Connection, text: &str, accept: &[&str]) -> Value {
    let plan = daemon.call("plan", &json!({ "root": world.root(), "text": text }));
    daemon.call("execute", &json!({ "root": world.root(), "planId": plan["planId"], "accept": accept }))
}

fn resumed(world: &World, daemon: &mut Connection, of: &str) -> Value {
    daemon.call("plan", &json!({ "root": world.root(), "resume": of }))
}

/// `id task`, of each action that was left out, and of the others the id alone.
fn shown(plan: &Value) -> Vec<String> {
    let one = |action: &Value| match action["leftOut"] == true {
        true => format!("{} {}", action["id"].as_str().unwrap(), action["task"].as_str().unwrap()),
        false => action["id"].as_str().unwrap().to_owned(),
    };
    plan["actions"].as_array().unwrap().iter().map(one).collect()
}

/// `clada apply` at a terminal.
fn start(world: &World, args: &[&str], input: &str) -> Option<(Terminal, Child)> {
    world.status();
    let Some(terminal) = Terminal::open() else {
        skipped("a test at a terminal", "a program cannot be given one here");
        return None;
    };
    let child = terminal.start(&world.client(&[&["apply", "--no-git"], args].concat()), input.as_bytes());
    Some((terminal, child))
}

fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (child.wait_with_output().unwrap().into(), seen)
}

#[test]
fn resuming_at_a_terminal_asks_about_what_was_declined() {
    let world = World::new();
    world.lay("c", "");
    let Some((mut terminal, child)) = start(&world, &["-i"], answer().text()) else { return };
    for key in ["y\n", "n\n", "n\n"] {
        terminal.answer("Apply this? ", key);
    }
    assert_eq!(end(terminal, child).0.code, 0);
    for (keys, c, code) in [(["n\n", "n\n"], "", 1), (["n\n", "y\n"], "c\n", 1), (["y\n", ""], "c\n", 0)] {
        let (mut terminal, child) = start(&world, &["--resume"], "").unwrap();
        let seen = terminal.expect("accepted these changes before:");
        for key in keys.iter().filter(|key| !key.is_empty()) {
            terminal.answer("Apply this? ", key);
        }
        let (ran, more) = end(terminal, child);
        assert_eq!((ran.code, world.read("c").as_str()), (code, c), "{keys:?} {ran:?} {seen}{more}");
        assert!(!ran.stdout.contains("[task-1]"), "{ran:?}");
    }
    assert_eq!((world.read("a"), world.read("b")), ("a\n".to_owned(), "b\n".to_owned()));
    let ran = world.run(&["apply", "--resume"], "");
    assert!(ran.stdout.contains("There is nothing to resume"), "{ran:?}");
}

#[test]
fn a_choice_can_be_made_again_one_by_one() {
    let world = World::new();
    world.lay("f", NUMBERS);
    let Some((mut terminal, child)) = start(&world, &["-i"], PATCH) else { return };
    for (question, key) in
        [("Apply this? ", "s\n"), ("Apply this hunk? ", "y\n"), ("Apply this hunk? ", "n\n")]
    {
        terminal.answer(question, key);
    }
    assert_eq!(end(terminal, child).0.code, 0);
    let (mut terminal, child) = start(&world, &["-i", "--resume"], "").unwrap();
    let seen = terminal.answer("Apply this? ", "y\n");
    assert!(seen.contains("+NINETEEN") && !seen.contains("+TWO"), "{seen}");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(world.read("f"), NUMBERS.replace("two", "TWO").replace("nineteen", "NINETEEN"));
}

#[test]
fn nothing_that_was_left_out_is_applied_unasked() {
    let world = World::new();
    world.lay("c", "");
    let mut daemon = world.connect();
    let first = accept(&world, &mut daemon, answer().text(), &["a1"]);
    let id = first["operationId"].as_str().unwrap().to_owned();
    let ran = world.run(&["apply", "--resume", &id], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("task 2, task 3. `clada apply --resume` at a terminal asks"), "{ran:?}");
    for lost in [false, true] {
        if lost {
            world.stop().unwrap();
            daemon = world.connect();
        }
        let plan = resumed(&world, &mut daemon, &id);
        assert_eq!(shown(&plan), ["a2 2", "a3 3"], "lost: {lost} {plan:#}");
        // Without a choice nothing of it is accepted.
        let by_plan = json!({ "root": world.root(), "planId": plan["planId"] });
        let done = daemon.call("execute", &by_plan);
        assert_eq!(kinds(&done), ["skipped", "skipped"], "{done:#}");
        assert!(!world.exists("b") && world.read("c").is_empty());
        // Nor is it by the operation that came of it.
        let again = daemon.call("execute", &json!({ "root": world.root(), "resume": done["operationId"] }));
        assert_eq!((kinds(&again).len(), world.exists("b")), (0, false), "{again:#}");
    }
    let plan = resumed(&world, &mut daemon, &id);
    let some = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["a3"] });
    let done = daemon.call("execute", &some);
    assert_eq!(
        (kinds(&done), world.read("c").as_str()),
        (vec!["skipped".into(), "none".into()], "c\n"),
        "{done:#}"
    );
    let rest = resumed(&world, &mut daemon, done["operationId"].as_str().unwrap());
    assert_eq!(shown(&rest), ["a2 2"], "{rest:#}");
    for (params, why) in [
        (json!({ "resume": id, "text": "x" }), "`resume` goes without"),
        (json!({ "resume": id, "only": ["a1"] }), "`only` chooses parts of a plan"),
        (json!({ "resume": "nosuch" }), "There is no operation 'nosuch'"),
    ] {
        let params = json!({ "root": world.root(), "resume": params["resume"], "text": params["text"],
            "only": params["only"] });
        let error = daemon.try_call("plan", &params).unwrap_err();
        assert!(error["message"].as_str().unwrap().contains(why), "{error:#}");
    }
}

#[test]
fn what_a_later_operation_has_applied_is_not_offered_again() {
    let world = World::new();
    world.lay("c", "");
    let mut daemon = world.connect();
    let first = accept(&world, &mut daemon, answer().text(), &["a1"]);
    let later = accept(&world, &mut daemon, answer().text(), &["a3"]);
    assert_eq!(kinds(&later)[2], "none", "{later:#}");
    let plan = resumed(&world, &mut daemon, first["operationId"].as_str().unwrap());
    assert_eq!(plan["actions"][1]["unplannable"]["kind"], "answer_already_applied", "{plan:#}");
    let all = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["a2", "a3"] });
    let done = daemon.call("execute", &all);
    assert_eq!((kinds(&done)[0].as_str(), world.read("c").as_str()), ("none", "c\n"), "{done:#}");
    let again = daemon.call("execute", &json!({ "root": world.root(), "resume": done["operationId"] }));
    assert_eq!(world.read("c"), "c\n", "{again:#}");
}

#[test]
fn a_hunk_that_was_left_out_is_offered_without_the_others() {
    for lost in [false, true] {
        let world = World::new();
        world.lay("f", NUMBERS);
        let mut daemon = world.connect();
        accept(&world, &mut daemon, PATCH, &["a1.h2"]);
        if lost {
            world.stop().unwrap();
            daemon = world.connect();
        }
        let over = daemon.call("execute", &json!({ "root": world.root(), "resume": "last", "dryRun": true }));
        assert_eq!(kinds(&over).len(), 0, "{over:#}");
        let plan = resumed(&world, &mut daemon, "last");
        assert_eq!(shown(&plan), ["a1 1"], "{plan:#}");
        let hunks = plan["actions"][0]["hunks"].as_array().unwrap();
        assert_eq!(hunks.len(), 1, "{plan:#}");
        let accept = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["a1"] });
        let done = daemon.call("execute", &accept);
        assert_eq!(kinds(&done), ["none"], "{done:#}");
        assert_eq!(world.read("f"), NUMBERS.replace("two", "TWO").replace("nineteen", "NINETEEN"));
    }
}

#[test]
fn a_hunk_that_was_left_out_waits_for_the_rest_of_its_action() {
    let world = World::new();
    world.lay("f", NUMBERS);
    let mut daemon = world.connect();
    let plan = daemon.call("plan", &json!({ "root": world.root(), "text": PATCH }));
    world.lay("f", NUMBERS.replace("nineteen", "other"));
    let some = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["a1.h2"] });
    assert_eq!(kinds(&daemon.call("execute", &some)), ["conflict"]);
    world.lay("f", NUMBERS);
    let plan = resumed(&world, &mut daemon, "last");
    assert_eq!(shown(&plan), ["a1"], "{plan:#}");
    let done = daemon.call("execute", &json!({ "root": world.root(), "planId": plan["planId"] }));
    assert_eq!(
        (kinds(&done), world.read("f")),
        (vec!["none".into()], NUMBERS.replace("nineteen", "NINETEEN"))
    );
    assert_eq!(shown(&resumed(&world, &mut daemon, "last")), ["a1 1"]);
}

#[test]
fn a_block_that_is_all_or_nothing_is_offered_whole() {
    let world = World::new();
    world.lay("f", "one\n");
    let text = "*** Begin Patch\n*** Add File: x\n+x\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n";
    let mut daemon = world.connect();
    let both = format!("{text}\n{}", Answer::new().write("y", "y\n").text());
    accept(&world, &mut daemon, &both, &["a3"]);
    world.lay("f", "other\n");
    // The part that cannot be done keeps the other from being done, and neither is done unasked later.
    let plan = resumed(&world, &mut daemon, "last");
    assert_eq!(shown(&plan), ["a1 1.1", "a2 1.2"], "{plan:#}");
    let done = daemon.call("execute", &json!({ "root": world.root(), "planId": plan["planId"] }));
    world.lay("f", "one\n");
    let again = daemon.call("execute", &json!({ "root": world.root(), "resume": done["operationId"] }));
    assert_eq!((kinds(&again).len(), world.exists("x")), (0, false), "{done:#} {again:#}");
}

#[test]
fn a_command_that_was_declined_is_asked_about_again() {
    let world = World::new();
    let text = Answer::new().write("a", "a\n").action("run", &[("command", "sh -c 'echo x > ran'")]);
    let Some((mut terminal, child)) = start(&world, &["-i"], text.text()) else { return };
    terminal.answer("Apply this? ", "y\n");
    terminal.answer("Approve and apply this? ", "n\n");
    assert_eq!(end(terminal, child).0.code, 0);
    let ran = world.run(&["apply", "--resume", "--approve-all"], "");
    assert!(!world.exists("ran"), "{ran:?}");
    let (mut terminal, child) = start(&world, &["--resume"], "").unwrap();
    terminal.answer("Approve and apply this? ", "n\n");
    end(terminal, child);
    assert!(!world.exists("ran"));
    let (mut terminal, child) = start(&world, &["--resume"], "").unwrap();
    terminal.answer("Approve and apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.exists("ran")), (0, true), "{ran:?} {seen}");
    // One that was declined at the question of its approval needs that alone.
    let (mut terminal, child) = start(&world, &[], &text.text().replace("ran", "ran2")).unwrap();
    terminal.answer("Run it? ", "n\n");
    end(terminal, child);
    let (mut terminal, child) = start(&world, &["--resume"], "").unwrap();
    terminal.answer("Run it? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.exists("ran2")), (0, true), "{ran:?} {seen}");
}

#[test]
fn a_proposal_that_was_declined_is_asked_about_again() {
    let world = World::new();
    world.lay(".gitignore", "target/\n");
    let text = "The new file `q.py`:\n\n```python\nx = 1\n```\n\nAdd to `.gitignore`:\n\n```\n*.log\n```\n";
    let Some((mut terminal, child)) = start(&world, &[], text) else { return };
    terminal.answer("Apply 2 changes? ", "i\n");
    terminal.answer("Apply q.py? ", "n\n");
    terminal.answer("Apply .gitignore? ", "y\n");
    assert_eq!(end(terminal, child).0.code, 1);
    let before = world.read(".gitignore");
    assert!(before.contains("*.log") && !world.exists("q.py"), "{before}");
    let (mut terminal, child) = start(&world, &["--resume"], "").unwrap();
    let seen = terminal.answer("Apply it? ", "y\n");
    assert!(seen.contains("q.py") && !seen.contains(".gitignore"), "{seen}");
    let (ran, seen) = end(terminal, child);
    assert_eq!(
        (ran.code, world.read("q.py").as_str(), world.read(".gitignore")),
        (0, "x = 1\n", before),
        "{ran:?} {seen}"
    );
}
