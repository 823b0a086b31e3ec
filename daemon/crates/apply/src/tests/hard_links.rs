//! Files with several names: an edit of one of them changes all, if all are in the project; else it takes its leave
//! with a file of its own, and says so.

use std::os::unix::fs::MetadataExt;

use super::*;

/// A project in which these names are one file, which holds "1\n".
fn linked(names: &[&str]) -> Project {
    let project = Project::with(&[(names[0], "1\n")]);
    for name in &names[1..] {
        let path = project.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::hard_link(project.root.join(names[0]), path).unwrap();
    }
    project
}

fn file_number(project: &Project, name: &str) -> u64 {
    project.root.join(name).metadata().unwrap().ino()
}

fn warnings(result: &ExecutionResult) -> Vec<&str> {
    result.warnings.iter().map(|one| one.message.as_str()).filter(|one| one.contains("hard links")).collect()
}

#[test]
fn regression_all_names_of_a_file_in_the_project_stay_one_file() {
    let write = |path| file_write(path, "2\n");
    let added = |content| action("file_append", &[("path", "a.txt"), ("content", content)]);
    for (names, actions, text) in [
        (&["a.txt", "b.txt"][..], vec![replace("a.txt", "1", "2")], "2\n"),
        (&["a.txt", "b.txt"], vec![write("b.txt")], "2\n"),
        (&["a.txt", "lib/deep/b.txt", "lib/c.txt"], vec![replace("a.txt", "1", "2")], "2\n"),
        // What comes later in the answer sees the change under each name.
        (&["a.txt", "b.txt"], vec![replace("a.txt", "1", "2"), replace("b.txt", "2", "3")], "3\n"),
        (&["a.txt", "b.txt"], vec![replace("a.txt", "1", "2"), replace("a.txt", "2", "3")], "3\n"),
        (&["a.txt", "b.txt"], vec![added("2\n"), added("3\n")], "1\n2\n3\n"),
        (&["build/a.txt", "a.txt"], vec![replace("a.txt", "1", "2"), file_write("new", "")], "2\n"),
        (&["a.txt", "b.txt"], vec![replace("a.txt", "none", "2"), replace("b.txt", "1", "2")], "2\n"),
    ] {
        let project = linked(names);
        project.write(".gitignore", "build\n");
        let result = project.execute(&actions);
        for name in names {
            assert_eq!(project.text(name).as_deref(), Some(text), "{names:?}: {result:#?}");
            assert_eq!(file_number(&project, name), file_number(&project, names[0]), "{names:?}: {name}");
        }
        assert_eq!(warnings(&result).len(), 1, "{result:#?}");
        assert!(warnings(&result)[0].contains("changes under all"), "{result:#?}");
        let left = project.file_bytes().into_keys().filter(|name| name.contains("clada-tmp")).count();
        assert_eq!(left, 0, "a temporary name is left");
    }
}

#[test]
fn regression_a_name_that_may_not_change_keeps_its_content() {
    let outside = |project: &Project| {
        std::fs::hard_link(project.root.join("a.txt"), project.root.join("../outside")).unwrap();
    };
    let denied = |project: &Project| {
        std::fs::create_dir(project.root.join(".git")).unwrap();
        std::fs::hard_link(project.root.join("a.txt"), project.root.join(".git/a")).unwrap();
    };
    let links: [&dyn Fn(&Project); 2] = [&outside, &denied];
    for (link, other) in links.into_iter().zip(["../outside", ".git/a"]) {
        let project = linked(&["a.txt", "b.txt"]);
        link(&project);
        let result = project.execute(&[replace("a.txt", "1", "2"), replace("a.txt", "2", "3")]);
        assert!(result.success, "{result:#?}");
        for (name, text) in [("a.txt", "3\n"), ("b.txt", "1\n"), (other, "1\n")] {
            assert_eq!(project.text(name).as_deref(), Some(text), "{name}");
        }
        assert_eq!(warnings(&result).len(), 1, "{result:#?}");
        assert!(warnings(&result)[0].contains("has 3 names (hard links): this one"), "{result:#?}");
    }
}

#[test]
fn regression_a_name_that_moves_or_goes_first_is_no_name_any_more() {
    for (first, left) in [
        (file_delete("b.txt"), None),
        (file_move("b.txt", "c.txt"), Some("c.txt")),
        (file_write("b.txt", "1\n2\n"), Some("b.txt")),
    ] {
        let project = linked(&["a.txt", "b.txt"]);
        let result = project.execute(&[first, file_delete("a.txt"), file_write("a.txt", "x\n")]);
        assert!(result.success, "{result:#?}");
        assert_eq!(project.text("a.txt").as_deref(), Some("x\n"));
        let text = left.map(|left| project.text(left).unwrap());
        assert!(text.is_none_or(|text| text.starts_with("1\n")), "{result:#?}");
    }
}

#[test]
fn regression_a_name_that_cannot_be_linked_again_keeps_its_content() {
    let mut project = linked(&["a.txt", "b.txt"]);
    let fail = |call| (call == clada_fs::Call::Link).then_some(rustix::io::Errno::NOSPC);
    project.options.faults = clada_fs::Faults::injected(fail);
    let result = project.execute(&[replace("a.txt", "1", "2")]);
    assert!(result.success, "{result:#?}");
    assert_eq!(
        (project.text("a.txt").unwrap(), project.text("b.txt").unwrap()),
        ("2\n".into(), "1\n".into())
    );
    let message = "'b.txt' keeps its content and is no longer the same file as 'a.txt'";
    assert!(result.warnings.iter().any(|one| one.message.contains(message)), "{result:#?}");
}

#[test]
fn regression_a_name_that_moves_with_a_change_is_told() {
    for names in [&["a.txt", "b.txt"][..], &["a.txt", "lib/b.txt", "d.txt"], &["a.txt"]] {
        let project = linked(names);
        let (action, terms) = patch("a.txt", &["-1\n+2\n"]);
        let Action::FilePatch(patch) = action else { unreachable!("a patch") };
        let moved = Action::FilePatch(FilePatch { new_path: Some("c.txt".to_owned()), ..patch });
        let result = project.carry_out(said("unified_diff", vec![(moved, terms)]));
        let shown = format!("{names:?}: {result:#?}");
        assert_eq!(project.text("c.txt").as_deref(), Some("2\n"), "{shown}");
        for name in &names[1..] {
            assert_eq!(project.text(name).as_deref(), Some("1\n"), "{shown}");
        }
        let told = format!(
            "'a.txt' has {} names (hard links): 'c.txt' gets its own file, the others keep their content",
            names.len()
        );
        assert_eq!(warnings(&result), if names.len() > 1 { vec![told.as_str()] } else { vec![] }, "{shown}");
    }
}
