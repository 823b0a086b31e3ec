//! A saved plan, to be executed later: whole or in part, exactly as it was planned or not at all.
//!
//! A plan is a pure function of the answer and the files, so what is kept is the answer and what each action
//! was going to do; executing plans again and compares. What differs is a conflict, and nothing of it is
//! written. What is accepted of a plan is held to what was shown (`revalidate`); a plan that is carried out
//! whole is its answer (`anew`).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use clada_dialects::Policy;
use clada_edit::{Match, TextHunk};
use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{LineEnds, PlanResult, PlannedAction, PlannedHunk, SharedText, Unplannable};
use clada_schema::Action;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::plan::Planner;
use crate::plan::approve::Approvals;
use crate::plan::asking::ready_to_ask;
use crate::plan::programs::runs;
use crate::plan::resume::Resumable;
use crate::plan::review::{Groups, Hunks, Reviewed};
use crate::planned::Planned;
use crate::read::answer::{Answer, Atomicity, Step};
use crate::results::diff;
use crate::results::report::Budget;
use crate::results::weight::{text_weight, weight};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::View;
use crate::write::{Before, Write};

/// Bytes of a hunk in a result besides its diff.
const HUNK_WEIGHT: usize = 40;

/// The parts of a result that share its bytes: the actions, the diff, the files.
const SHARES: usize = 3;

/// The size in bytes above which a hunk shares the text of its plan's diff.
const SHARED: usize = 1 << 10;

/// The hunks that may be missing from that diff before the others are not looked for.
const MISSED: usize = 16;

/// The approximate bytes that a plan keeps of a step besides its texts.
const STEP_WEIGHT: usize = 128;

/// A plan that is saved to be executed later.
#[derive(Debug)]
pub struct SavedPlan {
    answer: Answer,
    pub(crate) steps: Vec<Step>,
    buffers: Vec<(RootedPath, String)>,
    pub(crate) promised: Vec<Promise>,
    /// The number of hunks of each step that can be accepted alone.
    hunks: Vec<usize>,
    pub(super) groups: Groups,
    bytes: usize,
    /// The answer that it was made from.
    source: Option<Resumable>,
    /// The lowest rung of the ladder that its edits may use.
    pub(crate) matching: Option<Match>,
    /// The effect of each step, before anything was rolled back.
    effects: Effects,
    /// The steps that were applied already when it was made.
    pub(super) applied: HashSet<usize>,
    /// The ids of the approvals that it needs.
    approvals: Vec<String>,
    /// True if it was made to apply its answer once more, whatever was applied before.
    once_more: bool,
    /// The versions of the buffers.
    versions: HashMap<RootedPath, i32>,
}

/// The effects of the steps that could be planned, by number: a hash of each.
pub(super) type Effects = HashMap<usize, blake3::Hash>;

/// The promise of one action of a saved plan.
#[derive(Debug)]
pub(crate) enum Promise {
    /// This change.
    Change {
        /// The hash of the content before and after: equal only if exactly that happens again.
        exact: blake3::Hash,
        /// The lines that go and come, wherever they stand: equal if earlier changes were left out.
        lines: blake3::Hash,
    },
    /// Nothing: it could not be planned.
    Failure(Box<Failure>),
}

