//! Groups of a saved plan, carried out as they were shown: what each action was going to write, without the
//! lines of what is left out. Nothing is looked for again in a text that the plan does not know.
//!
//! Changes nothing. Each action has to be exactly what was promised, by the check of the plan; the texts that
//! come of it are what the groups are cut from. A group of which one action cannot be done (it
//! changed meanwhile, it waits for approval) is not done, and neither is whatever shares an action with it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use clada_fs::RootedPath;
use clada_protocol::{Approval, ErrorKind, OperationWarning};

use super::documents::{Documents, PlannedDocument, TextRegion, advanced, places};
use super::planner::{Planner, Shrinks};
use super::review::{Divided, changes};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::decision::Decision;
use crate::plan::part::AcceptedPart;
use crate::plan::plan_check::{PlanCheck, Refuse, refused};
use crate::plan::programs::runs;
use crate::plan::promise::{Promise, conflict, exact};
use crate::plan::saved_plan::{SavedPlan, SavedStep};
use crate::planned::Planned;
use crate::read::answer::Step;
use crate::view::Node;
use crate::write::{Before, Write, encoded};

/// The outcomes of the steps of a saved plan of which groups are accepted.
#[derive(Debug)]
pub(super) struct Exactly {
    steps: HashMap<usize, StepOutcome>,
    left_out: Failure,
}

#[derive(Debug)]
enum StepOutcome {
    Effect {
        effect: Effect,
        shrinks: Shrinks,
        notes: Vec<String>,
    },
    Failure {
        failure: Failure,
        approval: Option<Approval>,
    },
    /// It is about no document, and is planned as any other.
    Other(blake3::Hash),
}

impl Exactly {
    /// Cuts what is `accepted` of `saved_plan` out of what it comes to by `check`, for `planner`, which has planned
    /// nothing.
    pub(super) fn new(
        saved_plan: &SavedPlan,
        check: &PlanCheck,
        accepted: &Decision<'_>,
        planner: &Planner<'_>,
        refuse: Option<Refuse<'_>>,
    ) -> Exactly {
        let mut cut = Cut::new(saved_plan, check, accepted);
        // A step that fails takes its groups with it, which changes the texts of other steps, so all are
        // tried again. It ends: each round fails at least one more step.
        let effects = loop {
            let effects = cut.effects();
            let failed = cut.tried(&effects, planner, &check.shrinks, refuse);
            if failed.is_empty() {
                break effects;
            }
            failed.into_iter().for_each(|(step, failure, approval)| cut.fail(step, failure, approval));
        };
        let left_out = Failure::with_message(ErrorKind::Skipped, String::new());
        let left_out = accepted.not_accepted(left_out);
        let mut steps = HashMap::new();
        for (at, effect) in effects.into_iter().enumerate() {
            let SavedStep { step, promise, .. } = &saved_plan.steps[at];
            let outcome = match (effect, cut.failed.remove(&at)) {
                (_, Some((failure, approval))) => StepOutcome::Failure { failure, approval },
                (Some(effect), None) => StepOutcome::Effect {
                    effect,
                    shrinks: check.shrinks.get(&step.seq).cloned().flatten(),
                    notes: notes_of(&check.notes, step),
                },
                (None, None) => match (promise, accepted.part(step)) {
                    (Promise::Failure(failure), _) => {
                        StepOutcome::Failure { failure: (**failure).clone(), approval: None }
                    }
                    (Promise::Change(change), AcceptedPart::All) => StepOutcome::Other(change.exact),
                    _ => StepOutcome::Failure { failure: left_out.clone(), approval: None },
                },
            };
            steps.insert(step.seq, outcome);
        }
        Exactly { steps, left_out }
    }

    pub(super) fn plan(&self, planner: &mut Planner<'_>, step: Step, refuse: Option<Refuse<'_>>) -> Planned {
        // It makes a proposal, which has its promise with it, or waits for one.
        if step.is_proposal || step.action.is_err() {
            return planner.plan(step, |effect| refused(refuse, effect));
        }
        match self.steps.get(&step.seq) {
            Some(StepOutcome::Effect { effect, shrinks, notes }) => {
                let next = planner.plan_recorded(step, effect.clone(), shrinks.clone(), refuse);
                if next.outcome.is_ok() {
                    let task = Some(next.step.task.clone());
                    let warning =
                        |message: &String| OperationWarning { task: task.clone(), message: message.clone() };
                    planner.notes.extend(notes.iter().map(warning));
                }
                next
            }
            Some(StepOutcome::Failure { failure, approval }) => {
                Planned { step, outcome: Err(failure.clone()), approval: approval.clone() }
            }
            Some(StepOutcome::Other(promised)) => other(planner, step, promised, refuse),
            None => Planned { step, outcome: Err(self.left_out.clone()), approval: None },
        }
    }
}

