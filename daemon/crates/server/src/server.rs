//! The server: the table of methods, the open connections, and the end of it all.
//!
//! A stop is graceful: no more connections are accepted and no more requests are read. Running requests are
//! finished and answered, for [`RpcLimits::stop`] at most; those that run on are cancelled and given a moment
//! to end between two of their steps. The connection that asked for the stop is closed last.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clada_config::ForeignNamespaces;
use clada_protocol::handshake::StatusResult;
use clada_protocol::{CallerKind, ErrorKind, RpcError};
use tokio::time::{Instant, timeout};

use super::caller::Callers;
use super::cancel::{CancelReason, CancelToken};
use super::connection;
use super::dispatch::{Dispatch, DispatchBuilder};
use super::handlers;
use super::idleness::Idleness;
use super::limits::RpcLimits;
use super::program::program_is_replaced;
use super::registry::Registry;
use super::shared::{Release, RootCheck, ServerShared, StatusPart, Watchdog};
use super::transport::{ConnectionEnd, Transport};

const LAST_MOMENT: Duration = Duration::from_secs(1);

/// Puts a server together.
pub struct ServerBuilder {
    dispatch: DispatchBuilder,
    parts: Vec<StatusPart>,
    named_limits: Vec<(&'static str, u64)>,
    releases: Vec<Release>,
    uid: u32,
    foreign: ForeignNamespaces,
    root_check: RootCheck,
}

/// A server. Clones are the same one.
#[derive(Clone)]
pub struct Server {
    dispatch: Dispatch,
    shared: Arc<ServerShared>,
}

impl ServerBuilder {
    /// Returns a builder of a server for the processes of `uid`.
    #[must_use]
    pub fn new(limits: RpcLimits, uid: u32) -> ServerBuilder {
        ServerBuilder {
            dispatch: DispatchBuilder::new(limits),
            parts: Vec::new(),
            named_limits: Vec::new(),
            releases: Vec::new(),
            uid,
            foreign: ForeignNamespaces::default(),
            root_check: Arc::new(|root| {
                let message = format!("hello: no root can be used here, '{}' neither", root.display());
                Err(RpcError::new(ErrorKind::NotAvailable, message))
            }),
        }
    }

    /// Returns the table of methods, to register handlers. `hello`, `status` and `shutdown` come with the
    /// server.
    pub fn methods(&mut self) -> &mut DispatchBuilder {
        &mut self.dispatch
    }

    /// Sets the treatment of processes in other namespaces. Without this they are refused.
    pub fn foreign_namespaces(&mut self, foreign: ForeignNamespaces) -> &mut ServerBuilder {
        self.foreign = foreign;
        self
    }

    /// Sets what resolves the folders that connections ask to be narrowed to; it may wait for a disk. Without
    /// this no folder can be named.
    pub fn root_check(
        &mut self,
        check: impl Fn(&Path) -> Result<PathBuf, RpcError> + Send + Sync + 'static,
    ) -> &mut ServerBuilder {
        self.root_check = Arc::new(check);
        self
    }

    /// Adds to the answer of `status`. Called on each request, so it has to be quick and must not wait.
    pub fn status(&mut self, part: impl Fn(&mut StatusResult) + Send + Sync + 'static) -> &mut ServerBuilder {
        self.parts.push(Box::new(part));
        self
    }

