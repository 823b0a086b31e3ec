//! A saved plan that is carried out whole: planned anew, as its answer would be if it was sent again, but for
//! what another process changed since the plan was made. That is a conflict.
//!
//! Changes nothing. What differs for another reason (an approval that was not given, a command of the plan
//! that ran, an action that failed) is planned over the files as they are then.

use std::collections::{HashMap, HashSet};

use clada_fs::Roots;
use clada_journal::Applied;
use clada_protocol::ErrorKind;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::programs::runs;
use crate::plan::revalidate::{Revalidation, conflict, no_longer};
use crate::plan::saved_plan::{SavedPlan, exact, plan_noting};
use crate::planned::Planned;
use crate::read::answer::{Answer, Step};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

/// A saved plan that is carried out: parts of it as they were shown, or all of it.
#[derive(Clone)]
pub(crate) enum Replan<'k> {
    /// The accepted parts.
    Parts(Revalidation<'k>),
    /// All of it.
    Whole(Anew<'k>),
}

impl Replan<'_> {
    /// Plans these of its steps, which come after those before.
    pub(crate) fn plan(
        &mut self,
        planner: &mut Planner<'_>,
        answer: &Answer,
        steps: Vec<Step>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        match self {
            Replan::Parts(again) => again.plan(planner, answer, steps, stop),
            Replan::Whole(anew) => anew.plan(planner, answer, steps, stop),
        }
    }

    /// Notes that a program has run.
    pub(crate) fn after_program(&mut self) {
        match self {
            Replan::Parts(again) => again.after_program(),
            // What it changed is planned over.
            Replan::Whole(_) => {}
        }
    }
}

/// A saved plan of which everything is wanted.
#[derive(Clone)]
pub(crate) struct Anew<'k> {
    kept: &'k SavedPlan,
    /// The steps that are no longer what was planned; `None`: each is compared when it is planned.
    stale: Option<HashSet<usize>>,
}

impl<'k> Anew<'k> {
    /// Returns `kept` for planning in one go under `approvals`, without the steps in `applied`.
    ///
    /// Whether other processes changed anything is found out by planning as the plan was made. That needs a
    /// pass of its own only if the operation is planned otherwise, since an approval is missing.
    pub(crate) fn in_one_go(
        kept: &'k SavedPlan,
        (roots, rules, approvals): (&Roots, &Rules, &Approvals),
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Anew<'k> {
        match kept.is_approved(approvals) {
            true => Anew { kept, stale: None },
            false => Anew::in_parts(kept, (roots, rules), applied, stop),
        }
    }

    /// Returns `kept` for planning part by part, each over what those before it have left.
    pub(crate) fn in_parts(
        kept: &'k SavedPlan,
        (roots, rules): (&Roots, &Rules),
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Anew<'k> {
        let assumed = Approvals::Assumed;
        let mut planner = Planner::new(View::new(roots), rules, &assumed);
        planner.leave_out(applied);
        planner.match_down_to(kept.matching);
        let (_, effects) = plan_noting(&mut planner, kept.answer(), kept.steps().to_vec(), stop);
        let is_stale = |step: &&Step| match runs(step) {
            false if applied.contains_key(&step.seq) => false,
            false if kept.applied.contains(&step.seq) => true,
            _ => effects.get(&step.seq).copied() != kept.effect(step.seq),
        };
        let stale = kept.steps().iter().filter(is_stale).map(|step| step.seq).collect();
        Anew { kept, stale: Some(stale) }
    }

    fn plan(
        &self,
        planner: &mut Planner<'_>,
        answer: &Answer,
        steps: Vec<Step>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        planner.match_down_to(self.kept.matching);
        planner.plan_with(answer, steps, &mut |planner, _, step| self.one(planner, step), stop)
    }

    fn one(&self, planner: &mut Planner<'_>, step: Step) -> Planned {
        let seq = step.seq;
        if self.stale.as_ref().is_some_and(|stale| !stale.contains(&seq)) {
            return planner.plan(step, Ok);
        }
        let promised = self.kept.effect(seq);
        let mut next = planner.plan(step, |effect| match promised {
            // It shows what is there now.
            _ if matches!(effect, Effect::ReadOnly(_)) => Ok(effect),
            Some(promised) if self.stale.is_none() && exact(&effect) == promised => Ok(effect),
            Some(_) => Err(changed(&effect)),
            None => Err(self.unplanned(seq, &effect)),
        });
        if promised.is_some() {
            let view = planner.view();
            next.outcome = next.outcome.map_err(|failure| no_longer(failure, view, &HashSet::new()));
        }
        next
    }

    /// Returns the failure of a step that had no effect when the plan was made, and now has one.
    fn unplanned(&self, seq: usize, effect: &Effect) -> Failure {
        match self.kept.failure(seq) {
            Some(failure) if failure.kind != ErrorKind::AnswerAlreadyApplied => failure.clone(),
            _ => changed(effect),
        }
    }
}

/// Returns the failure of a step whose files another process changed.
fn changed(effect: &Effect) -> Failure {
    if let Effect::Command(command) = effect {
        return conflict(&command.spec.folder.to_string_lossy(), false);
    }
    conflict(effect.paths().next().map_or(".", |path| path.written()), false)
}
