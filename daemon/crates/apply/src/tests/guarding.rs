//! Guards where changes are planned: what they refuse, say, and ask about.

use clada_protocol::ErrorKind;
use expect_test::expect;

use super::patching::only;
use super::*;

fn lines(count: usize) -> String {
    (0..count).map(|at| format!("line {at}\n")).collect()
}

#[test]
fn a_guard_refuses_and_a_person_s_word_makes_a_warning_of_it() {
    let code = "fn a() {\n    one();\n    two();\n}\n";
    let mut project = Project::with(&[("a.rs", code)]);
    let short = "fn a() {\n    // ... existing code ...\n}\n";
    let result = only(project.execute(&[file_write("a.rs", short)]));
    assert_eq!(result.kind, Some(ErrorKind::Elision), "{result:#?}");
    assert_eq!(project.text("a.rs").as_deref(), Some(code));
    project.rules.literal = true;
    let result = project.execute(&[file_write("a.rs", short)]);
    assert!(result.warnings.iter().any(|warning| warning.message.contains("existing code")), "{result:#?}");
    assert_eq!(project.text("a.rs").as_deref(), Some(short));
}

#[test]
fn every_way_of_writing_is_guarded() {
    let code = "a\nb\nc\nd\ne\n";
    let project = Project::with(&[("a.rs", code)]);
    let new = "// ... rest of the code ...";
    for step in [
        replace("a.rs", "b\nc", new),
        action("file_replace_all_text", &[("path", "a.rs"), ("old_text", "b\nc"), ("new_text", new)]),
        action(
            "file_replace_text_range",
            &[("path", "a.rs"), ("old_text_beginning", "b"), ("old_text_end", "d"), ("new_text", new)],
        ),
        action("file_replace_lines", &[("path", "a.rs"), ("lines", "2-3"), ("new_content", new)]),
        action("file_append", &[("path", "a.rs"), ("content", new)]),
    ] {
        let result = only(project.execute(&[step]));
        assert_eq!(result.kind, Some(ErrorKind::Elision), "{result:#?}");
    }
    let many = [("paths", "a.rs"), ("old_text", "c"), ("new_text", new)];
    let result = only(project.execute(&[action("files_replace_all_text", &many)]));
    assert_eq!(result.kind, Some(ErrorKind::Elision), "{result:#?}");
    assert_eq!(project.text("a.rs").as_deref(), Some(code));
}

#[test]
fn a_patch_does_not_become_a_file() {
    let project = Project::with(&[("a.c", &lines(30))]);
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n line 0\n-line 1\n+line one\n";
    let result = only(project.execute(&[file_write("a.c", diff)]));
    assert_eq!(result.kind, Some(ErrorKind::ContentIsPatch), "{result:#?}");
    assert_eq!(project.text("a.c"), Some(lines(30)));
}

#[test]
fn a_file_that_shrinks_is_told_and_a_large_one_asked_about() {
    let project = Project::with(&[("a.rs", &lines(33)), ("b.rs", &lines(120)), ("c.rs", &lines(120))]);
    let result = project.execute(&[file_write("a.rs", &lines(7))]);
    assert!(
        result.warnings.iter().any(|warning| warning.message.contains("keeps 7 of 33 lines")),
        "{result:#?}"
    );
    let result = only(project.execute(&[file_write("b.rs", "x\n")]));
    assert_eq!(result.kind, Some(ErrorKind::ApprovalRequired), "{result:#?}");
    assert!(result.error.unwrap().contains("keeps 1 of 120 lines"));
    // Split into another file.
    let split = project.execute(&[file_write("c.rs", "mod d;\n"), file_write("d.rs", &lines(120))]);
    assert_eq!(results_of(&split), ["SUCCESS", "SUCCESS"]);
    let kept = split.warnings.iter().any(|warning| warning.message.contains("keeps"));
    assert!(!kept, "{:#?}", split.warnings);
}

#[test]
fn regression_an_approval_of_a_loss_holds_for_this_loss() {
    let project = Project::with(&[("a.rs", &lines(200))]);
    let asks = || project.execute(&[file_write("a.rs", "x\n")]).approvals[0].id.clone();
    let small = asks();
    assert_eq!(asks(), small);
    project.write("a.rs", &lines(5_000));
    assert_ne!(asks(), small);
}

