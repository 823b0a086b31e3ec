//! Makes a saved plan, and its result: what each action finds and leaves, and its hunks as far as they have room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use clada_edit::TextHunk;
use clada_fs::Roots;
use clada_journal::Applied;
use clada_protocol::{PlanResult, PlannedAction, PlannedHunk, SharedText, Unplannable};
use clada_schema::Action;

use super::approve::{Approvals, is_cut, ready_to_ask};
use super::part::{action_id, hunk_id};
use super::plain::decide::is_applied_by;
use super::plan_check::{PlanCheck, terms};
use super::planner::Planner;
use super::promise::{Promise, exact, hunks_of};
use super::resume::Resumable;
use super::review::{Counted, Groups, Hunks, Reviewed};
use super::saved_plan::{SavedPlan, SavedStep, ShownHunks, view_with};
use crate::effect::Effect;
use crate::planned::Planned;
use crate::read::answer::{Answer, ChangeHashes};
use crate::read::proposal::Offered;
use crate::results::diff;
use crate::results::report::Budget;
use crate::results::weight::text_weight;
use crate::rules::Rules;
use crate::stop::Stop;
use crate::view::{Content, View};
use crate::write::Before;

// The parts of a result that share its bytes: the actions, the diff, the files.
const SHARES: usize = 3;

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
}

// Returns whether the question about an action is cut, and the diff does not show its change either.
fn hides(planned: &Planned, view: &View<'_>) -> bool {
    let change = planned.approval.as_ref().and_then(|approval| approval.change.as_deref());
    let is_secret = |effect: &Effect| effect.paths().any(|path| view.is_secret(path));
    change.is_some_and(is_cut) && planned.outcome.as_ref().is_ok_and(is_secret)
}

const SHOWN_HUNK_WEIGHT: usize = 40;

// The size in bytes above which a hunk shares the text of its plan's diff.
const SHARED: usize = 1 << 10;

// The hunks that may be missing from that diff before the others are not looked for.
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
    // The place from which the next hunk is searched: hunks and diff are in the order of the plan, but for
    // files that several actions change.
    from: usize,
    missed: usize,
}

impl PlanDiff {
    pub(super) fn new(whole: String) -> PlanDiff {
        PlanDiff { whole: whole.into(), from: 0, missed: 0 }
    }

    // Returns `hunk` as a part of the diff, if it is a large one that is found there.
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
