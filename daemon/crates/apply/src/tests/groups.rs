//! Blocks and answers whose actions share their fate, and what the dialects say besides parameters.

use clada_dialects::Policy;
use clada_fs::{Call, Faults};
use clada_protocol::{ActionStatus, Approve, ErrorKind};

use super::*;

fn read(text: &str) -> Answer {
    Reading::new(None, &Settings::default()).unwrap().read(text)
}

impl Project {
    fn run(&self, answer: Answer) -> ExecutionResult {
        self.operate(|operation| operation.execute(answer, RunUntil::Done))
    }

    pub(super) fn run_text(&self, text: &str) -> ExecutionResult {
        self.run(read(text))
    }
}

fn statuses(result: &ExecutionResult) -> Vec<ActionStatus> {
    result.results.iter().map(|result| result.status).collect()
}

fn tasks(result: &ExecutionResult) -> Vec<&str> {
    result.results.iter().map(|result| result.task.as_str()).collect()
}

/// The steps of `actions` as one block with this policy.
fn block(actions: &[Fields], policy: Policy) -> Answer {
    let mut answer = answer(actions);
    for step in &mut answer.steps {
        step.group = Group { block: 0, policy };
    }
    answer
}

use ActionStatus::{Error, Fatal, Skip, Success};

const TASKS: &str = "\
<---TASKS--->
<---WRITE file=\"new/a\"--->
a
<---END--->
<---SEARCH file=\"b\"--->
two
<---REPLACE--->
2
<---END--->
<---SEARCH file=\"new/a\"--->
a
<---REPLACE--->
A
<---END--->
<---END--->
<---WRITE file=\"c\"--->
c
<---END--->
";

#[test]
fn tasks_are_planned_whole_over_what_they_will_have_done() {
    let project = Project::with(&[("b", "one two\n")]);
    let result = project.run_text(TASKS);
    assert!(result.success, "{:?}", results_of(&result));
    assert_eq!(tasks(&result), ["1.1", "1.2", "1.3", "2"]);
    assert_eq!(
        (project.text("new/a").as_deref(), project.text("b").as_deref()),
        (Some("A\n"), Some("one 2\n"))
    );
}

#[test]
fn tasks_of_which_one_fails_change_nothing_and_the_rest_goes_on() {
    let project = Project::with(&[("b", "three\n")]);
    let more = "<---SEARCH file=\"new/a\"--->\na\n<---REPLACE--->\nb\n<---END--->\n";
    let result = project.run_text(&format!("{TASKS}{more}"));
    assert_eq!(statuses(&result), [Skip, Error, Skip, Success, Error], "{:?}", results_of(&result));
    assert!(results_of(&result)[0].contains("task 1.2 of its block"), "{:?}", results_of(&result));
    assert!(!project.exists("new") && project.exists("c"));
    // It was discarded: what comes after does not see it.
    assert_eq!(result.results[4].kind, Some(ErrorKind::FileNotFound));
    assert!(!result.success);
}

#[test]
fn an_invalid_operation_skips_its_tasks_and_is_told_itself() {
    let project = Project::with(&[("b", "two\n")]);
    let result = project.run_text(&TASKS.replace("<---SEARCH file=\"b\"--->", "<---SEARCH count=\"0\"--->"));
    assert_eq!(statuses(&result), [Skip, Error, Skip, Success], "{:?}", results_of(&result));
    assert!(
        results_of(&result)[1].contains("Missing required attribute 'file'"),
        "{:?}",
        results_of(&result)
    );
    assert_eq!(result.parse_errors[0].action.as_deref(), Some("file_replace_all_text"));
    assert!(!project.exists("new") && !result.success);
}

#[test]
fn a_syntax_error_of_csl_stops_the_whole_answer() {
    let project = Project::new();
    let result = project.run_text(&format!("{TASKS}<---WRITE file=x--->\n<---END--->\n"));
    assert!(statuses(&result).iter().all(|status| *status == Fatal), "{:?}", results_of(&result));
    assert!(result.fatal_error.as_deref().unwrap().starts_with("Line "), "{result:#?}");
    assert!(!project.exists("c") && !project.exists("new"));
}

#[test]
fn a_command_is_refused_in_plain_words() {
    let project = Project::new();
    let result = project.run_text("<---RUN--->\nmake\n<---END--->\n<---RUN--->\nmake\ntest\n<---END--->\n");
    let kinds: Vec<_> = result.results.iter().map(|result| result.kind).collect();
    assert_eq!(kinds, [Some(ErrorKind::NotAvailable), Some(ErrorKind::CommandNotAllowed)]);
    assert!(result.results[1].hint.as_deref().unwrap().contains("one RUN for each"), "{result:#?}");
    for one in ["make \\\n  test", "make 'a\nb'", "\n  make\n"] {
        let result = project.run_text(&format!("<---RUN--->\n{one}\n<---END--->\n"));
        assert_eq!(result.results[0].kind, Some(ErrorKind::NotAvailable), "{one}: {result:#?}");
    }
}

