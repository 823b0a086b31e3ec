//! Plans that are accepted in part: what was declined of them stays out, however the rest is taken up again.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World};

/// Forty lines, without those that `changed` replaces.
fn lines(changed: &[(usize, &str)]) -> String {
    let line = |number| match changed.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => (*text).to_owned(),
        None => format!("line {number}\n"),
    };
    (1..=40).map(line).collect()
}

/// The ids of one of two parts of `.husky/x`: of a hunk, and of the group that shows it.
fn ids(planned: &Value, hunk: usize) -> [Value; 2] {
    let file = planned["files"].as_array().unwrap().iter().find(|file| file["path"] == ".husky/x").unwrap();
    [planned["actions"][0]["hunks"][hunk]["id"].clone(), file["hunks"][hunk]["group"].clone()]
}

#[test]
fn regression_a_declined_hunk_stays_out_of_what_is_resumed_after_an_approval() {
    for (by_group, lost) in [(false, false), (false, true), (true, false), (true, true)] {
        let world = World::new();
        world.lay(".husky/x", lines(&[]));
        let answer = Answer::new()
            .write(&world.at(".husky/x"), &lines(&[(2, "two\n"), (39, "thirty-nine\n")]))
            .write(&world.at("a.txt"), "a\n");
        let mut daemon = world.connect();
        let planned = daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }));
        let accept = [ids(&planned, 1)[usize::from(by_group)].clone(), json!("a2")];
        let accept = json!({ "root": world.root(), "planId": planned["planId"], "accept": accept });
        let first = daemon.call("execute", &accept);
        assert_eq!(kinds(&first), ["approval_required", "none"], "{first:#}");
        let id = first["approvals"][0]["id"].clone();
        if lost {
            world.stop().unwrap();
            daemon = world.connect();
        }
        // Without the approval it waits once more, and so does the resumption of that.
        let resume =
            |approve: &[&Value]| json!({ "root": world.root(), "resume": "last", "approve": approve });
        let again = daemon.call("execute", &resume(&[]));
        assert_eq!((kinds(&again), &again["approvals"][0]["id"]), (vec!["approval_required".into()], &id));
        let done = daemon.call("execute", &resume(&[&id]));
        let told = format!("by group: {by_group}, lost: {lost} {done:#}");
        assert_eq!(kinds(&done), ["none"], "{told}");
        let part = lines(&[(39, "thirty-nine\n")]);
        assert_eq!(world.read(".husky/x"), part, "{told}");
        let over = daemon.call("execute", &resume(&[&id]));
        assert_eq!((kinds(&over).len(), world.read(".husky/x")), (0, part.clone()), "{over:#}");
        // Nor does it come with what is undone and made again.
        assert_eq!((world.run(&["undo"], "").code, world.read(".husky/x")), (0, lines(&[])));
        assert_eq!((world.run(&["redo"], "").code, world.read(".husky/x")), (0, part.clone()), "{told}");
        // The answer itself has it still: what was declined counts as not applied.
        let same = world.apply_json(&["--approve-all"], answer.text());
        assert_eq!(kinds(&same), ["none", "answer_already_applied"], "{same:#}");
        assert_eq!(world.read(".husky/x"), lines(&[(2, "two\n"), (39, "thirty-nine\n")]));
    }
}

#[test]
fn regression_a_declined_hunk_stays_out_of_what_is_resumed_after_a_conflict() {
    let world = World::new();
    let answer = |world: &World| {
        let fields = [("path", &*world.at(".husky/x")), ("old_text", "line 2"), ("new_text", "LINE 2")];
        Answer::new().action("file_replace_all_text", &fields)
    };
    let mut daemon = world.connect();
    // The text when it is resumed, what comes of it then, and how.
    for (now, then, kind) in [
        (lines(&[(10, "ten\nand more\n")]), lines(&[(2, "LINE 2\n"), (10, "ten\nand more\n")]), "none"),
        (lines(&[]), lines(&[(2, "LINE 2\n")]), "none"),
        (lines(&[(2, "line 2 of another\n")]), lines(&[(2, "line 2 of another\n")]), "conflict"),
        (lines(&[(22, "gone\n")]), lines(&[(22, "gone\n")]), "conflict"),
    ] {
        for by_group in [0, 1] {
            world.lay(".husky/x", lines(&[]));
            let plan = json!({ "root": world.root(), "text": answer(&world).text() });
            let planned = daemon.call("plan", &plan);
            let accept = json!({ "root": world.root(), "planId": planned["planId"],
                "accept": [ids(&planned, 0)[by_group]], "approve": "all" });
            world.lay(".husky/x", lines(&[(10, "ten\nand more\n")]));
            let first = daemon.call("execute", &accept);
            assert_eq!(kinds(&first), ["conflict"], "{first:#}");
            world.lay(".husky/x", &now);
            let resume = json!({ "root": world.root(), "resume": "last", "approve": "all" });
            let dry = json!({ "root": world.root(), "resume": "last", "approve": "all", "dryRun": true });
            let shown = daemon.call("execute", &dry);
            assert_eq!(kinds(&shown), [kind], "{shown:#}");
            assert!(!shown["dryRun"]["diff"].as_str().unwrap().contains("+LINE 20"), "{shown:#}");
            let done = daemon.call("execute", &resume);
            assert_eq!(
                (kinds(&done), world.read(".husky/x")),
                (vec![kind.to_owned()], then.clone()),
                "{done:#}"
            );
        }
    }
}

