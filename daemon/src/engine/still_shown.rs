//! Holds approvals to the state in which a person was shown them.
//!
//! An approval's id binds a command and its program, but a command reads more than that. If an operation has ended
//! since that changed a file which the command could read, whichever root it ran in, the person is asked again. So
//! they are if this daemon does not know that they were shown it, such as after a restart. The plan with which an
//! agent's answer waits is applied once it is approved, unless it would do something else by then.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use clada_apply::{JournalWriter, Operation, PlanInputs, Rules, RunUntil, SavedPlan};
use clada_protocol::{
    Approval, ApprovalKind, Approve, CallerKind, ErrorKind, ExecuteParams, ExecutionResult, PlanResult,
    PlannedAction, RpcError, STALE_APPROVALS, SharedText, visible_line,
};

use super::answering::{OpenedAnswer, plain_rules};
use super::commanding::CommandOptions;
use super::request::ProjectRequest;
use super::roots::PathOverrides;
use crate::project::{OwnOperations, Project, ReadScope, ShownAt, Touched};

/// The most bytes of a preview that a person is asked about: approvals and diff, as JSON.
pub(crate) const MAX_PREVIEW: usize = 4 << 20;
/// The room for planning one: the diff alone may take a third of it, the approvals a quarter.
const PLANNED_BYTES: usize = 4 * MAX_PREVIEW;

const MAX_TOLD: usize = 10;

/// The effect that an `execute` would have, as a user is shown it.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) approvals: Vec<Approval>,
    pub(crate) diff: SharedText,
    actions: Vec<(usize, String)>,
    is_whole: bool,
    ended: u64,
    pub(super) plan: SavedPlan,
    /// What it depends on: an operation that changes nothing of it leaves it as it is.
    reach: ReadScope,
}

impl ProjectRequest {
    pub(super) fn note_end(&self, id: &str, plan: Option<&str>, journal_writer: &JournalWriter) {
        let nets = journal_writer.nets();
        let files = nets.iter().map(|net| net.place.root.join(&net.place.relative)).collect();
        self.project().ended().end(id, self.whose(), plan, Touched::Files(files));
    }

    /// Notes that a person is shown `approvals`: by a plan, or at the end of an operation. `ended` operations had
    /// ended before. What an agent has planned shows a person nothing.
    pub(crate) fn show_approvals(
        &self,
        approvals: &[Approval],
        plan: Option<&str>,
        ended: u64,
        operation: Option<&str>,
    ) {
        if self.whose() == CallerKind::Agent {
            return;
        }
        let at = ShownAt { ended, operation: operation.map(str::to_owned) };
        for approval in approvals.iter().filter(|approval| approval.kind == ApprovalKind::Command) {
            let with_network = approval.command.as_ref().and_then(|command| command.with_network.as_ref());
            for id in std::iter::once(&approval.id).chain(with_network) {
                self.project().shown_approvals().show(plan, id, &at);
            }
        }
    }

