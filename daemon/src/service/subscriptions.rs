//! `subscribe` and `unsubscribe`: changes are told of as they happen.
//!
//! One task a subscription, which waits for word of a change, asks the engine what it was, and sends it on. It ends
//! with the connection, with the project, or when it is asked to.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clada_protocol::method::{Subscribe, Unsubscribe};
use clada_protocol::{
    ErrorKind, PROJECT_EVENT, ProjectChangesParams, ProjectEvent, ProjectEventKind, RpcError,
    SubscribeParams, SubscribeResult, UnsubscribeParams, UnsubscribeResult,
};
use tokio::sync::{Notify, broadcast};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::background::News;
use super::{LONGEST, Requested, Service};
use crate::engine::{Control, Engine};
use crate::pipeline::Stop;
use crate::rpc::{Context, DispatchBuilder, Notifier};
use crate::watch::{Listener, Watched};

/// Subscriptions that a connection may have.
const MAX_SUBSCRIPTIONS: usize = 64;

/// Between two events of a subscription: what happens in it is told of in one.
const PAUSE: Duration = Duration::from_millis(10);

/// How often a project is looked through of which no word comes.
const LOOK_THROUGH: Duration = Duration::from_secs(2);

/// The subscriptions that are open, by connection and name.
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

/// Nobody stops it; it is bounded by the tree.
pub(super) struct Unasked;

impl Control for Unasked {
    fn stop(&self) -> Option<Stop> {
        None
    }

    fn waiting(&self) {}
}

/// What a subscription's task works with.
struct Subscription {
    engine: Arc<Engine>,
    notifier: Notifier,
    watched: Arc<Watched>,
    /// Held so that it is called.
    _listener: Arc<Listener>,
    word: Arc<Notify>,
    name: String,
    root: String,
    clock: String,
    /// Whether changes are told of.
    changes: bool,
    /// What is made ready in the background, if that is told of.
    news: Option<broadcast::Receiver<News>>,
}

impl Service {
    pub(super) fn register_subscriptions(&self, methods: &mut DispatchBuilder) {
        let service = self.clone();
        methods
            .register::<Subscribe, _, _>(move |context, params| service.clone().subscribe(context, params));
        let service = self.clone();
        methods.register::<Unsubscribe, _, _>(move |context, params| {
            std::future::ready(Ok(service.unsubscribe(&context, &params)))
        });
    }

    async fn subscribe(self, context: Context, params: SubscribeParams) -> Result<SubscribeResult, RpcError> {
        let connection = context.connection();
        let count = self.subscriptions.open().keys().filter(|(other, _)| *other == connection).count();
        if count >= MAX_SUBSCRIPTIONS {
            let message = format!("A connection may have {MAX_SUBSCRIPTIONS} subscriptions");
            return Err(RpcError::new(ErrorKind::LimitExceeded, message).hint("end one with `unsubscribe`"));
        }
        let told = [ProjectEventKind::Changed, ProjectEventKind::Staged];
        let wants = |kind: &ProjectEventKind| params.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
        if !told.iter().any(wants) {
            let message = "subscribe: `kinds` has to name `changed` or `staged`, which is all that is told of in this version";
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        let [changes, staged] = told.map(|kind| wants(&kind));
        // First, so that nothing is missed.
        let news = self.background.news();
        context.set_deadline(Instant::now() + LONGEST);
        let word = Arc::new(Notify::new());
        let heard = Arc::clone(&word);
        let listener: Arc<Listener> = Arc::new(move || heard.notify_one());
        let (engine, root, held) = (Arc::clone(&self.engine), params.root.clone(), Arc::clone(&listener));
        let (watched, stands) =
            context.blocking(move |context| engine.listen(&root, &Requested::new(context), &held)).await?;
        let name = format!("s{}", self.subscriptions.last.fetch_add(1, Ordering::Relaxed) + 1);
        let result = SubscribeResult {
            subscription: name.clone(),
            clock: stands.clock.clone(),
            warnings: stands.warnings,
        };
        let subscription = Subscription {
            engine: Arc::clone(&self.engine),
            notifier: context.notifier().clone(),
            watched,
            _listener: listener,
            word,
            name: name.clone(),
            root: params.root.clone(),
            clock: stands.clock,
            changes,
            news: staged.then_some(news),
        };
        self.stage_in_background(&params.root);
        let (open, key) = (self.subscriptions.clone(), (connection, name));
        let mut kept = self.subscriptions.open();
        let task = tokio::spawn({
            let key = key.clone();
            async move {
                subscription.run().await;
                open.open().remove(&key);
            }
        });
        kept.insert(key, task.abort_handle());
        Ok(result)
    }

    fn unsubscribe(&self, context: &Context, params: &UnsubscribeParams) -> UnsubscribeResult {
        let key = (context.connection(), params.subscription.clone());
        let task = self.subscriptions.open().remove(&key);
        if let Some(task) = &task {
            task.abort();
        }
        UnsubscribeResult { ended: task.is_some() }
    }
}

impl Subscription {
    async fn run(mut self) {
        let notifier = self.notifier.clone();
        tokio::select! {
            () = notifier.gone() => {}
            () = self.tell() => {}
        }
    }

