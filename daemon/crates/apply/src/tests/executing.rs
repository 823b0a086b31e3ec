//! What becomes of a plan when something goes wrong in its middle.

use clada_fs::{Call, Faults};

use super::*;

/// Every such call fails.
fn failing(call: Call) -> Faults {
    Faults::injected(move |made| (made == call).then_some(rustix::io::Errno::IO))
}

#[test]
fn regression_a_cancelled_batch_leaves_no_empty_folders() {
    for after in 0..14 {
        let mut project = Project::new();
        project.stop_after = Some(after);
        let result = project.execute(&[
            file_write("d/e/a", "a"),
            file_write("d/e/b", "b"),
            file_write("d/c", "c"),
            file_write("z/c", "c"),
        ]);
        for (name, result) in ["d/e/a", "d/e/b", "d/c", "z/c"].iter().zip(&result.results) {
            assert_eq!(project.exists(name), result.success, "{after} {name}");
        }
        for folder in ["d", "d/e", "z"] {
            let entries = std::fs::read_dir(project.root.join(folder)).map(Iterator::count);
            assert!(!matches!(entries, Ok(0)), "{folder} is left empty, stopped after {after}");
        }
    }
}

#[test]
fn regression_a_write_that_cannot_be_flushed_leaves_no_empty_folder() {
    let mut project = Project::new();
    project.options.durability = Durability::Full;
    project.options.faults = failing(Call::SyncFile);
    let result = project.execute(&[file_write("d/a", "a"), file_write("e/b", "b")]);
    assert!(!result.success && !project.exists("d") && !project.exists("e"), "{:#?}", results_of(&result));
}

#[test]
fn regression_what_an_earlier_failure_left_undone_is_not_reported_as_done() {
    let mut project = Project::with(&[("keep", "k")]);
    project.options.faults = failing(Call::CreateTemp);
    let result = project.execute(&[file_write("d/a", "a"), file_write("d/a", "a"), file_write("keep", "k")]);
    let reported = results_of(&result);
    assert!(reported[1].contains("file_write: "), "{reported:#?}");
    assert_eq!(reported[2], "unchanged");
    assert!(result.external_changes.is_empty(), "{:?}", result.external_changes);
}

#[test]
fn what_others_do_meanwhile_to_what_was_written_is_told() {
    let mut project = Project::with(&[("b", "b"), ("gone", "x")]);
    project.options.durability = Durability::Full;
    let root = project.root.clone();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    // The folders are flushed when all is made.
    project.options.faults = Faults::injected(move |call| {
        if call == Call::SyncFolder && calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            std::fs::write(root.join("a"), "theirs, and longer").unwrap();
            std::fs::write(root.join("gone"), "back").unwrap();
            std::fs::write(root.join("d/other"), "no change of ours").unwrap();
        }
        None
    });
    let changes =
        [file_write("a", "ours"), file_move("b", "d/b"), file_delete("gone"), file_write("d/c", "c")];
    let result = project.execute(&changes);
    assert!(result.success, "{:#?}", results_of(&result));
    assert_eq!(result.external_changes, ["a", "gone"]);
}

/// What came of an answer as text in a project with `file` as `a.txt`.
fn text_applied(
    rules: impl FnOnce(&mut Rules),
    file: Option<&str>,
    text: &str,
) -> (Option<String>, Option<String>) {
    let mut project = match file {
        Some(file) => Project::with(&[("a.txt", file)]),
        None => Project::new(),
    };
    rules(&mut project.rules);
    let read = Reading::new(None, &Settings::default()).unwrap().read(text);
    let result = project.carry_out(read);
    let added =
        result.results[0].data.as_ref().and_then(|data| data["finalNewline"].as_str().map(str::to_owned));
    (project.text("a.txt"), added)
}

#[test]
fn a_text_that_is_written_ends_its_last_line_where_its_syntax_cannot_say_so() {
    let sham = |action: &str, content: &str| {
        format!(
            "#!SHAM [@three-char-SHA-256: k7m]\naction = \"{action}\"\npath = \"a.txt\"\ncontent = {content}\n#!END_SHAM_k7m\n"
        )
    };
    let heredoc = "<<'EOT_SHAM_k7m'\nnew\nEOT_SHAM_k7m";
    let csl = "<---WRITE file=\"a.txt\"--->\nnew\n<---END--->\n";
    let cml = "<write path=\"a.txt\"><![CDATA[new]]></write>\n";
    let replacer = "<<<FILE>>>\na.txt\n<<<OVERWRITE>>>\nnew\n<<<END>>>\n";
    for text in [sham("file_write", heredoc).as_str(), csl, cml, replacer] {
        for old in [None, Some("old\n"), Some("")] {
            let (written, _) = text_applied(|_| {}, old, text);
            assert_eq!(written.as_deref(), Some("new\n"), "{text} over {old:?}");
        }
        assert_eq!(text_applied(|_| {}, Some("bare"), text).0.as_deref(), Some("new"), "{text}");
        let exact = text_applied(|rules| rules.ensure_final_newline = false, None, text).0.unwrap();
        assert!(exact.trim_end() == "new", "{text}");
    }
    let reported = text_applied(|_| {}, None, &sham("file_write", heredoc)).1;
    assert_eq!(reported.as_deref(), Some("added"));
    let quoted = sham("file_write", "\"new\"");
    assert_eq!(text_applied(|_| {}, None, &quoted), (Some("new".to_owned()), None));
    let empty = sham("file_write", "<<'EOT_SHAM_k7m'\nEOT_SHAM_k7m");
    assert_eq!(text_applied(|_| {}, None, &empty), (Some(String::new()), None));
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch\n";
    assert_eq!(text_applied(|_| {}, None, patch), (Some("new\n".to_owned()), None));
}

