//! Plans a saved plan again as it was decided: all of its answer, or what was accepted of what was shown.
//!
//! Changes nothing. A step that the check found stale is a conflict. Of what was shown, a step has to be what
//! was promised; if something before it was left out, it need only be the same change, wherever it stands.
//!
//! Actions and groups are two ways to accept, and each needs its own way to be applied:
//!
//! ```text
//! before      f "a … z"
//! plan        a1 creates n    a2 appends to n    a3 f: a -> b    a4 f: "b … z" -> "b … y"    g3 = a1 and a2
//! accept a1   less than any group has: a1 is planned again, and is what was shown (`Replanning`)
//! accept g2   a4 without a3: "b … z" is not in f, so its lines are cut from the shown texts (`Exactly`)
//! ```
//!
//! Cutting texts cannot divide a file that comes, goes or moves, and planning again cannot promise that every
//! choice of groups can be applied, which a review by file does.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, OperationWarning};

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::check::PlanCheck;
use crate::plan::decision::{AcceptedPart, Decision};
use crate::plan::exactly::Exactly;
use crate::plan::promise::{Promise, cut, exact, lines, wanted_of};
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::read::answer::{Answer, Group, Step};
use crate::stop::Stop;
use crate::view::View;

/// A saved plan that is planned again as it was decided, in one go or part by part.
#[derive(Clone)]
pub(crate) struct Replan<'k> {
    saved_plan: &'k SavedPlan,
    decision: &'k Decision<'k>,
    check: Arc<PlanCheck>,
    replanning: Replanning,
    refuse: Option<Refuse<'k>>,
    /// Of groups: what becomes of each step, once it is known.
    exactly: Option<Arc<Exactly>>,
}

pub(crate) type Refuse<'k> = &'k dyn Fn(&Effect) -> Option<Failure>;

impl<'k> Replan<'k> {
    /// Plans `saved_plan` again as `decision` says, by its `check`; not what `refuse` has a reason against.
    pub(crate) fn new(
        saved_plan: &'k SavedPlan,
        decision: &'k Decision<'k>,
        check: Arc<PlanCheck>,
        refuse: Option<Refuse<'k>>,
    ) -> Replan<'k> {
        Replan { saved_plan, decision, check, replanning: Replanning::default(), refuse, exactly: None }
    }

    /// Returns what the check has planned, if planning again under `approvals` would come to the same: all of
    /// the answer is wanted and approved, and none of it is stale.
    pub(crate) fn ready(&self, approvals: &Approvals) -> Option<(Vec<Planned>, Vec<OperationWarning>)> {
        let mut needed = self.check.planned.iter().filter_map(|planned| planned.approval.as_ref());
        let is_same = self.decision.is_answer()
            && self.refuse.is_none()
            && self.check.stale.is_empty()
            && needed.all(|approval| approvals.granted(approval));
        is_same.then(|| (self.check.planned.clone(), self.check.notes.clone()))
    }

    /// Returns the paths that have changed since it was planned, if that makes a step stale.
    pub(crate) fn changed_paths(&self) -> HashSet<RootedPath> {
        self.check.changed.clone()
    }

    pub(crate) fn plan(
        &mut self,
        planner: &mut Planner<'_>,
        answer: &Answer,
        steps: Vec<Step>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Vec<Planned> {
        let Replan { saved_plan, decision, check, replanning, refuse, exactly } = self;
        planner.match_down_to(saved_plan.matching);
        let stale = |step: &Step| check.stale.get(&step.seq).cloned();
        if decision.is_answer() {
            replanning.taken_back = planner.taken_back();
            let mut one = |planner: &mut Planner<'_>, _: usize, step: Step| {
                replanning.follow(planner, &step);
                replanning.pass(check, step.seq);
                if let Some(failure) = stale(&step) {
                    return Planned { step, outcome: Err(failure), approval: None };
                }
                let shown = saved_plan.saved_step(step.seq).and_then(|saved| saved.effect);
                planner.plan(step, |effect| {
                    let effect = refused(*refuse, check.refuse_stale(effect)?)?;
                    replanning.refuse_dependent(effect, shown)
                })
            };
            return planner.plan_with(answer, steps, &mut one, stop);
        }
        if decision.has_groups() {
            // Nothing is carried out yet when the first steps are planned.
            let exactly = exactly
                .get_or_insert_with(|| Arc::new(Exactly::new(saved_plan, check, decision, planner, *refuse)));
            let mut one =
                |planner: &mut Planner<'_>, _: usize, step: Step| exactly.plan(planner, step, *refuse);
            return planner.plan_with(answer, steps, &mut one, stop);
        }
        // Another planner has taken nothing back yet.
        replanning.taken_back = planner.taken_back();
        let promised: HashMap<usize, &Promise> =
            saved_plan.steps.iter().map(|saved| (saved.step.seq, &saved.promise)).collect();
        let mut one = |planner: &mut Planner<'_>, _: usize, step: Step| {
            let stale = stale(&step);
            match promised.get(&step.seq) {
                // It has its promise with it.
                None if step.proposal.is_some() => planner.plan(step, |effect| refused(*refuse, effect)),
                Some(promise) => replanning.replan(planner, step, (promise, stale), (decision, *refuse)),
                None => Planned { step, outcome: Err(conflict("", false)), approval: None },
            }
        };
        planner.plan_with(answer, steps, &mut one, stop)
    }

    /// A program has run: what comes later need only be the same change, wherever it stands.
    pub(crate) fn after_program(&mut self) {
        self.replanning.after_program = true;
    }
}

