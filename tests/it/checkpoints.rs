//! `record` and `checkpoint`: what other programs change is one operation, and its undo is exact.
//!
//! A few random agents in each run of the tests; 500 of them with
//! `CLADA_ALL=1 cargo test -p clada-tests --test it checkpoints -- --nocapture`.

mod agents;
mod faults;
mod hooks;
mod kills;
mod rules;
mod sessions;

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Ran, Tree, World};

/// A world with a repository, in which everything is committed.
fn committed(files: &[(&str, &str)]) -> World {
    let world = World::with_config("durability: fast\n");
    for (name, content) in files {
        world.lay(name, content);
    }
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["config", "user.email", "a@b"]);
    git(&world, &["config", "user.name", "a"]);
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-q", "-m", "first"]);
    world
}

fn git(world: &World, args: &[&str]) -> String {
    let mut command: Command = world.program("git");
    let ran = command.args(args).output().unwrap();
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim_end().to_owned()
}

/// Runs the client, which has to succeed.
fn run(world: &World, args: &[&str]) -> Ran {
    let ran = world.run(args, "");
    assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
    ran
}

/// Records a script of the shell, as `record` does. Returns the line about it.
fn record(world: &World, script: &str) -> String {
    let ran = run(world, &["record", "--", "sh", "-c", script]);
    ran.stderr.lines().last().unwrap_or_default().to_owned()
}

fn call(world: &World, method: &str, params: Value) -> Value {
    let mut params = params;
    params["root"] = json!(world.root());
    world.connect().call(method, &params)
}

/// The files of the project, without git's own.
fn files(world: &World) -> Tree {
    world.tree().filter(|path| path != ".git" && !path.as_encoded_bytes().starts_with(b".git/"))
}

/// What of a repository is the user's: HEAD, what is staged, branches, the stash.
fn repository(world: &World) -> String {
    let staged = git(world, &["ls-files", "--stage"]);
    let references = git(world, &["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]);
    format!(
        "{}\n{staged}\n{references}\n{}",
        git(world, &["rev-parse", "HEAD"]),
        git(world, &["stash", "list"])
    )
}

#[test]
fn what_a_recorded_command_did_is_one_operation() {
    let world = committed(&[("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("old/c.txt", "c\n")]);
    let (before, state) = (files(&world), repository(&world));
    let script = "echo out; echo err >&2; echo three >> a.txt; rm b.txt; mv old new; chmod +x a.txt; mkdir -p d/e; \
                  ln -s a.txt link; echo '*' > d/e/f; exit 7";
    let ran = world.run(&["record", "--", "sh", "-c", script], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (7, "out\n"), "{ran:?}");
    let line = ran.stderr.lines().last().unwrap();
    assert!(line.starts_with("recorded 5 files +3 -1; clada undo "), "{ran:?}");
    let id = line.rsplit(' ').next().unwrap();

    let shown = run(&world, &["history", "show", id, "--diff"]).stdout;
    for expected in
        ["record", "changed a.txt", "deleted b.txt", "moved new/c.txt from old/c.txt", "+three", "-b"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let after = files(&world);
    run(&world, &["undo"]);
    before.assert_at_files(&world);
    run(&world, &["redo"]);
    after.assert_at_files(&world);
    run(&world, &["undo", id]);
    before.assert_at_files(&world);
    assert_eq!(repository(&world), state);
    assert_eq!(git(&world, &["for-each-ref", "refs/clada"]), "");
    git(&world, &["fsck", "--strict"]);
    // Nothing is left open.
    assert_eq!(run(&world, &["checkpoint", "list"]).stdout, "No checkpoint is open here.\n");
}

#[test]
fn what_changed_nothing_is_no_operation() {
    let world = committed(&[("a.txt", "a\n")]);
    assert_eq!(record(&world, "cat a.txt"), "recorded nothing: no file has changed");
    // What went and came back is the same.
    assert_eq!(
        record(&world, "echo b > a.txt; printf 'a\\n' > a.txt"),
        "recorded nothing: no file has changed"
    );
    run(&world, &["checkpoint", "begin"]);
    let ended = call(&world, "checkpoint.list", json!({}));
    let id = ended["checkpoints"][0]["checkpoint"].clone();
    let ended = call(&world, "checkpoint.end", json!({ "checkpoint": id }));
    assert_eq!((&ended["success"], &ended["files"]), (&json!(true), &json!([])), "{ended:#}");
    assert_eq!(ended.get("operationId"), None, "{ended:#}");
    assert!(run(&world, &["history"]).stdout.contains("No operations are recorded here"));
}

#[test]
fn a_command_that_cannot_be_run_leaves_no_checkpoint() {
    let world = committed(&[("a.txt", "a\n")]);
    let ran = world.run(&["record", "--", "no-such-program"], "");
    assert_eq!(ran.code, 127, "{ran:?}");
    assert!(ran.stderr.contains("cannot run 'no-such-program'"), "{ran:?}");
    std::fs::write(world.path("project/plain"), "x").unwrap();
    assert_eq!(world.run(&["record", "--", "./plain"], "").code, 126);
    assert_eq!(world.run(&["record", "--", "sh", "-c", "kill -9 $$"], "").code, 128 + 9);
    assert_eq!(run(&world, &["checkpoint", "list"]).stdout, "No checkpoint is open here.\n");
    // Without a daemon the command does not run.
    world.stop().unwrap();
    let ran = world.run(&["--no-spawn", "record", "--", "touch", "made"], "");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(!world.exists("made"));
}

impl Tree {
    /// Fails if the project of `world` does not hold exactly these files.
    #[track_caller]
    fn assert_at_files(&self, world: &World) {
        let difference = self.difference(&files(world));
        assert!(difference.is_empty(), "{difference}");
    }
}
