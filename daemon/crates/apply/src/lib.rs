//! The request path: an answer's text becomes steps, steps a plan, a plan effects, effects a report.
//!
//! `interpret` reads the text; [`Planner`] says over a [`View`] what each action would do; [`Approvals`] decide
//! what a person has to agree to; `Executor` carries it out; `report` tells it. Everything before the executor is
//! without effects, so a dry run, a plan that is kept and an execution are one path that ends sooner or later.
//!
//! Knows neither sockets nor sessions: who calls gives roots, settings and a way to be stopped.

mod command;
mod context;
mod effect;
mod execute;
mod failure;
mod plan;
mod planned;
mod read;
mod readonly;
mod results;
mod rules;
mod stop;
pub mod undo;
mod view;
mod working_set;
mod write;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use clada_protocol::{
    ActionResult, ActionStatus, Approval, Deliver, DryRun, ErrorKind, ExecuteEvent, ExecutionResult,
    OperationWarning, ParseIssue,
};

pub use command::{Commands, Errand, Trusted, program_file};
pub use context::{ContextChange, context_exists, context_path, context_size};
pub use effect::Effect;
pub use execute::commits::{Asked, Commits, Committed, Otherwise, Undoes};
pub use execute::recorder::Recorder;
pub use execute::witness::Witness;
pub use failure::Failure;
pub use plan::approve::Approvals;
pub use plan::kept::{KeptPlan, unknown_ids};
pub use plan::resume::{Resumable, partly};
pub use plan::{Original, Planner, Returned};
pub use planned::Planned;
pub use read::answer::{Answer, Group, Step, Whole};
pub use read::instructions::instructions;
pub use read::interpret::{Reading, dialect};
pub use rules::{KnownFiles, Rules, policy_globs};
pub use stop::Stop;
pub use undo::recovery::{LeftBehind, recover, roots_beyond};
pub use view::View;
pub use working_set::{Full, WorkingSet};
pub use write::{Before, Restore, Saved, Write};

use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;

use execute::{executor, executor::Executor, segments};
use plan::again::Again;
use plan::programs::divides;
use read::not_read::how_to_write;
use results::{diff, handing, report, report::Budget};

/// What an operation works with.
pub struct Operation<'a> {
    /// Its id.
    pub id: String,
    /// The folders that it may work in.
    pub roots: &'a Roots,
    /// What it may do there.
    pub rules: &'a Rules,
    /// What a person has approved.
    pub approvals: &'a Approvals,
    /// Where it is put down.
    pub recorder: &'a Recorder,
    /// What of the answer is applied already, by the numbers of its actions, and is left out.
    pub applied: &'a HashMap<usize, Applied>,
    /// Asked between actions whether to stop.
    pub stop: &'a dyn Fn() -> Option<Stop>,
    /// Told what commands do while they run.
    pub tell: &'a dyn Fn(&ExecuteEvent),
}

/// How far an operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The files are changed.
    Done,
    /// The changes are known.
    Planned,
}

/// What came of effects that no answer asked for.
#[derive(Debug, Default)]
pub struct CarriedOut {
    /// One entry an effect, in their order: its number is `seq`, its path the parameter `path`.
    pub results: Vec<ActionResult>,
    /// What a person should know although everything is done.
    pub warnings: Vec<String>,
    /// Paths that somebody else changed between plan and execution.
    pub external_changes: Vec<String>,
}

