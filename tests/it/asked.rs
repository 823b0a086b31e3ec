//! Files that run by themselves: each is asked about with its reason, and the question shows the change.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Terminal, World, skipped};

fn reason(result: &Value) -> &str {
    result["approvals"][0]["reason"].as_str().unwrap_or_default()
}

#[test]
fn regression_more_files_that_run_by_themselves_are_asked_about_with_a_reason() {
    let world = World::with_config("durability: fast\n");
    for (path, why) in [
        (".lvimrc", "Vim's local settings"),
        ("sub/.hg/hgrc", "Mercurial"),
        (".bazelrc", "bazel"),
        (".bundle/config", "bundler"),
        (".codex/config.toml", "Codex"),
        ("opencode.json", "opencode"),
        (".envrc", "direnv runs it"),
        (WORKFLOW, "GitHub runs it, with the repository's secrets"),
    ] {
        let result = world.execute(&Answer::new().write(path, "x\n"), json!({}));
        assert_eq!(kinds(&result), ["approval_required"], "{path}: {result:#}");
        assert!(reason(&result).contains(why), "{path}: {result:#}");
    }
}

const WORKFLOW: &str = ".github/workflows/x.yml";

#[test]
fn regression_attributes_and_settings_are_asked_about_if_a_program_changes() {
    let world = World::with_config("durability: fast\n");
    world.lay(".gitattributes", "* text=auto\n*.bin filter=lfs\n");
    world.lay("plain", "*.c filter=evil\n");
    let append =
        |path: &str, text: &str| Answer::new().action("file_append", &[("path", path), ("content", text)]);
    for (answer, asks) in [
        (append(".gitattributes", "*.c eol=lf\n"), false),
        (append(".gitattributes", "*.c filter=evil\n"), true),
        (append("sub/.gitattributes", "*.c diff=evil\n"), true),
        (Answer::new().replace(".gitattributes", "filter=lfs", "merge=evil"), true),
        (Answer::new().action("file_delete", &[("path", ".gitattributes")]), true),
        (Answer::new().action("file_move", &[("old_path", "plain"), ("new_path", "x/.gitattributes")]), true),
        (append(".npmrc", "registry=https://example.org\n"), false),
        (append("web/.npmrc", "script-shell=./evil\n"), true),
    ] {
        let result = world.execute(&answer, json!({ "dryRun": true }));
        let expected = if asks { "approval_required" } else { "none" };
        assert_eq!(kinds(&result), [expected], "{answer:?}: {result:#}");
    }
    let result = world.execute(&append("web/.npmrc", "script-shell=./evil\n"), json!({}));
    assert!(reason(&result).contains("`script-shell=./evil`"), "{result:#}");
}

/// A folder with all the pieces is a repository, whichever piece comes last, and in whichever answer.
#[test]
fn regression_a_planted_bare_repository_is_asked_about_in_any_order() {
    let pieces = ["HEAD", "config", "objects/x", "refs/heads/x"];
    for first in 0..pieces.len() {
        let world = World::with_config("durability: fast\n");
        let order: Vec<&str> = (0..pieces.len()).map(|index| pieces[(first + index) % 4]).collect();
        let whole =
            order.iter().fold(Answer::new(), |answer, piece| answer.write(&format!("d/{piece}"), "x"));
        let result = world.execute(&whole, json!({ "dryRun": true }));
        let asked: Vec<String> =
            kinds(&result).into_iter().filter(|kind| kind == "approval_required").collect();
        // Once there is a repository, its configuration is asked about as well.
        assert!((1..=2).contains(&asked.len()), "{order:?}: {result:#}");
        assert!(
            result["approvals"].to_string().contains("git would take 'd' for a repository"),
            "{result:#}"
        );
        // In four answers.
        let mut asked = 0;
        for piece in &order {
            let result = world.execute(&Answer::new().write(&format!("d/{piece}"), "x"), json!({}));
            asked += kinds(&result).iter().filter(|kind| *kind == "approval_required").count();
        }
        assert!(asked >= 1, "{order:?}");
        assert!(pieces.iter().any(|piece| !world.exists(&format!("d/{piece}"))), "{order:?}");
    }
}

