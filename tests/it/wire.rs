//! Results as they go over the wire, and the reports made of them: one result of every action, and more where
//! its shape varies.
//!
//! `tests/data/wire/NAME.txt` holds the results as JSON, members in the order of the wire, then the reports
//! for users, for models and as XML, made of what a client reads; `UPDATE_EXPECT=1` writes them again.

use clada_protocol::{
    CommandOutput, ErrorDetail, ErrorKind, ExecutionResult, ReportStyle, Unapproved, Verbosity,
    execution_for_model, execution_text, execution_xml,
};
use expect_test::expect_file;
use serde_json::{Value, json};

use crate::support::{Answer, Document, World, odd_name};

/// The bytes of a text of which only the ends and the length are compared.
const LONG: usize = 400;

/// The bytes of a text of which not even the length is compared.
const CUT: usize = 5_000;

/// Makes equal what differs from run to run, or from machine to machine.
fn normalize(value: &mut Value, root: &str) {
    match value {
        Value::String(text) => {
            *text = text.replace(root, "$R");
            if text.len() > LONG {
                let begin = &text[..text.floor_char_boundary(LONG / 4)];
                let end = &text[text.ceil_char_boundary(text.len() - LONG / 4)..];
                // How much is left of what was cut depends on the length of the root's name.
                let length = if text.len() > CUT { "more".to_owned() } else { text.len().to_string() };
                *text = format!("{begin}<{length} bytes>{end}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalize(item, root)),
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), &*value) {
                    ("durationMs", _) => *value = 0.into(),
                    ("operationId", _) => *value = "<id>".into(),
                    ("modified" | "appliedAt", _) => *value = "<time>".into(),
                    ("sandbox", _) => *value = "<sandbox>".into(),
                    // The root is in it.
                    ("pathBytes", _) => *value = "YmFk/w==".into(),
                    ("blockId", Value::String(_)) => {}
                    ("error" | "message", Value::String(text)) if text.contains("(operation ") => {
                        *value = "<applied before>".into();
                    }
                    _ => normalize(value, root),
                }
            }
        }
        _ => {}
    }
}

#[track_caller]
fn assert_wire(name: &str, world: &World, mut result: Value) {
    let document = Document::current();
    assert_eq!(document.faults(document.of_type("ExecutionResult"), &result), [""; 0]);
    normalize(&mut result, &world.root());
    let mut text = String::new();
    for result in result["results"].as_array().unwrap() {
        text.push_str(&format!("{result:#}\n"));
    }
    let read: ExecutionResult = serde_json::from_value(result.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), result, "what was read is not what was sent");
    let style = ReportStyle {
        root: "$R",
        verbosity: Verbosity::Verbose,
        error_detail: ErrorDetail::Debug,
        how_to_approve: "Approve it.",
        how_to_plain: None,
        commands: CommandOutput::Shown,
        unapproved: Unapproved::OfUser,
        seen_problems: false,
    };
    text.push_str(&format!("\n--- text\n{}", execution_text(&read, &style)));
    let quiet = ReportStyle { verbosity: Verbosity::Quiet, error_detail: ErrorDetail::Minimal, ..style };
    text.push_str(&format!("\n--- quiet\n{}", execution_text(&read, &quiet)));
    text.push_str(&format!("\n--- llm\n{}", execution_for_model(&read, &style, 1)));
    text.push_str(&format!("\n--- xml\n{}", execution_xml(&read, &style)));
    expect_file![format!("{}/data/wire/{name}.txt", env!("CARGO_MANIFEST_DIR"))].assert_eq(&text);
}

fn world() -> World {
    World::with_config("durability: fast\n")
}

