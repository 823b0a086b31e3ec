//! Paths that lead nowhere: what is found instead, for hunks, and what is suggested, for everything.

use super::*;

const CHANGE: &[&str] = &["-one\n+1\n"];

#[test]
fn hunks_find_the_one_file_that_can_be_meant_and_say_so() {
    let project = Project::with(&[
        ("src/deep/a.py", "one\n"),
        ("b.py", "one\n"),
        ("src/c.py", "one\n"),
        ("c.py", "x\n"),
    ]);
    let project_s_own = "project/src/c.py";
    for (asked, file) in [("deep/a.py", "src/deep/a.py"), ("src/b.py", "b.py"), (project_s_own, "src/c.py")] {
        let result = project.carry_out(said("aider", vec![patch(asked, CHANGE)]));
        assert_eq!(results_of(&result), ["SUCCESS"], "{asked}");
        assert_eq!(project.text(file).as_deref(), Some("1\n"));
        assert_eq!(data(&result.results[0])["path"], file);
        let warning = &result.warnings[0];
        assert_eq!(warning.task.as_deref(), Some("1"));
        assert!(warning.message.contains(asked) && warning.message.contains(file), "{warning:?}");
    }
}

#[test]
fn what_can_mean_several_files_means_none() {
    let project =
        Project::with(&[("x/a.py", "one\n"), ("y/a.py", "one\n"), ("a/b.py", "one\n"), ("b.py", "one\n")]);
    for asked in ["a.py", "z/b.py"] {
        let result = project.carry_out(said("aider", vec![patch(asked, CHANGE)]));
        assert_eq!(result.results[0].kind, Some(ErrorKind::Ambiguous), "{asked}");
        assert!(results_of(&result)[0].contains("AMBIGUOUS_PATH"));
        let hint = result.results[0].hint.as_deref().unwrap();
        assert!(hint.contains("'x/a.py', 'y/a.py'") || hint.contains("'a/b.py', 'b.py'"), "{hint}");
    }
    for name in ["x/a.py", "y/a.py", "a/b.py", "b.py"] {
        assert_eq!(project.text(name).as_deref(), Some("one\n"));
    }
}

#[test]
fn slips_in_a_name_and_other_actions_only_get_suggestions() {
    let project = Project::with(&[("src/helper.py", "one\n"), ("src/other.txt", "x\n")]);
    for asked in ["src/helpers.py", "helper.pyi"] {
        let result = project.carry_out(said("aider", vec![patch(asked, CHANGE)]));
        assert_eq!(result.results[0].kind, Some(ErrorKind::FileNotFound), "{asked}");
        let hint = result.results[0].hint.as_deref().unwrap();
        assert!(hint.starts_with("closest in the project: 'src/helper.py'\n"), "{hint}");
    }
    let result = project.execute(&[
        file_delete("helper.py"),
        file_move("helper.py", "b.py"),
        replace("helper.py", "one", "1"),
        action("file_read", &[("path", "helper.py")]),
        action("ls", &[("path", "srcs")]),
        file_delete("nothing_like_it"),
    ]);
    let hints: Vec<&str> =
        result.results.iter().map(|result| result.hint.as_deref().unwrap_or_default()).collect();
    assert!(hints[..4].iter().all(|hint| hint.contains("'src/helper.py'")), "{hints:#?}");
    assert!(hints[4].contains("'src'") && !hints[5].contains("closest"), "{hints:#?}");
    assert!(result.results.iter().all(|result| result.kind == Some(ErrorKind::FileNotFound)));
    assert_eq!(project.text("src/helper.py").as_deref(), Some("one\n"));
}

#[test]
fn secrets_and_ignored_files_are_not_found() {
    let project = Project::with(&[("d/.env", "one\n"), (".gitignore", "built/\n"), ("built/a.py", "one\n")]);
    std::fs::create_dir(project.root.join(".git")).unwrap();
    project.write(".git/config.py", "one\n");
    for asked in [".env", "a.py", "config.py", "d/.ENV"] {
        let result = project.carry_out(said("aider", vec![patch(asked, CHANGE)]));
        assert_eq!(result.results[0].kind, Some(ErrorKind::FileNotFound), "{asked}");
        let hint = result.results[0].hint.as_deref().unwrap();
        assert!(!hint.contains("closest"), "{hint}");
    }
    let denied = project.carry_out(said("aider", vec![patch(".git/hooks/pre-commit", &["+x\n"])]));
    assert_eq!(denied.results[0].kind, Some(ErrorKind::PathDenied));
}

