//! Everything that this process keeps of one project.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use clada_command_changes::SnapshotCache;
use clada_config::ProjectLayer;
use clada_fs::Identity;
use clada_git::{GitRepository, Pinned};
use clada_journal::{JournalRegistry, ProjectJournal};
use clada_stage::{LeaseCount, Leases, StageError, StageStore};
use clada_watch::Watched;

use super::agents::AgentOperations;
use super::ended::EndedOperations;
use super::events::EventBus;
use super::eviction::{Fate, Usage};
use super::handed_texts::HandedTexts;
use super::operations::Operations;
use super::plans::Plans;
use super::queue::Queue;
use super::root::ResolvedRoot;
use super::sessions::Sessions;
use super::shown_approvals::ShownApprovals;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) journals: JournalRegistry,
    pub(super) leases: LeaseCount,
    pub(super) ended: EndedOperations,
}

/// Everything that this process keeps of a project. It is not dropped while another part holds it, and its
/// files are not closed while a request is under way.
#[derive(Debug)]
pub struct Project {
    pub(super) root: ResolvedRoot,
    layer: ProjectLayer,
    journal: ProjectJournal,
    snapshots: SnapshotCache,
    pinned: Mutex<Option<Pinned>>,
    tracked_hidden: Mutex<TrackedHidden>,
    events: EventBus,
    // The operations that change the project, one at a time.
    pub(crate) queue: Queue,
    sessions: Mutex<Sessions>,
    plans: Mutex<Plans>,
    handed_texts: Mutex<HandedTexts>,
    operations: Mutex<Operations>,
    agents: Mutex<AgentOperations>,
    ended: EndedOperations,
    shown_approvals: Mutex<ShownApprovals>,
    watched: Mutex<Option<Arc<Watched>>>,
    repository: Mutex<Option<GitRepository>>,
    stage: Mutex<Option<Arc<StageStore>>>,
    leases: Leases,
    is_staged_in_background: AtomicBool,
    at_work: Arc<()>,
    // True if its files were closed, and no request has come since.
    is_closed: AtomicBool,
    used: Mutex<Instant>,
    is_record_found: Mutex<bool>,
    former_path: Mutex<Option<PathBuf>>,
}

// The files that git tracks and a snapshot does not have, since ignore rules hide them or they are gone: as the
// last checkpoint found.
#[derive(Debug, Default)]
pub(crate) struct TrackedHidden {
    /// The paths from the root.
    pub paths: Vec<PathBuf>,
    /// Git's index, by its path and its identity when it was read.
    pub index: Option<(PathBuf, Option<Identity>)>,
}

