//! A watched project: keeps its index, and reconciles it before any answer.
//!
//! A look handles the dirty set of its beginning, and what it finds by that; later changes are the next
//! look's. Where no change events come, every look reads the whole tree.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::SystemTime;

use clada_fs::{Identity, IgnoreRules, Roots, RuleOrigins, Timestamp};
use clada_git::{GitUser, UserGitignore};

use super::clock::Clock;
use super::dirty_set::{DirtySet, Listener};
use super::index::{Changes, Doubt, FolderId, WatchIndex};
use super::mounts::{Mounted, Mounts};
use super::read::{Failure, FolderReader};
use super::reconcile::{ReconcileOutcome, Reconciliation};
use super::routes::{ProjectId, Routes};
use super::self_originated::SelfOriginated;
use super::source::SourceError;
use super::tracked::Tracked;

/// The reason why every look reads the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degraded {
    /// There are more folders than may be watched.
    Limit,
    /// The project is on a file system that does not report what others change.
    Silent,
    /// The system cannot watch.
    NoSource,
    /// The user's programs have as many inotify descriptors as the system allows.
    NoInstance,
}

#[derive(Debug)]
pub(super) struct Common {
    pub(super) user: Option<GitUser>,
    pub(super) start: u64,
    pub(super) last: AtomicU64,
    pub(super) mounts: Mounts,
}

/// The known state of a project.
#[derive(Debug)]
pub struct Known {
    index: WatchIndex,
    base: IgnoreRules,
    origins: Option<RuleOrigins>,
    tracked: Tracked,
    mounted: Mounted,
    clock: Clock,
    root: Option<(u64, u64)>,
    degraded: Option<Degraded>,
    incomplete: bool,
}

/// A project that is watched.
#[derive(Debug)]
pub struct Watched {
    root: PathBuf,
    id: ProjectId,
    dirty_set: Arc<DirtySet>,
    routes: Arc<Routes>,
    common: Arc<Common>,
    known: Mutex<Known>,
    self_originated: SelfOriginated,
    has_ended: AtomicBool,
    lost: AtomicU64,
    pub(super) used: AtomicU64,
}

/// The care of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Care {
    /// Only files with change events are read, where there are such events.
    #[default]
    Events,
    /// Every file is read: no event comes for a file that a program changes through a shared memory map.
    EveryFile,
}

#[derive(Debug)]
pub(super) enum Look<'a> {
    Done(MutexGuard<'a, Known>),
    Limit,
}

impl Watched {
    pub(super) fn new(
        root: PathBuf,
        routes: Arc<Routes>,
        common: Arc<Common>,
        degraded: Option<Degraded>,
    ) -> Watched {
        let dirty_set = Arc::new(DirtySet::default());
        let id = routes.enter(&dirty_set);
        // Unsure, so that the first look reads the whole tree.
        let known = Known {
            index: WatchIndex::new((0, 0)),
            base: IgnoreRules::default(),
            origins: None,
            tracked: Tracked::default(),
            mounted: Mounted::default(),
            clock: Clock { start: common.start, epoch: 0, tick: 0 },
            root: None,
            degraded,
            incomplete: true,
        };
        Watched {
            root,
            id,
            dirty_set,
            routes,
            common,
            known: Mutex::new(known),
            self_originated: SelfOriginated::default(),
            has_ended: AtomicBool::new(false),
            lost: AtomicU64::new(0),
            used: AtomicU64::new(0),
        }
    }

