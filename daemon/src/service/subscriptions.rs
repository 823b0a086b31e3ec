//! `subscribe` and `unsubscribe`: reports changes as they happen.
//!
//! One task for each subscription: it waits for a change event, asks the engine for the changes, and sends
//! them on. It ends with the connection, with the project, or on request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clada_protocol::{
    ErrorKind, PROJECT_EVENT, ProjectEvent, ProjectEventKind, RpcError, SubscribeParams, SubscribeResult,
    UnsubscribeParams, UnsubscribeResult,
};
use clada_server::{Context, Notifier};
use clada_watch::{Clock, Listener, Watched};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::Service;
use super::requested::LONGEST;
use crate::engine::{Engine, News};
use crate::project::{Project, SubscriberQueue};

pub(super) const MAX_SUBSCRIPTIONS: usize = 64;

/// The pause between two events of a subscription: changes in it are reported in one.
const PAUSE: Duration = Duration::from_millis(10);

/// The interval at which a project without change events is scanned.
const LOOK_THROUGH: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Default)]
pub(super) struct Subscriptions {
    open: Arc<Mutex<HashMap<(u64, String), AbortHandle>>>,
    last: Arc<AtomicU64>,
}

impl Subscriptions {
    fn open(&self) -> MutexGuard<'_, HashMap<(u64, String), AbortHandle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Subscription {
    engine: Arc<Engine>,
    notifier: Notifier,
    watched: Arc<Watched>,
    /// The events that are not about files; it holds the listener, too, so that it is called.
    queue: Arc<SubscriberQueue>,
    project: Arc<Project>,
    word: Arc<Notify>,
    name: String,
    connection: u64,
    root: String,
    clock: Clock,
    kinds: Kinds,
    /// True if it waits for the end of a change of clada's own.
    is_open: bool,
}

#[derive(Debug, Clone)]
struct Kinds(Option<Vec<ProjectEventKind>>);

impl Kinds {
    fn has(&self, kind: ProjectEventKind) -> bool {
        self.0.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    fn has_operations(&self) -> bool {
        self.has(ProjectEventKind::Executed) && self.has(ProjectEventKind::Undone)
    }
}

impl Service {
    pub(super) async fn subscribe(
        self,
        context: Context,
        params: SubscribeParams,
    ) -> Result<SubscribeResult, RpcError> {
        let connection = context.connection();
        let count = self.subscriptions.open().keys().filter(|(other, _)| *other == connection).count();
        if count >= MAX_SUBSCRIPTIONS {
            let message = format!("A connection may have {MAX_SUBSCRIPTIONS} subscriptions");
            return Err(RpcError::new(ErrorKind::LimitExceeded, message).hint("end one with `unsubscribe`"));
        }
        if params.kinds.as_ref().is_some_and(|kinds| kinds.contains(&ProjectEventKind::Unknown)) {
            return Err(RpcError::new(ErrorKind::InvalidParams, "subscribe: `kinds` names an unknown kind"));
        }
        if params.kinds.as_ref().is_some_and(Vec::is_empty) {
            return Err(RpcError::new(ErrorKind::InvalidParams, "subscribe: `kinds` names nothing")
                .hint("leave it out to receive every event"));
        }
        context.set_deadline(Instant::now() + LONGEST);
        let word = Arc::new(Notify::new());
        let heard = Arc::clone(&word);
        let listener: Arc<Listener> = Arc::new(move || heard.notify_one());
        let request = self.request(&context, params.root.clone()).await?;
        let (project, held) = (Arc::clone(request.project()), Arc::clone(&listener));
        let (watched, clock, current) = context.blocking(move |_| request.listen(&held)).await?;
        let queue = project.events().subscribe(listener);
        self.stage_in_background(Arc::clone(&project), params.root.clone());
        let name = format!("s{}", self.subscriptions.last.fetch_add(1, Ordering::Relaxed) + 1);
        let result = SubscribeResult {
            subscription: name.clone(),
            clock: current.clock.clone(),
            warnings: current.warnings,
        };
        let subscription = Subscription {
            engine: Arc::clone(&self.engine),
            notifier: context.notifier().clone(),
            watched,
            queue,
            project,
            word,
            name: name.clone(),
            connection,
            root: params.root,
            clock,
            kinds: Kinds(params.kinds),
            is_open: false,
        };
        let (stay, narrowed) = (context.stay(), context.narrowed());
        let (open, key) = (self.subscriptions.clone(), (connection, name));
        // The map stays locked over the spawn: a task that ends at once must not remove its entry before it
        // is there.
        let mut tasks = self.subscriptions.open();
        let task = tokio::spawn({
            let key = key.clone();
            async move {
                let _stay = stay;
                // A connection that was narrowed to an agent's has no subscriptions.
                tokio::select! {
                    biased;
                    () = narrowed => {}
                    () = subscription.run() => {}
                }
                open.open().remove(&key);
            }
        });
        tasks.insert(key, task.abort_handle());
        Ok(result)
    }

