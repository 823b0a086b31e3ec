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
fn actions_divide_what_groups_cannot_and_groups_apply_what_actions_cannot() {
    let shown = "b\n2\n3\n4\n5\n6\n7\nz\n";
    let project = Project::with(&[("f", &shown.replace('b', "a"))]);
    let append = action("file_append", &[("path", "n"), ("content", "two\n")]);
    let actions = [
        file_write("n", "one\n"),
        append,
        replace("f", "a\n", "b\n"),
        replace("f", shown, &shown.replace('z', "y")),
    ];
    let (plan, result) = project.plan(&actions, &[]);
    let group = |path: &str, hunk: usize| {
        let file = result.files.iter().find(|file| file.path == path).unwrap();
        file.hunks[hunk].group.clone()
    };
    // Both actions make one file, so they are one group; an action of it can be accepted by itself.
    let done = project.apply(&plan, Some(&["a1"]), Deliver::Disk);
    assert_eq!(project.text("n").as_deref(), Some("one\n"), "{:?}", results_of(&done));
    // The text that the last action searches comes from the one before it.
    let done = project.apply(&plan, Some(&["a4"]), Deliver::Disk);
    assert_eq!(done.results[3].kind, Some(ErrorKind::Conflict), "{:?}", results_of(&done));
    let done = project.apply(&plan, Some(&[&group("f", 1)]), Deliver::Disk);
    assert_eq!(project.text("f").as_deref(), Some("a\n2\n3\n4\n5\n6\n7\ny\n"), "{:?}", results_of(&done));
}

#[test]
fn regression_what_an_earlier_operation_applied_is_no_rest_also_as_it_was_kept() {
    let text: std::sync::Arc<str> =
        "<---WRITE file='a'--->\none\n<---END--->\n<---WRITE file='b'--->\ntwo\n<---END--->\n".into();
    let settings = Settings::default();
    let resumable = Resumable::new(text, Reading::new(None, &settings).unwrap(), Atomicity::Blocks, None);
    let project = Project::with(&[]);
    let kept = resumable.keep().plain(&project.root).unwrap();
    let result = |task: &str, kind| ActionResult { task: task.to_owned(), kind, ..ActionResult::default() };
    let results = [result("1", Some(ErrorKind::AnswerAlreadyApplied)), result("2", Some(ErrorKind::Io))];
    let saved = serde_json::to_vec(&results).unwrap();
    let again = Resumable::from_saved(&kept, Some(&saved), &[].into(), &settings).unwrap();
    for rest in [resumable.after(&results), again] {
        let tasks: Vec<String> =
            rest.rest(Atomicity::Blocks).steps.into_iter().map(|step| step.task).collect();
        assert_eq!(tasks, ["2"]);
    }
}

