//! `project.watch`, `project.unwatch`, `project.list`, `project.changes`: reports the files that changed.
//!
//! The source of changes is opened with the first watched project: a daemon that only carries out answers
//! takes nothing from the few that a user has.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

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

use super::{Control, Engine, Leave, project_root};

/// The watched projects of this engine, once there are any.
#[derive(Debug)]
pub(super) struct Watching {
    started: SystemTime,
    opened: OnceLock<Opened>,
}

/// The watched projects, and what there is to say of their source.
#[derive(Debug)]
struct Opened {
    watches: Watches,
    warning: Option<String>,
}

impl Watching {
    pub(super) fn new(started: SystemTime) -> Watching {
        Watching { started, opened: OnceLock::new() }
    }

    /// Returns the watched projects, if there were ever any.
    pub(super) fn get(&self) -> Option<&Watches> {
        self.opened.get().map(|opened| &opened.watches)
    }
}

/// The source of change events that this system has.
#[cfg(target_os = "linux")]
const SOURCE: Option<WatchBackend> = Some(WatchBackend::Inotify);
#[cfg(target_os = "macos")]
const SOURCE: Option<WatchBackend> = Some(WatchBackend::Notify);
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const SOURCE: Option<WatchBackend> = None;

/// Opens the source of change events.
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

/// Returns what there is to say of a setting that asks for the source of another system.
fn other_source(asked: WatchBackend) -> Option<String> {
    if asked == WatchBackend::Auto || Some(asked) == SOURCE {
        return None;
    }
    let has = SOURCE.map_or("this system cannot watch".to_owned(), |has| format!("`{}` is used", has.name()));
    Some(format!("watch.backend: this system does not have `{}`; {has}", asked.name()))
}

impl Engine {
    /// Returns the watched projects; the first call chooses the source of change events.
    fn watches(&self) -> Result<&Watches, RpcError> {
        if let Some(watches) = self.watching.get() {
            return Ok(watches);
        }
        let warning = other_source(self.settings(None)?.watch_backend);
        let opened = self.watching.opened.get_or_init(|| {
            let watches = match source() {
                Ok(source) => Watches::new(source, self.watching.started),
                Err(error) => {
                    tracing::warn!(%error, "the system cannot watch: projects are looked through instead");
                    Watches::without_source(self.watching.started)
                }
            };
            Opened { watches: watches.for_user(self.git_user()), warning }
        });
        Ok(&opened.watches)
    }

    /// `project.watch`.
    ///
    /// # Errors
    /// `project_not_found`, `approval_required` for a root that is never a project by itself, `io`,
    /// `cancelled`.
    pub fn watch(
        &self,
        params: &ProjectParams,
        control: &dyn Control,
    ) -> Result<ProjectWatchResult, RpcError> {
        self.look(&params.root, control, stands)
    }

    /// `project.unwatch`. The root may be gone.
    pub fn unwatch(&self, params: &ProjectParams) -> ProjectUnwatchResult {
        let root = std::fs::canonicalize(&params.root).unwrap_or_else(|_| PathBuf::from(&params.root));
        let watched = self.watching.get().is_some_and(|watches| watches.unwatch(&root));
        ProjectUnwatchResult { watched }
    }

    /// `project.list`.
    pub fn watched(&self) -> ProjectListResult {
        let list = self.watching.get().map(Watches::list).unwrap_or_default();
        let projects = list.iter().map(|watched| {
            let condition = watched.condition();
            WatchedProject {
                root: watched.root().to_string_lossy().into_owned(),
                files: condition.map(|(_, files)| files as u64),
                degraded: condition.and_then(|(degraded, _)| degraded).map(reason),
            }
        });
        ProjectListResult { projects: projects.collect() }
    }

    /// Returns the number of watched folders, and the warnings. Does not wait.
    pub fn watch_status(&self) -> (u64, Vec<String>) {
        let Some(Opened { watches, warning }) = self.watching.opened.get() else { return (0, Vec::new()) };
        let mut warnings: Vec<String> = warning.iter().cloned().collect();
        for watched in watches.list() {
            let root = watched.root().display();
            if let Some(degraded) = watched.condition().and_then(|(degraded, _)| degraded) {
                warnings.push(format!("{root}: {}", reason(degraded)));
            }
            let lost = watched.lost();
            if lost > 0 {
                warnings.push(format!(
                    "{root}: there were more changes at once than the system keeps word of ({lost} times), \
                     and the whole tree was looked through{RAISE_QUEUE}"
                ));
            }
        }
        (watches.watched_folders() as u64, warnings)
    }