fn notes_of(notes: &[OperationWarning], step: &Step) -> Vec<String> {
    let of_step = |note: &&OperationWarning| note.task.as_ref() == Some(&step.task);
    notes.iter().filter(of_step).map(|note| note.message.clone()).collect()
}

fn other(
    planner: &mut Planner<'_>,
    step: Step,
    promised: &blake3::Hash,
    refuse: Option<Refuse<'_>>,
) -> Planned {
    planner.plan(step, |effect| {
        // Which folders are missing depends on what is left out.
        if exact(&effect) != *promised && !makes_folders(&effect) {
            return Err(conflict(effect.first_path(), true));
        }
        refused(refuse, effect)
    })
}

fn makes_folders(effect: &Effect) -> bool {
    effect.each().iter().all(|effect| matches!(effect, Effect::CreateFolder { .. }))
}

struct Cut<'p> {
    saved_plan: &'p SavedPlan,
    planned: &'p [Planned],
    documents: Vec<Traced<'p>>,
    chosen: HashSet<usize>,
    failed: HashMap<usize, (Failure, Option<Approval>)>,
    groups: Vec<Vec<usize>>,
}

struct Traced<'p> {
    document: PlannedDocument<'p>,
    divided: Divided,
    /// Its regions after each of its writes.
    regions: Vec<TextRegion>,
}

