//! A saved plan, to be executed later: whole or in part, exactly as it was planned or not at all.
//!
//! A plan is a pure function of the answer and the files, so what is kept is the answer and what each action
//! was going to do; executing plans again and compares. What differs is a conflict, and nothing of it is
//! written (`revalidate`). Its result shows what each action finds and leaves, and its hunks as far as they have room.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use clada_edit::{Match, TextHunk};
use clada_fs::{RootedPath, Roots};
use clada_journal::Applied;
use clada_protocol::{
    ExecutionResult, LineEnds, PlanResult, PlannedAction, PlannedHunk, SharedText, Unplannable,
};
use clada_schema::Action;

use crate::effect::Effect;
use crate::plan::approve::{Approvals, is_cut, ready_to_ask};
use crate::plan::decision::{AcceptedPart, Decision, Progress, action_id, hunk_id};
use crate::plan::plain::decide::is_applied_by;
use crate::plan::planner::Planner;
use crate::plan::programs::runs;
use crate::plan::promise::{Promise, exact, hunks_of};
use crate::plan::resume::Resumable;
use crate::plan::revalidate::{PlanCheck, terms};
use crate::plan::review::{Groups, Hunks, Reviewed};
use crate::planned::Planned;
use crate::read::answer::{AcceptedHunks, Answer, ChangeHashes, Step};
use crate::read::proposal::Offered;
use crate::reads::Reads;
use crate::results::diff;
use crate::results::report::{self, Budget, Executed};
use crate::results::weight::{text_weight, weight};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::{Content, View};
use crate::write::Before;

/// The parts of a result that share its bytes: the actions, the diff, the files.
const SHARES: usize = 3;

const STEP_WEIGHT: usize = 128;

/// The approximate bytes that a plan keeps of a hunk: its lines, and whether it was accepted and done.
const HUNK_WEIGHT: usize = 64;

/// A plan that is saved to be executed later.
#[derive(Debug)]
pub struct SavedPlan {
    pub(super) answer: Answer,
    pub(super) steps: Vec<SavedStep>,
    pub(super) buffers: Vec<(RootedPath, Content)>,
    pub(super) groups: Groups,
    bytes: usize,
    /// The answer that it was made from.
    source: Resumable,
    pub(crate) matching: Option<Match>,
    pub(super) applied: HashSet<usize>,
    /// The steps of proposals that its own steps need, which are planned first.
    needed: Vec<Step>,
    /// True if it was made to apply its answer once more, whatever was applied before.
    once_more: bool,
    versions: HashMap<RootedPath, i32>,
    /// True if nothing of what a user has to see was cut from its result.
    shows_all: bool,
    pub(super) reads: Reads,
    pub(super) terms: blake3::Hash,
    /// The check when it was made: what it does as long as nothing has changed.
    pub(super) first_check: Mutex<Option<Arc<PlanCheck>>>,
}

/// A step of a saved plan, and what it was going to do.
#[derive(Debug)]
pub(super) struct SavedStep {
    pub(super) step: Step,
    pub(super) promise: Promise,
    /// Its effect before anything was rolled back.
    pub(super) effect: Option<blake3::Hash>,
    pub(super) hunks: ShownHunks,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ShownHunks {
    /// Those that were shown, and can be accepted alone.
    pub(super) shown: usize,
    pub(super) all: usize,
}

/// What a plan depends on besides its answer and the texts of editors.
#[derive(Clone, Copy)]
pub struct PlanInputs<'p> {
    /// The roots of the project.
    pub roots: &'p Roots,
    /// What the settings and the call allow.
    pub rules: &'p Rules,
    /// The actions of the answer that are applied already, by their numbers.
    pub applied: &'p HashMap<usize, Applied>,
    /// Why to stop, if there is a reason.
    pub stop: &'p dyn Fn() -> Option<Stop>,
}

