//! Answers in dialects other than SHAM, answers that are all or nothing, and operations that are taken up
//! again.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

const TASKS: &str = "\
Here it is:
<---TASKS version=\"1\"--->
<---WRITE file=\"new/a.txt\"--->
a
<---END--->
<---SEARCH file=\"b.txt\"--->
two
<---REPLACE--->
2
<---END--->
<---END--->
<---WRITE file=\"c.txt\" append=\"true\"--->
c
<---END--->
";

fn execute(world: &World, daemon: &mut Connection, more: &Value) -> Value {
    let mut params = json!({ "root": world.root() });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    daemon.call("execute", &params)
}

fn tasks(result: &Value) -> Vec<&str> {
    result["results"].as_array().unwrap().iter().map(|result| result["task"].as_str().unwrap()).collect()
}

#[test]
fn csl_is_carried_out_and_its_tasks_as_a_whole() {
    let world = World::new();
    world.lay("b.txt", "three\n");
    let ran = world.run(&["apply"], TASKS);
    assert_eq!(ran.code, 1);
    expect![[r#"
        [task-1.1] SKIP: file_write - Not done: it fits, but task 1.2 of its block cannot be done (SKIPPED)
        [task-1.2] ERROR: file_replace_all_text - old_text not found in 'b.txt' (NO_MATCH)
          Nothing in the file is similar to old_text; it has 1 line.
          In the file:
            1: three
        [task-2] SUCCESS: file_append - appended 2 bytes to c.txt

         c.txt | +1 -0 (new)

        3 actions: 1 succeeded, 1 failed, 1 not attempted. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert!(!world.exists("new") && world.exists("c.txt"));
    world.lay("b.txt", "one two\n");
    let ran = world.run(&["apply"], TASKS);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((world.read("new/a.txt"), world.read("b.txt")), ("a\n".into(), "one 2\n".into()));
}

#[test]
fn replacer_is_carried_out_with_relative_paths_and_no_warnings() {
    let world = World::new();
    world.lay("src/a.txt", "one\ntwo\n");
    let answer = "<<<EXPLANATION>>>\nwhy\n<<<FILE>>>\nproject/src/a.txt\n<<<SEARCH>>>\none\n<<<REPLACE>>>\n<<<END>>>\n\
        <<<FILE>>>\nnew.txt\n<<<OVERWRITE>>>\n#!SHAM [@three-char-SHA-256: k7m]\n<<<END>>>\n";
    let result = world.apply_json(&[], answer);
    assert_eq!((&result["success"], &result["warnings"]), (&json!(true), &json!([])), "{result:#}");
    assert_eq!(world.read("src/a.txt"), "two\n");
    assert_eq!(world.read("new.txt"), "#!SHAM [@three-char-SHA-256: k7m]\n");
}

#[test]
fn delimiters_of_csl_are_a_project_s_to_choose() {
    let world = World::new();
    world.lay(".clada/config.yaml", "csl: {start: \"{{{\", end: \"}}}\"}\n");
    let result = world.apply_json(&[], "{{{WRITE file='a'}}}\n<---END--->\n{{{END}}}\n");
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(world.read("a"), "<---END--->\n");
}

#[test]
fn an_answer_that_is_all_or_nothing_changes_nothing_if_one_of_it_fails() {
    let world = World::new();
    world.lay("b.txt", "three\n");
    let mut daemon = world.connect();
    let result = execute(&world, &mut daemon, &json!({ "text": TASKS, "atomic": true }));
    assert_eq!(kinds(&result), ["skipped", "no_match", "skipped"], "{result:#}");
    assert!(!world.exists("c.txt") && !world.exists("new"));
    let plan = daemon.call("plan", &json!({ "root": world.root(), "text": TASKS }));
    let part = json!({ "root": world.root(), "planId": plan["planId"], "accept": ["a1", "a3"] });
    let refused = daemon.fail("execute", &part);
    expect!["accept: a1, a2 are one block that is all or nothing; accept all of them, or none"]
        .assert_eq(&world.shown(refused["message"].as_str().unwrap()));
}

#[test]
fn an_operation_is_resumed_until_nothing_is_left() {
    let world = World::new();
    world.lay("b.txt", "three\n");
    let mut daemon = world.connect();
    let nothing = json!({ "root": world.root(), "resume": "last" });
    assert_eq!(daemon.fail("execute", &nothing)["data"]["kind"], "operation_not_found");
    let first = execute(&world, &mut daemon, &json!({ "text": TASKS }));
    assert_eq!(kinds(&first), ["skipped", "no_match", "none"], "{first:#}");
    let again = execute(&world, &mut daemon, &json!({ "resume": first["operationId"] }));
    assert_eq!(
        (tasks(&again), kinds(&again)),
        (vec!["1.1", "1.2"], vec!["skipped".to_owned(), "no_match".to_owned()]),
        "{again:#}"
    );
    assert_ne!(again["operationId"], first["operationId"]);
    world.lay("b.txt", "two\n");
    let dry = execute(&world, &mut daemon, &json!({ "resume": "last", "dryRun": true }));
    assert!(dry["success"] == true, "{dry:#}");
    expect![[r#"
        diff --git a/new/a.txt b/new/a.txt
        new file mode 100644
        --- /dev/null
        +++ b/new/a.txt
        @@ -0,0 +1 @@
        +a
        diff --git a/b.txt b/b.txt
        --- a/b.txt
        +++ b/b.txt
        @@ -1 +1 @@
        -two
        +2
    "#]]
    .assert_eq(&world.shown(dry["dryRun"]["diff"].as_str().unwrap()));
    let done = execute(&world, &mut daemon, &json!({ "resume": again["operationId"] }));
    assert_eq!((tasks(&done), &done["success"]), (vec!["1.1", "1.2"], &json!(true)), "{done:#}");
    assert_eq!((world.read("b.txt"), world.read("c.txt")), ("2\n".into(), "c\n".into()));
    let over = execute(&world, &mut daemon, &json!({ "resume": "last" }));
    assert_eq!((&over["success"], &over["results"]), (&json!(true), &json!([])), "{over:#}");
    expect!["There is nothing to resume: everything in that operation that could be done is done"]
        .assert_eq(&world.shown(over["warnings"][0]["message"].as_str().unwrap()));
}

#[test]
fn what_waited_for_approval_in_a_plan_is_resumed_and_what_was_declined_is_not() {
    let world = World::new();
    let mut daemon = world.connect();
    let text = "<---WRITE file='a'--->\n<---END--->\n<---WRITE file='.envrc'--->\n<---END--->\n\
        <---WRITE file='no'--->\n<---END--->\n";
    let plan = daemon.call("plan", &json!({ "root": world.root(), "text": text }));
    let accepted = json!({ "planId": plan["planId"], "accept": ["a1", "a2"] });
    let first = execute(&world, &mut daemon, &accepted);
    assert_eq!(kinds(&first), ["none", "approval_required", "skipped"], "{first:#}");
    let id = first["approvals"][0]["id"].clone();
    let second = execute(&world, &mut daemon, &json!({ "resume": "last", "approve": [id] }));
    assert_eq!((tasks(&second), &second["success"]), (vec!["2"], &json!(true)), "{second:#}");
    assert!(world.exists(".envrc") && !world.exists("no"));
}

#[test]
fn what_did_not_match_is_resumed_with_another_match() {
    let world = World::new();
    world.lay("a.txt", "  one\n  two\n");
    let answer =
        Answer::new().write(&world.at("b.txt"), "b\n").replace(&world.at("a.txt"), "one\ntwo", "three");
    let first = world.apply(&answer);
    assert_eq!(first.code, 1, "{first:?}");
    world.lay("b.txt", "somebody's\n");
    let ran = world.run(&["apply", "--resume", "--match", "tolerant"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("[task-2] SUCCESS"), "{ran:?}");
    assert_eq!((world.read("a.txt").as_str(), world.read("b.txt").as_str()), ("  three\n", "somebody's\n"));
}

#[test]
fn cml_is_carried_out_and_answered_in_its_own_words() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let cml = "Here:\n\n<tasks version=\"1.0\">\n<write path=\"b.txt\"><![CDATA[b\n]]></write>\n\
               <edit path=\"a.txt\"><search>none</search><replace>x</replace></edit>\n\
               <write path=\"c.txt\">c</write>\n</tasks>\n";
    let expected = "<result blocks=\"1\" tasks=\"3\" succeeded=\"1\" failed=\"1\" skipped=\"1\">\n";
    for format in ["xml", "auto"] {
        let ran = world.run(&["apply", "--again", "--format", format], cml);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.starts_with(expected), "{ran:?}");
        assert!(ran.stdout.contains("<error type=\"match_count_mismatch\">"), "{ran:?}");
        assert_eq!((world.read("b.txt").as_str(), world.exists("c.txt")), ("b\n", false));
    }
    let mixed = format!("{cml}\n{}", Answer::new().write(&world.at("d.txt"), "d").text());
    let ran = world.run(&["apply", "--format", "auto"], &mixed);
    assert!(ran.stdout.starts_with("[task-1] "), "{ran:?}");
    let nothing = world.run(&["apply", "--format", "xml"], "<p>no blocks</p>\n");
    assert_eq!(nothing.stdout, "<result blocks=\"0\" tasks=\"0\" succeeded=\"0\" failed=\"0\"/>\n");
}

#[test]
fn a_line_that_csl_replaces_by_nothing_goes_whole() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\nthree\n");
    world.lay("b.txt", "one two three\n");
    let answer = "<---SEARCH file='a.txt'--->\ntwo\n<---REPLACE--->\n<---END--->\n\
        <---SEARCH file='b.txt'--->\ntwo\n<---REPLACE--->\n<---END--->\n";
    let result = world.apply_json(&[], answer);
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(
        (world.read("a.txt").as_str(), world.read("b.txt").as_str()),
        ("one\nthree\n", "one  three\n")
    );
}