    /// Tells of changes until nothing more comes.
    async fn tell(&mut self) {
        loop {
            let event = match self.next().await {
                Some(files) => {
                    let kind = ProjectEventKind::Staged;
                    let event = ProjectEvent { kind, staged: Some(files), ..self.event() };
                    if self.notifier.send(PROJECT_EVENT, &event).await.is_err() {
                        return;
                    }
                    continue;
                }
                None => self.look().await,
            };
            let event = match event {
                Ok(None) => continue,
                Ok(Some(_)) if !self.changes => continue,
                Ok(Some(event)) => event,
                Err(message) => {
                    let kind = ProjectEventKind::Ended;
                    ProjectEvent { kind, message: Some(message), ..self.event() }
                }
            };
            let is_last = event.kind == ProjectEventKind::Ended;
            if self.notifier.send(PROJECT_EVENT, &event).await.is_err() || is_last {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits for word of a change, or until it is time to look without; or until so many files are staged.
    async fn next(&mut self) -> Option<u64> {
        let silent = !matches!(self.watched.condition(), Some((None, _)));
        // Word of its end comes all the same.
        let wait = if silent { LOOK_THROUGH } else { LONGEST };
        tokio::select! {
            _ = tokio::time::timeout(wait, self.word.notified()) => None,
            files = staged(self.news.as_mut(), self.watched.root()) => Some(files),
        }
    }

    /// What is new, if anything; `Err`: why nothing more comes.
    async fn look(&mut self) -> Result<Option<ProjectEvent>, String> {
        let params =
            ProjectChangesParams { root: self.root.clone(), since: Some(self.clock.clone()), verify: false };
        let (engine, watched) = (Arc::clone(&self.engine), Arc::clone(&self.watched));
        let looked = tokio::task::spawn_blocking(move || engine.news(&watched, &params, &Unasked)).await;
        let changes = looked
            .map_err(|error| error.to_string())?
            .map_err(|error| error.message)?
            .ok_or("The project is not watched any more")?;
        self.clock.clone_from(&changes.clock);
        if changes.files.is_empty() && !changes.fresh {
            return Ok(None);
        }
        let event = self.event();
        Ok(Some(ProjectEvent { fresh: changes.fresh, files: changes.files, ..event }))
    }

    fn event(&self) -> ProjectEvent {
        ProjectEvent {
            subscription: self.name.clone(),
            root: self.root.clone(),
            clock: Some(self.clock.clone()),
            ..ProjectEvent::default()
        }
    }
}

/// Waits until files of the project at `root` are made ready: how many.
async fn staged(news: Option<&mut broadcast::Receiver<News>>, root: &Path) -> u64 {
    let Some(news) = news else { return std::future::pending().await };
    loop {
        match news.recv().await {
            Ok(News { root: other, files }) if other == root => return files,
            // What was missed is told by what comes next.
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
        }
    }
}
