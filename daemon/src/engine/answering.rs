//! `parse`, `plan` and `execute`: what an answer says, what it would change, and its way to the files, as a text, as
//! the rest of an operation or as a plan.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clada_apply::{
    Answer, Approvals, Atomicity, Counted, Decision, EditForm, Editor, HandedText, JournalWriter, Operation,
    PlainRule, PlainRules, PlanInputs, Progress, Reading, Resumable, Rules, RunUntil, SavedPlan, View,
    changed_sum, needed, unknown_ids,
};
use clada_config::Settings;
use clada_fs::{RootedPath, Roots};
use clada_journal::{OperationKind, Outline};
use clada_protocol::{
    Approval, Deliver, ErrorKind, ExecuteParams, ExecutionResult, MatchLevel, OperationWarning, ParseParams,
    ParseResult, PlainMode, PlanParams, PlanResult, RpcError,
};

use super::commanding::CommandOptions;
use super::committing::{self, CommitOptions, tell};
use super::environment::Environment;
use super::lock_file::lock_file;
use super::locking::hold;
use super::operation_events::name_once;
use super::overlays::{self, check_size};
use super::preview::ApprovedPreview;
use super::recording::finish;
use super::request::{PathOverrides, ProjectRequest};
use super::roots::from_root;
use super::shown::short_ids;

const MOST_CONTEXT: usize = 100;

pub(crate) struct OpenedAnswer {
    pub(super) answer: Answer,
    pub(super) source: Resumable,
    /// True if it may have been applied before: it was not taken up again on purpose.
    pub(super) is_new: bool,
}

impl OpenedAnswer {
    pub(crate) fn of_operation(resumable: &Resumable, params: &ExecuteParams) -> OpenedAnswer {
        let atomicity = if params.atomic { Atomicity::AllOrNothing } else { resumable.atomicity };
        let source = resumable.with_options(atomicity, params.match_level.or(resumable.match_level));
        OpenedAnswer { answer: source.rest(atomicity), source, is_new: false }
    }

    pub(crate) fn of_plan(plan: &SavedPlan, params: &ExecuteParams) -> Result<OpenedAnswer, RpcError> {
        let source = plan.accepted(&decide(plan, params)?);
        let answer = source.rest(plan.answer().atomicity);
        Ok(OpenedAnswer { answer, source, is_new: !plan.is_once_more() })
    }
}

impl ProjectRequest {
    pub(crate) fn parse(&self, params: &ParseParams) -> Result<ParseResult, RpcError> {
        // Comes first: what ends while this is read counts as later.
        let ended = self.project().ended().count();
        let settings = self.settings()?;
        let mut answer = read(params, settings)?;
        let roots = self.roots()?;
        hold_against(&mut answer, Some(roots), self.environment(), settings);
        answer.propose(&View::new(roots), &self.rules(roots)?, None);
        let approvals = self.needed(&answer, params)?;
        self.show_approvals(&approvals, None, ended, None);
        Ok(ParseResult { approvals, ..answer.into_parse_result() })
    }

    fn needed(&self, answer: &Answer, params: &ParseParams) -> Result<Vec<Approval>, RpcError> {
        let roots = self.roots()?;
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(roots, answer.has_commands().then(options))?;
        let rules = self.rules(roots)?.with_commands(commands);
        Ok(needed(answer, roots, &rules, &|| self.context().stop()))
    }

    /// `plan` of a text: returns the plan to keep, and the result without id and lifetime.
    pub(crate) fn plan(
        &self,
        text: &Arc<str>,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let source = self.read_text(text, params.dialects.as_deref(), params.atomic, params.match_level)?;
        self.plan_rest(source.remaining(source.atomicity), source, params.again, params)
    }

    pub(super) fn read_text(
        &self,
        text: &Arc<str>,
        dialects: Option<&[String]>,
        atomic: bool,
        match_level: Option<MatchLevel>,
    ) -> Result<Resumable, RpcError> {
        let settings = self.settings()?;
        check_size(text, settings)?;
        let reading = Reading::new(dialects, settings)?;
        Ok(Resumable::new(Arc::clone(text), reading, atomicity(atomic), match_level))
    }