#[test]
fn what_was_not_accepted_is_named_by_what_is_resumed() {
    let text: std::sync::Arc<str> =
        "<---WRITE file='a'--->\none\n<---END--->\n<---WRITE file='b'--->\ntwo\n<---END--->\n".into();
    let settings = Settings::default();
    let reading = Reading::new(None, &settings).unwrap();
    let project = Project::with(&[]);
    let answer = reading.read_shared(&text);
    let plan = project.plan_read(answer, source(&text), Some(Counted::default())).0;
    let wanted = plan.accepted(&plan.decide(Some(&["a2".to_owned()])).unwrap());
    let kept = wanted.keep().plain(&project.root).unwrap();
    let again = Resumable::from_saved(&kept, Some(b"[]"), &[].into(), &settings).unwrap();
    for resumed in [wanted, again] {
        let notes: Vec<String> =
            resumed.rest(Atomicity::Blocks).notes.into_iter().map(|note| note.message).collect();
        assert_eq!(
            notes,
            [
                "Not applied, since it was not accepted before: task 1. `clada apply --resume` at a terminal asks about it again"
            ]
        );
    }
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
    let plan = project.plan_of(steps(), &[]).0;
    let done = project.apply(&plan, Some(&["a1.h2"]), Deliver::Disk);
    assert_eq!(data(&done.results[0])["hunks"], 1, "{done:?}");
    let project = Project::with(&[("a", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")]);
    assert_eq!(data(&project.carry_out(steps()).results[0])["hunks"], 2);
}

#[test]
fn regression_hunks_that_had_no_room_are_not_accepted_with_all_that_had() {
    let old: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("0\n", "0 and more of the same\n");
    let mut project = Project::with(&[("a", "one\n"), ("b", &old)]);
    project.rules.result_bytes = 3 * 1_500;
    let (plan, planned) = project.plan(&[replace("a", "one", "two"), file_write("b", &new)], &[]);
    let cut = &planned.actions[1];
    assert!(cut.truncated && !cut.hunks.is_empty() && cut.hunks.len() < 40, "{cut:#?}");
    let group = planned.files[0].hunks[0].group.clone();
    let hunks: Vec<String> = cut.hunks.iter().map(|hunk| hunk.id.clone()).collect();
    // Together with groups all of it is what groups show.
    let both = [&[group][..], &hunks].concat();
    assert!(plan.decide(Some(&both)).is_err_and(|why| why.contains("a2")), "{both:?}");
    let wanted = plan.accepted(&plan.decide(Some(&hunks)).unwrap()).keep().plain(&project.root).unwrap();
    assert_eq!(crate::partly(&wanted), Some(vec![2]));
    let ids: Vec<&str> = hunks.iter().map(String::as_str).collect();
    let done = project.apply(&plan, Some(&ids), Deliver::Disk);
    assert!(done.results[1].success, "{:?}", results_of(&done));
    let text = project.text("b").unwrap();
    assert_eq!(text.matches("and more").count(), hunks.len(), "{text}");
    assert_eq!(project.text("a").as_deref(), Some("one\n"));
}

#[test]
fn a_preview_is_the_plan_without_what_is_accepted_by_file() {
    let project = Project::with(&[("a", "one\n")]);
    let actions = [replace("a", "one", "two"), file_write(".envrc", "x\n"), file_delete("none")];
    let (_, preview) = project.plan_for(answer(&actions), None);
    let mut planned = project.plan(&actions, &[]).1;
    planned.actions.iter_mut().for_each(|action| action.group = None);
    assert_eq!((preview.files.len(), planned.files.len()), (0, 2));
    let mut by_action = PlanResult { files: Vec::new(), ..planned };
    by_action.actions.iter_mut().for_each(|action| action.group = None);
    assert_eq!(preview, by_action);
}

#[test]
fn a_file_that_changed_keeps_back_what_is_accepted_unless_it_is_declined_itself() {
    let files = [("a", "one\n"), ("b", "one\n"), ("c", "one\n")];
    let actions = files.map(|(name, _)| replace(name, "one", "two"));
    // What is accepted, the kinds of failure, and the text of `b` then.
    for (accept, kinds, text) in [
        (None, [Some(ErrorKind::Skipped), Some(ErrorKind::Skipped), Some(ErrorKind::Conflict)], "one\n"),
        (Some(vec!["a1".to_owned(), "a2".to_owned()]), [None, None, Some(ErrorKind::Skipped)], "two\n"),
    ] {
        let project = Project::with(&files);
        let (plan, _) = project.plan(&actions, &[]);
        project.write("c", "another\n");
        let loaded = Some([project.roots().resolve("a").unwrap()].into());
        let editor = Editor { loaded, form: EditForm::default() };
        let done = project.operate(|operation| {
            operation.deliver(&plan, &plan.decide(accept.as_deref()).unwrap(), &editor).unwrap().0
        });
        let found: Vec<Option<ErrorKind>> = done.results.iter().map(|result| result.kind).collect();
        assert_eq!(found, kinds, "{:?}", results_of(&done));
        assert_eq!(project.text("b").as_deref(), Some(text));
        let edits = done.edits.unwrap().document_changes.len();
        assert_eq!(edits, usize::from(text == "two\n"));
    }
}

#[test]
fn what_is_stopped_between_two_documents_hands_out_neither() {
    let (mut kept_back, mut handed_out) = (0, 0);
    for after in 0..40 {
        let mut project = Project::with(&[("a", "one\n"), ("b", "one\n"), ("c", "one\n")]);
        let (plan, _) = project.plan(&["a", "b", "c"].map(|name| replace(name, "one", "two")), &[]);
        let roots = project.roots();
        let loaded = Some(["a", "c"].map(|name| roots.resolve(name).unwrap()).into());
        let editor = Editor { loaded, form: EditForm::default() };
        project.stop_after = Some(after);
        let done = project
            .operate(|operation| operation.deliver(&plan, &plan.decide(None).unwrap(), &editor).unwrap().0);
        let successes = [0, 2].into_iter().filter(|at| done.results[*at].success).count();
        let edits = done.edits.as_ref().unwrap().document_changes.len();
        assert_eq!(edits, successes, "{after} {:?}", results_of(&done));
        assert_ne!(edits, 1, "{after} {:?}", results_of(&done));
        kept_back += done.results.iter().filter(|one| one.kind == Some(ErrorKind::NotDelivered)).count();
        handed_out += edits;
    }
    assert!(kept_back > 0 && handed_out > 0, "{kept_back} {handed_out}");
}

#[test]
fn the_rest_of_what_was_accepted_in_part_is_that_part_also_as_it_was_kept() {
    let old: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 2\n", "two\n").replace("line 39\n", "last\n");
    let text: std::sync::Arc<str> = format!("<---WRITE file='a'--->\n{new}<---END--->\n").into();
    let settings = Settings::default();
    let reading = Reading::new(None, &settings).unwrap();
    let project = Project::with(&[("a", &old)]);
    let answer = reading.read_shared(&text);
    let plan = project.plan_read(answer, source(&text), Some(Counted::default())).0;
    let wanted = plan.accepted(&plan.decide(Some(&["a1.h2".to_owned()])).unwrap());
    let kept = wanted.keep().plain(&project.root).unwrap();
    let again = Resumable::from_saved(&kept, Some(b"[]"), &[].into(), &settings).unwrap();
    for (now, then, kind) in [
        (old.clone(), old.replace("line 39\n", "last\n"), None),
        // All of it is there already.
        (new.clone(), new, None),
        (old.replace("line 20\n", ""), old.replace("line 20\n", ""), Some(ErrorKind::Conflict)),
    ] {
        for resumed in [&wanted, &again] {
            project.write("a", &now);
            let done = project.carry_out(resumed.rest(Atomicity::Blocks));
            assert_eq!(done.results[0].kind, kind, "{:?}", results_of(&done));
            assert_eq!(project.text("a"), Some(then.clone()));
        }
    }
}

#[test]
fn hunks_that_are_left_are_found_by_their_lines() {
    let lines = |changed: &[(usize, &str)]| -> String {
        let line = |number: usize| match changed.iter().find(|(at, _)| *at == number) {
            Some((_, text)) => format!("{text}\n"),
            // Every tenth line is the same.
            None if number.is_multiple_of(10) => "same\n".to_owned(),
            None => format!("line {number}\n"),
        };
        (0..60).map(line).collect()
    };
    // The hunks are: 5, 15, 30, 40, of which the last two have the same lines.
    let new = [(5, "five"), (15, "fifteen"), (30, "other"), (40, "other")];
    let text: std::sync::Arc<str> = format!("<---WRITE file='a'--->\n{}<---END--->\n", lines(&new)).into();
    let reading = Reading::new(None, &Settings::default()).unwrap();
    let project = Project::with(&[("a", &lines(&[]))]);
    let answer = reading.read_shared(&text);
    let plan = project.plan_read(answer, source(&text), Some(Counted::default())).0;
    let ids = |hunks: &[usize]| -> Vec<String> { hunks.iter().map(|hunk| format!("a1.h{hunk}")).collect() };
    // What was accepted and done, what of the file is there by then, what is named, and what comes of it:
    // the lines that are another's then, or a conflict.
    type Numbers = &'static [usize];
    let cases: &[(Numbers, Numbers, Option<Numbers>, Option<Numbers>)] = &[
        // Not applied yet: all of it.
        (&[], &[], None, Some(&[5, 15, 30, 40])),
        (&[], &[], Some(&[2]), Some(&[15])),
        (&[], &[5], Some(&[2, 3, 4]), Some(&[5, 15, 30, 40])),
        // Done; the others were declined, and come if they are named.
        (&[1], &[5], None, Some(&[5])),
        (&[1], &[5], Some(&[2]), Some(&[5, 15])),
        // It was handed out, and did not arrive.
        (&[1], &[], None, Some(&[])),
        (&[1], &[], Some(&[1]), Some(&[5])),
        // Which of two with the same lines is left cannot be known.
        (&[3], &[30], Some(&[4]), None),
        (&[1], &[5], Some(&[4]), None),
        // A hunk that is named is not to be found.
        (&[], &[5], Some(&[1, 2]), None),
    ];
    for (done, there, only, then) in cases {
        let of = |wanted: &[usize]| {
            let there: Vec<(usize, &str)> =
                new.iter().copied().filter(|(at, _)| wanted.contains(at)).collect();
            lines(&there)
        };
        project.write("a", &of(there));
        let mut progress = crate::Progress::default();
        if !done.is_empty() {
            let mut result = ExecutionResult::default();
            result.results.push(ActionResult { seq: 1, success: true, ..ActionResult::default() });
            progress.add(&plan, Some(&ids(done)), &result);
        }
        let only = only.map(ids);
        let left = plan.remaining(&progress, only.as_deref());
        let carried_out = project.carry_out(left.remaining(Atomicity::Blocks));
        let told = format!("{done:?} {there:?} {only:?} {:?}", results_of(&carried_out));
        let kind = carried_out.results.first().and_then(|result| result.kind);
        assert_eq!(kind, then.is_none().then_some(ErrorKind::Conflict), "{told}");
        assert_eq!(project.text("a"), Some(of(then.unwrap_or(there))), "{told}");
    }
}

#[test]
fn regression_an_append_to_a_file_is_another_change_than_a_new_file() {
    let append = |path: &str| action("file_append", &[("path", path), ("content", "new\n")]);
    for (first, to) in [(file_move("f", "h"), "h"), (file_delete("f"), "f")] {
        let project = Project::with(&[("f", "1\n2\n")]);
        let (plan, _) = project.plan(&[first, append(to)], &[]);
        let done = project.apply(&plan, Some(&["a2"]), Deliver::Disk);
        assert_eq!(
            done.results[1].kind,
            Some(clada_protocol::ErrorKind::Conflict),
            "{to} {:?}",
            results_of(&done)
        );
        assert_eq!((project.text("f").as_deref(), project.exists("h")), (Some("1\n2\n"), false));
    }
}
