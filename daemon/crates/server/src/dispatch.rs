//! From a request to its answer: the method, its parameters, its handler, its deadline, its panics.
//!
//! The table of methods is a jsonrpsee `RpcModule`. This module calls its callbacks itself, since jsonrpsee
//! would give every request to connection 0, take negative and fractional ids for notifications, and never
//! answer after a panic. Handlers are registered by type ([`DispatchBuilder::register`]); they know nothing
//! of JSON. Input is a request whose envelope was read; its parameters may come from any process.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use clada_mcp::{Call, CallReply, Fault, ToolResult, error_text};
use clada_protocol::method::CallSettings;
use clada_protocol::{ErrorKind, Id, Method, MethodInfo, RpcError};
use futures_util::future::{BoxFuture, FutureExt};
use jsonrpsee::core::server::{AsyncMethod, MethodCallback, MethodResponse, ResponsePayload};
use jsonrpsee::types::{ErrorObjectOwned, Id as PlaceId, Params, error::OVERSIZED_RESPONSE_CODE};
use jsonrpsee::{ConnectionId, Extensions, RpcModule};
use serde::{Serialize, Serializer};
use tokio::time::Instant;

use super::answer::{AnswerContent, BegunRequest, INLINE, RpcAnswer};
use super::blocking::{LargeFrameReader, on_blocking_thread};
use super::cancel::{CancelReason, CancelToken};
use super::context::{Context, ContextParts, Peer};
use super::limits::RpcLimits;
use super::mcp::{self, ProgressReporter};
use super::params;
use super::raw::RawParams;
use super::running::RunningRequests;
use super::scope::Scope;
use super::standing::HeldBytes;

/// Collects handlers.
pub struct DispatchBuilder {
    module: RpcModule<()>,
    methods: HashMap<&'static str, MethodInfo>,
    limits: RpcLimits,
    running: RunningRequests,
    stop: CancelToken,
    reader: LargeFrameReader,
    tools: Option<Arc<ToolHandler>>,
}

type ToolHandler = dyn Fn(Context, Call) -> BoxFuture<'static, Result<ToolResult, RpcError>> + Send + Sync;

impl std::fmt::Debug for DispatchBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DispatchBuilder")
            .field("methods", &self.methods.keys())
            .finish_non_exhaustive()
    }
}

/// The methods that are answered. Clones are the same table.
#[derive(Debug, Clone)]
pub struct Dispatch(Arc<DispatchBuilder>);

impl DispatchBuilder {
    /// Returns a table without methods.
    #[must_use]
    pub(crate) fn new(limits: RpcLimits) -> DispatchBuilder {
        DispatchBuilder {
            module: RpcModule::new(()),
            methods: HashMap::new(),
            limits,
            running: RunningRequests::default(),
            stop: CancelToken::default(),
            reader: LargeFrameReader::default(),
            tools: None,
        }
    }

    /// Has `handler` do the work of the tools of MCP.
    ///
    /// It gets a [`Context`] of the method that does the tool's work, as a handler of that would, and the
    /// call, which was read.
    pub fn tools<F, Fut>(&mut self, handler: F) -> &mut DispatchBuilder
    where
        F: Fn(Context, Call) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolResult, RpcError>> + Send + 'static,
    {
        self.tools = Some(Arc::new(move |context, call| handler(context, call).boxed()));
        self
    }