    pub(crate) fn open_text(
        &self,
        text: &Arc<str>,
        params: &ExecuteParams,
    ) -> Result<OpenedAnswer, RpcError> {
        let source = self.read_text(text, params.dialects.as_deref(), params.atomic, params.match_level)?;
        Ok(OpenedAnswer { answer: source.remaining(source.atomicity), source, is_new: true })
    }

    /// `plan` of the rest of an operation: what did not succeed, and what was not accepted, which is offered again.
    pub(crate) fn plan_resumed(
        &self,
        resumable: &Resumable,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let params = resumable.planned_as_before(params, self.whose());
        let operation = params.resume.clone().unwrap_or_default();
        let source = resumable.clone().offering_left_out(operation).with_options(
            if params.atomic { Atomicity::AllOrNothing } else { resumable.atomicity },
            params.match_level.or(resumable.match_level),
        );
        self.plan_rest(source.rest(source.atomicity), source, params.again, &params)
    }

    /// `plan` of what is left to do of a plan after `progress`, or of what `only` names of it.
    pub(crate) fn plan_again(
        &self,
        saved_plan: &SavedPlan,
        progress: &Progress,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let only = params.only.as_deref();
        if let Some(unknown) = only.map(|only| unknown_ids(saved_plan, only)).filter(|ids| !ids.is_empty()) {
            let message = format!("only: the plan has no {}", unknown.join(", "));
            return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "only"));
        }
        let remaining = saved_plan.remaining(progress, only).with_edited(&params.edited).map_err(|part| {
            let message = format!("edited: the plan has no {}", clada_protocol::visible_line(&part));
            RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "edited")
        })?;
        // The whole rest must succeed if the first plan had to, so a new call can only ask for more.
        let source = remaining.with_options(
            if params.atomic { Atomicity::AllOrNothing } else { remaining.atomicity },
            params.match_level.or(remaining.match_level),
        );
        let again = params.again || saved_plan.is_once_more();
        let answer = source.remaining(source.atomicity);
        let (plan, mut result) = self.plan_rest(answer, source, again, params)?;
        if result.actions.is_empty() && result.proposals.is_empty() && result.parse_errors.is_empty() {
            let message = "There is nothing left to do of that plan".to_owned();
            result.warnings.push(OperationWarning { task: None, message });
        }
        Ok((plan, result))
    }

    fn plan_rest(
        &self,
        answer: Answer,
        source: Resumable,
        again: bool,
        params: &PlanParams,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let settings = self.settings()?;
        let (allow_escape, include_secrets) = (params.allow_escape, params.include_secrets);
        let roots = self.roots_with(PathOverrides { allow_escape, include_secrets, umask: None })?;
        let mut buffers: Vec<(RootedPath, String)> = Vec::new();
        let mut versions = HashMap::new();
        for (index, overlay) in params.overlays.iter().enumerate() {
            let path = overlays::place(&roots, overlay, index)?;
            check_size(&overlay.text, settings)?;
            // Two texts of one file would make the plan depend on their order.
            if let Some(first) = buffers.iter().position(|(other, _)| *other == path) {
                return Err(overlays::twice(first, index));
            }
            versions.extend(overlay.version.map(|version| (path.clone(), version)));
            buffers.push((path, overlay.text.clone()));
        }
        let options = || CommandOptions::to_plan(&params.env, params.timeout_ms);
        let commands = self.commands(&roots, answer.has_commands().then(options))?;
        let rules = self.rules(&roots)?.matching(source.match_level).literal(params.literal);
        let to = params.to.as_deref().map(|to| from_root(&roots, to)).transpose()?;
        let rules = rules.counting(params.lines).with_commands(commands);
        let rules = rules.plain(PlainRules { to, ..PlainRules::default() });
        let mut warnings = Vec::new();
        let hash = |(path, text): &(RootedPath, String)| (path.clone(), blake3::hash(text.as_bytes()));
        let hashes = buffers.iter().map(hash).collect();
        let applied = self.applied(&roots, Some(&source).filter(|_| !again), &hashes, &mut warnings);
        let context = params.context.min(MOST_CONTEXT);
        let counted = Counted { lines: params.lines, versions, context, buffers };
        let stop = || self.context().stop();
        let inputs = PlanInputs { roots: &roots, rules: &rules, applied: &applied, stop: &stop };
        let (plan, mut result) = SavedPlan::make(answer, source, inputs, Some(counted));
        let paths = result.changed.iter().map(|file| Path::new(file.path.as_str()));
        warnings.extend(self.instructions_warning(paths)?);
        result.warnings.extend(warnings.into_iter().map(|message| OperationWarning { task: None, message }));
        Ok((plan.once_more(again), result))
    }
}

