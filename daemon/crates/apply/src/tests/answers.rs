//! Whole answers as models write them, in any dialect: what changes, and what is said.

use super::*;
use expect_test::expect;

fn run(project: &Project, text: &str) -> ExecutionResult {
    project.carry_out(Reading::new(None, &Settings::default()).unwrap().read(text))
}

fn hint(result: &ExecutionResult, at: usize) -> &str {
    result.results[at].hint.as_deref().unwrap_or_default()
}

const FILE: &str = "import os\n\ndef f():\n    return 1\n";

#[test]
fn new_lines_in_a_diff_need_a_place() {
    let project = Project::with(&[("a.py", FILE), ("one.txt", "one\n")]);
    for (path, header) in [
        ("a.py", "@@ def f():"),
        ("a.py", "@@ ... @@ def f():"),
        ("a.py", "@@ ... @@"),
        ("a.py", "@@ -40,0 +41 @@"),
        ("a.py", "@@ -2,0 +3 @@"),
    ] {
        let result = run(&project, &format!("```diff\n--- a/{path}\n+++ b/{path}\n{header}\n+x = 1\n```\n"));
        assert!(
            results_of(&result)[0].contains("nothing says where the new lines belong"),
            "{header} {result:#?}"
        );
        assert!(hint(&result, 0).contains("repeat a line"), "{header}");
    }
    let from_nothing = "*** Begin Patch\n*** Update File: one.txt\n@@ -0,0 +1 @@\n+x\n*** End Patch\n";
    assert!(results_of(&run(&project, from_nothing))[0].contains("EEXIST"));
    assert_eq!(
        (project.text("a.py").as_deref(), project.text("one.txt").as_deref()),
        (Some(FILE), Some("one\n"))
    );
    let end = run(&project, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -4,0 +5 @@\n+x = 1\n```\n");
    assert_eq!(results_of(&end), ["SUCCESS"]);
    assert_eq!(project.text("a.py"), Some(format!("{FILE}x = 1\n")));
}

#[test]
fn new_lines_of_a_patch_follow_the_line_that_is_named_and_the_report_says_so() {
    let project = Project::with(&[("a.py", FILE)]);
    let text = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n+    x = 1\n*** End Patch\n";
    let result = run(&project, text);
    assert_eq!(results_of(&result), ["SUCCESS"]);
    expect!["New lines without context were put directly after the line 'def f():' of 'a.py'"]
        .assert_eq(&result.warnings[0].message);
    assert_eq!(project.text("a.py").unwrap(), FILE.replace("f():\n", "f():\n    x = 1\n"));
    let again = run(&project, text);
    assert_eq!((results_of(&again), again.warnings.len()), (vec!["unchanged".to_owned()], 0));
}

#[test]
fn what_is_taken_back_is_not_told_of() {
    let project = Project::with(&[("src/a.py", FILE)]);
    let text = "*** Begin Patch\n*** Update File: a.py\n@@\n-import os\n+import re\n*** Delete File: none\n*** End Patch\n";
    let result = run(&project, text);
    assert!(!result.success && result.warnings.is_empty(), "{:#?}", result.warnings);
    assert_eq!(project.text("src/a.py").as_deref(), Some(FILE));
}

#[test]
fn operations_of_a_patch_that_meet_say_so() {
    let project = Project::with(&[("a.py", FILE), ("b.py", "b\n")]);
    let patch = |operations: &str| format!("*** Begin Patch\n{operations}*** End Patch\n");
    let deletes = run(&project, &patch("*** Delete File: b.py\n*** Delete File: b.py\n"));
    expect!["an action before this one in the answer deletes or moves it"].assert_eq(hint(&deletes, 1));
    let moved = "*** Add File: c.py\n+x\n*** Update File: b.py\n*** Move to: c.py\n@@\n-b\n+c\n";
    let moved = run(&project, &patch(moved));
    expect!["an action before this one in the answer writes it; make one of them"].assert_eq(hint(&moved, 1));
    let added = run(&project, &patch("*** Add File: c.py\n+x\n*** Add File: c.py\n+y\n"));
    expect!["an action before this one in the answer writes it; make one of them"].assert_eq(hint(&added, 1));
    assert_eq!((project.text("b.py").as_deref(), project.exists("c.py")), (Some("b\n"), false));
    let itself = run(&project, &patch("*** Update File: b.py\n*** Move to: ./b.py\n@@\n-b\n+c\n"));
    assert_eq!(results_of(&itself), ["SUCCESS"]);
    assert_eq!(data(&itself.results[0]).get("newPath"), None, "{itself:#?}");
    assert_eq!(project.text("b.py").as_deref(), Some("c\n"));
    let alone = run(&project, &patch("*** Update File: b.py\n*** Move to: ./b.py\n"));
    assert!(results_of(&alone)[0].contains("changes nothing") && project.exists("b.py"), "{alone:#?}");
}

#[test]
fn names_in_lists_get_suggestions_too() {
    let project = Project::with(&[("src/helper.py", "one\n")]);
    let listed = [("paths", "src/helpers.py\nsrc/helper.py"), ("old_text", "one"), ("new_text", "1")];
    let result =
        project.execute(&[action("files_read", &listed[..1]), action("files_replace_all_text", &listed)]);
    let closest = |warning: &clada_protocol::OperationWarning| {
        warning.message == "closest in the project: 'src/helper.py'" && warning.task.as_deref() == Some("1")
    };
    assert_eq!(
        result.warnings.iter().filter(|warning| closest(warning)).count(),
        1,
        "{:#?}",
        result.warnings
    );
    expect![[r#"
        closest in the project: 'src/helper.py'
        check the path; `ls` or `glob` show what is there, and file_write creates a file"#]]
    .assert_eq(hint(&result, 1));
}

#[test]
fn an_empty_block_makes_an_empty_file() {
    let project = Project::with(&[("a.py", FILE)]);
    let block = |path: &str| format!("{path}\n```\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n```\n");
    assert_eq!(results_of(&run(&project, &block("n.py"))), ["SUCCESS"]);
    assert!(results_of(&run(&project, &block("a.py")))[0].contains("EEXIST"));
    assert_eq!((project.text("n.py").as_deref(), project.text("a.py").as_deref()), (Some(""), Some(FILE)));
}

#[test]
fn a_diff_from_line_0_fills_an_empty_file() {
    let project = Project::with(&[("empty.txt", ""), ("full.txt", "x\n")]);
    let diff = |path: &str| format!("```diff\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,2 @@\n+a\n+b\n```\n");
    for path in ["empty.txt", "new.txt"] {
        assert_eq!(results_of(&run(&project, &diff(path))), ["SUCCESS"]);
        assert_eq!(project.text(path).as_deref(), Some("a\nb\n"));
        assert_eq!(results_of(&run(&project, &diff(path))), ["unchanged"]);
    }
    assert!(results_of(&run(&project, &diff("full.txt")))[0].contains("EEXIST"));
    assert_eq!(project.text("full.txt").as_deref(), Some("x\n"));
}

#[test]
fn calls_of_tools_are_carried_out() {
    let project = Project::with(&[("a.py", FILE), ("b.py", FILE), ("old.txt", "x\n")]);
    let calls = [
        r#"{"name": "Edit", "id": "t1", "input": {"file_path": "a.py", "old_string": "import os\n", "new_string": ""}}"#,
        r#"{"name": "text_editor", "input": {"command": "insert", "path": "b.py", "insert_line": 0, "insert_text": "import re\n"}}"#,
        r#"{"name": "text_editor", "input": {"command": "insert", "path": "b.py", "insert_line": 5, "insert_text": "x = 1"}}"#,
        r#"{"name": "Write", "input": {"file_path": "n/new.txt", "content": "no line end"}}"#,
        r#"{"name": "move_file", "input": {"source": "old.txt", "destination": "new.txt"}}"#,
        r#"{"name": "apply_patch", "input": {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-  return 1\n+  return 2\n*** End Patch"}}"#,
    ];
    let result = run(&project, &format!("Now:\n\n```json\n{}\n```\n", calls.join("\n")));
    assert_eq!(results_of(&result), ["SUCCESS"; 6], "{result:#?}");
    assert_eq!(result.results[0].block_id.as_deref(), Some("t1"));
    assert_eq!(project.text("a.py").as_deref(), Some("\ndef f():\n    return 2\n"));
    assert_eq!(project.text("b.py"), Some(format!("import re\n{FILE}x = 1\n")));
    assert_eq!(project.text("n/new.txt").as_deref(), Some("no line end"));
    assert!(project.exists("new.txt") && !project.exists("old.txt"));
}

#[test]
fn texts_of_calls_are_exact_and_several_edits_are_one() {
    let project = Project::with(&[("a.py", FILE)]);
    let blank = r#"{"name": "Edit", "input": {"file_path": "a.py", "old_string": "return  1", "new_string": "return 2"}}"#;
    assert_eq!(run(&project, blank).results[0].kind, Some(ErrorKind::NoMatch));
    let several = r#"{"name": "MultiEdit", "input": {"file_path": "a.py", "edits": [{"old_string": "import os", "new_string": "import re"}, {"old_string": "absent", "new_string": "x"}]}}"#;
    assert!(!run(&project, several).success);
    let beyond = r#"{"name": "text_editor", "input": {"command": "insert", "path": "a.py", "insert_line": 5, "insert_text": "x"}}"#;
    assert!(
        results_of(&run(&project, beyond))[0].contains("line 5 is beyond the end of the 4 lines"),
        "{:?}",
        results_of(&run(&project, beyond))
    );
    let create =
        r#"{"name": "str_replace_editor", "input": {"command": "create", "path": "a.py", "file_text": "x"}}"#;
    assert!(results_of(&run(&project, create))[0].contains("EEXIST"));
    assert_eq!(project.text("a.py").as_deref(), Some(FILE));
}

/// Kinds and paths of what was not read.
fn not_read(result: &ExecutionResult) -> Vec<String> {
    let reported = |found: &clada_protocol::NotRead| {
        format!("{} {} {}", found.line, found.kind, found.path.as_deref().unwrap_or_default())
    };
    result.not_read.iter().map(reported).collect()
}

#[test]
fn what_looks_like_an_edit_and_is_not_read_is_named_and_no_success() {
    let project =
        Project::with(&[("a.py", FILE), ("b.py", FILE), (".gitignore", "made.txt\n"), ("made.txt", "x\n")]);
    let listing = "a.py\n```python\nimport re\n```\n";
    let result = run(&project, listing);
    assert_eq!((result.success, result.proposals.len(), not_read(&result)), (false, 1, Vec::new()));
    let edit = "b.py\n```\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n```\n";
    let beside = run(&project, &format!("{listing}\n{edit}"));
    assert_eq!((beside.success, beside.proposals.len()), (false, 1), "{beside:#?}");
    assert_eq!(results_of(&beside), ["SUCCESS"]);
    for (answer, named) in [
        ("a.py\n```python\ndef f():\n    return 1\n```\n", None),
        ("```bash\nrm made.txt\nrm /etc/hosts\nmkdir build && cd build\n```\n", None),
        ("```bash\nrm a.py gone.py\n```\n", Some("2 commands a.py")),
        (
            "{\"name\": \"Write\", \"input\": {\"path\": \"a.py\", \"content\": 1}}\n",
            Some("1 tool_call a.py"),
        ),
        ("{\"path\": \"a.py\", \"content\": \"x\"}\n", None),
    ] {
        let result = run(&project, answer);
        let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
        assert_eq!((result.success, not_read(&result)), (named.is_empty(), named), "{answer}");
    }
    assert_eq!(project.text("a.py").as_deref(), Some(FILE));
}

#[test]
fn an_answer_that_is_escaped_as_a_whole_is_decoded_once() {
    let project = Project::with(&[("a.py", FILE)]);
    let escaped = "&lt;write path=\"n.txt\"&gt;&lt;![CDATA[a &amp;amp; b]]&gt;&lt;/write&gt;\n";
    let result = run(&project, escaped);
    assert!(result.success, "{result:#?}");
    expect!["The whole answer is escaped: it was decoded once and read; lines count after that"]
        .assert_eq(&result.warnings[0].message);
    assert_eq!(project.text("n.txt").as_deref(), Some("a &amp; b\n"));
    let json =
        serde_json::Value::from("a.py\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n")
            .to_string();
    assert!(run(&project, &json).success);
    assert_eq!(project.text("a.py"), Some(FILE.replace("os", "re")));
}

#[test]
fn a_word_above_a_fence_is_a_file_only_if_there_is_one() {
    let block = |name: &str, old: &str, new: &str| {
        format!("{name}\n```python\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n\n")
    };
    let answer = |second: &str| {
        block("a.py", "import os", "import re") + &block(second, "    return 1", "    return 2")
    };
    let project = Project::with(&[("a.py", FILE), ("tool", FILE)]);
    let result = run(&project, &answer("then"));
    assert!(result.success, "{result:#?}");
    assert_eq!(project.text("a.py").unwrap(), FILE.replace("os", "re").replace('1', "2"));
    let reported = &result.warnings[0].message;
    assert!(reported.contains("There is no file 'then'") && reported.contains("'a.py'"), "{reported}");
    let project = Project::with(&[("a.py", FILE), ("tool", FILE)]);
    assert!(run(&project, &answer("tool")).success);
    assert_eq!(project.text("tool").unwrap(), FILE.replace('1', "2"));
}