impl SavedPlan {
    /// Plans `answer` over the files and `buffers`, without what of it is `applied` already. The second value
    /// is the plan as the method `plan` answers, without its id and lifetime.
    pub fn make(
        answer: Answer,
        (buffers, applied): (Vec<(RootedPath, String)>, &HashMap<usize, Applied>),
        roots: &Roots,
        rules: &Rules,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> (SavedPlan, PlanResult) {
        SavedPlan::make_for(answer, (buffers, applied), (roots, rules), &Counted::default(), stop)
    }

    /// Plans for an editor that counts lines and versions as `counted` says.
    pub fn make_for(
        mut answer: Answer,
        (buffers, applied): (Vec<(RootedPath, String)>, &HashMap<usize, Applied>),
        (roots, rules): (&Roots, &Rules),
        counted: &Counted,
        stop: &dyn Fn() -> Option<Stop>,
    ) -> (SavedPlan, PlanResult) {
        answer.hold_against(Some(roots), rules.user.as_ref(), rules.max_file_size);
        let steps = if answer.fatal().is_some() { Vec::new() } else { std::mem::take(&mut answer.steps) };
        // A plan shows what approval would lead to; the approvals are asked for with it.
        let approvals = Approvals::Assumed;
        let mut planner = Planner::new(view_with(roots, &buffers), rules, &approvals);
        planner.leave_out(applied);
        let (planned, effects) = plan_noting(&mut planner, &answer, steps.clone(), stop);
        let mut budget = Budget::new(rules.result_bytes / SHARES);
        let mut diff = PlanDiff::new(diff::plan_diff(&planned, planner.view(), rules.result_bytes / SHARES));
        let (mut actions, mut promised, mut hunks) = (Vec::new(), Vec::new(), Vec::new());
        for planned in &planned {
            let found = planned.outcome.as_ref().map(hunks_of).unwrap_or_default();
            promised.push(match &planned.outcome {
                Ok(effect) => Promise::Change { exact: exact(effect), lines: lines_of(effect, &found) },
                Err(failure) => Promise::Failure(Box::new(failure.clone())),
            });
            let mut changes: Hunks = found.iter().map(|hunk| hunk.changes.clone()).collect();
            let action = planned_action(planned, found, planner.view(), &mut budget, &mut diff);
            if action.truncated {
                // Those that are not shown cannot be told apart.
                changes.clear();
            }
            hunks.push((action.hunks.len(), changes));
            actions.push(action);
        }
        let (hunks, changes): (Vec<usize>, Vec<Hunks>) = hunks.into_iter().unzip();
        let reviewed = Reviewed { planned: &planned, answer: &answer, hunks: &changes, counted };
        let mut files_budget = Budget::new(rules.result_bytes / SHARES);
        let (files, groups) = reviewed.files(planner.view(), &mut files_budget);
        for (action, group) in actions.iter_mut().zip(groups.of_steps(planned.len())) {
            action.group = group;
        }
        let mut asked: Vec<_> = planned.iter().filter_map(|planned| planned.approval.clone()).collect();
        let approvals = asked.iter().map(|approval| approval.id.clone()).collect();
        ready_to_ask(&mut asked, rules, stop);
        let result = PlanResult {
            total_blocks: answer.blocks.len(),
            actions,
            parse_errors: answer.errors.clone(),
            not_read: answer.not_read.clone(),
            warnings: answer.notes.iter().cloned().chain(planner.take_notes()).collect(),
            approvals: asked,
            diff: diff.whole,
            files,
            ..PlanResult::default()
        };
        let texts =
            steps.iter().map(|step| step.parameters().iter().map(|(_, value)| weight(value)).sum::<usize>());
        let bytes = texts.sum::<usize>() + buffers.iter().map(|(_, text)| text.len()).sum::<usize>();
        let bytes = bytes + steps.len() * STEP_WEIGHT + groups.bytes();
        let plan = SavedPlan {
            answer,
            steps,
            buffers,
            promised,
            hunks,
            groups,
            bytes,
            source: None,
            matching: rules.matching,
            effects,
            applied: applied.keys().copied().collect(),
            approvals,
            once_more: false,
            versions: counted.versions.clone(),
        };
        (plan, result)
    }

    /// Returns the same plan; `once_more` is true if it is to apply its answer again, whatever was applied
    /// before.
    #[must_use]
    pub fn once_more(self, once_more: bool) -> SavedPlan {
        SavedPlan { once_more, ..self }
    }

    /// Returns true if what was applied before is no matter.
    #[must_use]
    pub fn is_once_more(&self) -> bool {
        self.once_more
    }

    /// Returns true if `approvals` has all that the plan needs.
    pub(super) fn is_approved(&self, approvals: &Approvals) -> bool {
        self.approvals.iter().all(|id| approvals.has(id))
    }

    /// Returns the hash of the effect of the step with this number, if it had one.
    pub(super) fn effect(&self, seq: usize) -> Option<blake3::Hash> {
        self.effects.get(&seq).copied()
    }

    /// Returns the failure of the step with this number, if it could not be planned.
    pub(super) fn failure(&self, seq: usize) -> Option<&Failure> {
        let at = self.steps.iter().position(|step| step.seq == seq)?;
        match self.promised.get(at)? {
            Promise::Failure(failure) => Some(failure),
            Promise::Change { .. } => None,
        }
    }

    /// The same plan with the answer that it was made from, so that its operation can be resumed.
    #[must_use]
    pub fn with_source(self, source: Resumable) -> SavedPlan {
        SavedPlan { source: Some(source), ..self }
    }

    /// Returns what is to be done of its answer if only `accept` is wanted of the plan.
    #[must_use]
    pub fn wanted(&self, accept: Option<&[String]>) -> Option<Resumable> {
        let accepted = self.accepted(accept);
        let declined = self.steps.iter().filter(|step| matches!(accepted.part(step), Part::Nothing));
        let partly = self.steps.iter().zip(&self.hunks).filter(|(step, hunks)| match accepted.part(step) {
            Part::Hunks(wanted) => wanted.len() < **hunks,
            Part::All | Part::Nothing => false,
        });
        let partly = partly.map(|(step, _)| step.seq).collect();
        Some(self.source.clone()?.without(declined.map(|step| step.task.clone())).in_part(partly))
    }

    /// Returns true if there are commands in it.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.steps.iter().any(Step::is_command)
    }