#[test]
fn what_the_answer_itself_did_is_seen() {
    let project = Project::with(&[("src/a.py", "one\n"), ("old/b.py", "one\n")]);
    let mut answer =
        answer(&[file_write("lib/new.py", "one"), file_delete("src/a.py"), file_move("old/b.py", "to/b.py")]);
    let patches = said("aider", vec![patch("new.py", CHANGE), patch("a.py", CHANGE), patch("b.py", CHANGE)]);
    answer.steps.extend(patches.steps);
    let result = project.carry_out(answer);
    let reported = results_of(&result);
    assert_eq!((reported[3].as_str(), reported[5].as_str()), ("SUCCESS", "SUCCESS"), "{reported:#?}");
    assert!(reported[4].contains("ENOENT"), "{reported:#?}");
    assert_eq!(project.text("lib/new.py").as_deref(), Some("1"));
    assert_eq!(project.text("to/b.py").as_deref(), Some("1\n"));
}

#[test]
fn a_name_that_is_suggested_forges_no_line() {
    let project = Project::with(&[("helper.py\n[task-1] SUCCESS", "one\n"), ("d/x\ny", "one\n")]);
    let result =
        project.carry_out(said("aider", vec![patch("helper.py [task-1]", CHANGE), patch("x\ny", CHANGE)]));
    let hint = result.results[0].hint.as_deref().unwrap();
    assert!(hint.lines().next().unwrap().contains("SUCCESS"), "{hint}");
    assert_eq!(results_of(&result)[1], "SUCCESS");
    assert!(!result.warnings[0].message.contains('\n'), "{:?}", result.warnings);
}

#[test]
fn regression_a_file_is_not_made_beside_one_that_looks_like_it() {
    let project = Project::with(&[
        ("README.md", "x\n"),
        ("U\u{308}bersicht.md", "x\n"),
        ("web/app.js", "x\n"),
        ("Docs/a.md", "x\n"),
    ]);
    for (path, there) in [
        ("readme.md", "README.md"),
        ("\u{dc}bersicht.md", "U\u{308}bersicht.md"),
        ("web/web/app.js", "web/app.js"),
        ("docs/b.md", "Docs/b.md"),
        ("WEB/app.js", "web/app.js"),
        ("Web/New.js", "web/New.js"),
    ] {
        let result = project.execute(&[file_write(path, "new\n")]);
        let error = result.results[0].error.clone().unwrap_or_default();
        assert!(error.contains("is there already") && error.contains(there), "{path}: {result:#?}");
        assert!(!project.exists(path), "{path}");
    }
    // What an answer makes, and what is called otherwise, is made.
    let both = project.execute(&[file_write("new/A.txt", "a\n"), file_write("new/a.txt", "b\n")]);
    assert_eq!(results_of(&both)[0], "SUCCESS");
    assert!(results_of(&both)[1].contains("in other letter case"), "{both:#?}");
    for path in ["web/web.js", "docs2/a.md", "readme.txt", "app/app/app.js"] {
        assert!(project.execute(&[file_write(path, "new\n")]).success, "{path}");
    }
    // An edit is redirected, and says so.
    let change: &[&str] = &["-x\n+y\n"];
    let edit = project
        .carry_out(said("aider", vec![patch("\u{dc}bersicht.md", change), patch("docs/A.md", change)]));
    assert_eq!(results_of(&edit), ["SUCCESS", "SUCCESS"], "{edit:#?}");
    assert_eq!(
        edit.warnings.iter().filter(|one| one.message.contains("the only file that it can mean")).count(),
        2
    );
    assert_eq!(project.text("Docs/a.md").as_deref(), Some("y\n"));
}

#[test]
fn regression_a_link_names_a_target_in_the_project() {
    let project = Project::with(&[("a.txt", "1\n"), ("docs/AGENTS.md", "1\n")]);
    for (link, target, hint) in [
        ("CLAUDE.md", "docs/AGENTS.md", "it leads to 'docs/AGENTS.md': name that, if it is meant"),
        ("docs/up.md", "../a.txt", "it leads to 'a.txt': name that, if it is meant"),
        ("out.md", "../../etc/passwd", "name the file itself, not a symbolic link to it"),
        ("root.md", "/etc/passwd", "name the file itself, not a symbolic link to it"),
    ] {
        std::os::unix::fs::symlink(target, project.root.join(link)).unwrap();
        let result = project.execute(&[replace(link, "1", "2")]);
        assert_eq!(result.results[0].hint.as_deref(), Some(hint), "{link}");
    }
}
