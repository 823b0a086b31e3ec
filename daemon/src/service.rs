//! The methods about projects: from a request's parameters to the engine and back.
//!
//! Handlers only: the thread, the project and the session of a request, and the answer to a cancelled one.
//! The engine decides what a method does; `clada_server` carries it over the wire.

mod agents;
mod approvals;
mod background;
mod embed;
mod eviction;
mod reports;
mod requested;
mod review;
mod rows;
mod sessions;
mod stage;
mod subscriptions;
mod tools;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_apply::{Resumable, SavedPlan, merge_texts};
use clada_protocol::method::{
    ApprovalAnswer, ApprovalList, ApproveAdd, ApproveList, ApproveRemove, CheckpointBegin, CheckpointDrop,
    CheckpointEnd, CheckpointList, ConfigInit, ConfigSet, ConfigShow, ConfigUnset, ContextAdd, ContextClear,
    ContextList, ContextPrune, ContextRemove, Doctor, Embed, Execute, ExecuteSaved, GitSquash, GitStepBack,
    GitStepForward, HistoryAdopt, HistoryForget, HistoryList, HistoryShow, Instructions, Parse, Plan,
    PlanDrop, ProjectChanges, ProjectInit, ProjectList, ProjectRoot, ProjectUnwatch, ProjectWatch, Redo,
    SessionClose, SessionGet, SessionList, SessionOpen, SessionSetCwd, Stage, StageConfirm, StageWriteBack,
    Subscribe, TextMerge, TrustAdd, TrustRemove, TrustShow, Undo, Unsubscribe,
};
use clada_protocol::{
    CallerKind, Deliver, DoctorParams, DoctorResult, ErrorKind, ExecuteParams, ExecutionResult,
    HistoryForgetParams, HistoryForgetResult, InstructionsParams, InstructionsResult, ParseParams,
    ParseResult, PlanDropResult, PlanParams, PlanPart, PlanResult, PlannedFile, RpcError, SharedText,
    TextMergeResult, proposal_notice,
};
use clada_server::{CancelReason, Context, DispatchBuilder};

use crate::engine::{ApprovedPreview, Direction, Ended, Engine, MAX_PREVIEW, ProjectRequest, RequestContext};
use crate::memory;
use crate::project::{MAX_ALL_PLANS, MAX_EVENT_BYTES, MAX_EVENTS, MAX_PLANS, PLAN_LIFETIME, Project};
use agents::Unapproved;
use requested::{LONGEST, Requested};
use rows::{Rows, Time};
use subscriptions::Subscriptions;

// The size of an answer, in bytes, after which freed memory goes back to the system at once.
const LARGE: usize = 4 << 20;

// The state that all handlers share.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    engine: Arc<Engine>,
    subscriptions: Subscriptions,
    waiting: approvals::WaitingAnswers,
}

impl Service {
    #[must_use]
    pub(crate) fn new(engine: Arc<Engine>) -> Service {
        Service {
            engine,
            subscriptions: Subscriptions::default(),
            waiting: approvals::WaitingAnswers::default(),
        }
    }

    pub(crate) fn limits() -> impl Iterator<Item = (&'static str, u64)> {
        let limits = [
            ("approvals.waiting", approvals::MAX_WAITING),
            ("approvals.bytes", MAX_PREVIEW),
            ("plans.connection", MAX_PLANS),
            ("plans.project", MAX_ALL_PLANS),
            ("subscriptions.connection", subscriptions::MAX_SUBSCRIPTIONS),
            ("subscriptions.events", MAX_EVENTS),
            ("subscriptions.eventBytes", MAX_EVENT_BYTES),
        ];
        limits.into_iter().map(|(name, limit)| (name, limit as u64))
    }