/// Returns an answer with every action that changes files, and a world for it.
fn writing() -> (World, Answer) {
    let world = world();
    for (name, text) in [
        ("same", "same\n"),
        ("old", "one\n"),
        ("text", "one two one\n"),
        ("other", "one\n"),
        ("range", "a\nb\nc\nd\n"),
        ("lines", "1\n2\n3\n"),
        ("from", "from\n"),
        ("to", "to\n"),
        ("gone", "gone\n"),
        ("twice", "[x] [x]\n"),
    ] {
        world.lay(name, text);
    }
    let at = |name: &str| world.at(name);
    let several = format!("{}\n{}", at("text"), at("other"));
    // Every action that writes, also where it changes nothing, or what an earlier one has left.
    let answer = Answer::new()
        .write(&at("new"), "a \"new\" file\n")
        .write(&at("old"), "two\n")
        .write(&at("same"), "same\n")
        .heredoc(&at("old"), "three")
        .action("file_append", &[("path", &at("old")), ("content", "four\n")])
        .action("file_append", &[("path", &at("appended")), ("content", "x")])
        .replace(&at("text"), "two", "2")
        .action("file_replace_all_text", &[("path", &at("text")), ("old_text", "2"), ("new_text", "two")])
        .action(
            "file_replace_all_text",
            &[("path", &at("other")), ("old_text", "o"), ("new_text", "0"), ("count", "1")],
        )
        .action("files_replace_all_text", &[("paths", &several), ("old_text", "ne"), ("new_text", "N")])
        .action("files_replace_all_text", &[("paths", &several), ("old_text", "one"), ("new_text", "One")])
        .action(
            "file_replace_text_range",
            &[
                ("path", &at("range")),
                ("old_text_beginning", "b"),
                ("old_text_end", "c"),
                ("new_text", "B\nC"),
            ],
        )
        .action(
            "file_replace_text_range",
            &[
                ("path", &at("twice")),
                ("old_text_beginning", "["),
                ("old_text_end", "]"),
                ("new_text", "()"),
                ("count", "2"),
            ],
        )
        .action("file_replace_lines", &[("path", &at("lines")), ("lines", "2-3"), ("new_content", "two")])
        .action("file_move", &[("old_path", &at("from")), ("new_path", &at("moved"))])
        .action("file_move", &[("old_path", &at("moved")), ("new_path", &at("to"))])
        .action("file_delete", &[("path", &at("gone"))])
        .action("dir_create", &[("path", &at("folder/within"))])
        .action("dir_create", &[("path", &at("folder"))])
        .action("dir_delete", &[("path", &at("folder/within"))]);
    (world, answer)
}

#[test]
fn actions_that_change_files() {
    let (world, answer) = writing();
    let dry = world.execute(&answer, json!({ "dryRun": true }));
    assert_wire("writing_dry_run", &world, dry);
    let done = world.execute(&answer, json!({}));
    assert_wire("writing", &world, done);
}

#[test]
fn patches() {
    let world = world();
    for name in ["changed", "moved", "renamed", "deleted"] {
        world.lay(name, "one\ntwo\nthree\n");
    }
    let text = "*** Begin Patch\n\
                *** Update File: changed\n@@\n one\n-two\n+2\n three\n\
                *** Update File: moved\n*** Move to: folder/moved\n@@\n-one\n+1\n two\n\
                *** Add File: added\n+new\n\
                *** Delete File: deleted\n\
                *** End Patch\n\n\
                ```diff\ndiff --git a/renamed b/named\nrename from renamed\nrename to named\n```\n\n\
                ```diff\n--- /dev/null\n+++ b/fresh\n@@ -0,0 +1 @@\n+fresh\n```\n";
    let done = world.connect().call("execute", &json!({ "root": world.root(), "text": text }));
    assert_wire("patches", &world, done);
}

#[test]
fn actions_that_read() {
    let world = world();
    world.lay("a.txt", "one\ntwo \"2\"\n");
    world.lay("b.rs", "fn two() {}");
    world.lay("folder/long.txt", format!("two {}\n", "x".repeat(5_000)));
    let at = |name: &str| world.at(name);
    let both = format!("{}\n{}", at("a.txt"), at("b.rs"));
    let missing = format!("{}\n{}", at("a.txt"), at("missing"));
    // Every action that reads, with and without a match; the long line is cut.
    let answer = Answer::new()
        .read(&at("a.txt"))
        .action("file_read_numbered", &[("path", &at("a.txt"))])
        .action("file_read_numbered", &[("path", &at("a.txt")), ("lines", "2-9"), ("delimiter", "|")])
        .action("files_read", &[("paths", &both)])
        .action("files_read", &[("paths", &missing)])
        .action("grep", &[("pattern", "two"), ("path", &at("a.txt"))])
        .action("grep", &[("pattern", "two"), ("path", &world.root())])
        .action("grep", &[("pattern", "nowhere"), ("path", &world.root())])
        .action("grep", &[("pattern", "t.o"), ("path", &at("b.rs"))])
        .action("glob", &[("pattern", "**/*.rs"), ("base_path", &world.root())])
        .action("glob", &[("pattern", "*.c"), ("base_path", &world.root())])
        .action("ls", &[("path", &at("folder"))])
        .action("context_add", &[("path", &at("a.txt"))])
        .action("context_add", &[("path", &at("folder"))])
        .action("context_list", &[])
        .action("context_remove", &[("path", &at("folder"))])
        .action("context_prune", &[])
        .action("context_add", &[("path", &at("a.txt"))])
        .action("context_clear", &[]);
    let read = world.execute(&answer, json!({}));
    assert_wire("reading", &world, read);
    let dry = world.execute(&answer, json!({ "dryRun": true }));
    assert_wire("reading_dry_run", &world, dry);
}