#[test]
fn regression_what_an_operation_before_has_done_is_not_resumed() {
    let world = World::new();
    world.lay("f", "one\n");
    world.lay("g", "other\n");
    let answer = Answer::new()
        .action("file_append", &[("path", &world.at("f")), ("content", "two\n")])
        .replace(&world.at("g"), "none", "x");
    world.apply_json(&[], answer.text());
    let again = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&again), ["answer_already_applied", "no_match"], "{again:#}");
    world.lay("g", "none\n");
    let resumed = world.apply_json(&["--resume"], "");
    assert_eq!(kinds(&resumed), ["none"], "{resumed:#}");
    assert_eq!((world.read("f"), world.read("g")), ("one\ntwo\n".to_owned(), "x\n".to_owned()));
}

#[test]
fn regression_what_could_not_be_offered_is_resumed() {
    let world = World::new();
    world.lay("f", "one\n");
    let answer = Answer::new()
        .replace(&world.at("f"), "none", "x")
        .write(&world.at("a"), "a\n")
        .write(&world.at("b"), "b\n");
    let mut daemon = world.connect();
    let planned = daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }));
    let accept = json!({ "root": world.root(), "planId": planned["planId"], "accept": ["a2"] });
    let done = daemon.call("execute", &accept);
    assert_eq!((world.exists("a"), world.exists("b")), (true, false), "{done:#}");
    world.lay("f", "none\n");
    let resumed = daemon.call("execute", &json!({ "root": world.root(), "resume": "last" }));
    assert_eq!((kinds(&resumed), world.read("f")), (vec!["none".into()], "x\n".to_owned()), "{resumed:#}");
    assert!(!world.exists("b"), "what was declined stays out");
}

#[test]
fn regression_what_was_done_whole_once_and_later_in_part_does_not_stand() {
    let world = World::new();
    world.lay("f", lines(&[]));
    let answer = Answer::new().write(&world.at("f"), &lines(&[(2, "two\n"), (39, "thirty-nine\n")]));
    world.apply_json(&[], answer.text());
    // Somebody takes it back without clada.
    world.lay("f", lines(&[]));
    let mut daemon = world.connect();
    let planned = daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }));
    let accept = json!([planned["actions"][0]["hunks"][0]["id"]]);
    let part = daemon
        .call("execute", &json!({ "root": world.root(), "planId": planned["planId"], "accept": accept }));
    assert_eq!(part["results"][0]["hunks"], json!({ "done": 1, "of": 2 }), "{part:#}");
    let reported = daemon.call("history.show", &json!({ "root": world.root(), "operation": "last" }));
    assert_eq!(reported["actions"][0]["hunks"]["of"], 2, "{reported:#}");
    let again = world.apply(&answer);
    assert!(again.stdout.contains("SUCCESS"), "{again:?}");
    assert_eq!(world.read("f"), lines(&[(2, "two\n"), (39, "thirty-nine\n")]));
    let still = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&still), ["answer_already_applied"], "{still:#}");
}

#[test]
fn what_was_changed_since_an_answer_was_carried_out_is_told() {
    let world = World::new();
    world.lay("f", "one\n");
    let answer = Answer::new().action("file_append", &[("path", &world.at("f")), ("content", "two\n")]);
    world.apply_json(&[], answer.text());
    world.lay("f", "other\ntwo\n");
    let again = world.apply_json(&[], answer.text());
    assert!(again["warnings"].to_string().contains("1 action of this answer was done before"), "{again:#}");
}

#[test]
fn regression_what_was_declined_is_no_conflict_when_its_file_has_changed() {
    let world = World::new();
    world.lay("a.txt", lines(&[]));
    world.lay("b.txt", lines(&[]));
    let answer = Answer::new()
        .write(&world.at("a.txt"), &lines(&[(2, "two\n")]))
        .write(&world.at("b.txt"), &lines(&[(2, "two\n")]));
    let mut daemon = world.connect();
    let planned = daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }));
    world.lay("b.txt", "else\n");
    let group = planned["files"][0]["hunks"][0]["group"].clone();
    let accept = json!({ "root": world.root(), "planId": planned["planId"], "accept": [group] });
    let done = daemon.call("execute", &accept);
    assert_eq!(kinds(&done), ["none", "skipped"], "{done:#}");
    assert_eq!((world.read("a.txt"), world.read("b.txt")), (lines(&[(2, "two\n")]), "else\n".to_owned()));
}

#[test]
fn regression_a_file_is_called_changed_only_if_it_has_changed() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("new"), "one\n")
        .action("file_append", &[("path", &world.at("new")), ("content", "two\n")])
        .replace(&world.at("f"), "one", "two");
    let mut daemon = world.connect();
    for (others, expected) in [(None, json!([])), (Some("other\n"), json!([world.at("f")]))] {
        world.lay("f", "one\n");
        let planned = daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }));
        others.iter().for_each(|other| world.lay("f", other));
        let accept = json!({ "root": world.root(), "planId": planned["planId"], "accept": ["a2", "a3"] });
        let done = daemon.call("execute", &accept);
        // The second depends on the first, which was not accepted.
        assert_eq!(kinds(&done)[1], "conflict", "{done:#}");
        assert_eq!(done.get("externalChanges").unwrap_or(&json!([])), &expected, "{done:#}");
    }
}