impl SavedPlan {
    /// Plans `answer`, which is read from `source`, without what of it is applied already, for an editor that counts
    /// somehow. The second value is the plan as the method `plan` answers, without its id and lifetime. If nobody
    /// counts, it is applied as a whole: nothing of it can be accepted by file.
    pub fn make(
        mut answer: Answer,
        source: Resumable,
        inputs: PlanInputs<'_>,
        mut counted: Option<Counted>,
    ) -> (SavedPlan, PlanResult) {
        let PlanInputs { roots, rules, applied, stop } = inputs;
        let texts = counted.as_mut().map(|counted| std::mem::take(&mut counted.buffers)).unwrap_or_default();
        let buffers = texts.into_iter().map(|(path, text)| (path, Content::new(text.into_bytes())));
        let buffers: Vec<_> = buffers.collect();
        answer.hold_against(Some(roots), rules.user.as_ref(), rules.max_file_size);
        let view = view_with(roots, &buffers);
        answer.propose(&view, rules, counted.as_ref());
        let needed = answer.needed_first(&view);
        let steps = if answer.fatal().is_some() { Vec::new() } else { std::mem::take(&mut answer.steps) };
        // A plan shows what approval would lead to; the approvals are asked for with it.
        let approvals = Approvals::assumed();
        let mut planner = Planner::new(view, rules, &approvals);
        planner.leave_out(applied);
        planner.lay_all(&needed);
        let mut effects = HashMap::new();
        let mut note = |_: &Planner<'_>, planned: &Planned| {
            effects.extend(planned.outcome.as_ref().ok().map(|effect| (planned.step.seq, exact(effect))));
        };
        let (planned, shrinks) = planner.plan_each(&answer, steps.clone(), &mut note, stop);
        let notes = planner.take_notes();
        let mut budget = Budget::new(rules.result_bytes / SHARES);
        let diff = diff::plan_diff(&planned, planner.view(), rules.result_bytes / SHARES);
        let (changed, changed_more) = diff::plan_files(&planned, planner.view());
        let is_cut = diff.is_cut || planned.iter().any(|planned| hides(planned, planner.view()));
        let mut diff = PlanDiff::new(diff.text);
        let (mut actions, mut saved, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for (step, planned) in steps.into_iter().zip(&planned) {
            let hunks = planned.outcome.as_ref().map(hunks_of).unwrap_or_default();
            let promise = match &planned.outcome {
                Ok(effect) => Promise::Change(ChangeHashes::of(&step, effect, &hunks)),
                Err(failure) => Promise::Failure(Box::new(failure.clone())),
            };
            let all = hunks.len();
            let of_hunks: Hunks = hunks.iter().map(|hunk| hunk.changes.clone()).collect();
            let action = planned_action(planned, hunks, planner.view(), &mut budget, &mut diff);
            // Those that are not shown cannot be told apart.
            changes.push(if action.truncated { Hunks::new() } else { of_hunks });
            let hunks = ShownHunks { shown: action.hunks.len(), all };
            saved.push(SavedStep { effect: effects.remove(&step.seq), step, promise, hunks });
            actions.push(action);
        }
        let (files, groups) = match &counted {
            Some(counted) => {
                let reviewed = Reviewed { planned: &planned, answer: &answer, hunks: &changes, counted };
                reviewed.files(planner.view(), &mut Budget::new(rules.result_bytes / SHARES))
            }
            None => (Vec::new(), Groups::default()),
        };
        for (action, group) in actions.iter_mut().zip(groups.of_steps(planned.len())) {
            action.group = group;
        }
        let mut to_approve: Vec<_> = planned.iter().filter_map(|planned| planned.approval.clone()).collect();
        // Without a plan to keep nobody can accept a proposal.
        let may_be_applied = |offered: &&Offered| counted.is_some() || is_applied_by(offered, &rules.plain);
        to_approve.extend(
            answer.proposals.iter().filter(may_be_applied).filter_map(|offered| offered.approval.clone()),
        );
        let has_room = ready_to_ask(&mut to_approve, rules, stop);
        let result = PlanResult {
            total_blocks: answer.blocks.len(),
            actions,
            parse_errors: answer.errors.clone(),
            not_read: answer.not_read.clone(),
            proposals: answer.shown_proposals(),
            already: answer.already.clone(),
            warnings: answer.notes.iter().chain(&notes).cloned().collect(),
            approvals: to_approve,
            diff: diff.whole,
            changed,
            changed_more,
            files,
            ..PlanResult::default()
        };
        let bytes = saved.iter().map(SavedStep::bytes).sum::<usize>() + groups.bytes();
        let bytes = bytes + buffers.iter().map(|(_, text)| text.bytes.len()).sum::<usize>();
        let bytes = bytes + answer.proposals.iter().map(Offered::bytes).sum::<usize>();
        let may_be_kept = needed.is_empty() && PlanCheck::is_kept(&planned);
        let first_check = may_be_kept.then(|| Arc::new(PlanCheck::current(planned, shrinks, notes)));
        let plan = SavedPlan {
            answer,
            steps: saved,
            buffers,
            groups,
            bytes,
            source,
            matching: rules.matching,
            applied: applied.keys().copied().collect(),
            needed,
            once_more: false,
            versions: counted.map(|counted| counted.versions).unwrap_or_default(),
            shows_all: has_room && !is_cut,
            reads: planner.view().reads().take(),
            terms: terms(roots, rules),
            first_check: Mutex::new(first_check),
        };
        (plan, result)
    }

