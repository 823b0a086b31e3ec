//! Plans: exactly the planned changes are applied, whole or in part, or it is a conflict and none of them is
//! written.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

fn plan(world: &World, daemon: &mut Connection, answer: &Answer) -> Value {
    daemon.call("plan", &json!({ "root": world.root(), "text": answer.text() }))
}

fn execute(world: &World, daemon: &mut Connection, plan: &Value, more: &Value) -> Value {
    let mut params = json!({ "root": world.root(), "planId": plan["planId"] });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    daemon.call("execute", &params)
}

fn hunk_ids(plan: &Value, action: usize) -> Vec<&str> {
    plan["actions"][action]["hunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hunk| hunk["id"].as_str().unwrap())
        .collect()
}

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn a_plan_changes_nothing_and_then_exactly_that_is_done() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    world.lay("old.txt", "moved\n");
    let mut daemon = world.connect();
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .write(&world.at("new/b.txt"), "b\n")
        .action("file_move", &[("old_path", &world.at("old.txt")), ("new_path", &world.at("new/c.txt"))])
        .action("file_delete", &[("path", &world.at("a.txt"))])
        // The plan covers files that only exist after its own earlier actions.
        .read(&world.at("new/b.txt"))
        .replace(&world.at("new/b.txt"), "nothing like it", "x");
    let before = world.tree();
    let planned = plan(&world, &mut daemon, &answer);
    before.assert_at(&world.project());
    let actions = planned["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 6);
    let hash = |text: &str| json!(clada_hash(text));
    assert_eq!((&actions[0]["preHash"], &actions[0]["postHash"]), (&hash("one\n"), &hash("two\n")));
    assert_eq!((&actions[1]["preHash"], &actions[1]["postHash"]), (&Value::Null, &hash("b\n")));
    assert_eq!(
        (&actions[2]["path"], &actions[2]["newPath"]),
        (&json!(world.at("old.txt")), &json!(world.at("new/c.txt")))
    );
    assert_eq!((&actions[3]["preHash"], &actions[3]["postHash"]), (&hash("two\n"), &Value::Null));
    assert_eq!(actions[5]["unplannable"]["kind"], "no_match");
    assert!(planned["expiresInMs"].as_u64().unwrap() > 0);
    let diff = planned["diff"].as_str().unwrap();
    assert!(diff.contains("--- a/a.txt\n") && diff.contains("-one\n") && !diff.contains("two"), "{diff}");
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&done), ["none", "none", "none", "none", "none", "no_match"], "{done:#}");
    assert_eq!(done["results"][4]["data"]["content"], "b\n");
    assert_eq!((world.read("new/b.txt"), world.read("new/c.txt")), ("b\n".into(), "moved\n".into()));
    assert!(!world.exists("a.txt") && !world.exists("old.txt"));
}

/// BLAKE3 as plans have it: asked of the daemon's own library would prove little, so from a second plan.
fn clada_hash(text: &str) -> String {
    let world = World::new();
    let answer = Answer::new().write(&world.at("x"), text);
    plan(&world, &mut world.connect(), &answer)["actions"][0]["postHash"].as_str().unwrap().to_owned()
}

