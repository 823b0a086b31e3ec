//! `execute`: carries out an answer, the rest of one, or a plan.

use std::collections::HashMap;
use std::sync::Arc;

use clada_apply::{
    Approvals, Atomicity, EditForm, Editor, HandedText, JournalWriter, Operation, Resumable, Rules, RunUntil,
    SavedPlan, changed_sum,
};
use clada_fs::RootedPath;
use clada_journal::{OperationKind, Outline};
use clada_protocol::{Deliver, ErrorKind, ExecuteParams, ExecutionResult, OperationWarning, RpcError};

use super::commanding::CommandOptions;
use super::committing::{self, CommitOptions, tell};
use super::lock_file::lock_file;
use super::locking::hold;
use super::operation_events::name_once;
use super::overlays;
use super::planning::{ApprovedPreview, OpenedAnswer, decide, plain_rules};
use super::recording::finish;
use super::request::ProjectRequest;
use super::roots::PathOverrides;
use super::undoing::short_ids;

/// The end of an operation.
#[derive(Debug)]
pub struct Ended {
    /// The result for the caller.
    pub result: ExecutionResult,
    /// The part of it that can be resumed; `None` if it changed nothing, or there was nothing in it.
    pub resumable: Option<Resumable>,
}

pub(super) struct ExecuteRequest<'a> {
    pub(super) params: &'a ExecuteParams,
    pub(super) until: RunUntil,
    pub(super) source: Option<&'a Resumable>,
    /// True if the answer may have been carried out before: it was not taken up again on purpose.
    pub(super) is_new: bool,
    pub(super) buffers: HashMap<RootedPath, blake3::Hash>,
    pub(super) has_commands: bool,
    pub(super) title: Option<String>,
}

impl<'a> ExecuteRequest<'a> {
    pub(super) fn new(params: &'a ExecuteParams, source: Option<&'a Resumable>) -> ExecuteRequest<'a> {
        let (until, buffers) = (until(params), HashMap::new());
        ExecuteRequest { params, until, source, is_new: true, buffers, has_commands: false, title: None }
    }

    fn of_plan(plan: &SavedPlan, params: &'a ExecuteParams, source: &'a Resumable) -> ExecuteRequest<'a> {
        ExecuteRequest {
            // It may have been carried out since, by its text or by this very plan.
            is_new: until(params) == RunUntil::Done && !plan.is_once_more(),
            buffers: plan.buffers(),
            has_commands: plan.has_commands(),
            title: source.title(&plan.answer().blocks),
            ..ExecuteRequest::new(params, Some(source))
        }
    }
}

impl ProjectRequest {
    /// `execute` of a text.
    ///
    /// # Errors
    /// As for `Engine::parse`; `approval_required` for a root that is never a project by itself;
    /// `conflict` if the root was replaced by another folder; `busy` or `cancelled` if it ended while another
    /// operation held the project. Failures of single actions are in the result.
    pub fn execute(&self, text: impl Into<Arc<str>>, params: &ExecuteParams) -> Result<Ended, RpcError> {
        self.execute_opened(self.open_text(&text.into(), params)?, params)
    }

    pub(crate) fn resume(&self, resumable: &Resumable, params: &ExecuteParams) -> Result<Ended, RpcError> {
        self.execute_opened(OpenedAnswer::of_operation(resumable, params), params)
    }

    fn execute_opened(&self, opened: OpenedAnswer, params: &ExecuteParams) -> Result<Ended, RpcError> {
        let OpenedAnswer { answer, source, is_new } = opened;
        let params = ExecuteParams { match_level: source.match_level, ..params.clone() };
        let source = source.called_with(&params);
        let has_commands = answer.has_commands();
        let title = source.title(&answer.blocks);
        let request =
            ExecuteRequest { is_new, has_commands, title, ..ExecuteRequest::new(&params, Some(&source)) };
        self.run(&request, |operation| Ok((operation.execute(answer, request.until), Vec::new())))
    }

    pub(crate) fn execute_approved(
        &self,
        approved: &ApprovedPreview,
        params: &ExecuteParams,
    ) -> Result<Ended, RpcError> {
        let plan = &approved.preview.plan;
        let params = ExecuteParams { match_level: plan.source().match_level, ..params.clone() };
        let source = plan.source().clone().called_with(&params);
        let request = ExecuteRequest::of_plan(plan, &params, &source);
        self.run(&request, |operation| Ok((approved.execute(operation, self.project())?, Vec::new())))
    }

