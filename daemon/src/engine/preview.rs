//! The preview of an `execute`: what a person is shown before it is carried out, so that it can be told
//! whether it is still that. Nothing is kept of it but this.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use clada_apply::{Answer, Atomicity, Reading, Resumable, Rules, SavedPlan};
use clada_config::McpApprovals;
use clada_protocol::{
    Approval, ExecuteParams, PlanResult, PlannedAction, RpcError, SharedText, visible_line,
};

use super::commanding::CommandOptions;
use super::planning::{atomicity, check_size};
use super::request::ProjectRequest;
use super::roots::PathOverrides;

/// The most bytes of a preview that a person is asked about: approvals and diff, as JSON.
pub const MAX_PREVIEW: usize = 4 << 20;
/// The room for planning one: the diff alone may take a third of it, the approvals a quarter.
const PLANNED_BYTES: usize = 4 * MAX_PREVIEW;

/// The most actions that are named as others than before.
const MAX_TOLD: usize = 10;

/// The source of an `execute`.
#[derive(Debug, Clone, Copy)]
pub enum Previewed<'a> {
    /// An answer.
    Text(&'a Arc<str>),
    /// A plan.
    Plan(&'a SavedPlan),
    /// The rest of an operation.
    Left(&'a Resumable),
}

/// The effect that an `execute` would have, as a user is shown it.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The approvals that it needs.
    pub approvals: Vec<Approval>,
    /// All changes of files.
    pub diff: SharedText,
    /// The actions: in words, and the hash of exactly what is planned of each.
    actions: Vec<(String, blake3::Hash)>,
    /// The hash of all of them, and of what is shown.
    whole: blake3::Hash,
    /// True if nothing of it is cut, and it is not too large.
    is_whole: bool,
    /// The number of operations of agents that had ended in the project before it was made.
    ended: u64,
}

impl ProjectRequest {
    /// Returns for how long an agent's answer waits for a person's approval; `None`: it does not.
    ///
    /// # Errors
    /// `invalid_config`.
    pub fn approval_wait(&self) -> Result<Option<Duration>, RpcError> {
        let settings = self.settings()?;
        let wait = Duration::from_millis(settings.limits.approval_wait);
        Ok((settings.mcp_approvals == McpApprovals::Wait).then_some(wait))
    }

    /// Returns the room for the result of a tool, in characters.
    ///
    /// # Errors
    /// `invalid_config`.
    pub fn tool_output(&self) -> Result<usize, RpcError> {
        Ok(usize::try_from(self.settings()?.limits.mcp_output).unwrap_or(usize::MAX))
    }

    /// Returns what `execute` of `previewed` would do now.
    ///
    /// # Errors
    /// As for `execute`.
    pub fn preview(&self, previewed: Previewed<'_>, params: &ExecuteParams) -> Result<Preview, RpcError> {
        // Comes first: what ends while this is planned counts as later.
        let ended = self.project().agent_operations();
        let settings = self.settings()?;
        let overrides = PathOverrides {
            allow_escape: params.allow_escape,
            include_secrets: params.include_secrets,
            umask: params.umask,
        };
        let roots = self.roots_with(overrides)?;
        self.require_project(&roots, params.approve.as_ref())?;
        let (answer, source, is_new) = match previewed {
            Previewed::Text(text) => {
                check_size(text, settings)?;
                let reading = Reading::new(params.dialects.as_deref(), settings)?;
                let atomicity = atomicity(params.atomic);
                let answer = Answer { atomicity, ..reading.read_shared(text) };
                let source = Resumable::new(Arc::clone(text), reading, atomicity, params.match_level);
                (answer, Some(source), true)
            }
            Previewed::Plan(plan) => {
                let source = plan.wanted(params.accept.as_deref());
                let answer = source.as_ref().map(|source| source.rest(plan.answer().atomicity));
                (answer.unwrap_or_else(|| plan.answer().clone()), source, !plan.is_once_more())
            }
            Previewed::Left(left) => {
                let atomicity = if params.atomic { Atomicity::AllOrNothing } else { left.atomicity };
                (left.rest(atomicity), Some(left.clone()), false)
            }
        };
        let commands = match answer.has_commands() {
            true => self.commands(&roots, &CommandOptions::of(params))?,
            false => None,
        };
        let match_level = params.match_level.or(source.as_ref().and_then(|source| source.match_level));
        let rules = self.rules(&roots)?.matching(match_level).literal(params.literal);
        let rules = rules.with_commands(commands);
        // The project's `limits.result_bytes` bounds results; what a person approves is shown whole or not at
        // all.
        let rules = Rules { working_set: self.context().working_set(), result_bytes: PLANNED_BYTES, ..rules };
        let applied = match source.filter(|_| is_new && !params.again) {
            Some(source) => self.applied_of(&roots, &source, &HashMap::new(), &mut Vec::new()),
            None => HashMap::new(),
        };
        let stop = || self.context().stop();
        let (plan, planned) = SavedPlan::preview(answer, &applied, (&roots, &rules), &stop);
        Ok(Preview::new(&plan, planned, ended))
    }
}

impl Preview {
    fn new(plan: &SavedPlan, planned: PlanResult, ended: u64) -> Preview {
        let actions: Vec<_> = planned.actions.iter().map(in_words).zip(plan.promises()).collect();
        let mut whole = blake3::Hasher::new();
        for (_, promise) in &actions {
            whole.update(promise.as_bytes());
        }
        let shown = serde_json::to_vec(&(&planned.approvals, &planned.diff)).unwrap_or_default();
        whole.update(&shown);
        Preview {
            whole: whole.finalize(),
            actions,
            is_whole: plan.shows_all() && shown.len() <= MAX_PREVIEW,
            approvals: planned.approvals,
            diff: planned.diff,
            ended,
        }
    }

    /// Returns whether a person can be shown all of it: nothing is cut, and it takes less than 4 MB as JSON.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns what is different in `now`, in lines for a person; `operations` says what agents did since.
    /// `None`: nothing is, to the byte, and no operation of an agent has ended since.
    #[must_use]
    pub fn difference(&self, now: &Preview, operations: &[String]) -> Option<String> {
        if self.whole == now.whole && self.ended == now.ended {
            return None;
        }
        let mut lines = operations.to_vec();
        let others: Vec<&String> = now
            .actions
            .iter()
            .enumerate()
            .filter(|(at, (_, hash))| self.actions.get(*at).is_none_or(|(_, before)| before != hash))
            .map(|(_, (words, _))| words)
            .collect();
        lines.extend(others.iter().take(MAX_TOLD).map(|words| format!("Planned otherwise now: {words}.")));
        if others.len() > MAX_TOLD {
            lines.push(format!("{} more actions are planned otherwise now.", others.len() - MAX_TOLD));
        }
        if lines.is_empty() {
            lines.push("What is planned is not to the byte what was shown.".to_owned());
        }
        Some(lines.join("\n"))
    }

    /// Returns the number of operations of agents that had ended before it was made.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ended
    }
}

fn in_words(action: &PlannedAction) -> String {
    let about = action.command.as_deref().or(action.path.as_deref()).unwrap_or_default();
    let about: String = visible_line(about).chars().take(200).collect();
    format!("task {}, {} {about}", action.task, action.action).trim_end().to_owned()
}