#[test]
fn two_plans_of_one_answer_are_equal() {
    let world = World::new();
    world.lay("a.txt", numbered(30));
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "line 3\n", "3\n")
        .replace(&world.at("a.txt"), "line", "x")
        .write(&world.at(".github/workflows/x.yml"), "x")
        .write(&world.at("../x"), "x")
        .action("dir_create", &[("path", &world.at("d"))]);
    let mut daemon = world.connect();
    let strip = |mut plan: Value| {
        plan.as_object_mut().unwrap().remove("planId");
        plan.as_object_mut().unwrap().remove("expiresInMs");
        plan.as_object_mut().unwrap().remove("kept");
        plan
    };
    let first = plan(&world, &mut daemon, &answer);
    let second = plan(&world, &mut daemon, &answer);
    assert_ne!(first["planId"], second["planId"]);
    assert_eq!(strip(first), strip(second));
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_execute_will() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .write(&world.at("d/b.txt"), "b")
        .action("dir_create", &[("path", &world.at("e"))])
        .action("file_delete", &[("path", &world.at("a.txt"))])
        .replace(&world.at("a.txt"), "two", "three");
    let before = world.tree();
    let dry = world.apply_json(&["--dry-run"], answer.text());
    before.assert_at(&world.project());
    expect![[r#"
        diff --git a/a.txt b/a.txt
        deleted file mode 100644
        --- a/a.txt
        +++ /dev/null
        @@ -1 +0,0 @@
        -one
        diff --git a/d/b.txt b/d/b.txt
        new file mode 100644
        --- /dev/null
        +++ b/d/b.txt
        @@ -0,0 +1 @@
        +b
        \ No newline at end of file
    "#]]
    .assert_eq(&world.shown(dry["dryRun"]["diff"].as_str().unwrap()));
    let ran = world.run(&["apply", "-n"], answer.text());
    expect![[r#"
        [task-1] SUCCESS: file_replace_text - 1 replacement in a.txt
        [task-2] SUCCESS: file_write - created d/b.txt (1 byte)
        [task-3] SUCCESS: dir_create - created e
        [task-4] SUCCESS: file_delete - deleted a.txt
        [task-5] ERROR: file_replace_text - File not found 'a.txt' (ENOENT)
          an action before this one in the answer deletes or moves it

         a.txt   | +0 -1 (deleted)
         d/b.txt | +1 -0 (new)
         2 files, +1 -1

        diff --git a/a.txt b/a.txt
        deleted file mode 100644
        --- a/a.txt
        +++ /dev/null
        @@ -1 +0,0 @@
        -one
        diff --git a/d/b.txt b/d/b.txt
        new file mode 100644
        --- /dev/null
        +++ b/d/b.txt
        @@ -0,0 +1 @@
        +b
        \ No newline at end of file

        5 actions: 4 succeeded, 1 failed. Dry run: nothing was changed.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    before.assert_at(&world.project());
    let done = world.apply_json(&[], answer.text());
    let essence = |result: &Value| -> Vec<Value> {
        let results = result["results"].as_array().unwrap().iter();
        results
            .map(|r| json!([r["action"], r["status"], r["kind"], r["error"], r["data"], r["unchanged"]]))
            .collect()
    };
    assert_eq!(essence(&dry), essence(&done));
}

#[test]
fn a_file_that_changed_meanwhile_is_a_conflict_and_the_others_are_done() {
    let world = World::new();
    for name in ["edited", "deleted", "created", "moved-over", "moved", "kept"] {
        if name != "created" {
            world.lay(name, "one\n");
        }
    }
    world.lay("removed", "one\n");
    let mut daemon = world.connect();
    let answer = Answer::new()
        .replace(&world.at("edited"), "one", "two")
        .action("file_delete", &[("path", &world.at("deleted"))])
        .write(&world.at("created"), "mine\n")
        .action("file_move", &[("old_path", &world.at("moved")), ("new_path", &world.at("moved-over"))])
        .write(&world.at("removed"), "two\n")
        .replace(&world.at("kept"), "one", "two");
    let planned = plan(&world, &mut daemon, &answer);
    world.lay("edited", "one\nsomebody's\n");
    world.lay("deleted", "somebody's\n");
    world.lay("created", "somebody's\n");
    world.lay("moved-over", "somebody's\n");
    std::fs::remove_file(world.project().join("removed")).unwrap();
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(
        kinds(&done),
        ["conflict", "conflict", "conflict", "conflict", "conflict", "none"],
        "{done:#}"
    );
    assert_eq!(done["success"], false);
    assert_eq!(world.read("edited"), "one\nsomebody's\n");
    for name in ["deleted", "created", "moved-over"] {
        assert_eq!(world.read(name), "somebody's\n", "{name}");
    }
    assert_eq!((world.read("moved"), world.read("kept")), ("one\n".into(), "two\n".into()));
    assert!(!world.exists("removed"));
    // A plan of which something failed stays; what was done of it is not done twice.
    let again = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&again)[..5], ["conflict"; 5], "{again:#}");
    assert_eq!(kinds(&again)[5], "answer_already_applied");
    assert_eq!(world.read("kept"), "two\n");
}

#[test]
fn actions_are_accepted_one_by_one() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    world.lay("b.txt", "b\n");
    let mut daemon = world.connect();
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "a", "1")
        .replace(&world.at("b.txt"), "b", "2")
        .write(&world.at("c.txt"), "c\n");
    let planned = plan(&world, &mut daemon, &answer);
    let done = execute(&world, &mut daemon, &planned, &json!({ "accept": [planned["actions"][1]["id"]] }));
    let statuses: Vec<_> =
        done["results"].as_array().unwrap().iter().map(|r| r["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["SKIP", "SUCCESS", "SKIP"], "{done:#}");
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a\n".into(), "2\n".into()));
    assert!(!world.exists("c.txt"));
    let none = execute(&world, &mut daemon, &planned, &json!({ "accept": [] }));
    assert_eq!(kinds(&none), ["skipped", "skipped", "skipped"]);
    assert_eq!(world.read("a.txt"), "a\n");
}

#[test]
fn hunks_are_accepted_one_by_one() {
    let world = World::new();
    let old = numbered(60);
    world.lay("a.txt", &old);
    let mut daemon = world.connect();
    let new =
        old.replace("line 5\n", "five\n").replace("line 30\n", "thirty\nand more\n").replace("line 55\n", "");
    let answer = Answer::new().write(&world.at("a.txt"), &new);
    let planned = plan(&world, &mut daemon, &answer);
    let ids = hunk_ids(&planned, 0);
    assert_eq!(ids.len(), 3, "{planned:#}");
    for (index, text) in ["five", "thirty", "line 55"].iter().enumerate() {
        assert!(planned["actions"][0]["hunks"][index]["diff"].as_str().unwrap().contains(text));
    }
    let done = execute(&world, &mut daemon, &planned, &json!({ "accept": [ids[0], ids[2]] }));
    assert_eq!(kinds(&done), ["none"], "{done:#}");
    assert_eq!(world.read("a.txt"), old.replace("line 5\n", "five\n").replace("line 55\n", ""));
    // Of its one action a part is left: the plan is still there, and says what has changed meanwhile.
    let rest = execute(&world, &mut daemon, &planned, &json!({ "accept": [ids[1]] }));
    assert_eq!(kinds(&rest), ["conflict"], "{rest:#}");
}

#[test]
fn what_depends_on_something_left_out_is_a_conflict() {
    let world = World::new();
    world.lay("a.txt", numbered(40));
    let mut daemon = world.connect();
    let path = world.at("a.txt");
    let answer = Answer::new()
        .replace(&path, "line 2\n", "two\n")
        .replace(&path, "two\n", "zwei\n")
        .replace(&path, "line 39\n", "neununddreißig\n")
        .write(&world.at("new.txt"), "x\n")
        .replace(&world.at("new.txt"), "x", "y");
    let planned = plan(&world, &mut daemon, &answer);
    let ids: Vec<&str> =
        planned["actions"].as_array().unwrap().iter().map(|a| a["id"].as_str().unwrap()).collect();
    let done = execute(&world, &mut daemon, &planned, &json!({ "accept": [ids[1], ids[2], ids[4]] }));
    let results = done["results"].as_array().unwrap();
    assert_eq!(results[0]["status"], "SKIP", "{done:#}");
    assert_eq!(results[1]["success"], false, "{done:#}");
    assert_eq!(results[2]["success"], true, "{done:#}");
    assert_eq!(results[3]["status"], "SKIP");
    assert_eq!(results[4]["success"], false);
    assert_eq!(world.read("a.txt"), numbered(40).replace("line 39\n", "neununddreißig\n"));
    assert!(!world.exists("new.txt"));
}

#[test]
fn ids_that_a_plan_does_not_have_are_an_error() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut daemon = world.connect();
    let planned = plan(&world, &mut daemon, &Answer::new().replace(&world.at("a.txt"), "a", "1"));
    for id in ["a2", "a1.h2", "a1.h0", "a1.hx", "a1.h", "", "a1.h1.h1", "h1", "all"] {
        let params = json!({ "root": world.root(), "planId": planned["planId"], "accept": ["a1", id] });
        let error = daemon.fail("execute", &params);
        assert_eq!(error["data"]["kind"], "invalid_params", "{id}: {error}");
    }
    assert_eq!(world.read("a.txt"), "a\n");
    for id in ["", "nothing", "0660c7159b32386670"] {
        let error = daemon.fail("execute", &json!({ "root": world.root(), "planId": id }));
        assert_eq!(error["data"]["kind"], "plan_not_found", "{id}: {error}");
    }
    // A plan belongs to its project.
    std::fs::create_dir(world.path("second")).unwrap();
    let params = json!({ "root": world.path("second"), "planId": planned["planId"] });
    assert_eq!(daemon.fail("execute", &params)["data"]["kind"], "plan_not_found");
}

#[test]
fn plans_are_kept_in_bounded_number() {
    let world = World::new();
    let mut daemon = world.connect();
    let answer = Answer::new().write(&world.at("a.txt"), "a");
    let plans: Vec<Value> = (0..40).map(|_| plan(&world, &mut daemon, &answer)).collect();
    let params = json!({ "root": world.root(), "planId": plans[0]["planId"] });
    assert_eq!(daemon.fail("execute", &params)["data"]["kind"], "plan_not_found");
    assert_eq!(execute(&world, &mut daemon, &plans[39], &json!({}))["success"], true);
}

#[test]
fn approvals_of_a_plan_are_asked_when_it_is_executed() {
    let world = World::new();
    let mut daemon = world.connect();
    let answer = Answer::new().write(&world.at(".husky/x"), "echo\n").write(&world.at("a.txt"), "a");
    let planned = plan(&world, &mut daemon, &answer);
    let id = planned["approvals"][0]["id"].clone();
    assert_eq!(planned["actions"][0]["needsApproval"], id);
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&done), ["approval_required", "none"], "{done:#}");
    assert!(!world.exists(".husky"));
    let done = execute(&world, &mut daemon, &planned, &json!({ "approve": [id], "accept": ["a1"] }));
    assert_eq!(done["results"][0]["success"], true, "{done:#}");
    assert_eq!(world.read(".husky/x"), "echo\n");
}

