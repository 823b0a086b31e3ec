//! What later actions see of earlier ones, and that what was planned is what is done.

use super::*;

#[test]
fn every_action_sees_what_came_before_it() {
    let project = Project::with(&[("a", "one\n"), ("d/x", "x\n"), ("f", "f\n")]);
    let result = project.execute(&[
        file_write("n/m/new", "1"),
        replace("n/m/new", "1", "2"),
        file_delete("n/m/new"),
        file_write("n/m/new", "3"),
        file_move("a", "b"),
        replace("b", "one", "two"),
        file_move("b", "n/m/new"),
        replace("n/m/new", "two", "three"),
        file_delete("d/x"),
        action("dir_delete", &[("path", "d")]),
        file_write("d", "a file now"),
        file_delete("f"),
        action("dir_create", &[("path", "f")]),
        file_write("f/g", "g"),
        file_write("f/g/h", "no"),
        replace("d/x", "x", "y"),
    ]);
    let reported = results_of(&result);
    assert!(reported[..14].iter().all(|reported| reported == "SUCCESS"), "{reported:#?}");
    assert!(reported[14].contains("ENOTDIR") && reported[15].contains("ENOENT"), "{reported:#?}");
    assert_eq!(project.text("n/m/new").as_deref(), Some("three\n"));
    assert_eq!(project.text("d").as_deref(), Some("a file now"));
    assert_eq!(project.text("f/g").as_deref(), Some("g"));
    assert!(!project.exists("a") && !project.exists("b"));
}

#[test]
fn regression_a_folder_that_became_a_file_is_not_flushed_as_a_folder() {
    let mut project = Project::with(&[("d/x", "x\n")]);
    project.options.durability = Durability::Full;
    let result = project.execute(&[
        replace("d/x", "x", "y"),
        file_delete("d/x"),
        action("dir_delete", &[("path", "d")]),
        file_write("d", "a file now"),
    ]);
    assert!(result.success, "{:#?}", results_of(&result));
    assert!(
        result.warnings.iter().all(|warning| !warning.message.contains("power")),
        "{:?}",
        result.warnings
    );
}

#[test]
fn regression_a_link_that_goes_can_become_a_folder() {
    let project = Project::with(&[("real/x", "x\n")]);
    std::os::unix::fs::symlink("real", project.root.join("link")).unwrap();
    let result = project.execute(&[file_delete("link"), file_write("link/x", "mine")]);
    assert!(result.success, "{:#?}", results_of(&result));
    assert_eq!(project.text("link/x").as_deref(), Some("mine"));
    assert_eq!(project.text("real/x").as_deref(), Some("x\n"));
}

#[test]
fn regression_a_large_file_moves_more_than_once() {
    let mut project = Project::with(&[("a", "0123456789\n")]);
    project.rules.max_file_size = 5;
    let result = project.execute(&[file_move("a", "b"), file_move("b", "c/c")]);
    assert!(result.success, "{:#?}", results_of(&result));
    assert_eq!(project.text("c/c").as_deref(), Some("0123456789\n"));
}
