//! The changes of commands: they are undone with the rest, also after a kill, and those that cannot be undone
//! are reported.

use expect_test::expect;
use serde_json::{Value, json};

use crate::commands::run;
use crate::support::{Answer, World, skipped};

/// Commits everything in a repository, as old as git needs to be sure. Returns `false`, and prints a word
/// about it, where there is no git.
pub(crate) fn commit_all(world: &World) -> bool {
    if world.program("git").arg("--version").output().is_err() {
        skipped("what git has to do with commands", "there is no git");
        return false;
    }
    let git = |args: &[&str]| {
        let mut command = world.program("git");
        command
            .args(["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"])
            .args(args);
        let ran: crate::support::Ran = command.output().unwrap().into();
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    true
}

#[test]
fn what_a_command_changed_is_undone_with_the_rest() {
    let world = World::new();
    world.lay("kept", "old\n");
    world.lay("gone", "gone\n");
    let before = world.tree();
    let answer = Answer::new()
        .write(&world.at("new"), "x\n")
        .action("run", &[("command", "sh -c 'echo more >> kept; rm gone; mkdir d; echo made > d/made'")])
        .replace(&world.at("d/made"), "made", "changed");
    let result = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(result["success"], true, "{result:#}");
    assert_eq!(world.read("d/made"), "changed\n");
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(before.difference(&world.tree()), "");
}

/// A word that is in no other process's command line, also of tests that run at the same time.
#[cfg(target_os = "linux")]
fn mark(world: &World) -> String {
    format!("killed-in-{}", world.path("").file_name().unwrap().display())
}

/// Starts `answer`, whose command writes `made` when it is up and has `mark` in its command line, and kills
/// the daemon. Returns the client's output about that.
#[cfg(target_os = "linux")]
fn kill_in_the_middle(world: &World, answer: &Answer, mark: &str) -> String {
    let args = ["apply", "--approve-all", "--no-git", "--timeout", "10m"];
    let mut client = world.client(&args).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = client.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, answer.text().as_bytes()).unwrap();
    drop(stdin);
    let mut shown = std::io::BufReader::new(client.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("made") {
        line.clear();
        assert_ne!(std::io::BufRead::read_line(&mut shown, &mut line).unwrap(), 0);
    }
    world.kill(mark).unwrap();
    drop(shown);
    let ended = client.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_command_changed_is_known_although_its_daemon_was_killed() {
    for with_git in [false, true] {
        let world = World::new();
        world.lay("kept", "old\n");
        world.lay("d/gone", "gone\n");
        world.lay("untouched", "x\n");
        if with_git && !commit_all(&world) {
            return;
        }
        // The state recorded before the killed command builds on the one recorded for this command.
        let warm = run("sh -c 'echo warm > warm; echo two > two'");
        assert_eq!(world.execute(&warm, json!({ "approve": "all", "git": "off" }))["success"], true);
        world.lay("two", "others\n");
        let before = world.tree();
        let mark = mark(&world);
        let script = format!(
            "sh -c 'trap \"\" TERM; echo more >> kept; rm -r d warm; echo 2 > two; echo new > new; echo made; sleep 600; : {mark}'"
        );
        let answer = Answer::new().write(&world.at("edited"), "x\n").action("run", &[("command", &script)]);
        let said = kill_in_the_middle(&world, &answer, &mark);
        assert!(said.contains("closed the connection before it answered execute"), "{said}");
        // The lock of the root may outlive the daemon's connection for a moment: then the journal reports it
        // later.
        assert!(said.contains("it had done"), "{said}");
        assert_eq!(world.read("kept"), "old\nmore\n");
        let listed = world.run(&["history"], "");
        let undone = world.run(&["undo"], "");
        assert_eq!(undone.code, 0, "{listed:?} {undone:?}");
        assert_eq!(before.difference(&world.tree()), "", "{with_git} {listed:?} {undone:?}");
        let shown = world.run(&["history", "show", "last"], "");
        let told = listed.stdout.contains("interrupted") || shown.stdout.contains("interrupted");
        assert!(told, "{listed:?} {shown:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_changed_nothing_before_its_daemon_was_killed_leaves_no_operation() {
    let world = World::new();
    world.lay("a", "x\n");
    let mark = mark(&world);
    let script = format!("sh -c 'echo made; sleep 600; : {mark}'");
    let said = kill_in_the_middle(&world, &run(&script), &mark);
    let result = world.execute(&Answer::new().write(&world.at("b"), "x"), json!({}));
    assert_eq!(result["success"], true, "{result:#}");
    // Reported once: to the client that lost its daemon, or to the next one.
    let told = said + &result["warnings"].to_string();
    assert!(told.contains("it had changed nothing"), "{told}");
    let listed = world.run(&["--json", "history"], "");
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed["operations"].as_array().unwrap().len(), 1, "{listed:#}");
}

#[test]
fn what_could_not_be_brought_back_is_told_before_and_after() {
    let world = World::new();
    world.lay(".gitignore", "built/\n*.local\n");
    world.lay("built/x", "x");
    world.lay("my.local", "mine\n");
    world.lay("large.bin", vec![b'x'; 5 << 20]);
    world.lay("small", "x");
    let answer = run("sh -c 'echo y > large.bin; echo theirs > my.local; echo y > small'");
    let asked = world.execute(&answer, json!({}));
    let lost = &asked["approvals"][0]["notUndoable"];
    assert_eq!(lost, &json!({ "paths": ["built/", "large.bin", "my.local"], "count": 3 }), "{asked:#}");
    let shown = world.run(&["parse"], answer.text());
    assert!(
        shown.stdout.contains("undo cannot restore, if it changes them: built/, large.bin, my.local"),
        "{shown:?}"
    );
    let id = &asked["approvals"][0]["id"];
    let done = world.execute(&answer, json!({ "approve": [id] }));
    assert_eq!(done["success"], true, "{done:#}");
    let warnings = done["warnings"].to_string();
    assert!(warnings.contains("my.local") && warnings.contains("large.bin"), "{warnings}");
    assert!(!warnings.contains("small"), "{warnings}");
    // In a repository, committed content needs no room.
    let world = World::new();
    world.lay("large.bin", vec![b'x'; 5 << 20]);
    if !commit_all(&world) {
        return;
    }
    let index = std::fs::File::options().append(true).open(world.project().join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
    let answer = run("sh -c 'echo y > large.bin'");
    let asked = world.execute(&answer, json!({}));
    assert_eq!(asked["approvals"][0]["notUndoable"]["count"], 0, "{asked:#}");
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["success"], true, "{done:#}");
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(world.read("large.bin").len(), 5 << 20);
}

#[test]
fn a_secret_that_a_command_changes_is_undone_and_never_committed() {
    let world = World::new();
    world.lay("a", "x\n");
    if !commit_all(&world) {
        return;
    }
    world.lay(".env", "KEY=mine\n");
    let answer = run("sh -c 'echo KEY=theirs > .env; echo y > a'");
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["success"], true, "{done:#}");
    assert!(done["git"]["after"].is_string(), "{done:#}");
    let mut command = world.program("git");
    let log: crate::support::Ran = command.args(["log", "-p", "--all"]).output().unwrap().into();
    assert!(log.stdout.contains("+y") && !log.stdout.contains("KEY"), "{log:?}");
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!((world.read(".env"), world.read("a")), ("KEY=mine\n".to_owned(), "x\n".to_owned()));
}

/// Returns the output of `undo` with `args`, which has to fail and to change nothing.
fn refused(world: &World, args: &[&str]) -> String {
    let before = world.tree();
    let undone = world.run(args, "");
    assert_ne!(undone.code, 0, "{undone:?}");
    assert_eq!(before.difference(&world.tree()), "");
    undone.stdout + &undone.stderr
}

#[test]
fn undo_does_not_pass_over_a_command_that_changed_what_nothing_brings_back() {
    let world = World::new();
    world.lay(".gitignore", "*.local\n");
    world.lay("my.local", "mine\n");
    let first = world.execute(&Answer::new().write(&world.at("new"), "x\n"), json!({}));
    let answer = run("sh -c 'echo theirs > my.local'");
    let second = world.execute(&answer, json!({ "approve": "all" }));
    let ids = [&first, &second].map(|result| result["operationId"].as_str().unwrap().to_owned());
    let told = refused(&world, &["undo"]);
    assert!(told.contains("my.local") && ids.iter().all(|id| told.contains(&id[..3])), "{told}");
    refused(&world, &["undo", "--dry-run"]);
    let shown = world.run(&["history", "show", "last"], "");
    expect![[r#"
        Operation ID, execute, TIME TIME
          Some words.
          changed /TOP/project/my.local, which undo cannot restore

        [task-1] SUCCESS: run

        ERROR: changed my.local: the earlier content is not recorded: it cannot be restored
    "#]]
    .assert_eq(&world.shown(&shown.stdout));
    // Either way on: by name, or past it for good.
    assert_eq!(world.run(&["undo", &ids[0]], "").code, 0);
    assert!(!world.project().join("new").exists());
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!(world.read("new"), "x\n");
    assert_eq!(world.run(&["undo", "--force"], "").code, 0);
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert!(!world.project().join("new").exists());
    assert_eq!(world.read("my.local"), "theirs\n");
}

#[test]
fn regression_undo_does_not_pass_over_a_large_file_that_hides_its_change() {
    let world = World::new();
    world.lay("large", vec![b'x'; 5 << 20]);
    let first = world.execute(&Answer::new().write(&world.at("new"), "x\n"), json!({}));
    let script = "touch -r large ref; printf y | dd of=large conv=notrunc; touch -r ref large; rm ref";
    let second = world.execute(&run(&format!("sh -c '{script}'")), json!({ "approve": "all" }));
    let ids = [&first, &second].map(|result| result["operationId"].as_str().unwrap().to_owned());
    assert_eq!(world.read("large").as_bytes()[0], b'y', "{second:#}");
    let told = refused(&world, &["undo"]);
    assert!(told.contains("large") && ids.iter().all(|id| told.contains(&id[..3])), "{told}");
}

#[test]
fn what_a_command_changed_is_undone_although_it_could_not_be_committed() {
    let world = World::new();
    world.lay("a", "x\n");
    if !commit_all(&world) {
        return;
    }
    // As another git does while it works.
    world.lay("b", "mine\n");
    let before = world.tree().filter(|path| !path.to_string_lossy().starts_with(".git"));
    let script = "echo y > a; rm b; echo new > new";
    std::fs::write(world.at(".git/index.lock"), "").unwrap();
    let done = world.execute(&run(&format!("sh -c '{script}'")), json!({ "approve": "all" }));
    std::fs::remove_file(world.at(".git/index.lock")).unwrap();
    assert_eq!(done["success"], true, "{done:#}");
    assert!(done["warnings"].to_string().contains("is not committed"), "{done:#}");
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?} {done:#}");
    let found = world.tree().filter(|path| !path.to_string_lossy().starts_with(".git"));
    assert_eq!(before.difference(&found), "");
}

#[test]
fn the_rest_of_such_a_command_is_undone_and_told() {
    let world = World::new();
    world.lay(".gitignore", "*.local\n");
    world.lay("my.local", "mine\n");
    world.lay("a", "x\n");
    world.execute(&run("sh -c 'echo theirs > my.local; echo y > a'"), json!({ "approve": "all" }));
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!((undone.stdout.clone() + &undone.stderr).contains("my.local"), "{undone:?}");
    assert_eq!((world.read("a"), world.read("my.local")), ("x\n".to_owned(), "theirs\n".to_owned()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_kill_does_not_lose_word_of_what_nothing_brings_back() {
    let world = World::new();
    world.lay(".gitignore", "*.local\n");
    world.lay("my.local", "mine\n");
    let mark = "clada-test-of-a-lost-file";
    let script = format!("sh -c 'echo theirs > my.local; echo made; sleep 600; : {mark}'");
    kill_in_the_middle(&world, &run(&script), mark);
    let undone = world.run(&["undo"], "");
    assert!(undone.code != 0, "{undone:?}");
    expect![[r#"
        clada: Cannot undo ID: its command changed '/TOP/project/my.local', and the earlier content is not recorded. Nothing was modified.
          `clada undo ID --force` skips it
    "#]].assert_eq(&world.shown(&undone.stderr));
    assert_eq!(world.read("my.local"), "theirs\n");
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_command_changed_besides_contents_is_undone() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let world = World::new();
    let attribute = |name: &str| {
        let mut value = [0; 16];
        let read = getxattr(world.project().join(name), "user.clada", &mut value[..]).ok()?;
        Some(value[..read].to_vec())
    };
    let names = ["same", "changed", "replaced"];
    for name in names {
        world.lay(name, "x\n");
        if setxattr(world.project().join(name), "user.clada", b"mine", XattrFlags::empty()).is_err() {
            return skipped("extended attributes", "the file system has none");
        }
    }
    // `cp` keeps no attributes of its source, and a file that is moved here has its own.
    let script = "cp same new && cat new > changed && mv new replaced && echo y >> changed && echo z > made \
                  && cp made same2 && cp same same3 && mv same3 same";
    let before = world.tree();
    let done = world.execute(&run(&format!("sh -c '{script}'")), json!({ "approve": "all" }));
    assert_eq!(done["success"], true, "{done:#}");
    assert_eq!((attribute("same"), attribute("replaced")), (None, None));
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(before.difference(&world.tree()), "");
    assert_eq!(names.map(attribute), [(); 3].map(|()| Some(b"mine".to_vec())));
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!((attribute("same"), attribute("replaced")), (None, None));
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(names.map(attribute), [(); 3].map(|()| Some(b"mine".to_vec())));
}

#[test]
fn folders_that_are_not_looked_into_are_named_before_and_after() {
    let world = World::new();
    world.lay(".gitignore", "node_modules/\ntarget/\n");
    world.lay("node_modules/a/x", "x");
    world.lay("target/debug/x", "x");
    let answer = run("sh -c 'echo y > target/debug/x; echo y > node_modules/y'");
    let asked = world.execute(&answer, json!({}));
    let folders = json!({ "paths": ["node_modules/", "target/"], "count": 2 });
    assert_eq!(asked["approvals"][0]["notUndoable"], folders, "{asked:#}");
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["results"][0]["data"]["not_undoable"], folders, "{done:#}");
    // Nothing is known of deeper levels.
    let warnings = done["warnings"].to_string();
    assert!(warnings.contains("node_modules/") && !warnings.contains("target/"), "{warnings}");
    // It is not an operation that undo could mean.
    assert!(refused(&world, &["undo"]).contains("nothing to undo"));
}

#[test]
fn regression_what_an_answer_has_ignored_can_be_brought_back() {
    for with_git in [false, true] {
        let world = World::new();
        world.lay(".gitignore", "built/\n");
        if with_git && !commit_all(&world) {
            continue;
        }
        world.lay("notes.txt", "mine\n");
        world.lay("mine/deep/a", "mine\n");
        world.lay("mine/b", "mine\n");
        world.lay("built/x", "x");
        let files = || world.tree().filter(|path| !path.to_string_lossy().starts_with(".git/"));
        let before = files();
        let spoils = "echo theirs > notes.txt; echo theirs > mine/deep/a; rm mine/b; echo theirs > own.txt";
        let answer = Answer::new()
            .write(&world.at(".gitignore"), "built/\n*.txt\nmine/\n")
            .write(&world.at("own.txt"), "new\n")
            .action("run", &[("command", &format!("sh -c '{spoils}'"))]);
        // The answer makes git ignore the files before its command changes them; only those ignored from the
        // beginning are lost.
        let asked = world.execute(&answer, json!({ "dryRun": true }));
        assert_eq!(asked["approvals"][0]["notUndoable"]["paths"], json!(["built/"]), "{asked:#}");
        let done = world.execute(&answer, json!({ "approve": "all" }));
        assert_eq!(done["success"], true, "{done:#}");
        assert_eq!(world.read("notes.txt"), "theirs\n");
        if with_git {
            let listed =
                world.program("git").args(["ls-tree", "-r", "--name-only", "HEAD"]).output().unwrap();
            let listed = String::from_utf8(listed.stdout).unwrap();
            assert!(!listed.contains("notes.txt") && !listed.contains("mine"), "{listed}");
        }
        let undone = world.run(&["undo"], "");
        assert_eq!(undone.code, 0, "{undone:?}");
        assert_eq!(before.difference(&files()), "");
    }
}

#[test]
fn regression_what_a_command_has_ignored_before_another_can_be_brought_back() {
    let world = World::new();
    world.lay("notes.txt", "mine\n");
    let before = world.tree();
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'echo notes.txt > .gitignore'")])
        .action("run", &[("command", "sh -c 'echo theirs > notes.txt'")]);
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["success"], true, "{done:#}");
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn regression_what_one_command_makes_and_another_has_ignored_can_be_brought_back() {
    let world = World::new();
    let before = world.tree();
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'echo made > made.txt; mkdir made; echo x > made/x'")])
        .write(&world.at(".gitignore"), "made*\n")
        .action("run", &[("command", "sh -c 'echo other > made.txt; echo y > made/x'")]);
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["success"], true, "{done:#}");
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(before.difference(&world.tree()), "");
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!((world.read("made.txt"), world.read("made/x")), ("other\n".to_owned(), "y\n".to_owned()));
}