    #[must_use]
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.count() as u64
    }

    // Recovers in the background what was interrupted when the last daemon ended. Needs a runtime.
    pub(crate) fn recover(&self) {
        let engine = Arc::clone(&self.engine);
        tokio::task::spawn_blocking(move || {
            engine.projects().journals().sweep_forgotten();
            engine.recover_all();
            engine.watch_checkpoints();
            engine.watch_editor_operations();
            engine.sweep_commands();
            engine.collect_stage_garbage();
        });
    }

    // Answers the methods about projects: one row for each.
    pub(crate) fn register(&self, methods: &mut DispatchBuilder) {
        let mut rows = Rows { engine: &self.engine, service: self, methods };
        rows.handler::<Parse, _>(Time::Short, Service::parse);
        rows.handler::<Plan, _>(Time::Short, Service::plan);
        rows.blocking::<PlanDrop>(Time::Short, |request, params| {
            Ok(PlanDropResult { dropped: request.project().plans().remove(&params.plan_id, Instant::now()) })
        });
        rows.handler::<Execute, _>(Time::Whole, Service::execute);
        rows.operation::<ExecuteSaved>(ProjectRequest::execution_saved);
        rows.handler::<Embed, _>(Time::Whole, Service::embed);
        rows.engine::<TextMerge>(|_, params, _| {
            let texts = params.texts.iter().map(|text| merge_texts(&text.before, &text.after, &text.now));
            Ok(TextMergeResult { texts: texts.collect() })
        });
        rows.engine::<ConfigShow>(Engine::show_config);
        rows.engine::<ConfigSet>(Engine::set_config);
        rows.engine::<ConfigUnset>(Engine::unset_config);
        rows.engine::<ConfigInit>(|engine, params, _| engine.init_config(params));
        rows.handler::<Instructions, _>(Time::Short, Service::instructions);
        rows.blocking::<ApproveList>(Time::Short, ProjectRequest::approve_list);
        rows.blocking::<ApproveAdd>(Time::Short, ProjectRequest::approve_add);
        rows.blocking::<ApproveRemove>(Time::Short, ProjectRequest::approve_remove);
        rows.handler::<ApprovalList, _>(Time::Short, Service::list_approvals);
        rows.handler::<ApprovalAnswer, _>(Time::Short, Service::answer_approval);
        rows.blocking::<TrustShow>(Time::Short, ProjectRequest::trust_show);
        rows.blocking::<TrustAdd>(Time::Short, ProjectRequest::trust_add);
        rows.blocking::<TrustRemove>(Time::Short, ProjectRequest::trust_remove);
        rows.blocking::<SessionOpen>(Time::Short, sessions::open);
        rows.blocking::<SessionGet>(Time::Short, sessions::get);
        rows.blocking::<SessionList>(Time::Short, sessions::list);
        rows.blocking::<SessionSetCwd>(Time::Short, sessions::set_cwd);
        rows.blocking::<SessionClose>(Time::Short, sessions::close);
        rows.blocking::<ContextAdd>(Time::Short, sessions::add);
        rows.blocking::<ContextRemove>(Time::Short, sessions::remove);
        rows.blocking::<ContextList>(Time::Short, sessions::list_context);
        rows.blocking::<ContextPrune>(Time::Short, sessions::prune);
        rows.blocking::<ContextClear>(Time::Short, sessions::clear);
        rows.blocking::<HistoryList>(Time::Short, ProjectRequest::list_history);
        rows.blocking::<HistoryShow>(Time::Short, ProjectRequest::show_history);
        rows.operation::<HistoryAdopt>(ProjectRequest::adopt_history);
        rows.handler::<Doctor, _>(Time::Short, Service::doctor);
        rows.handler::<HistoryForget, _>(Time::Whole, Service::forget);
        rows.operation::<Undo>(|request, params| {
            reports::of_undo("undo", params, || request.undo(params, Direction::Back))
        });
        rows.operation::<Redo>(|request, params| {
            reports::of_undo("redo", params, || request.undo(params, Direction::Forward))
        });
        rows.operation::<CheckpointBegin>(ProjectRequest::begin_checkpoint);
        rows.operation::<CheckpointEnd>(ProjectRequest::end_checkpoint);
        rows.operation::<CheckpointDrop>(ProjectRequest::drop_checkpoint);
        rows.blocking::<CheckpointList>(Time::Short, ProjectRequest::list_checkpoints);
        rows.operation::<GitSquash>(ProjectRequest::squash);
        rows.operation::<GitStepBack>(|request, params| request.step(params, Direction::Back));
        rows.operation::<GitStepForward>(|request, params| request.step(params, Direction::Forward));
        rows.blocking::<ProjectInit>(Time::Short, ProjectRequest::init_project);
        // The first scan of a large tree takes long.
        rows.blocking::<ProjectWatch>(Time::Whole, ProjectRequest::watch);
        rows.blocking::<ProjectChanges>(Time::Whole, ProjectRequest::changes);
        rows.engine::<ProjectUnwatch>(|engine, params, _| Ok(engine.unwatch(params)));
        rows.engine::<ProjectList>(|engine, _, _| Ok(engine.watched()));
        rows.engine::<ProjectRoot>(|engine, params, _| engine.project_root(&params.path));
        // The first stage reads every file, and a folder to delete may hold every file.
        rows.handler::<Stage, _>(Time::Whole, Service::stage);
        rows.blocking::<StageConfirm>(Time::Whole, ProjectRequest::confirm_stage);
        rows.operation::<StageWriteBack>(ProjectRequest::write_back);
        rows.handler::<Subscribe, _>(Time::Short, Service::subscribe);
        rows.handler::<Unsubscribe, _>(Time::Short, Service::unsubscribe);
        let service = self.clone();
        methods.tools(move |context, call| service.clone().call_tool(context, call));
    }

    async fn parse(self, context: Context, params: ParseParams) -> Result<ParseResult, RpcError> {
        reports::check_parse(&params)?;
        let finished = |context: &Context, params: &ParseParams, mut result: ParseResult| {
            if context.caller() == CallerKind::Agent {
                agents::parsed(&mut result);
            }
            reports::of_parse(params, &mut result);
            result
        };
        let Some(root) = params.root.clone() else {
            let engine = Arc::clone(&self.engine);
            let work = move |context: &Context| {
                Ok(finished(context, &params, engine.parse(&params, context.settings())?))
            };
            return context.blocking(work).await;
        };
        let request = self.request(&context, root).await?;
        let folder = request.project().sessions().get(context.caller(), params.session.as_deref())?.cwd;
        let request = request.with_context(Arc::new(Requested::within(&context, &folder, false)));
        context.blocking(move |context| Ok(finished(context, &params, request.parse(&params)?))).await
    }

    async fn plan(self, context: Context, params: PlanParams) -> Result<PlanResult, RpcError> {
        reports::check_plan(&params)?;
        let id = self.engine.secret_id()?;
        let (project, saved_plan, mut result) = self.planned(&context, params, id.clone()).await?;
        context.check()?;
        let maker_and_connection = (agents::maker(context.scope()), context.connection());
        result.kept = project.plans().keep(id, maker_and_connection, saved_plan, Instant::now())?;
        result.expires_in_ms = u64::try_from(PLAN_LIFETIME.as_millis()).unwrap_or(u64::MAX);
        Ok(result)
    }

    async fn planned(
        &self,
        context: &Context,
        params: PlanParams,
        plan_id: String,
    ) -> Result<(Arc<Project>, SavedPlan, PlanResult), RpcError> {
        let requested = to_plan(&params)?;
        let request = self.request(context, params.root.clone()).await?;
        let project = Arc::clone(request.project());
        let folder = project.sessions().get(context.caller(), params.session.as_deref())?.cwd;
        let request = Arc::new(request.with_context(Arc::new(Requested::within(context, &folder, false))));
        let source = located(context, &request, requested).await?;
        let maker = agents::maker(context.scope());
        let work = move |context: &Context| {
            // Comes first: what ends while this is planned counts as later.
            let ended = request.project().ended().count();
            let (planned, bytes) = match &source {
                AnswerSource::Plan(id) => {
                    let before = request.project().plans().get(id, &maker, Instant::now())?;
                    let progress = request.project().plans().progress(id);
                    (request.plan_again(&before, &progress, &params), before.bytes())
                }
                AnswerSource::Operation(resumable) => {
                    (request.plan_resumed(resumable, &params), resumable.bytes())
                }
                AnswerSource::Text(text) => (request.plan(text, &params), text.len()),
            };
            give_back_after(bytes);
            let (saved_plan, mut result) = planned?;
            request.show_approvals(&result.approvals, Some(&plan_id), ended, None);
            result.plan_id = plan_id;
            let for_agent = context.caller() == CallerKind::Agent;
            if for_agent {
                agents::planned(&mut result);
            }
            reports::of_plan(&params, for_agent, &saved_plan, &mut result);
            if !context.scope().plain {
                let listed = result.proposals.iter().filter(|proposal| proposal.is_listed());
                result.not_read.extend(listed.map(proposal_notice));
            }
            if params.review {
                result.review = Some(review::of_plan(&mut result));
            }
            if params.omit.contains(&PlanPart::Diff) {
                result.diff = SharedText::default();
                let hunks = result.actions.iter_mut().flat_map(|action| &mut action.hunks);
                hunks.for_each(|hunk| hunk.diff = SharedText::default());
                let by_hunk = |file: &PlannedFile| !file.hunks.is_empty();
                let proposals =
                    result.proposals.iter_mut().filter(|one| one.file.as_ref().is_some_and(by_hunk));
                proposals.for_each(|proposal| proposal.diff = SharedText::default());
            }
            Ok::<_, RpcError>((saved_plan, result))
        };
        let (saved_plan, result) = context.blocking(work).await?;
        Ok((project, saved_plan, result))
    }

    async fn execute(self, context: Context, params: ExecuteParams) -> Result<ExecutionResult, RpcError> {
        Ok(self.executed(&context, params).await?.0)
    }

    async fn executed(
        &self,
        context: &Context,
        params: ExecuteParams,
    ) -> Result<(ExecutionResult, Unapproved), RpcError> {
        reports::check_execution(&params)?;
        let begun = tokio::time::Instant::now();
        let source = source(&params)?;
        let request = Arc::new(self.opened(context, &params).await?);
        let source = located(context, &request, source).await?;
        // The options of the operation that is resumed hold again.
        let params = match &source {
            AnswerSource::Text(_) => params,
            AnswerSource::Plan(id) => {
                let plan =
                    request.project().plans().get(id, &agents::maker(context.scope()), Instant::now())?;
                plan.source().as_before(params, context.caller())
            }
            AnswerSource::Operation(resumable) => resumable.as_before(params, context.caller()),
        };
        // A whole execute has no deadline of its own (spec: safety, Limits).
        if let Some(time) = params.total_timeout_ms {
            context.set_deadline(begun + Duration::from_millis(time).min(LONGEST));
        }
        match context.caller() {
            CallerKind::Agent => self.execute_for_agent(context, params, request, source).await,
            CallerKind::Person => {
                let (unapproved, approved) = (None, None);
                let execution = Execution { params, request, source, unapproved, approved };
                Ok((self.carry_out(context, execution).await?, Unapproved::NotAsked))
            }
        }
    }

    async fn opened(&self, context: &Context, params: &ExecuteParams) -> Result<ProjectRequest, RpcError> {
        let request = self.request(context, params.root.clone()).await?;
        let folder = request.project().sessions().get(context.caller(), params.session.as_deref())?.cwd;
        let working_set =
            request.project().sessions().working_set(context.caller(), params.session.as_deref())?;
        let control = Requested { working_set, ..Requested::within(context, &folder, params.stream) };
        Ok(request.with_context(Arc::new(control)))
    }

    async fn carry_out(&self, context: &Context, execution: Execution) -> Result<ExecutionResult, RpcError> {
        let Execution { params, request, source, unapproved, approved } = execution;
        let changes_nothing = params.changes_nothing();
        let shows_proposals = context.scope().plain;
        let project = Arc::clone(request.project());
        let (executing, keeping) = (Arc::clone(&request), Arc::clone(&project));
        let (maker, client) = (agents::maker(context.scope()), context.client());
        let work = move || {
            let mut resumes = params.resume.clone();
            let (ended, bytes) = match (&source, &approved) {
                (AnswerSource::Plan(id), approved) => {
                    // Another request may have carried it out while this one waited for its turn.
                    let saved_plan = keeping.plans().get(id, &maker, Instant::now())?;
                    resumes = saved_plan.source().resumes().map(str::to_owned);
                    let ended = executing.execute_saved(&saved_plan, &params, approved.as_ref());
                    (ended, saved_plan.bytes())
                }
                (_, Some(approved)) => (executing.execute_approved(approved, &params), approved.bytes()),
                (AnswerSource::Operation(resumable), None) => {
                    (executing.resume(resumable, &params), resumable.bytes())
                }
                (AnswerSource::Text(text), None) => {
                    (executing.execute(Arc::clone(text), &params), text.len())
                }
            };
            give_back_after(bytes);
            let Ended { mut result, resumable } = ended?;
            if let AnswerSource::Plan(id) = &source {
                keeping.plans().carried_out(id, params.accept.as_deref(), &result);
            }
            // What was handed out may not arrive, and is planned again then.
            let has_edits = result.edits.as_ref().is_some_and(|edits| !edits.document_changes.is_empty());
            let is_done = result.success && params.accept.is_none() && !changes_nothing && !has_edits;
            if let (AnswerSource::Plan(id), true) = (&source, is_done) {
                keeping.plans().remove(id, Instant::now());
            }
            // Kept before the answer says that it can be resumed.
            if let Some(resumable) = resumable.filter(|_| !changes_nothing && !result.operation_id.is_empty())
            {
                keeping.operations().keep(
                    result.operation_id.clone(),
                    maker.clone(),
                    resumable,
                    Instant::now(),
                );
            }
            match unapproved {
                Some(why) => {
                    let left_out =
                        agents::left_out(&result, client.as_deref(), why).filter(|_| !changes_nothing);
                    left_out
                        .into_iter()
                        .for_each(|left_out| keeping.agents().leave_out(left_out, Instant::now()));
                    agents::executed(&mut result, why);
                }
                None if changes_nothing => {}
                None => resumes.iter().for_each(|id| keeping.agents().take_up(id)),
            }
            reports::of_execution(&params, unapproved, &mut result);
            result.outcome = params.review.then(|| review::of_execution(&result));
            if !shows_proposals {
                let listed = result.proposals.iter().filter(|proposal| proposal.is_listed());
                result.not_read.extend(listed.map(proposal_notice));
            }
            Ok(result)
        };
        let outcome = if changes_nothing {
            context.blocking(move |_| work()).await
        } else {
            let waits = Requested::new(context);
            project.queue.run(work, move || waits.waiting(), move || request.tidy()).await
        };
        let result = outcome?;
        if context.cancel().is_cancelled()
            && result.results.iter().any(|result| result.kind.is_some_and(was_stopped))
        {
            return Err(stopped(context, &result));
        }
        Ok(result)
    }

    async fn instructions(
        self,
        context: Context,
        params: InstructionsParams,
    ) -> Result<InstructionsResult, RpcError> {
        let requested = Arc::new(Requested::new(&context));
        context.blocking(move |_| self.engine.instructions(&params, requested)).await
    }

    async fn doctor(self, context: Context, params: DoctorParams) -> Result<DoctorResult, RpcError> {
        let requested = Arc::new(Requested::new(&context));
        Ok(context.blocking(move |_| self.engine.doctor(&params, requested)).await)
    }

    async fn forget(
        self,
        context: Context,
        params: HistoryForgetParams,
    ) -> Result<HistoryForgetResult, RpcError> {
        context.blocking(move |_| self.engine.forget(&params, |root| self.waiting.is_about(root))).await
    }

    async fn request(&self, context: &Context, root: String) -> Result<ProjectRequest, RpcError> {
        let engine = Arc::clone(&self.engine);
        context.blocking(move |context| engine.request(&root, Arc::new(Requested::new(context)))).await
    }
}