    /// Returns about how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.source.as_ref().map_or(0, Resumable::bytes)
    }

    /// The answer that it was made from, without its steps.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Returns the files with an editor's buffers over them, as it was planned.
    pub(crate) fn view<'r>(&self, roots: &'r Roots) -> View<'r> {
        view_with(roots, &self.buffers)
    }

    /// Returns true if it was planned over an editor's buffers.
    #[must_use]
    pub fn has_buffers(&self) -> bool {
        !self.buffers.is_empty()
    }

    /// Returns the files whose text in the editor is another one than on disk, as it was when it was planned.
    pub(crate) fn unsaved(&self, roots: &Roots) -> HashSet<RootedPath> {
        let is_saved = |(path, text): &&(RootedPath, String)| {
            roots.read(path, text.len() as u64).is_ok_and(|content| content.bytes == text.as_bytes())
        };
        self.buffers.iter().filter(|buffer| !is_saved(buffer)).map(|(path, _)| path.clone()).collect()
    }

    /// Returns the accepted steps that were planned and are no program.
    pub(crate) fn expected(&self, accept: Option<&[String]>) -> HashSet<usize> {
        let accepted = self.accepted(accept);
        let planned = self.steps.iter().zip(&self.promised);
        let expected = planned.filter(|(step, promise)| {
            matches!(promise, Promise::Change { .. })
                && !runs(step)
                && !matches!(accepted.part(step), Part::Nothing)
        });
        expected.map(|(step, _)| step.seq).collect()
    }

    /// Returns the versions of the buffers.
    pub(crate) fn versions(&self) -> &HashMap<RootedPath, i32> {
        &self.versions
    }

    /// Its steps.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Why what is accepted of the plan cannot be done without the rest, if that is so.
    #[must_use]
    pub fn torn(&self, accept: &[String]) -> Option<String> {
        let accepted = self.accepted(Some(accept));
        if accepted.has_groups()
            && let Some(message) = self.torn_group(&accepted)
        {
            return Some(message);
        }
        let whole = |steps: &[Step]| {
            let mut parts = steps.iter().map(|step| accepted.part(step));
            parts.clone().all(|part| matches!(part, Part::All))
                || parts.all(|part| matches!(part, Part::Nothing))
        };
        if self.answer.atomicity == Atomicity::AllOrNothing {
            let message = "accept: the plan is all or nothing; accept every action of it, or none";
            return (!whole(&self.steps)).then(|| message.to_owned());
        }
        let blocks = self.steps.chunk_by(|one, next| one.group.binds(next.group));
        let torn =
            blocks.filter(|block| block[0].group.policy == Policy::Atomic).find(|block| !whole(block))?;
        let ids: Vec<String> = torn.iter().map(action_id).collect();
        Some(format!(
            "accept: {} are one block that is all or nothing; accept all of them, or none",
            ids.join(", ")
        ))
    }

    /// Returns the reason for refusing, if something is accepted that goes together with what is not.
    fn torn_group(&self, accepted: &Accepted<'_>) -> Option<String> {
        let id = |(step, hunk): &(usize, Option<usize>)| {
            let action = action_id(&self.steps[*step]);
            hunk.map_or(action.clone(), |hunk| hunk_id(&action, hunk + 1))
        };
        (0..self.groups.len()).find_map(|group| {
            let parts = self.groups.parts(group);
            let begun = parts.iter().find(|part| self.has_some(accepted, **part))?;
            let lacks = parts.iter().find(|part| !self.has(accepted, **part))?;
            let whole =
                self.groups.id(group).map_or_else(|| "both".to_owned(), |id| format!("all of it ({id})"));
            Some(format!("accept: {} goes together with {}; accept {whole}, or none", id(begun), id(lacks)))
        })
    }

    /// Returns what `accept` accepts; a group is all of its parts.
    pub(crate) fn accepted<'a>(&'a self, accept: Option<&'a [String]>) -> Accepted<'a> {
        let mut accepted = Accepted::from_ids(accept);
        let Some(parts) = &mut accepted.parts else { return accepted };
        for group in accept.into_iter().flatten().filter_map(|id| self.groups.with_id(id)) {
            accepted.has_groups = true;
            for (step, hunk) in self.groups.parts(group) {
                let action = Cow::Owned(action_id(&self.steps[*step]));
                let some = parts.entry(action).or_insert_with(|| Some(HashSet::new()));
                match hunk {
                    None => *some = None,
                    Some(hunk) => drop(some.as_mut().map(|hunks| hunks.insert(*hunk))),
                }
            }
        }
        if accepted.has_groups {
            for (step, hunks) in self.steps.iter().zip(&self.hunks) {
                let some = parts.get_mut(action_id(step).as_str());
                if let Some(some) = some
                    && some.as_ref().is_some_and(|wanted| wanted.len() == *hunks)
                {
                    *some = None;
                }
            }
        }
        accepted
    }

    /// Returns true if all of the group with this index is accepted.
    pub(super) fn has_all(&self, accepted: &Accepted<'_>, group: usize) -> bool {
        self.groups.parts(group).iter().all(|part| self.has(accepted, *part))
    }

    fn has(&self, accepted: &Accepted<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        match (accepted.part(&self.steps[step]), hunk) {
            (Part::All, _) => true,
            (Part::Hunks(wanted), Some(hunk)) => wanted.contains(&hunk),
            _ => false,
        }
    }

    /// Returns true if the part, or a part of it, is accepted.
    fn has_some(&self, accepted: &Accepted<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        let in_part = hunk.is_none() && matches!(accepted.part(&self.steps[step]), Part::Hunks(_));
        in_part || self.has(accepted, (step, hunk))
    }
}