#[test]
fn commands_on_what_nested_rules_ignore_are_no_edits() {
    let files = [("sub/.gitignore", "made/\n!made.txt\n"), ("sub/made/x.txt", "x\n"), ("sub/x.txt", "x\n")];
    let project = Project::with(&files);
    let result = run(&project, "```bash\nrm sub/made/x.txt\nrm sub/made/y/z.txt\nrm sub/x.txt\n```\n");
    assert_eq!(not_read(&result), ["4 commands sub/x.txt"]);
}

#[test]
fn regression_a_file_that_a_diff_takes_away_and_makes_anew_is_never_lost() {
    let take =
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
    let make = |mode: &str, line: &str| {
        format!("diff --git a/x b/x\nnew file mode {mode}\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n{line}\n")
    };
    for (text, expected) in [
        // A symbolic link is not made, and a line without `+` is none of a new file.
        (format!("```diff\n{take}{}```\n", make("120000", "+target")), "one\ntwo\n"),
        (format!("```diff\n{take}{}```\n", make("100644", " odd")), "one\ntwo\n"),
        (format!("```diff\n{}{take}```\n", make("100644", "+new")), "one\ntwo\n"),
        (format!("```diff\n{}{}```\n", take.replace("-two", "-2"), make("100644", "+new")), "one\ntwo\n"),
        (format!("```diff\n{take}{}", make("100644", "+new").replace("+1 @@", "+1,2 @@")), "one\ntwo\n"),
        (format!("```diff\n{take}{}```\n", make("100644", "+new")), "new\n"),
    ] {
        let project = Project::with(&[("x", "one\ntwo\n")]);
        let result = run(&project, &text);
        assert_eq!(project.text("x").as_deref(), Some(expected), "{text}\n{result:#?}");
        assert_eq!(result.success, expected == "new\n", "{text}\n{result:#?}");
    }
}

