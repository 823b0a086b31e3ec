//! Files that run by themselves: each is asked about with its reason, and the question shows the change.

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
    assert!(ran.stdout.contains("+export B=\\u{202e}evil"), "{ran:?}");
    // A removal and a move are shown as well.
    let delete = Answer::new().action("file_delete", &[("path", ".profile")]);
    let result = world.execute(&delete, json!({}));
    assert!(result["approvals"][0]["change"].as_str().unwrap().contains("-export A=1\n"), "{result:#}");
    let moved = Answer::new().action("file_move", &[("old_path", ".profile"), ("new_path", "x")]);
    let result = world.execute(&moved, json!({}));
    assert!(result["approvals"][0]["change"].as_str().unwrap().contains("rename to x"), "{result:#}");
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    let shown = terminal.answer("Do it? [y]es, [n]o, [q]uit asking: ", "n\n");
    assert!(
        shown.contains("+export B=\\u{202e}evil") && shown.contains("a shell runs it when it starts"),
        "{shown}"
    );
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
    let shown = terminal.answer("out this?", "n\n");
    assert!(shown.contains("+run evil") && !shown.contains("precious"), "{shown}");
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
    assert!(ran.stdout.contains("more lines; `apply -i` shows all of them"), "{}", ran.stdout);
}