    /// Answers the method `M` with `handler`.
    ///
    /// The handler gets the [`Context`] of the request and checked parameters. It runs on the connection's
    /// task, so work that takes time belongs in [`Context::blocking`]. If the method only reads, its future
    /// is dropped when the request is cancelled or its time is over. If it changes files, it runs to its end
    /// and notices by [`Context::check`].
    ///
    /// A method that is registered already keeps its first handler; that is logged.
    pub fn register<M, F, Fut>(&mut self, handler: F) -> &mut DispatchBuilder
    where
        M: Method,
        F: Fn(Context, M::Params) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<M::Result, RpcError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let reader = self.reader.clone();
        let callback: AsyncMethod<'static> = Arc::new(move |id, _, _, max, extensions| {
            let (handler, reader) = (Arc::clone(&handler), reader.clone());
            async move { invoke::<M, F, Fut>(&handler, &reader, id, max, &extensions).await }.boxed()
        });
        match self.module.verify_and_insert(M::NAME, MethodCallback::Async(callback)) {
            Ok(_) => {
                self.methods.insert(M::NAME, M::INFO);
            }
            Err(error) => tracing::error!(method = M::NAME, %error, "handler not registered"),
        }
        self
    }

    #[must_use]
    pub(crate) fn build(self) -> Dispatch {
        Dispatch(Arc::new(self))
    }

    pub(super) fn limits(&self) -> &RpcLimits {
        &self.limits
    }

    pub(super) fn stop(&self) -> CancelToken {
        self.stop.clone()
    }

    pub(super) fn running(&self) -> RunningRequests {
        self.running.clone()
    }
}

impl Dispatch {
    #[must_use]
    pub(crate) fn limits(&self) -> &RpcLimits {
        &self.0.limits
    }

    pub(super) fn stopping(&self) -> CancelToken {
        self.0.stop.clone()
    }

    pub(super) fn reader(&self) -> &LargeFrameReader {
        &self.0.reader
    }

    /// Returns the names of the methods that are answered.
    pub fn methods(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.methods.keys().copied()
    }

    pub(super) fn begin(
        &self,
        peer: &Arc<Peer>,
        id: Option<Id>,
        method: &str,
        params: Option<RawParams>,
        held_bytes: &Arc<HeldBytes>,
    ) -> Result<BegunRequest, Box<RpcAnswer>> {
        let method_info = self.0.methods.get(method);
        let (Some(info), Some(MethodCallback::Async(callback))) = (method_info, self.0.module.method(method))
        else {
            return Err(Box::new(RpcAnswer::error(id, self.unknown_method(method, &peer.scopes.current()))));
        };
        let limits = &self.0.limits;
        let time = if info.changes_files() { limits.change_deadline } else { limits.read_deadline };
        let deadline = Instant::now() + time;
        let (info, cancel) = (*info, CancelToken::default());
        let (table, peer, held_bytes, callback) =
            (self.clone(), Arc::clone(peer), Arc::clone(held_bytes), Arc::clone(callback));
        let (cancelled, stopping) = (cancel.clone(), self.0.stop.clone());
        // Decided when it is first polled, which is its turn: in a batch, a `hello` may come before it.
        let answer = async move {
            let scope = peer.scopes.current();
            if !info.is_for(scope.caller, scope.read_only) {
                return RpcAnswer::error(id, table.unknown_method(info.name, &scope));
            }
            let context = Context::new(ContextParts {
                peer,
                scope,
                method: info,
                id,
                deadline,
                cancel: cancelled,
                stopping,
                params,
                steps: None,
                held_bytes,
            });
            run(callback, context, table.0.running.clone(), table.0.limits.answer).await
        };
        Ok(BegunRequest { cancel, changes_files: info.changes_files(), answer: answer.boxed() })
    }