#[test]
fn what_a_person_has_to_approve_of_a_whole_is_asked_at_once() {
    let mut project = Project::new();
    let all = [file_write("a", "a"), file_write(".envrc", "x"), file_write(".gitlab-ci.yml", "y")];
    let result = project.run(block(&all, Policy::Atomic));
    assert_eq!(statuses(&result), [Skip, Error, Error], "{:?}", results_of(&result));
    assert_eq!(result.approvals.len(), 2);
    assert!(!project.exists("a"));
    let ids: Vec<String> = result.approvals.into_iter().map(|approval| approval.id).collect();
    project.approvals = Approvals::of_request(Some(&Approve::Ids(ids[..1].to_vec())), &ids[1..]);
    let declined = project.run(block(&all, Policy::Atomic));
    assert_eq!(statuses(&declined), [Skip, Skip, Skip], "{:?}", results_of(&declined));
    assert_eq!(
        declined.results.iter().map(|result| result.declined).collect::<Vec<_>>(),
        [false, false, true]
    );
    assert_eq!(declined.approvals.len(), 0, "what was declined is asked for again");
    assert!(!project.exists("a") && !declined.success);
    project.approvals = Approvals::of_request(Some(&Approve::Ids(ids)), &[]);
    let result = project.run(block(&all, Policy::Atomic));
    assert!(result.success, "{:?}", results_of(&result));
}

#[test]
fn in_order_the_first_failure_skips_the_rest() {
    let project = Project::with(&[("b", "b")]);
    let actions = [file_write("a", "a"), replace("b", "x", "y"), file_write("c", "c"), file_write("d", "d")];
    let result = project.run(block(&actions, Policy::InOrder));
    assert_eq!(statuses(&result), [Success, Error, Skip, Skip], "{:?}", results_of(&result));
    assert!(project.exists("a") && !project.exists("c") && !project.exists("d"));
}

#[test]
fn a_failure_on_the_way_skips_the_rest_of_its_block_only() {
    for policy in [Policy::InOrder, Policy::Atomic] {
        let mut project = Project::with(&[("keep", "k")]);
        project.options.faults =
            Faults::injected(|made| (made == Call::RenameNoReplace).then_some(rustix::io::Errno::IO));
        let all = [file_delete("keep"), file_move("gone", "a"), file_write("b/b", "b"), file_write("c", "c")];
        project.write("gone", "g");
        let mut answer = block(&all, policy);
        answer.steps[3].group = Group { block: 1, policy: Policy::Each };
        let result = project.run(answer);
        assert_eq!(statuses(&result)[..3], [Success, Error, Skip], "{policy:?} {:?}", results_of(&result));
        assert_eq!(statuses(&result)[3], Error, "every rename fails: {:?}", results_of(&result));
        assert!(!project.exists("b"), "a folder for what was skipped is left behind");
        assert!(result.external_changes.is_empty(), "{result:#?}");
    }
}

#[test]
fn an_answer_may_be_all_or_nothing() {
    let project = Project::with(&[("b", "b")]);
    let whole = |answer: Answer| Answer { atomicity: Atomicity::AllOrNothing, ..answer };
    let actions = [file_write("a", "a"), replace("b", "x", "y"), file_write("c", "c"), file_delete("no")];
    let result = project.run(whole(answer(&actions)));
    assert_eq!(statuses(&result), [Skip, Error, Skip, Error], "{:?}", results_of(&result));
    assert!(!project.exists("a") && !project.exists("c"));
    let partly = [("paths", "b\nmissing"), ("old_text", "b"), ("new_text", "B")];
    let result =
        project.run(whole(answer(&[file_write("a", "a"), action("files_replace_all_text", &partly)])));
    assert_eq!(statuses(&result), [Skip, Error], "{:?}", results_of(&result));
    assert_eq!(project.text("b").as_deref(), Some("b"));
    let broken = format!("{TASKS}<---SEARCH--->\na\n<---REPLACE--->\n<---END--->\n");
    project.write("b", "two");
    let result = project.run(whole(read(&broken)));
    assert!(statuses(&result).iter().all(|status| *status == Skip), "{:?}", results_of(&result));
    assert!(!project.exists("c") && !result.parse_errors.is_empty());
    let result =
        project.run(whole(read("<---WRITE file='z'--->\n<---END--->\n<---RUN--->\nls\n<---END--->\n")));
    assert_eq!(result.results[1].kind, Some(ErrorKind::CommandNotAllowed), "{:?}", results_of(&result));
    assert!(!project.exists("z"));
    let result = project.run(whole(read(TASKS)));
    assert!(result.success && project.exists("c"), "{:?}", results_of(&result));
}

