//! The facts that a handler knows about the request that it answers.

use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clada_mcp::Step;
use clada_protocol::method::CallSettings;
use clada_protocol::{CallerKind, Id, MethodInfo, RpcError};
use tokio::sync::watch;
use tokio::time::Instant;

use super::blocking::on_blocking_thread;
use super::cancel::{CancelReason, CancelToken};
use super::conversation::Conversation;
use super::notifier::Notifier;
use super::raw::RawParams;
use super::scope::{Scope, ScopeRequest, Scopes};
use super::standing::{HeldBytes, Standing, Stay};

const NAME: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Client(Mutex<Option<Arc<str>>>);

impl Client {
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, name: &str) {
        let name = name.chars().take(NAME).collect::<String>();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.into());
    }
}

/// The client at the other end, as far as a request needs to know it.
#[derive(Debug)]
pub struct Peer {
    /// The connection's number, for the log.
    pub connection: u64,
    pub(super) scopes: Scopes,
    pub(super) client: Client,
    /// Sends notifications to the client.
    pub notifier: Notifier,
    pub(super) standing: Arc<Standing>,
    pub(super) conversation: Conversation,
    /// Set once the client has said in `hello` that it speaks MCP from then on.
    pub(super) speaks_mcp: OnceLock<()>,
}

/// A request: its caller, its deadline, and whether it is still wanted. Clones are the same request.
#[derive(Debug, Clone)]
pub struct Context(Arc<ContextInner>);

#[derive(Debug)]
struct ContextInner {
    peer: Arc<Peer>,
    scope: Arc<Scope>,
    method: MethodInfo,
    id: Option<Id>,
    cancel: CancelToken,
    stopping: CancelToken,
    deadline: Mutex<Instant>,
    params: Mutex<Option<RawParams>>,
    settings: OnceLock<CallSettings>,
    steps: Option<watch::Sender<Step>>,
    _kept: Arc<HeldBytes>,
}

pub(super) struct ContextParts {
    pub(super) peer: Arc<Peer>,
    pub(super) scope: Arc<Scope>,
    pub(super) method: MethodInfo,
    pub(super) id: Option<Id>,
    pub(super) deadline: Instant,
    pub(super) cancel: CancelToken,
    /// Cancelled when the daemon stops.
    pub(super) stopping: CancelToken,
    pub(super) params: Option<RawParams>,
    pub(super) steps: Option<watch::Sender<Step>>,
    pub(super) held_bytes: Arc<HeldBytes>,
}

impl Context {
    pub(super) fn new(parts: ContextParts) -> Context {
        Context(Arc::new(ContextInner {
            peer: parts.peer,
            scope: parts.scope,
            method: parts.method,
            id: parts.id,
            cancel: parts.cancel,
            stopping: parts.stopping,
            deadline: Mutex::new(parts.deadline),
            params: Mutex::new(parts.params),
            settings: OnceLock::new(),
            steps: parts.steps,
            _kept: parts.held_bytes,
        }))
    }

    /// Returns the kind of caller. A method or parameter reserved for users never reaches the handler from an
    /// agent.
    #[must_use]
    pub fn caller(&self) -> CallerKind {
        self.0.scope.caller
    }

    /// Returns the scope that the connection had when the request began.
    #[must_use]
    pub fn scope(&self) -> &Arc<Scope> {
        &self.0.scope
    }

    /// Returns a future that ends when the connection is narrowed to another scope.
    pub fn narrowed(&self) -> impl Future<Output = ()> + Send + use<> {
        let inner = Arc::clone(&self.0);
        async move { inner.peer.scopes.wait_until_replaced(&inner.scope).await }
    }

    /// Returns the name that the client gave in `hello`, or in a header of its HTTP request.
    #[must_use]
    pub fn client(&self) -> Option<Arc<str>> {
        self.0.peer.client.name()
    }

    pub(super) fn set_client(&self, name: &str) {
        self.0.peer.client.set(name);
    }

    pub(super) fn speak_mcp(&self) {
        let _ = self.0.peer.speaks_mcp.set(());
    }

    /// Notes the progress of the work, if somebody wants to know it.
    pub fn progress(&self, note: impl FnOnce(&mut Step)) {
        if let Some(steps) = &self.0.steps {
            steps.send_modify(note);
        }
    }

    pub(super) fn narrow(&self, request: &ScopeRequest) -> Result<Arc<Scope>, RpcError> {
        self.0.peer.scopes.narrow(request)
    }

    /// Returns the connection's number.
    #[must_use]
    pub fn connection(&self) -> u64 {
        self.0.peer.connection
    }

    /// Returns the method's entry in the table.
    #[must_use]
    pub fn method(&self) -> MethodInfo {
        self.0.method
    }

    /// Returns the request's id; `None` for a notification.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.0.id.as_ref()
    }

    /// Returns the token that shows whether the request is still wanted.
    #[must_use]
    pub fn cancel(&self) -> &CancelToken {
        &self.0.cancel
    }

    /// Returns the token that is cancelled when the daemon is to end. Requests that run are finished all the
    /// same: it is for those that only wait.
    #[must_use]
    pub fn stopping(&self) -> &CancelToken {
        &self.0.stopping
    }

    /// Returns the time by which it should be answered.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        *self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets another deadline. Has to be called before the handler first waits: a timer that is set reads the
    /// deadline again only when it fires.
    pub fn set_deadline(&self, deadline: Instant) {
        *self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Checks that the request is to go on. For sync code, between any two steps that can be separated
    /// afterwards.
    ///
    /// # Errors
    ///
    /// `cancelled` or `timeout`, to be answered as they are or noted in the report.
    pub fn check(&self) -> Result<(), RpcError> {
        match self.0.cancel.reason() {
            Some(reason) => Err(reason.error()),
            None if Instant::now() >= self.deadline() => {
                self.0.cancel.cancel(CancelReason::Deadline);
                Err(CancelReason::Deadline.error())
            }
            None => Ok(()),
        }
    }

    /// Returns the sender of notifications to the client of this request.
    #[must_use]
    pub fn notifier(&self) -> &Notifier {
        &self.0.peer.notifier
    }

    /// Keeps the connection among the last that are closed for others, until the result is dropped.
    #[must_use]
    pub fn stay(&self) -> Stay {
        self.0.peer.standing.stay()
    }

    /// Notes that the client has agreed on a protocol. A request over HTTP stands for itself.
    pub(super) fn greet(&self) {
        if self.0.peer.conversation == Conversation::Connection {
            self.standing().greet();
        }
    }

    pub(super) fn standing(&self) -> &Arc<Standing> {
        &self.0.peer.standing
    }

    /// Runs sync code on a blocking thread. A panic in it is a panic of the handler, which answers
    /// `internal`. The work itself cannot be aborted: it calls [`Context::check`] between its steps.
    pub fn blocking<T, F>(&self, work: F) -> impl Future<Output = T> + Send + use<T, F>
    where
        F: FnOnce(&Context) -> T + Send + 'static,
        T: Send + 'static,
    {
        let context = self.clone();
        async move { on_blocking_thread(move || work(&context)).await }
    }

    /// Returns the settings that the request has of its own; none of an agent's.
    #[must_use]
    pub fn settings(&self) -> &CallSettings {
        self.0.settings.get_or_init(CallSettings::default)
    }

    pub(super) fn set_settings(&self, settings: CallSettings) {
        let _ = self.0.settings.set(settings);
    }

    pub(super) fn take_params(&self) -> Option<RawParams> {
        self.0.params.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