    /// `project.changes`. The result has every change that was finished before the call.
    ///
    /// # Errors
    /// As for [`Engine::watch`]; `invalid_params` if `since` is no clock.
    pub fn changes(
        &self,
        params: &ProjectChangesParams,
        control: &dyn Control,
    ) -> Result<ProjectChangesResult, RpcError> {
        let since = params.since.as_deref().map(str::parse::<Clock>).transpose().map_err(|error| {
            RpcError::new(ErrorKind::InvalidParams, format!("since: {error}"))
                .hint("leave it out to get every file and a clock")
        })?;
        let care = if params.verify { Care::EveryFile } else { Care::Events };
        let (roots, watched) = self.open(&params.root)?;
        let roots = &roots;
        self.ask_with(care, roots, &watched, control, |known| {
            let (changes, fresh) = since_or_all(known, since);
            let seen = changes.into_iter().filter(|(path, _)| !is_denied(roots, path));
            ProjectChangesResult {
                clock: known.clock().to_string(),
                fresh,
                files: seen.map(|(path, change)| told(&path, change, false)).collect(),
                warnings: known.degraded().map(reason).into_iter().collect(),
            }
        })
    }

    /// Begins to listen to a project: `listener` is called when there may be news. Returns its state now, for
    /// the first [`Engine::news`].
    ///
    /// # Errors
    /// As for [`Engine::watch`].
    pub fn listen(
        &self,
        root: &str,
        control: &dyn Control,
        listener: &Arc<Listener>,
    ) -> Result<(Arc<Watched>, Clock, ProjectWatchResult), RpcError> {
        let (roots, watched) = self.open(root)?;
        // The listener comes first, so that no change is missed between the two.
        watched.listen(listener);
        let (clock, result) =
            self.ask(&roots, &watched, control, |known| (known.clock(), stands(known, &roots)))?;
        Ok((watched, clock, result))
    }

    /// Returns the changes since `since`, with their sources.
    ///
    /// # Errors
    /// As for [`Engine::watch`].
    pub fn news(
        &self,
        watched: &Arc<Watched>,
        root: &str,
        since: Clock,
        control: &dyn Control,
    ) -> Result<News, RpcError> {
        if !self.watches()?.holds(watched) {
            return Ok(News::Unwatched);
        }
        let (roots, watched) = self.open(root)?;
        self.ask(&roots, &watched, control, |known| {
            let (changes, fresh) = since_or_all(known, Some(since));
            let mut files = Vec::new();
            for (path, change) in changes {
                match watched.self_originated().source_of(&path, known.identity(&path)) {
                    ChangeSource::InFlight if !fresh => return News::Open,
                    change_source if !is_denied(&roots, &path) => {
                        files.push(told(&path, change, !fresh && change_source == ChangeSource::Ours));
                    }
                    _ => {}
                }
            }
            News::Files { clock: known.clock(), fresh, files }
        })
    }

    /// Returns whether a project is still watched.
    pub(super) fn is_watched(&self, watched: &Arc<Watched>) -> bool {
        self.watching.get().is_some_and(|watches| watches.holds(watched))
    }

    /// Gives the known state of the project at `root`, as of now, to `answer`.
    fn look<T>(
        &self,
        root: &str,
        control: &dyn Control,
        answer: impl FnOnce(&Known, &Roots) -> T,
    ) -> Result<T, RpcError> {
        let (roots, watched) = self.open(root)?;
        self.ask(&roots, &watched, control, |known| answer(known, &roots))
    }

    /// Opens the project at `root`, which is watched from now on.
    pub(super) fn open(&self, root: &str) -> Result<(Roots, Arc<Watched>), RpcError> {
        let root = project_root(root)?;
        let settings = self.settings(Some(&root))?;
        let roots = self.roots(&root, &settings, Leave::default())?;
        if let Some(reason) = self.unusual_root(resolved(&roots)) {
            let message = format!("The root '{}' is {reason}, which is not watched", root.display());
            return Err(RpcError::new(ErrorKind::ApprovalRequired, message)
                .hint("give the project's own folder as root"));
        }
        let watches = self.watches()?;
        if let Some(idle) = self.settings(None)?.watch_reap_after {
            watches.reap((self.surroundings.now)(), idle);
        }
        let watched = watches.watch(&roots);
        Ok((roots, watched))
    }