    pub(super) async fn unsubscribe(
        self,
        context: Context,
        params: UnsubscribeParams,
    ) -> Result<UnsubscribeResult, RpcError> {
        let key = (context.connection(), params.subscription);
        let task = self.subscriptions.open().remove(&key);
        if let Some(task) = &task {
            task.abort();
        }
        Ok(UnsubscribeResult { ended: task.is_some() })
    }
}

impl Subscription {
    async fn run(mut self) {
        let notifier = self.notifier.clone();
        tokio::select! {
            () = notifier.disconnected() => {}
            () = self.tell() => {}
        }
    }

    async fn tell(&mut self) {
        loop {
            let silent = !matches!(self.watched.condition(), Some((None, _)));
            if silent || self.is_open {
                // A change event at its end comes all the same.
                let _ = tokio::time::timeout(LOOK_THROUGH, self.word.notified()).await;
            } else {
                self.word.notified().await;
            }
            let events = match self.look().await {
                Ok(events) => events,
                Err(message) => {
                    let kind = ProjectEventKind::Ended;
                    vec![ProjectEvent { kind, message: Some(message), ..self.event() }]
                }
            };
            for event in events {
                let is_last = event.kind == ProjectEventKind::Ended;
                if self.notifier.send(PROJECT_EVENT, &event).await.is_err() || is_last {
                    return;
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the news; `Err`: the reason why nothing more comes.
    async fn look(&mut self) -> Result<Vec<ProjectEvent>, String> {
        let mut events = Vec::new();
        while let Some(event) = self.queue.take() {
            if self.kinds.has(event.kind) {
                let ProjectEvent { subscription, root, clock, .. } = self.event();
                let own = event.connection == Some(self.connection);
                events.push(ProjectEvent { subscription, root, clock, own, ..ProjectEvent::clone(&event) });
            }
        }
        let (engine, watched) = (Arc::clone(&self.engine), Arc::clone(&self.watched));
        let (root, since) = (self.root.clone(), self.clock);
        let project = Arc::clone(&self.project);
        let look = move || match project.is_watched_by(&watched) {
            true => engine.request_unasked(&root)?.news(&watched, since),
            // Its root may be gone, too.
            false => Ok(News::Unwatched),
        };
        let looked = tokio::task::spawn_blocking(look).await;
        let news = looked.map_err(|error| error.to_string())?.map_err(|error| error.message)?;
        self.is_open = matches!(news, News::Open);
        match news {
            News::Unwatched => return Err("The project is not watched any more".to_owned()),
            News::Open => {}
            News::Files { clock, fresh, mut files } => {
                self.clock = clock;
                if self.kinds.has_operations() {
                    files.retain(|file| !file.own);
                }
                if self.kinds.has(ProjectEventKind::Changed) && (fresh || !files.is_empty()) {
                    events.push(ProjectEvent { fresh, files, ..self.event() });
                }
            }
        }
        Ok(events)
    }

    fn event(&self) -> ProjectEvent {
        ProjectEvent {
            subscription: self.name.clone(),
            root: self.root.clone(),
            clock: Some(self.clock.to_string()),
            ..ProjectEvent::default()
        }
    }
}
