//! Commits of operations, with the real programs: their place, the reports about them, and the effect of undo
//! on them.

use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Answer, Ran, Terminal, World, skipped};

/// Runs git as the user does.
pub(crate) fn git(world: &World, arguments: &[&str]) -> Result<String, String> {
    let output = world
        .program("git")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

pub(crate) fn is(world: &World, arguments: &[&str]) -> String {
    git(world, arguments).unwrap().trim_end().to_owned()
}

/// A repository with `a` in it, something staged and something not; `None` where there is no git.
pub(crate) fn repository(config: &str) -> Option<World> {
    let world = World::with_config(&format!("durability: fast\n{config}"));
    world.lay("a", "one\n");
    if let Err(error) = git(&world, &["init", "-q", "-b", "main"]) {
        skipped("commits", &format!("there is no git here ({error})"));
        return None;
    }
    world.lay("staged", "old\n");
    git(&world, &["add", "."]).unwrap();
    git(&world, &["commit", "-qm", "first"]).unwrap();
    world.lay("staged", "new\n");
    git(&world, &["add", "staged"]).unwrap();
    world.lay("untracked", "mine\n");
    Some(world)
}

const OTHERS: &str = "M  staged\n?? untracked";

pub(crate) fn answer(world: &World) -> Answer {
    Answer::new().replace(&world.at("a"), "one", "two").write(&world.at("new/b"), "b\n")
}

#[test]
fn an_operation_is_committed_and_undo_takes_the_commit_back() {
    let Some(world) = repository("") else { return };
    let first = is(&world, &["rev-parse", "HEAD"]);
    let ran = world.apply(&answer(&world));
    assert_eq!(ran.code, 0, "{ran:?}");
    let head = is(&world, &["rev-parse", "HEAD"]);
    assert!(ran.stdout.contains(&format!("git: commit {} on the branch", &head[..10])), "{ran:?}");
    expect![[r#"
        [task-1] SUCCESS: file_replace_text - 1 replacement in a
        [task-2] SUCCESS: file_write - created new/b (2 bytes)

         a     | +1 -1
         new/b | +1 -0 (new)
         2 files, +2 -1

        git: commit ID on the branch
        git: clada commits what it changes to your branch; `--git refs`, or `git.mode: refs` in the configuration, keeps its commits alongside it, and `--no-git` makes none

        2 actions: 2 succeeded. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
    assert_eq!(
        is(&world, &["log", "-1", "--format=%an <%ae> %s"]),
        "clada <clada@localhost> AI: edited a and created new/b"
    );
    assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
    let id = is(&world, &["log", "-1", "--format=%(trailers:key=Clada-Operation,valueonly)"]);
    let undone = world.run(&["undo"], "");
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(undone.stdout.contains(&format!("kept in refs/clada/undo/{id})")), "{undone:?}");
    expect![[r#"
          changed a
          deleted the folder new
          deleted new/b
        git: removed its commits from the branch (kept in refs/clada/undo/ID)
        Undo of ID (edited a and created new/b): 3 paths. Operation ID; `clada redo` reverts it.
    "#]]
    .assert_eq(&world.shown(&undone.stdout));
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), first);
    assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
    let redone = world.run(&["--json", "redo"], "");
    let redone: Value = serde_json::from_str(&redone.stdout).unwrap();
    assert_eq!(redone["git"]["after"], is(&world, &["rev-parse", "HEAD"]).as_str(), "{redone:#}");
    assert_eq!(is(&world, &["show", "HEAD:a"]), "two");
    let subject = is(&world, &["log", "-1", "--format=%s"]);
    assert!(subject.starts_with(&format!("AI: redo {id}: ")), "{subject}");
    let again = world.apply(&Answer::new().write(&world.at("c"), "c\n"));
    assert!(!again.stdout.contains("`git.mode: refs`"), "told once: {again:?}");
    assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
    is(&world, &["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn undo_commits_the_reverse_when_something_is_on_top() {
    let Some(world) = repository("") else { return };
    world.apply(&answer(&world));
    git(&world, &["commit", "-qm", "on top"]).unwrap();
    let undone = world.run(&["--json", "undo"], "");
    let undone: Value = serde_json::from_str(&undone.stdout).unwrap();
    assert_eq!(undone["git"]["after"], is(&world, &["rev-parse", "HEAD"]).as_str(), "{undone:#}");
    assert_eq!(is(&world, &["show", "HEAD:a"]), "one");
    assert_eq!(is(&world, &["rev-list", "--count", "HEAD"]), "4");
    assert_eq!(is(&world, &["status", "--porcelain"]), "?? untracked");
}

#[test]
fn regression_what_was_not_committed_is_undone_without_commits() {
    let Some(world) = repository("") else { return };
    let head = is(&world, &["rev-parse", "HEAD"]);
    world.apply_json(&["--no-git"], answer(&world).text());
    let undone: Value = serde_json::from_str(&world.run(&["--json", "undo"], "").stdout).unwrap();
    assert_eq!((&undone["success"], undone.get("git")), (&json!(true), None), "{undone:#}");
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!(world.read("a"), "two\n");
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), head);
    assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
    world.apply_json(&["--git", "refs", "--again"], answer(&world).text());
    let undone: Value = serde_json::from_str(&world.run(&["--json", "undo"], "").stdout).unwrap();
    assert_eq!(undone["git"]["mode"], "refs", "{undone:#}");
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), head);
    world.apply_json(&["--no-git", "--again"], answer(&world).text());
    let asked: Value =
        serde_json::from_str(&world.run(&["--json", "undo", "--git", "branch"], "").stdout).unwrap();
    assert_eq!(asked["git"]["after"], is(&world, &["rev-parse", "HEAD"]).as_str(), "{asked:#}");
}

#[test]
fn regression_undo_after_redo_takes_the_commits_of_the_redo_off_the_branch() {
    let Some(world) = repository("") else { return };
    let staged = is(&world, &["diff", "--cached"]);
    let head = is(&world, &["rev-parse", "HEAD"]);
    world.apply_json(&[], answer(&world).write(&world.at("staged"), "newer\n").text());
    for _ in 0..3 {
        let undone: Value = serde_json::from_str(&world.run(&["--json", "undo"], "").stdout).unwrap();
        assert!(undone["git"]["retracted"].is_string(), "{undone:#}");
        assert_eq!(is(&world, &["rev-parse", "HEAD"]), head);
        assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
        assert_eq!(is(&world, &["diff", "--cached"]), staged);
        assert_eq!(world.run(&["redo"], "").code, 0);
        assert_eq!(is(&world, &["rev-list", "--count", "HEAD"]), "3");
    }
    is(&world, &["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn regression_an_undo_that_finds_everything_undone_takes_the_commits_off_the_branch() {
    let Some(world) = repository("") else { return };
    let head = is(&world, &["rev-parse", "HEAD"]);
    world.apply_json(&[], answer(&world).text());
    world.lay("a", "one\n");
    std::fs::remove_dir_all(world.project().join("new")).unwrap();
    let undone: Value = serde_json::from_str(&world.run(&["--json", "undo"], "").stdout).unwrap();
    assert_eq!(undone["changes"], json!([]), "{undone:#}");
    assert!(undone["git"]["retracted"].as_str().is_some_and(|kept| kept.starts_with("refs/clada/undo/")));
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), head);
    assert_eq!(is(&world, &["status", "--porcelain"]), OTHERS);
    // Behind a commit of the user's they stay.
    world.apply_json(&["--again"], answer(&world).text());
    world.lay("a", "one\n");
    std::fs::remove_dir_all(world.project().join("new")).unwrap();
    git(&world, &["commit", "-qam", "by hand"]).unwrap();
    let head = is(&world, &["rev-parse", "HEAD"]);
    let undone: Value = serde_json::from_str(&world.run(&["--json", "undo"], "").stdout).unwrap();
    assert_eq!((&undone["success"], undone.get("git")), (&json!(true), None), "{undone:#}");
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), head);
}

