//! Hunks, and texts that almost match: what is applied, what is refused, and what is said of it.

use std::os::unix::fs::PermissionsExt;

use clada_edit::Match;
use clada_fs::{Call, Faults};
use clada_schema::{FileDelete, FileWrite, IfExists};
use expect_test::expect;

use super::*;

const FILE: &str = "fn main() {\n    let total = 1;\n    print(total);\n}\n";
const DAMAGED: &str = "-let total = 1;\n-print(total);\n+print(1);\n";

fn moved(path: &str, new_path: &str, hunks: &[&str]) -> (Action, Terms) {
    let (Action::FilePatch(patch), terms) = patch(path, hunks) else { unreachable!() };
    (Action::FilePatch(FilePatch { new_path: Some(new_path.to_owned()), ..patch }), terms)
}

fn written(path: &str, content: &str, terms: Terms) -> (Action, Terms) {
    (Action::FileWrite(FileWrite { path: path.to_owned(), content: content.into() }), terms)
}

pub(super) fn only(mut result: ExecutionResult) -> clada_protocol::ActionResult {
    assert_eq!(result.results.len(), 1);
    result.results.remove(0)
}

#[test]
fn a_dialect_s_own_tolerance_holds_and_the_rung_is_told() {
    let project = Project::with(&[("a", FILE)]);
    let result = only(project.carry_out(said("aider", vec![patch("a", &[DAMAGED])])));
    assert_eq!(result.matched_by.as_deref(), Some("indentation"), "{result:#?}");
    assert_eq!(data(&result), serde_json::json!({"path": "a", "hunks": 1}));
    assert_eq!(project.text("a").as_deref(), Some("fn main() {\n    print(1);\n}\n"));
}

#[test]
fn what_would_match_further_down_is_told_and_done_when_it_is_asked_for() {
    let mut project = Project::with(&[("a", FILE)]);
    for level in [Match::Exact, Match::Strict] {
        project.rules.matching = Some(level);
        let result = only(project.carry_out(said("aider", vec![patch("a", &[DAMAGED])])));
        assert_eq!(
            (result.kind, result.would_match.as_deref()),
            (Some(ErrorKind::NoMatch), Some("indentation"))
        );
        assert!(result.hint.unwrap().contains("apply --resume --match tolerant"));
        assert_eq!(project.text("a").as_deref(), Some(FILE));
    }
    project.rules.matching = None;
    let damaged = replace("a", "let total = 1;\nprint(total);", "print(1);");
    let result = only(project.execute(std::slice::from_ref(&damaged)));
    assert_eq!((result.kind, result.would_match.as_deref()), (Some(ErrorKind::NoMatch), Some("indentation")));
    project.rules.matching = Some(Match::Tolerant);
    let result = only(project.execute(&[damaged]));
    assert_eq!(result.matched_by.as_deref(), Some("indentation"), "{result:#?}");
    assert_eq!(project.text("a").as_deref(), Some("fn main() {\n    print(1);\n}\n"));
}

#[test]
fn ranges_and_texts_in_many_places_stay_exact() {
    let mut project = Project::with(&[("a", FILE)]);
    project.rules.matching = Some(Match::Tolerant);
    let range =
        [("path", "a"), ("old_text_beginning", "let total  "), ("old_text_end", "1;"), ("new_text", "")];
    let all = [("path", "a"), ("old_text", "let total = 1;\nprint(total);"), ("new_text", "x")];
    let result =
        project.execute(&[action("file_replace_text_range", &range), action("file_replace_all_text", &all)]);
    assert!(
        results_of(&result).iter().all(|reported| reported.contains("NO_MATCH")),
        "{:#?}",
        results_of(&result)
    );
    let counted = [("count", "1")].into_iter().chain(all).collect::<Vec<_>>();
    assert_eq!(results_of(&project.execute(&[action("file_replace_all_text", &counted)])), ["SUCCESS"]);
    assert_eq!(project.text("a").as_deref(), Some("fn main() {\n    x\n}\n"));
}