    /// `execute` of a saved plan: with `accept` exactly what was planned of it, else the same as of its text,
    /// but for what was changed since.
    pub(crate) fn execute_saved(
        &self,
        saved_plan: &SavedPlan,
        params: &ExecuteParams,
        approved: Option<&ApprovedPreview>,
    ) -> Result<Ended, RpcError> {
        // An agent's decline is never reported as the user's.
        let decision = decide(saved_plan, params)?.by_user(!self.context().is_agent());
        // A plan is carried out as it was made: a request that wants it otherwise is refused, not half
        // obeyed.
        if params.atomic && saved_plan.answer().atomicity != Atomicity::AllOrNothing {
            let message = "execute: `atomic` is decided when a plan is made; this one was made without it";
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        if params.match_level.is_some() {
            let message = "match: a plan is applied as it was made";
            return Err(RpcError::new(ErrorKind::InvalidParams, message).hint("give it to `plan` instead"));
        }
        let editor = self.editor(params)?;
        // A user who chooses has seen what guards found, and takes it as it is written: not for what is left.
        let call = ExecuteParams { literal: params.literal && params.accept.is_none(), ..params.clone() };
        let source = saved_plan.accepted(&decision).called_with(&call);
        let request = ExecuteRequest::of_plan(saved_plan, params, &source);
        self.run(&request, |operation| {
            if let Some(approved) = approved {
                approved.require_current(operation, self.project())?;
            }
            let Some(editor) = &editor else {
                return Ok((operation.execute_saved(saved_plan, &decision), Vec::new()));
            };
            let (result, texts) = operation.deliver(saved_plan, &decision, editor).map_err(|why| {
                RpcError::new(ErrorKind::InvalidParams, format!("execute: {why}"))
                    .hint("save the documents, then apply the answer again")
            })?;
            self.project().handed_texts().keep(source.answer(), texts.clone());
            Ok((result, texts))
        })
    }

    fn run(
        &self,
        request: &ExecuteRequest<'_>,
        work: impl FnOnce(&Operation<'_>) -> Result<(ExecutionResult, Vec<HandedText>), RpcError>,
    ) -> Result<Ended, RpcError> {
        let result = self.operate(request, work)?;
        let is_resumable = request.until == RunUntil::Done && result.total_blocks > 0;
        let source = request.source.filter(|_| is_resumable);
        let resumable = source.map(|source| source.clone().after(&result.results));
        Ok(Ended { result, resumable })
    }

    fn editor(&self, params: &ExecuteParams) -> Result<Option<Editor>, RpcError> {
        let loaded = match params.deliver {
            Deliver::Disk => return Ok(None),
            Deliver::Edits => None,
            Deliver::Mixed => {
                let roots = self.roots_with(PathOverrides::of_execute(params))?;
                Some(overlays::documents(&roots, "edits", &params.edits)?)
            }
        };
        Ok(Some(Editor { loaded, form: EditForm { lines: params.lines, units: params.units } }))
    }

    pub(super) fn operate(
        &self,
        request: &ExecuteRequest<'_>,
        work: impl FnOnce(&Operation<'_>) -> Result<(ExecutionResult, Vec<HandedText>), RpcError>,
    ) -> Result<ExecutionResult, RpcError> {
        let ExecuteRequest { params, until, .. } = *request;
        let roots = self.roots_with(PathOverrides::of_execute(params))?;
        self.require_project(&roots, params.approve.as_ref())?;
        let lock_file = match until {
            RunUntil::Done => lock_file(params, self.context())?,
            RunUntil::Planned => None,
        };
        let (held, mut warnings) = match until {
            RunUntil::Done => self.hold(&roots)?,
            RunUntil::Planned => (None, Vec::new()),
        };
        let never_shown = self.require_still_shown(params, until)?;
        let ended = self.project().ended().count();
        let approvals = Approvals::of_request(params.approve.as_ref(), &params.decline);
        let approvals = approvals.without_commands(never_shown);
        if request.has_commands {
            self.fix_folder_rules(&roots);
        }
        let options = request.has_commands.then(|| CommandOptions::of(params));
        let commands = self.commands(&roots, options)?;
        let rules = self.rules(&roots)?.matching(params.match_level).literal(params.literal);
        let rules = rules.counting(params.lines).with_commands(commands).plain(plain_rules(&roots, params)?);
        let rules = Rules { working_set: self.context().working_set(), ..rules };
        let stop = || self.context().stop();
        let id = self.engine.next_id();
        let may_be_applied = request.source.filter(|_| request.is_new && !params.again);
        let applied = self.applied(&roots, may_be_applied, &request.buffers, &mut warnings);
        let hold = hold(&id, held.as_ref(), lock_file.as_ref())?;
        let journal_writer = match (&held, params.no_undo) {
            (Some(held), false) => self
                .journal_writer(held, &id, OperationKind::Execute, None, self.details(request.source))
                .unless(held.unsettled.as_ref()),
            _ => JournalWriter::nowhere(),
        };
        let committing = match until {
            RunUntil::Done => self.committing(CommitOptions::by(params), &id, None)?,
            RunUntil::Planned => committing::Committing::default(),
        };
        let mut saves = self.saves(&roots, params, until == RunUntil::Done)?;
        let (journal_writer, no_commits) = match &saves {
            None => committing.with(journal_writer),
            // What the editor saves belongs to the same commit.
            Some(_) => {
                self.postpone(committing);
                (journal_writer, None)
            }
        };
        let journal_writer = journal_writer.observed_by(self.change_observer()).holding(hold);
        tracing::info!(operation = %id, root = %self.requested_root().display(), "operation begins");
        let operation = Operation {
            id: id.clone(),
            roots: &roots,
            rules: &rules,
            approvals: &approvals,
            journal_writer: &journal_writer,
            applied: &applied,
            stop: &stop,
            notify: &|event| self.context().tell(event),
            acting: &|acting| self.context().acting(acting),
        };
        let before = match until {
            // The operation itself detects the changes of commands.
            RunUntil::Done if !request.has_commands => self.stands_before(&roots),
            _ => None,
        };
        let (mut result, handed) = work(&operation)?;
        if let Some(saves) = &mut saves {
            saves.set_handed(&handed);
        }
        self.add_changes_of_others(&roots, before, &mut result);
        name_once(&roots, &mut result.external_changes);
        if until == RunUntil::Done {
            self.add_changed(&journal_writer, &roots, params.show, &mut result)?;
            let changed = changed_sum(&result.changed, result.changed_more);
            journal_writer.set_outline(Outline { title: request.title.clone(), changed, head: None });
        }
        let has_changed = journal_writer.has_changed();
        if until == RunUntil::Done {
            let nets = journal_writer.nets();
            let changed = nets.iter().filter(|net| net.place.root == self.root());
            warnings.extend(self.instructions_warning(changed.map(|net| net.place.relative.as_path()))?);
            self.note_end(&result.operation_id, params.plan_id.as_deref(), &journal_writer);
        }
        self.show_approvals(&result.approvals, None, ended, Some(&result.operation_id));
        let outcome = self.outcome(&journal_writer, OperationKind::Execute, &result.operation_id, None);
        warnings.extend(finish(&journal_writer, Some(&result.results), result.success));
        if held.is_some() {
            warnings.extend(self.journal().take_warnings());
        }
        // Nothing at all was done: that is no failure of single actions.
        let not_begun = journal_writer.not_begun().filter(|_| !has_changed);
        result.fatal_error = result.fatal_error.or(not_begun);
        let (report, failure) = self.committed(journal_writer, no_commits.filter(|_| has_changed));
        tell(&mut result, report, failure);
        result.short_ids = short_ids(self.journal(), [result.operation_id.as_str()]);
        // What is wrong with the configuration is the user's, as it is in `status`.
        if !self.context().is_agent() {
            warnings.extend(self.config().warnings(Some(self.project().layer())));
        }
        let unplaced = |message| OperationWarning { task: None, message };
        result.warnings.extend(warnings.into_iter().map(unplaced));
        if let (Some(saves), Some(held)) = (&saves, &held) {
            self.await_editor((&roots, held, &id), saves, request, &mut result)?;
        }
        tracing::info!(operation = %result.operation_id, success = result.success, "operation ends");
        self.operated(outcome);
        if until == RunUntil::Done && !self.is_decided {
            self.publish_pending_approvals(&result);
        }
        Ok(result)
    }
}

fn until(params: &ExecuteParams) -> RunUntil {
    if params.changes_nothing() { RunUntil::Planned } else { RunUntil::Done }
}