impl Operation<'_> {
    /// Carries out an answer, or says what that would do.
    #[must_use]
    pub fn execute(&self, mut answer: Answer, until: Until) -> ExecutionResult {
        if answer.fatal().is_some() {
            return self.refuse(answer);
        }
        answer.hold_against(Some(self.roots), self.rules.person.as_ref(), self.rules.max_file_size);
        let steps = std::mem::take(&mut answer.steps);
        if until == Until::Done && answer.whole == Whole::Blocks && steps.iter().any(divides) {
            let segments::Outcome { executed, approvals } =
                segments::carry_out(self, &mut answer, steps, None);
            return self.told(answer, executed, approvals, None);
        }
        let mut planner = Planner::new(View::new(self.roots), self.rules, self.approvals);
        planner.leave_out(self.applied);
        let planned = planner.plan_all(&answer, steps, self.stop);
        answer.notes.extend(planner.take_notes());
        self.finish(answer, planned, planner.view(), until)
    }

    /// Carries out a kept plan, whole or in part, exactly as it was planned.
    #[must_use]
    pub fn execute_kept(
        &self,
        kept: &KeptPlan,
        accept: Option<&[String]>,
        deliver: Deliver,
    ) -> ExecutionResult {
        if deliver == Deliver::Disk && kept.steps().iter().any(divides) {
            let (mut answer, again) = (kept.answer().clone(), Again::of(kept, accept));
            let steps = kept.steps().to_vec();
            let segments::Outcome { executed, approvals } =
                segments::carry_out(self, &mut answer, steps, Some(again));
            return self.told(answer, executed, approvals, None);
        }
        if deliver == Deliver::Edits {
            return self.hand_out(kept, accept);
        }
        let mut planner = Planner::new(kept.view(self.roots, deliver), self.rules, self.approvals);
        let planned = kept.replan(&mut planner, accept, None, self.stop);
        let mut answer = kept.answer().clone();
        answer.notes.extend(planner.take_notes());
        self.finish(answer, planned, planner.view(), Until::Done)
    }

    /// Hands out what a kept plan changes as edits. What they cannot carry is not done.
    fn hand_out(&self, kept: &KeptPlan, accept: Option<&[String]>) -> ExecutionResult {
        let planner = || Planner::new(kept.view(self.roots, Deliver::Edits), self.rules, self.approvals);
        // Which folders come with a file is known when all of it is planned.
        let targets = handing::Targets::of(&kept.replan(&mut planner(), accept, None, self.stop));
        let refuse = |effect: &Effect| targets.refuse(effect);
        let mut planner = planner();
        let mut planned = kept.replan(&mut planner, accept, Some(&refuse), self.stop);
        planned.iter_mut().for_each(|planned| planned.refuse_to_show_secrets(planner.view()));
        let mut answer = kept.answer().clone();
        answer.notes.extend(planner.take_notes());
        answer.notes.extend(handing::warnings(&planned));
        let edits = diff::workspace_edit(&planned, self.roots);
        let result = self.finish(answer, planned, planner.view(), Until::Planned);
        ExecutionResult { dry_run: None, edits: Some(edits), ..result }
    }

    /// Writes files back that were handed out, all or none, or says what that would do.
    #[must_use]
    pub fn write_back(&self, files: &[Returned], until: Until) -> ExecutionResult {
        let steps = files.iter().zip(1..).map(|(file, seq)| Step::of_returned(seq, &file.name, &file.path));
        let steps: Vec<Step> = steps.collect();
        let mut answer = Answer { whole: Whole::AllOrNothing, ..Answer::default() };
        let mut planner = Planner::new(View::new(self.roots), self.rules, self.approvals);
        let planned = planner.plan_with(
            &answer,
            steps,
            &mut |planner, _, step| match files.get(step.seq - 1) {
                Some(file) => planner.plan_returned(step, file),
                None => planner.plan(step, Ok),
            },
            self.stop,
        );
        answer.notes.extend(planner.take_notes());
        self.finish(answer, planned, planner.view(), until)
    }

    /// Makes `effects` happen in this order, which no answer asked for: the first that fails keeps those after it
    /// from being made. What takes an operation back is made of them.
    #[must_use]
    pub fn carry_out(&self, effects: Vec<Effect>) -> CarriedOut {
        let planned = effects.into_iter().zip(1..).map(|(effect, seq)| {
            let step = Step::of_no_answer(seq, effect.paths().next().map(RootedPath::written));
            Planned { step, outcome: Ok(effect), approval: None }
        });
        let executor = Executor::new(self, Whole::AllOrNothing);
        let executed = executor.run(planned.collect());
        CarriedOut {
            results: executed.results,
            warnings: executed.warnings,
            external_changes: executed.external_changes,
        }
    }

    /// Executes or only tells what was planned, and reports.
    fn finish(
        &self,
        answer: Answer,
        planned: Vec<Planned>,
        view: &View<'_>,
        until: Until,
    ) -> ExecutionResult {
        let (approvals, whole) = (waiting(&planned), answer.whole);
        let dry_run = (until == Until::Planned)
            .then(|| DryRun { diff: diff::plan_diff(&planned, view, self.rules.result_bytes / 2) });
        let executed = match until {
            Until::Done => Executor::new(self, whole).run(planned),
            Until::Planned => told(planned, self.rules.result_bytes / 2),
        };
        self.told(answer, executed, approvals, dry_run)
    }

    /// The result of what was executed or planned.
    fn told(
        &self,
        answer: Answer,
        executed: executor::Executed,
        mut approvals: Vec<Approval>,
        dry_run: Option<DryRun>,
    ) -> ExecutionResult {
        ready_to_ask(&mut approvals, self.rules, self.stop);
        let done = executed.results.iter().any(|result| result.success);
        let success = (done || answer.not_read.is_empty())
            && answer.errors.is_empty()
            && executed.results.iter().all(|result| {
                // What is applied already did not fail.
                result.status == ActionStatus::Success || result.kind == Some(ErrorKind::AnswerAlreadyApplied)
            });
        let attempted = executed.results.iter().filter(|result| result.status != ActionStatus::Skip).count();
        let unplaced = |message| OperationWarning { task: None, message };
        let mut warnings = answer.notes;
        warnings.extend(answer.warnings.into_iter().map(|issue: ParseIssue| unplaced(issue.message)));
        warnings.extend(executed.warnings.into_iter().map(unplaced));
        let how_to_write = how_to_write(&answer.not_read, &answer.blocks, &answer.choice);
        ExecutionResult {
            success,
            how_to_write,
            total_blocks: answer.blocks.len(),
            blocks: answer.blocks,
            executed_actions: attempted,
            results: executed.results,
            warnings,
            approvals,
            parse_errors: answer.errors,
            not_read: answer.not_read,
            fatal_error: None,
            // What was only planned is no operation: nobody can undo or resume it.
            operation_id: if dry_run.is_some() { String::new() } else { self.id.clone() },
            external_changes: executed.external_changes,
            dry_run,
            edits: None,
            truncated: executed.truncated,
            git: None,
        }
    }

    /// Nothing of the answer runs.
    fn refuse(&self, answer: Answer) -> ExecutionResult {
        let fatal_error = answer.fatal().map(str::to_owned);
        let how_to_write = how_to_write(&answer.not_read, &answer.blocks, &answer.choice);
        let mut budget = Budget::new(self.rules.result_bytes);
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
            not_read: answer.not_read,
            how_to_write,
            fatal_error,
            operation_id: self.id.clone(),
            ..ExecutionResult::default()
        }
    }
}

