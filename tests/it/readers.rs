//! Commands that run without approval, over a project with secrets and links out of it: they show and change
//! nothing that an answer may not read or change.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Answer, World, skipped};

const SECRET: &str = "hunter2";

/// Returns a project with a repository that holds secrets, and links that lead out of it; `None` where there
/// is not git.
fn hostile() -> Option<World> {
    let world = World::new();
    if !has_git(&world) {
        return None;
    }
    world.lay("a.txt", "one\n");
    world.lay("d/a.txt", "two\n");
    for secret in [".env", "d/.env", "d/key.pem"] {
        world.lay(secret, format!("{SECRET}\n"));
    }
    let outside = world.path("outside");
    std::fs::create_dir_all(outside.join("d")).unwrap();
    std::fs::write(outside.join("o.txt"), SECRET).unwrap();
    std::fs::write(world.path("beside.txt"), SECRET).unwrap();
    let git = |args: &[&str]| {
        let mut command = world.program("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@x"]).args(args);
        let ran: crate::support::Ran = command.output().unwrap().into();
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    git(&["init", "-q"]);
    git(&["add", "-A", "-f"]);
    git(&["commit", "-q", "-m", "first: .env"]);
    // Both the history and a change since hold a secret, so that a diff could show it.
    world.lay(".env", format!("{SECRET} {SECRET}\n"));
    world.lay("a.txt", "three\n");
    symlink(outside.join("o.txt"), world.project().join("file-link")).unwrap();
    symlink(&outside, world.project().join("link")).unwrap();
    symlink(".env", world.project().join("env-link")).unwrap();
    symlink(".git", world.project().join("git-link")).unwrap();
    Some(world)
}

/// Returns true if there is git; prints a word about it if not.
fn has_git(world: &World) -> bool {
    let has = world.program("git").arg("--version").output().is_ok();
    if !has {
        skipped("programs that read a repository", "there is no git");
    }
    has
}

fn run(world: &World, command: &str) -> Value {
    world.execute(&Answer::new().action("run", &[("command", command)]), json!({ "git": "off" }))
}

#[test]
fn no_reading_program_shows_secrets_or_follows_links() {
    let Some(world) = hostile() else { return };
    let hash = world.program("git").args(["rev-parse", "HEAD:.env"]).output().unwrap();
    let hash = String::from_utf8(hash.stdout).unwrap().trim().to_owned();
    let commands = [
        "xxd file-link",
        "xxd env-link",
        "xxd link/o.txt",
        "xxd link/../beside.txt",
        "xxd git-link/config",
        "diff a.txt link/o.txt",
        "diff a.txt file-link",
        "diff -rN d link/",
        "diff -rN d link/.",
        "diff -N nothing link/../beside.txt",
        "diff -r . d",
        "diff . d",
        "diff -rN d link/d",
        "git diff",
        "git diff HEAD",
        "git diff ':(icase).ENV'",
        "git diff '*env'",
        "git diff -- ':(top).env'",
        "git diff HEAD:a.txt link/o.txt",
        "git diff HEAD:d HEAD:",
        "git diff --no-index a.txt link/o.txt",
        "git show",
        "git show HEAD",
        "git show :.env",
        "git show :0:.env",
        "git show 'HEAD^{/first: }:.env'",
        "git log -p",
        "git log -p --follow a.txt",
        "git log -U1 -S two",
        &format!("git show {hash}"),
        &format!("git show x-0-g{}", &hash[..12]),
        &format!("git diff {hash} a.txt"),
    ];
    for command in commands {
        let result = run(&world, command);
        let shown = result["results"][0]["data"].to_string();
        // xxd writes in hexadecimal.
        assert!(!shown.contains(SECRET) && !shown.contains("6875 6e74 6572"), "{command}: {result:#}");
    }
}

#[test]
fn reading_programs_show_what_they_are_asked_for() {
    let Some(world) = hostile() else { return };
    let cases = [
        ("git diff", "+three"),
        ("git diff HEAD a.txt", "+three"),
        ("git diff HEAD -- a.txt d", "+three"),
        ("git show HEAD:a.txt", "one"),
        ("git show HEAD", "+two"),
        ("git log -p -1 -- d", "+two"),
        ("git log --oneline", "first"),
        ("git status -s", "M .env"),
        ("git ls-files", "d/key.pem"),
        ("file file-link", "symbolic link"),
        ("xxd d/a.txt", "two"),
    ];
    for (command, expected) in cases {
        let result = run(&world, command);
        let stdout = result["results"][0]["data"]["stdout"].as_str().unwrap_or_default();
        assert!(stdout.contains(expected), "{command}: {result:#}");
    }
    let compared = run(&world, "diff a.txt d/a.txt");
    assert_eq!(compared["results"][0]["data"]["exit_code"], 1, "{compared:#}");
    assert_eq!(compared["success"], true, "{compared:#}");
    assert_eq!(run(&world, "diff a.txt nothing")["results"][0]["kind"], "exec_failed");
    let within = Answer::new().action("run", &[("command", "git diff ../a.txt"), ("dir", "d")]);
    let result = world.execute(&within, json!({}));
    assert!(result["results"][0]["data"]["stdout"].as_str().unwrap().contains("+three"), "{result:#}");
}

#[test]
fn nothing_takes_the_place_of_a_link_to_a_folder() {
    let Some(world) = hostile() else { return };
    let before = world.tree();
    for command in ["mv a.txt link", "mv a.txt d/key.pem link", "cp -r d link"] {
        assert_eq!(run(&world, command)["results"][0]["kind"], "symlink_not_allowed", "{command}");
    }
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn a_repository_above_the_project_is_asked_about() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    if !has_git(&world) {
        return;
    }
    let git = world.program("git").args(["init", "-q"]).current_dir(world.path(".")).output().unwrap();
    assert!(git.status.success());
    let result = run(&world, "git log");
    assert_eq!(result["results"][0]["kind"], "command_not_allowed", "{result:#}");
}