#[test]
fn a_plan_with_commands_acts_in_order() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\nthree\n");
    world.lay("b.txt", "one\n");
    let before = world.tree();
    let mut daemon = world.connect();
    let answer = Answer::new()
        .replace(&world.at("b.txt"), "one", "two")
        .action(
            "run",
            &[("command", "sh -c 'cat b.txt; sed -i 1i\\zero a.txt; echo x > made; echo late > b.txt'")],
        )
        .replace(&world.at("a.txt"), "three", "four")
        .replace(&world.at("b.txt"), "two", "three")
        .replace(&world.at("made"), "x", "y")
        .action("run", &[("command", "sh -c 'cat a.txt'")]);
    let planned = plan(&world, &mut daemon, &answer);
    let approvals: Vec<&Value> =
        planned["approvals"].as_array().unwrap().iter().map(|approval| &approval["id"]).collect();
    assert_eq!(approvals.len(), 2, "{planned:#}");
    let more = json!({ "approve": approvals, "accept": ["a1", "a2", "a3", "a4", "a5", "a6"] });
    let done = execute(&world, &mut daemon, &planned, &more);
    // What was accepted is what was shown; the command has put other content there.
    assert_eq!(kinds(&done), ["none", "none", "none", "conflict", "file_not_found", "none"], "{done:#}");
    assert_eq!(done["results"][1]["data"]["stdout"], "two\n");
    assert_eq!(done["results"][5]["data"]["stdout"], "zero\none\ntwo\nfour\n");
    assert_eq!((world.read("b.txt"), world.read("made")), ("late\n".to_owned(), "x\n".to_owned()));
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn a_whole_plan_goes_on_with_what_its_commands_left() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\nthree\n");
    world.lay("b.txt", "one\n");
    world.lay("c.txt", "one\n");
    let before = world.tree();
    let mut daemon = world.connect();
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'sed -i 1i\\zero a.txt; echo x > made; echo late > b.txt'")])
        .replace(&world.at("a.txt"), "three", "four")
        .replace(&world.at("b.txt"), "one", "two")
        .replace(&world.at("made"), "x", "y")
        .replace(&world.at("c.txt"), "one", "two");
    let planned = plan(&world, &mut daemon, &answer);
    // Another process changes a file of the plan: that is a conflict, before its commands as after them.
    world.lay("c.txt", "one\nmine\n");
    let done = execute(&world, &mut daemon, &planned, &json!({ "approve": "all" }));
    assert_eq!(kinds(&done), ["none", "none", "no_match", "none", "conflict"], "{done:#}");
    assert_eq!((world.read("made"), world.read("c.txt")), ("y\n".to_owned(), "one\nmine\n".to_owned()));
    assert_eq!(world.read("a.txt"), "zero\none\ntwo\nfour\n");
    assert_eq!(world.run(&["undo"], "").code, 0);
    world.lay("c.txt", "one\n");
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn a_plan_that_was_carried_out_is_dropped_and_one_that_failed_is_kept() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let mut daemon = world.connect();
    let answer = Answer::new().replace(&world.at("a.txt"), "one", "two").write(&world.at(".envrc"), "x\n");
    let planned = plan(&world, &mut daemon, &answer);
    // Edits for an editor are not an execution, nor is a part.
    let edits = execute(&world, &mut daemon, &planned, &json!({ "deliver": "edits", "approve": "all" }));
    assert_eq!(edits["success"], true, "{edits:#}");
    let part = execute(&world, &mut daemon, &planned, &json!({ "accept": ["a1"] }));
    assert_eq!(kinds(&part), ["none", "skipped"], "{part:#}");
    let unapproved = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&unapproved), ["answer_already_applied", "approval_required"], "{unapproved:#}");
    let approved = execute(&world, &mut daemon, &planned, &json!({ "approve": "all" }));
    assert_eq!(kinds(&approved), ["answer_already_applied", "none"], "{approved:#}");
    assert_eq!(approved["success"], true, "{approved:#}");
    let params = json!({ "root": world.root(), "planId": planned["planId"] });
    assert_eq!(daemon.fail("execute", &params)["data"]["kind"], "plan_not_found");
}

