//! Answers that are not answers, or hardly: each gets its error, and every other file stays unchanged.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Answer, Tree, World};

const MB: usize = 1 << 20;

#[test]
fn blank_standard_input_is_wrong_usage() {
    let world = World::new();
    for blank in ["", " \n\t\r\n", "\u{feff}", "\u{feff}\n\n"] {
        let ran = world.run(&["apply"], blank);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{blank:?}: {ran:?}");
        assert!(ran.stderr.contains("is empty"), "{ran:?}");
    }
    Tree::default().assert_at(&world.project());
}

#[test]
fn code_that_names_no_file_is_told_and_fails() {
    let world = World::new();
    let ran = world.run(&["apply"], "I would not change a thing.\n\n```rust\nfn main() {}\n```\n");
    assert!(ran.code == 1 && ran.stdout.contains("1 code block names no file (line 3)"), "{ran:?}");
    Tree::default().assert_at(&world.project());
}

#[test]
fn words_without_blocks_are_no_failure() {
    let world = World::new();
    let ran = world.run(&["apply"], "I would not change a thing.\n\n```console\n$ make\n```\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    expect![[r#"
        WARNING: Nothing to apply: the answer shows commands to run (line 3)
        The answer contains no edits: there is nothing to apply.
        To teach the model to write edits, give it what `clada instructions` prints.
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
    Tree::default().assert_at(&world.project());
}

#[test]
fn fifty_one_megabytes_are_refused_by_client_and_daemon() {
    let world = World::new();
    let mut answer = Answer::new().write(&world.at("a.txt"), "x").text().to_owned();
    answer.push_str(&"words \n".repeat(51 * MB / 7));
    let ran = world.run(&["apply"], &answer);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("input_too_large") && ran.stderr.contains("52428800"), "{}", ran.stderr);
    let error = world.connect().fail("execute", &json!({ "root": world.root(), "text": answer }));
    assert_eq!(error["data"]["kind"], "input_too_large");
    assert_eq!(error["data"]["limit"], "limits.input");
    let error = world.connect().fail("parse", &json!({ "text": answer }));
    assert_eq!(error["data"]["kind"], "input_too_large");
    Tree::default().assert_at(&world.project());
}

#[test]
fn invalid_utf_8_is_told_with_its_offset_and_nothing_runs() {
    let world = World::new();
    let mut answer = Answer::new().write(&world.at("a.txt"), "x").text().as_bytes().to_vec();
    let offset = answer.len() + 3;
    answer.extend_from_slice(b"ab\n\xf0\x28\x8c\x28");
    let ran = world.run(&["apply"], &answer);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&format!("offset {offset}")) && ran.stderr.contains("0xf0"), "{ran:?}");
    let file = world.path("outside/answer.md");
    std::fs::write(&file, &answer).unwrap();
    let ran = world.run(&["apply", file.to_str().unwrap()], "");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&format!("offset {offset}")), "{ran:?}");
    Tree::default().assert_at(&world.project());
}

#[test]
fn a_byte_order_mark_and_crlf_are_no_obstacle() {
    let world = World::new();
    let answer = Answer::new().heredoc(&world.at("a.txt"), "one\ntwo\n").text().replace('\n', "\r\n");
    let ran = world.run(&["apply"], format!("\u{feff}{answer}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(world.read("a.txt").replace("\r\n", "\n"), "one\ntwo\n");
}

#[test]
fn an_unknown_action_is_told_and_the_others_are_carried_out() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("a.txt"), "a")
        .action("file_reed", &[("path", &world.at("a.txt"))])
        .action("rm -rf /", &[])
        .write(&world.at("b.txt"), "b");
    let result = world.apply_json(&[], answer.text());
    assert_eq!(result["totalBlocks"], 4);
    assert_eq!(tasks(&result), ["1", "4"]);
    let messages: Vec<&Value> =
        result["parseErrors"].as_array().unwrap().iter().map(|error| &error["message"]).collect();
    assert_eq!(messages, ["Unknown action: file_reed", "Unknown action: rm -rf /"]);
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a".into(), "b".into()));
}

#[test]
fn an_action_for_people_is_refused_and_the_others_are_carried_out() {
    let world = World::new();
    world.lay("a.txt", "old");
    let answer = Answer::new().write(&world.at("a.txt"), "new").action("undo", &[]).read(&world.at("a.txt"));
    let ran = world.run(&["apply", "-v"], answer.text());
    assert_eq!(ran.code, 1);
    expect![[r#"
        [task-1] SUCCESS: file_write - replaced a.txt (3 bytes) [0 ms]
        [task-2] ERROR: undo - Not allowed in a model's answer (NOT_ALLOWED_FOR_LLM) [0 ms]
          only the user can do this
        [task-3] SUCCESS: file_read - read a.txt [0 ms]
          | new

         a.txt | +1 -1

        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1 +1 @@
        -old
        \ No newline at end of file
        +new
        \ No newline at end of file

        3 actions: 2 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    assert_eq!(world.read("a.txt"), "new");
}

#[test]
fn broken_blocks_are_not_executed_and_the_others_are() {
    let world = World::new();
    let good = |name: &str| Answer::new().write(&world.at(name), "x").text().to_owned();
    for broken in [
        // Never closed.
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{}\"\ncontent = <<'EOT_SHAM_abc'\nx\n",
            world.at("bad")
        ),
        // A heredoc of another block.
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{}\"\ncontent = <<'EOT_SHAM_xyz'\nx\nEOT_SHAM_xyz\n#!END_SHAM_abc\n",
            world.at("bad")
        ),
        // A key twice: which one is meant?
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{}\"\npath = \"{}\"\ncontent = \"x\"\n#!END_SHAM_abc\n",
            world.at("a"),
            world.at("bad")
        ),
        // A quote that is not closed.
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{}\ncontent = \"x\"\n#!END_SHAM_abc\n",
            world.at("bad")
        ),
        // A wrong end.
        format!(
            "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{}\"\ncontent = \"x\"\n#!END_SHAM_abd\n",
            world.at("bad")
        ),
    ] {
        let result = world.apply_json(&[], format!("{}{broken}", good("good")));
        assert_eq!(result["results"].as_array().unwrap().len(), 1, "{broken}\n{result:#}");
        assert_ne!(result["parseErrors"], json!([]), "{broken}");
        assert_eq!(result["success"], false);
        assert!(!world.exists("bad") && world.exists("good"), "{broken}");
    }
}