#[test]
fn regression_a_number_that_the_hunks_before_contradict_chooses_no_place() {
    let stanza = "[job]\nname = x\nrun = y\n\n";
    let file = format!("title\nintro\nold\n\n{}end\n", stanza.repeat(5));
    let diff = |line: usize, more: &str| {
        format!(
            "```diff\n--- a/c\n+++ b/c\n@@ -9,4 +9,3 @@\n title\n intro\n-old\n \n@@ -{line},4 +{},4 @@\n [job]\n name = \
             x\n-run = y\n+run = z\n \n{more}```\n",
            line - 1
        )
    };
    let changed = |text: &str| {
        let project = Project::with(&[("c", &file)]);
        let result = run(&project, text);
        let line = project.text("c").unwrap().lines().position(|line| line == "run = z");
        (result.success, line.map(|at| at + 1), result.warnings.len())
    };
    // The first hunk says that all numbers are 8 too large; the number alone says another stanza.
    for line in [13, 17, 21] {
        assert_eq!(changed(&diff(line, "")), (false, None, 0), "{line}");
    }
    // Where no stanza stands at the number, or a hunk behind is as far off, the shift is believed, and told.
    assert_eq!(changed(&diff(29, "")), (true, Some(22), 1));
    let behind = "@@ -33,1 +31,1 @@\n-end\n+END\n";
    assert_eq!(changed(&diff(21, behind)), (true, Some(14), 1));
}

#[test]
fn regression_whole_lines_match_the_last_line_that_has_no_end() {
    for (file, old, new, expected) in [
        ("a\nb", "b\n", "c\n", Some("a\nc")),
        ("a\nb", "a\nb\n", "a\nB\nc\n", Some("a\nB\nc")),
        ("a\nb", "b\n", "c", Some("a\nc")),
        ("b\nab", "b\n", "c\n", Some("c\nab")),
        ("xb\nab", "b\n\n", "c\n", None),
        ("ab\nb", "a\n", "c\n", None),
    ] {
        let project = Project::with(&[("t", file)]);
        let result = project.execute(&[replace("t", old, new)]);
        assert_eq!(
            project.text("t").as_deref(),
            Some(expected.unwrap_or(file)),
            "{file:?} {old:?} {result:#?}"
        );
        assert_eq!(result.success, expected.is_some());
    }
    // Nothing of an empty file is lost.
    let project = Project::with(&[("empty.py", "")]);
    let call = "{\"name\":\"Edit\",\"input\":{\"file_path\":\"empty.py\",\"old_string\":\"\",\"new_string\":\"x\\n\"}}";
    assert!(run(&project, call).success);
    assert_eq!(project.text("empty.py").as_deref(), Some("x\n"));
}
