//! The check of a saved plan, before anything of it is done: what each step comes to over the files as they
//! are, and which steps are no longer what was shown.
//!
//! Changes nothing. If everything that planning read is still the same, the steps come to what was kept; else
//! the answer is planned again, and a step that comes to something else is stale.

use std::collections::{HashMap, HashSet};

use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{ErrorKind, OperationWarning};

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::programs::runs;
use crate::plan::promise::{Promise, exact};
use crate::plan::revalidate::{conflict, no_longer};
use crate::plan::saved_plan::{PlanInputs, SavedPlan};
use crate::planned::Planned;
use crate::read::answer::{Answer, Step};
use crate::reads::{ReadSource, entry, line_ends, names, paths};
use crate::results::place::placed;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

/// The file of which a step keeps little, and what to ask about it.
pub(super) type Shrinks = Option<(RootedPath, String)>;

const MAX_EFFECTS: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct PlanCheck {
    /// What each step comes to if all of it is approved.
    pub(crate) planned: Vec<Planned>,
    pub(super) shrinks: HashMap<usize, Shrinks>,
    pub(crate) notes: Vec<OperationWarning>,
    /// The steps that are no longer what was shown, and why.
    pub(crate) stale: HashMap<usize, Failure>,
    stale_paths: Vec<RootedPath>,
    /// If a step is stale: the paths that are not as they were read.
    pub(crate) changed: HashSet<RootedPath>,
}

impl PlanCheck {
    /// Refuses an effect at a path of a stale step: without that one, it finds another file there than was
    /// shown.
    pub(super) fn refuse_stale(&self, effect: Effect) -> Result<Effect, Failure> {
        let is_stale = |path: &&RootedPath| self.stale_paths.iter().any(|stale| path.starts_with(stale));
        let stale = effect.paths().find(is_stale).map(|path| conflict(path.written(), false));
        stale.map_or(Ok(effect), Err)
    }
}

/// The effects of a plan all of which can be done, and what is noted about them.
#[derive(Debug)]
pub(super) struct KeptEffects {
    effects: Vec<Effect>,
    shrinks: HashMap<usize, Shrinks>,
    notes: Vec<OperationWarning>,
}

impl KeptEffects {
    /// Keeps what was `planned`; `None` if there is more than is kept, a program, or a failure: what that
    /// depends on is not known.
    pub(super) fn new(
        planned: &[Planned],
        shrinks: HashMap<usize, Shrinks>,
        notes: &[OperationWarning],
    ) -> Option<KeptEffects> {
        let effects: Option<Vec<&Effect>> =
            planned.iter().map(|planned| planned.outcome.as_ref().ok()).collect();
        let effects = effects?;
        let texts = effects.iter().map(|effect| effect.bytes_that_come() + effect.bytes_that_go());
        let is_small = texts.sum::<usize>() <= MAX_EFFECTS;
        let has_program = effects.iter().any(|effect| matches!(effect, Effect::Command(_)));
        let effects = || effects.iter().map(|effect| (*effect).clone()).collect();
        (is_small && !has_program).then(|| KeptEffects { effects: effects(), shrinks, notes: notes.to_vec() })
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
    ) -> PlanCheck {
        let cached = self.effects.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some(cached) = cached.filter(|_| self.is_current(&view, rules, applied)) {
            let both = self.steps().iter().zip(&cached.effects);
            let planned = both.map(|(step, effect)| {
                let (step, outcome) = (step.clone(), Ok(effect.clone()));
                Planned { step, outcome, approval: None }
            });
            let (shrinks, notes) = (cached.shrinks.clone(), cached.notes.clone());
            let (stale, stale_paths, changed) = (HashMap::new(), Vec::new(), HashSet::new());
            return PlanCheck { planned: planned.collect(), shrinks, notes, stale, stale_paths, changed };
        }
        self.check_again(view, rules, applied, stop)
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

    /// Returns true if making it again, as it was made for a look, would come to the same, so that nothing has to be
    /// planned. Never of a plan with programs, failures or proposals: what those depend on is not known.
    #[must_use]
    pub fn is_unchanged(&self, inputs: PlanInputs<'_>) -> bool {
        let PlanInputs { roots, rules, applied } = inputs;
        let is_known =
            |(step, promise): (&Step, &Promise)| matches!(promise, Promise::Change { .. }) && !runs(step);
        self.is_whole()
            && self.steps().iter().zip(&self.promised).all(is_known)
            && self.is_current(&self.view(roots), rules, applied)
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
        let steps = self.steps().to_vec();
        let (planned, shrinks) = plan_each(&mut planner, self.answer(), steps, &mut compare, stop);
        let notes = planner.take_notes();
        let changed = match stale.is_empty() {
            true => HashSet::new(),
            false => self.reads.changed(|source| planner.identity(source)),
        };
        PlanCheck { planned, shrinks, notes, stale, stale_paths, changed }
    }

    fn difference(&self, planned: &Planned, view: &View<'_>) -> Option<Failure> {
        let seq = planned.step.seq;
        match (&planned.outcome, self.effect(seq)) {
            // It shows what is there now.
            (Ok(Effect::ReadOnly(_)), _) | (Err(_), None) => None,
            (Ok(effect), Some(shown)) if exact(effect) == shown => None,
            (Ok(effect), Some(_)) => Some(changed(effect)),
            (Ok(effect), None) => Some(match self.failure(seq) {
                Some(failure) if failure.kind != ErrorKind::AnswerAlreadyApplied => failure.clone(),
                _ => changed(effect),
            }),
            (Err(failure), Some(_)) => Some(no_longer(failure.clone(), view, &HashSet::new())),
        }
    }

    /// Forgets its effects: they were applied, or another plan needs the room. It is planned again then.
    pub fn forget_effects(&self) {
        self.effects.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    }
}

/// Plans `steps`, and hands each to `each` before blocks that cannot be done as a whole are rolled back.
/// Returns by step the file of which it keeps little, too.
pub(super) fn plan_each(
    planner: &mut Planner<'_>,
    answer: &Answer,
    steps: Vec<Step>,
    each: &mut dyn FnMut(&Planner<'_>, &Planned),
    stop: &dyn Fn() -> Option<Stop>,
) -> (Vec<Planned>, HashMap<usize, Shrinks>) {
    let mut shrinks = HashMap::new();
    let mut one = |planner: &mut Planner<'_>, _: usize, step: Step| {
        let planned = planner.plan(step, Ok);
        shrinks.insert(planned.step.seq, planner.shrinks.clone());
        each(planner, &planned);
        planned
    };
    let planned = planner.plan_with(answer, steps, &mut one, stop);
    (planned, shrinks)
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

/// A hash of what decides, besides the files, what an answer does.
pub(super) fn terms(roots: &Roots, rules: &Rules) -> blake3::Hash {
    blake3::hash(format!("{}{}", roots.terms(), rules.terms()).as_bytes())
}

fn changed(effect: &Effect) -> Failure {
    if let Effect::Command(command) = effect {
        return conflict(&command.spec.folder.to_string_lossy(), false);
    }
    conflict(effect.paths().next().map_or(".", |path| path.written()), false)
}