#[test]
fn failures_have_kinds_of_their_own_and_change_nothing() {
    let file = "a\nb\nb\nthe replacement is here\nand goes on\n";
    let project = Project::with(&[("a", file)]);
    for (hunks, kind) in [
        (&["-b\n+c\n"][..], ErrorKind::Ambiguous),
        (&["-z\n+c\n"][..], ErrorKind::NoMatch),
        (&["-a\n-b\n-b\n+# ... rest of it ...\n"][..], ErrorKind::Elision),
        (&["-a\n+x\n", "-a\n-b\n+y\n"][..], ErrorKind::Conflict),
        (&["-a\n+x\n", "-z\n+c\n"][..], ErrorKind::NoMatch),
    ] {
        let result = only(project.carry_out(said("aider", vec![patch("a", hunks)])));
        assert_eq!(result.kind, Some(kind), "{result:#?}");
        assert!(
            hunks.len() == 1
                || kind == ErrorKind::Elision
                || result.hint.as_ref().unwrap().starts_with("hunk 2 of 2:"),
            "{result:#?}"
        );
        assert_eq!(project.text("a").as_deref(), Some(file));
    }
    let twice = only(project.carry_out(said("aider", vec![patch("a", &["-b\n+c\n"])])));
    expect![[r#"
        add lines above or below that occur at only one of these places
        the lines to change occur at 2 places:
          line 2: b
            unique if it includes line 1: a
          line 3: b
            unique if it includes line 2: b"#]]
    .assert_eq(&twice.hint.unwrap());
}

#[test]
fn what_is_applied_already_is_a_success_that_changes_nothing() {
    let project = Project::with(&[("a", "one\nthe replacement is here\nand goes on\n")]);
    let again = "-the original was here\n+the replacement is here\n+and goes on\n";
    let result = project.carry_out(said("unified_diff", vec![patch("a", &[again])]));
    assert_eq!(results_of(&result), ["unchanged"]);
    assert_eq!(result.results[0].matched_by.as_deref(), Some("already_applied"));
}

#[test]
fn a_secret_is_not_quoted_in_hints() {
    let project = Project::with(&[(".env", "TOKEN=hunter2\nA=1\n")]);
    let result = project.carry_out(said("aider", vec![patch(".env", &["-TOKEN=hunter\n+x\n"])]));
    assert!(!serde_json::to_string(&result.results).unwrap().contains("hunter2"), "{result:#?}");
}

#[test]
fn hunks_that_only_add_make_a_file_and_never_add_to_one_unasked() {
    let project = Project::with(&[("empty", ""), ("full", "x\n")]);
    let fresh =
        |path: &str| (patch(path, &["+a\n+b\n"]).0, Terms { if_exists: IfExists::Fail, ..Terms::default() });
    let steps =
        vec![fresh("d/e/new"), fresh("empty"), fresh("full"), fresh("d/e/new"), patch("plain", &["+a\n"])];
    let result = project.carry_out(said("aider", steps));
    let reported = results_of(&result);
    assert_eq!(
        (reported[0].as_str(), reported[1].as_str(), reported[3].as_str()),
        ("SUCCESS", "SUCCESS", "unchanged")
    );
    assert!(reported[2].contains("EEXIST") && reported[4] == "SUCCESS", "{reported:#?}");
    assert_eq!(data(&result.results[0])["created"], true);
    for name in ["d/e/new", "empty"] {
        assert_eq!(project.text(name).as_deref(), Some("a\nb\n"));
    }
    assert_eq!(project.text("full").as_deref(), Some("x\n"));
    // A diff from line 0 says that there was nothing.
    let (Action::FilePatch(mut from_nothing), terms) = patch("full", &["+a\n"]) else { unreachable!() };
    from_nothing.hunks[0].line_hint = Some(0);
    let result =
        only(project.carry_out(said("unified_diff", vec![(Action::FilePatch(from_nothing), terms)])));
    assert_eq!(result.kind, Some(ErrorKind::FileExists));
}

#[test]
fn a_file_that_was_to_be_new_may_hold_the_same_already() {
    let project = Project::with(&[("a", "x\n")]);
    let terms = Terms { if_exists: IfExists::Fail, ..Terms::default() };
    let result =
        project.carry_out(said("apply_patch", vec![written("a", "x\n", terms), written("a", "y\n", terms)]));
    let reported = results_of(&result);
    assert!(reported[0] == "unchanged" && reported[1].contains("EEXIST"), "{reported:#?}");
}

#[test]
fn a_file_moves_and_changes_in_one_step() {
    let project = Project::with(&[("a", "one\ntwo\n"), ("taken", "x\n"), ("b", "one\n2\n")]);
    std::fs::set_permissions(project.root.join("a"), std::fs::Permissions::from_mode(0o750)).unwrap();
    let change = &["-two\n+2\n"][..];
    let result = only(project.carry_out(said("unified_diff", vec![moved("a", "taken", change)])));
    assert_eq!(result.kind, Some(ErrorKind::FileExists));
    assert_eq!(
        (project.text("a").as_deref(), project.text("taken").as_deref()),
        (Some("one\ntwo\n"), Some("x\n"))
    );
    let result = project
        .carry_out(said("unified_diff", vec![moved("a", "d/c", change), patch("d/c", &["-2\n+II\n"])]));
    assert_eq!(results_of(&result), ["SUCCESS", "SUCCESS"]);
    assert_eq!(data(&result.results[0]), serde_json::json!({"path": "a", "newPath": "d/c", "hunks": 1}));
    assert_eq!((project.exists("a"), project.text("d/c").as_deref()), (false, Some("one\nII\n")));
    assert_eq!(mode(&project, "d/c"), 0o750);
    // To itself it is a change, and a target that is as it will be is not an obstacle.
    let steps = vec![moved("taken", "taken", &["-x\n+one\n+two\n"]), moved("taken", "b", change)];
    assert_eq!(results_of(&project.carry_out(said("unified_diff", steps))), ["SUCCESS", "SUCCESS"]);
    assert_eq!((project.exists("taken"), project.text("b").as_deref()), (false, Some("one\n2\n")));
}

#[test]
fn a_second_name_of_the_file_is_no_target() {
    let project = Project::with(&[("a", "one\n")]);
    std::fs::hard_link(project.root.join("a"), project.root.join("b")).unwrap();
    let executable = Terms { executable: Some(true), ..Terms::default() };
    let answer = said("unified_diff", vec![(moved("a", "b", &[]).0, executable)]);
    let result = only(project.carry_out(answer));
    assert_eq!(result.kind, Some(ErrorKind::FileExists), "{result:#?}");
    assert!(project.exists("a") && project.exists("b"));
}

#[test]
fn a_move_alone_is_a_move() {
    let project = Project::with(&[("a", "one\n"), ("taken", "x\n")]);
    let steps = vec![moved("a", "taken", &[]), moved("a", "d/b", &[]), moved("none", "e", &[])];
    let result = project.carry_out(said("unified_diff", steps));
    let reported = results_of(&result);
    assert!(
        reported[0].contains("EEXIST") && reported[1] == "SUCCESS" && reported[2].contains("ENOENT"),
        "{reported:#?}"
    );
    assert_eq!(project.text("d/b").as_deref(), Some("one\n"));
}

#[test]
fn a_move_that_fails_half_way_leaves_the_file_as_it_was() {
    let mut project = Project::with(&[("a", "one\n")]);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let first = move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
    project.options.faults =
        Faults::injected(move |made| (made == Call::Unlink && first()).then_some(rustix::io::Errno::IO));
    let answer = said("unified_diff", vec![moved("a", "d/b", &["-one\n+1\n"])]);
    let result = only(project.carry_out(answer));
    assert!(!result.success, "{result:#?}");
    assert_eq!((project.text("a").as_deref(), project.exists("d")), (Some("one\n"), false));
}

fn mode(project: &Project, name: &str) -> u32 {
    std::fs::metadata(project.root.join(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn modes_are_as_the_patch_says() {
    let mut project = Project::with(&[("a", "one\n"), ("b", "one\n")]);
    project.options.umask = 0o027;
    for name in ["a", "b"] {
        std::fs::set_permissions(project.root.join(name), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let executable = |value, (action, terms)| (action, Terms { executable: Some(value), ..terms });
    let steps = vec![
        executable(true, patch("a", &[])),
        executable(true, patch("b", &["-one\n+1\n"])),
        executable(true, written("n", "new", Terms::default())),
        executable(false, written("m", "new", Terms::default())),
    ];
    let dry = project
        .operate(|operation| operation.execute(said("unified_diff", steps.clone()), RunUntil::Planned));
    let diff = dry.dry_run.unwrap().diff;
    assert!(diff.contains("old mode 100644\nnew mode 100755\n"), "{diff}");
    assert!(diff.contains("new file mode 100755\n") && diff.contains("new file mode 100644\n"), "{diff}");
    let result = project.carry_out(said("unified_diff", steps.clone()));
    assert!(results_of(&result).iter().all(|reported| reported == "SUCCESS"), "{:#?}", results_of(&result));
    assert_eq!(["a", "b", "n", "m"].map(|name| mode(&project, name)), [0o755, 0o755, 0o750, 0o640]);
    assert_eq!(project.text("a").as_deref(), Some("one\n"));
    let again =
        project.carry_out(said("unified_diff", vec![steps[0].clone(), executable(false, patch("a", &[]))]));
    assert_eq!(results_of(&again), ["unchanged", "SUCCESS"]);
    assert_eq!(mode(&project, "a"), 0o644);
}

#[test]
fn a_file_goes_only_with_the_lines_that_were_named() {
    let project = Project::with(&[("a", "one\ntwo\n"), ("b", "one\n")]);
    let delete = |path: &str, lines: &str| {
        let action = Action::FileDelete(FileDelete { path: path.to_owned() });
        let mut answer = said("unified_diff", vec![(action, Terms::default())]);
        answer.steps[0].deleted = vec![hunk(lines)];
        only(project.carry_out(answer))
    };
    for lines in ["-one\n", "-one\n-2\n", "-one\n-two\n-three\n"] {
        let result = delete("a", lines);
        assert_eq!(result.kind, Some(ErrorKind::NoMatch), "{result:#?}");
        assert!(result.hint.is_some() && project.exists("a"));
    }
    assert!(delete("a", "-one\n-two\n").success && !project.exists("a"));
    assert!(delete("b", "").success && !project.exists("b"));
}

#[test]
fn a_kept_plan_matches_as_it_was_made() {
    let mut project = Project::with(&[("a", FILE)]);
    project.rules.matching = Some(Match::Tolerant);
    let answer = || said("sham", vec![patch("a", &[DAMAGED])]);
    let make = || project.plan_of(answer(), &[]);
    let (plan, told_of) = make();
    assert_eq!(told_of.actions[0].matched_by.as_deref(), Some("indentation"));
    assert_eq!(make().1, told_of);
    project.rules.matching = None;
    let result = project.apply(&plan, None, Deliver::Disk);
    assert_eq!(results_of(&result), ["SUCCESS"]);
    assert_eq!(project.text("a").as_deref(), Some("fn main() {\n    print(1);\n}\n"));
}
