//! Plans of which only a part is wanted, or which are for an editor.

use super::*;

#[test]
fn regression_a_hunk_that_there_is_not_is_unknown() {
    let project = Project::with(&[("a", "one\n")]);
    let (plan, _) = project.plan(&[replace("a", "one", "two"), file_delete("a")], &[]);
    let ids: Vec<String> =
        ["a1", "a1.h1", "a2", "a1.h2", "a1.h0", "a1.hx", "a2.h1", "a3", "a1.h1.h1", "a1.h01"]
            .map(str::to_owned)
            .into();
    assert_eq!(unknown_ids(&plan, &ids), ["a1.h2", "a1.h0", "a1.hx", "a2.h1", "a3", "a1.h1.h1", "a1.h01"]);
}

#[test]
fn regression_lines_by_number_are_not_moved_by_what_is_left_out() {
    let mut project = Project::with(&[("a", "x\nsame\nsame\n")]);
    // That the numbers are moved is known, and meant.
    project.rules.literal = true;
    let lines = [("path", "a"), ("lines", "3"), ("new_content", "new")];
    let (plan, _) = project.plan(&[replace("a", "x\n", "x\ny\n"), action("file_replace_lines", &lines)], &[]);
    let done = project.apply(&plan, Some(&["a2"]), Deliver::Disk);
    assert_eq!(project.text("a").as_deref(), Some("x\nsame\nsame\n"), "{:?}", results_of(&done));
    assert_eq!(done.results[1].kind, Some(clada_protocol::ErrorKind::Conflict));
}

#[test]
fn regression_what_waits_for_approval_is_no_change_by_others() {
    let project = Project::with(&[(".envrc", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n")]);
    let (plan, _) = project.plan(&[replace(".envrc", "a\n", "A\n"), replace(".envrc", "k\n", "K\n")], &[]);
    let done = project.apply(&plan, None, Deliver::Disk);
    assert!(done.external_changes.is_empty(), "{:?} {:?}", done.external_changes, results_of(&done));
    assert!(
        results_of(&done).iter().all(|reported| reported.contains("APPROVAL_REQUIRED")),
        "{:?}",
        results_of(&done)
    );
}

#[test]
fn regression_an_editor_s_text_has_no_byte_order_mark() {
    let project = Project::with(&[("a", "\u{feff}one\ntwo\n")]);
    let (plan, _) = project.plan(&[replace("a", "one\n", "1\n"), file_write("b", "\u{feff}b")], &[]);
    let edits = project.apply(&plan, None, Deliver::Edits).edits.unwrap();
    let shown = serde_json::to_value(&edits).unwrap();
    // The file that is created comes first, and the text of it is whole.
    let first = &shown["documentChanges"][1]["edits"][0];
    assert_eq!(first["range"]["start"]["character"], 0, "{shown:#}");
    assert_eq!(first["newText"], "1", "{shown:#}");
    assert_eq!(shown["documentChanges"][2]["edits"][0]["newText"], "\u{feff}b", "{shown:#}");
}

#[test]
fn a_secret_goes_to_an_editor_only_if_it_may_be_shown() {
    let project = Project::with(&[(".env", "TOKEN=hunter2 A=1\n")]);
    let (plan, _) = project.plan(&[replace(".env", "A=1", "A=2")], &[]);
    let done = project.apply(&plan, None, Deliver::Edits);
    assert!(!serde_json::to_string(&done).unwrap().contains("hunter2"), "{done:#?}");
}

#[test]
fn regression_a_file_that_changed_is_a_conflict_although_something_is_left_out() {
    let project = Project::with(&[("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")]);
    let (plan, _) = project.plan(&[replace("a", "one", "1"), replace("a", "ten", "10")], &[]);
    project.write("a", "one\n2\n3\n4\n5\nsix\n7\n8\n9\nten\n");
    let done = project.apply(&plan, Some(&["a2"]), Deliver::Disk);
    assert_eq!(done.results[1].kind, Some(clada_protocol::ErrorKind::Conflict), "{:?}", results_of(&done));
    assert!(project.text("a").unwrap().contains("ten"));
}

#[test]
fn what_is_accepted_is_done_without_what_is_left_out() {
    let project = Project::with(&[("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")]);
    let (plan, _) = project.plan(&[replace("a", "one\n", "1\n1.5\n"), replace("a", "ten", "10")], &[]);
    let done = project.apply(&plan, Some(&["a2"]), Deliver::Disk);
    assert_eq!(
        project.text("a").as_deref(),
        Some("one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
        "{:?}",
        results_of(&done)
    );
}

#[test]
fn regression_hunks_that_fall_together_are_not_accepted_by_their_old_numbers() {
    let project = Project::with(&[("a", "A\n1\n2\n3\n4\nA\n")]);
    let far = "2\nx\nx\nx\nx\n";
    let all = [("path", "a"), ("old_text", "A"), ("new_text", "B")];
    let (plan, result) =
        project.plan(&[replace("a", "2\n", far), action("file_replace_all_text", &all)], &[]);
    assert_eq!(result.actions[1].hunks.len(), 2);
    let done = project.apply(&plan, Some(&["a2.h1"]), Deliver::Disk);
    assert_eq!(project.text("a").as_deref(), Some("A\n1\n2\n3\n4\nA\n"), "{:?}", results_of(&done));
}

#[test]
fn a_plan_says_what_a_person_has_to_know_before_accepting() {
    let project =
        Project::with(&[("a", "one\ntwo\n"), ("b", "one\n"), ("c", "c\n"), (".env", "TOKEN=one\n")]);
    let paths = [("paths", "b\n.env"), ("old_text", "one"), ("new_text", "1")];
    let (_, plan) = project.plan(
        &[
            file_delete("a"),
            action("files_replace_all_text", &paths),
            file_move("b", "c"),
            file_move("c", "d"),
            file_write("d", "new"),
            file_write("e", "new"),
            action("ls", &[("path", ".")]),
        ],
        &[],
    );
    let actions = &plan.actions;
    assert_eq!(actions.iter().filter_map(|action| action.lines).collect::<Vec<_>>(), [2]);
    let replaces: Vec<bool> = actions.iter().map(|action| action.replaces).collect();
    assert_eq!(replaces, [false, false, true, false, true, false, false]);
    let looks: Vec<bool> = actions.iter().map(|action| action.looks).collect();
    assert_eq!(looks, [false, false, false, false, false, false, true]);
    let diff = actions[1].diff.as_deref().unwrap();
    assert!(diff.contains("--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n"), "{diff}");
    assert!(diff.contains("a secret is not shown") && !diff.contains("TOKEN"), "{diff}");
    assert!(actions.iter().all(|action| !action.truncated));
    assert!(actions.iter().enumerate().all(|(index, action)| action.diff.is_some() == (index == 1)));
}

#[test]
fn regression_the_hunks_that_are_told_are_those_that_were_done() {
    let project = Project::with(&[("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")]);
    let steps = || said("unified_diff", vec![patch("a", &["-one\n+1\n", "-ten\n+10\n"])]);
    let (roots, buffers) = (project.roots(), (Vec::new(), &HashMap::new()));
    let plan = SavedPlan::make(steps(), buffers, &roots, &project.rules, &|| None).0;
    let done = project.apply(&plan, Some(&["a1.h2"]), Deliver::Disk);
    assert_eq!(data(&done.results[0])["hunks"], 1, "{done:?}");
    let project = Project::with(&[("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")]);
    assert_eq!(data(&project.carry_out(steps()).results[0])["hunks"], 2);
}
