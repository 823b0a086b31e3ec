//! Everything that can happen to a project, in one closed enum.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use clada_protocol::{ExecutionResult, RpcError, SessionInfo};
use tokio::sync::oneshot;

use crate::engine::Ended;
use crate::pipeline::{KeptPlan, Resumable};

/// How an operation ended; the outer error is its panic.
pub(super) type Outcome = Result<Result<ExecutionResult, RpcError>, Box<dyn Any + Send>>;

/// An operation that waits for its turn.
pub(super) struct Job {
    pub(super) work: Box<dyn FnOnce() -> Result<Ended, RpcError> + Send>,
    /// Called if it has to wait.
    pub(super) waiting: Box<dyn FnOnce() + Send>,
    /// Called when it is over and answered.
    pub(super) after: Box<dyn FnOnce() + Send>,
    pub(super) reply: oneshot::Sender<Outcome>,
}

/// What an actor is told.
pub(super) enum Event {
    Operate(Job),
    /// The operation that ran has ended; what can be resumed of it, by its id.
    Done {
        left: Option<(String, Resumable)>,
    },
    GetOperation {
        id: String,
        reply: oneshot::Sender<Option<Arc<Resumable>>>,
    },
    KeepPlan {
        id: String,
        plan: Box<KeptPlan>,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
    GetPlan {
        id: String,
        reply: oneshot::Sender<Result<Arc<KeptPlan>, RpcError>>,
    },
    OpenSession {
        name: Option<String>,
        reply: oneshot::Sender<Result<SessionInfo, RpcError>>,
    },
    GetSession {
        name: Option<String>,
        reply: oneshot::Sender<Result<SessionInfo, RpcError>>,
    },
    SetCwd {
        name: Option<String>,
        cwd: PathBuf,
        reply: oneshot::Sender<Result<SessionInfo, RpcError>>,
    },
    CloseSession {
        name: String,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
}
