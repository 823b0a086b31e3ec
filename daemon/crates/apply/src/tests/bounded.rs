//! Bounds on what an answer can make the daemon do and hold.

use super::*;

#[test]
fn regression_replacing_in_too_many_files_is_no_silent_half() {
    let mut project = Project::with(&[("a", "xxxx"), ("b", "xxxx"), ("c", "xxxx")]);
    project.rules.planned_bytes = 10;
    let fields = [("paths", "a\nb\nc"), ("old_text", "x"), ("new_text", "y")];
    let result = project.execute(&[action("files_replace_all_text", &fields)]);
    assert!(!result.success, "{:#?}", result.results);
    assert_eq!(result.results[0].kind, Some(clada_protocol::ErrorKind::LimitExceeded));
    assert_eq!(project.text("a").as_deref(), Some("xxxx"));
}

#[test]
fn regression_a_glob_that_cannot_be_compiled_is_an_error_of_its_action() {
    let project = Project::with(&[("a", "a")]);
    let nested = format!("{}a{}", "{".repeat(400), "}".repeat(400));
    let long = "?".repeat(400_000);
    for glob in [nested, long] {
        let result = project.execute(&[
            action("glob", &[("pattern", glob.as_str()), ("base_path", ".")]),
            action("grep", &[("pattern", "a"), ("path", "."), ("include", glob.as_str())]),
        ]);
        assert!(
            results_of(&result).iter().all(|reported| reported.contains("INVALID_VALUE")),
            "{:.200?}",
            results_of(&result)
        );
    }
}

#[test]
fn regression_one_action_names_a_bounded_number_of_files() {
    let mut project = Project::new();
    project.rules.max_results = 3;
    let fields = [("paths", "a\nb\nc\nd"), ("old_text", "x"), ("new_text", "y")];
    let result = project.execute(&[
        action("files_replace_all_text", &fields),
        action("files_read", &[("paths", "a\nb\nc\nd")]),
    ]);
    assert!(
        results_of(&result).iter().all(|reported| reported.contains("limits.max_results")),
        "{:#?}",
        results_of(&result)
    );
}

#[test]
fn regression_content_that_goes_is_not_held_without_bounds() {
    let mut project = Project::new();
    project.rules.planned_bytes = 100;
    let names: Vec<String> = (0..9).map(|number| format!("f{number}")).collect();
    let text = format!("{}\n", "x".repeat(19));
    for name in &names {
        project.write(name, &text);
    }
    let deletes: Vec<Fields> = names.iter().map(|name| file_delete(name)).collect();
    let (_, plan) = project.plan(&deletes, &[]);
    assert_eq!(plan.diff.matches("deleted file").count(), 5, "{}", plan.diff);
    assert_eq!(plan.diff.matches("not shown").count(), 4, "{}", plan.diff);
    let writes: Vec<Fields> = names.iter().map(|name| file_write(name, "")).collect();
    let result = project.execute(&writes);
    assert_eq!(
        result.results.iter().filter(|result| result.success).count(),
        5,
        "{:#?}",
        results_of(&result)
    );
    let result = project.execute(&deletes);
    assert!(result.success, "{:#?}", results_of(&result));
}

#[test]
fn what_has_no_room_in_the_record_goes_with_a_persons_word_only() {
    let mut project = Project::new();
    project.rules.planned_bytes = 100;
    let names: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
    for name in &names {
        project.write(name, &format!("{name:>20}"));
    }
    let mut changes: Vec<Fields> = names[..11].iter().map(|name| file_delete(name)).collect();
    changes.push(file_move("f11", "moved"));
    let result = project.execute(&changes);
    // The first five are kept in memory, the next five read again.
    let done: Vec<bool> = result.results.iter().map(|result| result.success).collect();
    assert_eq!(done, [vec![true; 10], vec![false], vec![true]].concat(), "{:#?}", results_of(&result));
    assert_eq!(result.approvals.len(), 1);
    assert!(result.approvals[0].reason.contains("undo"), "{:?}", result.approvals);
    assert!(project.exists("f10"));
    project.approvals = Approvals::all();
    assert!(project.execute(&changes[10..11]).success);
}

#[test]
fn regression_the_hunks_of_a_plan_are_bounded() {
    let mut project = Project::new();
    project.rules.result_bytes = 60_000;
    let text = "line\n".repeat(2_000);
    let writes: Vec<Fields> = (0..50).map(|number| file_write(&format!("f{number}"), &text)).collect();
    let (_, plan) = project.plan(&writes, &[]);
    let size = serde_json::to_string(&plan).unwrap().len();
    assert!(size < 90_000, "{size} bytes");
    // Whoever is shown the plan can tell which changes are not shown whole.
    assert!(plan.actions.iter().all(|action| action.truncated == action.hunks.is_empty()));
    assert!(plan.actions[49].truncated && !plan.actions[0].truncated);
    assert!(plan.files.iter().all(|file| file.truncated == file.hunks.is_empty()));
    assert!(plan.files.len() == 50 && plan.files[49].truncated && !plan.files[0].truncated);
}

#[test]
fn regression_what_a_result_has_room_for_is_shown() {
    let mut project = Project::with(&[("a", "x\n".repeat(5_000).as_str())]);
    for room in [30_000, 30_001, 30_017, 30_050, 31_000] {
        project.rules.result_bytes = room;
        let result = project.execute(&[action("grep", &[("pattern", "x"), ("path", "a")])]);
        let Some(clada_protocol::ActionData::Lines(lines)) = &result.results[0].data else {
            panic!("{result:#?}")
        };
        assert!(lines.len() > 100 && result.results[0].truncated, "{room}: {} lines", lines.len());
    }
}

#[test]
fn regression_a_result_of_long_errors_is_bounded() {
    let mut project = Project::new();
    project.rules.result_bytes = 100_000;
    let path = ["x".repeat(200).as_str(); 19].join("/");
    let reads: Vec<Fields> = (0..200).map(|_| action("file_read", &[("path", &path)])).collect();
    let result = project.execute(&reads);
    let size = serde_json::to_string(&result.results).unwrap().len();
    assert!(size < 300_000 && result.truncated, "{size} bytes");
}

#[test]
fn regression_warnings_are_bounded() {
    let paths = vec!["a"; 5_000].join("\n");
    let result = Project::new().execute(&[action("files_read", &[("paths", &paths)])]);
    assert_eq!(result.warnings.len(), 1000);
}
