//! Commits of operations with commands, which are applied in parts: one before and one after, whatever
//! the commands do, and undo restores the uncommitted content, staged or not.

use serde_json::Value;

use crate::git::git;
use crate::support::{Answer, World, skipped};

fn is(world: &World, arguments: &[&str]) -> String {
    git(world, arguments).unwrap().trim_end().to_owned()
}

fn shell(script: &str) -> String {
    format!("sh -c '{script}'")
}

/// Returns a repository with files of one line each, of which `dirty` is changed, `staged` staged and changed
/// again, and `new` not known to git. `None` where there is no git.
fn repository(config: &str) -> Option<World> {
    // A sandbox leaves `.git` alone, which these commands are to change.
    let world = World::with_config(&format!("durability: fast\nexec: {{sandbox: 'off'}}\n{config}"));
    if let Err(error) = git(&world, &["init", "-q", "-b", "main"]) {
        skipped("commits", &format!("there is no git here ({error})"));
        return None;
    }
    for name in ["clean", "dirty", "staged", "other"] {
        world.lay(name, "one\n");
    }
    git(&world, &["add", "."]).unwrap();
    git(&world, &["commit", "-qm", "first"]).unwrap();
    world.lay("staged", "one\nstaged\n");
    git(&world, &["add", "staged"]).unwrap();
    for name in ["dirty", "staged", "other"] {
        world.lay(name, format!("{}mine\n", world.read(name)));
    }
    world.lay("new", "mine\n");
    Some(world)
}

/// Returns git's whole output about branch, index and files.
fn all(world: &World) -> Vec<String> {
    let asked: [&[&str]; 5] = [
        &["rev-parse", "HEAD"],
        &["status", "--porcelain"],
        &["diff"],
        &["diff", "--cached"],
        &["ls-files", "-s"],
    ];
    asked.iter().map(|arguments| is(world, arguments)).collect()
}

fn applied(world: &World, answer: &Answer) -> Value {
    let result = world.apply_json(&["--approve-all"], answer.text());
    assert_eq!(result["success"], true, "{result:#}");
    result
}

fn undone(world: &World, way: &str) -> Value {
    let ran = world.run(&["--json", way], "");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(result["success"], true, "{result:#}");
    result
}

fn subjects(world: &World, reference: &str) -> Vec<String> {
    is(world, &["log", "--first-parent", "--format=%s", reference]).lines().map(str::to_owned).collect()
}

/// An edit, a command that changes other dirty files and stages, and an edit of a file that both changed.
fn in_parts(world: &World) -> Answer {
    Answer::new()
        .replace(&world.at("dirty"), "one", "two")
        .action(
            "run",
            &[(
                "command",
                &shell("echo more >> dirty; echo more >> staged; echo more >> new; echo x > made"),
            )],
        )
        .replace(&world.at("dirty"), "more", "most")
        .replace(&world.at("clean"), "one", "two")
}