async fn resumable(
    context: &Context,
    request: &Arc<ProjectRequest>,
    id: String,
) -> Result<Arc<Resumable>, RpcError> {
    let maker = agents::maker(context.scope());
    let remembered = request.project().operations().get(&id, &maker, Instant::now());
    if let Some(resumable) = remembered {
        return Ok(resumable);
    }
    if context.caller() == CallerKind::Agent {
        // The journal does not say whose it was.
        return Err(ProjectRequest::nothing_to_resume(&id));
    }
    let request = Arc::clone(request);
    context.blocking(move |_| request.left_by(&id).map(Arc::new)).await
}

struct Execution {
    params: ExecuteParams,
    request: Arc<ProjectRequest>,
    source: AnswerSource,
    // `None` if the answer is a user's.
    unapproved: Option<Unapproved>,
    approved: Option<ApprovedPreview>,
}

impl Execution {
    fn for_agent(
        params: ExecuteParams,
        request: Arc<ProjectRequest>,
        source: AnswerSource,
        unapproved: Unapproved,
    ) -> Execution {
        Execution { params, request, source, unapproved: Some(unapproved), approved: None }
    }
}

// Where an answer comes from.
#[derive(Clone)]
enum AnswerSource<Operation = Arc<Resumable>> {
    Text(Arc<str>),
    // A plan is looked up when it is its turn: another request may execute it meanwhile.
    Plan(String),
    Operation(Operation),
}