    /// Returns whether the result that was made with it shows every change and every approval whole, but for
    /// what is held back as a secret.
    #[must_use]
    pub fn shows_all(&self) -> bool {
        self.shows_all
    }

    /// Returns the numbers of the steps that are not going to do exactly what those of `other` are, however much of
    /// it the results had room for.
    #[must_use]
    pub fn changed_steps(&self, other: &SavedPlan) -> HashSet<usize> {
        let is_same = |saved: &&SavedStep| {
            let before = other.saved_step(saved.step.seq);
            before
                .is_some_and(|before| before.step.name == saved.step.name && before.promise == saved.promise)
        };
        self.steps.iter().filter(|saved| !is_same(saved)).map(|saved| saved.step.seq).collect()
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

    pub(super) fn saved_step(&self, seq: usize) -> Option<&SavedStep> {
        self.steps.iter().find(|saved| saved.step.seq == seq)
    }

    /// Returns the answer that it was made from.
    #[must_use]
    pub fn source(&self) -> &Resumable {
        &self.source
    }

    /// Returns what `decision` wants of its answer.
    #[must_use]
    pub fn accepted(&self, decision: &Decision<'_>) -> Resumable {
        let (source, declined) = self.in_part(|saved| decision.part(&saved.step));
        source.leaving_out(declined)
    }

    /// Returns what is left to do of its answer after `progress`, or what `only` names of it, whatever was
    /// done or declined of that.
    #[must_use]
    pub fn remaining(&self, progress: &Progress, only: Option<&[String]>) -> Resumable {
        if only.is_some() {
            let decision = self.decision(only);
            return self.in_part(|saved| decision.part(&saved.step)).0;
        }
        let remaining = self.in_part(|saved| match self.applied.contains(&saved.step.seq) {
            true => AcceptedPart::Nothing,
            false => progress.remaining(saved.step.seq, saved.hunks.all),
        });
        remaining.0
    }

    // Also the tasks that are not to be done.
    fn in_part(&self, part: impl Fn(&SavedStep) -> AcceptedPart) -> (Resumable, Vec<String>) {
        let (mut declined, mut accepted, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for saved in &self.steps {
            let step = &saved.step;
            match (part(saved), &saved.promise) {
                // What cannot be done is not offered: whoever does not accept it has not declined it.
                (AcceptedPart::Nothing, Promise::Failure(_)) if !step.left_out => {
                    failed.push(step.task.clone())
                }
                (AcceptedPart::Nothing, _) => declined.push(step.task.clone()),
                (AcceptedPart::Hunks(hunks), Promise::Change(change)) if hunks.len() < saved.hunks.all => {
                    let before = step.accepted.as_ref();
                    let narrowed = before.and_then(|before| before.narrowed(&hunks, &change.each));
                    let of_this = || AcceptedHunks { change: change.clone(), hunks: Some(hunks) };
                    accepted.push((step.seq, narrowed.unwrap_or_else(of_this)));
                }
                (AcceptedPart::Hunks(_) | AcceptedPart::All, _) => {}
            }
        }
        // The actions of a block belong together.
        let block = |task: &str| task.split_once('.').map(|(block, _)| block.to_owned());
        let left_out: HashSet<String> = declined.iter().filter_map(|task| block(task)).collect();
        declined
            .extend(failed.into_iter().filter(|task| block(task).is_some_and(|it| left_out.contains(&it))));
        (self.source.clone().without(declined.clone()).with_only(accepted), declined)
    }

    /// Returns true if there are commands in it.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.steps().any(Step::is_command)
    }

    /// Returns about how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.reads.bytes() + self.source.bytes()
    }