    /// Adds limits of handlers to those that `status` lists.
    pub fn name_limits(
        &mut self,
        limits: impl IntoIterator<Item = (&'static str, u64)>,
    ) -> &mut ServerBuilder {
        self.named_limits.extend(limits);
        self
    }

    /// Has `release` called, on a blocking thread, when the daemon has been idle for a while after work.
    pub fn when_idle(&mut self, release: impl Fn() + Send + Sync + 'static) -> &mut ServerBuilder {
        self.releases.push(Box::new(release));
        self
    }

    /// Returns the finished server.
    #[must_use]
    pub fn build(self) -> Server {
        // Remembers the program's file as it is now.
        program_is_replaced();
        let ServerBuilder { mut dispatch, parts, named_limits, releases, uid, foreign, root_check } = self;
        let limits = *dispatch.limits();
        let shared = Arc::new(ServerShared {
            started: Instant::now(),
            registry: Registry::new(limits.connections, limits.total_bytes),
            idleness: Mutex::new(Idleness::new(Instant::now(), limits.quiet)),
            limits,
            running: dispatch.running(),
            stop: dispatch.stop(),
            parts,
            named_limits,
            releases,
            root_check,
            uid,
            callers: Callers::new(foreign),
            watchdog: Mutex::new(None),
        });
        handlers::register(&mut dispatch, &shared);
        Server { dispatch: dispatch.build(), shared }
    }
}

impl Server {
    /// Serves one client, on any stream, until it leaves or the server is stopped.
    pub async fn serve_one<S: Transport>(&self, stream: S, caller: CallerKind) -> Option<ConnectionEnd> {
        let admitted = self.shared.registry.admit(0)?;
        let finish = async {
            self.shared.stop.cancelled().await;
            self.finish().await;
            std::future::pending::<()>().await;
        };
        let end = tokio::select! {
            end = connection::serve(stream, &self.dispatch, admitted, caller) => end,
            () = finish => return None,
        };
        self.registry().note_end(end);
        // A request that changes files outlives its client, but not the process.
        self.finish().await;
        Some(end)
    }

    /// Asks the server to end. Returns at once.
    pub fn stop(&self) {
        self.shared.stop.cancel(CancelReason::Stopping);
    }

    #[must_use]
    pub(crate) fn limits(&self) -> &RpcLimits {
        &self.shared.limits
    }

    /// Feeds the service manager's watchdog from now on.
    pub fn feed_watchdog(&self, timeout: Duration) {
        let watchdog = Watchdog { every: timeout / 3, fed: Instant::now() };
        *self.shared.watchdog.lock().unwrap_or_else(PoisonError::into_inner) = Some(watchdog);
    }

    pub(super) fn dispatch(&self) -> &Dispatch {
        &self.dispatch
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    /// Returns the token that is cancelled when the server is to end.
    #[must_use]
    pub fn stop_token(&self) -> &CancelToken {
        &self.shared.stop
    }

    pub(super) fn uid(&self) -> u32 {
        self.shared.uid
    }

    pub(super) fn callers(&self) -> &Callers {
        &self.shared.callers
    }

    pub(super) fn watch_over(&self) {
        let mut watchdog = self.shared.watchdog.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watchdog) = watchdog.as_mut().filter(|watchdog| watchdog.fed.elapsed() >= watchdog.every)
        {
            watchdog.fed = Instant::now();
            let _ = sd_notify::notify(&[sd_notify::NotifyState::Watchdog]);
        }
        drop(watchdog);
        let running = &self.shared.running;
        let mut idleness = self.shared.idleness.lock().unwrap_or_else(PoisonError::into_inner);
        if idleness.is_due(Instant::now(), running.begun(), running.count()) {
            let shared = Arc::clone(&self.shared);
            tokio::task::spawn_blocking(move || shared.releases.iter().for_each(|release| release()));
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        let shared = &self.shared;
        let (Some(limit), Some(since)) = (shared.limits.idle_exit, shared.registry.empty_since()) else {
            return false;
        };
        since.elapsed() >= limit && shared.running.count() == 0
    }

    pub(super) async fn finish(&self) {
        let shared = &self.shared;
        shared.registry.finish();
        let all = || async {
            shared.running.finished().await;
            shared.registry.emptied().await;
        };
        if timeout(shared.limits.stop, all()).await.is_err() {
            tracing::warn!(running = shared.running.count(), "requests are cancelled for the daemon to end");
            shared.running.cancel_all(CancelReason::Stopping);
            let _ = timeout(LAST_MOMENT, all()).await;
        }
        shared.registry.finish_all();
        let _ = timeout(LAST_MOMENT, shared.registry.emptied()).await;
    }
}
