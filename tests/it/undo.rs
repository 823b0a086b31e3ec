//! `undo`, `redo` and `history`: the real client and daemon, on a project that answers have changed.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Answer, Ran, Terminal, World, skipped};

fn world() -> World {
    let world = World::with_config("durability: fast\n");
    world.lay("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    world
}

/// Applies it; the operation's id.
fn apply(world: &World, answer: &Answer) -> String {
    let result = world.apply_json(&[], answer.text());
    assert_eq!(result["success"], true, "{result:#}");
    result["operationId"].as_str().unwrap().to_owned()
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn what_an_answer_did_is_undone_and_redone() {
    let world = world();
    let before = world.tree();
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "two", "TWO")
        .write(&world.at("new/b.txt"), "b\r\n")
        .action("file_move", &[("old_path", &world.at("a.txt")), ("new_path", &world.at("moved.txt"))]);
    let id = apply(&world, &answer);
    let after = world.tree();

    // A dry run shows the diff and leaves everything for the real undo.
    let dry = world.run(&["undo", "--dry-run"], "");
    assert_eq!(dry.code, 0, "{dry:?}");
    expect![[r#"
          moved a.txt from moved.txt
          deleted the folder new
          deleted new/b.txt

        diff --git a/moved.txt b/a.txt
        similarity index 83%
        rename from moved.txt
        rename to a.txt
        --- a/moved.txt
        +++ b/a.txt
        @@ -1,5 +1,5 @@
         one
        -TWO
        +two
         three
         four
         five
        diff --git a/new/b.txt b/new/b.txt
        deleted file mode 100644
        --- a/new/b.txt
        +++ /dev/null
        @@ -1 +0,0 @@
        -b

        Undo of ID (created new/b.txt and moved a.txt to moved.txt) would change 3 paths. Dry run: nothing was changed.
    "#]].assert_eq(&world.shown(&dry.stdout));
    after.assert_at(&world.project());

    let undone = world.run(&["undo"], "");
    assert_eq!((undone.code, undone.stderr.as_str()), (0, ""), "{undone:?}");
    let expected = [
        "  moved a.txt from moved.txt\n",
        "  deleted new/b.txt\n",
        "  deleted the folder new\n",
        &format!("Undo of {} (", &id[..3]),
        "`clada redo` reverts it.\n",
    ];
    for line in expected {
        assert!(undone.stdout.contains(line), "{line}: {}", undone.stdout);
    }
    before.assert_at(&world.project());
    let again = world.run(&["undo"], "");
    assert_eq!(again.code, 1, "{again:?}");
    expect![[r#"
        clada: There is nothing to undo in this project
          `clada history` lists the operations of this project
    "#]]
    .assert_eq(&world.shown(&again.stderr));

    let redone = world.run(&["redo", "--json"], "");
    assert_eq!(json_of(&redone)["undone"]["kind"], "undo", "{redone:?}");
    after.assert_at(&world.project());
}

#[test]
fn undo_survives_the_daemon() {
    let world = world();
    let before = world.tree();
    apply(&world, &Answer::new().write(&world.at("a.txt"), "new\n"));
    world.stop().unwrap();
    assert_eq!(world.run(&["undo"], "").code, 0);
    before.assert_at(&world.project());
    world.stop().unwrap();
    assert_eq!(world.run(&["redo"], "").code, 0);
    assert_eq!(world.read("a.txt"), "new\n");
}

#[test]
fn what_was_changed_since_is_refused_merged_or_overwritten() {
    let world = world();
    let answer = Answer::new().replace(&world.at("a.txt"), "one", "ONE").write(&world.at("b.txt"), "b\n");
    apply(&world, &answer);
    world.lay("a.txt", "ONE\ntwo\nthree\nfour\nFIVE\n");
    let changed = world.tree();
    let refused = world.run(&["undo"], "");
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
    expect![[r#"
        clada: Cannot undo ID: '/TOP/project/a.txt' has changed since. Nothing was modified.
          --merge keeps later changes of text; --force overwrites them, and `clada redo` brings them back
    "#]]
    .assert_eq(&world.shown(&refused.stderr));
    changed.assert_at(&world.project());

    let merged = world.run(&["undo", "--merge"], "");
    expect![[r#"
          changed a.txt (merged with what was changed since)
          deleted b.txt
        Undo of ID (edited a.txt and created b.txt): 2 paths. Operation ID; `clada redo` reverts it.
    "#]]
    .assert_eq(&world.shown(&merged.stdout));
    assert_eq!(
        (world.read("a.txt").as_str(), world.exists("b.txt")),
        ("one\ntwo\nthree\nfour\nFIVE\n", false)
    );

    assert_eq!(world.run(&["undo", "last"], "").code, 1);
    assert_eq!(world.run(&["redo"], "").code, 0);
    changed.assert_at(&world.project());
    assert_eq!(world.run(&["undo", "--force"], "").code, 0);
    assert_eq!(world.read("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(world.run(&["redo"], "").code, 0);
    changed.assert_at(&world.project());
    assert_eq!(world.run(&["undo", "--merge", "--force"], "").code, 2);
}

#[test]
fn an_operation_that_another_one_built_on_is_named_with_it() {
    let world = world();
    let first = apply(&world, &Answer::new().write(&world.at("a.txt"), "1\n"));
    let second = apply(&world, &Answer::new().write(&world.at("a.txt"), "2\n"));
    let refused = world.run(&["undo", &first], "");
    expect![[r#"
        clada: Cannot undo ID: '/TOP/project/a.txt' was changed by operation ID since. Nothing was modified.
          undo operation ID first: `clada undo ID`; or --merge keeps both changes of text where it can, and --force overwrites later changes
    "#]].assert_eq(&world.shown(&refused.stderr));
    let error = world.connect().fail("undo", &json!({ "root": world.root(), "operation": first }));
    assert_eq!(
        (&error["data"]["kind"], error["data"]["conflicts"][0]["path"].as_str()),
        (&json!("conflict"), Some(world.at("a.txt").as_str()))
    );
    // The beginning of an id will do, as long as it is of one operation only.
    let common = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    assert_eq!(world.run(&["undo", &second[..(common + 1).max(3)]], "").code, 0);
    assert_eq!(world.read("a.txt"), "1\n");
    let error = world.connect().fail("undo", &json!({ "root": world.root(), "operation": second }));
    assert_eq!(error["data"]["kind"], "already_undone");
    let error = world.connect().fail("undo", &json!({ "root": world.root(), "operation": "abcdef" }));
    assert_eq!(error["data"]["kind"], "operation_not_found");
}

#[test]
fn history_lists_and_shows_what_was_done() {
    let mut world = world();
    world.set("TZ", "UTC");
    let empty = world.run(&["history"], "");
    assert_eq!((empty.code, empty.stdout.lines().count()), (0, 1), "{empty:?}");
    let first = apply(&world, &Answer::new().replace(&world.at("a.txt"), "two", "2"));
    let undo = json_of(&world.run(&["undo", "--json"], ""))["operationId"].as_str().unwrap().to_owned();

    let listed = world.run(&["history"], "");
    let lines: Vec<&str> = listed.stdout.lines().collect();
    let short = |id: &str| id[..3].to_owned();
    assert!(
        lines[0].starts_with(&short(&undo))
            && lines[0].contains(&format!("undoes {}: 1 file +1 -1  a.txt", short(&first))),
        "{listed:?}"
    );
    assert!(lines[1].starts_with(&short(&first)) && lines[1].contains("undone by"), "{listed:?}");
    let limited = world.run(&["history", "--limit", "1"], "");
    expect![[r#"
        ID  AGO  undoes ID: 1 file +1 -1  a.txt
        There are older operations: --limit sets how many to list.
    "#]]
    .assert_eq(&world.shown(&limited.stdout));

    let shown = world.run(&["--color", "always", "history", "show", &first, "--diff"], "");
    expect![[r#"
        Operation ID, execute, TIME TIME (undone by ID)
          Some words.
          edited a.txt

        [task-1] ␛[32mSUCCESS␛[0m: file_replace_text - a.txt

          changed a.txt

        ␛[1mdiff --git a/a.txt b/a.txt␛[0m
        ␛[1m--- a/a.txt␛[0m
        ␛[1m+++ b/a.txt␛[0m
        ␛[36m@@ -1,5 +1,5 @@␛[0m
         one
        ␛[31m-two␛[0m
        ␛[32m+2␛[0m
         three
         four
         five
    "#]]
    .assert_eq(&world.shown(&shown.stdout));
    let last = json_of(&world.run(&["history", "show", "--json"], ""));
    assert_eq!((&last["operation"]["operationId"], last.get("diff")), (&json!(undo), None));
}

#[test]
fn an_operation_has_a_title_and_the_size_of_its_changes() {
    let world = world();
    let answer = Answer::new().replace(&world.at("a.txt"), "two", "2").write(&world.at("new/b"), "1\n2\n");
    let text = format!("\n## Rename the **parser**\n\nIt was two.\n\n{}", answer.text());
    assert_eq!(world.run(&["apply"], &text).code, 0);
    let listed = world.run(&["history"], "");
    expect![[r#"
        ID  AGO  2 files +3 -1  a.txt …  Rename the parser
    "#]]
    .assert_eq(&world.shown(&listed.stdout));
    let listed = json_of(&world.run(&["history", "--json"], ""));
    let operation = &listed["operations"][0];
    let figures = ["title", "files", "firstFile", "added", "removed"].map(|name| operation[name].clone());
    let expected = [json!("Rename the parser"), json!(2), json!("a.txt"), json!(3), json!(1)];
    assert_eq!(figures, expected, "{listed:#}");
    assert_eq!(operation["summary"], "edited a.txt and created new/b");
    // On a terminal a line is never wider than that.
    for columns in [40, 50] {
        let Some(terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        terminal.resize(columns);
        let child = terminal.start_whole(&world.client(&["history"]), b"");
        let seen = terminal.close();
        assert!(child.wait_with_output().unwrap().status.success());
        let line = seen.trim_end();
        assert!(line.chars().count() <= columns.into(), "{columns}: {seen:?}");
        assert_eq!(line.lines().count(), 1, "{columns}: {seen:?}");
        assert!(line.contains("2 files +3 -1  a.txt") && line.ends_with('\u{2026}'), "{columns}: {seen:?}");
    }
}

#[test]
fn a_project_given_by_a_link_is_undone_with_its_paths() {
    let world = world();
    apply(&world, &Answer::new().replace(&world.at("a.txt"), "two", "2"));
    let link = world.path("link");
    std::os::unix::fs::symlink(world.project(), &link).unwrap();
    let root = link.to_str().unwrap();
    for arguments in [&["history", "show"][..], &["undo", "--dry-run"]] {
        let shown = world.run(&[&["--root", root], arguments].concat(), "");
        assert!(shown.stdout.contains("  changed a.txt\n"), "{shown:?}");
    }
    world.lay("a.txt", "other\n");
    let refused = world.run(&["--root", root, "undo"], "");
    assert!(refused.stderr.contains("a.txt' has changed since"), "{refused:?}");
}

#[test]
fn an_answer_that_was_undone_is_applied_again() {
    let world = world();
    let answer = Answer::new().replace(&world.at("a.txt"), "two", "2");
    apply(&world, &answer);
    assert_eq!(world.run(&["undo"], "").code, 0);
    apply(&world, &answer);
    assert!(world.read("a.txt").contains("\n2\n"));
}

#[test]
fn commits_go_with_what_is_undone() {
    let world = world();
    world.lay(".git/HEAD", "ref: refs/heads/main\n");
    world.lay(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    for folder in ["objects", "refs/heads"] {
        std::fs::create_dir_all(world.project().join(".git").join(folder)).unwrap();
    }
    let result = world.apply_json(&[], Answer::new().write(&world.at("a.txt"), "new\n").text());
    let id = result["operationId"].as_str().unwrap();
    assert!(result["git"]["after"].is_string(), "{result:#}");
    let undone = json_of(&world.run(&["undo", "--json"], ""));
    assert_eq!(undone["git"]["retracted"], json!(format!("refs/clada/undo/{id}")), "{undone:#}");
    assert_eq!(world.read("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    let redone = json_of(&world.run(&["redo", "--json", "--no-git"], ""));
    assert_eq!((&redone["success"], redone.get("git")), (&json!(true), None), "{redone:#}");
    assert_eq!(world.read("a.txt"), "new\n");
}