    /// The answer that it was made from, without its steps.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(crate) fn view<'r>(&self, roots: &'r Roots) -> View<'r> {
        view_with(roots, &self.buffers)
    }

    /// Returns the documents that it was planned over, each with the hash of its text in the editor.
    #[must_use]
    pub fn buffers(&self) -> HashMap<RootedPath, blake3::Hash> {
        self.buffers.iter().map(|(path, text)| (path.clone(), blake3::hash(&text.bytes))).collect()
    }

    /// Returns the files whose text in the editor is another one than on disk, as it was when it was planned.
    pub(crate) fn unsaved(&self, roots: &Roots) -> HashSet<RootedPath> {
        let is_saved = |(path, text): &&(RootedPath, Content)| {
            let limit = text.bytes.len() as u64;
            roots.read(path, limit).is_ok_and(|content| content.bytes[..] == text.bytes[..])
        };
        self.buffers.iter().filter(|buffer| !is_saved(buffer)).map(|(path, _)| path.clone()).collect()
    }

    /// Returns the accepted steps that were planned and are no program.
    pub(crate) fn expected(&self, decision: &Decision<'_>) -> HashSet<usize> {
        let expected = self.steps.iter().filter(|SavedStep { step, promise, .. }| {
            matches!(promise, Promise::Change(_))
                && !runs(step)
                && !matches!(decision.part(step), AcceptedPart::Nothing)
        });
        expected.map(|saved| saved.step.seq).collect()
    }

    pub(crate) fn versions(&self) -> &HashMap<RootedPath, i32> {
        &self.versions
    }

    /// Plans the proposals that its steps need with `planner`, as when it was made.
    pub(super) fn lay_needed(&self, planner: &mut Planner<'_>) {
        planner.lay_all(&self.needed);
    }

    /// Returns its answer, and the steps of it that `decision` wants: those of blocks, and of the accepted
    /// proposals.
    pub(crate) fn decided(
        &self,
        decision: &Decision<'_>,
        rules: &Rules,
        view: &View<'_>,
    ) -> (Answer, Vec<Step>) {
        let mut answer = self.answer.clone();
        let steps = answer.decided(self.steps().cloned().collect(), decision.ids(), rules, view);
        (answer, steps)
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|saved| &saved.step)
    }
}

impl SavedStep {
    fn bytes(&self) -> usize {
        let texts: usize = self.step.parameters().iter().map(|(_, value)| weight(value)).sum();
        let hunks = match &self.promise {
            Promise::Change(change) => change.each.len(),
            Promise::Failure(_) => 0,
        };
        texts + STEP_WEIGHT + hunks * HUNK_WEIGHT
    }
}

