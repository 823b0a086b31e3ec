//! Files that run later without being asked for: repositories within the project, programs that take
//! another's place, files that lead elsewhere.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::{Value, json};

use crate::commands::run;
use crate::refusals::kinds;
use crate::support::{Answer, Ran, World, feed, skipped};

/// A repository as it lies on disk.
fn lay_repository(world: &World, folder: &str) {
    for (name, text) in
        [("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n\tbare = false\n"), ("hooks/x.sample", "")]
    {
        world.lay(&format!("{folder}/.git/{name}"), text);
    }
    for name in ["objects", "refs"] {
        std::fs::create_dir_all(world.project().join(folder).join(".git").join(name)).unwrap();
    }
}

fn sandbox(world: &World) -> String {
    world.status()["sandbox"].as_str().unwrap().to_owned()
}

#[test]
fn regression_repositories_within_the_project_are_kept_unless_git_ignores_them() {
    let world = World::new();
    world.lay(".gitignore", "_deps/\n");
    for folder in [".", "sub", "a/b/c", "_deps/dependency"] {
        lay_repository(&world, folder);
    }
    let writes = |path: &str| run(&format!("sh -c 'echo x > {path}'"));
    for path in ["sub/.git/hooks/post-checkout", "a/b/c/.git/config", "sub/.git/commondir"] {
        let before = std::fs::read(world.project().join(path)).ok();
        let result = world.execute(&writes(path), json!({ "approve": "all" }));
        if sandbox(&world).starts_with("bubblewrap") {
            assert_eq!(kinds(&result), ["exec_failed"], "{path}: {result:#}");
            assert_eq!(std::fs::read(world.project().join(path)).ok(), before);
        } else {
            assert_eq!(result["results"][0]["data"]["touched"], json!([world.at(path)]), "{result:#}");
            let warning = result["warnings"][0].to_string();
            assert!(warning.contains(path) && warning.contains("undo does not bring it back"), "{warning}");
        }
    }
    let hook = "_deps/dependency/.git/hooks/post-checkout";
    let result = world.execute(&writes(hook), json!({ "approve": "all" }));
    assert_eq!((kinds(&result), world.exists(hook)), (vec!["none".to_owned()], true), "{result:#}");
    assert_eq!(result["results"][0]["data"].get("touched"), None);
    // The placeholders of protected paths are gone again.
    assert!(!world.exists("sub/.clada"));
}

