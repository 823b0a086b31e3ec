//! The events of projects besides changes of files, for subscribers; and the mark on changes that are clada's
//! own.
//!
//! The source of an event gives it to [`Engine::happened`] with the root of the project, as resolved; it
//! waits in the inbox of each subscriber. Knows neither connections nor the kinds of a subscription.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use clada_apply::{ChangeObserver, JournalWriter, Stop};
use clada_fs::{Identity, Roots};
use clada_journal::{JournalPlace, Net, OperationKind, State};
use clada_protocol::{ChangeKind, ExecutionResult, FileChange, ProjectEvent, ProjectEventKind};
use clada_watch::{ChangeSource, Clock, Known, Listener, Watched};

use super::watching::{is_denied, named};
use super::{Control, Engine};

/// The most events that wait for a subscriber; beyond, the oldest is dropped.
const MAX_EVENTS: usize = 1_000;

/// The most files that an event about an operation names.
const MAX_FILES: usize = 10_000;

/// The most files changed by other processes during an operation that its result names.
const MAX_OTHERS: usize = 100;

/// The control of a request for the known state after an operation: it never stops.
struct Over;

impl Control for Over {
    fn stop(&self) -> Option<Stop> {
        None
    }

    fn waiting(&self) {}
}

/// The inboxes of all projects.
#[derive(Debug, Default)]
pub(super) struct Happenings(Mutex<Vec<(PathBuf, Weak<Inbox>)>>);

/// The event for subscribers at the end of an operation.
#[derive(Debug)]
pub(super) struct Outcome {
    root: PathBuf,
    event: ProjectEvent,
}

/// The events that a subscriber has not received yet.
pub struct Inbox {
    events: Mutex<VecDeque<ProjectEvent>>,
    listener: Arc<Listener>,
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Inbox").field(&self.events).finish()
    }
}

