//! What code that nobody was asked about leaves, and what an approval for good is for.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, World, skipped};

/// Ways in which code makes files that run by themselves, and what may not be there afterwards.
const MADE: [(&str, &str); 7] = [
    ("echo evil > .envrc", ".envrc"),
    ("mkdir -p sub/deep && echo evil > sub/deep/.envrc", "sub/deep/.envrc"),
    ("mkdir .vscode && echo '{}' > .vscode/tasks.json", ".vscode/tasks.json"),
    ("echo evil > a.tmp && mv a.tmp .mcp.json", ".mcp.json"),
    (
        "mkdir -p x/.claude && echo '{}' > x/.claude/settings.json && mv x/.claude .claude",
        ".claude/settings.json",
    ),
    ("ln -s a.txt .envrc", ".envrc"),
    ("(sleep 0.2; mkdir -p .husky; echo evil > .husky/pre-commit) & wait", ".husky/pre-commit"),
];

fn code(world: &World, code: &str) -> Value {
    let answer = Answer::new().action("exec", &[("code", code), ("lang", "bash")]);
    world.execute(&answer, json!({}))
}

/// Returns whether the sandbox that works here keeps parts of a project; says so if it does not.
fn keeps_parts(world: &World) -> bool {
    code(world, "true");
    let sandbox = world.status()["sandbox"].as_str().unwrap_or_default().to_owned();
    let keeps = ["bubblewrap", "sandbox-exec"].iter().any(|name| sandbox.starts_with(name));
    if !keeps {
        skipped("files that run by themselves", "no sandbox works here that keeps parts of a project");
    }
    keeps
}

#[test]
fn regression_unasked_code_leaves_no_file_that_runs_by_itself() {
    let world = World::with_config("durability: fast\nexec: {approval: sandboxed}\n");
    if !keeps_parts(&world) {
        return;
    }
    world.lay("a.txt", "a\n");
    for (made, path) in MADE {
        let result = code(&world, made);
        assert!(world.project().join(path).symlink_metadata().is_err(), "{made}: {result:#}");
        let error = result["results"][0]["error"].as_str().unwrap_or_default();
        assert!(error.contains("run by themselves"), "{made}: {result:#}");
    }
    // One that is there cannot be written, moved or removed.
    for change in ["echo evil >> .envrc", "rm -f .envrc", "mv .envrc old", "cp a.txt .envrc"] {
        world.lay(".envrc", "mine\n");
        let result = code(&world, change);
        assert_eq!(
            (world.read(".envrc").as_str(), world.exists("old")),
            ("mine\n", false),
            "{change}: {result:#}"
        );
    }
    let result = code(&world, "echo fine > plain.txt");
    assert_eq!((kinds(&result), world.exists("plain.txt")), (vec!["none".to_owned()], true), "{result:#}");
}

#[test]
fn regression_bare_repositories_are_read_only_in_bubblewrap() {
    let world = World::with_config("durability: fast\nexec: {approval: sandboxed}\n");
    if !keeps_parts(&world) {
        return;
    }
    for path in ["srv/repo.git", "repo", "a/b/c"] {
        let path = world.at(path);
        let made =
            world.program("git").args(["init", "-q", "--bare"]).arg(world.project().join(&path)).status();
        assert!(made.unwrap().success());
        let config = world.read(&format!("{path}/config"));
        let result = code(
            &world,
            &format!("echo x >> {path}/config; echo x > {path}/hooks/post-receive; echo x > {path}/HEAD"),
        );
        assert_eq!(world.read(&format!("{path}/config")), config, "{path}: {result:#}");
        assert!(!world.exists(&format!("{path}/hooks/post-receive")), "{path}: {result:#}");
    }
}

/// Another project that is put in the place of one has its proposals, and nothing that was approved for the other.
#[test]
fn regression_an_approval_for_good_is_of_the_project_and_not_of_its_path() {
    let world = World::with_config("durability: fast\n");
    let command = Answer::new().action("run", &[("command", "sh -c 'echo ran > ran'")]);
    let lay = || world.lay(".git/HEAD", "ref: refs/heads/main\n");
    lay();
    let approved = world.run(&["approve", "sh -c 'echo ran > ran'"], "");
    assert_eq!(approved.code, 0, "{approved:?}");
    let result = world.execute(&command, json!({}));
    assert_eq!((kinds(&result), world.exists("ran")), (vec!["none".to_owned()], true), "{result:#}");
    let proposals = world.read(".clada/allowed-commands.json");
    std::fs::rename(world.project(), world.path("before")).unwrap();
    std::fs::create_dir(world.project()).unwrap();
    lay();
    world.lay(".clada/allowed-commands.json", proposals);
    let result = world.execute(&command, json!({}));
    assert_eq!(
        (kinds(&result), world.exists("ran")),
        (vec!["command_not_allowed".to_owned()], false),
        "{result:#}"
    );
}