#[test]
fn numbers_of_lines_that_an_action_before_moved_are_refused() {
    let by_number = |lines: &str| {
        action("file_replace_lines", &[("path", "a"), ("lines", lines), ("new_content", "X\n")])
    };
    let file = "a\nb\nc\nd\n";
    let project = Project::with(&[("a", file)]);
    let result = project.execute(&[replace("a", "a\n", "a\nnew\n"), by_number("3")]);
    let moved = &result.results[1];
    assert_eq!(moved.kind, Some(ErrorKind::LinesShifted), "{moved:#?}");
    let hint = moved.hint.as_ref().unwrap();
    expect!["before this answer those lines were 'c', which is line 4 now; now they are 'b'. Give the text to replace, or the current numbers, from the bottom up; `apply --literal` applies it as written"].assert_eq(hint);
    for (first, then) in [
        (replace("a", "d\n", "d\ne\n"), "2"),
        (replace("a", "b\n", "B\n"), "2"),
        (file_write("a", "1\n2\n3\n"), "3"),
        (by_number("4"), "2"),
    ] {
        let project = Project::with(&[("a", file)]);
        assert_eq!(results_of(&project.execute(&[first, by_number(then)])), ["SUCCESS", "SUCCESS"]);
    }
}

#[test]
fn a_marker_in_content_and_a_match_within_a_line_are_told() {
    let project = Project::with(&[("a.txt", "let total = 1;\n")]);
    let result = project.execute(&[file_write("b.txt", "one\n#!END_SHAM_k7m\n")]);
    let warned = result
        .warnings
        .iter()
        .any(|warning| warning.message.contains("Line 2 of 'b.txt' is a marker of sham"));
    assert!(warned, "{:#?}", result.warnings);
    let part = only(project.execute(&[replace("a.txt", "total", "sum")]));
    let within = part.within_line.clone().unwrap_or_else(|| panic!("{part:#?}"));
    assert_eq!((within.line, within.text.as_str()), (1, "let sum = 1;"));
    let whole = only(project.execute(&[replace("a.txt", "let sum = 1;", "let sum = 2;")]));
    assert!(whole.within_line.is_none());
}

#[test]
fn a_line_that_is_joined_to_the_new_text_is_told() {
    let project = Project::with(&[("a.txt", "one\ntwo\nthree\n")]);
    let joined = only(project.execute(&[replace("a.txt", "one\n", "1\n1.5")]));
    let within = joined.within_line.clone().unwrap_or_else(|| panic!("{joined:#?}"));
    assert_eq!((within.line, within.text.as_str()), (2, "1.5two"));
    assert!(only(project.execute(&[replace("a.txt", "1\n", "")])).within_line.is_none());
}

#[test]
fn regression_lines_that_an_action_before_changed_are_said_to_be() {
    let hint = |steps: &[Fields]| {
        let file = "import x\nfrom y import z\n\nrest()\n";
        let project = Project::with(&[("a.py", file), (".env", "A=1\nB=2\n")]);
        let result = project.execute(steps);
        result.results.last().and_then(|last| last.hint.clone()).unwrap_or_default()
    };
    let first = || replace("a.py", "import z\n", "import z, w\n");
    let again = || replace("a.py", "from y import z\n", "from y import z, v\n");
    let said = hint(&[first(), again()]);
    assert!(said.starts_with("Task 1 of this answer changed these lines before: "), "{said}");
    // Of several that changed the file, none is blamed.
    let said = hint(&[first(), replace("a.py", "rest()", "more()"), again()]);
    assert!(said.starts_with("Actions of this answer changed these lines before: "), "{said}");
    // What is there several times was not changed.
    let project = Project::with(&[("b.txt", "head\nsame\nbetween\nsame\n")]);
    let result = project.execute(&[replace("b.txt", "head", "title"), replace("b.txt", "same", "other")]);
    let said = result.results.last().and_then(|last| last.hint.clone()).unwrap_or_default();
    assert!(!said.contains("changed these lines before") && said.contains("2"), "{said}");
    // What the file never held is not the action's doing, and a secret is not spoken of.
    for steps in [
        [first(), replace("a.py", "from q import z\n", "")],
        [replace(".env", "A=1\n", "A=12\n"), replace(".env", "A=1\n", "A=3\n")],
    ] {
        let said = hint(&steps);
        assert!(!said.contains("of this answer changed"), "{said}");
    }
}