#[test]
fn a_command_of_a_plan_that_is_not_accepted_does_not_run() {
    let world = World::new();
    let mut daemon = world.connect();
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'echo x > ran'")])
        .write(&world.at("a.txt"), "a")
        .action("run", &[("command", "sh -c 'cat a.txt'")]);
    let planned = plan(&world, &mut daemon, &answer);
    let more = json!({ "approve": "all", "accept": ["a2", "a3"] });
    let done = execute(&world, &mut daemon, &planned, &more);
    assert_eq!(kinds(&done), ["skipped", "none", "none"], "{done:#}");
    assert!(!world.exists("ran"));
    assert_eq!(done["results"][2]["data"]["stdout"], "a");
    // A command without approval does not run either, and the rest is done.
    let planned = plan(&world, &mut daemon, &answer);
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&done)[0], "command_not_allowed");
    assert!(!world.exists("ran"));
}

#[test]
fn an_approved_hunk_of_a_change_is_another_change() {
    let world = World::new();
    let old = numbered(40);
    world.lay(".envrc", &old);
    let mut daemon = world.connect();
    let new = old.replace("line 2\n", "evil\n").replace("line 39\n", "good\n");
    let planned = plan(&world, &mut daemon, &Answer::new().write(&world.at(".envrc"), &new));
    let more = json!({ "accept": ["a1.h1"], "approve": [planned["approvals"][0]["id"]] });
    let done = execute(&world, &mut daemon, &planned, &more);
    // The approval was for both hunks together; the result of one alone was shown to no user.
    assert_eq!(kinds(&done), ["approval_required"], "{done:#}");
    assert_eq!(world.read(".envrc"), old);
}