impl<'p> Cut<'p> {
    fn new(saved_plan: &'p SavedPlan, check: &'p PlanCheck, accepted: &Decision<'_>) -> Cut<'p> {
        let planned = &check.planned[..];
        let mut groups = vec![Vec::new(); planned.len()];
        for group in 0..saved_plan.groups.len() {
            for (step, _) in saved_plan.groups.parts(group) {
                if let Some(groups) = groups.get_mut(*step).filter(|groups| groups.last() != Some(&group)) {
                    groups.push(group);
                }
            }
        }
        let chosen =
            (0..saved_plan.groups.len()).filter(|group| saved_plan.has_all(accepted, *group)).collect();
        let mut cut =
            Cut { saved_plan, planned, documents: Vec::new(), chosen, failed: HashMap::new(), groups };
        let stale: Vec<(usize, Failure)> = (0..planned.len())
            .filter_map(|at| Some((at, changed(&saved_plan.steps[at].promise, &planned[at], check)?)))
            .collect();
        let is_stale: HashSet<usize> = stale.iter().map(|(step, _)| *step).collect();
        // What nobody accepted is left out, whatever its file is by now.
        let is_left_out = |step: usize| {
            let groups = &cut.groups[step];
            !groups.is_empty() && !groups.iter().any(|group| cut.chosen.contains(group))
        };
        let stale: Vec<_> = stale.into_iter().filter(|(step, _)| !is_left_out(*step)).collect();
        let fresh = planned.iter().enumerate().filter(|(step, _)| !is_stale.contains(step));
        let effects = fresh.filter_map(|(step, planned)| Some((step, planned.outcome.as_ref().ok()?)));
        cut.spread(&is_stale);
        for (step, failure) in stale {
            cut.fail(step, failure, None);
        }
        for document in Documents::of_effects(effects).all {
            let Some(divided) = saved_plan.groups.of_document(document.key) else { continue };
            let regions = match divided {
                Divided::Whole(_) => Vec::new(),
                Divided::Regions(_) => super::review::regions(&document, |_| None),
            };
            cut.documents.push(Traced { document, divided: divided.clone(), regions });
        }
        cut
    }

    /// Takes away the groups of documents that a step was about that is no longer what it was: their text is
    /// another one.
    fn spread(&mut self, stale: &HashSet<usize>) {
        let mut lost: HashSet<usize> = stale.iter().flat_map(|step| self.groups[*step].clone()).collect();
        loop {
            let before = lost.len();
            for groups in self.saved_plan.groups.by_document() {
                if groups.iter().any(|group| lost.contains(group)) {
                    lost.extend(groups);
                }
            }
            if lost.len() == before {
                break;
            }
        }
        for group in lost {
            for (step, _) in self.saved_plan.groups.parts(group) {
                if self.chosen.contains(&group) && !stale.contains(step) {
                    let path = self.planned[*step].outcome.as_ref().map_or("", Effect::first_path);
                    let failure = conflict(path, false);
                    self.failed.entry(*step).or_insert((failure, None));
                }
            }
            self.chosen.remove(&group);
        }
    }

    /// Takes away all groups that `step` is a part of, since it cannot be done, and whatever else those are
    /// made of.
    fn fail(&mut self, step: usize, failure: Failure, approval: Option<Approval>) {
        let task = self.saved_plan.steps[step].step.task.clone();
        self.failed.insert(step, (failure, approval));
        let mut pending = vec![step];
        while let Some(step) = pending.pop() {
            for group in self.groups[step].clone() {
                if !self.chosen.remove(&group) {
                    continue;
                }
                for (other, _) in self.saved_plan.groups.parts(group) {
                    if !self.failed.contains_key(other) {
                        let message = format!(
                            "Not done: task {task}, which it goes together with, cannot be done (SKIPPED)"
                        );
                        self.failed
                            .insert(*other, (Failure::with_message(ErrorKind::Skipped, message), None));
                        pending.push(*other);
                    }
                }
            }
        }
    }

    /// Returns what each step does of the chosen groups; `None`: nothing, or it is about no document.
    fn effects(&self) -> Vec<Option<Effect>> {
        let mut texts: Texts = HashMap::new();
        for traced in &self.documents {
            if let Divided::Regions(groups) = &traced.divided {
                let chosen: Vec<bool> = groups.iter().map(|group| self.chosen.contains(group)).collect();
                traced.texts(&chosen, &mut texts);
            }
        }
        let one = |(at, planned): (usize, &Planned)| {
            let is_chosen = self.groups[at].iter().any(|group| self.chosen.contains(group));
            let effect = planned.outcome.as_ref().ok().filter(|_| is_chosen)?;
            let hunks = self.groups[at].iter().filter(|group| self.chosen.contains(group));
            let hunks = hunks.flat_map(|group| self.saved_plan.groups.parts(*group));
            let hunks = hunks.filter(|(step, hunk)| *step == at && hunk.is_some()).count();
            Some(texts_of(effect, at, &mut texts, hunks))
        };
        self.planned.iter().enumerate().map(one).collect()
    }

    /// Tries `effects` one after the other; returns the steps that fail.
    fn tried(
        &self,
        effects: &[Option<Effect>],
        planner: &Planner<'_>,
        shrinks: &HashMap<usize, Shrinks>,
        refuse: Option<Refuse<'_>>,
    ) -> Vec<(usize, Failure, Option<Approval>)> {
        let mut trial = Planner::new(planner.view.anew(), planner.rules, planner.approvals);
        trial.match_down_to(self.saved_plan.matching);
        let mut failed = Vec::new();
        for (at, (effect, saved)) in effects.iter().zip(&self.saved_plan.steps).enumerate() {
            let step = &saved.step;
            match effect {
                Some(effect) => {
                    let shrinks = shrinks.get(&step.seq).cloned().flatten();
                    let planned = trial.plan_recorded(step.clone(), effect.clone(), shrinks, refuse);
                    if let Err(failure) = planned.outcome {
                        failed.push((at, failure, planned.approval));
                    }
                }
                // Folders that it makes are there for what comes after it.
                None if !self.failed.contains_key(&at) && !runs(step) => {
                    let of_folders = |effect: Effect| match makes_folders(&effect) {
                        true => Ok(effect),
                        false => Err(Failure::with_message(ErrorKind::Skipped, String::new())),
                    };
                    if matches!(saved.promise, Promise::Change(_)) && self.groups[at].is_empty() {
                        trial.plan(step.clone(), of_folders);
                    }
                }
                None => {}
            }
        }
        failed
    }
}

fn changed(promise: &Promise, planned: &Planned, check: &PlanCheck) -> Option<Failure> {
    let Promise::Change(_) = promise else { return None };
    // What is not stale itself may be rolled back with its block.
    check.stale.get(&planned.step.seq).or(planned.outcome.as_ref().err()).cloned()
}

/// The texts before and after each write of a divided document, by step and path, in order.
type Texts = HashMap<(usize, RootedPath), VecDeque<[Arc<[u8]>; 2]>>;

impl Traced<'_> {
    /// Adds the texts of the document if only those regions are `chosen`.
    fn texts(&self, chosen: &[bool], texts: &mut Texts) {
        let Some(old) = self.document.old else { return };
        let (mut now, mut regions) = (Arc::clone(old), Vec::new());
        let all = chosen.iter().all(|chosen| *chosen);
        for (step, write) in &self.document.writes {
            let next =
                if all {
                    Arc::clone(&write.new)
                } else {
                    regions = advanced(regions, changes(*step, write, None));
                    let places = places(&self.regions, &regions);
                    joined(
                        old,
                        &write.new,
                        self.regions.iter().zip(places).zip(chosen).filter_map(
                            |((region, place), chosen)| chosen.then(|| (region.old.clone(), place)),
                        ),
                    )
                };
            let queue = texts.entry((*step, write.path.clone())).or_default();
            queue.push_back([now, Arc::clone(&next)]);
            now = next;
        }
    }
}