/// The way in which an editor counts the documents that it shows.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// The line ends that end its lines.
    pub lines: LineEnds,
    /// Its versions of documents.
    pub versions: HashMap<RootedPath, i32>,
}

/// Plans `steps`, and notes the effect of each before blocks that cannot be done as a whole are rolled back.
pub(super) fn plan_noting(
    planner: &mut Planner<'_>,
    answer: &Answer,
    steps: Vec<Step>,
    stop: &dyn Fn() -> Option<Stop>,
) -> (Vec<Planned>, Effects) {
    let mut effects = Effects::new();
    let mut one = |planner: &mut Planner<'_>, _: usize, step: Step| {
        let planned = planner.plan(step, Ok);
        effects.extend(planned.outcome.as_ref().ok().map(|effect| (planned.step.seq, exact(effect))));
        planned
    };
    let planned = planner.plan_with(answer, steps, &mut one, stop);
    (planned, effects)
}

fn view_with<'r>(roots: &'r Roots, buffers: &[(RootedPath, String)]) -> View<'r> {
    let mut view = View::new(roots);
    for (path, text) in buffers {
        view.lay_buffer(path.clone(), text.clone());
    }
    view
}

/// The accepted parts of a plan.
#[derive(Clone)]
pub(crate) struct Accepted<'a> {
    /// By action: the hunks that are wanted of it, or `None` for all of it.
    parts: Option<HashMap<Cow<'a, str>, Option<HashSet<usize>>>>,
    has_groups: bool,
}