    pub(super) fn begin_call(
        &self,
        peer: &Arc<Peer>,
        id: Id,
        call: Call,
        (reply, progress): (CallReply, Option<Id>),
        held_bytes: &Arc<HeldBytes>,
    ) -> BegunRequest {
        let (info, cancel) = (call.tool.method(), CancelToken::default());
        let limits = &self.0.limits;
        let time = if info.changes_files() { limits.change_deadline } else { limits.read_deadline };
        let (deadline, stopping) = (Instant::now() + time, self.0.stop.clone());
        let (table, peer, held_bytes, of) =
            (self.clone(), Arc::clone(peer), Arc::clone(held_bytes), cancel.clone());
        let answer = async move {
            let Some(tools) = &table.0.tools else {
                return RpcAnswer::fault(
                    Some(id),
                    &Fault::new(ErrorKind::Internal.code(), "There are no tools here"),
                );
            };
            let report = |token| ProgressReporter::new(token, table.0.limits.beat, &peer, &of);
            let (steps, reporter) = progress.map(report).unzip();
            let scope = peer.scopes.current();
            let context = Context::new(ContextParts {
                peer,
                scope,
                method: info,
                id: Some(id.clone()),
                deadline,
                cancel: of.clone(),
                stopping,
                params: None,
                steps,
                held_bytes,
            });
            // A panic in one tool must fail this call alone: the connection has other requests in progress.
            let work = AssertUnwindSafe(tools(context.clone(), call)).catch_unwind();
            let work = supervise(&context, &table.0.running, work);
            let result = match mcp::reporting(reporter, work).await {
                Ok(Ok(Ok(result))) => result,
                Ok(Ok(Err(error))) | Err(error) => ToolResult::failed(error_text(&error)),
                Ok(Err(panic)) => {
                    drop(panic);
                    let error = internal(&context);
                    return RpcAnswer { of: Some(of), ..RpcAnswer::error(Some(id), error) };
                }
            };
            RpcAnswer::of_mcp(Some(id), Ok(reply.json(result)), Some(of))
        };
        BegunRequest { answer: answer.boxed(), cancel, changes_files: info.changes_files() }
    }

    fn unknown_method(&self, method: &str, scope: &Scope) -> RpcError {
        let callable = self.0.methods.values().filter(|info| info.is_for(scope.caller, scope.read_only));
        let names: Vec<&'static str> = callable.map(|info| info.name).collect();
        let shown: String = method.chars().take(80).collect();
        let error = RpcError::new(
            ErrorKind::MethodNotFound,
            format!("there is no method `{}`", shown.escape_debug()),
        );
        match params::nearest(&shown, &names) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error,
        }
    }
}

async fn run(
    callback: AsyncMethod<'static>,
    context: Context,
    running: RunningRequests,
    max: usize,
) -> RpcAnswer {
    let mut extensions = Extensions::new();
    extensions.insert(context.clone());
    let connection = ConnectionId(usize::try_from(context.connection()).unwrap_or(usize::MAX));
    let id = context.id().cloned();
    let call = async move { callback(PlaceId::Null, Params::new(None), connection, max, extensions).await };
    let call = supervise(&context, &running, AssertUnwindSafe(call).catch_unwind());
    match call.await {
        Err(error) => RpcAnswer::error(id, error),
        Ok(Err(panic)) => {
            drop(panic);
            RpcAnswer::error(id, internal(&context))
        }
        Ok(Ok(response)) if response.as_error_code() == Some(OVERSIZED_RESPONSE_CODE) => {
            let message = format!("the answer has more than {max} bytes");
            let error = RpcError::new(ErrorKind::LimitExceeded, message).with("limit", "answer");
            RpcAnswer::error(id, error.hint("ask for less at once"))
        }
        Ok(Ok(response)) => {
            let held_bytes = context.standing().keep(response.as_ref().len());
            RpcAnswer { id, body: AnswerContent::Module(response), of: None, _kept: Some(held_bytes) }
        }
    }
}

