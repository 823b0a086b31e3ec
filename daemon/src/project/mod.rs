//! Projects: one actor each, which owns the project's state and lets its operations happen one after the
//! other.
//!
//! A handler holds a [`Project`], sends it an `Event` and waits for the reply. What only reads does
//! not pass through here and is not held up.

mod actor;
mod event;
mod operations;
mod plans;
mod sessions;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_apply::{Resumable, SavedPlan, WorkingSet};
use clada_protocol::{ErrorKind, ExecutionResult, RpcError, SessionInfo};
use tokio::sync::{mpsc, oneshot};

use crate::engine::Ended;
use event::{Event, Job};
pub use plans::LIFETIME as PLAN_LIFETIME;

/// The most events that wait for an actor; senders wait beyond.
const QUEUE: usize = 256;

/// The projects that this daemon has opened.
#[derive(Debug, Clone, Default)]
pub struct Projects(Arc<Mutex<HashMap<PathBuf, Project>>>);

/// A handle to a project's actor.
#[derive(Debug, Clone)]
pub struct Project {
    events: mpsc::Sender<Event>,
}

impl Projects {
    /// Returns the project at `root`, an existing folder. Different spellings of one folder are one project.
    ///
    /// # Errors
    /// `project_not_found` if the folder has gone.
    pub fn get(&self, root: &Path) -> Result<Project, RpcError> {
        let resolved = std::fs::canonicalize(root).map_err(|error| {
            let shown = root.display();
            RpcError::new(ErrorKind::ProjectNotFound, format!("The root '{shown}' cannot be opened: {error}"))
        })?;
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let project = projects.entry(resolved).or_insert_with_key(|resolved| {
            let (events, inbox) = mpsc::channel(QUEUE);
            tokio::spawn(actor::run(resolved.clone(), inbox, events.downgrade()));
            Project { events }
        });
        Ok(project.clone())
    }

    /// Returns their roots, sorted.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        let projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut roots: Vec<String> =
            projects.keys().map(|root| root.to_string_lossy().into_owned()).collect();
        roots.sort();
        roots
    }
}

impl Project {
    /// Carries an answer out when no other operation of this project runs. `waiting` is called if it has to
    /// wait, `after` when it is over and no caller waits for it.
    ///
    /// A panic of `work` is a panic here. Dropping the future does not stop `work`.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn operate(
        &self,
        work: impl FnOnce() -> Result<Ended, RpcError> + Send + 'static,
        waiting: impl FnOnce() + Send + 'static,
        after: impl FnOnce() + Send + 'static,
    ) -> Result<ExecutionResult, RpcError> {
        let work = move || match work() {
            Ok(ended) => {
                let left = ended.left.map(|left| (ended.result.operation_id.clone(), left));
                (Ok(ended.result), left)
            }
            Err(error) => (Err(error), None),
        };
        self.queue(work, waiting, after).await
    }

    /// Does the same for work of which nothing can be resumed.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn exclusively<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, RpcError> + Send + 'static,
        waiting: impl FnOnce() + Send + 'static,
        after: impl FnOnce() + Send + 'static,
    ) -> Result<T, RpcError> {
        self.queue(move || (work(), None), waiting, after).await
    }

    async fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> (Result<T, RpcError>, Option<(String, Resumable)>) + Send + 'static,
        waiting: impl FnOnce() + Send + 'static,
        after: impl FnOnce() + Send + 'static,
    ) -> Result<T, RpcError> {
        let (reply, outcome) = oneshot::channel();
        let work = move || {
            let (outcome, left) = match std::panic::catch_unwind(AssertUnwindSafe(work)) {
                Ok((outcome, left)) => (Ok(outcome), left),
                Err(panic) => (Err(panic), None),
            };
            event::Ended { left, answer: Box::new(move || drop(reply.send(outcome))) }
        };
        let job = Job { work: Box::new(work), waiting: Box::new(waiting), after: Box::new(after) };
        match self.ask(Event::Operate(job), outcome).await? {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Keeps a plan.
    ///
    /// # Errors
    /// `limit_exceeded`.
    pub async fn keep_plan(&self, id: String, plan: SavedPlan) -> Result<(), RpcError> {
        let (reply, kept) = oneshot::channel();
        self.ask(Event::KeepPlan { id, plan: Box::new(plan), reply }, kept).await?
    }

    /// Returns a plan that was kept.
    ///
    /// # Errors
    /// `plan_not_found`.
    pub async fn plan(&self, id: String) -> Result<Arc<SavedPlan>, RpcError> {
        let (reply, plan) = oneshot::channel();
        self.ask(Event::GetPlan { id, reply }, plan).await?
    }

    /// Returns the rest of an operation, by its id or `last`, if it is remembered.
    ///
    /// # Errors
    /// If the project's actor has ended.
    pub async fn operation(&self, id: String) -> Result<Option<Arc<Resumable>>, RpcError> {
        let (reply, operation) = oneshot::channel();
        self.ask(Event::GetOperation { id, reply }, operation).await
    }

    /// Opens a session.
    ///
    /// # Errors
    /// `limit_exceeded`, `invalid_params`.
    pub async fn open_session(&self, name: Option<String>) -> Result<SessionInfo, RpcError> {
        let (reply, session) = oneshot::channel();
        self.ask(Event::OpenSession { name, reply }, session).await?
    }

    /// Returns a session; `None` is the default one.
    ///
    /// # Errors
    /// `session_not_found`.
    pub async fn session(&self, name: Option<String>) -> Result<SessionInfo, RpcError> {
        let (reply, session) = oneshot::channel();
        self.ask(Event::GetSession { name, reply }, session).await?
    }

    /// Returns all sessions, by name.
    ///
    /// # Errors
    /// The actor has ended.
    pub async fn sessions(&self) -> Result<Vec<SessionInfo>, RpcError> {
        let (reply, sessions) = oneshot::channel();
        self.ask(Event::ListSessions { reply }, sessions).await
    }

    /// Returns the context of a session; `None` is the default one.
    ///
    /// # Errors
    /// `session_not_found`.
    pub async fn working_set(&self, name: Option<String>) -> Result<WorkingSet, RpcError> {
        let (reply, set) = oneshot::channel();
        self.ask(Event::GetWorkingSet { name, reply }, set).await?
    }

    /// Sets a session's working directory, which exists.
    ///
    /// # Errors
    /// `session_not_found`.
    pub async fn set_cwd(&self, name: Option<String>, cwd: PathBuf) -> Result<SessionInfo, RpcError> {
        let (reply, session) = oneshot::channel();
        self.ask(Event::SetCwd { name, cwd, reply }, session).await?
    }

    /// Closes a session.
    ///
    /// # Errors
    /// `session_not_found`.
    pub async fn close_session(&self, name: String) -> Result<(), RpcError> {
        let (reply, closed) = oneshot::channel();
        self.ask(Event::CloseSession { name, reply }, closed).await?
    }

    async fn ask<T>(&self, event: Event, reply: oneshot::Receiver<T>) -> Result<T, RpcError> {
        let gone = || RpcError::new(ErrorKind::Internal, "The project's actor has ended").hint("try again");
        self.events.send(event).await.map_err(|_| gone())?;
        reply.await.map_err(|_| gone())
    }
}
