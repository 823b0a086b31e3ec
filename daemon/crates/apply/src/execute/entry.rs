//! The ways into an operation: an answer, a saved plan, files that come back, and effects that no answer
//! asked for.

use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{Approval, DryRun, ExecutionResult};

use crate::effect::Effect;
use crate::execute::executor::Executor;
use crate::execute::operation::{Operation, RunUntil};
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
        let check = saved_plan.check(View::new(self.roots), self.rules, self.applied, self.stop);
        self.execute_current(saved_plan, check, decision)
    }

    /// Carries out all of a saved plan, of which a user was shown that it needs the approvals `shown`, and calls
    /// `begins` before. Does nothing and returns `None` if it would do or need anything else by now.
    #[must_use]
    pub fn execute_shown(
        &self,
        saved_plan: &SavedPlan,
        shown: &[Approval],
        begins: &dyn Fn(),
    ) -> Option<ExecutionResult> {
        let check = self.check_shown(saved_plan, shown)?;
        begins();
        Some(self.execute_current(saved_plan, check, &saved_plan.decision(None)))
    }

    /// Returns true if all of a saved plan would do what was shown, and need no other approvals.
    #[must_use]
    pub fn is_as_shown(&self, saved_plan: &SavedPlan, shown: &[Approval]) -> bool {
        self.check_shown(saved_plan, shown).is_some()
    }

    fn check_shown(&self, saved_plan: &SavedPlan, shown: &[Approval]) -> Option<Arc<PlanCheck>> {
        let check = saved_plan.check(View::new(self.roots), self.rules, self.applied, self.stop);
        let needed = check.planned.iter().filter_map(|planned| planned.approval.clone());
        let mut needed: Vec<Approval> = needed.collect();
        if let Some(commands) = &self.rules.commands {
            commands.describe_not_undoable(&mut needed, &|| (self.stop)().is_some());
        }
        // A result may have no room for its change, which the check has compared.
        let words = |approval: &Approval| Approval { change: None, ..approval.clone() };
        let is_shown = |needed: &Approval| shown.iter().any(|shown| words(shown) == words(needed));
        let is_same = check.stale.is_empty()
            && saved_plan.is_shown_whole(self.roots, self.rules, self.applied)
            && needed.iter().all(is_shown);
        is_same.then_some(check)
    }

    fn execute_current(
        &self,
        saved_plan: &SavedPlan,
        mut check: Arc<PlanCheck>,
        decision: &Decision<'_>,
    ) -> ExecutionResult {
        let files = || View::new(self.roots);
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
    pub fn carry_out(&self, effects: Vec<Effect>) -> Executed {
        let planned = effects.into_iter().zip(1..).map(|(effect, seq)| {
            let step = Step::of_no_answer(seq, effect.paths().next().map(RootedPath::written));
            Planned { step, outcome: Ok(effect), approval: None }
        });
        Executor::new(self, Atomicity::AllOrNothing).run(planned.collect())
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
