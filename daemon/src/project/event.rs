//! Everything that can happen to a project, in one closed enum.

use std::path::PathBuf;
use std::sync::Arc;

use clada_apply::WorkingSet;
use clada_apply::{KeptPlan, Resumable};
use clada_protocol::{RpcError, SessionInfo};
use tokio::sync::oneshot;

/// An operation that waits for its turn.
pub(super) struct Job {
    /// Does it. Does not panic.
    pub(super) work: Box<dyn FnOnce() -> Ended + Send>,
    /// Called if it has to wait.
    pub(super) waiting: Box<dyn FnOnce() + Send>,
    /// Called when it is over and answered.
    pub(super) after: Box<dyn FnOnce() + Send>,
}

/// An operation that is over.
pub(super) struct Ended {
    /// What can be resumed of it, by its id.
    pub(super) left: Option<(String, Resumable)>,
    /// Answers whoever waits for it.
    pub(super) answer: Box<dyn FnOnce() + Send>,
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
    ListSessions {
        reply: oneshot::Sender<Vec<SessionInfo>>,
    },
    GetWorkingSet {
        name: Option<String>,
        reply: oneshot::Sender<Result<WorkingSet, RpcError>>,
    },
    CloseSession {
        name: String,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
}