/// The accepted part of an action.
pub(crate) enum Part {
    All,
    Nothing,
    Hunks(HashSet<usize>),
}

impl<'a> Accepted<'a> {
    pub(crate) fn from_ids(accept: Option<&'a [String]>) -> Accepted<'a> {
        let has_groups = false;
        let Some(ids) = accept else { return Accepted { parts: None, has_groups } };
        let mut parts: HashMap<Cow<'_, str>, Option<HashSet<usize>>> = HashMap::new();
        for id in ids {
            match hunk_of(id) {
                None => drop(parts.insert(Cow::Borrowed(id.as_str()), None)),
                Some((action, index)) => {
                    if let Some(hunks) =
                        parts.entry(Cow::Borrowed(action)).or_insert_with(|| Some(HashSet::new()))
                    {
                        hunks.insert(index);
                    }
                }
            }
        }
        Accepted { parts: Some(parts), has_groups }
    }

    /// Returns true if groups are accepted: then all of it is what the groups show.
    pub(crate) fn has_groups(&self) -> bool {
        self.has_groups
    }

    pub(crate) fn part(&self, step: &Step) -> Part {
        let Some(parts) = &self.parts else { return Part::All };
        match parts.get(action_id(step).as_str()) {
            None => Part::Nothing,
            Some(None) => Part::All,
            Some(Some(hunks)) => Part::Hunks(hunks.clone()),
        }
    }
}

pub(super) fn action_id(step: &Step) -> String {
    format!("a{}", step.seq)
}

pub(super) fn hunk_id(action: &str, number: usize) -> String {
    format!("{action}.h{number}")
}

/// The action and the index of the hunk that `id` is of, if it is a hunk's.
fn hunk_of(id: &str) -> Option<(&str, usize)> {
    let (action, number) = id.split_once(".h")?;
    let number: usize = number.parse().ok()?;
    (hunk_id(action, number) == id).then_some((action, number.checked_sub(1)?))
}

/// The write with only those hunks that are wanted, which are then what it does.
pub(crate) fn only(write: Write, wanted: &HashSet<usize>) -> Write {
    let Some((old, new)) = texts(&write) else { return write };
    let hunks = clada_edit::hunks(old, new);
    let text = clada_edit::apply_hunks(old, new, &hunks, |index| wanted.contains(&index));
    let new_hash = blake3::hash(text.as_bytes());
    Write { new: text.into_bytes().into(), new_hash, replacements: wanted.len(), ..write }
}

fn texts(write: &Write) -> Option<(&str, &str)> {
    let old = std::str::from_utf8(write.old.as_deref().unwrap_or_default()).ok()?;
    Some((old, std::str::from_utf8(&write.new).ok()?))
}

fn hunks_of(effect: &Effect) -> Vec<TextHunk> {
    match effect {
        Effect::Write(write) if !write.is_unchanged() => {
            texts(write).map(|(old, new)| clada_edit::hunks(old, new)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A hash of what an effect finds and leaves, by content.
pub(crate) fn exact(effect: &Effect) -> blake3::Hash {
    let mut hasher = Parts::default();
    match effect {
        Effect::Command(command) => {
            hasher.add(command.text.as_bytes());
            hasher.add(command.spec.program.as_os_str().as_encoded_bytes());
            hasher.add(command.spec.folder.as_os_str().as_encoded_bytes());
        }
        Effect::Steps(steps) => steps.iter().for_each(|step| hasher.add(exact(step).as_bytes())),
        Effect::Write(write) => hasher.write(write),
        Effect::Several(files) => {
            for file in files {
                match file {
                    Ok(write) => hasher.write(write),
                    Err((path, failure)) => hasher.path(path).add(failure.message.as_bytes()),
                }
            }
        }
        Effect::Delete { path, before, .. } => hasher.path(path).before(before),
        Effect::Move { from, before, to, replaced, .. } => {
            hasher.path(from).before(before);
            hasher.path(to).before(replaced);
        }
        Effect::WriteMoved { from, before, write } => {
            hasher.path(from).before(before);
            hasher.write(write);
        }
        Effect::CreateFolder { path, missing } => {
            hasher.add_path(path);
            missing.iter().for_each(|folder| hasher.add_path(folder));
        }
        Effect::RemoveFolder(path) => hasher.add_path(path),
        Effect::Restore(restore) => hasher.path(&restore.path).before(&restore.before),
        // It changes nothing, so it may show something else when it is executed.
        Effect::ReadOnly(_) => {}
    }
    hasher.0.finalize()
}

/// A hash of the lines that go and come, hunk by hunk, without where they stand.
pub(crate) fn lines(effect: &Effect) -> blake3::Hash {
    lines_of(effect, &hunks_of(effect))
}

/// The same of an effect with these hunks.
fn lines_of(effect: &Effect, hunks: &[TextHunk]) -> blake3::Hash {
    let Effect::Write(write) = effect else { return exact(effect) };
    if texts(write).is_none() {
        return exact(effect);
    }
    let mut hasher = Parts::default();
    hasher.path(&write.path);
    for hunk in hunks {
        // Hunks are accepted by number, so the same lines in other hunks are not the same.
        hasher.add(b"@@");
        for line in hunk.diff.lines().filter(|line| line.starts_with(['+', '-'])) {
            hasher.add(line.as_bytes());
        }
    }
    hasher.0.finalize()
}

/// A hasher of parts whose borders count.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
    }

    fn add_path(&mut self, path: &RootedPath) {
        self.path(path);
    }

    fn path(&mut self, path: &RootedPath) -> &mut Parts {
        self.0.update(&(path.root() as u64).to_le_bytes());
        self.add(path.relative().as_os_str().as_encoded_bytes());
        self
    }

    fn before(&mut self, before: &Before) {
        match before {
            Before::Missing => self.add(b"missing"),
            Before::Content(hash) => self.add(hash.as_bytes()),
            Before::File(identity) => self.add(format!("{identity:?}").as_bytes()),
            Before::Symlink(target) => self.add(target),
        }
    }

    fn write(&mut self, write: &Write) {
        self.path(&write.path).before(&write.before);
        self.add(write.new_hash.as_bytes());
        self.add(write.mode.octal().as_bytes());
    }
}

fn planned_action(
    planned: &Planned,
    hunks: Vec<TextHunk>,
    view: &View<'_>,
    budget: &mut Budget,
    whole: &mut PlanDiff,
) -> PlannedAction {
    let Planned { step, outcome, approval } = planned;
    let id = action_id(step);
    let mut action = PlannedAction {
        seq: step.seq,
        task: step.task.clone(),
        block_id: step.metadata.block_id.clone(),
        action: step.name.clone(),
        needs_approval: approval.as_ref().map(|approval| approval.id.clone()),
        ..PlannedAction::default()
    };
    match outcome {
        Err(failure) => {
            let error = format!("{}: {}", action.action, failure.message);
            let (hint, person_hint) = (failure.hint.clone(), failure.person_hint.clone());
            let place = failure.place.as_deref().cloned();
            action.unplannable = Some(Unplannable { kind: failure.kind, error, hint, person_hint, place });
        }
        Ok(effect) => {
            let mut written = effect.paths().map(|path| path.written().to_owned());
            (action.path, action.new_path) = (written.next(), None);
            action.matched_by = effect.matched_by().map(str::to_owned);
            if matches!(effect, Effect::Move { .. } | Effect::WriteMoved { .. }) {
                action.new_path = written.next();
            }
            (action.pre_hash, action.post_hash) = hashes(effect);
            action.unchanged = effect.is_unchanged();
            action.looks = match effect {
                Effect::ReadOnly(_) => true,
                Effect::Command(command) => !command.may_change(),
                _ => false,
            };
            action.command = match &step.action {
                Ok(Action::Run(run)) => Some(run.command.clone()),
                Ok(Action::Exec(exec)) => Some(exec.code.clone()),
                _ => None,
            };
            action.replaces = replaces(effect);
            action.lines = lost_lines(effect);
            if matches!(effect, Effect::Several(_)) {
                let diff = diff::effect_diff(effect, view);
                action.truncated = !budget.take(text_weight(&diff));
                action.diff = (!action.truncated).then_some(diff);
            }
            let secret = effect.paths().any(|path| view.is_secret(path));
            for (index, hunk) in hunks.into_iter().enumerate() {
                let diff = if secret { "(a secret is not shown)\n".to_owned() } else { hunk.diff };
                // The action as a whole can be accepted, whether its hunks have room here or not.
                if !budget.take(text_weight(&diff) + HUNK_WEIGHT) {
                    action.truncated = true;
                    break;
                }
                action.hunks.push(PlannedHunk { id: hunk_id(&id, index + 1), diff: whole.share(diff) });
            }
        }
    }
    PlannedAction { id, ..action }
}

/// The diff of a plan, as which its hunks share their text.
struct PlanDiff {
    whole: SharedText,
    /// The place from which the next hunk is searched: hunks and diff are in the order of the plan, but for
    /// files that several actions change.
    from: usize,
    /// The hunks that were not found.
    missed: usize,
}

impl PlanDiff {
    fn new(whole: String) -> PlanDiff {
        PlanDiff { whole: whole.into(), from: 0, missed: 0 }
    }

    /// Returns `hunk` as a part of the diff, if it is a large one that is found there.
    fn share(&mut self, hunk: String) -> SharedText {
        if hunk.len() < SHARED || self.missed > MISSED {
            return hunk.into();
        }
        match memchr::memmem::find(&self.whole.as_bytes()[self.from..], hunk.as_bytes()) {
            Some(found) => {
                let begin = self.from + found;
                self.from = begin + hunk.len();
                self.whole.part(begin..self.from)
            }
            None => {
                self.missed += 1;
                hunk.into()
            }
        }
    }
}

/// Returns true if something is there already, and goes for what is written or moved.
fn replaces(effect: &Effect) -> bool {
    match effect {
        Effect::Write(write) => write.before != Before::Missing && !write.is_unchanged(),
        Effect::Move { from, to, replaced, .. } => from != to && *replaced != Before::Missing,
        _ => false,
    }
}

/// Returns how many lines go with a text that is deleted.
fn lost_lines(effect: &Effect) -> Option<usize> {
    let Effect::Delete { old: Some(old), .. } = effect else { return None };
    Some(std::str::from_utf8(old).ok()?.lines().count())
}

fn hashes(effect: &Effect) -> (Option<String>, Option<String>) {
    let of = |before: &Before| match before {
        Before::Content(hash) => Some(hash.to_hex().to_string()),
        _ => None,
    };
    match effect {
        Effect::Write(write) => (of(&write.before), Some(write.new_hash.to_hex().to_string())),
        Effect::Delete { before, .. } => (of(before), None),
        Effect::Move { before, .. } => (of(before), of(before)),
        Effect::WriteMoved { before, write, .. } => (of(before), Some(write.new_hash.to_hex().to_string())),
        _ => (None, None),
    }
}

/// The ids in `accept` that no action or hunk of `plan` has.
#[must_use]
pub fn unknown_ids<'i>(plan: &SavedPlan, accept: &'i [String]) -> Vec<&'i str> {
    let ids = plan.steps.iter().map(action_id);
    let actions: HashMap<String, usize> = ids.zip(plan.hunks.iter().copied()).collect();
    let known = |id: &str| match hunk_of(id) {
        Some((action, index)) => actions.get(action).is_some_and(|hunks| index < *hunks),
        None => actions.contains_key(id) || plan.groups.with_id(id).is_some(),
    };
    accept.iter().map(String::as_str).filter(|id| !known(id)).collect()
}
