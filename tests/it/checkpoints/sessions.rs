//! Whose checkpoint it is: sessions, several that are open, the next that ends the one before, and agents.

use serde_json::json;

use super::{call, committed, git, record, run};

#[test]
fn the_next_checkpoint_of_a_session_ends_the_one_before() {
    let world = committed(&[("a", "1\n")]);
    let first = run(&world, &["checkpoint", "begin", "--name", "before codex"]).stdout;
    world.lay("a", "2\n");
    // Another session has its own.
    let other = run(&world, &["--session", "s", "checkpoint", "begin"]).stdout;
    assert_ne!(first, other);
    let listed = run(&world, &["checkpoint", "list"]).stdout;
    assert!(listed.contains("before codex") && listed.contains("(session s)"), "{listed}");
    let both = run(&world, &["checkpoint"]).stdout;
    assert!(both.starts_with("recorded 1 file +1 -1; clada undo "), "{both}");
    world.lay("b", "b\n");
    let ended = run(&world, &["checkpoint", "end"]).stdout;
    assert!(ended.starts_with("recorded 1 file +1 -0; "), "{ended}");
    let none = world.run(&["checkpoint", "end"], "");
    assert_eq!(none.code, 1, "{none:?}");
    // The other one recorded what came after it began, which is undone by then.
    run(&world, &["undo"]);
    assert!(!world.exists("b"));
    let ended = run(&world, &["--session", "s", "checkpoint", "end"]);
    assert_eq!(ended.stdout, "recorded nothing: no file has changed\n", "{ended:?}");
    run(&world, &["undo"]);
    assert_eq!(world.read("a"), "1\n");
    let history = run(&world, &["history"]).stdout;
    assert!(history.contains("1 file +1 -1  a  before codex"), "{history}");
}

#[test]
fn several_checkpoints_record_the_same_and_say_so() {
    let world = committed(&[("a", "1\n")]);
    let outer = call(&world, "checkpoint.begin", json!({ "session": "outer", "name": "outer" }));
    call(&world, "checkpoint.begin", json!({ "session": "inner" }));
    world.lay("a", "2\n");
    let inner = call(&world, "checkpoint.end", json!({ "session": "inner" }));
    assert!(inner["warnings"].to_string().contains("'outer' also recorded these changes"), "{inner:#}");
    let outer = call(&world, "checkpoint.end", json!({ "checkpoint": outer["checkpoint"] }));
    assert_eq!(outer["files"][0]["path"], "a", "{outer:#}");
    let undone = run(&world, &["undo", inner["operationId"].as_str().unwrap()]);
    assert!(undone.stdout.contains("'outer' recorded these changes, too"), "{undone:?}");
    // Undoing the other finds everything as it was.
    let again = run(&world, &["undo", outer["operationId"].as_str().unwrap()]);
    assert!(again.stdout.contains("everything was already as before"), "{again:?}");
    assert_eq!(world.read("a"), "1\n");
}

#[test]
fn kept_open_it_goes_on_from_there() {
    let world = committed(&[("a", "1\n")]);
    let begun = call(&world, "checkpoint.begin", json!({}));
    world.lay("a", "2\n");
    let first = call(&world, "checkpoint.end", json!({ "checkpoint": begun["checkpoint"], "keep": true }));
    world.lay("b", "b\n");
    let second = call(&world, "checkpoint.end", json!({ "checkpoint": begun["checkpoint"] }));
    assert_eq!(first["files"][0]["path"], "a");
    assert_eq!((&second["files"][0]["path"], second["files"].as_array().unwrap().len()), (&json!("b"), 1));
}

#[test]
fn what_is_not_ended_in_time_is_dropped_and_one_can_be_dropped() {
    let world = committed(&[("a", "1\n")]);
    call(&world, "checkpoint.begin", json!({ "ttlMs": 0 }));
    world.lay("a", "2\n");
    std::thread::sleep(std::time::Duration::from_millis(5));
    let begun = call(&world, "checkpoint.begin", json!({ "name": "next" }));
    assert!(begun["warnings"].to_string().contains("expired and was dropped"), "{begun:#}");
    assert_eq!(begun.get("ended"), None, "{begun:#}");
    world.lay("a", "3\n");
    let dropped = run(&world, &["checkpoint", "drop", "next"]);
    assert!(dropped.stdout.contains("its changes were not recorded"), "{dropped:?}");
    assert!(run(&world, &["history"]).stdout.contains("No operations are recorded here"));
    assert_eq!(world.run(&["checkpoint", "drop", "next"], "").code, 1);
}

#[test]
fn one_of_record_is_no_session_s() {
    let world = committed(&[("a", "1\n")]);
    run(&world, &["checkpoint", "begin"]);
    // The record within does not end the checkpoint, and is reported.
    let ran = run(&world, &["record", "--", "sh", "-c", "echo 2 > a"]);
    assert!(ran.stderr.contains("also recorded these changes"), "{ran:?}");
    let ended = run(&world, &["checkpoint", "end"]).stdout;
    assert!(ended.starts_with("recorded 1 file +1 -1; "), "{ended}");
    assert!(record(&world, "echo 3 > a").starts_with("recorded 1 file +1 -1; "));
}

#[test]
fn regression_references_of_checkpoints_that_are_over_do_not_stay() {
    let world = committed(&[("a", "1\n")]);
    world.lay("a", "staged\n");
    git(&world, &["add", "a"]);
    // One that nobody ended in its time, and one of a daemon that was killed before it was recorded.
    call(&world, "checkpoint.begin", json!({ "ttlMs": 0 }));
    git(&world, &["update-ref", "refs/clada/checkpoints/kkkkkkkkkkkk", "HEAD"]);
    std::thread::sleep(std::time::Duration::from_millis(5));
    let begun = call(&world, "checkpoint.begin", json!({ "session": "s" }));
    let references = git(&world, &["for-each-ref", "--format=%(refname)", "refs/clada"]);
    assert_eq!(references, format!("refs/clada/checkpoints/{}", begun["checkpoint"].as_str().unwrap()));
    run(&world, &["--session", "s", "checkpoint", "end"]);
    assert_eq!(git(&world, &["for-each-ref", "refs/clada"]), "");
}

#[test]
fn regression_a_refused_end_names_the_owner_and_a_command_that_works() {
    let world = committed(&[("a", "1\n")]);
    run(&world, &["--session", "outer", "checkpoint", "begin", "--name", "big change"]);
    run(&world, &["--session", "inner", "checkpoint", "begin"]);
    world.lay("a", "2\n");
    for _ in 0..2 {
        let refused = world.run(&["checkpoint", "end"], "");
        assert_eq!(refused.code, 1, "{refused:?}");
        let command = refused.stderr.split('`').nth(1).unwrap().to_owned();
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert!(refused.stderr.contains("'big change' (session 'outer')"), "{refused:?}");
        run(&world, &words);
    }
    let none = world.run(&["checkpoint", "end"], "");
    assert!(none.stderr.contains("begin one with `clada checkpoint begin`"), "{none:?}");
}
