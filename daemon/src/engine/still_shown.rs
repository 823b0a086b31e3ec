//! Holds approvals of commands to the state in which a person was shown them.
//!
//! An approval's id binds a command and its program, but a command reads more than that. If an operation has ended
//! since that changed a file which the command could read, whichever root it ran in, the person is asked again. So
//! they are if this daemon does not know that they were shown it, such as after a restart.

use clada_apply::{JournalWriter, RunUntil};
use clada_protocol::{
    Approval, ApprovalKind, Approve, CallerKind, ErrorKind, ExecuteParams, RpcError, STALE_APPROVALS,
};

use super::request::ProjectRequest;
use crate::project::{OwnOperations, ReadScope, ShownAt, Touched};

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
}
