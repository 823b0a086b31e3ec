//! Everything that can happen to a project, in one closed enum.

use std::path::PathBuf;
use std::sync::Arc;

use clada_apply::{Resumable, SavedPlan, WorkingSet};
use clada_protocol::{RpcError, SessionInfo};
use tokio::sync::oneshot;

/// An operation that waits for its turn.
pub(super) struct Job {
    /// The work. Does not panic.
    pub(super) work: Box<dyn FnOnce() -> Ended + Send>,
    /// Called if it has to wait.
    pub(super) waiting: Box<dyn FnOnce() + Send>,
    /// Called when it is over and answered.
    pub(super) after: Box<dyn FnOnce() + Send>,
}

/// An operation that is over.
pub(super) struct Ended {
    /// The part of it that can be resumed, by its id.
    pub(super) left: Option<(String, Resumable)>,
    /// Answers the caller that waits for it.
    pub(super) answer: Box<dyn FnOnce() + Send>,
}

/// An event for the actor.
pub(super) enum Event {
    Operate(Job),
    /// The operation that ran has ended; with the part of it that can be resumed, by its id.
    Done {
        left: Option<(String, Resumable)>,
    },
    GetOperation {
        id: String,
        reply: oneshot::Sender<Option<Arc<Resumable>>>,
    },
    KeepPlan {
        id: String,
        plan: Box<SavedPlan>,
        reply: oneshot::Sender<Result<(), RpcError>>,
    },
    GetPlan {
        id: String,
        reply: oneshot::Sender<Result<Arc<SavedPlan>, RpcError>>,
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
