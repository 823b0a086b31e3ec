//! The actions of a plan as its result shows them: what each finds and leaves, and its hunks as far as they
//! have room.
//!
//! So it is as the result of a dry run, of which reports for a model are made. Pure. What of it is kept to be executed
//! later `saved_plan` says.

use clada_edit::TextHunk;
use clada_protocol::{ExecutionResult, PlanResult, PlannedAction, PlannedHunk, SharedText, Unplannable};
use clada_schema::Action;

use super::decision::{action_id, hunk_id};
use super::promise::Promise;
use super::saved_plan::{SavedPlan, SavedStep};
use crate::effect::Effect;
use crate::planned::Planned;
use crate::results::diff;
use crate::results::outcome::Executed;
use crate::results::report::{self, Budget};
use crate::results::weight::text_weight;
use crate::view::View;
use crate::write::Before;

const HUNK_WEIGHT: usize = 40;

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
