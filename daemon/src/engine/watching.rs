//! `project.watch`, `project.unwatch`, `project.list`, `project.changes`: reports the files that changed.
//!
//! The source of changes is opened with the first watched project: a daemon that only carries out answers
//! takes nothing from the few that a user has.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_apply::Stop;
use clada_config::WatchBackend;
use clada_fs::{Roots, Verdict};
use clada_protocol::{
    ChangeKind, ErrorKind, FileChange, ProjectChangesParams, ProjectChangesResult, ProjectListResult,
    ProjectParams, ProjectUnwatchResult, ProjectWatchResult, RpcError, WatchedProject,
};
use clada_watch::{
    Care, Change, ChangeSource, Changes, Clock, Degraded, Failure, Known, Listener, Source, Watched, Watches,
};

use super::request::{ProjectRequest, RequestContext};
use super::state::{Engine, Opened};

#[cfg(target_os = "linux")]
const SOURCE: Option<WatchBackend> = Some(WatchBackend::Inotify);
#[cfg(target_os = "macos")]
const SOURCE: Option<WatchBackend> = Some(WatchBackend::Notify);
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const SOURCE: Option<WatchBackend> = None;

#[cfg(target_os = "linux")]
fn source() -> std::io::Result<Arc<dyn Source>> {
    Ok(Arc::new(clada_watch::Inotify::new()?))
}

#[cfg(target_os = "macos")]
#[allow(clippy::unnecessary_wraps)]
fn source() -> std::io::Result<Arc<dyn Source>> {
    Ok(Arc::new(clada_watch::Notify::new()))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn source() -> std::io::Result<Arc<dyn Source>> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
}

#[cfg(target_os = "linux")]
fn max_user_instances() -> Option<usize> {
    clada_watch::max_user_instances()
}

#[cfg(not(target_os = "linux"))]
fn max_user_instances() -> Option<usize> {
    None
}

#[cfg(target_os = "linux")]
pub(super) fn max_user_watches() -> Option<usize> {
    clada_watch::max_user_watches()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn max_user_watches() -> Option<usize> {
    None
}

fn why_unwatched(error: &std::io::Error) -> Degraded {
    let is_limit = error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error());
    if is_limit && SOURCE == Some(WatchBackend::Inotify) { Degraded::NoInstance } else { Degraded::NoSource }
}

fn other_source(configured: WatchBackend) -> Option<String> {
    if configured == WatchBackend::Auto || Some(configured) == SOURCE {
        return None;
    }
    let has = SOURCE.map_or("this system cannot watch".to_owned(), |has| format!("`{}` is used", has.name()));
    Some(format!("watch.backend: this system does not have `{}`; {has}", configured.name()))
}

impl Engine {
    fn watches(&self) -> Result<&Watches, RpcError> {
        if let Some(watches) = self.watching.get() {
            return Ok(watches);
        }
        let settings = self.config.current(None).map_err(|error| RpcError::from(&error))?;
        let warning = other_source(settings.watch_backend);
        let opened = self.watching.opened.get_or_init(|| {
            let watches = match source() {
                Ok(source) => Watches::new(source, self.watching.started),
                Err(error) => {
                    tracing::warn!(%error, "the system cannot watch: projects are scanned instead");
                    Watches::without_source(self.watching.started, why_unwatched(&error))
                }
            };
            Opened { watches: watches.for_user(self.environment.git_user()), warning }
        });
        Ok(&opened.watches)
    }

    // Returns why no project can be watched, if that is so. Where none was watched yet, the source is tried.
    pub(super) fn unwatched(&self) -> Option<Degraded> {
        match self.watching.get() {
            Some(watches) => watches.without_source_why(),
            None => source().err().map(|error| why_unwatched(&error)),
        }
    }

    pub(crate) fn unwatch(&self, params: &ProjectParams) -> ProjectUnwatchResult {
        let root = std::fs::canonicalize(&params.root).unwrap_or_else(|_| PathBuf::from(&params.root));
        let Some(project) = self.projects.get(&root) else { return ProjectUnwatchResult { watched: false } };
        project.snapshots().end_survey();
        let watched = project.watched();
        if let (Some(watched), Some(watches)) = (&watched, self.watching.get()) {
            // The watch ends first: whoever watches in between begins another, and keeps that.
            watches.unwatch(watched.root());
            project.unwatch(watched);
        }
        ProjectUnwatchResult { watched: watched.is_some() }
    }

    pub(crate) fn watched(&self) -> ProjectListResult {
        let projects = self.watched_projects().into_iter().map(|watched| {
            let condition = watched.condition();
            WatchedProject {
                root: watched.root().to_string_lossy().into_owned(),
                files: condition.map(|(_, files)| files as u64),
                degraded: condition.and_then(|(degraded, _)| degraded).map(reason),
            }
        });
        ProjectListResult { projects: projects.collect() }
    }

    fn watched_projects(&self) -> Vec<Arc<Watched>> {
        self.projects.list().iter().filter_map(|project| project.watched()).collect()
    }

