//! Paths below roots that models make up: the file that can be meant is named, or taken where that is
//! allowed.

use super::*;

const FILES: &[(&str, &str)] = &[
    ("src/app.py", "one\n"),
    ("top.txt", "one\n"),
    ("a/lib/x.py", "one\n"),
    ("b/lib/x.py", "one\n"),
    ("conf/.env", "A=1\n"),
    (".github/workflows/ci.yml", "one\n"),
];

/// The hint for a path of which one file is meant, and for one of which several are.
const ONE: &str = "write that if it is meant";
const SEVERAL: &str = "write the one that is meant";

fn project(accepts: bool) -> Project {
    let mut project = Project::with(FILES);
    project.rules.accept_made_up_roots = accepts;
    project
}

/// Paths with the files that they can mean.
const MEANT: &[(&str, &[&str])] = &[
    ("/workspace/demo/src/app.py", &["src/app.py"]),
    ("/src/app.py", &["src/app.py"]),
    ("//workspace/./src/app.py", &["src/app.py"]),
    (r"C:\work\demo\src\app.py", &["src/app.py"]),
    ("/workspace/a/lib/x.py", &["a/lib/x.py"]),
    ("/workspace/lib/x.py", &["a/lib/x.py", "b/lib/x.py"]),
    ("/workspace/c/lib/x.py", &["a/lib/x.py", "b/lib/x.py"]),
    // The whole of it below the root, and the project's own folder.
    ("/top.txt", &["top.txt"]),
    ("/workspace/project/top.txt", &["top.txt"]),
    // No folder agrees.
    ("/workspace/demo/app.py", &[]),
    ("/app.py", &[]),
    ("/workspace/top.txt", &[]),
    ("/workspace/demo/src/new.py", &[]),
    // It cannot be known what these are, or they are never named.
    ("/workspace/../src/app.py", &[]),
    ("~/demo/src/app.py", &[]),
    ("../src/app.py", &[]),
    ("/workspace/demo/conf/.env", &[]),
];

#[test]
fn an_error_names_the_file_that_can_be_meant() {
    let project = project(false);
    for (written, files) in MEANT {
        let result = project.execute(&[replace(written, "one", "two")]);
        assert_eq!(result.results[0].kind, Some(ErrorKind::PathEscape), "{written}");
        let hint = result.results[0].hint.as_deref().unwrap_or_default();
        assert_eq!(hint.contains(ONE), files.len() == 1, "{written}: {hint}");
        assert_eq!(hint.contains(SEVERAL), files.len() > 1, "{written}: {hint}");
        assert!(files.iter().all(|file| hint.contains(&format!("'{file}'"))), "{written}: {hint}");
    }
    FILES.iter().for_each(|(name, text)| assert_eq!(project.text(name).as_deref(), Some(*text)));
}

#[test]
fn it_is_taken_with_a_warning_where_that_is_allowed() {
    for (written, files) in MEANT {
        let project = project(true);
        let result = project.execute(&[replace(written, "one", "two")]);
        let [file] = files else {
            assert_eq!(result.results[0].kind, Some(ErrorKind::PathEscape), "{written}");
            continue;
        };
        assert!(result.success, "{written}: {result:#?}");
        assert_eq!(project.text(file).as_deref(), Some("two\n"), "{written}");
        let notes: Vec<&str> = result.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(notes.len() == 1 && notes[0].contains(&format!("'{file}' is taken")), "{notes:?}");
    }
}

#[test]
fn every_action_that_takes_a_path_names_it() {
    let path = "/workspace/demo/src/app.py";
    let at = |name: &str, more: &[(&'static str, &str)]| {
        let fields: Vec<(&'static str, &str)> = [("path", path)].iter().chain(more).copied().collect();
        action(name, &fields)
    };
    let actions = [
        file_write(path, "x\n"),
        at("file_append", &[("content", "x\n")]),
        at("file_replace_all_text", &[("old_text", "one"), ("new_text", "x")]),
        at(
            "file_replace_text_range",
            &[("old_text_beginning", "o"), ("old_text_end", "e"), ("new_text", "x")],
        ),
        at("file_replace_lines", &[("lines", "1"), ("new_content", "x")]),
        file_delete(path),
        file_move(path, "b.py"),
        at("file_read", &[]),
        at("file_read_numbered", &[]),
        at("grep", &[("pattern", "one")]),
        action("files_replace_all_text", &[("paths", path), ("old_text", "one"), ("new_text", "x")]),
    ];
    let refused = project(false);
    let result = refused.execute(&actions);
    for result in &result.results {
        assert!(result.hint.as_deref().is_some_and(|hint| hint.contains("'src/app.py'")), "{result:#?}");
    }
    let hunks = refused.carry_out(said("unified_diff", vec![patch(path, &["-one\n+x\n"])]));
    assert!(hunks.results[0].hint.as_deref().is_some_and(|hint| hint.contains("'src/app.py'")));
    for action in actions {
        // A project for each, since they change or remove the same file.
        let accepting = project(true);
        assert!(accepting.execute(std::slice::from_ref(&action)).success, "{action:?}");
    }
    let accepting = project(true);
    let hunks = accepting.carry_out(said("unified_diff", vec![patch(path, &["-one\n+x\n"])]));
    assert!(hunks.success && hunks.warnings.len() == 1, "{hunks:#?}");
    assert_eq!(accepting.text("src/app.py").as_deref(), Some("x\n"));
}

#[test]
fn what_exists_on_the_machine_is_no_made_up_path() {
    for accepts in [false, true] {
        let project = project(accepts);
        let outside = project.root.parent().unwrap().join("demo/src");
        std::fs::create_dir_all(&outside).unwrap();
        let path = outside.join("app.py");
        let missing = path.to_str().unwrap();
        let result = project.execute(&[replace(missing, "one", "two")]);
        assert_eq!(result.success, accepts, "{result:#?}");
        std::fs::write(&path, "one\n").unwrap();
        project.write("src/app.py", "one\n");
        let result = project.execute(&[replace(missing, "one", "two")]);
        assert_eq!(result.results[0].kind, Some(ErrorKind::PathEscape));
        assert!(!result.results[0].hint.as_deref().unwrap_or_default().contains("src/app.py'"));
        assert_eq!(project.text("src/app.py").as_deref(), Some("one\n"));
    }
}

#[test]
fn the_rules_hold_for_the_file_that_is_taken() {
    let project = project(true);
    let asked = project.execute(&[file_write("/w/.github/workflows/ci.yml", "x\n")]);
    assert_eq!(asked.results[0].kind, Some(ErrorKind::ApprovalRequired), "{asked:#?}");
    assert_eq!(project.text(".github/workflows/ci.yml").as_deref(), Some("one\n"));
    let secret = project.execute(&[action("file_read", &[("path", "/w/conf/.env")])]);
    assert!(
        !secret.success && !serde_json::to_string(&secret.results).unwrap().contains("A=1"),
        "{secret:#?}"
    );
    // A file that the answer makes can be meant, one that it takes away cannot.
    let result = project.execute(&[
        file_write("new/made.py", "one\n"),
        replace("/w/new/made.py", "one", "two"),
        file_delete("src/app.py"),
        replace("/w/src/app.py", "one", "two"),
    ]);
    assert_eq!(project.text("new/made.py").as_deref(), Some("two\n"));
    assert_eq!(result.results[3].kind, Some(ErrorKind::PathEscape), "{result:#?}");
}
