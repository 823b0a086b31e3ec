//! The methods about projects: from a request's parameters to the engine and back.
//!
//! Handlers only: the thread, the project and the session of a request, and the answer to a cancelled one.
//! The engine decides what a method does; `rpc` carries it over the wire.

mod background;
mod context;
mod embed;
mod git;
mod history;
mod stage;
mod subscriptions;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clada_apply::{Resumable, SavedPlan, Stop, WorkingSet};
use clada_protocol::method::{
    ApproveAdd, ApproveList, ApproveRemove, ConfigShow, Embed, Execute, Instructions, Parse, Plan,
    SessionClose, SessionGet, SessionOpen, SessionSetCwd, TrustAdd, TrustRemove, TrustShow,
};
use clada_protocol::{
    Deliver, ErrorKind, ExecuteEvent, ExecuteEventKind, ExecuteParams, ExecutionResult, InstructionsParams,
    InstructionsResult, ParseParams, ParseResult, PlanParams, PlanResult, RpcError, SessionCloseResult,
};
use clada_server::{CancelReason, Context, DispatchBuilder};
use tokio::time::Instant;

use crate::engine::{Control, Engine, Holder, project_root};
use crate::memory;
use crate::project::{PLAN_LIFETIME, Project, Projects};
use background::Background;
use subscriptions::Subscriptions;

/// The size of an answer, in bytes, after which freed memory goes back to the system at once.
const LARGE: usize = 4 << 20;

/// The longest time that a request may get: as good as unlimited, and a number that a clock can hold.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// The state that all handlers share.
#[derive(Debug, Clone)]
pub struct Service {
    engine: Arc<Engine>,
    projects: Projects,
    subscriptions: Subscriptions,
    background: Background,
}

impl Service {
    /// Returns the methods of `engine`.
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Service {
        Service {
            engine,
            projects: Projects::default(),
            subscriptions: Subscriptions::default(),
            background: Background::default(),
        }
    }

    /// Returns the projects that were opened so far.
    #[must_use]
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// Recovers in the background what was interrupted when the last daemon ended. Needs a runtime.
    pub fn recover(&self) {
        let engine = Arc::clone(&self.engine);
        tokio::task::spawn_blocking(move || {
            engine.recover_all();
            engine.sweep_commands();
            engine.collect_stage_garbage();
        });
    }