    /// Returns the number of watched folders, and the warnings. Does not wait.
    pub fn watch_status(&self) -> (u64, Vec<String>) {
        let Some(Opened { watches, warning }) = self.watching.opened.get() else { return (0, Vec::new()) };
        let mut warnings: Vec<String> = warning.iter().cloned().collect();
        for watched in self.watched_projects() {
            let root = watched.root().display();
            if let Some(degraded) = watched.condition().and_then(|(degraded, _)| degraded) {
                warnings.push(format!("{root}: {}", reason(degraded)));
            }
            let lost = watched.lost();
            if lost > 0 {
                warnings.push(format!(
                    "{root}: the system dropped file events ({lost} times), so the whole tree was scanned{RAISE_QUEUE}"
                ));
            }
        }
        (watches.watched_folders() as u64, warnings)
    }
}

impl ProjectRequest {
    /// `project.watch`.
    ///
    /// # Errors
    /// `project_not_found`, `approval_required` for a root that is never a project by itself, `io`,
    /// `cancelled`.
    pub fn watch(&self, _params: &ProjectParams) -> Result<ProjectWatchResult, RpcError> {
        let (roots, watched) = self.open_watch()?;
        self.ask(roots, &watched, self.context(), |known| current_state(known, roots))
    }

    // `project.changes`. The result has every change that was finished before the call.
    pub(crate) fn changes(&self, params: &ProjectChangesParams) -> Result<ProjectChangesResult, RpcError> {
        let since = params.since.as_deref().map(str::parse::<Clock>).transpose().map_err(|error| {
            RpcError::new(ErrorKind::InvalidParams, format!("since: {error}"))
                .hint("leave it out to get every file and a clock")
        })?;
        let care = if params.verify { Care::EveryFile } else { Care::Events };
        let (roots, watched) = self.open_watch()?;
        self.ask_with(care, roots, &watched, self.context(), |known| {
            let (changes, fresh) = since_or_all(known, since);
            let seen = changes.into_iter().filter(|(path, _)| !is_denied(roots, path));
            ProjectChangesResult {
                clock: known.clock().to_string(),
                fresh,
                files: seen.map(|(path, change)| file_change(&path, change, false)).collect(),
                warnings: known.degraded().map(reason).into_iter().collect(),
            }
        })
    }

    // Begins to listen to the project: `listener` is called when there may be news. Returns its state now,
    // for the first [`ProjectRequest::news`].
    pub(crate) fn listen(
        &self,
        listener: &Arc<Listener>,
    ) -> Result<(Arc<Watched>, Clock, ProjectWatchResult), RpcError> {
        let (roots, watched) = self.open_watch()?;
        // The listener comes first, so that no change is missed between the two.
        watched.listen(listener);
        let now = |known: &Known| (known.clock(), current_state(known, roots));
        let (clock, result) = self.ask(roots, &watched, self.context(), now)?;
        Ok((watched, clock, result))
    }

    // Returns the changes since `since`, with their sources.
    pub(crate) fn news(&self, watched: &Arc<Watched>, since: Clock) -> Result<News, RpcError> {
        if !self.project().is_watched_by(watched) {
            return Ok(News::Unwatched);
        }
        // Never opened here: if it ends from now on, it must not begin again.
        let roots = self.roots()?;
        self.ask(roots, watched, self.context(), |known| {
            let (changes, fresh) = since_or_all(known, Some(since));
            let mut files = Vec::new();
            for (path, change) in changes {
                match watched.self_originated().source_of(&path, known.identity(&path)) {
                    ChangeSource::InFlight if !fresh => return News::Open,
                    change_source if !is_denied(roots, &path) => {
                        files.push(file_change(&path, change, !fresh && change_source == ChangeSource::Ours));
                    }
                    _ => {}
                }
            }
            News::Files { clock: known.clock(), fresh, files }
        })
    }

    pub(super) fn open_watch(&self) -> Result<(&Roots, Arc<Watched>), RpcError> {
        let roots = self.roots()?;
        if let Some(reason) = self.unusual_root(resolved(roots)) {
            let message =
                format!("The root '{}' is {reason}, which is not watched", self.requested_root().display());
            return Err(RpcError::new(ErrorKind::ApprovalRequired, message)
                .hint("give the project's own folder as root"));
        }
        let watches = self.engine.watches()?;
        let watched = self.project().watch(|| watches.watch(roots));
        Ok((roots, watched))
    }

    // Has the project surveyed from now on, where the system can watch: a look at all of it costs what changed
    // from then on, and a walk anywhere else.
    pub(super) fn begin_survey(&self, roots: &Roots) {
        if self.unusual_root(resolved(roots)).is_some() {
            return;
        }
        if let Ok(watches) = self.engine.watches() {
            self.project().snapshots().survey_by(|| watches.survey(roots));
        }
    }