pub(super) fn refused(refuse: Option<Refuse<'_>>, effect: Effect) -> Result<Effect, Failure> {
    refuse.and_then(|refuse| refuse(&effect)).map_or(Ok(effect), Err)
}

#[derive(Clone, Default)]
struct Replanning {
    /// A program of the plan has run, which may have changed anything.
    after_program: bool,
    /// Paths of which something was left out: what comes later need only be the same change.
    loosened: HashSet<RootedPath>,
    /// The plan of the block at hand, in case it is discarded as a whole.
    block: Option<Group>,
    about: Vec<RootedPath>,
    taken_back: usize,
    /// The last step that was planned.
    passed: usize,
}

impl Replanning {
    /// Plans what is accepted of `step` again, and holds it against what was promised.
    fn replan(
        &mut self,
        planner: &mut Planner<'_>,
        step: Step,
        (promise, stale): (&Promise, Option<Failure>),
        (decision, refuse): (&Decision<'_>, Option<Refuse<'_>>),
    ) -> Planned {
        let part = decision.part(&step);
        self.follow(planner, &step);
        let failed = |step, failure| Planned { step, outcome: Err(failure), approval: None };
        let (exact, lines) = match promise {
            Promise::Failure(failure) => return failed(step, (**failure).clone()),
            Promise::Change { exact, lines } => (exact, lines),
        };
        if matches!(part, AcceptedPart::Nothing) {
            // What it would have done is not seen by later actions, but which paths it is about is known.
            let loosened = &mut self.loosened;
            let probe = planner.plan(step, |effect| Err(left_out(&effect, exact, loosened)));
            let failure = probe
                .outcome
                .err()
                .unwrap_or_else(|| Failure::with_message(ErrorKind::Skipped, String::new()));
            let failure =
                Failure { kind: ErrorKind::Skipped, approval: None, ..decision.not_accepted(failure) };
            return failed(probe.step, failure);
        }
        if let Some(failure) = stale {
            return failed(step, failure);
        }
        // A line's number means another line when something above it is left out.
        let promised = (exact, (!step.is_by_number()).then_some(lines));
        let mut about = Vec::new();
        let mut next = planner.plan(step, |effect| {
            let checked = check_promise(effect, promised, &part, self.after_program, &mut self.loosened)?;
            about.extend(checked.paths().cloned());
            refused(refuse, checked)
        });
        if next.outcome.is_err() {
            // It was what was planned, and waits for approval or is refused: it is left out like one not
            // accepted.
            self.loosened.extend(about);
        } else {
            self.about.extend(about);
        }
        next.outcome = next.outcome.map_err(|failure| no_longer(failure, planner.view(), &self.loosened));
        next
    }

    /// Notes that the steps before `seq` that were not planned are left out: their block goes no further.
    fn pass(&mut self, check: &PlanCheck, seq: usize) {
        let at = |seq: usize| check.planned.partition_point(|planned| planned.step.seq < seq);
        let skipped = check.planned.get(at(self.passed + 1)..at(seq)).unwrap_or_default();
        let effects = skipped.iter().filter_map(|planned| planned.outcome.as_ref().ok());
        self.loosened.extend(effects.flat_map(Effect::paths).cloned());
        self.passed = seq;
    }

    /// Refuses an effect that was `shown` on top of a block that is left out, and would be another one now.
    fn refuse_dependent(&mut self, effect: Effect, shown: Option<blake3::Hash>) -> Result<Effect, Failure> {
        let loose = effect.paths().find(|path| self.loosened.contains(path));
        if let Some(path) = loose.filter(|_| shown != Some(exact(&effect))) {
            return Err(conflict(path.written(), true));
        }
        self.about.extend(effect.paths().cloned());
        Ok(effect)
    }