/// The failure of every action of an answer with a fault for which nothing of it runs.
fn not_run() -> Failure {
    let message = "Not done: the answer has a fault for which nothing of it is done (SKIPPED)";
    Failure::said(clada_protocol::ErrorKind::Skipped, message.to_owned())
}

/// What would come of a plan.
fn told(planned: Vec<Planned>, room: usize) -> executor::Executed {
    let mut budget = Budget::new(room);
    let results = planned
        .into_iter()
        .map(|Planned { step, outcome, .. }| {
            let outcome = outcome.and_then(|effect| match report::failure_in_part(&effect) {
                Some(failure) => Err(failure),
                None => Ok(report::Yield {
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
    executor::Executed { results, truncated: budget.was_cut(), ..executor::Executed::default() }
}

/// Approvals that a result lists: more are not read by anybody, and paths can be long.
const APPROVALS: usize = 1_000;

/// What a person would have to approve of `answer`.
pub fn needed(
    answer: &Answer,
    roots: &Roots,
    rules: &Rules,
    stop: &dyn Fn() -> Option<Stop>,
) -> Vec<Approval> {
    if answer.fatal().is_some() {
        return Vec::new();
    }
    let approvals = Approvals::Assumed;
    let mut planner = Planner::new(View::new(roots), rules, &approvals);
    let planned = planner.plan_all(answer, answer.steps.clone(), stop);
    let mut asked: Vec<Approval> =
        planned.into_iter().filter_map(|planned| planned.approval).take(APPROVALS).collect();
    ready_to_ask(&mut asked, rules, stop);
    asked
}

/// Leaves out those changes of `approvals` for which a result has no room, and says of the commands what could not be
/// brought back if they changed it.
fn ready_to_ask(approvals: &mut [Approval], rules: &Rules, stop: &dyn Fn() -> Option<Stop>) {
    let mut room = rules.result_bytes / 4;
    for change in approvals.iter_mut().filter_map(|approval| approval.change.as_mut()) {
        match room.checked_sub(report::text_weight(change)) {
            Some(left) => room = left,
            None => "(the change has no room here: `apply -i` shows it)\n".clone_into(change),
        }
    }
    if let Some(commands) = &rules.commands {
        commands.tell_not_undoable(approvals, &|| stop().is_some());
    }
}

/// The approvals that actions of the plan still wait for.
fn waiting(planned: &[Planned]) -> Vec<Approval> {
    planned
        .iter()
        .filter_map(|planned| planned.outcome.as_ref().err()?.approval.as_deref().cloned())
        .take(APPROVALS)
        .collect()
}