#[test]
fn overlays_stand_in_for_files_and_edits_are_handed_out() {
    let world = World::new();
    world.lay("a.txt", "on disk\n");
    world.lay("old.txt", "old\n");
    world.lay("gone.txt", "gone\n");
    let mut daemon = world.connect();
    let buffer = "first 🎉\nunsaved é 漢\nthird\nno newline at the end";
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "unsaved é 漢", "saved 🎉\nand more")
        .replace(&world.at("a.txt"), "first", "1.")
        .replace(&world.at("a.txt"), "no newline at the end", "end")
        .write(&world.at("new dir/b%c.txt"), "b\n")
        .action("file_move", &[("old_path", &world.at("old.txt")), ("new_path", &world.at("moved.txt"))])
        .action("file_delete", &[("path", &world.at("gone.txt"))]);
    let before = world.tree();
    let planned = daemon.call(
        "plan",
        &json!({ "root": world.root(), "text": answer.text(), "overlays": [{ "path": world.at("a.txt"), "text": buffer }] }),
    );
    let done = execute(&world, &mut daemon, &planned, &json!({ "deliver": "edits" }));
    assert_eq!(done["success"], true, "{done:#}");
    before.assert_at(&world.project());
    let mut text = buffer.to_owned();
    let mut others = Vec::new();
    for change in done["edits"]["documentChanges"].as_array().unwrap() {
        match change["textDocument"]["uri"].as_str() {
            // The path of the project may need escapes as well.
            Some(uri) if uri.ends_with("/project/a.txt") => {
                text = edited(&text, change["edits"].as_array().unwrap());
            }
            Some(uri) => {
                assert!(
                    uri.starts_with("file:///") && uri.ends_with("/project/new%20dir/b%25c.txt"),
                    "{uri}"
                );
                assert_eq!(edited("", change["edits"].as_array().unwrap()), "b\n");
            }
            None => others.push(change["kind"].as_str().unwrap()),
        }
    }
    assert_eq!(text, "1. 🎉\nsaved 🎉\nand more\nthird\nend");
    assert_eq!(others, ["create", "rename", "delete"], "{done:#}");
    // It cannot go to the disk: the plan is a change of the buffer.
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&done)[..3], ["conflict", "conflict", "conflict"], "{done:#}");
    assert_eq!(world.read("a.txt"), "on disk\n");
}