async fn located(
    context: &Context,
    request: &Arc<ProjectRequest>,
    source: AnswerSource<String>,
) -> Result<AnswerSource, RpcError> {
    Ok(match source {
        AnswerSource::Text(text) => AnswerSource::Text(text),
        AnswerSource::Plan(id) => AnswerSource::Plan(id),
        AnswerSource::Operation(id) => AnswerSource::Operation(resumable(context, request, id).await?),
    })
}

fn one_source(
    text: &Option<Arc<str>>,
    plan_id: &Option<String>,
    resume: &Option<String>,
) -> Result<AnswerSource<String>, &'static str> {
    match (text, plan_id, resume) {
        (Some(text), None, None) => Ok(AnswerSource::Text(Arc::clone(text))),
        (None, Some(id), None) => Ok(AnswerSource::Plan(id.clone())),
        (None, None, Some(id)) => Ok(AnswerSource::Operation(id.clone())),
        (None, None, None) => Err("give `text`, `planId` or `resume`"),
        (Some(_), Some(_), _) => Err("give `text` or `planId`, not both"),
        _ => Err("`resume` goes without `text` and `planId`: it takes up an operation's own answer"),
    }
}

fn source(params: &ExecuteParams) -> Result<AnswerSource<String>, RpcError> {
    let wrong = |message: &str| Err(RpcError::new(ErrorKind::InvalidParams, format!("execute: {message}")));
    if params.deliver != Deliver::Mixed && !params.edits.is_empty() {
        return wrong("`edits` goes with `deliver: \"mixed\"`");
    }
    let source = one_source(&params.text, &params.plan_id, &params.resume).or_else(wrong)?;
    match source {
        AnswerSource::Plan(_) if params.dry_run => {
            wrong("a plan is a dry run already: `dryRun` goes with `text`")
        }
        AnswerSource::Plan(_) => Ok(source),
        _ if params.accept.is_some() => wrong("`accept` chooses parts of a plan: give `planId`"),
        _ if params.deliver == Deliver::Edits => wrong("`deliver: \"edits\"` needs a `planId`"),
        _ if params.deliver == Deliver::Mixed => wrong("`deliver: \"mixed\"` needs a `planId`"),
        AnswerSource::Operation(_) if params.dialects.is_some() => {
            wrong("`resume` reads the answer as it was read then: `dialects` goes with `text`")
        }
        _ => Ok(source),
    }
}

