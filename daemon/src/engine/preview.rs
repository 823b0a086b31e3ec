//! The preview of an `execute`: what a user is shown before it is applied, and the plan that shows whether it is
//! still that.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clada_apply::{PlanInputs, Rules, SavedPlan};
use clada_config::McpApprovals;
use clada_protocol::{
    Approval, ApprovalKind, ExecuteParams, PlanResult, PlannedAction, RpcError, SharedText, visible_line,
};

use super::commanding::CommandOptions;
use super::executing::{OpenedAnswer, path_overrides, plain_rules};
use super::request::ProjectRequest;
use crate::project::{OwnOperations, Project, ReadScope};

/// The most bytes of a preview that a person is asked about: approvals and diff, as JSON.
pub const MAX_PREVIEW: usize = 4 << 20;
/// The room for planning one: the diff alone may take a third of it, the approvals a quarter.
const PLANNED_BYTES: usize = 4 * MAX_PREVIEW;

const MAX_TOLD: usize = 10;

/// The effect that an `execute` would have, as a user is shown it.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The approvals that it needs.
    pub approvals: Vec<Approval>,
    /// All changes of files.
    pub diff: SharedText,
    actions: Vec<(String, blake3::Hash)>,
    whole: blake3::Hash,
    is_whole: bool,
    ended: u64,
    plan: Arc<SavedPlan>,
    /// What it depends on: an operation that changes nothing of it leaves it as it is.
    reach: ReadScope,
}

impl ProjectRequest {
    /// Returns for how long an agent's answer waits for a person's approval; `None`: it does not.
    pub(crate) fn approval_wait(&self) -> Result<Option<Duration>, RpcError> {
        let settings = self.settings()?;
        let wait = Duration::from_millis(settings.limits.approval_wait);
        Ok((settings.mcp_approvals == McpApprovals::Wait).then_some(wait))
    }

    /// Returns the room for the result of a tool, in characters.
    pub(crate) fn tool_output(&self) -> Result<usize, RpcError> {
        Ok(usize::try_from(self.settings()?.limits.mcp_output).unwrap_or(usize::MAX))
    }

    /// Returns what `execute` of an answer would do now; what was `shown` before, if nothing is different that planning
    /// it has read.
    pub(crate) fn preview(
        &self,
        opened: OpenedAnswer,
        params: &ExecuteParams,
        shown: Option<&Preview>,
    ) -> Result<Preview, RpcError> {
        // Comes first: what ends while this is planned counts as later.
        let ended = self.project().ended().count();
        let OpenedAnswer { answer, source, is_new } = opened;
        let roots = self.roots_with(path_overrides(params))?;
        self.require_project(&roots, params.approve.as_ref())?;
        let options = answer.has_commands().then(|| CommandOptions::of(params));
        let commands = self.commands(&roots, options)?;
        let rules =
            self.rules(&roots)?.matching(params.match_level.or(source.match_level)).literal(params.literal);
        let rules = rules.with_commands(commands).plain(plain_rules(&roots, params)?);
        // The project's `limits.result_bytes` bounds results; what a person approves is shown whole or not at
        // all.
        let rules = Rules { working_set: self.context().working_set(), result_bytes: PLANNED_BYTES, ..rules };
        let may_be_applied = Some(&source).filter(|_| is_new && !params.again);
        let applied = self.applied(&roots, may_be_applied, &HashMap::new(), &mut Vec::new());
        let stop = || self.context().stop();
        let inputs = PlanInputs { roots: &roots, rules: &rules, applied: &applied, stop: &stop };
        if let Some(shown) = shown.filter(|shown| shown.plan.is_unchanged(inputs)) {
            return Ok(Preview { ended, ..shown.clone() });
        }
        let (plan, planned) = SavedPlan::make(answer, source, inputs, None);
        let has_command = planned.approvals.iter().any(|approval| approval.kind == ApprovalKind::Command);
        let reach = match has_command {
            true => ReadScope::Everything,
            false => ReadScope::Folders(roots.paths().map(Path::to_path_buf).collect()),
        };
        Ok(Preview::new(Arc::new(plan), planned, ended, reach))
    }
}

impl Preview {
    fn new(plan: Arc<SavedPlan>, planned: PlanResult, ended: u64, reach: ReadScope) -> Preview {
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
            plan,
            reach,
        }
    }

    /// Returns whether a person can be shown all of it: nothing is cut, and it takes less than 4 MB as JSON.
    #[must_use]
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns what is different in `now`, in lines for a person; `operations` says what was changed since of what it
    /// depends on. `None`: nothing is, to the byte, and nothing was.
    #[must_use]
    pub(crate) fn difference(&self, now: &Preview, operations: &[String]) -> Option<String> {
        if self.whole == now.whole && operations.is_empty() {
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
        lines.extend(others.iter().take(MAX_TOLD).map(|words| format!("The plan changed: {words}.")));
        if others.len() > MAX_TOLD {
            lines.push(format!("{} more actions are planned otherwise now.", others.len() - MAX_TOLD));
        }
        if lines.is_empty() {
            lines.push("What is planned is not to the byte what was shown.".to_owned());
        }
        Some(lines.join("\n"))
    }

    /// Returns what operations have changed since it was made of what it depends on, in words.
    #[must_use]
    pub(crate) fn changes_since(&self, project: &Project) -> Vec<String> {
        project.ended().since(self.ended, &self.reach, project.root(), OwnOperations::default())
    }
}

fn in_words(action: &PlannedAction) -> String {
    let about = action.command.as_deref().or(action.path.as_deref()).unwrap_or_default();
    let about: String = visible_line(about).chars().take(200).collect();
    format!("task {}, {} {about}", action.task, action.action).trim_end().to_owned()
}
