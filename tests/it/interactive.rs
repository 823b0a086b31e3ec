//! `apply --interactive`: a user at a terminal, the client and the daemon.

use std::process::Child;

use crate::support::{Answer, Ran, Terminal, World, skipped};
use expect_test::expect;

/// The client at a terminal, with `answer` on its standard input.
fn start(world: &World, args: &[&str], answer: &Answer) -> Option<(Terminal, Child)> {
    // Whoever starts the daemon is told of its surroundings, which are the test's.
    world.status();
    let Some(terminal) = Terminal::open() else {
        skipped("a test at a terminal", "a program cannot be given one here");
        return None;
    };
    let child = terminal.start(&world.client(&[&["apply", "-i"], args].concat()), answer.text().as_bytes());
    Some((terminal, child))
}

/// Returns the way in which it ended, and the text on the terminal.
fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (child.wait_with_output().unwrap().into(), seen)
}

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn exactly_what_was_accepted_is_done() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    world.lay("gone.txt", "1\n2\n3\n");
    world.lay("kept.txt", "1\n");
    world.lay("from.txt", "moved\n");
    world.lay("to.txt", "old\n");
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .read(&world.at("a.txt"))
        .write(&world.at("new/b.txt"), "b\n")
        .action("file_delete", &[("path", &world.at("gone.txt"))])
        .action("file_delete", &[("path", &world.at("kept.txt"))])
        .action("file_move", &[("old_path", &world.at("from.txt")), ("new_path", &world.at("to.txt"))])
        .action("dir_create", &[("path", &world.at("folder"))]);
    let Some((mut terminal, child)) = start(&world, &["-v"], &answer) else { return };
    let mut expected = Vec::new();
    // The read is not a change, so six of the seven actions are asked about.
    for (words, key) in [
        ("change a.txt", "y\n"),
        ("create new/b.txt", "n\n"),
        ("delete gone.txt (3 lines)", "y\n"),
        ("delete kept.txt (1 line)", "n\n"),
        ("move from.txt to to.txt, replacing what is there", "y\n"),
        ("create the folder folder", "n\n"),
    ] {
        let shown = terminal.answer(&format!("({}/6) Apply this? ", expected.len() + 1), key);
        assert!(shown.contains(words), "{words} in {shown}");
        expected.push(words);
    }
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    expect![[r#"
        [task-1] SUCCESS: file_replace_text - 1 replacement in a.txt [0 ms]
        [task-2] SUCCESS: file_read - read a.txt [0 ms]
          | two
        [task-3] SKIP: file_write - declined by you
        [task-4] SUCCESS: file_delete - deleted gone.txt [0 ms]
        [task-5] SKIP: file_delete - declined by you
        [task-6] SUCCESS: file_move - moved from.txt to to.txt, replacing what was there [0 ms]
        [task-7] SKIP: dir_create - declined by you

         a.txt              | +1 -1
         gone.txt           | +0 -3 (deleted)
         from.txt => to.txt | +0 -0
         3 files, +1 -4

        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1 +1 @@
        -one
        +two
        diff --git a/gone.txt b/gone.txt
        deleted file mode 100644
        --- a/gone.txt
        +++ /dev/null
        @@ -1,3 +0,0 @@
        -1
        -2
        -3
        diff --git a/from.txt b/to.txt
        similarity index 100%
        rename from from.txt
        rename to to.txt

        7 actions: 4 succeeded, 3 declined. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert_eq!((world.read("a.txt"), world.read("to.txt")), ("two\n".into(), "moved\n".into()));
    assert!(!world.exists("gone.txt") && !world.exists("from.txt") && world.exists("kept.txt"));
    assert!(!world.exists("new") && !world.exists("folder"));
}

#[test]
fn hunks_are_done_one_by_one() {
    let world = World::new();
    let old = numbered(60);
    world.lay("a.txt", &old);
    let new = old.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n").replace("line 55\n", "");
    let answer = Answer::new().write(&world.at("a.txt"), &new).write(&world.at("b.txt"), "b");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    terminal.answer("(1/2) Apply this? [y,n,a,q,s,?] ", "s\n");
    for key in ["y\n", "n\n", "y\n"] {
        terminal.answer("Apply this hunk? ", key);
    }
    terminal.answer("(2/2) Apply this? ", "q\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(world.read("a.txt"), old.replace("line 5\n", "five\n").replace("line 55\n", ""));
    assert!(!world.exists("b.txt"));
}

#[test]
fn all_accepts_the_rest_but_not_what_needs_approval() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("a.txt"), "a")
        .write(&world.at(".husky/x"), "echo\n")
        .write(&world.at("b.txt"), "b")
        .write(&world.at(".vscode/tasks.json"), "echo\u{200b}\n");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    terminal.answer("(1/4) Apply this? ", "a\n");
    terminal.answer("(2/4) Approve and apply this? [y,n,a,q,?] ", "n\n");
    let shown = terminal.answer("(4/4) Approve and apply this? ", "y\n");
    expect![[r#"
        n
        [task-4] ␛[32mPLANNED␛[0m: file_write - create .vscode/tasks.json
        ␛[33mWARNING␛[0m: .vscode/tasks.json needs your approval: the editor may run its tasks as soon as the folder is opened.
        ␛[33mWARNING␛[0m: It contains invisible characters, shown as escapes such as \u{200b}.
        ␛[36m@@ -0,0 +1 @@␛[0m
        ␛[32m+echo\u{200b}␛[0m
        (4/4) Approve and apply this? "#]].assert_eq(&world.shown(&shown));
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert!(world.exists("a.txt") && world.exists("b.txt") && !world.exists(".husky"));
    assert_eq!(world.read(".vscode/tasks.json"), "echo\u{200b}\n");
}

#[test]
fn quitting_at_once_changes_nothing() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new().replace(&world.at("a.txt"), "one", "two");
    for key in ["q\n", "n\n", "\u{3}", "\u{4}"] {
        let before = world.tree();
        let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
        terminal.answer("(1/1) Apply this? ", key);
        let (ran, seen) = end(terminal, child);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{key:?} {seen}");
        before.assert_at(&world.project());
    }
}

#[test]
fn a_file_that_changes_while_the_person_thinks_is_a_conflict() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    world.lay("b.txt", "one\n");
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "one", "two")
        .replace(&world.at("b.txt"), "one", "two")
        .replace(&world.at("b.txt"), "nothing like it", "x");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    let problems = terminal.answer("(1/2) Apply this? ", "y\n");
    expect![[r#"
        [task-3] ␛[31mERROR␛[0m: file_replace_text - old_text not found in 'b.txt' (NO_MATCH)
        task 3, file_replace_text:
          Nothing in the file is similar to old_text; it has 1 line.
          In the file:
            1: two
        [task-1] ␛[32mPLANNED␛[0m: file_replace_text - change a.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-one␛[0m
        ␛[32m+two␛[0m
        (1/2) Apply this? "#]]
    .assert_eq(&world.shown(&problems));
    terminal.expect("(2/2) Apply this? ");
    world.lay("a.txt", "one\nsomebody's\n");
    terminal.send("y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    expect![[r#"
        [task-1] ERROR: file_replace_text - File changed since the plan 'a.txt' (CONFLICT)
          write the edit again for the current file; or apply the answer again, which skips what is done
        [task-2] SUCCESS: file_replace_text - 1 replacement in b.txt
        [task-3] ERROR: file_replace_text - old_text not found in 'b.txt' (NO_MATCH)
          Nothing in the file is similar to old_text; it has 1 line.
          In the file:
            1: two

         b.txt | +1 -1

        Changed by another program meanwhile: a.txt

        3 actions: 1 succeeded, 2 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("one\nsomebody's\n".into(), "two\n".into()));
}

#[test]
fn a_change_of_several_files_is_shown_whole() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    world.lay("b.txt", "one\n");
    let paths = format!("{}\n{}", world.at("a.txt"), world.at("b.txt"));
    let several = [("paths", paths.as_str()), ("old_text", "one"), ("new_text", "two")];
    let answer = Answer::new().action("files_replace_all_text", &several);
    let Some((mut terminal, child)) = start(&world, &["--color", "never"], &answer) else { return };
    let shown = terminal.answer("(1/1) Apply this? ", "y\n");
    expect![[r#"
        [task-1] PLANNED: files_replace_all_text - change these files
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1 +1 @@
        -one
        +two
        diff --git a/b.txt b/b.txt
        --- a/b.txt
        +++ b/b.txt
        @@ -1 +1 @@
        -one
        +two
        (1/1) Apply this? "#]]
    .assert_eq(&world.shown(&shown));
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("two\n".into(), "two\n".into()));
}

#[test]
fn all_or_nothing_is_one_question() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let answer = Answer::new().replace(&world.at("a.txt"), "one", "two").write(&world.at("b.txt"), "b");
    for (key, text) in [("n\n", "one\n"), ("y\n", "two\n")] {
        let Some((mut terminal, child)) = start(&world, &["--atomic"], &answer) else { return };
        let shown = terminal.answer("Apply all of this, or nothing? [y,n,?] ", key);
        assert!(shown.contains("change a.txt") && shown.contains("create b.txt"), "{shown}");
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 0, "{ran:?} {seen}");
        assert_eq!((world.read("a.txt").as_str(), world.exists("b.txt")), (text, key == "y\n"));
    }
    let faulty = Answer::new().write(&world.at("c.txt"), "c").replace(&world.at("a.txt"), "no such", "x");
    let Some((terminal, child)) = start(&world, &["--atomic"], &faulty) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    assert!(!world.exists("c.txt"), "{ran:?}");
    expect![[r#"
        [task-1] SKIP: file_write - Not done: it fits, but task 2 cannot be done, and the answer is applied whole or not at all (SKIPPED)
        [task-2] ERROR: file_replace_text - old_text not found in 'a.txt' (NO_MATCH)
          Nothing in the file is similar to old_text; it has 1 line.
          In the file:
            1: two

        2 actions: 0 succeeded, 1 failed, 1 not attempted. Dry run: nothing was changed.
    "#]].assert_eq(&world.shown(&ran.stdout));
}

#[test]
fn a_file_approval_is_given_by_its_id() {
    let world = World::new();
    let answer = Answer::new().write(&world.at(".husky/x"), "echo\n").write(&world.at(".envrc"), "echo\n");
    let asked = world.apply_json(&[], answer.text());
    let id = asked["approvals"][0]["id"].as_str().unwrap();
    let ran = world.run(&["apply", "--approve", id], answer.text());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(world.exists(".husky/x") && !world.exists(".envrc"), "{ran:?}");
}

#[test]
fn regression_a_declined_hunk_is_offered_again() {
    let world = World::new();
    let old = numbered(60);
    world.lay("a.txt", &old);
    let half = old.replace("line 5\n", "five\n");
    let new = half.replace("line 50\n", "fifty\n");
    let answer = Answer::new().write(&world.at("a.txt"), &new).write(&world.at("b.txt"), "b");
    let Some((mut terminal, child)) = start(&world, &["--color", "never"], &answer) else { return };
    terminal.answer("(1/2) Apply this? ", "s\n");
    terminal.answer("(hunk 1/2) Apply this hunk? ", "y\n");
    terminal.answer("(hunk 2/2) Apply this hunk? ", "n\n");
    terminal.answer("(2/2) Apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(
        (ran.code, world.read("a.txt") == half, world.exists("b.txt")),
        (0, true, true),
        "{ran:?} {seen}"
    );
    for key in ["n\n", "y\n"] {
        let (mut terminal, child) = start(&world, &["--color", "never"], &answer).unwrap();
        let shown = terminal.answer("(1/1) Apply this? ", key);
        assert!(shown.contains("+fifty") && !shown.contains("+five"), "{shown}");
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 0, "{ran:?} {seen}");
        assert!(!ran.stdout.contains("[task-1] SKIP: file_write - Already applied"), "{ran:?}");
        assert_eq!(world.read("a.txt") == new, key == "y\n", "{ran:?}");
    }
    // Now all of it is done, and nothing is left to ask about.
    let again = world.apply_json(&[], answer.text());
    let kinds: Vec<&str> =
        again["results"].as_array().unwrap().iter().filter_map(|result| result["kind"].as_str()).collect();
    assert_eq!(kinds, ["answer_already_applied"; 2], "{again:#}");
    // An undone action counts as not applied.
    let ran = world.run(&["undo"], "");
    assert_eq!((ran.code, world.read("a.txt") == half), (0, true), "{ran:?}");
    let ran = world.run(&["apply"], answer.text());
    assert_eq!((ran.code, world.read("a.txt") == new), (0, true), "{ran:?}");
    // The size is that of an answer with the project's path.
    assert!(ran.stdout.contains("[task-2] SKIP: file_write - Already applied"), "{ran:?}");
}

#[test]
fn what_cannot_be_read_is_shown_once() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a");
    let text = format!(
        "{}#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_write\"\npath = oops\n#!END_SHAM_k7m\n",
        answer.text()
    );
    for (whole, times) in [(true, 1), (false, 1)] {
        world.status();
        let Some(mut terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let command = world.client(&["apply", "-i"]);
        let child = match whole {
            true => terminal.start_whole(&command, text.as_bytes()),
            false => terminal.start(&command, text.as_bytes()),
        };
        terminal.answer("Apply this? ", "n\n");
        let (ran, seen) = end(terminal, child);
        let plain = seen.replace("\u{1b}[0m", "");
        assert_eq!(plain.matches("ERROR: line").count(), times, "{ran:?} {seen}");
        // A report that goes elsewhere has it, too.
        assert_eq!(ran.stdout.matches("ERROR: line").count(), usize::from(!whole), "{ran:?}");
        assert_eq!(ran.code, 1, "{ran:?}");
    }
}

#[test]
fn what_was_declined_whole_is_offered_again() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a").write(&world.at("b.txt"), "b");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    terminal.answer("(1/2) Apply this? ", "n\n");
    terminal.answer("(2/2) Apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.exists("a.txt"), world.exists("b.txt")), (0, false, true), "{ran:?} {seen}");
    let ran = world.run(&["apply"], answer.text());
    assert_eq!((ran.code, world.exists("a.txt")), (0, true), "{ran:?}");
    expect![[r#"
        [task-1] SUCCESS: file_write - created a.txt (1 byte)
        [task-2] SKIP: file_write - Already applied at TIME, and still in place (operation ID) (ANSWER_ALREADY_APPLIED)
          leave it out; to apply it again, undo that operation or add --again

         a.txt | +1 -0 (new)

        2 actions: 1 succeeded, 1 not attempted. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
}

#[test]
fn what_was_applied_before_is_not_asked_about_again() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a").write(&world.at("b.txt"), "b");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    terminal.answer("(1/2) Apply this? ", "n\n");
    terminal.answer("(2/2) Apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.exists("a.txt"), world.exists("b.txt")), (0, false, true), "{ran:?} {seen}");
    let (mut terminal, child) = start(&world, &["--color", "never"], &answer).unwrap();
    let shown = terminal.answer("(1/1) Apply this? ", "y\n");
    expect![[r#"
        [task-2] SKIP: file_write - Already applied at TIME, and still in place (operation ID) (ANSWER_ALREADY_APPLIED)
        task 2, file_write:
          leave it out; to apply it again, undo that operation or add --again
        [task-1] PLANNED: file_write - create a.txt
        @@ -0,0 +1 @@
        +a
        \ No newline at end of file
        (1/1) Apply this? "#]].assert_eq(&world.shown(&shown));
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.exists("a.txt")), (0, true), "{ran:?} {seen}");
    expect![[r#"
        [task-1] SUCCESS: file_write - created a.txt (1 byte)
        [task-2] SKIP: file_write - Already applied at TIME, and still in place (operation ID) (ANSWER_ALREADY_APPLIED)
          leave it out; to apply it again, undo that operation or add --again

         a.txt | +1 -0 (new)

        2 actions: 1 succeeded, 1 not attempted. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
    // With nothing left, there is nothing to ask about.
    let (terminal, child) = start(&world, &[], &answer).unwrap();
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, ran.stdout.matches("Already applied").count()), (0, 2), "{ran:?} {seen}");
}

#[test]
fn what_a_guard_finds_is_the_person_s_to_decide() {
    let world = World::new();
    let (old, new) = ("fn a() {\n    one();\n    two();\n}\n", "fn a() {\n    // ... existing code ...\n}\n");
    world.lay("a.rs", old);
    let answer = Answer::new().write(&world.at("a.rs"), new);
    let refused = world.apply(&answer);
    assert_eq!(refused.code, 1, "{refused:?}");
    expect![[r#"
        [task-1] ERROR: file_write - Line 2 of the new text, '// ... existing code ...', stands for lines that are left out of 'a.rs' (ELISION)
          write the lines out, or send only the lines that change, with enough of those around them to find them; `apply --literal` applies it as written

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]].assert_eq(&world.shown(&refused.stdout));
    assert_eq!(world.read("a.rs"), old);
    let Some((terminal, child)) = start(&world, &[], &answer) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.read("a.rs").as_str()), (1, old), "{ran:?} {seen}");
    // Words alone may be a comment: the person is asked.
    let words = Answer::new().write(&world.at("a.rs"), "fn a() {\n    // rest unchanged\n}\n");
    let (mut terminal, child) = start(&world, &[], &words).unwrap();
    let shown = terminal.answer("(1/1) Approve and apply this? ", "n\n");
    assert!(shown.contains("'// rest unchanged', may stand for the 2 lines that go"), "{shown}");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, world.read("a.rs").as_str()), (0, old), "{ran:?} {seen}");
    let waits = world.apply(&words);
    assert_eq!((waits.code, world.read("a.rs").as_str()), (1, old), "{waits:?}");
    assert!(waits.stdout.contains("APPROVAL_REQUIRED"), "{waits:?}");
    let taken = world.run(&["apply", "--literal", "--again"], answer.text());
    assert_eq!(taken.code, 0, "{taken:?}");
    assert_eq!(world.read("a.rs"), new);
}

/// A changed file and a new one, without an edit block.
const PLAIN: &str =
    "Here's the updated `a.txt`:\n\n```\none\ntwo\n```\n\nCreate `c.txt`:\n\n```\nthree\n```\n";

#[test]
fn changes_without_an_edit_block_are_asked_about_once() {
    let question = "Apply 2 changes? [y,N,d,i,q,?] ";
    for (keys, code, changed, made) in [
        (&["y\n"][..], 0, "one\ntwo\n", true),
        (&["n\n"], 1, "one\n", false),
        (&["\n"], 1, "one\n", false),
        (&["q\n"], 1, "one\n", false),
        (&["?\n", "y\n"], 0, "one\ntwo\n", true),
    ] {
        let world = World::new();
        world.lay("a.txt", "one\n");
        let Some(mut terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let child = terminal.start(&world.client(&["apply"]), PLAIN.as_bytes());
        let shown = terminal.answer(question, keys[0]);
        assert!(shown.contains("+two") && shown.contains("c.txt  new file, named above  +1"), "{shown}");
        for key in &keys[1..] {
            terminal.answer(question, key);
        }
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, code, "{keys:?} {ran:?} {seen}");
        assert_eq!((world.read("a.txt").as_str(), world.exists("c.txt")), (changed, made), "{keys:?}");
        if code == 0 {
            let undone = world.run(&["undo"], "");
            assert_eq!((undone.code, world.exists("c.txt")), (0, false), "one operation: {undone:?}");
            assert_eq!(world.read("a.txt"), "one\n");
        }
    }
}

#[test]
fn without_a_terminal_changes_without_an_edit_block_are_applied_if_that_is_said() {
    let world = World::new();
    world.lay("a.txt", "one\n");
    let listed = world.run(&["apply"], PLAIN);
    assert_eq!((listed.code, world.read("a.txt").as_str()), (1, "one\n"), "{listed:?}");
    assert!(listed.stdout.contains("2 changes without an edit block were not applied:"), "{listed:?}");
    assert!(listed.stdout.contains("save the answer, then `clada apply --plain FILE`"), "{listed:?}");
    let shown = world.run(&["apply", "-n"], PLAIN);
    assert_eq!((shown.code, world.exists("c.txt")), (1, false), "{shown:?}");
    let applied = world.run(&["apply", "--plain"], PLAIN);
    assert_eq!((applied.code, world.read("a.txt").as_str()), (0, "one\ntwo\n"), "{applied:?}");
    let again = world.run(&["apply", "--plain"], PLAIN);
    assert!(again.code == 0 && again.stdout.contains("Already in place: a.txt, c.txt"), "{again:?}");
    let to = world.run(&["apply", "--plain", "--to", "d.txt"], "Try this:\n\n```\nfour\n```\n");
    assert_eq!((to.code, world.read("d.txt").as_str()), (0, "four\n"), "{to:?}");
}

#[test]
fn a_hunk_is_edited_before_it_is_accepted_and_the_report_says_so() {
    let mut world = World::new();
    world.lay("a.txt", numbered(30));
    world.lay("b.txt", "one\n");
    world.set("VISUAL", "printf 'mine\\nmore\\n' >");
    let answer = Answer::new()
        .replace(&world.at("a.txt"), "line 2\n", "two\n")
        .replace(&world.at("b.txt"), "one", "1")
        .replace(&world.at("a.txt"), "nowhere", "x");
    let Some((mut terminal, child)) = start(&world, &["--format", "llm"], &answer) else { return };
    terminal.answer("(1/2) Apply this? ", "e\n");
    terminal.answer("(2/2) Apply this? ", "n\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    assert_eq!(world.read("a.txt"), numbered(30).replacen("line 2\n", "mine\nmore\n", 1));
    assert_eq!(world.read("b.txt"), "one\n");
    let told = "(the user edited 1 place of it: the file has the user's lines there)";
    assert!(ran.stdout.contains("[task-1] SUCCESS") && ran.stdout.contains(told), "{}", ran.stdout);
    let shown = world.run(&["history", "show", "last"], "");
    assert!(shown.stdout.contains(told), "{}", shown.stdout);
    // What was edited is still there, so the same answer does not do it again.
    let again = world.apply_json(&[], answer.text());
    assert_eq!(again["results"][0]["kind"], "answer_already_applied", "{again:#}");
}

#[test]
fn regression_an_edit_changes_nothing_else_of_what_was_shown() {
    let mut world = World::new();
    let editor = "printf 'mine\\n' >";
    world.set("VISUAL", editor);
    world.lay("f.txt", "x\ny\n");
    world.lay("g.txt", "one\n");
    // The second change was shown on top of the first, which is declined.
    let answer = Answer::new()
        .replace(&world.at("f.txt"), "y\n", "x\n")
        .action(
            "file_replace_all_text",
            &[("path", &world.at("f.txt")), ("old_text", "x"), ("new_text", "z")],
        )
        .replace(&world.at("g.txt"), "one", "two");
    let Some((mut terminal, child)) = start(&world, &[], &answer) else { return };
    for (question, key) in [("(1/3) Apply", "n\n"), ("(2/3) Apply", "y\n"), ("(3/3) Apply", "e\n")] {
        terminal.answer(&format!("{question} this? "), key);
    }
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    assert!(ran.stdout.contains("Change depends on one that was not accepted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("[task-1] SKIP: file_replace_text - declined by you"), "{}", ran.stdout);
    assert_eq!((world.read("f.txt").as_str(), world.read("g.txt").as_str()), ("x\ny\n", "mine\n"));
    // What was declined beside an edit is offered again.
    let (mut terminal, child) = start(&world, &["--resume"], &Answer::new()).unwrap();
    let shown = terminal.answer("Apply this? ", "\u{3}");
    assert!(shown.contains("-y"), "{shown}");
    end(terminal, child);

    // Another program changes another accepted file while the editor is open.
    world.lay("f.txt", "x\n");
    world.lay("g.txt", "one\n");
    let foreign = format!("printf 'x\\nforeign\\n' > {}; {editor}", world.at("f.txt"));
    world.set("VISUAL", &foreign);
    let answer = Answer::new().write(&world.at("f.txt"), "X\n").replace(&world.at("g.txt"), "one", "two");
    let (mut terminal, child) = start(&world, &[], &answer).unwrap();
    terminal.answer("(1/2) Apply this? ", "y\n");
    terminal.answer("(2/2) Apply this? ", "e\n");
    let shown = terminal.answer("(1/2) Apply this? ", "\u{3}");
    assert!(shown.contains("something other than was shown") && shown.contains("-foreign"), "{shown}");
    end(terminal, child);
    assert_eq!((world.read("f.txt").as_str(), world.read("g.txt").as_str()), ("x\nforeign\n", "one\n"));
}
