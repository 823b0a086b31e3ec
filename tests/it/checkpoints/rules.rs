//! What is recorded and what is reported: limits, own operations in between, a part undone, git's position.

use serde_json::json;

use super::{call, committed, files, git, record, run};
use crate::support::{Answer, World};

#[test]
fn an_own_operation_in_between_keeps_its_own_undo() {
    let world = committed(&[("mine", "1\n"), ("theirs", "1\n"), ("both", "1\n")]);
    call(&world, "checkpoint.begin", json!({ "session": "s" }));
    let answer = Answer::new().write(&world.at("mine"), "2\n").write(&world.at("both"), "2\n");
    let own = world.apply_json(&["--no-git"], answer.text());
    world.lay("theirs", "2\n");
    world.lay("both", "3\n");
    let ended = call(&world, "checkpoint.end", json!({ "session": "s" }));
    let mut paths: Vec<&str> =
        ended["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["both", "theirs"], "{ended:#}");
    run(&world, &["undo"]);
    let read = |world: &World| ["mine", "theirs", "both"].map(|name| world.read(name));
    assert_eq!(read(&world), ["2\n", "1\n", "2\n"]);
    run(&world, &["undo", own["operationId"].as_str().unwrap()]);
    assert_eq!(read(&world), ["1\n", "1\n", "1\n"]);
}

#[test]
fn what_was_changed_before_an_own_operation_is_told() {
    let world = committed(&[("a", "1\n")]);
    call(&world, "checkpoint.begin", json!({ "session": "s" }));
    world.lay("a", "2\n");
    world.apply_json(&["--no-git"], Answer::new().write(&world.at("a"), "3\n").text());
    let ended = call(&world, "checkpoint.end", json!({ "session": "s" }));
    assert!(ended["warnings"].to_string().contains("undo reverts both"), "{ended:#}");
    run(&world, &["undo"]);
    assert_eq!(world.read("a"), "1\n");
}

#[test]
fn a_part_is_undone_and_then_the_rest() {
    let world = committed(&[("a", "1\n"), ("src/b", "1\n"), ("src/c", "1\n")]);
    let before = files(&world);
    record(&world, "echo 2 > a; echo 2 > src/b; echo 2 > src/c; echo new > src/d");
    run(&world, &["undo", "--only", "src", "--except", "src/c"]);
    assert_eq!(["a", "src/b", "src/c"].map(|name| world.read(name)), ["2\n", "1\n", "2\n"]);
    assert!(!world.exists("src/d"));
    let nothing = world.run(&["undo", "--only", "elsewhere"], "");
    assert_eq!(nothing.code, 1, "{nothing:?}");
    run(&world, &["undo"]);
    before.assert_at_files(&world);
}

#[test]
fn what_cannot_be_kept_is_told_at_begin_and_at_the_end() {
    let world = World::with_config("durability: fast\nrecord:\n  max_file: 1kB\n");
    world.lay("large", "x".repeat(2000));
    world.lay("small", "1\n");
    let begun = call(&world, "checkpoint.begin", json!({ "session": "s" }));
    assert_eq!((&begun["notKept"], &begun["notKeptCount"]), (&json!(["large"]), &json!(1)), "{begun:#}");
    assert!(begun["warnings"].to_string().contains("record.max_file"), "{begun:#}");
    world.lay("large", "y".repeat(2000));
    world.lay("small", "2\n");
    let ended = call(&world, "checkpoint.end", json!({ "session": "s" }));
    assert!(ended["warnings"].to_string().contains("/project/large"), "{ended:#}");
    // The rest is undone by name, or with --force.
    assert_eq!(world.run(&["undo"], "").code, 1);
    run(&world, &["undo", "--except", "large"]);
    assert_eq!(world.read("small"), "1\n");
    // A large file that was only moved is moved back.
    record(&world, "mkdir d; mv large d/elsewhere");
    run(&world, &["undo"]);
    assert!(world.exists("large") && !world.exists("d"));
}

#[test]
fn what_moved_in_git_is_told_and_stays() {
    let world = committed(&[("a", "1\n")]);
    let ran = run(
        &world,
        &["record", "--", "sh", "-c", "echo 2 > a; git commit -qam x; git commit -q --allow-empty -m y"],
    );
    assert!(ran.stderr.contains("2 commits on main"), "{ran:?}");
    let head = git(&world, &["rev-parse", "HEAD"]);
    let undone = run(&world, &["undo"]);
    assert!(
        undone.stdout.contains("does not revert changes in the repository: 2 commits on main"),
        "{undone:?}"
    );
    assert_eq!((world.read("a").as_str(), git(&world, &["rev-parse", "HEAD"])), ("1\n", head));
    let ran = run(&world, &["record", "--", "sh", "-c", "git add a"]);
    assert!(ran.stderr.contains("what is staged changed"), "{ran:?}");
}

#[test]
fn what_only_the_index_names_outlives_a_collection() {
    let world = committed(&[("a", "1\n")]);
    world.lay("a", "staged\n");
    // Old, so that git is believed to have it.
    let file = std::fs::File::options().append(true).open(world.path("project/a")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    git(&world, &["add", "a"]);
    let script = "git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now";
    record(&world, script);
    assert_eq!(world.read("a"), "1\n");
    run(&world, &["undo"]);
    assert_eq!(world.read("a"), "staged\n");
    assert_eq!(git(&world, &["for-each-ref", "refs/clada"]), "");
    git(&world, &["fsck", "--strict"]);
}

#[test]
fn secrets_are_kept_and_their_lines_not_counted() {
    let world = committed(&[("a", "1\n")]);
    world.lay(".env", "KEY=before\n");
    call(&world, "checkpoint.begin", json!({ "session": "s" }));
    world.lay(".env", "KEY=after\n");
    let ended = call(&world, "checkpoint.end", json!({ "session": "s" }));
    let secret = &ended["files"][0];
    assert_eq!((&secret["path"], secret.get("added")), (&json!(".env"), None), "{ended:#}");
    let id = ended["operationId"].as_str().unwrap();
    let shown = run(&world, &["history", "show", id, "--diff"]).stdout;
    assert!(!shown.contains("before") && shown.contains("a secret is not shown"), "{shown}");
    run(&world, &["undo"]);
    assert_eq!(world.read(".env"), "KEY=before\n");
}

#[test]
fn what_stays_after_an_undo_is_told() {
    let world = committed(&[("a", "1\n"), (".gitignore", "build\n")]);
    let ran =
        run(&world, &["record", "--", "sh", "-c", "mkdir build; echo x > build/x; mkfifo pipe; echo 2 > a"]);
    assert!(ran.stderr.contains("build/") && ran.stderr.contains("pipe"), "{ran:?}");
    // One that it has ignored itself, too.
    let ran = run(&world, &["record", "--", "sh", "-c", "echo out >> .gitignore; mkdir out; echo x > out/x"]);
    assert!(ran.stderr.contains("out/"), "{ran:?}");
}
