//! The ways into an operation: an answer, a saved plan, files that come back, and effects that no answer
//! asked for.

use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{Approval, DryRun, ExecutionResult};

use crate::effect::Effect;
use crate::execute::executor::Executor;
use crate::execute::operation::{CarriedOut, Operation, RunUntil};
use crate::execute::segments::{self, SegmentsOutcome};
use crate::plan::asking::{ready_to_ask, waiting};
use crate::plan::check::PlanCheck;
use crate::plan::decision::Decision;
use crate::plan::programs::divides;
use crate::plan::revalidate::{Refuse, Replan};
use crate::plan::saved_plan::SavedPlan;
use crate::plan::{Planner, Returned};
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity, Step};
use crate::results::diff;
use crate::results::handing::Delivered;
use crate::results::outcome::{Executed, refused};
use crate::view::View;

impl Operation<'_> {
    /// Carries out an answer, or says what that would do.
    #[must_use]
    pub fn execute(&self, mut answer: Answer, until: RunUntil) -> ExecutionResult {
        if answer.fatal().is_some() {
            return refused(answer, &self.id, self.rules.result_bytes);
        }
        answer.hold_against(Some(self.roots), self.rules.user.as_ref(), self.rules.max_file_size);
        let view = View::new(self.roots);
        answer.propose(&view, self.rules, None);
        let steps = std::mem::take(&mut answer.steps);
        let steps = answer.decided(steps, None, self.rules, &view);
        if until == RunUntil::Done && is_divided(&answer, steps.iter()) {
            let files = || View::new(self.roots);
            let SegmentsOutcome { executed, approvals } =
                segments::carry_out(self, &mut answer, steps, None, (&files, Delivered::Nothing));
            return self.report(answer, executed, approvals, None);
        }
        let mut planner = Planner::new(View::new(self.roots), self.rules, self.approvals);
        planner.leave_out(self.applied);
        let planned = planner.plan_all(&answer, steps, self.stop);
        answer.notes.extend(planner.take_notes());
        self.finish(answer, planned, planner, until)
    }

    /// Carries out a saved plan: what is accepted of it exactly as it was planned, and all of it as its
    /// answer would be, but for what was changed since.
    #[must_use]
    pub fn execute_saved(&self, saved_plan: &SavedPlan, decision: &Decision<'_>) -> ExecutionResult {
        let files = || View::new(self.roots);
        let mut check = saved_plan.check(files(), self.rules, self.applied, self.stop);
        if decision.is_answer() && is_divided(saved_plan.answer(), saved_plan.steps()) {
            // Each segment is planned when it is its turn.
            Arc::make_mut(&mut check).planned.clear();
        }
        let result = self.execute_checked((saved_plan, check), decision, (&files, Delivered::Nothing), None);
        saved_plan.with_hunk_counts(result, decision)
    }

    /// The same over the files of `view`, by its check, without what is `delivered`, and what `refuse` has a
    /// reason against.
    pub(super) fn execute_checked<'v>(
        &'v self,
        (saved_plan, check): (&SavedPlan, Arc<PlanCheck>),
        decision: &Decision<'_>,
        (view, delivered): (&dyn Fn() -> View<'v>, Delivered),
        refuse: Option<Refuse<'_>>,
    ) -> ExecutionResult {
        let (mut answer, steps) = saved_plan.decided(decision, self.rules, &view());
        if decision.is_answer() && answer.fatal().is_some() {
            // As for a text, of which nothing is asked of the project then.
            answer.not_read.clear();
            return refused(answer, &self.id, self.rules.result_bytes);
        }
        let mut replan = Replan::new(saved_plan, decision, check, refuse);
        if is_divided(&answer, steps.iter()) {
            let over = (view, delivered);
            let SegmentsOutcome { executed, approvals } =
                segments::carry_out(self, &mut answer, steps, Some(replan), over);
            return self.report(answer, executed, approvals, None);
        }
        // The check knows the steps of blocks alone.
        let ready = replan.ready(self.approvals).filter(|_| saved_plan.answer().proposals.is_empty());
        let (planned, notes) = ready.unwrap_or_else(|| {
            let mut planner = Planner::new(view(), self.rules, self.approvals);
            planner.leave_out(self.applied);
            (replan.plan(&mut planner, &answer, steps, self.stop), planner.take_notes())
        });
        answer.notes.extend(notes);
        let approvals = waiting(&planned);
        let executor = Executor::new(self, answer.atomicity).without(delivered);
        let executed = executor.since_changed(replan.changed_paths()).run(planned);
        self.report(answer, executed, approvals, None)
    }

    /// Writes files back that were handed out, all or none, or says what that would do.
    #[must_use]
    pub fn write_back(&self, files: &[Returned], until: RunUntil) -> ExecutionResult {
        let steps = files.iter().zip(1..).map(|(file, seq)| Step::of_returned(seq, &file.name, &file.path));
        let steps: Vec<Step> = steps.collect();
        let mut answer = Answer { atomicity: Atomicity::AllOrNothing, ..Answer::default() };
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
        self.finish(answer, planned, planner, until)
    }

    /// Makes `effects` happen in this order, which no answer asked for: the first that fails keeps those
    /// after it from being made. What takes an operation back is made of them.
    #[must_use]
    pub fn carry_out(&self, effects: Vec<Effect>) -> CarriedOut {
        let planned = effects.into_iter().zip(1..).map(|(effect, seq)| {
            let step = Step::of_no_answer(seq, effect.paths().next().map(RootedPath::written));
            Planned { step, outcome: Ok(effect), approval: None }
        });
        let executor = Executor::new(self, Atomicity::AllOrNothing);
        let executed = executor.run(planned.collect());
        CarriedOut {
            results: executed.results,
            warnings: executed.warnings,
            external_changes: executed.external_changes,
        }
    }

    pub(super) fn finish(
        &self,
        answer: Answer,
        planned: Vec<Planned>,
        planner: Planner<'_>,
        until: RunUntil,
    ) -> ExecutionResult {
        let (approvals, whole) = (waiting(&planned), answer.atomicity);
        let (changed, changed_more) = match until {
            RunUntil::Planned => diff::plan_files(&planned, planner.view()),
            RunUntil::Done => (Vec::new(), 0),
        };
        let dry_run = (until == RunUntil::Planned)
            .then(|| diff::plan_diff(&planned, planner.view(), self.rules.result_bytes / 2))
            .map(|diff| DryRun { diff: diff.text });
        // What the files would hold is of no more use, and can be as large as the answer.
        drop(planner);
        let executed = match until {
            RunUntil::Done => Executor::new(self, whole).run(planned),
            RunUntil::Planned => Executed::from_plan(planned, self.rules.result_bytes / 2),
        };
        let result = self.report(answer, executed, approvals, dry_run);
        ExecutionResult { changed, changed_more, ..result }
    }

    pub(super) fn report(
        &self,
        answer: Answer,
        executed: Executed,
        mut approvals: Vec<Approval>,
        dry_run: Option<DryRun>,
    ) -> ExecutionResult {
        ready_to_ask(&mut approvals, self.rules, self.stop);
        executed.placed(self.roots).into_result(answer, approvals, dry_run, &self.id)
    }
}

fn is_divided<'s>(answer: &Answer, mut steps: impl Iterator<Item = &'s Step>) -> bool {
    answer.atomicity == Atomicity::Blocks && steps.any(divides)
}
