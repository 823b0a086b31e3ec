//! The outcome of an operation as a whole, or the one that it would have.

use clada_fs::Roots;
use clada_protocol::{
    ActionResult, ActionStatus, Approval, DryRun, ErrorKind, ExecutionResult, OperationWarning, ParseIssue,
};

use crate::failure::Failure;
use crate::planned::Planned;
use crate::read::answer::Answer;
use crate::read::not_read::how_to_write;
use crate::results::place;
use crate::results::report::{self, Budget};
use crate::results::weight::text_weight;

const PLACES: usize = 16 << 10;

/// What came of the actions of an operation.
#[derive(Debug, Default)]
pub struct Executed {
    /// One entry an action.
    pub results: Vec<ActionResult>,
    /// Paths that another process changed between plan and execution.
    pub external_changes: Vec<String>,
    /// Warnings for the user although everything is done.
    pub warnings: Vec<String>,
    /// Something of a result was cut.
    pub truncated: bool,
}

impl Executed {
    pub(crate) fn from_plan(planned: Vec<Planned>, room: usize) -> Executed {
        let mut budget = Budget::new(room);
        let results = planned
            .into_iter()
            .map(|Planned { step, outcome, .. }| {
                let outcome = outcome.and_then(|effect| match report::failure_in_part(&effect) {
                    Some(failure) => Err(failure),
                    None => Ok(report::ActionOutput {
                        data: report::data(&effect, &step),
                        unchanged: effect.is_unchanged(),
                        truncated: false,
                        matched_by: effect.matched_by(),
                        within_line: effect.within_line(),
                    }),
                });
                report::result(step, outcome, 0, &mut budget)
            })
            .collect();
        Executed { results, truncated: budget.was_cut(), ..Executed::default() }
    }

    /// Gives what was not done its file as its place, if it has no other and there is room.
    pub(crate) fn placed(mut self, roots: &Roots) -> Executed {
        let mut budget = Budget::new(PLACES);
        for result in self.results.iter_mut().filter(|one| one.kind.is_some() && one.place.is_none()) {
            let path = ["path", "old_path"].iter().find_map(|name| result.params.get(name)?.as_str());
            let path = path.and_then(|path| roots.resolve(path).ok());
            let place = path.map(|path| place::file(roots, &path));
            result.place =
                place.filter(|place| budget.take(text_weight(&place.path) + text_weight(&place.uri)));
        }
        self
    }

    pub(crate) fn into_result(
        self,
        answer: Answer,
        approvals: Vec<Approval>,
        dry_run: Option<DryRun>,
        operation: &str,
    ) -> ExecutionResult {
        let done = self.results.iter().any(|result| result.success);
        let nothing_of_it = !done && answer.has_unnamed && answer.already.is_empty();
        let success = answer.not_read.is_empty()
            && answer.proposals.is_empty()
            && !nothing_of_it
            && answer.errors.is_empty()
            && self.results.iter().all(|result| {
                // What is applied already did not fail.
                result.status == ActionStatus::Success || result.kind == Some(ErrorKind::AnswerAlreadyApplied)
            });
        let attempted = self.results.iter().filter(|result| result.status != ActionStatus::Skip).count();
        let unplaced = |message| OperationWarning { task: None, message };
        let proposals = answer.shown_proposals();
        let mut warnings = answer.notes;
        warnings.extend(answer.warnings.into_iter().map(|issue: ParseIssue| unplaced(issue.message)));
        warnings.extend(self.warnings.into_iter().map(unplaced));
        let how_to_write = how_to_write(&answer.not_read, nothing_of_it, &answer.blocks, &answer.choice);
        ExecutionResult {
            success,
            proposals,
            already: answer.already,
            how_to_write,
            total_blocks: answer.blocks.len(),
            blocks: answer.blocks,
            executed_actions: attempted,
            results: self.results,
            warnings,
            approvals,
            parse_errors: answer.errors,
            not_read: answer.not_read,
            // What was only planned is no operation: nobody can undo or resume it.
            operation_id: if dry_run.is_some() { String::new() } else { operation.to_owned() },
            external_changes: self.external_changes,
            dry_run,
            truncated: self.truncated,
            ..ExecutionResult::default()
        }
    }
}

pub(crate) fn refused(answer: Answer, operation: &str, room: usize) -> ExecutionResult {
    let fatal_error = answer.fatal().map(str::to_owned);
    // Nothing is asked of the project then, so that a plan says no more than a text.
    let how_to_write = how_to_write(&[], false, &answer.blocks, &answer.choice);
    let mut budget = Budget::new(room);
    let results = answer.steps.into_iter().map(|step| ActionResult {
        status: ActionStatus::Fatal,
        success: false,
        ..report::result(step, Err(not_run()), 0, &mut budget)
    });
    ExecutionResult {
        total_blocks: answer.blocks.len(),
        blocks: answer.blocks,
        results: results.collect(),
        warnings: answer.notes,
        parse_errors: answer.errors,
        how_to_write,
        fatal_error,
        operation_id: operation.to_owned(),
        ..ExecutionResult::default()
    }
}

fn not_run() -> Failure {
    let message = "Not done: an error in the answer stops all of it (SKIPPED)";
    Failure::with_message(ErrorKind::Skipped, message.to_owned())
}