#[test]
fn edits_follow_crlf_and_accepted_hunks() {
    let world = World::new();
    let old = numbered(40).replace('\n', "\r\n");
    world.lay("a.txt", &old);
    let mut daemon = world.connect();
    let path = world.at("a.txt");
    let answer =
        Answer::new().replace(&path, "line 2\nline 3\n", "x\n").replace(&path, "line 38\n", "y\nz\n");
    let planned = plan(&world, &mut daemon, &answer);
    let done = execute(&world, &mut daemon, &planned, &json!({ "deliver": "edits", "accept": ["a2"] }));
    let changes = done["edits"]["documentChanges"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{done:#}");
    let text = edited(&old, changes[0]["edits"].as_array().unwrap());
    assert_eq!(text, old.replace("line 38\r\n", "y\r\nz\r\n"));
}

#[test]
fn an_overlay_must_lie_in_the_project() {
    let world = World::new();
    let mut daemon = world.connect();
    for (path, kind) in
        [("/etc/passwd", "path_escape"), ("../x", "path_escape"), (".git/config", "path_denied")]
    {
        let overlays = json!([{ "path": path, "text": "x" }]);
        let params = json!({ "root": world.root(), "text": "x", "overlays": overlays });
        assert_eq!(daemon.fail("plan", &params)["data"]["kind"], kind, "{path}");
    }
}

/// Returns `text` after edits in the shape of the Language Server Protocol: ranges of the text before, in
/// UTF-16.
fn edited(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap();
        let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let start = starts.nth(usize::try_from(line).unwrap()).unwrap();
        let mut units = position["character"].as_u64().unwrap();
        let mut at = start;
        for character in text[start..].chars().take_while(|character| *character != '\n') {
            if units == 0 {
                break;
            }
            units -= character.len_utf16() as u64;
            at += character.len_utf8();
        }
        assert_eq!(units, 0, "the position is past the end of its line: {position}");
        at
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort();
    assert!(edits.windows(2).all(|pair| pair[0].1 <= pair[1].0), "edits overlap: {edits:?}");
    let mut out = text.to_owned();
    // From the last to the first, since all ranges are those of the text before.
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

#[test]
fn regression_what_edits_cannot_carry_is_not_delivered() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    world.lay("raw", [b'x', 0xff]);
    let mut daemon = world.connect();
    let before = world.tree();
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .read(&world.at("a.txt"))
        // Commands, empty folders and bytes that are not text have no form as edits of an editor.
        .action("run", &[("command", "sh -c 'touch made'")])
        .action("run", &[("command", "cat a.txt")])
        .action("dir_create", &[("path", &world.at("empty"))])
        .action("dir_create", &[("path", &world.at("full"))])
        .write(&world.at("full/b.txt"), "b\n")
        .write(&world.at("raw"), "text\n")
        .action("ls", &[("path", &world.at("."))]);
    let planned = plan(&world, &mut daemon, &answer);
    let done = execute(&world, &mut daemon, &planned, &json!({ "deliver": "edits", "approve": "all" }));
    let told: Vec<String> = done["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let kind = result["kind"].as_str().map(|kind| format!(" {kind}")).unwrap_or_default();
            format!("{}{kind}", result["status"].as_str().unwrap())
        })
        .collect();
    let not = "SKIP not_delivered";
    assert_eq!(told, ["SUCCESS", not, not, not, not, "SUCCESS", "SUCCESS", not, not], "{done:#}");
    assert_eq!((&done["success"], done.get("operationId")), (&json!(false), None), "{done:#}");
    expect![["apply the edits, save the documents, then apply the answer again"]]
        .assert_eq(&world.shown(done["results"][2]["hint"].as_str().unwrap()));
    assert_eq!(done["edits"]["documentChanges"].as_array().unwrap().len(), 3, "{done:#}");
    before.assert_at(&world.project());
}

#[test]
fn regression_an_overlay_by_uri_is_of_the_file_that_it_names() {
    let world = World::new();
    world.lay("a b.txt", "on disk\n");
    let mut daemon = world.connect();
    let uri = format!("file://{}", world.at("a b.txt").replace(' ', "%20"));
    let answer = Answer::new().replace(&world.at("a b.txt"), "unsaved", "saved");
    for overlay in [
        json!({ "uri": uri, "text": "unsaved\n" }),
        json!({ "path": uri, "text": "unsaved\n" }),
        json!({ "uri": uri.replace("file://", "file://localhost"), "text": "unsaved\n" }),
    ] {
        let params = json!({ "root": world.root(), "text": answer.text(), "overlays": [overlay] });
        let planned = daemon.call("plan", &params);
        assert_eq!(planned["actions"][0].get("unplannable"), None, "{planned:#}");
    }
    for overlay in [
        json!({ "uri": "untitled:Untitled-1", "text": "" }),
        json!({ "path": "vscode-remote://wsl/a b.txt", "text": "" }),
        json!({ "uri": "file://elsewhere/a", "text": "" }),
        json!({ "uri": uri, "path": world.at("a b.txt"), "text": "" }),
        json!({ "text": "" }),
        json!({ "uri": uri, "text": "", "languageId": "x" }),
    ] {
        let params = json!({ "root": world.root(), "text": answer.text(), "overlays": [overlay] });
        let refused = daemon.fail("plan", &params);
        assert_eq!(refused["data"]["kind"], "invalid_params", "{overlay} {refused:#}");
    }
}

#[test]
fn regression_files_that_cannot_be_read_are_an_error_that_every_report_names() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let paths = format!("{}\n{}\n{}", world.at("no.txt"), world.at("a.txt"), world.at("neither.txt"));
    let answer = Answer::new().action("files_read", &[("paths", &paths)]);
    for args in [&["--format", "text"][..], &["--format", "llm"], &["--format", "xml"], &["--dry-run"]] {
        let ran = world.run(&[&["apply"], args].concat(), answer.text());
        assert_eq!(ran.code, 1, "{ran:?}");
        let told = ran.stdout.clone() + &ran.stderr;
        assert!(told.contains("no.txt") && told.contains("neither.txt"), "{args:?} {ran:?}");
    }
    let result = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&result), ["file_not_found"], "{result:#}");
    assert_eq!(result["results"][0]["data"]["paths"], json!([world.at("a.txt")]), "{result:#}");
    expect![[r#"
        === /TOP/project/a.txt ===
        one
    "#]]
    .assert_eq(&world.shown(result["results"][0]["data"]["content"].as_str().unwrap()));
    assert_eq!(result["results"][0]["data"]["errors"].as_array().unwrap().len(), 2, "{result:#}");
}

#[test]
fn regression_a_hunk_that_was_left_out_is_not_applied_already() {
    let world = World::new();
    world.lay("a.txt", numbered(40));
    world.lay("b.txt", "one\n");
    let mut daemon = world.connect();
    let answer = Answer::new()
        .action(
            "file_replace_all_text",
            &[("path", &world.at("a.txt")), ("old_text", "line 1"), ("new_text", "first 1")],
        )
        .replace(&world.at("b.txt"), "one", "two");
    let planned = plan(&world, &mut daemon, &answer);
    let hunks = planned["actions"][0]["hunks"].as_array().unwrap().len();
    assert!(hunks > 1, "{planned:#}");
    let done = execute(&world, &mut daemon, &planned, &json!({ "accept": ["a1.h1", "a2"] }));
    assert_eq!(done["success"], true, "{done:#}");
    assert!(world.read("a.txt").contains("\nline 1"), "a hunk is left");
    // Also by a daemon that knows of it from the journal alone.
    world.stop().unwrap();
    let again = world.apply_json(&[], answer.text());
    assert_eq!(again["results"][0]["status"], "SUCCESS", "{again:#}");
    assert_eq!(again["results"][1]["kind"], "answer_already_applied", "{again:#}");
    assert!(!world.read("a.txt").contains("\nline 1"));
    let third = world.apply_json(&[], answer.text());
    assert_eq!(third["results"][0]["kind"], "answer_already_applied", "{third:#}");
}

#[test]
fn regression_two_overlays_of_one_file_are_an_error_that_names_both() {
    let world = World::new();
    world.lay("a.txt", "1\n");
    let mut daemon = world.connect();
    let overlays = json!([
        { "path": world.at("a.txt"), "text": "2\n" },
        { "uri": format!("file://{}", world.at("a.txt")), "text": "3\n" },
    ]);
    let params = json!({ "root": world.root(), "text": "x", "overlays": overlays });
    let error = daemon.fail("plan", &params);
    assert_eq!(error["data"]["kind"], "invalid_params", "{error:#}");
    assert_eq!(error["message"], "overlays[0] and overlays[1] are of the same file", "{error:#}");
}

#[test]
fn regression_an_answer_that_a_clipboard_changed_is_the_same_answer() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new().action("file_append", &[("path", &world.at("a.txt")), ("content", "two\n")]);
    let text = answer.text().to_owned();
    assert_eq!(world.apply_json(&[], &text)["success"], true);
    for other in [text.replace('\n', "\r\n"), format!("{text}\n\n"), text.trim_end().to_owned()] {
        let again = world.apply_json(&[], &other);
        assert_eq!(again["results"][0]["kind"], "answer_already_applied", "{again:#}");
    }
    assert_eq!(world.read("a.txt"), "one\ntwo\n");
}

