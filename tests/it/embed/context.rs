//! The context of a session: kept by the daemon, changed by users and by answers, embedded on request.

use expect_test::expect;
use serde_json::json;

use super::{document, paths};
use crate::support::{Answer, World, from_markdown};

fn listed(world: &World, session: &str) -> Vec<String> {
    let ran = world.run(&["context", "list", "--json", "--session", session], "");
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    result["context"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap().to_owned())
        .collect()
}

fn world() -> World {
    let world = World::new();
    for name in ["src/a.rs", "src/b.rs", "c.txt", "d.txt"] {
        world.lay(name, format!("{name}\n"));
    }
    world
}

#[test]
fn what_is_added_is_embedded() {
    let world = world();
    let ran = world.run(&["context", "add", "src", "./c.txt", "src/../c.txt"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(listed(&world, "default"), [world.at("c.txt"), world.at("src")]);
    let text = document(&world, &["--session-context"]);
    assert_eq!(paths(&from_markdown(&text)), ["c.txt", "src/a.rs", "src/b.rs"]);
    assert_eq!(paths(&from_markdown(&document(&world, &["--session-context", "d.txt"]))).len(), 4);
    assert_eq!(text, document(&world, &["src", "c.txt"]), "the same as if it was named");
    let ran = world.run(&["context", "remove", "src"], "");
    assert_eq!((ran.code, listed(&world, "default").len()), (0, 1), "{ran:?}");
    let shown = world.run(&["context", "list"], "");
    assert_eq!(shown.stdout, format!("{} (6 bytes)\n", world.at("c.txt")));
}

#[test]
fn prune_removes_what_is_gone_or_was_never_used() {
    let world = world();
    assert_eq!(world.run(&["context", "add", "src/a.rs", "src/b.rs"], "").code, 0);
    document(&world, &["--session-context"]);
    assert_eq!(world.run(&["context", "add", "c.txt"], "").code, 0);
    std::fs::remove_file(world.project().join("src/b.rs")).unwrap();
    let ran = world.run(&["context", "prune"], "");
    expect![[r#"
        removed /TOP/project/c.txt
        removed /TOP/project/src/b.rs
        The context of session default has 1 path.
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
    assert_eq!(listed(&world, "default"), [world.at("src/a.rs")]);
    assert_eq!(world.run(&["context", "clear"], "").code, 0);
    assert!(listed(&world, "default").is_empty());
    let empty = world.run(&["embed", "--session-context"], "");
    assert_eq!((empty.code, empty.stdout.as_str()), (1, ""), "{empty:?}");
    expect![[r#"
        clada: embed: the session's context is empty
          `clada context add PATH` adds to it
    "#]]
    .assert_eq(&world.shown(&empty.stderr));
}

#[test]
fn a_context_that_was_withheld_was_not_used() {
    let world = world();
    assert_eq!(world.run(&["context", "add", "c.txt"], "").code, 0);
    let ran = world.run(&["embed", "--session-context", "missing"], "");
    assert_eq!(ran.code, 1, "{ran:?}");
    world.run(&["context", "prune"], "");
    assert!(listed(&world, "default").is_empty());
}

#[test]
fn each_session_has_a_context_of_its_own() {
    let world = world();
    let mut connection = world.connect();
    connection.call("session.open", &json!({ "root": world.root(), "session": "other" }));
    assert_eq!(world.run(&["context", "add", "c.txt", "--session", "other"], "").code, 0);
    assert_eq!(world.run(&["context", "add", "d.txt"], "").code, 0);
    assert_eq!(listed(&world, "other"), [world.at("c.txt")]);
    assert_eq!(
        paths(&from_markdown(&document(&world, &["--session-context", "--session", "other"]))),
        ["c.txt"]
    );
    let sessions = connection.call("session.list", &json!({ "root": world.root() }));
    let names: Vec<&str> = sessions["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["session"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["default", "other"]);
    assert_eq!(sessions["sessions"][1]["context"], json!([world.at("c.txt")]));
    let opened = world.run(&["context", "list", "--session", "new"], "");
    assert_eq!((opened.code, opened.stdout.as_str()), (0, ""), "opened by use: {opened:?}");
    assert!(world.run(&["session", "list"], "").stdout.contains("other  "));
}

#[test]
fn an_answer_changes_the_context_of_its_session() {
    let world = world();
    world.connect().call("session.open", &json!({ "root": world.root(), "session": "s" }));
    let answer =
        Answer::new().action("context_add", &[("path", &world.at("c.txt"))]).action("context_list", &[]);
    let ran = world.run(&["apply", "--session", "s"], answer.text());
    assert_eq!(ran.code, 0, "{ran:?}");
    expect![[r#"
        [task-1] SUCCESS: context_add - added c.txt to the context
        [task-2] SUCCESS: context_list - 1 path in the context

        2 actions: 2 succeeded. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert_eq!(listed(&world, "s"), [world.at("c.txt")]);
    assert!(listed(&world, "default").is_empty());
    let dry = Answer::new().action("context_clear", &[]);
    assert_eq!(world.run(&["apply", "--session", "s", "--dry-run"], dry.text()).code, 0);
    assert_eq!(listed(&world, "s").len(), 1, "a dry run changes nothing");
}

#[test]
fn paths_outside_of_the_project_are_refused() {
    let world = world();
    std::fs::write(world.path("outside/x.txt"), "x\n").unwrap();
    for path in ["../outside/x.txt", "missing.txt", ".git"] {
        let ran = world.run(&["context", "add", "c.txt", path], "");
        assert_eq!(ran.code, 1, "{ran:?}");
    }
    assert!(listed(&world, "default").is_empty(), "all or nothing");
}

#[test]
fn a_session_is_made_by_use() {
    let world = world();
    let mut text = String::new();
    for args in [
        &["session", "show", "review"][..],
        &["--session", "review", "context", "add", "c.txt"],
        &["--session", "review", "session", "cd", "src"],
        &["session", "show", "review"],
        &["--session", "other", "session", "show"],
        &["session", "list"],
        &["session", "close", "review"],
        &["--session", "review", "session", "close", "review"],
    ] {
        let ran = world.run(args, "");
        text.push_str(&format!("$ {}\n{}{}[{}]\n", args.join(" "), ran.stdout, ran.stderr, ran.code));
    }
    expect![[r#"
        $ session show review
        clada: There is no session 'review' in this project
          a session opens when you use it: clada --session NAME …
        [1]
        $ --session review context add c.txt
        added /TOP/project/c.txt
        The context of session review has 1 path.
        [0]
        $ --session review session cd src
        review  /TOP/project/src
          /TOP/project/c.txt
        [0]
        $ session show review
        review  /TOP/project/src
          /TOP/project/c.txt
        [0]
        $ --session other session show
        other  /TOP/project
        [0]
        $ session list
        default  /TOP/project  0 paths in its context
        other  /TOP/project  0 paths in its context
        review  /TOP/project/src  1 path in its context
        [0]
        $ session close review
        The session review is closed.
        [0]
        $ --session review session close review
        clada: There is no session 'review' in this project
          a session opens when you use it: clada --session NAME …
        [1]
    "#]]
    .assert_eq(&world.shown(&text));
}