/// Returns `old` with these ranges of it replaced by the ranges of `new` that come in their place.
fn joined(old: &[u8], new: &[u8], replaced: impl Iterator<Item = (Range<usize>, Range<usize>)>) -> Arc<[u8]> {
    let mut out = Vec::with_capacity(old.len().max(new.len()));
    let mut at = 0;
    for (removed, come) in replaced {
        out.extend_from_slice(old.get(at..removed.start).unwrap_or_default());
        out.extend_from_slice(new.get(come).unwrap_or_default());
        at = removed.end;
    }
    out.extend_from_slice(old.get(at..).unwrap_or_default());
    out.into()
}

/// Returns `effect`, of the step at this place, with these texts; `hunks` of its hunks are chosen.
fn texts_of(effect: &Effect, at: usize, texts: &mut Texts, hunks: usize) -> Effect {
    let mut write_of = |write: &Write| match texts.get_mut(&(at, write.path.clone())) {
        Some(queue) => match queue.pop_front() {
            Some(texts) => with_texts(write, texts, hunks),
            None => write.clone(),
        },
        None => write.clone(),
    };
    match effect {
        Effect::Write(write) => Effect::Write(write_of(write)),
        Effect::Several(files) => {
            let mut files = files.clone();
            files.iter_mut().flatten().for_each(|write| *write = write_of(write));
            Effect::Several(files)
        }
        Effect::Steps(steps) => {
            Effect::Steps(steps.iter().map(|effect| texts_of(effect, at, texts, hunks)).collect())
        }
        effect => effect.clone(),
    }
}

fn with_texts(write: &Write, [old, new]: [Arc<[u8]>; 2], hunks: usize) -> Write {
    if write.old.as_ref() == Some(&old) && write.new == new {
        return write.clone();
    }
    let before = Before::Content(blake3::hash(&encoded(&old, write.encoding)));
    let replacements = if hunks > 0 { hunks } else { write.replacements };
    // Numbers of lines are those of another text.
    let (within_line, lines) = (None, None);
    let write = write.clone().with_new(new);
    Write { before, old: Some(old), replacements, within_line, lines, ..write }
}

impl Planner<'_> {
    /// Plans a step whose effect is known, and was looked at by guards before.
    fn plan_recorded(
        &mut self,
        step: Step,
        effect: Effect,
        shrinks: Shrinks,
        refuse: Option<Refuse<'_>>,
    ) -> Planned {
        let mut approval = None;
        self.shrinks = shrinks;
        let outcome = self
            .with_folders(effect)
            .and_then(|effect| refused(refuse, effect))
            .and_then(|effect| self.approved(&step, effect, &mut approval))
            .and_then(|effect| self.within_bounds(effect));
        if let Ok(effect) = &outcome {
            self.lay(effect);
            self.has_changed |= !effect.is_read_only();
        }
        Planned { step, outcome, approval }
    }

    fn with_folders(&mut self, effect: Effect) -> Result<Effect, Failure> {
        let mut created = HashSet::new();
        self.with_folders_but(effect, &mut created)
    }

    /// The same; `created` are created for it already.
    fn with_folders_but(
        &mut self,
        effect: Effect,
        created: &mut HashSet<RootedPath>,
    ) -> Result<Effect, Failure> {
        let mut parents = |planner: &mut Self, path: &RootedPath| -> Result<Vec<RootedPath>, Failure> {
            let missing = planner.view.missing_parents(path)?;
            Ok(missing.into_iter().filter(|folder| created.insert(folder.clone())).collect())
        };
        // `created` is shared by all parts: a folder is made once, by the first effect that needs it.
        Ok(match effect {
            Effect::Write(write) if write.before == Before::Missing => {
                let parents = parents(self, &write.path)?;
                Effect::Write(Write { parents, ..write })
            }
            Effect::WriteMoved { from, before, write } => {
                let parents = parents(self, &write.path)?;
                Effect::WriteMoved { from, before, write: Write { parents, ..write } }
            }
            Effect::Move { from, before, to, replaced, content, overwritten, .. } => {
                let parents = parents(self, &to)?;
                Effect::Move { from, before, to, replaced, content, overwritten, parents }
            }
            Effect::CreateFolder { path, .. } => {
                let mut missing = parents(self, &path)?;
                if matches!(self.view.node(&path)?, Node::Missing) && created.insert(path.clone()) {
                    missing.push(path.clone());
                }
                Effect::CreateFolder { path, missing }
            }
            Effect::Steps(steps) => {
                let steps: Result<Vec<Effect>, Failure> =
                    steps.into_iter().map(|effect| self.with_folders_but(effect, created)).collect();
                Effect::Steps(steps?)
            }
            effect => effect,
        })
    }
}