#[test]
fn regression_a_plan_that_two_carry_out_at_once_runs_its_commands_once() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new().action("run", &[("command", "sh -c 'echo ran >> log; sleep 0.2'")]).replace(
        &world.at("a.txt"),
        "one",
        "two",
    );
    let planned = plan(&world, &mut world.connect(), &answer);
    let params = json!({ "root": world.root(), "planId": planned["planId"], "approve": "all" });
    let (mut one, mut other) = (world.connect(), world.connect());
    let outcomes = std::thread::scope(|scope| {
        let one = scope.spawn(|| one.try_call("execute", &params));
        let other = scope.spawn(|| other.try_call("execute", &params));
        [one.join().unwrap(), other.join().unwrap()]
    });
    let refused: Vec<&Value> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    let [refused] = refused[..] else { panic!("{outcomes:#?}") };
    assert_eq!(refused["data"]["kind"], "plan_not_found");
    assert_eq!((world.read("log"), world.read("a.txt")), ("ran\n".to_owned(), "two\n".to_owned()));
}

#[test]
fn plans_that_are_kept_are_counted_and_one_can_be_dropped() {
    let world = World::new();
    let mut daemon = world.connect();
    let answer = Answer::new().write(&world.at("a.txt"), "a\n");
    let first = plan(&world, &mut daemon, &answer);
    let second = plan(&world, &mut daemon, &answer);
    assert_eq!((&first["kept"], &second["kept"]), (&json!(1), &json!(2)));
    let params = json!({ "root": world.root(), "planId": first["planId"] });
    assert_eq!(daemon.call("plan.drop", &params), json!({ "dropped": true }));
    assert_eq!(daemon.call("plan.drop", &params), json!({ "dropped": false }));
    assert_eq!(daemon.fail("execute", &params)["data"]["kind"], "plan_not_found");
    let kept: Vec<Value> = (0..32).map(|_| plan(&world, &mut daemon, &answer)["kept"].clone()).collect();
    assert_eq!((&kept[0], &kept[30], &kept[31]), (&json!(2), &json!(32), &json!(32)));
    let oldest = json!({ "root": world.root(), "planId": second["planId"] });
    assert_eq!(daemon.call("plan.drop", &oldest), json!({ "dropped": false }));
}