#[test]
fn regression_an_answer_in_parts_has_one_commit_before_and_undo_takes_both_off() {
    let Some(world) = repository("") else { return };
    let was = all(&world);
    let result = applied(&world, &in_parts(&world));
    let id = result["operationId"].as_str().unwrap();
    let log = subjects(&world, "HEAD");
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(log[1], format!("clada: before {id}"));
    assert_eq!(result["git"]["before"], is(&world, &["rev-parse", "HEAD~"]).as_str(), "{result:#}");
    for (name, content) in
        [("dirty", "one\nmine"), ("staged", "one\nstaged\nmine"), ("new", "mine"), ("clean", "one")]
    {
        assert_eq!(is(&world, &["show", &format!("HEAD~:{name}")]), content, "{name}");
    }
    assert_eq!(is(&world, &["status", "--porcelain"]), " M other");
    for _ in 0..2 {
        let back = undone(&world, "undo");
        assert!(back["git"]["retracted"].is_string(), "{back:#}");
        assert_eq!(all(&world), was);
        undone(&world, "redo");
        assert_eq!(subjects(&world, "HEAD").len(), 3);
        assert_eq!(is(&world, &["status", "--porcelain"]), " M other");
    }
    is(&world, &["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn regression_what_a_command_staged_is_not_what_the_person_had_staged() {
    let Some(world) = repository("") else { return };
    let was = all(&world);
    let answer = Answer::new()
        .action("run", &[("command", &shell("echo x > made; echo more >> staged; git add made staged"))])
        .replace(&world.at("dirty"), "one", "two");
    applied(&world, &answer);
    undone(&world, "undo");
    assert_eq!(all(&world), was);
}

#[test]
fn regression_what_a_command_commits_itself_is_not_taken_back_before_it() {
    let Some(world) = repository("") else { return };
    let answer = Answer::new()
        .replace(&world.at("dirty"), "one", "two")
        .action(
            "run",
            &[(
                "command",
                &shell("echo more >> clean; git -c user.name=A -c user.email=a@b commit -qm mine clean"),
            )],
        )
        .replace(&world.at("clean"), "more", "most")
        .replace(&world.at("other"), "one", "two");
    let result = applied(&world, &answer);
    let id = result["operationId"].as_str().unwrap();
    let before = format!("clada: before {id}");
    let log = subjects(&world, "HEAD");
    assert_eq!(log[1..], [before.as_str(), "mine", &before, "first"], "{log:?}");
    assert!(result["git"]["note"].as_str().unwrap().contains(&is(&world, &["rev-parse", "HEAD~3"])));
    assert_eq!(is(&world, &["show", "HEAD~:clean"]), "one\nmore", "not as if it were to be taken back");
    assert_eq!(is(&world, &["status", "--porcelain"]).lines().count(), 2, "staged and new are as they were");
    // With another author's commit in between, none of them is retracted.
    let back = undone(&world, "undo");
    assert_eq!(back["git"].get("retracted"), None, "{back:#}");
    assert_eq!(back["git"]["after"], is(&world, &["rev-parse", "HEAD"]).as_str(), "{back:#}");
    assert_eq!(world.read("other"), "one\nmine\n");
    assert_eq!(world.read("clean"), "one\n");
    assert_eq!(subjects(&world, "HEAD").len(), log.len() + 1);
}

#[test]
fn regression_commits_beside_the_branch_and_of_everything_are_one_before_and_one_after() {
    let Some(world) = repository("git: {mode: refs}\n") else { return };
    let was = all(&world);
    let result = applied(&world, &in_parts(&world));
    assert_eq!(all(&world)[0], was[0]);
    let log = subjects(&world, "refs/clada/main");
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(result["git"]["before"], is(&world, &["rev-parse", "refs/clada/main~"]).as_str());
    assert_eq!(is(&world, &["show", "refs/clada/main~:staged"]), "one\nstaged\nmine");
    undone(&world, "undo");
    assert_eq!(all(&world), was);

    let Some(world) = repository("git: {before: all}\n") else { return };
    let was = all(&world);
    let answer = Answer::new()
        .action("run", &[("command", &shell("echo more >> dirty; echo x > made"))])
        .replace(&world.at("clean"), "one", "two")
        .action("run", &[("command", &shell("echo y > made-too"))]);
    applied(&world, &answer);
    let log = subjects(&world, "HEAD");
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(is(&world, &["show", "HEAD~:other"]), "one\nmine");
    assert_eq!(is(&world, &["show", "HEAD~:dirty"]), "one\nmine");
    assert!(git(&world, &["show", "HEAD~:made"]).is_err(), "what the command made is not from before it");
    assert_eq!(is(&world, &["status", "--porcelain"]), "");
    // Later work is no reason to leave them.
    world.lay("since", "then\n");
    let back = undone(&world, "undo");
    assert!(back["git"]["retracted"].is_string(), "{back:#}");
    std::fs::remove_file(world.project().join("since")).unwrap();
    assert_eq!(all(&world), was);
}

#[test]
fn regression_an_operation_that_changed_nothing_leaves_no_commit() {
    let Some(world) = repository("") else { return };
    let was = all(&world);
    let answer = Answer::new()
        .replace(&world.at("staged"), "one", "two")
        .action("run", &[("command", &shell("sed -i s/two/one/ staged"))]);
    let result = applied(&world, &answer);
    assert_eq!(result["git"].get("before"), None, "{result:#}");
    assert_eq!(all(&world), was);
    assert_eq!(is(&world, &["for-each-ref", "refs/clada"]), "");
}

#[test]
fn regression_several_commits_before_of_older_versions_go_together() {
    let Some(world) = repository("") else { return };
    let was = all(&world);
    let result = applied(&world, &in_parts(&world));
    let id = result["operationId"].as_str().unwrap();
    // As it was: a commit before each part.
    let clada = |arguments: &[&str]| {
        let own = ["-c", "user.name=clada", "-c", "user.email=clada@localhost"];
        is(&world, &[&own[..], arguments].concat())
    };
    let after = is(&world, &["rev-parse", "HEAD^{tree}"]);
    let before = is(&world, &["rev-parse", "HEAD~^{tree}"]);
    let first = is(&world, &["rev-parse", "HEAD~2"]);
    let first_part = {
        is(&world, &["read-tree", "--index-output=.git/part", "HEAD~2"]);
        is(&world, &["rev-parse", "HEAD~2^{tree}"])
    };
    std::fs::remove_file(world.project().join(".git/part")).unwrap();
    let trailer = format!("Clada-Operation: {id}");
    let text = format!("clada: before {id}");
    let mut tip = first;
    for (tree, text) in [(&first_part, text.as_str()), (&before, &text), (&after, "AI: all of it")] {
        tip = clada(&["commit-tree", tree, "-p", &tip, "-m", text, "-m", &trailer]);
    }
    is(&world, &["update-ref", "refs/heads/main", &tip]);
    let back = undone(&world, "undo");
    assert!(back["git"]["retracted"].is_string(), "{back:#}");
    assert_eq!(all(&world), was);
}

#[test]
fn a_part_that_cannot_begin_leaves_the_others_committed() {
    let Some(world) = repository("") else { return };
    let was = all(&world);
    let answer = Answer::new()
        .replace(&world.at("dirty"), "one", "two")
        .action("run", &[("command", &shell("touch .git/index.lock"))])
        .replace(&world.at("clean"), "one", "two");
    let result = world.apply_json(&["--approve-all"], answer.text());
    assert_eq!(result["success"], false, "{result:#}");
    assert_eq!(result["results"][2]["kind"], "git_operation_failed", "{result:#}");
    std::fs::remove_file(world.project().join(".git/index.lock")).unwrap();
    assert_eq!(world.read("clean"), "one\n");
    // The changed files could not be committed either; the commit before is there, and undo retracts it.
    assert_eq!(subjects(&world, "HEAD").len(), 2);
    let back = undone(&world, "undo");
    assert!(back["git"]["retracted"].is_string(), "{back:#}");
    assert_eq!(all(&world), was);
}