#[test]
fn flags_and_settings_say_where_commits_go() {
    let Some(world) =
        repository("git: {author: Eve <eve@x>, commit_message_format: 'model: {operation_summary}'}\n")
    else {
        return;
    };
    let text = answer(&world);
    let none = world.apply_json(&["--no-git"], text.text());
    assert_eq!(none.get("git"), None, "{none:#}");
    assert_eq!(
        is(&world, &["status", "--porcelain"]),
        format!(" M a\n{}\n?? new/\n?? untracked", "M  staged")
    );
    // The flags win over the configuration, and the branch stays untouched by commits in refs of clada's own.
    let beside = Answer::new().write(&world.at("a"), "three\n");
    let refs = world.apply_json(&["--git", "refs", "--git-author", "Bob"], beside.text());
    assert_eq!(refs["git"]["mode"], "refs", "{refs:#}");
    assert_eq!(refs["git"]["after"], is(&world, &["rev-parse", "refs/clada/main"]).as_str());
    assert_eq!(is(&world, &["show", &format!("{}:a", refs["git"]["before"].as_str().unwrap())]), "two");
    assert_eq!(is(&world, &["log", "-1", "--format=%an", "refs/clada/main"]), "Bob");
    assert_eq!(is(&world, &["rev-list", "--count", "HEAD"]), "1");
    let branch = world.apply_json(&[], Answer::new().write(&world.at("a"), "four\n").text());
    assert_eq!(branch["git"]["mode"], "branch", "{branch:#}");
    assert_eq!(
        is(&world, &["log", "--format=%an %s"]),
        format!(
            "Eve model: edited a\nEve clada: before {}\nAda first",
            branch["operationId"].as_str().unwrap()
        )
    );
    let wrong = world.run(&["apply", "--git-author", "<x>"], text.text());
    assert_ne!(wrong.code, 0, "{wrong:?}");
}

