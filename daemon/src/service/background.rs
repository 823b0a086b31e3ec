//! Staging in the background: one task for each such project. It waits for a change event, then for quiet,
//! has the engine prepare the changes, and notifies subscribers.

use std::sync::Arc;
use std::time::Duration;

use clada_protocol::{ProjectEvent, ProjectEventKind};
use clada_watch::{Listener, Watched};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::Service;
use crate::engine::{Engine, PreparedStage};
use crate::project::Project;

/// The multiple of the wait for quiet after which a project that is never quiet is staged.
const NEVER_QUIET: u32 = 20;

impl Service {
    /// The project is watched already.
    pub(super) fn stage_in_background(&self, project: Arc<Project>, root: String) {
        let engine = Arc::clone(&self.engine);
        tokio::spawn(async move {
            if time_of_quiet(&engine, &root).await.is_some() && project.begin_background() {
                run(engine, &project, &root).await;
                project.end_background();
            }
        });
    }
}

async fn time_of_quiet(engine: &Arc<Engine>, root: &str) -> Option<Duration> {
    let (engine, root) = (Arc::clone(engine), root.to_owned());
    let stages_now = move || engine.request_unasked(&root).ok()?.stages_in_background();
    tokio::task::spawn_blocking(stages_now).await.ok()?
}

async fn run(engine: Arc<Engine>, project: &Project, root: &str) {
    let word = Arc::new(Notify::new());
    let heard = Arc::clone(&word);
    let listener: Arc<Listener> = Arc::new(move || heard.notify_one());
    let (asking_engine, project_root, held) = (Arc::clone(&engine), root.to_owned(), Arc::clone(&listener));
    let listen = move || asking_engine.request_unasked(&project_root)?.listen(&held);
    let Ok(Ok((watched, ..))) = tokio::task::spawn_blocking(listen).await else { return };
    loop {
        match prepare(&engine, &watched, root).await {
            Some(PreparedStage::Files(files)) => {
                let staged = Some(files as u64);
                let event =
                    ProjectEvent { kind: ProjectEventKind::Staged, staged, ..ProjectEvent::default() };
                project.events().publish(event);
            }
            Some(PreparedStage::Nothing) => {}
            Some(PreparedStage::Ended) | None => return,
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

async fn until_quiet(word: &Notify, quiet: Duration) {
    let began = Instant::now();
    while timeout(quiet, word.notified()).await.is_ok() && began.elapsed() < quiet * NEVER_QUIET {}
}

async fn prepare(engine: &Arc<Engine>, watched: &Arc<Watched>, root: &str) -> Option<PreparedStage> {
    let (engine, watched, project_root) = (Arc::clone(engine), Arc::clone(watched), root.to_owned());
    let prepare = move || engine.request_unasked(&project_root)?.prepare_stage(&watched);
    let prepared = tokio::task::spawn_blocking(prepare).await.ok()?;
    // The caller of the next `stage` gets the error.
    Some(prepared.unwrap_or_else(|error| {
        tracing::warn!(root, error = %error.message, "what changed was not staged in the background");
        PreparedStage::Nothing
    }))
}