#[test]
fn names_that_are_no_utf8() {
    let world = world();
    let odd = world.project().join(odd_name());
    if std::fs::write(&odd, "found\n").is_err() {
        return crate::support::skipped("names that are no UTF-8", "this file system takes none");
    }
    let answer = Answer::new()
        .action("ls", &[("path", &world.root())])
        .action("grep", &[("pattern", "found"), ("path", &world.root())])
        .action("glob", &[("pattern", "*.txt"), ("base_path", &world.root())]);
    let read = world.execute(&answer, json!({}));
    assert_wire("odd_names", &world, read);
}

#[test]
fn commands() {
    // Sandboxes differ in how a signal is seen, and in the length of their names.
    let world = World::with_config("durability: fast\nexec: {sandbox: 'off'}\n");
    world.lay("a.txt", "one\ntwo\n");
    let run = |answer: Answer, command: &str| answer.action("run", &[("command", command)]);
    let mut answer = Answer::new();
    for command in [
        "mkdir -p d/e",
        "cat a.txt",
        "ls missing",
        "grep -n two a.txt",
        "sh -c 'echo out; echo err >&2'",
        "sh -c 'echo out; exit 3'",
        "sh -c 'kill -9 $$'",
        "printf '\\377x'",
        "sh -c 'seq 1 2000; echo end >&2'",
        "sh -c 'mkdir -p sub/.git/objects sub/.git/refs; echo ref: refs/heads/a > sub/.git/HEAD'",
        "./missing",
    ] {
        answer = run(answer, command);
    }
    let answer = answer
        .action("exec", &[("code", "echo \"a $((1 + 1))\""), ("lang", "bash")])
        .action("exec", &[("code", "exit 1"), ("lang", "bash"), ("timeout", "60000")]);
    let done = world.execute(&answer, json!({ "approve": "all", "maxOutput": 400 }));
    assert_wire("commands", &world, done);
}

#[test]
fn actions_that_fail() {
    let world = world();
    world.lay("a", "one one\n");
    world.lay("b", "two\n");
    world.lay("big", "x".repeat(20_000));
    let at = |name: &str| world.at(name);
    let several = format!("{}\n{}\n{}", at("a"), at("b"), at("missing"));
    let answer = Answer::new()
        .write(&at("written"), "1\n")
        .replace(&at("a"), "one", "1")
        .replace(&at("a"), "nothing", "1")
        .action("files_replace_all_text", &[("paths", &several), ("old_text", "two"), ("new_text", "2")])
        .action("file_delete", &[("path", &at("missing"))])
        .read(&at("../outside"))
        .action("undo", &[])
        .action("redo", &[])
        .action("git_step_back", &[])
        .action("git_step_forward", &[])
        .action("git_squash", &[("mode", "auto_ai")]);
    let failed = world.execute(&answer, json!({}));
    assert_wire("failing", &world, failed);
    let again = world.execute(&answer, json!({}));
    assert_eq!(again["results"][0]["kind"], json!(ErrorKind::AnswerAlreadyApplied), "{again:#}");
    assert_wire("applied_before", &world, again);
}

#[test]
fn a_result_that_is_cut() {
    let world =
        World::with_config("durability: fast\nexec: {sandbox: 'off'}\nlimits: {result_bytes: 64kB}\n");
    world.lay("big", "x\n".repeat(40_000));
    world.lay("small", "y\n");
    let at = |name: &str| world.at(name);
    let answer = Answer::new()
        .write(&at("long"), &"z".repeat(30_000))
        .read(&at("big"))
        .read(&at("small"))
        .action("files_read", &[("paths", &format!("{}\n{}", at("small"), at("big")))])
        .action("run", &[("command", "cat big")])
        .action("run", &[("command", "sh -c 'cat big; cat small >&2; exit 2'")])
        .action("run", &[("command", "sh -c 'cat big'")])
        .action("grep", &[("pattern", "y"), ("path", &at("small"))]);
    let done = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(done["truncated"], true, "{done:#}");
    assert_wire("cut", &world, done);
}
