//! The tools: what they do, and what they say.

use expect_test::expect;
use serde_json::{Value, json};

use super::{Host, without_nonce};
use crate::support::{Answer, World, cases};

const PATCH: &str =
    "*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: a.txt\n-a\n+b\n*** End Patch\n";

#[test]
fn edits_are_previewed_and_applied_with_the_report_for_a_model() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut host = Host::old(&world);
    let (preview, works) = host.says("preview", &json!({ "text": PATCH }));
    assert!(works && world.read("a.txt") == "a\n" && !world.exists("new.txt"));
    let (applied, works) = host.says("apply", &json!({ "text": PATCH }));
    assert!(works && world.read("a.txt") == "b\n" && world.read("new.txt") == "one\n");
    let (again, works) = host.says(
        "apply",
        &json!({ "text": "*** Begin Patch\n*** Update File: a.txt\n-z\n+y\n*** End Patch\n" }),
    );
    assert!(!works);
    expect![[r#"
        clada-report NONCE
        Nothing was changed: this is a preview of what the answer would do, made from the files as they are now.
        [task-1.1] PLANNED: Add File - new.txt
        [task-1.2] PLANNED: Update File - a.txt

        2 tasks: 2 would be done.

        What would change:
        ```
        diff --git a/new.txt b/new.txt
        new file mode 100644
        --- /dev/null
        +++ b/new.txt
        @@ -0,0 +1 @@
        +one
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1 +1 @@
        -a
        +b
        ```
        end NONCE

        clada-report ID
        [task-1.1] SUCCESS: Add File - created new.txt (4 bytes)
        [task-1.2] SUCCESS: Update File - patched a.txt

        2 tasks: 2 succeeded.
        end ID

        clada-report ID
        [task-1.1] ERROR: Update File - lines to change not found in 'a.txt' (NO_MATCH)

        task 1.1, Update File:
        ```
        Nothing in the file is similar to the lines to change; it has 1 line.
        In the file:
          1: b
        ```

        1 task: 0 succeeded, 1 failed.
        If you need to see more of a file, use `read`.
        Send only task 1.1 again, in the same format.
        end ID
    "#]].assert_eq(&world.shown(&without_nonce(&format!("{preview}\n{applied}\n{again}"))));
}

#[test]
fn the_other_tools_say_what_their_methods_do() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    world.lay("src/b.txt", "b\n");
    world.lay(".env", "KEY=s3cret-value\n");
    let mut host = Host::old(&world);
    let (document, works) = host.says("embed", &json!({ "paths": ["."] }));
    assert!(works && document.contains("a.txt") && document.contains("src/b.txt"), "{document}");
    assert!(!document.contains("s3cret-value"), "{document}");
    let (missing, works) = host.says("embed", &json!({ "paths": ["none.txt"] }));
    assert!(!works && missing.contains("none.txt"), "{missing}");
    let (sealed, works) = host.says("embed", &json!({ "paths": [".env"] }));
    assert!(!works && sealed.contains("held back as a secret"), "what is secret stays out: {sealed}");
    let (part, works) = host.says("embed", &json!({ "paths": [".env", "a.txt"] }));
    assert!(works && part.contains("WARNING: '.env' is held back as a secret\n"), "{part}");
    assert!(!format!("{sealed}{part}").contains("--include"), "no flag of a person's: {sealed}{part}");
    let (none, works) = host.says("embed", &json!({ "paths": ["src"], "include": ["*.rs"] }));
    assert!(works && none.starts_with("WARNING: no file is in it"), "{none}");
    let (tree, works) = host.says("embed", &json!({ "paths": ["."], "tree_only": true }));
    assert!(works && tree.contains("b.txt"), "{tree}");
    // Hosts without structured results read the same JSON as text.
    let changes = host.tool("changes", &json!({}));
    let text: Value = serde_json::from_str(changes["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, changes["structuredContent"]);
    let since = text["clock"].as_str().unwrap().to_owned();
    world.lay("c.txt", "c\n");
    let later = host.tool("changes", &json!({ "since": since }));
    let files: Vec<&Value> =
        later["structuredContent"]["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(files, ["c.txt"]);
    let (staged, works) = host.says("stage", &json!({}));
    assert!(works && staged.contains("a.txt"), "{staged}");
    let (staged, works) = host.says("stage", &json!({}));
    assert!(works && staged.starts_with("0 files"), "it was confirmed: {staged}");
    assert!(staged.contains("nothing has changed since the last stage"), "{staged}");
    world.lay("big.txt", "word ".repeat(5000));
    let (small, works) = host.says("embed", &json!({ "paths": ["big.txt"], "max_tokens": 1000 }));
    assert!(!works && small.contains("raise `max_tokens`"), "{small}");
    assert!(small.contains("`big.txt`: over the token budget: 50"), "it says how many it needs: {small}");
    let (unclear, works) = host.says("changes", &json!({ "since": "yesterday" }));
    assert!(!works && unclear.contains("in each result of `changes`"), "{unclear}");
    let (lesson, works) = host.says("instructions", &json!({ "dialect": "aider" }));
    assert!(works && lesson.contains("<<<<<<< SEARCH"));
}

#[test]
fn wrong_arguments_are_all_named() {
    let world = World::new();
    let mut host = Host::old(&world);
    let mut told = String::new();
    for (tool, arguments) in [
        ("apply", json!({})),
        ("apply", json!({ "text": [7, 8], "txt": "", "atomic": "yes", "match": "loose" })),
        ("apply", json!({ "text": "", "approve": "all", "allowEscape": true, "again": true })),
        ("preview", json!({ "text": "", "includeSecrets": true, "env": {} })),
        ("embed", json!({ "paths": "a.txt", "depth": -1, "output": "x" })),
        ("read", json!({ "name": "a.txt" })),
        ("search", json!({ "pattern": "a", "context": "many" })),
        ("changes", json!({ "dryRun": true })),
    ] {
        let (text, works) = host.says(tool, &arguments);
        assert!(!works);
        told.push_str(&text);
        told.push('\n');
    }
    expect![[r#"
        apply: `text` is missing. The arguments are `text`, `dialects`, `match`, `atomic`, `plain`, `root`.
        apply: `text`: invalid type: sequence, expected a string; `match`: unknown variant `loose`, expected one of `exact`, `strict`, `tolerant`; `atomic`: invalid type: string "yes", expected a boolean; there is no argument `txt`. The arguments are `text`, `dialects`, `match`, `atomic`, `plain`, `root`.
        apply: there is no argument `approve`; there is no argument `allowEscape`; there is no argument `again`. The arguments are `text`, `dialects`, `match`, `atomic`, `plain`, `root`.
        preview: there is no argument `includeSecrets`; there is no argument `env`. The arguments are `text`, `dialects`, `match`, `atomic`, `root`.
        embed: `depth`: invalid value: integer `-1`, expected usize; there is no argument `output`. The arguments are `paths`, `include`, `exclude`, `depth`, `max_tokens`, `tree_only`, `line_numbers`, `diff`, `root`.
        read: `paths` is missing; there is no argument `name`. The arguments are `paths`, `ranges`, `root`.
        search: `context`: invalid type: string "many", expected usize. The arguments are `pattern`, `globs`, `context`, `ignore_case`, `root`.
        changes: there is no argument `dryRun`. The arguments are `since`, `root`.
    "#]].assert_eq(&told);
}

#[test]
fn a_text_without_any_edit_is_an_error_that_says_what_to_do() {
    let world = World::new();
    let mut host = Host::old(&world);
    for (tool, text) in [("apply", "I would change a.txt."), ("preview", ""), ("apply", "")] {
        let (said, works) = host.says(tool, &json!({ "text": text }));
        assert!(!works && said.contains("no edit in `text`: write one as `instructions` says"), "{said}");
    }
}

#[test]
fn what_is_not_there_is_told_in_words_of_the_dialect() {
    let world = World::new();
    let mut host = Host::old(&world);
    let patch = "*** Begin Patch\n*** Update File: none.txt\n-a\n+b\n*** End Patch\n";
    let blocks = "none.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let diff = "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n";
    for (text, creates) in [
        (patch, "`*** Add File` creates"),
        (blocks, "an empty SEARCH creates"),
        (diff, "a diff from /dev/null creates"),
    ] {
        let (said, works) = host.says("apply", &json!({ "text": text }));
        assert!(!works && said.contains(&format!("check the path; {creates} a file")), "{said}");
    }
}

#[test]
fn a_preview_says_what_would_fail_and_not_to_send_it_again() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut host = Host::old(&world);
    let text = Answer::new().replace("a.txt", "z", "y").heredoc("b.txt", "b");
    let (said, works) = host.says("preview", &json!({ "text": text.text() }));
    assert!(!works && said.contains("1 would be done, 1 would fail."), "{said}");
    assert!(said.contains("Correct task 1 before you apply this"), "{said}");
    assert!(!said.contains("Send only"), "{said}");
}

#[test]
fn lines_beyond_the_end_are_those_that_there_are_and_a_line_may_be_one() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\nthree\n");
    let mut host = Host::old(&world);
    let (said, works) = host.says("embed", &json!({ "paths": ["a.txt:2-640"] }));
    assert!(works && said.contains("two\nthree") && !said.contains("one"), "{said}");
    assert!(said.contains("the file ends with line 3"), "{said}");
    let (said, works) = host.says("embed", &json!({ "paths": ["a.txt:2"] }));
    assert!(works && said.contains("two") && !said.contains("three"), "{said}");
    let (said, works) = host.says("embed", &json!({ "paths": ["a.txt:900"] }));
    assert!(!works && said.contains("it has 3 lines"), "{said}");
}

#[test]
fn a_diff_that_is_empty_says_why() {
    let Some(world) = crate::git::repository("git: {agents: branch}\n") else { return };
    crate::git::git(&world, &["commit", "-qam", "all"]).unwrap();
    let mut host = Host::old(&world);
    assert!(host.says("apply", &json!({ "text": Answer::new().replace("a", "one", "two").text() })).1);
    let (said, works) = host.says("embed", &json!({ "paths": ["a"], "diff": true }));
    assert!(works && said.contains("the diff is empty") && said.contains("git log -p"), "{said}");
}

#[test]
fn a_tool_that_there_is_not_is_answered_with_those_that_there_are_or_with_whom_to_ask() {
    let world = World::new();
    let mut host = Host::old(&world);
    let mut said = |name: &str| {
        let answer = host.ask("tools/call", &json!({ "name": name, "arguments": {} }));
        format!("{}\n", answer["error"]["message"].as_str().unwrap())
    };
    let said = [said("undo"), said("Approve"), said("read_file")].concat();
    expect![[r#"
        Unknown tool: undo. Only a user can undo: ask them to run `clada undo`.
        Unknown tool: Approve. Only a user can approve: ask them to run `clada approvals`.
        Unknown tool: read_file. There are `edit`, `read`, `search`, `list`, `apply`, `preview`, `changes`, `embed`, `stage`, `instructions`, `checkpoint_begin`, `checkpoint_end`.
    "#]]
    .assert_eq(&said);
}

#[test]
fn instructions_speak_of_the_argument_of_the_tool() {
    let world = World::new();
    let mut host = Host::old(&world);
    let (undo, works) = host.says("apply", &json!({ "text": Answer::new().action("undo", &[]).text() }));
    assert!(!works && undo.contains("only the user can do this") && !undo.contains("again"), "{undo}");
    let (lesson, works) = host.says("instructions", &json!({}));
    assert!(works && lesson.contains("tool `apply`") && lesson.contains("found in `text`"), "{lesson}");
    assert!(!lesson.contains("your answer") && lesson.contains("a quoted value is"), "{lesson}");
}

#[test]
fn the_same_requests_over_lines_and_over_mcp_give_equal_reports() {
    let (one, other) = (World::new(), World::new());
    let mut host = Host::old(&one);
    let mut lines = other.connect();
    lines.call("hello", &json!({ "caller": "agent", "roots": [other.root()] }));
    for world in [&one, &other] {
        for number in 0..10 {
            world.lay(&format!("f{number}.txt"), format!("line {number}\nsecond\nthird\n"));
        }
    }
    for number in 0..cases(40, 200_usize) {
        let file = format!("f{}.txt", number % 10);
        let answer = match number % 5 {
            0 => Answer::new().write(&file, &format!("line {}\nsecond\nthird {number}\n", number % 10)),
            1 => Answer::new().heredoc(&format!("new{number}.txt"), "new"),
            2 => Answer::new().replace(&file, "second", &format!("second x{number}")),
            3 => Answer::new().action("run", &[("command", "sh -c true")]),
            _ => Answer::new().action("file_read", &[("path", file.as_str())]),
        };
        let atomic = number % 7 == 0;
        let said = host.says("apply", &json!({ "text": answer.text(), "atomic": atomic })).0;
        let params =
            json!({ "root": other.root(), "text": answer.text(), "atomic": atomic, "reports": ["llm"] });
        let result = lines.call("execute", &params);
        let report = result["reports"]["llm"].as_str().unwrap();
        assert_eq!(without_nonce(&said), without_nonce(report), "{number}");
    }
}

#[test]
fn an_agent_records_what_it_changes_by_other_means_and_ends_no_other_s() {
    let world = World::new();
    world.lay("a.txt", "1\n");
    let (mut host, mut other) = (Host::old(&world), Host::old(&world));
    let (begun, works) = host.says("checkpoint_begin", &json!({ "name": "by hand" }));
    assert!(works && begun.starts_with("Checkpoint "), "{begun}");
    let id = begun.split(' ').nth(1).unwrap();
    world.lay("a.txt", "2\n");
    let (refused, works) = other.says("checkpoint_end", &json!({ "checkpoint": id }));
    assert!(!works && refused.contains("belongs to"), "{refused}");
    let (none, works) = other.says("checkpoint_end", &json!({}));
    assert!(!works && !none.contains("`clada "), "no command of a person's: {none}");
    let (ended, works) = host.says("checkpoint_end", &json!({}));
    assert!(works && ended.contains("changed a.txt"), "{ended}");
    // A person's is none of an agent's, and undo is the person's.
    let own = world.connect().call("checkpoint.begin", &json!({ "root": world.root() }));
    assert!(!host.says("checkpoint_end", &json!({ "checkpoint": own["checkpoint"] })).1);
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(world.read("a.txt"), "1\n");
}