    /// Answers the methods about projects.
    pub fn register(&self, methods: &mut DispatchBuilder) {
        // Each handler owns a clone of the service: it outlives this call.
        let service = self.clone();
        methods.register::<Parse, _, _>(move |context, params| service.clone().parse(context, params));
        let service = self.clone();
        methods.register::<Plan, _, _>(move |context, params| service.clone().plan(context, params));
        let service = self.clone();
        methods.register::<Execute, _, _>(move |context, params| service.clone().execute(context, params));
        let service = self.clone();
        methods.register::<ConfigShow, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.show_config(&params))
        });
        let service = self.clone();
        methods.register::<Instructions, _, _>(move |_, params| {
            std::future::ready(instructions(&service.engine, &params))
        });
        let service = self.clone();
        methods.register::<Embed, _, _>(move |context, params| service.clone().embed(context, params));
        self.register_context(methods);
        self.register_approvals(methods);
        self.register_sessions(methods);
        self.register_history(methods);
        self.register_git(methods);
        self.register_watching(methods);
        self.register_staging(methods);
        self.register_subscriptions(methods);
    }

    fn register_approvals(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        // Approvals and trust are on disk, so that their handlers run on a thread that may block.
        methods.register::<ApproveList, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.approve_list(&params))
        });
        let service = self.clone();
        methods.register::<ApproveAdd, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.approve_add(&params))
        });
        let service = self.clone();
        methods.register::<ApproveRemove, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.approve_remove(&params))
        });
        let service = self.clone();
        methods.register::<TrustShow, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.trust_show(&params))
        });
        let service = self.clone();
        methods.register::<TrustAdd, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.trust_add(&params))
        });
        let service = self.clone();
        methods.register::<TrustRemove, _, _>(move |context, params| {
            let engine = Arc::clone(&service.engine);
            context.blocking(move |_| engine.trust_remove(&params))
        });
    }

    fn register_sessions(&self, methods: &mut DispatchBuilder) {
        // Sessions live in the project's actor; only the folder of one is checked on disk.
        let service = self.clone();
        methods.register::<SessionOpen, _, _>(move |context, params| {
            let service = service.clone();
            async move { service.project(&context, params.root).await?.open_session(params.session).await }
        });
        let service = self.clone();
        methods.register::<SessionGet, _, _>(move |context, params| {
            let service = service.clone();
            async move { service.project(&context, params.root).await?.session(params.session).await }
        });
        let service = self.clone();
        methods.register::<SessionSetCwd, _, _>(move |context, params| {
            let service = service.clone();
            async move {
                let project = service.project(&context, params.root.clone()).await?;
                let engine = Arc::clone(&service.engine);
                let cwd = context.blocking(move |_| engine.folder(&params.root, &params.cwd)).await?;
                project.set_cwd(params.session, cwd).await
            }
        });
        let service = self.clone();
        methods.register::<SessionClose, _, _>(move |context, params| {
            let service = service.clone();
            async move {
                let project = service.project(&context, params.root).await?;
                project.close_session(params.session.clone()).await?;
                Ok(SessionCloseResult { closed: params.session })
            }
        });
    }

    async fn parse(self, context: Context, params: ParseParams) -> Result<ParseResult, RpcError> {
        let folder = match &params.root {
            Some(root) => {
                let project = self.project(&context, root.clone()).await?;
                Some(project.session(params.session.clone()).await?.cwd)
            }
            None => None,
        };
        let engine = Arc::clone(&self.engine);
        context
            .blocking(move |context| {
                let control = match &folder {
                    Some(folder) => Requested::within(context, folder, false),
                    None => Requested::new(context),
                };
                engine.parse(&params, &control)
            })
            .await
    }

    async fn plan(self, context: Context, params: PlanParams) -> Result<PlanResult, RpcError> {
        let project = self.project(&context, params.root.clone()).await?;
        let folder = project.session(params.session.clone()).await?.cwd;
        let engine = Arc::clone(&self.engine);
        let (kept, mut result) = context
            .blocking(move |context| engine.plan(&params, &Requested::within(context, &folder, false)))
            .await?;
        context.check()?;
        let id = self.engine.next_id();
        project.keep_plan(id.clone(), kept).await?;
        result.plan_id = id;
        result.expires_in_ms = u64::try_from(PLAN_LIFETIME.as_millis()).unwrap_or(u64::MAX);
        Ok(result)
    }

    async fn execute(self, context: Context, params: ExecuteParams) -> Result<ExecutionResult, RpcError> {
        // A whole execute has no deadline of its own (spec: safety, Limits).
        let time = params.total_timeout_ms.map_or(LONGEST, Duration::from_millis).min(LONGEST);
        context.set_deadline(Instant::now() + time);
        let source = source(&params)?;
        let project = self.project(&context, params.root.clone()).await?;
        let folder = project.session(params.session.clone()).await?.cwd;
        let source = match source {
            Source::Text(text) => Found::Text(text),
            Source::Plan(id) => Found::Plan(project.plan(id).await?),
            Source::Resume(id) => Found::Left(self.left(&context, &project, &params.root, id).await?),
        };
        let changes_nothing = params.dry_run || params.deliver == Deliver::Edits;
        let (engine, root) = (Arc::clone(&self.engine), params.root.clone());
        let working_set = project.working_set(params.session.clone()).await?;
        let control = Requested { working_set, ..Requested::within(&context, &folder, params.stream) };
        let work = move || {
            let ended = match &source {
                Found::Plan(kept) => engine.execute_saved(kept, &params, &control),
                Found::Left(left) => engine.resume(left, &params, &control),
                Found::Text(text) => engine.execute(Arc::clone(text), &params, &control),
            };
            if matches!(&source, Found::Text(text) if text.len() > LARGE) {
                // What planning took would otherwise stay in the process alongside the reply that is written next.
                memory::give_back();
            }
            ended
        };
        let outcome = if changes_nothing {
            context.blocking(move |_| work().map(|ended| ended.result)).await
        } else {
            let told = Requested::new(&context);
            let engine = Arc::clone(&self.engine);
            project.operate(work, move || told.waiting(), move || engine.tidy(&root)).await
        };
        let result = outcome?;
        if context.cancel().is_cancelled()
            && result.results.iter().any(|result| result.kind.is_some_and(was_stopped))
        {
            return Err(stopped(&context, &result));
        }
        Ok(result)
    }

    /// Returns the rest of an operation: from memory, else from the journal.
    async fn left(
        &self,
        context: &Context,
        project: &Project,
        root: &str,
        id: String,
    ) -> Result<Arc<Resumable>, RpcError> {
        if let Some(left) = project.operation(id.clone()).await? {
            return Ok(left);
        }
        let (engine, root) = (Arc::clone(&self.engine), root.to_owned());
        context.blocking(move |_| engine.left_by(&root, &id).map(Arc::new)).await
    }

    async fn project(&self, context: &Context, root: String) -> Result<Project, RpcError> {
        let projects = self.projects.clone();
        context.blocking(move |_| projects.get(&project_root(&root)?)).await
    }
}

/// The source of an `execute`.
enum Source {
    Text(Arc<str>),
    Plan(String),
    Resume(String),
}

/// The source, found.
enum Found {
    Text(Arc<str>),
    Plan(Arc<SavedPlan>),
    Left(Arc<Resumable>),
}