    pub(super) fn ask<T>(
        &self,
        roots: &Roots,
        watched: &Watched,
        control: &dyn Control,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, RpcError> {
        self.ask_with(Care::Events, roots, watched, control, answer)
    }

    fn ask_with<T>(
        &self,
        care: Care,
        roots: &Roots,
        watched: &Watched,
        control: &dyn Control,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, RpcError> {
        let (now, stop) = ((self.surroundings.now)(), || control.stop().is_some());
        let looked = self.watches()?.look_with(care, watched, roots, now, &stop, answer);
        looked.map_err(|failure| failed(&failure, control))
    }
}

/// The advice where change events were lost.
#[cfg(target_os = "linux")]
const RAISE_QUEUE: &str = "; raise the sysctl fs.inotify.max_queued_events if that happens often";
#[cfg(not(target_os = "linux"))]
const RAISE_QUEUE: &str = "";

/// The beginning of the advice where not all folders can be watched.
#[cfg(target_os = "linux")]
const RAISE_WATCHES: &str =
    "raise the sysctl fs.inotify.max_user_watches, of which clada takes half at most, and ";
#[cfg(not(target_os = "linux"))]
const RAISE_WATCHES: &str = "";

/// The news of a project.
#[derive(Debug)]
pub enum News {
    /// These files changed.
    Files {
        /// The project's clock now.
        clock: Clock,
        /// True if these are all files.
        fresh: bool,
        /// The files.
        files: Vec<FileChange>,
    },
    /// Clada itself is changing one of them at this moment. Listeners are called when that is over.
    Open,
    /// The project is not watched any more.
    Unwatched,
}

/// Returns the changes since `since`, or all files; and whether it is all.
fn since_or_all(known: &Known, since: Option<Clock>) -> (Changes, bool) {
    match since.and_then(|since| known.since(since)) {
        Some(changes) => (changes, false),
        None => (known.files().into_iter().map(|(path, _)| (path, Change::Created)).collect(), true),
    }
}

/// Returns the current state of a project.
fn stands(known: &Known, roots: &Roots) -> ProjectWatchResult {
    ProjectWatchResult {
        root: resolved(roots).to_string_lossy().into_owned(),
        clock: known.clock().to_string(),
        files: known.len() as u64,
        warnings: known.degraded().map(reason).into_iter().collect(),
    }
}

/// Returns the project's root, as resolved.
pub(super) fn resolved(roots: &Roots) -> &Path {
    roots.paths().next().unwrap_or(Path::new("/"))
}

/// Returns whether the `denied` globs name `path`: such a path is not reported.
pub(super) fn is_denied(roots: &Roots, path: &Path) -> bool {
    match roots.resolve(&path.to_string_lossy()) {
        Ok(path) => matches!(roots.verdict_for_read(&path), Verdict::Deny(ErrorKind::PathDenied, _)),
        Err(error) => error.kind() == ErrorKind::PathDenied,
    }
}

fn told(path: &Path, change: Change, own: bool) -> FileChange {
    let kind = match change {
        Change::Created => ChangeKind::Created,
        Change::Changed => ChangeKind::Changed,
        Change::Deleted => ChangeKind::Deleted,
    };
    named(path, kind, own)
}

/// Returns a change of the file at `path`, as reports have it.
pub(super) fn named(path: &Path, kind: ChangeKind, own: bool) -> FileChange {
    let bytes = path.as_os_str().as_bytes();
    let path_bytes = std::str::from_utf8(bytes).is_err().then(|| STANDARD.encode(bytes));
    FileChange { path: path.to_string_lossy().into_owned(), path_bytes, kind, own }
}

pub(super) fn reason(degraded: Degraded) -> String {
    match degraded {
        Degraded::Limit => format!(
            "there are more folders than may be watched, so every question goes through the whole tree; \
             {RAISE_WATCHES}call `project.unwatch`"
        ),
        Degraded::Silent => {
            "part of it lies on a file system that does not tell of what others change, so every \
                             question goes through the whole tree"
                .to_owned()
        }
        Degraded::NoSource => {
            "this system cannot watch, so every question goes through the whole tree".to_owned()
        }
    }
}

fn failed(failure: &Failure, control: &dyn Control) -> RpcError {
    let kind = match (failure, control.stop()) {
        (Failure::Fs(error), _) => return error.clone().into(),
        (Failure::Stopped, Some(Stop::Deadline)) => ErrorKind::Timeout,
        (Failure::Stopped, _) => ErrorKind::Cancelled,
        (Failure::Source(_) | Failure::Restless | Failure::Full, _) => ErrorKind::Io,
    };
    RpcError::new(kind, format!("What changed is not known: {failure}"))
        .hint("try again: the next look goes through the whole tree")
}
