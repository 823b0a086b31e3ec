//! Steps that share their fate: blocks that are done in order or as a whole, and answers that are.
//!
//! Knows when one failure means others, not what an action does. Whatever is discarded here leaves no trace
//! in the view, so later steps see what will be there.

use clada_dialects::Policy;
use clada_protocol::ErrorKind;

use super::planner::{PlanOne, Planner};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::read::answer::{Atomicity, Step};
use crate::stop::Stop;
use crate::view::Mark;

#[derive(Clone, Copy)]
struct Point {
    view: Mark,
    planned_bytes: usize,
    held_bytes: usize,
    unheld_bytes: usize,
    notes: usize,
}

impl<'a> Planner<'a> {
    /// Plans `steps` with `one`, and lets each failure mean for others what their blocks say; those that
    /// `stop` keeps from being reached fail.
    pub(crate) fn plan_blocks(
        &mut self,
        steps: Vec<Step>,
        one: &mut PlanOne<'_, 'a>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        let mut planned = Vec::with_capacity(steps.len());
        let mut steps = steps.into_iter().enumerate().peekable();
        while let Some(first) = steps.next() {
            let group = first.1.group;
            let mut members = vec![first];
            while let Some(next) = steps.next_if(|(_, step)| group.binds(step.group)) {
                members.push(next);
            }
            let mut reach = |planner: &mut Planner<'a>, (index, step): (usize, Step)| match stop() {
                Some(stop) => not_planned(step, stop.failure()),
                None => one(planner, index, step),
            };
            match group.policy {
                Policy::Each => planned.extend(members.into_iter().map(|member| reach(self, member))),
                Policy::InOrder => planned.extend(self.in_order(members, &mut reach)),
                Policy::Atomic => planned.extend(self.atomic(members, &mut reach)),
            }
        }
        planned
    }

    /// Plans `steps` with `one` as a whole: if one of them fails, or `broken` says why the answer cannot be
    /// done, nothing of them is.
    pub(crate) fn plan_whole(
        &mut self,
        steps: Vec<Step>,
        broken: bool,
        one: &mut PlanOne<'_, 'a>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        let point = self.point();
        self.atomicity = Atomicity::AllOrNothing;
        let mut planned = self.plan_blocks(steps, one, stop);
        self.atomicity = Atomicity::Blocks;
        if !planned.iter().any(breaks) {
            self.refuse_unapproved(&mut planned);
        }
        if !broken && !planned.iter().any(breaks) {
            self.keep(point);
        } else {
            self.take_back(point);
            self.report_rolled_back(&mut planned, |failed| match failed {
                Some(task) => {
                    format!("task {task} cannot be done, and the answer is applied whole or not at all")
                }
                None => "a part of the answer did not parse, and the answer is applied whole or not at all"
                    .to_owned(),
            });
        }
        planned
    }

    fn in_order(
        &mut self,
        members: Vec<(usize, Step)>,
        reach: &mut dyn FnMut(&mut Planner<'a>, (usize, Step)) -> Planned,
    ) -> Vec<Planned> {
        let mut failed: Option<String> = None;
        let mut planned = Vec::with_capacity(members.len());
        for member in members {
            let next = match &failed {
                Some(task) => not_planned(member.1, skipped(task)),
                None => reach(self, member),
            };
            if failed.is_none() && breaks(&next) {
                failed = Some(next.step.task.clone());
            }
            planned.push(next);
        }
        planned
    }

    fn atomic(
        &mut self,
        members: Vec<(usize, Step)>,
        reach: &mut dyn FnMut(&mut Planner<'a>, (usize, Step)) -> Planned,
    ) -> Vec<Planned> {
        let point = self.point();
        let outer = std::mem::replace(&mut self.atomicity, Atomicity::AllOrNothing);
        let mut planned = Vec::with_capacity(members.len());
        let mut ended: Option<String> = None;
        for member in members {
            // Steps after it that cannot be judged are not tried; each other failure is found.
            let next = match &ended {
                Some(task) => not_planned(member.1, skipped(task)),
                None => reach(self, member),
            };
            if next.outcome.as_ref().is_err_and(|failure| ends_planning(failure.kind)) {
                ended = Some(next.step.task.clone());
            }
            planned.push(next);
        }
        self.atomicity = outer;
        // In a whole answer, what has to be approved is seen to when all of it is planned.
        if outer == Atomicity::Blocks && !planned.iter().any(breaks) {
            self.refuse_unapproved(&mut planned);
        }
        if planned.iter().any(breaks) {
            self.take_back(point);
            self.report_rolled_back(&mut planned, |task| because(task.unwrap_or_default()));
        } else {
            self.keep(point);
        }
        planned
    }

    /// Lets those fail that wait for the user: all of them, so that the user is asked once.
    fn refuse_unapproved(&self, planned: &mut [Planned]) {
        for planned in planned.iter_mut().filter(|planned| planned.outcome.is_ok()) {
            if let Some(needed) = planned.approval.as_ref().filter(|needed| !self.approvals.granted(needed)) {
                planned.outcome = Err(self.approvals.refusal(needed));
            }
        }
    }

    fn point(&mut self) -> Point {
        let Planner { planned_bytes, held_bytes, unheld_bytes, .. } = *self;
        Point { view: self.view.mark(), planned_bytes, held_bytes, unheld_bytes, notes: self.notes.len() }
    }

    fn keep(&mut self, point: Point) {
        self.view.keep(point.view);
    }

    fn take_back(&mut self, point: Point) {
        self.view.take_back(point.view);
        self.taken_back += 1;
        (self.planned_bytes, self.held_bytes) = (point.planned_bytes, point.held_bytes);
        self.unheld_bytes = point.unheld_bytes;
        self.notes.truncate(point.notes);
        self.turns.forget();
    }
}

/// An effect on which others depend: one that fails in part fails.
pub(super) fn undivided(effect: Effect) -> Result<Effect, Failure> {
    let Effect::Several(files) = &effect else { return Ok(effect) };
    let mut failed = files.iter().filter_map(|file| file.as_ref().err());
    let Some((_, first)) = failed.next() else { return Ok(effect) };
    let count = 1 + failed.count();
    let message = format!("{count} of {} files failed, first: {}", files.len(), first.message);
    Err(Failure {
        hint: first.hint.clone(),
        person_hint: first.person_hint.clone(),
        place: first.place.clone(),
        ..Failure::with_message(first.kind, message)
    })
}

/// Returns true if a step failed, and was not only left out.
pub(crate) fn breaks(planned: &Planned) -> bool {
    let left_out = |kind| matches!(kind, ErrorKind::Skipped | ErrorKind::AnswerAlreadyApplied);
    planned.outcome.as_ref().is_err_and(|failure| !left_out(failure.kind))
}

fn not_planned(step: Step, failure: Failure) -> Planned {
    Planned { step, outcome: Err(failure), approval: None }
}

fn skipped(task: &str) -> Failure {
    Failure::with_message(ErrorKind::Skipped, format!("Not done: {} (SKIPPED)", because(task)))
}

fn because(task: &str) -> String {
    format!("task {task} of its block cannot be done")
}

/// Returns true if a failure leaves nothing to say of the steps after it: planning ended, or the files are
/// other ones.
fn ends_planning(kind: ErrorKind) -> bool {
    use ErrorKind::{Cancelled, Conflict, LimitExceeded, Timeout};
    matches!(kind, Cancelled | Conflict | LimitExceeded | Timeout)
}