#[test]
fn regression_a_folder_is_planned_without_what_was_removed_or_moved_out_of_it() {
    let world = World::new();
    for path in ["d/x", "d/e/f", "d/e/g", "e/f"] {
        world.lay(path, "one\n");
    }
    let mut daemon = world.connect();
    let run = |answer: Answer, command: &str| answer.action("run", &[("command", command)]);
    let answer =
        ["mv d/x y", "rm d/e/g", "rm -r d", "rm -r e", "rm -rf e"].into_iter().fold(Answer::new(), run);
    let planned = plan(&world, &mut daemon, &answer);
    let actions = planned["actions"].as_array().unwrap();
    assert!(actions.iter().all(|action| action["unplannable"].is_null()), "{planned:#}");
    // What is left in the folder was read, so that a change of it keeps all of the folder as it is.
    world.lay("d/e/f", "mine\n");
    let done = execute(&world, &mut daemon, &planned, &json!({}));
    assert_eq!(kinds(&done)[2], "conflict");
    assert_eq!(
        (world.read("d/e/f").as_str(), world.exists("d/x"), world.exists("e")),
        ("mine\n", true, false)
    );
}

/// A connection makes room among its own plans; where a project has too many, the maker of most of them does.
#[test]
fn no_caller_drives_the_plans_of_another_out() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a\n");
    let mut person = world.connect();
    let mine = plan(&world, &mut person, &answer);
    for _ in 0..10 {
        let mut agent = world.connect();
        agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
        let kept: Vec<Value> = (0..33).map(|_| plan(&world, &mut agent, &answer)["kept"].clone()).collect();
        assert_eq!((&kept[0], &kept[31], &kept[32]), (&json!(1), &json!(32), &json!(32)));
    }
    // Another connection of the same maker may carry it out.
    assert_eq!(execute(&world, &mut world.connect(), &mine, &json!({}))["success"], true);
}