    pub(super) fn ask<T>(
        &self,
        roots: &Roots,
        watched: &Watched,
        context: &dyn RequestContext,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, RpcError> {
        self.ask_with(Care::Events, roots, watched, context, answer)
    }

    fn ask_with<T>(
        &self,
        care: Care,
        roots: &Roots,
        watched: &Watched,
        context: &dyn RequestContext,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, RpcError> {
        let (now, stop) = ((self.environment().now)(), || context.stop().is_some());
        let looked = self.engine.watches()?.look_with(care, watched, roots, now, &stop, answer);
        looked.map_err(|failure| failed(&failure, context))
    }
}

#[cfg(target_os = "linux")]
const RAISE_QUEUE: &str = "; raise the sysctl fs.inotify.max_queued_events if that happens often";
#[cfg(not(target_os = "linux"))]
const RAISE_QUEUE: &str = "";

#[cfg(target_os = "linux")]
const RAISE_WATCHES: &str =
    "raise the sysctl fs.inotify.max_user_watches, of which clada takes half at most, and ";
#[cfg(not(target_os = "linux"))]
const RAISE_WATCHES: &str = "";

const RAISE_INSTANCES: &str = "run `sudo sysctl fs.inotify.max_user_instances=1024`, then `clada stop`";

// The news of a project.
#[derive(Debug)]
pub(crate) enum News {
    // These files changed.
    Files {
        // The project's clock now.
        clock: Clock,
        // True if these are all files.
        fresh: bool,
        // The files.
        files: Vec<FileChange>,
    },
    // Clada itself is changing one of them at this moment. Listeners are called when that is over.
    Open,
    // The project is not watched any more.
    Unwatched,
}

fn since_or_all(known: &Known, since: Option<Clock>) -> (Changes, bool) {
    match since.and_then(|since| known.since(since)) {
        Some(changes) => (changes, false),
        None => (known.files().into_iter().map(|(path, _)| (path, Change::Created)).collect(), true),
    }
}

fn current_state(known: &Known, roots: &Roots) -> ProjectWatchResult {
    ProjectWatchResult {
        root: resolved(roots).to_string_lossy().into_owned(),
        clock: known.clock().to_string(),
        files: known.len() as u64,
        warnings: known.degraded().map(reason).into_iter().collect(),
    }
}

pub(super) fn resolved(roots: &Roots) -> &Path {
    roots.paths().next().unwrap_or(Path::new("/"))
}

pub(super) fn is_denied(roots: &Roots, path: &Path) -> bool {
    match roots.resolve_relative(path) {
        Ok(path) => matches!(roots.verdict_for_read(&path), Verdict::Deny(ErrorKind::PathDenied, _)),
        Err(error) => error.kind() == ErrorKind::PathDenied,
    }
}

fn file_change(path: &Path, change: Change, own: bool) -> FileChange {
    let kind = match change {
        Change::Created => ChangeKind::Created,
        Change::Changed => ChangeKind::Changed,
        Change::Deleted => ChangeKind::Deleted,
    };
    named(path, kind, own)
}

pub(super) fn named(path: &Path, kind: ChangeKind, own: bool) -> FileChange {
    let bytes = path.as_os_str().as_bytes();
    let path_bytes = std::str::from_utf8(bytes).is_err().then(|| STANDARD.encode(bytes));
    FileChange { path: path.to_string_lossy().into_owned(), path_bytes, kind, own, old_path: None }
}

pub(super) fn reason(degraded: Degraded) -> String {
    match degraded {
        Degraded::Limit => format!(
            "there are more folders than may be watched, so every query scans the whole tree; \
             {RAISE_WATCHES}end watching another project"
        ),
        Degraded::Silent => {
            "part of it lies on a file system that does not report changes by others, so every query scans the \
                             whole tree"
                .to_owned()
        }
        Degraded::NoInstance => format!(
            "your programs use all inotify instances that the system allows (fs.inotify.max_user_instances{}), \
             so every query scans the whole tree; {RAISE_INSTANCES}",
            max_user_instances().map(|allowed| format!(" is {allowed}")).unwrap_or_default()
        ),
        Degraded::NoSource => {
            "this system cannot watch, so every query scans the whole tree".to_owned()
        }
    }
}

fn failed(failure: &Failure, context: &dyn RequestContext) -> RpcError {
    let kind = match (failure, context.stop()) {
        (Failure::Fs(error), _) => return error.clone().into(),
        (Failure::Stopped, Some(Stop::Deadline)) => ErrorKind::Timeout,
        (Failure::Stopped, _) => ErrorKind::Cancelled,
        (Failure::Source(_) | Failure::Restless | Failure::Full, _) => ErrorKind::Io,
    };
    RpcError::new(kind, format!("The changes are not known: {failure}"))
        .hint("try again: the next query scans the whole tree")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn regression_a_user_without_inotify_instances_is_told_the_limit_and_what_to_do() {
        let used_up = std::io::Error::from(rustix::io::Errno::MFILE);
        let why = why_unwatched(&used_up);
        assert_eq!(why, Degraded::NoInstance);
        let text = reason(why);
        assert!(text.contains("(fs.inotify.max_user_instances is "), "{text}");
        assert!(text.contains("`sudo sysctl fs.inotify.max_user_instances="), "{text}");
        assert_eq!(why_unwatched(&std::io::ErrorKind::Unsupported.into()), Degraded::NoSource);
    }
}