#[test]
fn a_repository_that_cannot_be_used_is_said_or_refused() {
    let Some(world) = repository("") else { return };
    world.lay(".git/MERGE_HEAD", format!("{}\n", is(&world, &["rev-parse", "HEAD"])));
    let asked = world.run(&["apply", "--git", "branch"], answer(&world).text());
    assert_eq!(asked.code, 1, "{asked:?}");
    expect![[r#"
        clada: Nothing was changed: no commits can be made: a merge is in progress (GIT)
          finish the git operation in progress, or apply without commits with --no-git
    "#]]
    .assert_eq(&world.shown(&asked.stderr));
    assert_eq!(world.read("a"), "one\n", "nothing is written");
    let applied = world.apply_json(&[], answer(&world).text());
    assert_eq!(
        applied["git"],
        json!({ "mode": "branch", "skipped": "a merge is in progress" }),
        "{applied:#}"
    );
    assert_eq!(world.read("a"), "two\n");
}

#[test]
fn without_a_repository_everything_works() {
    let world = World::with_config("durability: fast\n");
    world.lay("a", "one\n");
    let applied = world.apply_json(&[], answer(&world).text());
    assert_eq!((applied["success"].clone(), applied.get("git")), (json!(true), None), "{applied:#}");
    let asked = world.apply_json(&["--git", "branch"], Answer::new().write(&world.at("a"), "x\n").text());
    assert_eq!(asked["git"]["skipped"], "there is no git repository", "{asked:#}");
}

#[test]
fn a_failure_before_changes_nothing_and_one_after_is_said() {
    let Some(world) = repository("") else { return };
    world.lay("a", "one, dirty\n");
    world.lay(".git/index.lock", "");
    let failed = world.apply_json(&[], answer(&world).text());
    assert_eq!(failed["results"][0]["kind"], "git_operation_failed", "{failed:#}");
    let fatal = failed["fatalError"].as_str().unwrap_or_default();
    assert!(fatal.starts_with("Nothing is changed: Another program holds the repository's lock"), "{fatal}");
    assert_eq!((world.read("a").as_str(), world.exists("new/b")), ("one, dirty\n", false));
    assert!(world.exists(".git/index.lock"), "it is somebody else's");
    std::fs::remove_file(world.project().join(".git/index.lock")).unwrap();
    // Nothing is dirty: this lock is hit only after the files are written.
    world.lay("a", "one\n");
    world.lay(".git/refs/heads/main.lock", "");
    let failed = world.apply_json(&[], answer(&world).text());
    let fatal = failed["fatalError"].as_str().unwrap_or_default();
    expect!["The changes are made, but not committed: Another program holds the repository's lock '/TOP/project/.git/refs/heads/main.lock'. Once no git is running, delete the lock and commit them with git, or take them back with `clada undo`"].assert_eq(&world.shown(fatal));
    assert_eq!(world.read("a"), "two\n", "the operation stands");
    assert!(!world.exists(".git/index.lock") && world.exists(".git/refs/heads/main.lock"));
    let undone = world.run(&["history"], "");
    expect![[r#"
        ID  AGO  2 files +2 -1  a …  Some words.
    "#]]
    .assert_eq(&world.shown(&undone.stdout));
}

#[test]
fn squashing_and_stepping() {
    let Some(world) = repository("") else { return };
    git(&world, &["reset", "-q", "--hard"]).unwrap();
    for text in ["two\n", "three\n"] {
        assert_eq!(world.apply(&Answer::new().write(&world.at("a"), text)).code, 0);
    }
    let squashed = world.run(&["git", "squash", "--message", "both"], "");
    assert!(squashed.stdout.starts_with("Squashed 2 commits into "), "{squashed:?}");
    assert_eq!(is(&world, &["log", "--format=%s"]), "both\nfirst");
    let back = world.run(&["git", "step-back"], "");
    expect![[r#"
        At ID.
        HEAD is detached: a commit made here is on no branch. `clada git step-forward` goes back one commit, towards main; `git switch main` goes to its end.
        Stashed, and restored when HEAD is here again:
          untracked
        Operation ID; `clada undo` reverts it.
    "#]]
    .assert_eq(&world.shown(&back.stdout));
    assert_eq!((world.read("a").as_str(), world.exists("untracked")), ("one\n", false));
    let forward = world.run(&["git", "step-forward"], "");
    expect![[r#"
        At ID, the end of main.
        The changes stashed here are restored.
        Operation ID; `clada undo` reverts it.
    "#]]
    .assert_eq(&world.shown(&forward.stdout));
    assert_eq!((world.read("a").as_str(), world.read("untracked").as_str()), ("three\n", "mine\n"));
    let refused = world.connect().fail("git.squash", &json!({ "root": world.root(), "mode": "hours" }));
    assert_eq!(refused["data"]["kind"], "invalid_params", "{refused:#}");
}

/// Returns a repository with two operations that are committed.
fn worked() -> Option<World> {
    let world = repository("")?;
    git(&world, &["reset", "-q", "--hard"]).unwrap();
    for text in ["two\n", "three\n"] {
        assert_eq!(world.apply(&Answer::new().write(&world.at("a"), text)).code, 0);
    }
    Some(world)
}

#[test]
fn a_squash_and_steps_are_operations_that_are_undone() {
    let Some(world) = worked() else { return };
    let log = is(&world, &["log", "--format=%H"]);
    assert_eq!(world.run(&["git", "squash", "--message", "both"], "").code, 0);
    assert_eq!(world.run(&["git", "step-back"], "").code, 0);
    let listed = world.run(&["history"], "");
    expect![[r#"
        ID  AGO  stepped back to ID
        ID  AGO  squashed 2 commits into ID
        ID  AGO  1 file +1 -1  a  Some words.
        ID  AGO  1 file +1 -1  a  Some words.
    "#]]
    .assert_eq(&world.shown(&listed.stdout));
    let dry = world.run(&["undo", "--dry-run"], "");
    assert_eq!((dry.code, world.read("a").as_str()), (0, "one\n"), "{dry:?}");
    let undone = world.run(&["undo"], "");
    expect![[r#"
        git: the changes stashed here are restored
        Undo of ID (stepped back to ID): HEAD is at main, ID again. Operation ID; `clada redo` reverts it.
    "#]]
    .assert_eq(&world.shown(&undone.stdout));
    assert_eq!((world.read("a").as_str(), world.read("untracked").as_str()), ("three\n", "mine\n"));
    assert_eq!(is(&world, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(world.run(&["undo", "last"], "").code, 0);
    assert_eq!(is(&world, &["log", "--format=%H"]), log, "the squash is taken back");
    for command in ["redo", "redo"] {
        let redone = world.run(&[command], "");
        assert_eq!(redone.code, 0, "{redone:?}");
    }
    assert_eq!(world.read("a"), "one\n", "both are made again");
    assert_eq!(world.run(&["redo"], "").code, 1);
    for _ in 0..3 {
        let undone = world.run(&["undo"], "");
        assert_eq!(undone.code, 0, "{undone:?}");
    }
    // The third was the operation before, whose commit is there again, and off the branch.
    assert_eq!(world.read("a"), "two\n");
    assert_eq!(is(&world, &["log", "--format=%H"]), log.split_once('\n').unwrap().1);
    let listed: Value = serde_json::from_str(&world.run(&["history", "--json"], "").stdout).unwrap();
    let kinds = listed["operations"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap());
    let expected =
        ["undo", "undo", "undo", "redo", "redo", "undo", "undo", "git", "git", "execute", "execute"];
    assert!(kinds.eq(expected), "{listed:#}");
}

#[test]
fn a_squash_is_not_undone_once_head_has_moved() {
    let Some(world) = worked() else { return };
    assert_eq!(world.run(&["git", "squash"], "").code, 0);
    let squash = is(&world, &["rev-parse", "HEAD"]);
    git(&world, &["commit", "-q", "--allow-empty", "-m", "mine"]).unwrap();
    let refused = world.run(&["undo"], "");
    assert_eq!(refused.code, 1);
    expect![[r#"
        clada: Cannot undo ID: HEAD has moved since: it was at ID on main, and is at ID on main (GIT)
          nothing was changed; `git reflog` shows where HEAD was, and `git switch` or `git reset` go there
    "#]]
    .assert_eq(&world.shown(&refused.stderr));
    assert_eq!(is(&world, &["rev-parse", "HEAD~"]), squash);
}

#[test]
fn squashing_by_time_leaves_the_commits_of_others_alone() {
    let Some(world) = worked() else { return };
    let squashed = world.run(&["git", "squash", "--hours", "1"], "");
    assert!(squashed.stdout.starts_with("Squashed 2 commits"), "{squashed:?}");
    let none = world.run(&["git", "squash", "--days", "1"], "");
    assert!(none.code == 1 && none.stderr.contains("--mine-too"), "{none:?}");
    let refused = world.run(&["git", "squash", "--days", "1", "--mine-too"], "");
    assert_eq!(refused.code, 2);
    expect![[r#"
        clada: --mine-too shows the commits and asks, and there is no terminal to ask at
          Run it at a terminal, or without --mine-too: then only clada's own commits become one.
    "#]]
    .assert_eq(&refused.stderr);
    for (key, left) in [("\n", 2), ("y\n", 1)] {
        let Some(mut terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let child = terminal.start(&world.client(&["git", "squash", "--days", "1", "--mine-too"]), b"");
        let shown = terminal.answer("Squash these 2 commits into one? [y/N] ", key);
        assert!(shown.contains("yours    first") && shown.contains("clada's  Squash 2 commits"), "{shown}");
        let ran: Ran = child.wait_with_output().unwrap().into();
        assert_eq!(ran.code, i32::from(left == 2), "{ran:?}");
        assert_eq!(is(&world, &["rev-list", "--count", "HEAD"]), left.to_string());
    }
}

#[test]
fn what_an_operation_was_given_holds_when_it_is_resumed() {
    let Some(world) = repository("") else { return };
    let text = Answer::new().write(&world.at("a"), "two\n").replace(&world.at("b"), "old", "new");
    let ran = world.run(&["apply", "--no-git"], text.text());
    assert_eq!(ran.code, 1, "{ran:?}");
    world.lay("b", "old\n");
    let head = is(&world, &["rev-parse", "HEAD"]);
    let resumed = world.run(&["apply", "--resume"], "");
    assert_eq!((resumed.code, world.read("b").as_str()), (0, "new\n"), "{resumed:?}");
    assert_eq!(is(&world, &["rev-parse", "HEAD"]), head, "nothing is committed");
    // What is given again counts; also what the daemon knows only from its record.
    let text = Answer::new().write(&world.at("a"), "3\n").replace(&world.at("c"), "old", "new");
    let ran = world.run(&["apply", "--no-git", "--git-author", "Ada <ada@example.org>"], text.text());
    assert_eq!(ran.code, 1, "{ran:?}");
    world.lay("c", "old\n");
    world.stop().unwrap();
    let resumed = world.run(&["apply", "--resume", "--git", "branch"], "");
    assert_eq!((resumed.code, world.read("c").as_str()), (0, "new\n"), "{resumed:?}");
    assert_eq!(is(&world, &["log", "-1", "--format=%an <%ae>"]), "Ada <ada@example.org>");
}

#[test]
fn squash_takes_the_commits_that_its_mode_names() {
    let modes: [&[&str]; 5] =
        [&[], &["--ai-messages"], &["--hours", "1"], &["--days", "1"], &["--containing", "AI: "]];
    for mode in modes {
        let Some(world) = repository("") else { return };
        git(&world, &["reset", "-q", "--hard"]).unwrap();
        // The user's commit is older than any time that is asked for.
        let tree = is(&world, &["rev-parse", "HEAD^{tree}"]);
        let old = format!("tree {tree}\nauthor Ada <a@x> 1 +0000\ncommitter Ada <a@x> 1 +0000\n\nfirst\n");
        std::fs::write(world.path("outside/old"), old).unwrap();
        let old = world.path("outside/old");
        let old = is(&world, &["hash-object", "-t", "commit", "-w", old.to_str().unwrap()]);
        git(&world, &["reset", "-q", "--hard", &old]).unwrap();
        for text in ["two", "three"] {
            world.apply_json(&[], Answer::new().write(&world.at("a"), text).text());
        }
        let squashed = world.run(&[&["git", "squash", "--message", "both"], mode].concat(), "");
        assert_eq!(squashed.code, 0, "{mode:?}: {squashed:?}");
        assert_eq!(is(&world, &["log", "--format=%s"]), "both\nfirst", "{mode:?}");
        assert_eq!(is(&world, &["show", "HEAD:a"]), "three");
    }
}

#[test]
fn a_lock_file_is_waited_for_and_held() {
    let world = World::with_config("durability: fast\n");
    let lock = world.path("outside/lock");
    let held = std::fs::File::create_new(&lock).unwrap();
    held.lock().unwrap();
    let text = Answer::new().write(&world.at("a"), "x\n");
    let busy =
        world.run(&["apply", "--lock-file", lock.to_str().unwrap(), "--lock-timeout", "20ms"], text.text());
    assert_eq!(busy.code, 1, "{busy:?}");
    assert!(!world.exists("a"), "{busy:?}");
    expect![[r#"
        clada: Another program has held the lock '/TOP/outside/lock' for 20 ms
          try again, or allow more time with --lock-timeout
    "#]]
    .assert_eq(&world.shown(&busy.stderr));
    held.unlock().unwrap();
    let done = world.run(&["apply", "--lock-file", "../outside/lock"], text.text());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(world.exists("a"));
}

#[test]
fn a_person_who_commits_meanwhile_gets_in_nobodys_way() {
    const COMMITS: usize = 12;
    /// Unlimited, as far as tests go: the other one may be held up in the middle of its commit.
    const PATIENCE: Duration = Duration::from_secs(120);
    let Some(world) = repository("") else { return };
    // Like a user who repeats the command when git reports that another process was faster.
    let persist = |arguments: &[&str]| {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match git(&world, arguments) {
                Ok(_) => return,
                Err(error) if error.contains("cannot lock ref") || error.contains("index.lock") => {}
                Err(error) => panic!("git {arguments:?}: {error}"),
            }
        }
        panic!("git {arguments:?}: somebody else was always faster");
    };
    let results = std::thread::scope(|scope| {
        let applying = scope.spawn(|| {
            let write = |number: usize| Answer::new().write(&world.at(&format!("ours{number}")), "x\n");
            (0..COMMITS).map(|number| world.execute(&write(number), json!({}))).collect::<Vec<_>>()
        });
        for number in 0..COMMITS {
            let name = format!("mine{number}");
            world.lay(&name, "mine\n");
            persist(&["add", &name]);
            persist(&["commit", "-qm", &format!("of {name}"), "--", &name]);
        }
        applying.join().unwrap()
    });
    is(&world, &["fsck", "--strict", "--no-dangling"]);
    assert!(!world.exists(".git/index.lock"));
    let log = is(&world, &["log", "--format=%H %s"]);
    for number in 0..COMMITS {
        let line = log.lines().find(|line| line.ends_with(&format!(" of mine{number}")));
        let commit = line.unwrap_or_else(|| panic!("the commit of mine{number} is lost:\n{log}"));
        let files = is(&world, &["show", "--format=", "--name-only", &commit[..40]]);
        assert_eq!(files, format!("mine{number}"));
    }
    for (number, result) in results.iter().enumerate() {
        let name = format!("ours{number}");
        match result["git"]["after"].as_str() {
            Some(commit) => {
                assert_eq!(world.read(&name), "x\n", "{result:#}");
                assert!(log.contains(commit), "{commit} is lost:\n{log}");
                assert_eq!(is(&world, &["show", "--format=", "--name-only", commit]), name);
            }
            // Another process held the index for too long: then that is reported, and nothing was changed or
            // all of it.
            None => assert_eq!(result["success"], false, "{result:#}"),
        }
    }
    assert_eq!(is(&world, &["status", "--porcelain", "--", "a", "staged", "untracked"]), OTHERS);
}

#[test]
fn regression_a_part_that_is_undone_leaves_the_rest_committed() {
    let Some(world) = repository("") else { return };
    let answer = Answer::new().write(&world.at("src/one"), "1\n").write(&world.at("src/two"), "2\n");
    assert_eq!(world.apply(&answer).code, 0);
    let before = is(&world, &["rev-parse", "HEAD"]);
    let ran = world.run(&["undo", "--only", "src/one"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(is(&world, &["rev-parse", "HEAD~1"]), before, "{ran:?}");
    assert_eq!(is(&world, &["ls-files", "src"]), "src/two");
    assert_eq!(is(&world, &["status", "--porcelain", "--", "src"]), "");
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!(is(&world, &["ls-files", "src"]), "src/one\nsrc/two");
    assert_eq!(is(&world, &["status", "--porcelain", "--", "src"]), "");
}
