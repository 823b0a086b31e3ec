//! An operation: what it works with, and the ways into it: an answer, a saved plan, files that come back, and effects
//! that no answer asked for.
//!
//! An answer with commands is applied by segments: everything up to the next command is planned and done, then the
//! command runs, and what follows is planned over the files as it left them. How a segment is planned and done is the
//! planner's and the executor's business.

use std::collections::HashMap;
use std::sync::Arc;

use clada_dialects::Policy;
use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{ActionStatus, Approval, DryRun, ErrorKind, ExecuteEvent, ExecutionResult};

use crate::effect::Effect;
use crate::execute::executor::Executor;
use crate::execute::journal_writer::JournalWriter;
use crate::failure::Failure;
use crate::plan::Returned;
use crate::plan::approve::{APPROVALS, Approvals, ready_to_ask, waiting};
use crate::plan::decision::Decision;
use crate::plan::groups::breaks;
use crate::plan::plan_check::{PlanCheck, Refuse};
use crate::plan::planner::Origins;
use crate::plan::planner::Planner;
use crate::plan::programs::{divides, runs};
use crate::plan::revalidate::Replan;
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity, Step};
use crate::results::diff;
use crate::results::handing::Delivered;
use crate::results::report::{Executed, refused};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

/// The inputs of an operation.
pub struct Operation<'a> {
    /// Its id.
    pub id: String,
    /// The folders that it may work in.
    pub roots: &'a Roots,
    /// The rules that it keeps there.
    pub rules: &'a Rules,
    /// The approvals that the user has given.
    pub approvals: &'a Approvals,
    /// The writer that records it.
    pub journal_writer: &'a JournalWriter,
    /// The actions of the answer that are applied already, by their numbers, and are left out.
    pub applied: &'a HashMap<usize, Applied>,
    /// Asked between actions whether to stop.
    pub stop: &'a dyn Fn() -> Option<Stop>,
    /// Told what commands do while they run.
    pub notify: &'a dyn Fn(&ExecuteEvent),
    /// Told which action is next.
    pub acting: &'a dyn Fn(&Acting<'_>),
}

/// An action that is about to be carried out.
#[derive(Debug, Clone, Copy)]
pub struct Acting<'a> {
    /// The actions before it.
    pub done: usize,
    /// Those that are planned by now, with those before it.
    pub planned: usize,
    /// Its number in `[task-N]`.
    pub task: &'a str,
    /// Its canonical name.
    pub action: &'a str,
    /// The first path that it is about, as it is written.
    pub path: Option<&'a str>,
}

/// The end of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunUntil {
    /// The files are changed.
    Done,
    /// The changes are known.
    Planned,
}

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
                carry_out(self, &mut answer, steps, None, (&files, Delivered::Nothing));
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
                carry_out(self, &mut answer, steps, Some(replan), over);
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

pub(crate) struct SegmentsOutcome {
    pub(crate) executed: Executed,
    pub(crate) approvals: Vec<Approval>,
}

/// Carries out `steps` of `answer` by segments, over the files of `view`, without what is `delivered`;
/// of a saved plan, as it was planned.
pub(crate) fn carry_out<'o>(
    operation: &Operation<'o>,
    answer: &mut Answer,
    steps: Vec<Step>,
    replan: Option<Replan<'_>>,
    (view, delivered): (&dyn Fn() -> View<'o>, Delivered),
) -> SegmentsOutcome {
    let changed = replan.as_ref().map(Replan::changed_paths).unwrap_or_default();
    let executor = Executor::new(operation, Atomicity::Blocks).without(delivered);
    let mut executor = executor.since_changed(changed);
    executor.runs_programs = steps.iter().any(runs);
    let mut segments = Segments {
        operation,
        answer,
        executor,
        pending: Vec::new(),
        failed: HashMap::new(),
        approvals: Vec::new(),
        replan,
        view,
        origins: Origins::new(),
    };
    let mut steps = steps.into_iter().peekable();
    while let Some(first) = steps.next() {
        let group = first.group;
        let mut block = vec![first];
        // The steps of a block are planned together even if a program runs between them: they succeed or fail
        // together.
        while let Some(next) = steps.next_if(|next| group.binds(next.group)) {
            block.push(next);
        }
        segments.block(block);
    }
    segments.flush();
    SegmentsOutcome { executed: segments.executor.finish(), approvals: segments.approvals }
}

struct Segments<'s, 'o, 'k> {
    operation: &'s Operation<'o>,
    answer: &'s mut Answer,
    executor: Executor<'s>,
    pending: Vec<Step>,
    /// The blocks of which a step failed, with its task.
    failed: HashMap<usize, String>,
    approvals: Vec<Approval>,
    replan: Option<Replan<'k>>,
    view: &'s dyn Fn() -> View<'o>,
    /// The contents before of the files that were changed so far.
    origins: Origins,
}

impl Segments<'_, '_, '_> {
    fn block(&mut self, mut block: Vec<Step>) {
        if block[0].group.policy == Policy::Atomic && block.iter().any(runs) {
            self.flush();
            // All of it has to be possible, as far as that can be known before its commands have run. Then it
            // runs in order.
            let before = self.replan.clone();
            let planned = self.plan(block.clone());
            if planned.iter().any(breaks) {
                return self.execute(planned);
            }
            self.replan = before;
            block.iter_mut().for_each(|step| step.group.policy = Policy::InOrder);
        }
        for step in block {
            let alone = divides(&step);
            if alone {
                self.flush();
            }
            self.pending.push(step);
            if alone {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let failed =
            |step: &Step| self.failed.get(&step.group.block).filter(|_| step.group.policy != Policy::Each);
        let (mut skipped, mut ready) = (Vec::new(), Vec::new());
        let order: HashMap<usize, usize> =
            pending.iter().enumerate().map(|(at, step)| (step.seq, at)).collect();
        for step in pending {
            match failed(&step) {
                Some(task) => {
                    let message = format!("Not done: task {task} before it failed (SKIPPED)");
                    let outcome = Err(Failure::with_message(ErrorKind::Skipped, message));
                    skipped.push(Planned { step, outcome, approval: None });
                }
                None => ready.push(step),
            }
        }
        let mut planned = self.plan(ready);
        planned.extend(skipped);
        planned.sort_by_key(|planned| order.get(&planned.step.seq).copied());
        self.execute(planned);
    }

    fn plan(&mut self, steps: Vec<Step>) -> Vec<Planned> {
        let Operation { rules, approvals, applied, stop, journal_writer, .. } = *self.operation;
        let mut planner = Planner::new((self.view)(), rules, approvals);
        planner.leave_out(applied);
        planner.after_changes(journal_writer.has_changed());
        planner.with_origins(self.origins.clone());
        let planned = match &mut self.replan {
            Some(replan) => replan.plan(&mut planner, self.answer, steps, stop),
            None => planner.plan_all(self.answer, steps, stop),
        };
        self.answer.notes.extend(planner.take_notes());
        self.origins = planner.take_origins();
        planned
    }

    fn execute(&mut self, planned: Vec<Planned>) {
        self.approvals.extend(waiting(&planned));
        self.approvals.truncate(APPROVALS);
        let before = self.executor.results().len();
        let is_program = |planned: &Planned| matches!(planned.outcome, Ok(Effect::Command(_)));
        if let Some(replan) = self.replan.as_mut().filter(|_| planned.iter().any(is_program)) {
            replan.after_program();
        }
        self.executor.segment(planned);
        for result in &self.executor.results()[before..] {
            if result.status == ActionStatus::Error {
                self.failed.entry(result.block).or_insert_with(|| result.task.clone());
            }
        }
    }
}