#[test]
fn a_part_of_what_is_all_or_nothing_is_not_accepted() {
    let project = Project::with(&[("b", "one two\n")]);
    let make = |answer| project.plan_of(answer, &[]).0;
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let plan = make(read(TASKS));
    let torn = |accept: &[&str]| plan.decide(Some(&ids(accept))).err();
    assert!(torn(&["a1", "a4"]).unwrap().contains("a1, a2, a3"));
    assert!(torn(&["a1", "a2.h1", "a3"]).is_some());
    assert!(torn(&["a1", "a2", "a3"]).is_none() && torn(&["a4"]).is_none());
    let whole = make(Answer { atomicity: Atomicity::AllOrNothing, ..read(TASKS) });
    assert!(whole.decide(Some(&ids(&["a4"]))).is_err());
    let done = project.apply(&plan, Some(&["a4"]), Deliver::Disk);
    assert_eq!(statuses(&done), [Skip, Skip, Skip, Success], "{:?}", results_of(&done));
    // Another process changes the file of the second action: the block as a whole is a conflict.
    project.write("b", "two two\n");
    let done = project.apply(&plan, None, Deliver::Disk);
    assert_eq!(statuses(&done)[..3], [Skip, Error, Skip], "{:?}", results_of(&done));
    assert_eq!(done.results[1].kind, Some(ErrorKind::Conflict));
    assert!(!project.exists("new"));
    project.write("b", "one two\n");
    let done = project.apply(&plan, Some(&["a1", "a2", "a3"]), Deliver::Disk);
    assert_eq!(statuses(&done)[..3], [Success, Success, Success], "{:?}", results_of(&done));
}

#[test]
fn csl_counts_all_matches_or_just_so_many() {
    let project = Project::with(&[("a", "x1y x2y\n")]);
    let range = |count: &str| {
        format!(
            "<---SEARCH file='a' count='{count}'--->\nx\n<---TO--->\ny\n<---REPLACE--->\nz\n<---END--->\n"
        )
    };
    assert_eq!(statuses(&project.run_text(&range("3"))), [Error]);
    assert_eq!(statuses(&project.run_text(&range("all"))), [Success]);
    assert_eq!(project.text("a").as_deref(), Some("z z\n"));
    assert_eq!(statuses(&project.run_text(&range("all"))), [Error]);
}

#[test]
fn replacer_deletes_whole_lines_and_knows_its_root_s_name() {
    let project = Project::with(&[("src/a", "one\ntwo\nthree\n"), ("b", "left middle right\n")]);
    let delete = |path: &str, old: &str| {
        format!("<<<FILE>>>\n{path}\n<<<SEARCH>>>\n{old}\n<<<REPLACE>>>\n<<<END>>>\n")
    };
    let result = project.run_text(&(delete("project/src/a", "two") + &delete("b", "middle ")));
    assert!(result.success && result.warnings.is_empty(), "{:?} {:?}", results_of(&result), result.warnings);
    assert_eq!(project.text("src/a").as_deref(), Some("one\nthree\n"));
    assert_eq!(project.text("b").as_deref(), Some("left right\n"));
    let write = |path: &str| format!("<<<FILE>>>\n{path}\n<<<OVERWRITE>>>\nnew\n<<<END>>>\n");
    assert!(project.run_text(&write("project/c")).success && project.exists("c"));
    std::fs::create_dir(project.root.join("project")).unwrap();
    assert!(project.run_text(&write("project/c")).success && project.exists("project/c"));
}

#[test]
fn dialects_without_ids_find_their_blocks_by_line_and_have_trees() {
    let text = "<<<FILE>>>\na\n<<<SEARCH>>>\n\n<<<REPLACE>>>\nx\n<<<END>>>\n#!SHAM [@three-char-SHA-256: k7m]\nx\n#!END_SHAM_k7m\n<---WRITE--->\n<---END--->\n";
    let answer = Reading::new(None, &Settings::default()).unwrap().read_with_trees(text);
    let found: Vec<_> =
        answer.errors.iter().map(|error| (error.action.as_deref(), error.block_start_line)).collect();
    assert_eq!(
        found,
        [(Some("file_replace_text"), Some(1)), (None, Some(8)), (Some("file_write"), Some(11))]
    );
    let tree = answer.tree.unwrap();
    assert_eq!(tree["sham"]["errors"].as_array().unwrap().len(), 1, "{tree:#?}");
    assert_eq!(tree["csl"]["validationErrors"].as_array().unwrap().len(), 1, "{tree:#?}");
}

#[test]
fn whole_files_are_taken_only_by_name() {
    let settings = Settings::default();
    assert!(Reading::new(Some(&["whole_file".to_owned()]), &settings).is_ok());
    assert!(Reading::new(Some(&["nothing".to_owned()]), &settings).is_err());
}

#[test]
fn regression_what_was_shown_on_top_of_a_block_is_not_applied_without_it() {
    for policy in [Policy::Atomic, Policy::InOrder] {
        let project = Project::with(&[("x", "x\n"), ("b", "one T\n")]);
        let all = [file_write("x", "X"), file_write("b", "two T\n"), replace("b", "T", "C")];
        let mut answer = block(&all, policy);
        answer.steps[2].group = Group { block: 1, policy: Policy::Each };
        let (plan, _) = project.plan_of(answer, &[]);
        project.write("x", "foreign\n");
        let done = project.apply(&plan, None, Deliver::Disk);
        assert_eq!(done.results[2].kind, Some(ErrorKind::Conflict), "{policy:?} {:?}", results_of(&done));
        assert_eq!(project.text("b").as_deref(), Some("one T\n"));
    }
}