#[test]
fn regression_the_question_shows_the_change_itself() {
    let world = World::new();
    world.lay(".profile", "export A=1\nexport B=2\n");
    let answer = Answer::new().replace(&world.at(".profile"), "export B=2", "export B=\u{202e}evil");
    let result = world.execute(&answer, json!({}));
    let change = result["approvals"][0]["change"].as_str().unwrap();
    assert!(change.contains("-export B=2\n+export B=\\u{202e}evil\n"), "{change}");
    assert_eq!(result["approvals"][0]["suspicious"], true);
    let planned = world.connect().call("plan", &json!({ "root": world.root(), "text": answer.text() }));
    assert_eq!(planned["approvals"][0]["change"], change, "{planned:#}");
    let ran = world.apply(&answer);
    expect![[r#"
        [task-1] ERROR: file_replace_text - Needs approval: a shell runs it when it starts, if the folder is a home folder '.profile' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all

        This needs your approval:
          task 1, a change of .profile: a shell runs it when it starts, if the folder is a home folder. It contains invisible characters; look closely. [ID]
        diff --git a/.profile b/.profile
        --- a/.profile
        +++ b/.profile
        @@ -1,2 +1,2 @@
         export A=1
        -export B=2
        +export B=\u{202e}evil
        To approve all of this, run `clada apply --resume ID --approve-all`; to approve one item, use --approve and its id instead.

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
    // A removal and a move are shown as well.
    let delete = Answer::new().action("file_delete", &[("path", ".profile")]);
    let result = world.execute(&delete, json!({}));
    expect![[r#"
        diff --git a/.profile b/.profile
        deleted file mode 100644
        --- a/.profile
        +++ /dev/null
        @@ -1,2 +0,0 @@
        -export A=1
        -export B=2
    "#]]
    .assert_eq(&world.shown(result["approvals"][0]["change"].as_str().unwrap()));
    let moved = Answer::new().action("file_move", &[("old_path", ".profile"), ("new_path", "x")]);
    let result = world.execute(&moved, json!({}));
    expect![[r#"
        diff --git a/.profile b/x
        similarity index 100%
        rename from .profile
        rename to x
    "#]]
    .assert_eq(&world.shown(result["approvals"][0]["change"].as_str().unwrap()));
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    let shown = terminal.answer("Do it? [y,N,d,q,?] ", "n\n");
    expect![[r#"
         .profile | +1 -1
        This answer needs your approval:
          task 1, a change of .profile: a shell runs it when it starts, if the folder is a home folder. It contains invisible characters; look closely. [ID]
        ␛[1mdiff --git a/.profile b/.profile␛[0m
        ␛[1m--- a/.profile␛[0m
        ␛[1m+++ b/.profile␛[0m
        ␛[36m@@ -1,2 +1,2 @@␛[0m
         export A=1
        ␛[31m-export B=2␛[0m
        ␛[32m+export B=\u{202e}evil␛[0m
        Do it? [y,N,d,q,?] "#]].assert_eq(&world.shown(&shown));
    let ran: crate::support::Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ran.code, 1, "{ran:?}");
}

/// `.envrc` and `.npmrc` are held back as secrets: of those the question shows the text of the answer, and
/// nothing else.
#[test]
fn regression_the_question_about_a_secret_shows_what_the_answer_says() {
    let world = World::new();
    world.lay(".envrc", "TOKEN=precious\n");
    world.lay("plain", "run evil\n");
    for (answer, shown) in [
        (Answer::new().write(".envrc", "run evil\n"), "+run evil\n"),
        (Answer::new().action("file_append", &[("path", ".envrc"), ("content", "evil\n")]), "+evil\n"),
        (Answer::new().replace(".envrc", "=", ": "), "-=\n(`new_text` of the answer:)\n+: \n"),
        (Answer::new().action("file_move", &[("old_path", "plain"), ("new_path", ".envrc")]), "+run evil\n"),
    ] {
        let result = world.execute(&answer, json!({ "dryRun": true }));
        let change = result["approvals"][0]["change"].as_str().unwrap_or_default();
        let whole = change.contains(shown);
        assert!(whole && !result.to_string().contains("precious"), "{answer:?}: {result:#}");
    }
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let answer = Answer::new().write(".envrc", "run evil\n");
    let child = terminal.start(&world.client(&["apply", "-i"]), answer.text().as_bytes());
    let shown = terminal.answer("apply this?", "n\n");
    assert!(!shown.contains("precious"), "{shown}");
    expect![[r#"
        [task-1] ␛[32mPLANNED␛[0m: file_write - change .envrc
        ␛[33mWARNING␛[0m: .envrc needs your approval: direnv runs it in a shell that enters the folder.
        ␛[33mWARNING␛[0m: Part of it is hidden as a secret; --include-secrets shows it.
         (a secret is not shown)
        ␛[1mdiff --git a/.envrc b/.envrc␛[0m
         (a secret is not shown)
         (`content` of the answer:)
        ␛[32m+run evil␛[0m
        (1/1) Approve and apply this?"#]]
    .assert_eq(&world.shown(&shown));
    drop(child.wait_with_output());
}

#[test]
fn a_change_that_is_too_large_for_a_question_is_cut_and_says_so() {
    let world = World::with_config("durability: fast\n");
    let long: String = (0..20_000).map(|number| format!("export A{number}=1\n")).collect();
    let result = world.execute(&Answer::new().write(".profile", &long), json!({}));
    let change = result["approvals"][0]["change"].as_str().unwrap();
    assert!(
        change.len() < 70_000 && change.ends_with("more lines are not shown here)\n"),
        "{}",
        change.len()
    );
    let ran = world.apply(&Answer::new().write(".profile", &long));
    assert!(ran.stdout.lines().count() < 80, "{}", ran.stdout);
    expect![[r#"
        [task-1] ERROR: file_write - Needs approval: a shell runs it when it starts, if the folder is a home folder '.profile' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all

        This needs your approval:
          task 1, a change of .profile: a shell runs it when it starts, if the folder is a home folder. [ID]
        diff --git a/.profile b/.profile
        new file mode 100644
        --- /dev/null
        +++ b/.profile
        @@ -0,0 +1,20000 @@
        +export A0=1
        +export A1=1
        +export A2=1
        +export A3=1
        +export A4=1
        +export A5=1
        +export A6=1
        +export A7=1
        +export A8=1
        +export A9=1
        +export A10=1
        +export A11=1
        +export A12=1
        +export A13=1
        +export A14=1
        +export A15=1
        +export A16=1
        +export A17=1
        +export A18=1
        +export A19=1
        +export A20=1
        +export A21=1
        +export A22=1
        +export A23=1
        +export A24=1
        +export A25=1
        +export A26=1
        +export A27=1
        +export A28=1
        +export A29=1
        +export A30=1
        +export A31=1
        +export A32=1
        +export A33=1
        +export A34=1
        +export A35=1
         (and 4123 more lines; `apply -i` shows all of them)
        To approve all of this, run `clada apply --resume ID --approve-all`; to approve one item, use --approve and its id instead.

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
}