/// Waits for `call`. When it is cancelled or late, ends one that only reads, and notifies one that changes
/// files.
async fn supervise<F: Future>(
    context: &Context,
    running: &RunningRequests,
    call: F,
) -> Result<F::Output, RpcError> {
    let mut call = pin!(call);
    // Most requests are answered by the first poll: these need no timer, no waiting and no bookkeeping.
    if let Poll::Ready(output) = std::future::poll_fn(|task| Poll::Ready(call.as_mut().poll(task))).await {
        return Ok(output);
    }
    let _entered = running.enter(context.cancel());
    if context.method().changes_files() {
        let mut warned = false;
        loop {
            tokio::select! {
                output = &mut call => return Ok(output),
                () = tokio::time::sleep_until(context.deadline()), if !warned => {
                    if Instant::now() >= context.deadline() {
                        context.cancel().cancel(CancelReason::Deadline);
                        warned = true;
                    }
                }
            }
        }
    }
    loop {
        tokio::select! {
            biased;
            reason = context.cancel().cancelled() => return Err(reason.error()),
            output = &mut call => return Ok(output),
            () = tokio::time::sleep_until(context.deadline()) => {
                if Instant::now() >= context.deadline() {
                    context.cancel().cancel(CancelReason::Deadline);
                }
            }
        }
    }
}

async fn invoke<M, F, Fut>(
    handler: &F,
    reader: &LargeFrameReader,
    id: PlaceId<'static>,
    max: usize,
    extensions: &Extensions,
) -> MethodResponse
where
    M: Method,
    F: Fn(Context, M::Params) -> Fut,
    Fut: Future<Output = Result<M::Result, RpcError>>,
{
    let Some(context) = extensions.get::<Context>().cloned() else {
        let error = RpcError::new(ErrorKind::Internal, "the request came without its context");
        return respond::<M::Result>(id, Err(error), max);
    };
    let params = match read_params::<M>(&context, reader).await {
        Ok((params, settings)) => {
            context.set_settings(settings);
            params
        }
        Err(error) => return respond::<M::Result>(id, Err(error), max),
    };
    let mut answer = pin!(handler(context, params));
    match std::future::poll_fn(|task| Poll::Ready(answer.as_mut().poll(task))).await {
        Poll::Ready(outcome) => respond(id, outcome, max),
        Poll::Pending => {
            // A result that took time may be large: its JSON is not written on a thread that serves other
            // clients.
            let outcome = answer.await;
            on_blocking_thread(move || respond(id, outcome, max)).await
        }
    }
}

async fn read_params<M: Method>(
    context: &Context,
    reader: &LargeFrameReader,
) -> Result<(M::Params, CallSettings), RpcError> {
    let caller = context.caller();
    match context.take_params() {
        Some(raw) if raw.text().len() > INLINE => {
            let (bytes, counted) = (raw.text().len(), context.clone());
            let work = move || {
                // Reading goes on when the request is cancelled.
                let _counted = counted;
                params::read::<M::Params>(&M::INFO, caller, Some(raw.text()))
            };
            reader.work(bytes, work).await
        }
        raw => params::read::<M::Params>(&M::INFO, caller, raw.as_ref().map(RawParams::text)),
    }
}

struct DispatchShared<T>(Arc<T>);

impl<T> Clone for DispatchShared<T> {
    fn clone(&self) -> DispatchShared<T> {
        DispatchShared(Arc::clone(&self.0))
    }
}

impl<T: Serialize> Serialize for DispatchShared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn respond<T: Serialize>(id: PlaceId<'static>, outcome: Result<T, RpcError>, max: usize) -> MethodResponse {
    let payload = match outcome {
        Ok(result) => ResponsePayload::success(DispatchShared(Arc::new(result))),
        Err(error) => {
            let data = Some(&error.data);
            ResponsePayload::error(ErrorObjectOwned::owned(error.code, error.message.as_str(), data))
        }
    };
    MethodResponse::response(id, payload, max)
}

/// Returns the answer to a request whose handler panicked.
fn internal(context: &Context) -> RpcError {
    // The panic itself was logged when it happened; its text may quote files, so the answer carries only an
    // id.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    tracing::error!(
        fault = %id,
        method = context.method().name,
        connection = context.connection(),
        thread = ?std::thread::current().id(),
        "a handler panicked"
    );
    RpcError::new(ErrorKind::Internal, format!("a fault in the daemon; the log has it as {id}"))
        .with("id", id)
        .hint("please report it, with the log's lines around that id")
}
