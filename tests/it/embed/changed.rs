//! `embed --changed`: the changes in the project since the session's last time.

use expect_test::expect;
use serde_json::json;

use super::{document, omitted, paths, result};
use crate::support::{World, from_markdown};

fn world() -> World {
    let world = World::new();
    for name in ["src/a.rs", "src/deep/b.rs", "c.txt", "ignored.log", ".hidden/d.rs"] {
        world.lay(name, format!("{name}\n"));
    }
    world.lay(".gitignore", "*.log\n");
    world
}

fn changed(world: &World, args: &[&str]) -> Vec<String> {
    paths(&from_markdown(&document(world, &[&["--changed"], args].concat())))
}

#[test]
fn the_first_time_all_and_then_what_has_changed() {
    let world = world();
    assert_eq!(changed(&world, &[]), ["c.txt", "src/a.rs", "src/deep/b.rs"]);
    assert!(changed(&world, &[]).is_empty());
    world.lay("src/deep/b.rs", "another\n");
    world.lay("new.txt", "new\n");
    world.lay("other.log", "ignored\n");
    world.lay(".hidden/e.rs", "hidden\n");
    std::fs::remove_file(world.project().join("c.txt")).unwrap();
    let told = result(&world, &["--changed"]);
    let files = from_markdown(told["document"].as_str().unwrap());
    assert_eq!(paths(&files), ["new.txt", "src/deep/b.rs"]);
    assert_eq!(files[b"src/deep/b.rs".as_slice()], b"another\n");
    assert_eq!(omitted(&told, "c.txt").as_deref(), Some("deleted"));
    assert!(omitted(&told, ".hidden/").is_some_and(|reason| reason.contains("hidden")), "{told}");
    let nothing = world.run(&["embed", "--changed"], "");
    assert_eq!(nothing.code, 0, "{nothing:?}");
    expect![[r#"
        WARNING: Nothing has changed in the project since the last time
        0 files, 337 bytes, ≈ 85 tokens
    "#]]
    .assert_eq(&world.shown(&nothing.stderr));
}

#[test]
fn each_session_has_its_own_last_time_and_what_was_withheld_does_not_count() {
    let world = world();
    for session in ["one", "two"] {
        world.connect().call("session.open", &json!({ "root": world.root(), "session": session }));
    }
    assert_eq!(changed(&world, &["--session", "one"]).len(), 3);
    assert_eq!(changed(&world, &["--session", "two"]).len(), 3);
    world.lay("c.txt", "changed\n");
    let refused = world.run(&["embed", "--changed", "--session", "one", "missing"], "");
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
    assert_eq!(changed(&world, &["--session", "one"]), ["c.txt"]);
    assert!(changed(&world, &["--session", "one"]).is_empty());
    assert_eq!(changed(&world, &["--session", "two"]), ["c.txt"]);
}

#[test]
fn what_is_named_comes_too_and_what_has_changed_goes_before_the_rest() {
    let world = world();
    changed(&world, &[]);
    world.lay("src/deep/b.rs", "changed\n");
    assert_eq!(changed(&world, &["c.txt"]), ["c.txt", "src/deep/b.rs"]);
}

#[test]
fn a_folder_is_where_changes_are_looked_for_and_the_rest_stays_to_be_seen() {
    let world = world();
    changed(&world, &[]);
    world.lay("src/deep/b.rs", "changed\n");
    world.lay("c.txt", "changed\n");
    std::fs::remove_file(world.project().join("src/a.rs")).unwrap();
    for _ in 0..2 {
        let told = result(&world, &["--changed", "src"]);
        assert_eq!(paths(&from_markdown(told["document"].as_str().unwrap())), ["src/deep/b.rs"]);
        assert_eq!(omitted(&told, "src/a.rs").as_deref(), Some("deleted"));
    }
    std::fs::create_dir(world.project().join("empty")).unwrap();
    let nothing = world.run(&["embed", "--changed", "empty"], "");
    assert!(nothing.stderr.contains("Nothing has changed in 'empty/' since the last time"), "{nothing:?}");
    assert_eq!(changed(&world, &["."]), ["c.txt", "src/deep/b.rs"]);
    assert!(changed(&world, &["."]).is_empty(), "the whole project was seen");
}

#[test]
fn a_clock_asks_without_the_session() {
    let world = world();
    let first = result(&world, &["--changed"]);
    let clock = first["clock"].as_str().unwrap();
    world.lay("c.txt", "changed\n");
    for _ in 0..2 {
        let text = document(&world, &["--since", clock]);
        assert_eq!(paths(&from_markdown(&text)), ["c.txt"]);
    }
    assert_eq!(changed(&world, &[]), ["c.txt"], "the session knows nothing of it");
    let ran = world.run(&["embed", "--since", "yesterday"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    expect![[r#"
        clada: since: not a clock: one looks like c:START:EPOCH:TICK and is in each result of `changes`
          leave it out to get every file and a clock
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
    let both = json!({ "root": world.root(), "changed": true, "since": clock });
    let error = world.connect().fail("embed", &both);
    assert_eq!(error["data"]["kind"], "invalid_params");
}

#[test]
fn a_prompt_without_changes_stays_as_it_is() {
    let world = world();
    changed(&world, &[]);
    world.lay("prompt.md", "Do it.");
    changed(&world, &[]);
    assert_eq!(document(&world, &["--changed", "--prompt", "prompt.md"]), "Do it.");
    world.lay("c.txt", "changed\n");
    let text = document(&world, &["--changed", "--prompt", "prompt.md"]);
    assert!(text.starts_with("Do it.\n\n# Context Files\n"), "{text}");
    assert_eq!(paths(&from_markdown(&text)), ["c.txt"]);
}

#[test]
fn secrets_that_have_changed_are_held_back() {
    let world = world();
    changed(&world, &[]);
    world.lay("keys/id_rsa", "PRIVATE\n");
    let told = result(&world, &["--changed"]);
    assert_eq!(omitted(&told, "keys/id_rsa").as_deref(), Some("secret"), "{told}");
    assert!(!told["document"].as_str().unwrap().contains("PRIVATE"));
}

#[test]
fn a_tree_alone_shows_no_content_and_changes_no_beginning() {
    let world = World::new();
    world.lay("a", "one\n");
    document(&world, &["--changed"]);
    world.lay("a", "two\n");
    document(&world, &["--changed", "--tree-only"]);
    assert!(document(&world, &["--changed"]).contains("two"));
}