    /// Returns those of the given ids for which a command is not run, since nobody was shown it.
    ///
    /// # Errors
    /// A conflict means that nothing was done and the user has to be asked again.
    pub(super) fn require_still_shown(
        &self,
        params: &ExecuteParams,
        until: RunUntil,
    ) -> Result<Vec<String>, RpcError> {
        let Some(Approve::Ids(ids)) = &params.approve else { return Ok(Vec::new()) };
        // An agent's answer that waited has a check that covers all of it.
        if until != RunUntil::Done || self.whose() == CallerKind::Agent {
            return Ok(Vec::new());
        }
        let plan = params.plan_id.as_deref();
        let (mut changes, mut never_shown): (Vec<String>, _) = (Vec::new(), Vec::new());
        for id in ids {
            let Some(shown) = self.project().shown_approvals().get(plan, id).cloned() else {
                never_shown.push(id.clone());
                continue;
            };
            let own = OwnOperations { operation: shown.operation.as_deref(), plan };
            let ended = self.project().ended();
            for change in ended.since(shown.ended, &ReadScope::Everything, self.root(), own) {
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
        }
        if changes.is_empty() {
            return Ok(never_shown);
        }
        let message = format!(
            "Nothing was done, because files have changed since you were asked. {}",
            changes.join(" ")
        );
        Err(RpcError::new(ErrorKind::Conflict, message)
            .with(STALE_APPROVALS, true)
            .hint("run it again, and check what needs your approval"))
    }

    pub(crate) fn preview(&self, opened: OpenedAnswer, params: &ExecuteParams) -> Result<Preview, RpcError> {
        // Comes first: what ends while this is planned counts as later.
        let ended = self.project().ended().count();
        let OpenedAnswer { answer, source, is_new } = opened;
        let roots = self.roots_with(PathOverrides::of_execute(params))?;
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
        let (plan, planned) = SavedPlan::make(answer, source, inputs, None);
        let has_command = planned.approvals.iter().any(|approval| approval.kind == ApprovalKind::Command);
        let reach = match has_command {
            true => ReadScope::Everything,
            false => ReadScope::Folders(roots.paths().map(Path::to_path_buf).collect()),
        };
        let plan = plan.once_more(!is_new || params.again);
        Ok(Preview::new(plan, planned, ended, reach))
    }
}

impl Preview {
    fn new(plan: SavedPlan, planned: PlanResult, ended: u64, reach: ReadScope) -> Preview {
        let shown = serde_json::to_vec(&(&planned.approvals, &planned.diff)).unwrap_or_default();
        Preview {
            is_whole: plan.shows_all() && shown.len() <= MAX_PREVIEW,
            approvals: planned.approvals,
            diff: planned.diff,
            actions: planned.actions.iter().map(|action| (action.seq, in_words(action))).collect(),
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

    /// Returns what is different in `now`, in lines for a person, with what operations have changed meanwhile of what it
    /// depends on.
    #[must_use]
    pub(crate) fn difference(&self, now: &Preview, project: &Project) -> String {
        let mut lines = self.changes_since(project);
        let changed = now.plan.changed_steps(&self.plan);
        let changed = now.actions.iter().filter(|(seq, _)| changed.contains(seq));
        let words = changed.clone().take(MAX_TOLD).map(|(_, words)| format!("The plan changed: {words}."));
        lines.extend(words);
        if let Some(more @ 1..) = changed.count().checked_sub(MAX_TOLD) {
            lines.push(format!("{more} more actions are planned otherwise now."));
        }
        if lines.is_empty() {
            lines.push("What is planned is not to the byte what was shown.".to_owned());
        }
        lines.join("\n")
    }

    fn changes_since(&self, project: &Project) -> Vec<String> {
        project.ended().since(self.ended, &self.reach, project.root(), OwnOperations::default())
    }
}

/// A preview that a user has approved, and what to call when its plan begins to be applied.
pub(crate) struct ApprovedPreview {
    pub(super) preview: Arc<Preview>,
    begins: Box<dyn Fn() + Send + Sync>,
}

impl ApprovedPreview {
    pub(crate) fn new(preview: Arc<Preview>, begins: impl Fn() + Send + Sync + 'static) -> ApprovedPreview {
        ApprovedPreview { preview, begins: Box::new(begins) }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.preview.plan.bytes()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = String> + '_ {
        self.preview.approvals.iter().map(|approval| approval.id.clone())
    }

    /// A conflict with [`STALE_APPROVALS`] means that nothing was done, and the user has to be asked again.
    pub(super) fn execute(
        &self,
        operation: &Operation<'_>,
        project: &Project,
    ) -> Result<ExecutionResult, RpcError> {
        let Preview { plan, approvals, .. } = &*self.preview;
        let is_current = self.preview.changes_since(project).is_empty();
        let result = is_current.then(|| operation.execute_shown(plan, approvals, &self.begins));
        result.flatten().ok_or_else(stale)
    }

    /// Requires the same of a plan that it was made from, which is applied instead of it.
    pub(super) fn require_current(
        &self,
        operation: &Operation<'_>,
        project: &Project,
    ) -> Result<(), RpcError> {
        let Preview { plan, approvals, .. } = &*self.preview;
        let is_current = self.preview.changes_since(project).is_empty();
        if !is_current || !operation.is_as_shown(plan, approvals) {
            return Err(stale());
        }
        (self.begins)();
        Ok(())
    }
}

fn stale() -> RpcError {
    RpcError::new(ErrorKind::Conflict, "The plan is not any more what was approved")
        .with(STALE_APPROVALS, true)
}

fn in_words(action: &PlannedAction) -> String {
    let about = action.command.as_deref().or(action.path.as_deref()).unwrap_or_default();
    let about: String = visible_line(about).chars().take(200).collect();
    format!("task {}, {} {about}", action.task, action.action).trim_end().to_owned()
}