/// The way in which an editor counts the documents that it shows.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// The line ends that end its lines.
    pub lines: LineEnds,
    /// Its versions of documents.
    pub versions: HashMap<RootedPath, i32>,
    /// The number of lines that it shows around a hunk.
    pub context: usize,
    /// The texts of its documents that it has not saved.
    pub buffers: Vec<(RootedPath, String)>,
}

fn view_with<'r>(roots: &'r Roots, buffers: &[(RootedPath, Content)]) -> View<'r> {
    let mut view = View::new(roots);
    for (path, text) in buffers {
        view.lay_buffer(path.clone(), text.clone());
    }
    view
}

/// Returns whether the question about an action is cut, and the diff does not show its change either.
fn hides(planned: &Planned, view: &View<'_>) -> bool {
    let change = planned.approval.as_ref().and_then(|approval| approval.change.as_deref());
    let is_secret = |effect: &Effect| effect.paths().any(|path| view.is_secret(path));
    change.is_some_and(is_cut) && planned.outcome.as_ref().is_ok_and(is_secret)
}

const SHOWN_HUNK_WEIGHT: usize = 40;

/// The size in bytes above which a hunk shares the text of its plan's diff.
const SHARED: usize = 1 << 10;

/// The hunks that may be missing from that diff before the others are not looked for.
const MISSED: usize = 16;

pub(super) fn planned_action(
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
        left_out: step.left_out,
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
                if !budget.take(text_weight(&diff) + SHOWN_HUNK_WEIGHT) {
                    action.truncated = true;
                    break;
                }
                action.hunks.push(PlannedHunk { id: hunk_id(&id, index + 1), diff: whole.share(diff) });
            }
        }
    }
    PlannedAction { id, ..action }
}

pub(super) struct PlanDiff {
    pub(super) whole: SharedText,
    /// The place from which the next hunk is searched: hunks and diff are in the order of the plan, but for
    /// files that several actions change.
    from: usize,
    missed: usize,
}

impl PlanDiff {
    pub(super) fn new(whole: String) -> PlanDiff {
        PlanDiff { whole: whole.into(), from: 0, missed: 0 }
    }

    /// Returns `hunk` as a part of the diff, if it is a large one that is found there.
    fn share(&mut self, hunk: String) -> SharedText {
        if hunk.len() < SHARED || self.missed > MISSED {
            return hunk.into();
        }
        match memchr::memmem::find(&self.whole.as_bytes()[self.from..], hunk.as_bytes()) {
            Some(at) => {
                let begin = self.from + at;
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

fn replaces(effect: &Effect) -> bool {
    match effect {
        Effect::Write(write) => write.before != Before::Missing && !write.is_unchanged(),
        Effect::Move { from, to, replaced, .. } => from != to && *replaced != Before::Missing,
        _ => false,
    }
}

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

impl SavedPlan {
    /// Returns the plan, which its caller sees as `result`, as the result of a dry run, in about
    /// `room` bytes.
    #[must_use]
    pub fn as_result(&self, result: &PlanResult, room: usize) -> ExecutionResult {
        let mut budget = Budget::new(room);
        let results = self.steps.iter().map(|SavedStep { step, promise, .. }| {
            let outcome = match promise {
                Promise::Change(_) => Ok(report::ActionOutput::default()),
                Promise::Failure(failure) => Err((**failure).clone()),
            };
            report::result(step.clone(), outcome, 0, &mut budget)
        });
        let executed = Executed { results: results.collect(), ..Executed::default() };
        let answer = self.answer().clone();
        let fatal_error = answer.fatal().map(str::to_owned);
        let result = executed.into_result(answer, result.approvals.clone(), None, "");
        ExecutionResult { fatal_error, warnings: result.warnings.clone(), ..result }
    }
}