#[test]
fn a_marker_in_content_is_content() {
    let world = World::new();
    let inner = Answer::new().write(&world.at("inner"), "x").text().to_owned();
    let result = world.apply_json(&[], Answer::new().heredoc(&world.at("outer.md"), &inner).text());
    // The inner block has the outer one's id: the line that ends it is not the outer block's delimiter.
    assert!(!world.exists("inner"), "{result:#}");
    assert_eq!(world.read("outer.md"), inner);
}

#[test]
fn more_blocks_than_allowed_run_none() {
    let world = World::with_config("limits: {blocks: 3}\n");
    let answer = (0..4).fold(Answer::new(), |answer, i| answer.write(&world.at(&format!("{i}.txt")), "x"));
    let result = world.apply_json(&[], answer.text());
    assert_eq!(
        result["fatalError"], "More than 3 blocks (limits.blocks): nothing of this answer is applied",
        "{result:#}"
    );
    assert!(result["results"].as_array().unwrap().iter().all(|result| result["status"] == "FATAL"));
    Tree::default().assert_at(&world.project());
}

#[test]
fn more_actions_than_allowed_run_none() {
    let world = World::with_config("limits: {actions: 3}\n");
    let answer = (0..4).fold(Answer::new(), |answer, i| answer.write(&world.at(&format!("{i}.txt")), "x"));
    let result = world.apply_json(&[], answer.text());
    expect!["More than 3 actions (limits.actions): nothing of this answer is applied"]
        .assert_eq(&world.shown(result["fatalError"].as_str().unwrap()));
    assert!(result["results"].as_array().unwrap().iter().all(|result| result["status"] == "FATAL"));
    Tree::default().assert_at(&world.project());
}

#[test]
fn a_root_that_is_none_is_told() {
    let world = World::new();
    world.lay("file", "x");
    let answer = Answer::new().write("a.txt", "x");
    for (root, kind) in [
        (world.at("missing"), "project_not_found"),
        (world.at("file"), "project_not_found"),
        ("relative".to_owned(), "invalid_params"),
        (String::new(), "invalid_params"),
        (world.at("nul\0byte"), "invalid_params"),
    ] {
        let error = world.connect().fail("execute", &json!({ "root": root, "text": answer.text() }));
        assert_eq!(error["data"]["kind"], kind, "{root:?}: {error}");
        let error = world.connect().fail("plan", &json!({ "root": root, "text": answer.text() }));
        assert_eq!(error["data"]["kind"], kind, "{root:?}: {error}");
    }
    let ran = world.run(&["apply", "--root", &world.at("missing")], answer.text());
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
}

#[test]
fn a_project_behind_a_link_has_both_names() {
    let mut world = World::new();
    std::os::unix::fs::symlink(world.project(), world.path("link")).unwrap();
    world.set("PWD", world.path("link"));
    let linked = world.path("link/by-link.txt").to_str().unwrap().to_owned();
    let ran = world.apply(&Answer::new().write(&linked, "one\n").write(&world.at("by-disk.txt"), "two\n"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((world.read("by-link.txt"), world.read("by-disk.txt")), ("one\n".into(), "two\n".into()));
    let history = world.run(&["--root", &world.root(), "undo"], "");
    assert_eq!(history.code, 0, "the same project by either name: {history:?}");
    assert!(!world.exists("by-link.txt") && !world.exists("by-disk.txt"));
}

#[test]
fn parameters_that_no_method_has_are_named() {
    let world = World::new();
    let error =
        world.connect().fail("execute", &json!({ "root": world.root(), "text": "x", "aprove": "all" }));
    assert_eq!(error["data"]["kind"], "invalid_params");
    expect!["execute: unknown parameter `aprove`"]
        .assert_eq(&world.shown(error["message"].as_str().unwrap()));
    let error =
        world.connect().fail("execute", &json!({ "root": world.root(), "text": "x", "approve": "yes" }));
    expect![[r#"execute: `approve`: it must be "listed", "all" or a list of approval ids"#]]
        .assert_eq(&world.shown(error["message"].as_str().unwrap()));
    let error = world.connect().fail("execute", &json!({ "root": world.root() }));
    expect!["execute: give `text`, `planId` or `resume`"]
        .assert_eq(&world.shown(error["message"].as_str().unwrap()));
    let error =
        world.connect().fail("execute", &json!({ "root": world.root(), "text": "x", "dialects": ["shell"] }));
    expect!["Unknown dialect 'shell'"].assert_eq(&world.shown(error["message"].as_str().unwrap()));
}

fn tasks(result: &Value) -> Vec<&str> {
    result["results"].as_array().unwrap().iter().map(|result| result["task"].as_str().unwrap()).collect()
}
