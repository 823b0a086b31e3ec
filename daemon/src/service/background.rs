//! Staging in the background: one task for each such project. It waits for a change event, then for quiet,
//! has the engine prepare the changes, and notifies subscribers.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clada_protocol::{ProjectEvent, ProjectEventKind};
use clada_watch::{Listener, Watched};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::Service;
use super::subscriptions::Unasked;
use crate::engine::{Engine, Prepared};

/// The multiple of the wait for quiet after which a project that is never quiet is staged.
const NEVER_QUIET: u32 = 20;

/// The projects that are staged in the background, by their roots as given.
#[derive(Debug, Clone, Default)]
pub(super) struct Background(Arc<Mutex<HashSet<String>>>);

impl Background {
    /// Adds `root`; returns whether it is new.
    fn enter(&self, root: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(root.to_owned())
    }

    fn leave(&self, root: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(root);
    }
}

impl Service {
    /// Stages the project at `root` in the background from now on, if the configuration says so. It is
    /// watched already.
    pub(super) fn stage_in_background(&self, root: &str) {
        let (engine, background, root) = (Arc::clone(&self.engine), self.background.clone(), root.to_owned());
        tokio::spawn(async move {
            if time_of_quiet(&engine, &root).await.is_some() && background.enter(&root) {
                run(engine, &root).await;
                background.leave(&root);
            }
        });
    }
}

/// Returns how long the project has to be quiet before it is staged; `None`: it is not staged, or not any
/// more.
async fn time_of_quiet(engine: &Arc<Engine>, root: &str) -> Option<Duration> {
    let (engine, root) = (Arc::clone(engine), root.to_owned());
    tokio::task::spawn_blocking(move || engine.stages_in_background(&root)).await.ok()?
}

async fn run(engine: Arc<Engine>, root: &str) {
    let word = Arc::new(Notify::new());
    let heard = Arc::clone(&word);
    let listener: Arc<Listener> = Arc::new(move || heard.notify_one());
    let (asked, given, held) = (Arc::clone(&engine), root.to_owned(), Arc::clone(&listener));
    let listening = tokio::task::spawn_blocking(move || asked.listen(&given, &Unasked, &held)).await;
    let Ok(Ok((watched, ..))) = listening else { return };
    loop {
        match prepare(&engine, &watched, root).await {
            Some(Prepared::Files(files)) => {
                let staged = Some(files as u64);
                let event =
                    ProjectEvent { kind: ProjectEventKind::Staged, staged, ..ProjectEvent::default() };
                engine.happened(watched.root(), &event);
            }
            Some(Prepared::Nothing) => {}
            Some(Prepared::Ended) | None => return,
        }
        // Without change events, every call would scan the whole tree.
        if matches!(watched.condition(), Some((Some(_), _))) {
            return;
        }
        word.notified().await;
        let Some(quiet) = time_of_quiet(&engine, root).await else { return };
        until_quiet(&word, quiet).await;
    }
}

/// Waits until no change event has come for so long.
async fn until_quiet(word: &Notify, quiet: Duration) {
    let began = Instant::now();
    while timeout(quiet, word.notified()).await.is_ok() && began.elapsed() < quiet * NEVER_QUIET {}
}

/// Prepares the changes; `None` if the daemon ends.
async fn prepare(engine: &Arc<Engine>, watched: &Arc<Watched>, root: &str) -> Option<Prepared> {
    let (engine, watched, given) = (Arc::clone(engine), Arc::clone(watched), root.to_owned());
    let prepared =
        tokio::task::spawn_blocking(move || engine.prepare_stage(&given, &watched, &Unasked)).await.ok()?;
    // The caller of the next `stage` gets the error.
    Some(prepared.unwrap_or_else(|error| {
        tracing::warn!(root, error = %error.message, "what changed was not staged in the background");
        Prepared::Nothing
    }))
}
