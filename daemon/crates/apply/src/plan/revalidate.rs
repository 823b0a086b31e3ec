//! Plans a saved plan again as it was decided: all of its answer, or what was accepted of what was shown.
//!
//! Changes nothing. The check comes first: if everything that planning read is still the same, the steps come to what
//! was kept; else the answer is planned again, and a step that comes to something else is stale, a conflict. Of what was
//! shown, a step has to be what was promised; if something before it was left out, it need only be the same change,
//! wherever it stands.
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
use std::sync::{Arc, PoisonError};

use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{ErrorKind, OperationWarning};

use super::planner::Planner;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::approve::Approvals;
use crate::plan::decision::Decision;
use crate::plan::exactly::Exactly;
use crate::plan::part::AcceptedPart;
use crate::plan::plain::decide::is_applied_by;
use crate::plan::plan_check::{PlanCheck, Refuse, no_longer, refused, terms};
use crate::plan::programs::runs;
use crate::plan::promise::{Promise, conflict, cut, exact, lines};
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::read::answer::{Answer, ChangeHashes, Group, Step};
use crate::reads::{ReadSource, entry, line_ends, names, paths};
use crate::results::place::placed;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

/// A saved plan that is planned again as it was decided, in one go or, behind a command, part by part: the command may
/// have changed what comes after it.
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
                None if step.is_proposal => planner.plan(step, |effect| refused(*refuse, effect)),
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
    // Plans what is accepted of `step` again, and holds it against what was promised.
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
        let promised = match promise {
            Promise::Failure(failure) => return failed(step, (**failure).clone()),
            Promise::Change(change) => change,
        };
        if matches!(part, AcceptedPart::Nothing) {
            // What it would have done is not seen by later actions, but which paths it is about is known.
            let loosened = &mut self.loosened;
            let probe = planner.plan(step, |effect| Err(left_out(&effect, &promised.exact, loosened)));
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

    // Notes that the steps before `seq` that were not planned are left out: their block goes no further.
    fn pass(&mut self, check: &PlanCheck, seq: usize) {
        let at = |seq: usize| check.planned.partition_point(|planned| planned.step.seq < seq);
        let skipped = check.planned.get(at(self.passed + 1)..at(seq)).unwrap_or_default();
        let effects = skipped.iter().filter_map(|planned| planned.outcome.as_ref().ok());
        self.loosened.extend(effects.flat_map(Effect::paths).cloned());
        self.passed = seq;
    }

    // Refuses an effect that was `shown` on top of a block that is left out, and would be another one now.
    fn refuse_dependent(&mut self, effect: Effect, shown: Option<blake3::Hash>) -> Result<Effect, Failure> {
        let loose = effect.paths().find(|path| self.loosened.contains(path));
        if let Some(path) = loose.filter(|_| shown != Some(exact(&effect))) {
            return Err(conflict(path.written(), true));
        }
        self.about.extend(effect.paths().cloned());
        Ok(effect)
    }

    // Notes whether the block before was discarded: then it is left out, too.
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

// Notes the paths of an effect that is left out; the failure stands for it. Not if another process changed
// them meanwhile: then what comes later is a conflict.
fn left_out(effect: &Effect, promised: &blake3::Hash, loosened: &mut HashSet<RootedPath>) -> Failure {
    if exact(effect) == *promised || effect.paths().any(|path| loosened.contains(path)) {
        loosened.extend(effect.paths().cloned());
    }
    Failure::with_message(ErrorKind::Skipped, String::new())
}

// The effect, if it is what was promised: exactly, or, where something before it was left out, the same
// change.
fn check_promise(
    effect: Effect,
    promised: &ChangeHashes,
    part: &AcceptedPart,
    after_program: bool,
    loosened: &mut HashSet<RootedPath>,
) -> Result<Effect, Failure> {
    let loose = effect.paths().any(|path| loosened.contains(path));
    let holds = exact(&effect) == promised.exact
        || ((loose || after_program) && promised.lines.is_some_and(|promised| lines(&effect) == promised));
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

impl SavedPlan {
    /// Checks it over the files of `view`, without what of it is `applied` by now.
    pub(crate) fn check(
        &self,
        view: View<'_>,
        rules: &Rules,
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> Arc<PlanCheck> {
        let first = self.first_check.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let current = first.filter(|_| self.is_current(&view, rules, applied));
        current.unwrap_or_else(|| self.check_again(view, rules, applied, stop).into())
    }

    /// Returns true if planning it again over the files of `view` would read what was read to make it, and do
    /// the same with it.
    pub(crate) fn is_current(
        &self,
        view: &View<'_>,
        rules: &Rules,
        applied: &HashMap<usize, Applied>,
    ) -> bool {
        let is_alike = self.applied.len() == applied.len()
            && applied.keys().all(|seq| self.applied.contains(seq))
            && view.has_buffers(&self.buffers)
            && self.terms == terms(view.roots(), rules);
        let assumed = Approvals::assumed();
        let mut planner = Planner::new(view.anew(), rules, &assumed);
        is_alike && self.reads.are_current(|source| planner.identity(source))
    }

    pub(crate) fn is_shown_whole(
        &self,
        roots: &Roots,
        rules: &Rules,
        applied: &HashMap<usize, Applied>,
    ) -> bool {
        let is_alike =
            self.applied.len() == applied.len() && applied.keys().all(|seq| self.applied.contains(seq));
        // No check plans what proposals make.
        let mut offered = self.answer.proposals.iter();
        let makes_proposal = offered.any(|offered| is_applied_by(offered, &rules.plain));
        is_alike && (!makes_proposal || self.is_current(&self.view(roots), rules, applied))
    }

    fn check_again(
        &self,
        view: View<'_>,
        rules: &Rules,
        applied: &HashMap<usize, Applied>,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> PlanCheck {
        let assumed = Approvals::assumed();
        let mut planner = Planner::new(view, rules, &assumed);
        planner.leave_out(applied);
        planner.match_down_to(self.matching);
        self.lay_needed(&mut planner);
        let (mut stale, mut stale_paths) = (HashMap::new(), Vec::new());
        let mut compare = |planner: &Planner<'_>, planned: &Planned| {
            let seq = planned.step.seq;
            // A step that is applied by now differs on purpose. Programs are never left out, so they are
            // compared.
            let is_left_out = applied.contains_key(&seq) && !runs(&planned.step);
            if let Some(failure) = self.difference(planned, planner.view()).filter(|_| !is_left_out) {
                let roots = planner.view().roots();
                match &planned.outcome {
                    Ok(effect) => stale_paths.extend(effect.paths().cloned()),
                    Err(_) => {
                        stale_paths.extend(failure.path.as_ref().and_then(|path| roots.resolve(path).ok()))
                    }
                }
                stale.insert(seq, placed(failure, roots));
            }
        };
        let steps = self.steps().cloned().collect();
        let (planned, shrinks) = planner.plan_each(self.answer(), steps, &mut compare, stop);
        let notes = planner.take_notes();
        let changed = match stale.is_empty() {
            true => HashSet::new(),
            false => self.reads.changed(|source| planner.identity(source)),
        };
        PlanCheck { planned, shrinks, notes, stale, stale_paths, changed }
    }

    fn difference(&self, planned: &Planned, view: &View<'_>) -> Option<Failure> {
        let saved = self.saved_step(planned.step.seq);
        match (&planned.outcome, saved.and_then(|saved| saved.effect)) {
            // It shows what is there now.
            (Ok(Effect::ReadOnly(_)), _) | (Err(_), None) => None,
            (Ok(effect), Some(shown)) if exact(effect) == shown => None,
            (Ok(effect), Some(_)) => Some(changed(effect)),
            (Ok(effect), None) => Some(match saved.map(|saved| &saved.promise) {
                Some(Promise::Failure(failure)) if failure.kind != ErrorKind::AnswerAlreadyApplied => {
                    (**failure).clone()
                }
                _ => changed(effect),
            }),
            (Err(failure), Some(_)) => Some(no_longer(failure.clone(), view, &HashSet::new())),
        }
    }

    /// Forgets its effects: they were applied, or another plan needs the room. It is planned again then.
    pub fn forget_effects(&self) {
        self.first_check.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Planner<'_> {
    fn identity(&mut self, source: &ReadSource) -> blake3::Hash {
        let roots = self.view.roots();
        match source {
            ReadSource::Entry(path) => entry(roots, path, &roots.lstat(path)),
            ReadSource::Content(path) => {
                let content = roots.read(path, self.rules.max_file_size as u64);
                content.map_or(blake3::Hash::from_bytes([0; 32]), |content| blake3::hash(&content.bytes))
            }
            ReadSource::Names(path, limit) => names(&roots.list(path, *limit)),
            ReadSource::LineEnds(path) => line_ends(self.attribute(path)),
            ReadSource::NotCheckedOut => paths(self.not_checked_out()),
        }
    }
}

fn changed(effect: &Effect) -> Failure {
    if let Effect::Command(command) = effect {
        return conflict(&command.spec.folder.to_string_lossy(), false);
    }
    conflict(effect.first_path(), false)
}