// A mark of a request that is under way: nothing of its project is closed meanwhile.
#[derive(Debug)]
pub(crate) struct AtWork(#[expect(dead_code, reason = "held until it is dropped")] Arc<()>);

impl Project {
    pub(super) fn new(root: ResolvedRoot, shared: &Shared, named_count: u64, now: Instant) -> Project {
        Project {
            layer: ProjectLayer::new(root.as_path()),
            journal: shared.journals.journal(root.as_path()),
            snapshots: SnapshotCache::default(),
            pinned: Mutex::default(),
            tracked_hidden: Mutex::default(),
            events: EventBus::default(),
            queue: Queue::default(),
            sessions: Mutex::new(Sessions::new(root.as_path(), named_count)),
            plans: Mutex::default(),
            handed_texts: Mutex::default(),
            operations: Mutex::default(),
            agents: Mutex::default(),
            ended: shared.ended.clone(),
            shown_approvals: Mutex::default(),
            watched: Mutex::default(),
            repository: Mutex::default(),
            stage: Mutex::default(),
            leases: Leases::new(shared.leases.clone()),
            is_staged_in_background: AtomicBool::new(false),
            at_work: Arc::default(),
            is_closed: AtomicBool::new(false),
            used: Mutex::new(now),
            is_record_found: Mutex::new(false),
            former_path: Mutex::default(),
            root,
        }
    }

    #[must_use]
    pub(super) fn with_sessions(self, sessions: Option<Sessions>) -> Project {
        let Some(sessions) = sessions else { return self };
        Project { sessions: Mutex::new(sessions), ..self }
    }

    pub(super) fn take_sessions(&self) -> Sessions {
        let new = Sessions::new(self.root.as_path(), self.made_sessions());
        std::mem::replace(&mut *locked(&self.sessions), new)
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.as_path()
    }

    #[must_use]
    pub(crate) fn resolved_root(&self) -> &ResolvedRoot {
        &self.root
    }

    // Calls `find`, which looks for its record, unless a call has succeeded before. The result of `find` is
    // the path at which the folder may have been before.
    pub(crate) fn find_record<E>(&self, find: impl FnOnce() -> Result<Option<PathBuf>, E>) -> Result<(), E> {
        let mut is_found = locked(&self.is_record_found);
        if !*is_found {
            *locked(&self.former_path) = find()?;
            *is_found = true;
        }
        Ok(())
    }

    pub(crate) fn forget_record(&self) {
        *locked(&self.is_record_found) = false;
        self.forget();
    }

    // Returns the path at which its folder may have been before, which only its user knows.
    #[must_use]
    pub(crate) fn former_path(&self) -> Option<PathBuf> {
        locked(&self.former_path).clone()
    }

    #[must_use]
    pub(crate) fn layer(&self) -> &ProjectLayer {
        &self.layer
    }

    #[must_use]
    pub(crate) fn journal(&self) -> &ProjectJournal {
        &self.journal
    }

    #[must_use]
    pub(crate) fn snapshots(&self) -> &SnapshotCache {
        &self.snapshots
    }

    // Returns how the index was kept for the last checkpoint, to be replaced by the next.
    pub(crate) fn pinned(&self) -> MutexGuard<'_, Option<Pinned>> {
        locked(&self.pinned)
    }

    // Returns what is known of the files that git tracks although ignore rules hide them.
    pub(crate) fn tracked_hidden(&self) -> MutexGuard<'_, TrackedHidden> {
        locked(&self.tracked_hidden)
    }

    #[must_use]
    pub(crate) fn events(&self) -> &EventBus {
        &self.events
    }

    #[must_use]
    pub(crate) fn leases(&self) -> &Leases {
        &self.leases
    }

    pub(crate) fn plans(&self) -> MutexGuard<'_, Plans> {
        locked(&self.plans)
    }

    pub(crate) fn handed_texts(&self) -> MutexGuard<'_, HandedTexts> {
        locked(&self.handed_texts)
    }

    pub(crate) fn operations(&self) -> MutexGuard<'_, Operations> {
        locked(&self.operations)
    }

    #[must_use]
    pub(crate) fn ended(&self) -> &EndedOperations {
        &self.ended
    }

    pub(crate) fn shown_approvals(&self) -> MutexGuard<'_, ShownApprovals> {
        locked(&self.shown_approvals)
    }

    pub(crate) fn agents(&self) -> MutexGuard<'_, AgentOperations> {
        locked(&self.agents)
    }

    pub(crate) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        locked(&self.sessions)
    }

    /// Returns its watch, if it is watched.
    #[must_use]
    pub fn watched(&self) -> Option<Arc<Watched>> {
        locked(&self.watched).clone().filter(|watched| !watched.has_ended())
    }

    // Returns its watch; `begin` makes it if there is none, or one that was ended.
    pub(crate) fn watch(&self, begin: impl FnOnce() -> Arc<Watched>) -> Arc<Watched> {
        let mut watched = locked(&self.watched);
        match watched.as_ref().filter(|watched| !watched.has_ended()) {
            Some(watched) => Arc::clone(watched),
            None => Arc::clone(watched.insert(begin())),
        }
    }

    pub(crate) fn unwatch(&self, ended: &Arc<Watched>) {
        let mut watched = locked(&self.watched);
        let unwatched = watched.take_if(|held| Arc::ptr_eq(held, ended));
        drop(watched);
        drop(unwatched);
    }

    #[must_use]
    pub(crate) fn is_watched_by(&self, watched: &Arc<Watched>) -> bool {
        self.watched().is_some_and(|held| Arc::ptr_eq(&held, watched))
    }

    pub(crate) fn take_repository(&self) -> Option<GitRepository> {
        locked(&self.repository).take().filter(GitRepository::is_current)
    }

    pub(crate) fn keep_repository(&self, repository: GitRepository) {
        *locked(&self.repository) = Some(repository);
    }

    // Returns its store of staging in `folder`, opened if need be.
    pub(crate) fn stage_store(&self, folder: &Path) -> Result<Arc<StageStore>, StageError> {
        let mut stage = locked(&self.stage);
        if let Some(open) = stage.as_ref().filter(|open| open.is_current(folder)) {
            return Ok(Arc::clone(open));
        }
        let opened = StageStore::open(folder)?;
        clada_journal::note_owner(folder, self.root());
        Ok(Arc::clone(stage.insert(Arc::new(opened))))
    }

    pub(crate) fn close_stage_store(&self) {
        *locked(&self.stage) = None;
    }

    // Notes that a task stages it in the background; returns whether that is new.
    #[must_use]
    pub(crate) fn begin_background(&self) -> bool {
        !self.is_staged_in_background.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn end_background(&self) {
        self.is_staged_in_background.store(false, Ordering::Release);
    }

    // Begins a request: as long as the value is held, nothing of the project is closed.
    #[must_use]
    pub(crate) fn begin_request(&self) -> AtWork {
        AtWork(Arc::clone(&self.at_work))
    }

    pub(super) fn touch(&self, now: Instant) {
        *locked(&self.used) = now;
    }

    pub(super) fn used(&self) -> Instant {
        *locked(&self.used)
    }

    pub(super) fn reopen(&self) -> bool {
        self.is_closed.swap(false, Ordering::AcqRel)
    }

    pub(super) fn made_sessions(&self) -> u64 {
        locked(&self.sessions).named_count()
    }

    pub(super) fn usage(&self, is_held: bool, now: Instant) -> Usage {
        let has_plans = locked(&self.plans).has_any(now)
            || locked(&self.operations).has_any(now)
            || !locked(&self.agents).left_out(self.root(), now).is_empty();
        Usage {
            idle: now.saturating_duration_since(self.used()),
            is_busy: Arc::strong_count(&self.at_work) > 1,
            is_held,
            has_state: has_plans || !locked(&self.sessions).is_untouched() || self.journal.has_warnings(),
            is_watched: self.watched().is_some(),
            remembered: self.snapshots.len(),
        }
    }

    // Takes what goes by `fate`: it is closed and freed with the value, which may take a disk's time. Does
    // not wait for what is in use; that stays.
    #[must_use]
    pub(super) fn take(&self, fate: Fate, now: Instant) -> impl Sized + use<> {
        let closes = matches!(fate, Fate::Close | Fate::Unwatch);
        let snapshots = (closes || fate == Fate::Trim).then(|| self.snapshots.take());
        let watched = if fate == Fate::Unwatch { locked(&self.watched).take() } else { None };
        let files = closes.then(|| {
            let files = (self.journal.take_open(), take_free(&self.stage), take_free(&self.repository));
            if files.0.is_some() || files.1.is_some() || files.2.is_some() {
                self.is_closed.store(true, Ordering::Release);
            }
            let expired = (locked(&self.plans).take_expired(now), locked(&self.operations).take_expired(now));
            (files, expired)
        });
        (snapshots, watched, files)
    }

    // Forgets what is kept in memory: sessions, plans, what operations left, snapshots. Closes its files.
    pub(crate) fn forget(&self) {
        *locked(&self.sessions) = Sessions::new(self.root.as_path(), self.made_sessions());
        *locked(&self.plans) = Plans::default();
        *locked(&self.operations) = Operations::default();
        drop((self.snapshots.take(), self.journal.take_open(), locked(&self.stage).take()));
    }

    pub(super) fn give_back(&self) -> bool {
        self.journal.give_back();
        if let Some(stage) = locked(&self.stage).as_ref() {
            stage.give_back();
        }
        locked(&self.repository).take().is_some()
    }
}

fn take_free<T>(mutex: &Mutex<Option<T>>) -> Option<T> {
    match mutex.try_lock() {
        Ok(mut value) => value.take(),
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
        Err(TryLockError::WouldBlock) => None,
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every value in a project is replaced whole, so a panic elsewhere leaves none half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