fn source(params: &ExecuteParams) -> Result<Source, RpcError> {
    let wrong = |message: &str| Err(RpcError::new(ErrorKind::InvalidParams, format!("execute: {message}")));
    let source = match (&params.text, &params.plan_id, &params.resume) {
        (Some(text), None, None) => Source::Text(Arc::clone(text)),
        (None, Some(id), None) => Source::Plan(id.clone()),
        (None, None, Some(id)) => Source::Resume(id.clone()),
        (None, None, None) => return wrong("give `text`, `planId` or `resume`"),
        (Some(_), Some(_), _) => return wrong("give `text` or `planId`, not both"),
        _ => {
            return wrong("`resume` goes without `text` and `planId`: it takes up an operation's own answer");
        }
    };
    match source {
        Source::Plan(_) if params.dry_run => wrong("a plan is a dry run already: `dryRun` goes with `text`"),
        Source::Plan(_) => Ok(source),
        _ if params.accept.is_some() => wrong("`accept` chooses parts of a plan: give `planId`"),
        _ if params.deliver == Deliver::Edits => wrong("`deliver: \"edits\"` needs a `planId`"),
        Source::Resume(_) if params.dialects.is_some() => {
            wrong("`resume` reads the answer as it was read then: `dialects` goes with `text`")
        }
        _ => Ok(source),
    }
}

fn was_stopped(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Cancelled | ErrorKind::Timeout)
}

/// Returns the answer to a request that was stopped between two actions: an error, with the report of what
/// was done.
fn stopped(context: &Context, result: &ExecutionResult) -> RpcError {
    let error = match context.cancel().reason() {
        Some(CancelReason::Deadline) => {
            RpcError::new(ErrorKind::Timeout, "the time for the whole answer was over")
                .hint("allow more time with --total-timeout; what was not done can be resumed")
        }
        _ => context.check().err().unwrap_or_else(|| RpcError::new(ErrorKind::Cancelled, "Cancelled")),
    };
    error.with("result", serde_json::to_value(result).unwrap_or_default())
}

fn instructions(engine: &Engine, params: &InstructionsParams) -> Result<InstructionsResult, RpcError> {
    let name = params.dialect.as_deref().unwrap_or("sham");
    let dialect = clada_apply::dialect(name)?;
    let nonce = blake3::hash(engine.next_id().as_bytes()).to_hex()[..16].to_owned();
    let settings = engine.settings(params.root.as_deref().map(Path::new))?;
    let text = clada_apply::instructions(dialect, params, &settings, &nonce);
    Ok(InstructionsResult { dialect: dialect.name().to_owned(), text })
}

/// A request, as the engine sees it.
struct Requested {
    context: Context,
    /// The context of its session.
    working_set: WorkingSet,
    /// The folder of its session.
    folder: Option<PathBuf>,
    /// True if its client wants the output of commands while they run.
    stream: bool,
    /// True if some output of the running command could not be sent.
    lost: AtomicBool,
}

impl Requested {
    /// Returns a request in which no command runs.
    fn new(context: &Context) -> Requested {
        Requested {
            context: context.clone(),
            working_set: WorkingSet::default(),
            folder: None,
            stream: false,
            lost: AtomicBool::new(false),
        }
    }

    /// Returns a request whose commands run in `folder`, with notifications of their output if `stream` says
    /// so.
    fn within(context: &Context, folder: &str, stream: bool) -> Requested {
        Requested { folder: Some(PathBuf::from(folder)), stream, ..Requested::new(context) }
    }
}

impl Control for Requested {
    fn stop(&self) -> Option<Stop> {
        let error = self.context.check().err()?;
        Some(if error.kind() == Some(ErrorKind::Timeout) { Stop::Deadline } else { Stop::Cancelled })
    }

    fn working_set(&self) -> WorkingSet {
        self.working_set.clone()
    }

    fn waiting(&self) {
        // A client that does not read its notifications misses this one, and nothing else.
        self.waiting_for(Holder::Operation);
    }

    fn waiting_for(&self, holder: Holder) {
        let mut told = serde_json::json!({ "operation": self.context.method().name });
        if holder == Holder::Remains {
            told["for"] = "interrupted_command".into();
        }
        let _ = self.context.notifier().try_send("waiting", &told);
    }

    fn tell(&self, event: &ExecuteEvent) {
        if !self.stream {
            return;
        }
        let mut told = serde_json::to_value(event).unwrap_or_default();
        told["request"] = serde_json::to_value(self.context.id()).unwrap_or_default();
        if event.kind == ExecuteEventKind::Finished && self.lost.swap(false, Ordering::Relaxed) {
            told["lost"] = true.into();
        }
        // A client that reads too late finds this output in the result.
        if self.context.notifier().try_send("execute.event", &told).is_err() {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }
}
