//! The words of a failure: about files as they are on disk, about every action that fails, and about where
//! its text is instead.

use clada_dialects::Policy;
use clada_protocol::ActionStatus::{self, Error, Skip, Success};

use super::*;

const LIB: &str =
    "mod camel;\nmod kebab;\nmod lower;\nmod snake;\nmod title;\nmod train;\n\npub use camel::{A, B};\n";

fn block(actions: &[Fields], policy: Policy) -> Answer {
    let mut answer = answer(actions);
    answer.steps.iter_mut().for_each(|step| step.group = Group { block: 0, policy });
    answer
}

fn whole(actions: &[Fields]) -> Answer {
    Answer { atomicity: Atomicity::AllOrNothing, ..answer(actions) }
}

fn statuses(result: &ExecutionResult) -> Vec<ActionStatus> {
    result.results.iter().map(|result| result.status).collect()
}

fn hint(result: &ExecutionResult, at: usize) -> &str {
    result.results[at].hint.as_deref().unwrap_or_default()
}

#[test]
fn regression_a_hint_shows_what_is_on_disk_after_a_block_was_rolled_back() {
    let project = Project::with(&[("lib.rs", LIB)]);
    let actions = [
        replace("lib.rs", "mod lower;\n", "mod lower;\nmod pascal;\n"),
        replace("lib.rs", "mod train;\nmod upper_camel;\n", "mod train;\n"),
    ];
    for answer in [block(&actions, Policy::Atomic), whole(&actions)] {
        let result = project.carry_out(answer);
        assert_eq!(statuses(&result), [Skip, Error], "{:?}", results_of(&result));
        let hint = hint(&result, 1);
        assert!(hint.contains("  6: mod train;") && !hint.contains("pascal"), "{hint}");
    }
    assert_eq!(project.text("lib.rs").as_deref(), Some(LIB));
}

#[test]
fn every_failure_of_a_block_is_told_and_what_fits_is_said_to() {
    let project = Project::with(&[("a", "one\ntwo\nthree\n"), ("b", "four times\n")]);
    let actions = [
        replace("a", "two", "2"),
        replace("a", "twenty", "20"),
        replace("b", "four thymes", "40"),
        replace("b", "four", "4"),
        file_delete("none"),
    ];
    for answer in [block(&actions, Policy::Atomic), whole(&actions)] {
        let result = project.carry_out(answer);
        assert_eq!(statuses(&result), [Skip, Error, Error, Skip, Error], "{:?}", results_of(&result));
        let reported = results_of(&result);
        for at in [0, 3] {
            assert!(reported[at].contains("Not done: it fits, but task 2 "), "{reported:?}");
        }
        assert!(hint(&result, 2).contains("  1: four times"), "{:?}", hint(&result, 2));
    }
    assert_eq!(
        (project.text("a").as_deref(), project.text("b").as_deref()),
        (Some("one\ntwo\nthree\n"), Some("four times\n"))
    );
    // In order, what comes after a failure is not looked at.
    let result = project.carry_out(block(&actions, Policy::InOrder));
    assert_eq!(statuses(&result), [Success, Error, Skip, Skip, Skip], "{:?}", results_of(&result));
}

#[test]
fn what_only_comes_of_another_failure_is_no_failure_of_its_own() {
    let project = Project::with(&[("a", "one(1)\nend\n")]);
    let actions = [
        // Neither the moved file nor the edited line comes to be.
        file_move("none", "b"),
        replace("b", "x", "y"),
        replace("a", "two(2)", "two(2, 3)"),
        replace("a", "two(2, 3)", "two(2, 3, 4)"),
        replace("a", "three(3)", "3"),
    ];
    let result = project.carry_out(block(&actions, Policy::Atomic));
    assert_eq!(statuses(&result), [Error, Skip, Error, Skip, Error], "{:?}", results_of(&result));
    assert!(
        results_of(&result)[1].contains("Not done: task 1 of its block cannot be done"),
        "{:?}",
        results_of(&result)
    );
}

#[test]
fn what_fits_only_without_the_edits_before_it_is_told_so() {
    let project = Project::with(&[("a", "one\ntwo\n")]);
    let actions = [
        replace("a", "two", "2"),
        replace("a", "two", "zwei"),
        file_write("c", "c\n"),
        replace("c", "d", "e"),
    ];
    let result = project.carry_out(block(&actions, Policy::Atomic));
    assert_eq!(statuses(&result), [Skip, Error, Skip, Error], "{:?}", results_of(&result));
    assert!(
        hint(&result, 1).starts_with("It fits the file as it is on disk, but not after"),
        "{}",
        hint(&result, 1)
    );
    assert!(
        hint(&result, 3).starts_with("In the file as the tasks before would have made it"),
        "{}",
        hint(&result, 3)
    );
    assert!(!project.exists("c"));
}

const MOVED: &str = "pub fn with_fd(&mut self, index: usize) {\n    let bucket = self.fds.get(index);\n}\n";

#[test]
fn a_text_that_stands_in_another_file_is_told_of() {
    let project = Project::with(&[
        ("src/manager.rs", "mod bucket;\n\nfn other() {}\n"),
        (".env", MOVED),
        (".gitignore", "out\n"),
        ("out/copy.rs", MOVED),
    ]);
    project.write("src/bucket.rs", &format!("use x;\n\n{MOVED}"));
    let edit = replace("src/manager.rs", MOVED, "x");
    let result = project.execute(std::slice::from_ref(&edit));
    assert_eq!(
        hint(&result, 0),
        "The text stands unchanged in 'src/bucket.rs', line 3.",
        "{:?}",
        results_of(&result)
    );
    let said = said(
        "unified_diff",
        vec![patch(
            "src/manager.rs",
            &["-pub fn with_fd(&mut self, index: usize) {\n-    let bucket = self.fds.get(index);\n+x\n }"],
        )],
    );
    let result = project.carry_out(said);
    assert!(
        hint(&result, 0).starts_with("The text stands unchanged in 'src/bucket.rs', line 3."),
        "{}",
        hint(&result, 0)
    );
    // The file that was named is missing.
    let result = project.execute(&[replace("src/buckets.rs", MOVED, "x")]);
    assert_eq!(hint(&result, 0), "The text stands unchanged in 'src/bucket.rs', line 3.");
    let indented =
        MOVED.replace("pub fn", "    pub fn").replace("    let", "        let").replace("\n}", "\n    }");
    project.write("src/bucket.rs", &indented);
    let result = project.execute(std::slice::from_ref(&edit));
    assert_eq!(hint(&result, 0), "The text stands, but for blanks, in 'src/bucket.rs', line 1.");
    assert_eq!(project.text("src/bucket.rs"), Some(indented), "nothing is changed there");
    // Of two files none is meant.
    project.write("src/pool.rs", MOVED);
    assert!(!hint(&project.execute(&[edit]), 0).contains("stands"));
}

#[test]
fn a_text_that_is_nearly_there_is_shown_beside_the_other_file() {
    let project = Project::with(&[("a.rs", &MOVED.replace("bucket", "buckets")), ("b.rs", MOVED)]);
    let result = project.execute(&[replace("a.rs", MOVED, "x")]);
    let hint = hint(&result, 0);
    assert!(
        hint.starts_with("The text stands unchanged in 'b.rs', line 1.\nThe nearest text is at lines 1-3"),
        "{hint}"
    );
}

#[test]
fn what_is_short_is_not_looked_for_elsewhere() {
    let project = Project::with(&[("a", "one\n"), ("b", "return None;\n")]);
    assert!(!hint(&project.execute(&[replace("a", "return None;", "x")]), 0).contains("'b'"));
}