    /// Returns the root as resolved.
    #[must_use]
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// Returns the state of the project, as of now or later: every change that was finished before this call
    /// has been seen. `roots` were opened for this call.
    pub(super) fn look(
        &self,
        roots: &Roots,
        care: Care,
        now: SystemTime,
        stop: &dyn Fn() -> bool,
    ) -> Result<Look<'_>, Failure> {
        let mut guard = self.lock();
        if guard.degraded.is_none() {
            self.read_source()?;
        }
        let root = *roots.open_folder("".as_ref())?.stat();
        let batch = self.dirty_set.take();
        if batch.lost {
            self.lost.fetch_add(1, Ordering::Relaxed);
            let root = self.root.display();
            tracing::warn!(%root, "word of changes was lost: the whole tree is looked through");
        }
        let known = &mut *guard;
        let ended = batch.ended.iter().any(|(folder, watch)| {
            *folder == FolderId::ROOT
                && known.index.folder(*folder).is_some_and(|root| root.watch == Some(*watch))
        });
        if known.root != Some((root.dev, root.ino)) || ended || known.index.is_full() {
            self.begin(known, (root.dev, root.ino));
        }
        let looked = timestamp(now);
        let same_base = self.check_base(known, roots, looked);
        let same_mounts = !self.common.mounts.differ(&self.root, &mut known.mounted);
        // Set to true until the end: a look that fails half-way leaves the index incomplete.
        let incomplete =
            std::mem::replace(&mut known.incomplete, true) || batch.lost || known.degraded.is_some();
        let watching = known.degraded.is_none();
        let reader = FolderReader { roots, routes: &self.routes, project: self.id, watching };
        let mut reconciliation = Reconciliation::new(reader, &mut known.index, &known.base, looked, stop);
        if incomplete {
            reconciliation.everything(Doubt::Some);
        } else if !same_base || !same_mounts || care == Care::EveryFile {
            reconciliation.everything(Doubt::None);
        }
        reconciliation.schedule(batch);
        match reconciliation.run()? {
            ReconcileOutcome::Done => {}
            ReconcileOutcome::Limit => return Ok(Look::Limit),
            ReconcileOutcome::Silent => {
                self.degrade_to(known, Degraded::Silent);
                drop(guard);
                return self.look(roots, care, now, stop);
            }
        }
        let new_rules = reconciliation.new_rules || !same_base || incomplete;
        known.tracked.reconcile(&mut known.index, roots, looked, new_rules, stop)?;
        known.incomplete = false;
        known.clock.tick = known.index.tick();
        Ok(Look::Done(guard))
    }

    /// Adds every change to the dirty set that was finished before this call; if the source does not report
    /// them in time, everything.
    fn read_source(&self) -> Result<(), SourceError> {
        match self.routes.sync(&self.root) {
            Err(SourceError::Late) => self.dirty_set.lost(),
            synced => synced?,
        }
        self.routes.drain()
    }

    fn check_base(&self, known: &mut Known, roots: &Roots, looked: Timestamp) -> bool {
        if known.origins.as_ref().is_some_and(RuleOrigins::still_hold) {
            return true;
        }
        let user = self.common.user.as_ref();
        let before = UserGitignore::find(user, roots);
        // Taken first, so that a change in between is seen the next time.
        let origins = roots.rule_origins(&before.origins, looked);
        let excludes = UserGitignore::find(user, roots);
        let same = known.origins.as_ref().is_some_and(|before| before.same(&origins));
        if !same {
            known.base = roots.base_rules(&excludes.config());
        }
        known.tracked.locate(roots);
        // If they are named elsewhere by now, not all of them were read.
        known.origins = (excludes == before).then_some(origins);
        same
    }

    pub(super) fn degrade(&self, why: Degraded) {
        self.degrade_to(&mut self.lock(), why);
    }

    pub(super) fn try_degrade(&self, why: Degraded) -> bool {
        let mut known = match self.known.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        if known.degraded.is_some() || known.root.is_none() {
            return false;
        }
        self.degrade_to(&mut known, why);
        true
    }

    /// Returns every file from the root, as of now, of a project with change events; `None` where the whole
    /// tree would have to be read, or during a look. `roots` were opened for this call.
    #[must_use]
    pub fn files(&self, roots: &Roots, now: SystemTime) -> Option<Vec<PathBuf>> {
        if self.condition()?.0.is_some() {
            return None;
        }
        match self.look(roots, Care::Events, now, &|| false) {
            Ok(Look::Done(known)) => Some(known.files().into_iter().map(|(path, _)| path).collect()),
            _ => None,
        }
    }

    /// Returns why every look reads the whole tree, if it does, and the number of known files. `None` during
    /// a look: this does not wait.
    #[must_use]
    pub fn condition(&self) -> Option<(Option<Degraded>, usize)> {
        let known = self.known.try_lock().ok()?;
        Some((known.degraded, known.index.len()))
    }

    /// Calls `listener` whenever there may be something to read, as long as the caller holds it. Nothing is
    /// reported of a project that is read as a whole each time.
    pub fn listen(&self, listener: &Arc<Listener>) {
        self.dirty_set.listen(listener);
    }

    /// Returns how many times change events were lost, so that the whole tree was read.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns the record of clada's own changes.
    #[must_use]
    pub fn self_originated(&self) -> &SelfOriginated {
        &self.self_originated
    }

    /// Notifies the listeners, although there may be nothing new to read.
    pub fn call_listeners(&self) {
        self.dirty_set.notify_listeners();
    }

    /// Returns whether its watch was ended. Then it never reports changes again, even if it is held.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub(super) fn mark_ended(&self) {
        self.has_ended.store(true, Ordering::Release);
    }

    /// Releases all watches. A caller that still holds the project and looks reads the whole tree.
    pub(super) fn end(&self) {
        self.mark_ended();
        self.degrade(Degraded::NoSource);
        self.routes.leave(self.id);
        self.dirty_set.notify_listeners();
    }

    fn degrade_to(&self, known: &mut Known, why: Degraded) {
        known.degraded = Some(why);
        known.incomplete = true;
        known.index.forget_watches();
        self.routes.release_all(self.id);
        // A caller that waits for events has to look by itself from now on.
        self.dirty_set.notify_listeners();
    }

    fn begin(&self, known: &mut Known, root: (u64, u64)) {
        self.routes.release_all(self.id);
        known.index = WatchIndex::new(root);
        known.origins = None;
        known.tracked = Tracked::default();
        known.base = IgnoreRules::default();
        known.root = Some(root);
        known.incomplete = true;
        let epoch = self.common.last.fetch_add(1, Ordering::Relaxed) + 1;
        known.clock = Clock { start: self.common.start, epoch, tick: 0 };
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| {
            // A panic left the index in an unknown state.
            let mut known = PoisonError::into_inner(poisoned);
            known.incomplete = true;
            known
        })
    }
}

impl Known {
    /// Returns the current clock of the index.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the changes since `clock`; `None` if they are not known, and everything may have changed.
    #[must_use]
    pub fn since(&self, clock: Clock) -> Option<Changes> {
        if (clock.start, clock.epoch) != (self.clock.start, self.clock.epoch) {
            return None;
        }
        self.index.since(clock.tick)
    }

    /// Returns the identity of the file at `path` when it was last read; `None`: there was none.
    #[must_use]
    pub fn identity(&self, path: &Path) -> Option<Identity> {
        self.index.identity(path)
    }

    /// Returns every file from the root, the last changed first, with its identity when it was last read.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, Identity)> {
        self.index.files()
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns whether there are no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns why every look reads the whole tree, if it does.
    #[must_use]
    pub fn degraded(&self) -> Option<Degraded> {
        self.degraded
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.routes.leave(self.id);
    }
}

fn timestamp(now: SystemTime) -> Timestamp {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp {
        seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        nanoseconds: since.subsec_nanos(),
    }
}