#[test]
fn regression_repositories_within_other_roots_are_kept_too() {
    let world = World::new();
    let other = world.path("other");
    let folder = other.join("deep/nested");
    for name in [".git/objects", ".git/refs", ".git/hooks"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let shown = other.display();
    let config = format!("allowed_roots: [{shown}]\nexec:\n  writable: [{shown}]\n");
    std::fs::write(world.path("config/clada/config.yaml"), config).unwrap();
    let writes = |path: &str| run(&format!("sh -c 'echo x > {}'", folder.join(path).display()));
    let hook = world.execute(&writes(".git/hooks/post-checkout"), json!({ "approve": "all" }));
    let made = folder.join(".git/hooks/post-checkout").exists();
    if sandbox(&world).starts_with("bubblewrap") {
        assert_eq!((kinds(&hook), made), (vec!["exec_failed".to_owned()], false), "{hook:#}");
    } else if made {
        assert!(hook["results"][0]["data"]["touched"].is_array(), "{hook:#}");
    }
    let beside = world.execute(&writes("file"), json!({ "approve": "all" }));
    assert_eq!(kinds(&beside), ["none"], "{beside:#}");
}

#[test]
fn regression_why_git_cannot_commit_in_a_sandbox_is_said() {
    let Some(world) = crate::git::repository("") else { return };
    world.lay("a", "changed\n");
    world.execute(&run("git status"), json!({}));
    if !sandbox(&world).starts_with("bubblewrap") {
        return skipped("what is said of git in a sandbox", "there is no bubblewrap");
    }
    for command in ["git commit -qam x", "git add -A", "git switch -c other"] {
        let result = world.execute(&run(command), json!({ "approve": "all" }));
        let failed = &result["results"][0];
        assert_eq!(kinds(&result), ["exec_failed"], "{command}: {result:#}");
        assert!(failed["hint"].to_string().contains("can change .git"), "{command}: {failed:#}");
        let person = failed["personHint"].to_string();
        assert!(person.contains("yourself") && person.contains("exec.sandbox: off"), "{command}: {failed:#}");
    }
}

#[test]
fn regression_new_repositories_are_told_the_first_five_and_their_number() {
    let world = World::new();
    world.lay(".gitignore", "_deps/\n");
    lay_repository(&world, "old");
    let script = "sh -c 'for n in 1 2 3 4 5 6; do mkdir -p new$n/.git; done; mkdir -p _deps/x/.git; \
                  mkdir -p bare/objects bare/refs; echo x > bare/HEAD'";
    let ran = world.run(&["apply", "--approve-all"], run(script).text());
    assert!(
        ran.stdout.contains("made a git repository in 'bare', 'new1', 'new2', 'new3', 'new4' and 2 more"),
        "{ran:?}"
    );
    let result = world.execute(&run("sh -c 'mkdir -p seven/.git'"), json!({ "approve": "all" }));
    let told = &result["results"][0]["data"]["repositories"];
    assert_eq!(told, &json!({ "paths": ["seven"], "count": 1 }), "{result:#}");
    // One that takes the place of another is a new one, and is reported however quiet the report is.
    let swap = "sh -c 'mv old kept && mkdir -p old/.git'";
    let ran = world.run(&["-q", "apply", "--approve-all"], run(swap).text());
    assert!(ran.stdout.contains("made a git repository in 'kept', 'old'"), "{ran:?}");
}

/// A program that prints its name.
fn tool(world: &World, folder: &str) -> String {
    let path = world.path(folder);
    std::fs::create_dir_all(&path).unwrap();
    let file = path.join("tool");
    std::fs::write(&file, format!("#!/bin/sh\necho from {folder}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn regression_what_is_approved_for_good_is_one_program() {
    let mut world = World::with_config("exec: {sandbox: 'off'}\n");
    let (one, other) = (tool(&world, "one"), tool(&world, "other"));
    let paths = ["one", "other"].map(|name| world.path(name).to_str().unwrap().to_owned());
    let only_one = format!("{}:/usr/bin:/bin", paths[0]);
    let other_first = format!("{}:{only_one}", paths[1]);
    world.set("PATH", only_one);
    let ran = world.run(&["approve", "tool"], "");
    assert!(ran.code == 0 && ran.stdout.contains(&format!("runs {one}")), "{ran:?}");
    let said = |ran: &Ran| (ran.code, ran.stdout.contains("from one"), ran.stdout.contains("from other"));
    assert_eq!(said(&world.apply(&run("tool"))), (0, true, false));
    world.set("PATH", other_first);
    let ran = world.apply(&run("tool"));
    assert_eq!(said(&ran), (1, false, false), "{ran:?}");
    let reason = format!("it is approved for '{one}', but would now run '{other}'");
    assert!(ran.stdout.contains(&reason), "{ran:?}");
    // An approval of that one is for that one only.
    assert_eq!(world.run(&["approve", "tool"], "").code, 0);
    assert_eq!(said(&world.apply(&run("tool"))), (0, false, true));
    // A name that resolves to no program yet cannot be approved for good.
    let ran = world.run(&["approve", "no-such-tool --now"], "");
    assert!(ran.code != 0 && ran.stderr.contains("not found in PATH"), "{ran:?}");
}

#[test]
fn regression_files_with_names_outside_are_told_before_approval() {
    for config in ["exec: {sandbox: auto}\n", "exec: {sandbox: 'off'}\n"] {
        let world = World::with_config(config);
        for number in 0..7 {
            let outside = world.path("outside").join(format!("{number}"));
            std::fs::write(&outside, "theirs\n").unwrap();
            std::fs::hard_link(&outside, world.project().join(format!("linked{number}"))).unwrap();
        }
        // Two names of one file, both of the project.
        world.lay("a", "x\n");
        std::fs::hard_link(world.project().join("a"), world.project().join("b")).unwrap();
        assert_eq!(std::fs::metadata(world.project().join("b")).unwrap().nlink(), 2);
        let result = world.execute(&run("sh -c 'echo x >> linked0'"), json!({}));
        let named: Vec<String> = (0..5).map(|number| format!("linked{number}")).collect();
        let expected = json!({ "paths": named, "count": 7 });
        assert_eq!(result["approvals"][0]["linkedOutside"], expected, "{config}: {result:#}");
        let ran = world.apply(&run("sh -c 'echo x >> linked0'"));
        assert!(ran.stdout.contains("7 files here are each also a file elsewhere"), "{ran:?}");
        assert!(ran.stdout.contains("linked4, 2 more"), "{ran:?}");
    }
}

/// Runs a script that calls the programs of `world` where there is no bubblewrap for the daemon, so that
/// Landlock is its sandbox; `None` where that is not possible.
fn without_bubblewrap(world: &World, script: &str) -> Option<Ran> {
    let client = env!("CARGO_BIN_EXE_it-client");
    let bwrap = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
    let there: Vec<&&str> = bwrap.iter().filter(|path| Path::new(path).is_file()).collect();
    let mut command = match there.first() {
        None => world.program("/bin/sh"),
        Some(program) => {
            let mut command = world.program(program);
            command.args(["--dev-bind", "/", "/"]);
            let mut hidden: Vec<_> =
                there.iter().map(|path| Path::new(path).canonicalize().unwrap()).collect();
            hidden.dedup();
            for path in hidden {
                command.arg("--ro-bind").arg("/dev/null").arg(path);
            }
            command.arg("/bin/sh");
            command
        }
    };
    let script = format!("clada() {{ {client} \"$@\"; }}\n{script}\nclada stop > /dev/null");
    command.args(["-c", &script]);
    let ran = feed(&mut command, b"");
    if ran.stderr.contains("bwrap: ") {
        skipped("a daemon without bubblewrap", &ran.stderr);
        return None;
    }
    Some(ran)
}

/// Landlock cannot protect the files that other programs execute: code that no user approved does not run
/// there.
#[test]
fn regression_landlock_is_no_sandbox_for_code_that_nobody_was_asked_about() {
    let world = World::with_config("exec: {approval: sandboxed}\n");
    lay_repository(&world, ".");
    let code = "echo x > .git/hooks/post-checkout; echo x >> .git/config; mkdir -p .clada; echo '# x' > .clada/config.yaml";
    let answer = Answer::new().action("exec", &[("code", code), ("lang", "bash")]);
    std::fs::write(world.path("answer"), answer.text()).unwrap();
    let config = world.read(".git/config");
    let script = format!(
        "clada --json apply {answer}; echo; clada --json apply --again --approve-all {answer}",
        answer = world.path("answer").display()
    );
    let Some(ran) = without_bubblewrap(&world, &script) else { return };
    let values: Vec<Value> =
        serde_json::Deserializer::from_str(&ran.stdout).into_iter().map(|value| value.unwrap()).collect();
    let [asked, done] = &values[..] else { panic!("{ran:?}") };
    let sandbox = &done["results"][0]["data"]["sandbox"];
    if sandbox != "landlock" {
        return skipped("Landlock", &format!("the sandbox is {sandbox}"));
    }
    assert_eq!(kinds(asked), ["command_not_allowed"], "{asked:#}");
    assert_eq!(asked["approvals"][0]["sandbox"], "landlock");
    let reason = asked["approvals"][0]["reason"].as_str().unwrap();
    assert!(reason.contains(".git and .clada"), "{reason}");
    // Once a user has approved it, all its changes are reported.
    let mut touched: Vec<String> =
        [".clada/config.yaml", ".git/config", ".git/hooks/post-checkout"].map(|name| world.at(name)).into();
    touched.sort();
    assert_eq!(done["results"][0]["data"]["touched"], json!(touched), "{done:#}");
    assert_ne!(world.read(".git/config"), config);
}

#[test]
fn regression_repositories_within_the_project_are_watched_under_landlock() {
    let world = World::new();
    lay_repository(&world, "sub");
    std::fs::create_dir_all(world.project().join("sub/.git/worktrees/w")).unwrap();
    let script = "sh -c 'echo /x > sub/.git/commondir; echo /x > sub/.git/worktrees/w/gitdir'";
    std::fs::write(world.path("answer"), run(script).text()).unwrap();
    let script = format!(
        "clada apply {answer}; clada apply --again --approve-all {answer}",
        answer = world.path("answer").display()
    );
    let Some(ran) = without_bubblewrap(&world, &script) else { return };
    if !ran.stdout.contains("sandbox landlock") {
        return skipped("Landlock", &format!("{ran:?}"));
    }
    assert!(
        ran.stdout.contains(
            "changed what git or clada runs or is led by: 'sub/.git/commondir', 'sub/.git/worktrees/w/gitdir'"
        ),
        "{ran:?}"
    );
}