impl Inbox {
    /// Takes the oldest event.
    pub fn take(&self) -> Option<ProjectEvent> {
        self.events().pop_front()
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<ProjectEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Happenings {
    fn inboxes(&self) -> MutexGuard<'_, Vec<(PathBuf, Weak<Inbox>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Returns an inbox for the events of the project at `root`, as resolved. `listener` is called for each
    /// new event.
    pub fn inbox(&self, root: &Path, listener: Arc<Listener>) -> Arc<Inbox> {
        let inbox = Arc::new(Inbox { events: Mutex::default(), listener });
        let mut inboxes = self.happenings.inboxes();
        inboxes.retain(|(_, inbox)| inbox.strong_count() > 0);
        inboxes.push((root.to_path_buf(), Arc::downgrade(&inbox)));
        inbox
    }

    /// Sends `event`, of the project at `root` (as resolved), to all subscribers to its kind. Its
    /// subscription and its root are filled in for each.
    pub fn happened(&self, root: &Path, event: &ProjectEvent) {
        let inboxes: Vec<Arc<Inbox>> = {
            let all = self.happenings.inboxes();
            all.iter().filter(|(of, _)| of == root).filter_map(|(_, inbox)| inbox.upgrade()).collect()
        };
        for inbox in inboxes {
            let mut events = inbox.events();
            if events.len() >= MAX_EVENTS {
                events.pop_front();
            }
            events.push_back(event.clone());
            drop(events);
            (inbox.listener)();
        }
    }

    /// Returns the event for subscribers after the operation, if there are any and it has changed files.
    pub(super) fn outcome(
        &self,
        roots: &Roots,
        journal_writer: &JournalWriter,
        kind: OperationKind,
        id: &str,
        undoes: Option<&str>,
    ) -> Option<Outcome> {
        let root = roots.paths().next().filter(|_| journal_writer.has_changed())?;
        if !self.happenings.inboxes().iter().any(|(of, inbox)| of == root && inbox.strong_count() > 0) {
            return None;
        }
        let kind = match kind {
            OperationKind::Undo => ProjectEventKind::Undone,
            _ => ProjectEventKind::Executed,
        };
        let mut files: Vec<FileChange> =
            journal_writer.nets().iter().filter(|net| net.place.root == root).filter_map(changed).collect();
        files.truncate(MAX_FILES);
        let operation_id = Some(id.to_owned());
        let undoes = undoes.map(str::to_owned);
        let event = ProjectEvent { kind, operation_id, undoes, files, ..ProjectEvent::default() };
        Some(Outcome { root: root.to_path_buf(), event })
    }

    /// Sends the event at the end of the operation.
    pub(super) fn operated(&self, outcome: Option<Outcome>) {
        if let Some(Outcome { root, event }) = outcome {
            self.happened(&root, &event);
        }
    }

    /// Notifies subscribers that an operation in the project of `roots` waits for the user's approval.
    pub(super) fn asked(&self, roots: &Roots, result: &ExecutionResult) {
        let Some(root) = roots.paths().next().filter(|_| !result.approvals.is_empty()) else { return };
        let event = ProjectEvent {
            kind: ProjectEventKind::ApprovalAsked,
            operation_id: Some(result.operation_id.clone()),
            approvals: result.approvals.clone(),
            ..ProjectEvent::default()
        };
        self.happened(root, &event);
    }

    /// Returns the clock of the project of `roots` before an operation, if it is watched.
    pub(super) fn stands_before(&self, roots: &Roots, control: &dyn Control) -> Option<Clock> {
        let watched = self.watching.get()?.get(roots.paths().next()?)?;
        let clock = |known: &Known| known.degraded().is_none().then(|| known.clock());
        // If the clock is not known, the changes of other processes are not known afterwards.
        self.ask(roots, &watched, control, clock).ok().flatten()
    }

    /// Adds to `result` the changes of other processes in the project of `roots` since `before`, the start of
    /// the operation, that it does not name yet.
    pub(super) fn add_changes_of_others(
        &self,
        roots: &Roots,
        before: Option<Clock>,
        result: &mut ExecutionResult,
    ) {
        let root = roots.paths().next();
        let Some((before, watched)) = before.zip(root.and_then(|root| self.watching.get()?.get(root))) else {
            return;
        };
        let others = |known: &Known| {
            let changes = known.since(before).unwrap_or_default().into_iter().map(|(path, _)| path);
            let is_theirs = |path: &PathBuf| {
                watched.self_originated().source_of(path, known.identity(path)) == ChangeSource::External
            };
            changes.filter(is_theirs).filter(|path| !is_denied(roots, path)).collect::<Vec<PathBuf>>()
        };
        // The operation is over: nothing can stop it any more.
        let Ok(others) = self.ask(roots, &watched, &Over, others) else { return };
        let mut named: Vec<String> = others.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        // The result names those paths as the answer has written them.
        let is_named = |path: &String| {
            let absolute = watched.root().join(path);
            result.external_changes.iter().any(|known| known == path || Path::new(known) == absolute)
        };
        named.retain(|path| !is_named(path));
        named.sort();
        named.truncate(MAX_OTHERS);
        result.external_changes.extend(named);
    }

    /// Returns the observer that notes the changes of an operation in the project of `roots`, if it is
    /// watched.
    pub(super) fn change_observer(&self, roots: &Roots) -> Option<Box<dyn ChangeObserver>> {
        let watched = self.watching.get()?.get(roots.paths().next()?)?;
        Some(Box::new(Noting { watched, open: Mutex::default() }))
    }
}

/// Removes all but the first occurrence of each of `paths`.
pub(super) fn name_once(roots: &Roots, paths: &mut Vec<String>) {
    let mut seen = HashSet::new();
    paths.retain(|path| {
        let absolute = roots.resolve(path).map(|path| roots.absolute(&path));
        seen.insert(absolute.unwrap_or_else(|_| PathBuf::from(path)))
    });
}

/// Returns how the file at a place has changed; `None` for folders.
fn changed(net: &Net) -> Option<FileChange> {
    let is_file = |state: &State| !matches!(state, State::Missing | State::Folder(_));
    let kind = match (is_file(&net.before), is_file(&net.after)) {
        (false, false) => return None,
        (false, true) => ChangeKind::Created,
        (true, false) => ChangeKind::Deleted,
        (true, true) => ChangeKind::Changed,
    };
    Some(named(&net.place.relative, kind, false))
}

/// Notes the changes of a watched project that an operation makes.
#[derive(Debug)]
struct Noting {
    watched: Arc<Watched>,
    open: Mutex<BTreeSet<PathBuf>>,
}

impl Noting {
    fn open(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangeObserver for Noting {
    fn will_change(&self, place: &JournalPlace) {
        if place.root == self.watched.root() {
            self.watched.self_originated().begin(&place.relative);
            self.open().insert(place.relative.clone());
        }
    }

    fn changed(&self, place: &JournalPlace, now: Option<Identity>) {
        if place.root == self.watched.root() {
            self.watched.self_originated().end(&place.relative, now);
        }
    }

    fn finished(&self) {
        for path in std::mem::take(&mut *self.open()) {
            self.watched.self_originated().give_up(&path);
        }
        // Listeners that waited for the end of it read the changes again.
        self.watched.call_listeners();
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.finished();
    }
}