pub(super) fn decide<'d>(
    saved_plan: &'d SavedPlan,
    params: &'d ExecuteParams,
) -> Result<Decision<'d>, RpcError> {
    let decision = saved_plan.decide(params.accept.as_deref());
    decision.map_err(|why| RpcError::new(ErrorKind::InvalidParams, why))
}

pub(super) fn plain_rules(roots: &Roots, params: &ExecuteParams) -> Result<PlainRules, RpcError> {
    // The name of plain answers, from before they were asked about.
    let names_plain = params
        .dialects
        .as_ref()
        .is_some_and(|names| names.iter().all(|name| name == "whole_file") && !names.is_empty());
    let rule = match params.plain {
        Some(PlainMode::Apply) => PlainRule::Apply,
        None if names_plain => PlainRule::Apply,
        Some(PlainMode::Refuse) | None => PlainRule::Offer,
    };
    let to = params.to.as_deref().map(|to| from_root(roots, to)).transpose()?;
    // A hunk of a proposal stands for it, unless another hunk of it is accepted.
    let whole = |id: &String| id.split_once(".h").map_or(id.as_str(), |(id, _)| id).to_owned();
    let accepted: HashSet<String> = params.accept.iter().flatten().map(whole).collect();
    let declined = params.decline.iter().map(whole).filter(|id| !accepted.contains(id)).collect();
    Ok(PlainRules { rule, to, declined })
}

fn atomicity(atomic: bool) -> Atomicity {
    if atomic { Atomicity::AllOrNothing } else { Atomicity::Blocks }
}

pub(super) fn read(params: &ParseParams, settings: &Settings) -> Result<Answer, RpcError> {
    check_size(&params.text, settings)?;
    let reading = Reading::new(params.dialects.as_deref(), settings)?;
    Ok(if params.tree { reading.read_with_trees(&params.text) } else { reading.read(&params.text) })
}

pub(super) fn hold_against(
    answer: &mut Answer,
    roots: Option<&Roots>,
    environment: &Environment,
    settings: &Settings,
) {
    let limit = usize::try_from(settings.limits.max_file_size).unwrap_or(usize::MAX);
    answer.hold_against(roots, environment.git_user().as_ref(), limit);
}

/// The end of an operation.
#[derive(Debug)]
pub struct Ended {
    /// The result for the caller.
    pub result: ExecutionResult,
    /// The part of it that can be resumed; `None` if it changed nothing, or there was nothing in it.
    pub(crate) resumable: Option<Resumable>,
}

pub(super) struct ExecuteRequest<'a> {
    pub(super) params: &'a ExecuteParams,
    pub(super) until: RunUntil,
    pub(super) source: Option<&'a Resumable>,
    // True if the answer may have been applied before: it was not taken up again on purpose.
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
            // It may have been applied since, by its text or by this very plan.
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
        // A plan is applied as it was made: a request that wants it otherwise is refused, not half
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
        // Nothing at all was done: that is not a failure of single actions.
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
