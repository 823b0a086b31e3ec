//! The check of a saved plan, before anything of it is done: what each step comes to over the files as they
//! are, and which steps are no longer what was shown.
//!
//! Changes nothing. If everything that planning read is still the same, the steps come to what was kept; else
//! the answer is planned again, and a step that comes to something else is stale.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{ErrorKind, OperationWarning};

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::guarding::Shrinks;
use crate::plan::plain::decide::is_applied_by;
use crate::plan::programs::runs;
use crate::plan::promise::{Promise, exact};
use crate::plan::revalidate::{conflict, no_longer};
use crate::plan::saved_plan::SavedPlan;
use crate::planned::Planned;
use crate::reads::{ReadSource, entry, line_ends, names, paths};
use crate::results::place::placed;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;

const MAX_EFFECTS: usize = 16 << 20;

#[derive(Debug, Clone, Default)]
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
    /// A check that found everything as it was `planned`.
    pub(super) fn current(
        planned: Vec<Planned>,
        shrinks: HashMap<usize, Shrinks>,
        notes: Vec<OperationWarning>,
    ) -> PlanCheck {
        PlanCheck { planned, shrinks, notes, ..PlanCheck::default() }
    }

    /// Returns whether what was `planned` is kept: not if it is more than is, a program, or a failure, since what
    /// that depends on is not known.
    pub(super) fn is_kept(planned: &[Planned]) -> bool {
        let bytes = |planned: &Planned| {
            let effect = planned.outcome.as_ref().ok()?;
            let change = planned.approval.as_ref().and_then(|approval| approval.change.as_ref());
            let texts = effect.bytes_that_come() + effect.bytes_that_go() + change.map_or(0, String::len);
            (!matches!(effect, Effect::Command(_))).then_some(texts)
        };
        planned.iter().map(bytes).sum::<Option<usize>>().is_some_and(|texts| texts <= MAX_EFFECTS)
    }

    /// Refuses an effect at a path of a stale step: without that one, it finds another file there than was
    /// shown.
    pub(super) fn refuse_stale(&self, effect: Effect) -> Result<Effect, Failure> {
        let is_stale = |path: &&RootedPath| self.stale_paths.iter().any(|stale| path.starts_with(stale));
        let stale = effect.paths().find(is_stale).map(|path| conflict(path.written(), false));
        stale.map_or(Ok(effect), Err)
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

/// A hash of what decides, besides the files, what an answer does.
pub(super) fn terms(roots: &Roots, rules: &Rules) -> blake3::Hash {
    blake3::hash(format!("{}{}", roots.terms(), rules.terms()).as_bytes())
}

fn changed(effect: &Effect) -> Failure {
    if let Effect::Command(command) = effect {
        return conflict(&command.spec.folder.to_string_lossy(), false);
    }
    conflict(effect.first_path(), false)
}