    /// Notes whether the block before was discarded: then it is left out, too.
    fn follow(&mut self, planner: &Planner<'_>, step: &Step) {
        if self.taken_back != planner.taken_back() {
            self.taken_back = planner.taken_back();
            self.loosened.extend(self.about.drain(..));
        }
        if self.block != Some(step.group) {
            self.block = Some(step.group);
            self.about.clear();
        }
    }
}

/// Notes the paths of an effect that is left out; the failure stands for it. Not if another process changed
/// them meanwhile: then what comes later is a conflict.
fn left_out(effect: &Effect, promised: &blake3::Hash, loosened: &mut HashSet<RootedPath>) -> Failure {
    if exact(effect) == *promised || effect.paths().any(|path| loosened.contains(path)) {
        loosened.extend(effect.paths().cloned());
    }
    Failure::with_message(ErrorKind::Skipped, String::new())
}

/// The effect, if it is what was promised: exactly, or, where something before it was left out, the same
/// change.
fn check_promise(
    effect: Effect,
    (promised_exact, promised_lines): (&blake3::Hash, Option<&blake3::Hash>),
    part: &AcceptedPart,
    after_program: bool,
    loosened: &mut HashSet<RootedPath>,
) -> Result<Effect, Failure> {
    let loose = effect.paths().any(|path| loosened.contains(path));
    let holds = exact(&effect) == *promised_exact
        || ((loose || after_program) && promised_lines.is_some_and(|promised| lines(&effect) == *promised));
    if !holds {
        return Err(conflict(effect.first_path(), loose));
    }
    match (part, &effect) {
        (AcceptedPart::All, _) => Ok(effect),
        (AcceptedPart::Hunks(hunks), Effect::Write(write)) => {
            loosened.insert(write.path.clone());
            Ok(cut(effect, hunks))
        }
        _ => Err(Failure::at(ErrorKind::Conflict, "Change has no hunks", effect.first_path(), "CONFLICT")),
    }
}

pub(super) fn without_declined(step: &Step, effect: Effect) -> Result<Effect, Failure> {
    let Some(accepted) = &step.accepted_hunks else { return Ok(effect) };
    if effect.is_unchanged() {
        return Ok(effect);
    }
    let Some(hunks) = wanted_of(&effect, accepted) else {
        let issue = "This is no longer the change of which you accepted a part";
        return Err(Failure::at(ErrorKind::Conflict, issue, effect.first_path(), "CONFLICT")
            .hint("show the answer again, and choose from it as it is now"));
    };
    Ok(cut(effect, &hunks))
}

/// The effect of a step that makes a proposal, if it is the one that the user was shown; of it, the hunks that are
/// accepted.
pub(super) fn as_shown(step: &Step, effect: Effect) -> Result<Effect, Failure> {
    let Some(proposal) = &step.proposal else { return Ok(effect) };
    if proposal.shown.is_some_and(|shown| shown != exact(&effect)) {
        return Err(conflict(effect.first_path(), false));
    }
    Ok(match &proposal.hunks {
        Some(hunks) => cut(effect, hunks),
        None => effect,
    })
}

/// Why what could be planned once cannot be any more: its file is another one now.
pub(super) fn no_longer(failure: Failure, view: &View<'_>, loosened: &HashSet<RootedPath>) -> Failure {
    use ErrorKind::{
        AlreadyInFile, Ambiguous, DirectoryNotEmpty, FileExists, FileNotFound, InvalidValue, IsDirectory,
        MatchCount, NoMatch, NotDirectory, NotRegularFile, NotText,
    };
    let of_the_file = matches!(
        failure.kind,
        NoMatch
            | MatchCount
            | Ambiguous
            | AlreadyInFile
            | InvalidValue
            | NotText
            | FileNotFound
            | FileExists
            | IsDirectory
            | NotDirectory
            | NotRegularFile
            | DirectoryNotEmpty
    );
    match &failure.path {
        Some(path) if of_the_file => {
            conflict(path, view.roots().resolve(path).is_ok_and(|path| loosened.contains(&path)))
        }
        _ => failure,
    }
}

pub(crate) fn conflict(path: &str, loose: bool) -> Failure {
    let (issue, hint) = match loose {
        true => ("Change depends on one that was not accepted", "accept that one, too"),
        false => ("File changed since the plan", "write the edit again for the current file"),
    };
    Failure::at(ErrorKind::Conflict, issue, path, "CONFLICT")
        .hint(hint)
        .person("apply the answer again, which skips what is done")
}
