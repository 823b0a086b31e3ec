//! What needs a person's word, and what that word is worth.

use std::os::unix::fs::symlink;

use super::*;

fn waiting(project: &Project, actions: &[Fields]) -> Vec<clada_protocol::Approval> {
    project.execute(actions).approvals
}

#[test]
fn regression_an_approval_names_every_file_that_it_is_for() {
    let project = Project::with(&[
        (".envrc", "x\n"),
        (".gitmodules", "x\n"),
        ("harmless", "x\n"),
        (".github/workflows/ci.yml", "x\n"),
    ]);
    let paths = ".envrc\n.github/workflows/ci.yml";
    let fields = [("paths", paths), ("old_text", "x"), ("new_text", "y")];
    let asked = waiting(&project, &[action("files_replace_all_text", &fields)]);
    assert!(asked[0].path.ends_with(".envrc") && asked[0].reason.contains("ci.yml"), "{asked:#?}");
    let asked = waiting(&project, &[file_move(".gitmodules", ".github/workflows/new.yml")]);
    assert!(asked[0].path.ends_with(".gitmodules") && asked[0].reason.contains("new.yml"), "{asked:#?}");
    let asked = waiting(&project, &[file_move("harmless", ".github/workflows/new.yml")]);
    assert!(asked[0].path.ends_with("new.yml"), "{asked:#?}");
}

#[test]
fn regression_an_approval_is_for_what_is_there_now() {
    let mut project = Project::with(&[("large", "0123456789"), ("small", "s")]);
    project.rules.max_file_size = 5;
    symlink("small", project.root.join("link")).unwrap();
    for action in [file_delete("large"), file_move("small", "large"), file_move("link", ".envrc")] {
        let first = waiting(&project, std::slice::from_ref(&action));
        project.write("large", "another large content");
        std::fs::remove_file(project.root.join("link")).unwrap();
        symlink("elsewhere", project.root.join("link")).unwrap();
        let second = waiting(&project, std::slice::from_ref(&action));
        assert_ne!(first[0].id, second[0].id);
        project.write("large", "0123456789");
        std::fs::remove_file(project.root.join("link")).unwrap();
        symlink("small", project.root.join("link")).unwrap();
    }
}

#[test]
fn regression_a_link_is_not_moved_to_where_programs_look_for_what_runs() {
    let project = Project::with(&[("payload/config.toml", "[alias]\n")]);
    symlink("payload", project.root.join("link")).unwrap();
    for to in [".cargo", "sub/.Cargo", ".vscode", ".github", ".github/workflows"] {
        let result = project.execute(&[file_move("link", to)]);
        assert!(results_of(&result)[0].contains("APPROVAL_REQUIRED"), "{to}: {:?}", results_of(&result));
    }
    assert!(project.execute(&[file_move("link", "docs/cargo")]).success);
}

#[test]
fn regression_a_plan_shows_no_secret() {
    let project = Project::with(&[(".env", "TOKEN=hunter2\nA=1\n")]);
    let (plan, result) = project.plan(&[replace(".env", "A=1", "A=2")], &[]);
    let shown = serde_json::to_string(&result).unwrap();
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(result.actions[0].hunks.len(), 1);
    let done = project.apply(&plan, Some(&["a1.h1"]), Deliver::Disk);
    assert!(done.success && project.text(".env").unwrap().contains("A=2"), "{:?}", results_of(&done));
}