fn to_plan(params: &PlanParams) -> Result<AnswerSource<String>, RpcError> {
    let wrong = |message: &str| Err(RpcError::new(ErrorKind::InvalidParams, format!("plan: {message}")));
    let source = one_source(&params.text, &params.plan_id, &params.resume).or_else(wrong)?;
    if params.only.is_some() && params.plan_id.is_none() {
        return wrong("`only` chooses parts of a plan: give `planId`");
    }
    if params.dialects.is_some() && params.text.is_none() {
        return wrong("the answer of a plan is read as it was read then: `dialects` goes with `text`");
    }
    Ok(source)
}

// Gives freed memory back after an answer of `bytes` bytes was planned, if that is a large one: it would
// otherwise stay in the process alongside the reply that is written next.
fn give_back_after(bytes: usize) {
    if bytes > LARGE {
        memory::give_back();
    }
}

fn was_stopped(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Cancelled | ErrorKind::Timeout)
}

fn stopped(context: &Context, result: &ExecutionResult) -> RpcError {
    let error = match context.cancel().reason() {
        Some(CancelReason::Deadline) => {
            RpcError::new(ErrorKind::Timeout, "the time limit of the whole answer was reached")
                .hint("allow more time with --total-timeout; `clada apply --resume` does the rest")
        }
        _ => context.check().err().unwrap_or_else(|| RpcError::new(ErrorKind::Cancelled, "Cancelled")),
    };
    error.with("result", serde_json::to_value(result).unwrap_or_default())
}
