//! A saved plan that is carried out whole: planned anew, as its answer would be if it was sent again, but for
//! what another process changed since the plan was made. That is a conflict.
//!
//! Changes nothing. What differs for another reason (an approval that was not given, a command of the plan
//! that ran, an action that failed) is planned over the files as they are then.

use std::collections::{HashMap, HashSet};

use clada_journal::Applied;
use clada_protocol::ErrorKind;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::programs::runs;
use crate::plan::promise::exact;
use crate::plan::revalidate::{Refuse, Revalidation, conflict, no_longer};
use crate::plan::saved_plan::{SavedPlan, plan_noting};
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
    refuse: Option<Refuse<'k>>,
}

impl<'k> Anew<'k> {
    /// Returns `kept` for planning in one go over `view` under `approvals`, without the steps in `applied`.
    ///
    /// Whether other processes changed anything is found out by planning as the plan was made. That needs a
    /// pass of its own only if the operation is planned otherwise, since an approval is missing.
    pub(crate) fn in_one_go(
        kept: &'k SavedPlan,
        (view, rules, approvals): (View<'_>, &Rules, &Approvals),
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Anew<'k> {
        match kept.is_approved(approvals) {
            true => Anew { kept, stale: None, refuse: None },
            false => Anew::in_parts(kept, (view, rules), applied, stop),
        }
    }

    /// Returns `kept` for planning over `view` part by part, each over what those before it have left.
    pub(crate) fn in_parts(
        kept: &'k SavedPlan,
        (view, rules): (View<'_>, &Rules),
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Anew<'k> {
        let stale = kept.stale(view, rules, applied, stop);
        Anew { kept, stale: Some(stale), refuse: None }
    }

    /// The same without what `refuse` has a reason against.
    pub(crate) fn without(self, refuse: Option<Refuse<'k>>) -> Anew<'k> {
        Anew { refuse, ..self }
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
            return planner.plan(step, |effect| self.refused(effect));
        }
        let promised = self.kept.effect(seq);
        let held = |effect: Effect| match promised {
            // It shows what is there now.
            _ if matches!(effect, Effect::ReadOnly(_)) => Ok(effect),
            Some(promised) if self.stale.is_none() && exact(&effect) == promised => Ok(effect),
            Some(_) => Err(changed(&effect)),
            None => Err(self.unplanned(seq, &effect)),
        };
        let mut next = planner.plan(step, |effect| held(effect).and_then(|effect| self.refused(effect)));
        if promised.is_some() {
            let view = planner.view();
            next.outcome = next.outcome.map_err(|failure| no_longer(failure, view, &HashSet::new()));
        }
        next
    }

    fn refused(&self, effect: Effect) -> Result<Effect, Failure> {
        self.refuse.and_then(|refuse| refuse(&effect)).map_or(Ok(effect), Err)
    }

    /// Returns the failure of a step that had no effect when the plan was made, and now has one.
    fn unplanned(&self, seq: usize, effect: &Effect) -> Failure {
        match self.kept.failure(seq) {
            Some(failure) if failure.kind != ErrorKind::AnswerAlreadyApplied => failure.clone(),
            _ => changed(effect),
        }
    }
}

impl SavedPlan {
    /// Returns the steps that, over the files of `view`, are no longer what was planned, but for those that
    /// are `applied` by now.
    pub(crate) fn stale(
        &self,
        view: View<'_>,
        rules: &Rules,
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> HashSet<usize> {
        let assumed = Approvals::Assumed;
        let mut planner = Planner::new(view, rules, &assumed);
        planner.leave_out(applied);
        planner.match_down_to(self.matching);
        let (_, effects) = plan_noting(&mut planner, self.answer(), self.steps().to_vec(), stop);
        let is_stale = |step: &&Step| match runs(step) {
            false if applied.contains_key(&step.seq) => false,
            false if self.applied.contains(&step.seq) => true,
            _ => effects.get(&step.seq).copied() != self.effect(step.seq),
        };
        self.steps().iter().filter(is_stale).map(|step| step.seq).collect()
    }
}

/// Returns the failure of a step whose files another process changed.
fn changed(effect: &Effect) -> Failure {
    if let Effect::Command(command) = effect {
        return conflict(&command.spec.folder.to_string_lossy(), false);
    }
    conflict(effect.paths().next().map_or(".", |path| path.written()), false)
}
