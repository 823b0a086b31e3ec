//! An answer with commands is carried out by segments: everything up to the next command is planned and done,
//! then the command runs, and what follows is planned over the files as it left them.
//!
//! Knows what depends on what across segments; how a segment is planned and done is the planner's and the
//! executor's business.

use std::collections::HashMap;

use clada_dialects::Policy;
use clada_protocol::{ActionStatus, Approval, ErrorKind};

use crate::effect::Effect;
use crate::execute::executor::Executor;
use crate::execute::operation::Operation;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::asking::{APPROVALS, waiting};
use crate::plan::groups::breaks;
use crate::plan::guarding::Origins;
use crate::plan::programs::{divides, runs};
use crate::plan::revalidate::Replan;
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity, Step};
use crate::results::handing::Delivered;
use crate::results::outcome::Executed;
use crate::view::View;

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
