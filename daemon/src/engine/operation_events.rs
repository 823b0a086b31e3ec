//! The events of a project at the end of an operation, and the mark on changes that are clada's own.
//!
//! What subscribers get is the project's; here is what an operation has to say.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_apply::{ChangeObserver, JournalWriter};
use clada_fs::{Identity, Roots};
use clada_journal::{JournalPlace, Net, OperationKind, State};
use clada_protocol::{ChangeKind, ExecutionResult, FileChange, ProjectEvent, ProjectEventKind};
use clada_watch::{ChangeSource, Clock, Known, Watched};

use super::request::{ProjectRequest, Unasked};
use super::watching::{is_denied, named};

pub(super) const MAX_FILES: usize = 10_000;

/// The most files changed by other processes during an operation that its result names.
const MAX_OTHERS: usize = 100;

impl ProjectRequest {
    pub(super) fn outcome(
        &self,
        journal_writer: &JournalWriter,
        kind: OperationKind,
        id: &str,
        undoes: Option<&str>,
    ) -> Option<ProjectEvent> {
        if !journal_writer.has_changed() || !self.project().events().has_subscribers() {
            return None;
        }
        let kind = match kind {
            OperationKind::Undo => ProjectEventKind::Undone,
            _ => ProjectEventKind::Executed,
        };
        let mut files: Vec<FileChange> = journal_writer
            .nets()
            .iter()
            .filter(|net| net.place.root == self.root())
            .filter_map(changed)
            .collect();
        files.truncate(MAX_FILES);
        let operation_id = Some(id.to_owned());
        let undoes = undoes.map(str::to_owned);
        let connection = self.context().connection();
        Some(ProjectEvent { kind, operation_id, undoes, files, connection, ..ProjectEvent::default() })
    }

    pub(super) fn operated(&self, outcome: Option<ProjectEvent>) {
        if let Some(event) = outcome {
            self.project().events().publish(event);
        }
    }

    pub(super) fn publish_pending_approvals(&self, result: &ExecutionResult) {
        if result.approvals.is_empty() {
            return;
        }
        let event = ProjectEvent {
            kind: ProjectEventKind::ApprovalAsked,
            operation_id: Some(result.operation_id.clone()),
            approvals: result.approvals.clone(),
            ..ProjectEvent::default()
        };
        self.project().events().publish(event);
    }

    pub(super) fn stands_before(&self, roots: &Roots) -> Option<Clock> {
        let watched = self.project().watched()?;
        let clock = |known: &Known| known.degraded().is_none().then(|| known.clock());
        // If the clock is not known, the changes of other processes are not known afterwards.
        self.ask(roots, &watched, self.context(), clock).ok().flatten()
    }

    /// Adds to `result` the changes of other processes in the project since `before`, the start of
    /// the operation, that it does not name yet.
    pub(super) fn add_changes_of_others(
        &self,
        roots: &Roots,
        before: Option<Clock>,
        result: &mut ExecutionResult,
    ) {
        let Some((before, watched)) = before.zip(self.project().watched()) else { return };
        let others = |known: &Known| {
            let changes = known.since(before).unwrap_or_default().into_iter().map(|(path, _)| path);
            let is_theirs = |path: &PathBuf| {
                watched.self_originated().source_of(path, known.identity(path)) == ChangeSource::External
            };
            changes.filter(is_theirs).filter(|path| !is_denied(roots, path)).collect::<Vec<PathBuf>>()
        };
        // The operation is over: nothing can stop it any more.
        let Ok(others) = self.ask(roots, &watched, &Unasked, others) else { return };
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

    pub(super) fn change_observer(&self) -> Option<Box<dyn ChangeObserver>> {
        let watched = self.project().watched()?;
        Some(Box::new(Noting { watched, open: Mutex::default() }))
    }
}

pub(super) fn name_once(roots: &Roots, paths: &mut Vec<String>) {
    let mut seen = HashSet::new();
    paths.retain(|path| {
        let absolute = roots.resolve(path).map(|path| roots.absolute(&path));
        seen.insert(absolute.unwrap_or_else(|_| PathBuf::from(path)))
    });
}

pub(super) fn changed(net: &Net) -> Option<FileChange> {
    let is_file = |state: &State| !matches!(state, State::Missing | State::Folder(_));
    let kind = match (is_file(&net.before), is_file(&net.after)) {
        (false, false) => return None,
        (false, true) => ChangeKind::Created,
        (true, false) => ChangeKind::Deleted,
        (true, true) => ChangeKind::Changed,
    };
    // A path that is not UTF-8 cannot be reported as where something was: then it went, and something came.
    let from = net.came_from.as_ref().filter(|from| from.root == net.place.root);
    let old_path = from.and_then(|from| from.relative.to_str()).map(str::to_owned);
    Some(FileChange { old_path, ..named(&net.place.relative, kind, false) })
}

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