#[test]
fn what_is_appended_begins_and_ends_a_line() {
    let sham = |content: &str| {
        format!(
            "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_append\"\npath = \"a.txt\"\ncontent = {content}\n#!END_SHAM_k7m\n"
        )
    };
    let heredoc = sham("<<'EOT_SHAM_k7m'\nnew\nEOT_SHAM_k7m");
    for (old, new) in
        [(Some("old\n"), "old\nnew\n"), (Some("old"), "old\nnew\n"), (Some(""), "new\n"), (None, "new\n")]
    {
        assert_eq!(text_applied(|_| {}, old, &heredoc).0.as_deref(), Some(new), "{old:?}");
    }
    assert_eq!(
        text_applied(|_| {}, Some("old\r\nold"), &heredoc).0.as_deref(),
        Some("old\r\nold\r\nnew\r\n")
    );
    assert_eq!(text_applied(|_| {}, Some("old"), &sham("\"new\"")).0.as_deref(), Some("oldnew"));
}

#[test]
fn whole_lines_that_are_replaced_by_nothing_go_with_their_end() {
    let project = Project::with(&[("a", "one\ntwo\nthree\n"), ("b", "one two\nthree\n"), ("c", "a\n\nb\n")]);
    let steps = [replace("a", "two", ""), replace("b", "one ", ""), replace("c", "a\n", "")];
    assert_eq!(results_of(&project.execute(&steps)), ["SUCCESS", "SUCCESS", "SUCCESS"]);
    assert_eq!(project.text("a").as_deref(), Some("one\nthree\n"));
    assert_eq!(project.text("b").as_deref(), Some("two\nthree\n"));
    assert_eq!(project.text("c").as_deref(), Some("\nb\n"));
}

#[test]
fn a_pattern_that_may_be_an_expression_is_told_if_nothing_holds_it_as_text() {
    let lib = "fn capitalize_word() {}\n\nfn other() {}\n";
    let project = Project::with(&[("src/lib.rs", lib)]);
    let warned = |fields: Fields| {
        let result = project.execute(&[fields]);
        assert!(result.success, "{:#?}", results_of(&result));
        let warnings: Vec<String> = result.warnings.into_iter().map(|warning| warning.message).collect();
        warnings.into_iter().find(|warning| warning.contains("regular expression"))
    };
    let grep = |pattern: &str| action("grep", &[("pattern", pattern), ("path", "src")]);
    let extended = warned(grep("capitali[sz]e|^(pub |pub\\(crate\\) )?fn ")).unwrap_or_default();
    let file = project.root.join("src/lib.rs");
    assert!(
        extended.contains("As an extended regular expression it matches 2 lines, first line 1 of ")
            && extended.contains(&format!("'{}'; `grep -rnE`", file.display())),
        "{extended}"
    );
    let basic = warned(grep("capitalise\\|other")).unwrap_or_default();
    assert!(basic.contains("As a basic regular expression it matches 1 line, first line 3"), "{basic}");
    for pattern in ["no|such", "(", "other()", "fn other", "nothing", "*", "[", "a{99999}"] {
        assert_eq!(warned(grep(pattern)), None, "{pattern}");
    }
}

#[test]
fn lines_that_csl_replaces_by_nothing_go_with_their_end() {
    let read = |text: &str| {
        let answer = Reading::new(None, &Settings::default()).unwrap().read(text);
        assert_eq!(answer.errors, [], "{text}");
        answer
    };
    for (old, attributes, pattern, new) in [
        ("a\nx\nb\nx\nc\n", " count=\"all\"", "x", "a\nb\nc\n"),
        ("a\nx\nb\nx\nc\n", " count=\"2\"", "x", "a\nb\nc\n"),
        ("a\nx\nbx\n", " count=\"all\"", "x", "a\n\nb\n"),
        ("a\nx\ny\nb\n", "", "x\n<---TO--->\ny", "a\nb\n"),
        ("a\nx\ny\nb\nx\nz\ny\n", " count=\"2\"", "x\n<---TO--->\ny", "a\nb\n"),
        ("a\nx\nyb\n", "", "x\n<---TO--->\ny", "a\nb\n"),
    ] {
        let project = Project::with(&[("a", old)]);
        let text =
            format!("<---SEARCH file=\"a\"{attributes}--->\n{pattern}\n<---REPLACE--->\n<---END--->\n");
        assert_eq!(results_of(&project.carry_out(read(&text))), ["SUCCESS"], "{text}");
        assert_eq!(project.text("a").as_deref(), Some(new), "{old:?} {text}");
    }
}

#[test]
fn what_is_only_planned_is_no_operation() {
    let project = Project::new();
    let result = project
        .operate(|operation| operation.execute(super::answer(&[file_write("a", "a")]), RunUntil::Planned));
    assert_eq!((result.operation_id.as_str(), result.dry_run.is_some()), ("", true));
    assert_eq!(project.execute(&[file_write("a", "a")]).operation_id, "0");
}
