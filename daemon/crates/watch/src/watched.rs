//! One project that is watched: its index, and making sure that it is right before anything is said of it.
//!
//! A look takes what was marked when it began, and what it comes upon by that; what happens meanwhile is the next
//! look's. Where no word of changes comes, every look goes through the whole tree.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::SystemTime;

use clada_fs::{Identity, IgnoreRules, Roots, RuleOrigins, Timestamp};
use clada_git::{Excludes, Person};

use super::clock::Clock;
use super::index::{Changes, Doubt, FolderId, Index};
use super::marks::{Listener, Marks};
use super::mounts::{Mounted, Mounts};
use super::own::Own;
use super::read::{Failure, Reader};
use super::routes::{ProjectId, Routes};
use super::settle::{Settled, Settling};
use super::tracked::Tracked;

/// Why every look goes through the whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degraded {
    /// There are more folders than may be watched.
    Limit,
    /// It lies on a file system that does not tell of what others change.
    Silent,
    /// The system cannot watch.
    NoSource,
}

/// What all projects of a daemon share: what numbers their epochs, and whose excludes hold.
#[derive(Debug)]
pub(super) struct Common {
    /// Whose excludes hold, if that is known.
    pub(super) person: Option<Person>,
    /// When the daemon began.
    pub(super) start: u64,
    pub(super) last: AtomicU64,
    /// What is mounted where.
    pub(super) mounts: Mounts,
}

/// What is known of a project.
#[derive(Debug)]
pub struct Known {
    index: Index,
    base: IgnoreRules,
    /// The files that the base rules come from, as they were. `None`: nothing was looked at yet.
    origins: Option<RuleOrigins>,
    /// Tracked files that the rules hide.
    tracked: Tracked,
    /// What was mounted in it.
    mounted: Mounted,
    clock: Clock,
    /// The root, by device and inode. `None`: nothing was looked at yet.
    root: Option<(u64, u64)>,
    degraded: Option<Degraded>,
    /// The last look did not come to its end, so that anything may have been passed over.
    unsure: bool,
}

/// A project that is watched.
#[derive(Debug)]
pub struct Watched {
    root: PathBuf,
    id: ProjectId,
    marks: Arc<Marks>,
    routes: Arc<Routes>,
    common: Arc<Common>,
    known: Mutex<Known>,
    own: Own,
    /// How many times word of changes was lost.
    lost: AtomicU64,
    /// By the count of looks, for finding the one that was used longest ago.
    pub(super) used: AtomicU64,
    /// When it was used last: seconds since 1970.
    pub(super) used_at: AtomicU64,
}

/// What a look goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Care {
    /// Word of changes, where there is any.
    #[default]
    Word,
    /// Every file is looked at: of what a program stores through a shared memory map, no word comes.
    EveryFile,
}

/// How a look ended.
#[derive(Debug)]
pub(super) enum Look<'a> {
    Done(MutexGuard<'a, Known>),
    /// There are no more watches; it is this project that wants more.
    Limit,
}

impl Watched {
    pub(super) fn new(
        root: PathBuf,
        routes: Arc<Routes>,
        common: Arc<Common>,
        degraded: Option<Degraded>,
    ) -> Watched {
        let marks = Arc::new(Marks::default());
        let id = routes.enter(&marks);
        let known = Known {
            index: Index::new((0, 0)),
            base: IgnoreRules::default(),
            origins: None,
            tracked: Tracked::default(),
            mounted: Mounted::default(),
            clock: Clock { start: common.start, epoch: 0, tick: 0 },
            root: None,
            degraded,
            unsure: true,
        };
        Watched {
            root,
            id,
            marks,
            routes,
            common,
            known: Mutex::new(known),
            own: Own::default(),
            lost: AtomicU64::new(0),
            used: AtomicU64::new(0),
            used_at: AtomicU64::new(u64::MAX),
        }
    }

    /// The root as resolved.
    #[must_use]
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// What is known, as of now or later: every change that was finished before this was called has been seen.
    /// `roots` were opened for this call.
    pub(super) fn look(
        &self,
        roots: &Roots,
        care: Care,
        now: SystemTime,
        stop: &dyn Fn() -> bool,
    ) -> Result<Look<'_>, Failure> {
        let mut guard = self.lock();
        if guard.degraded.is_none() {
            self.routes.drain()?;
        }
        let root = *roots.open_folder("".as_ref())?.stat();
        let marked = self.marks.take();
        if marked.lost {
            self.lost.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(root = %self.root.display(), "word of changes was lost: the whole tree is looked through");
        }
        let known = &mut *guard;
        let ended = marked.ended.iter().any(|(folder, watch)| {
            *folder == FolderId::ROOT
                && known.index.folder(*folder).is_some_and(|root| root.watch == Some(*watch))
        });
        if known.root != Some((root.dev, root.ino)) || ended || known.index.is_full() {
            self.begin(known, (root.dev, root.ino));
        }
        let looked = timestamp(now);
        let same_base = self.check_base(known, roots, looked);
        let same_mounts = !self.common.mounts.differ(&self.root, &mut known.mounted);
        let unsure = std::mem::replace(&mut known.unsure, true) || marked.lost || known.degraded.is_some();
        let watching = known.degraded.is_none();
        let reader = Reader { roots, routes: &self.routes, project: self.id, watching };
        let mut settling = Settling::new(reader, &mut known.index, &known.base, looked, stop);
        if unsure {
            settling.everything(Doubt::Some);
        } else if !same_base || !same_mounts || care == Care::EveryFile {
            settling.everything(Doubt::None);
        }
        settling.marks(marked);
        match settling.run()? {
            Settled::Done => {}
            Settled::Limit => return Ok(Look::Limit),
            Settled::Silent => {
                self.degrade_to(known, Degraded::Silent);
                drop(guard);
                return self.look(roots, care, now, stop);
            }
        }
        let new_rules = settling.new_rules || !same_base || unsure;
        known.tracked.settle(&mut known.index, roots, looked, new_rules, stop)?;
        known.unsure = false;
        known.clock.tick = known.index.tick();
        Ok(Look::Done(guard))
    }

    /// Reads the rules that hold everywhere again if they are not for certain what they were; whether they are.
    fn check_base(&self, known: &mut Known, roots: &Roots, looked: Timestamp) -> bool {
        if known.origins.as_ref().is_some_and(RuleOrigins::stand) {
            return true;
        }
        let person = self.common.person.as_ref();
        let before = Excludes::find(person, roots);
        // First, so that what changes in between is seen the next time.
        let origins = roots.rule_origins(&before.origins, looked);
        let excludes = Excludes::find(person, roots);
        let same = known.origins.as_ref().is_some_and(|before| before.same(&origins));
        if !same {
            known.base = roots.base_rules(excludes.content().as_deref());
        }
        known.tracked.locate(roots);
        // If they are named elsewhere by now, it was not all of them that were looked at.
        known.origins = (excludes == before).then_some(origins);
        same
    }

    /// Gives all watches back; from now on every look goes through the tree.
    pub(super) fn degrade(&self, why: Degraded) {
        self.degrade_to(&mut self.lock(), why);
    }

    /// The same if nobody looks at the moment and it has watches to give.
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

    /// Every file from the root, as of now, of a project whose changes word comes of; `None` where the whole tree would have
    /// to be looked through, or while somebody looks. `roots` were opened for this call.
    #[must_use]
    pub fn files(&self, roots: &Roots, now: SystemTime) -> Option<Vec<PathBuf>> {
        if self.condition()?.0.is_some() {
            return None;
        }
        match self.look(roots, Care::Word, now, &|| false) {
            Ok(Look::Done(known)) => Some(known.files().into_iter().map(|(path, _)| path).collect()),
            _ => None,
        }
    }

    /// Why every look goes through the whole tree, if it does; and how many files are known. `None` while somebody
    /// looks: this does not wait.
    #[must_use]
    pub fn condition(&self) -> Option<(Option<Degraded>, usize)> {
        let known = self.known.try_lock().ok()?;
        Some((known.degraded, known.index.len()))
    }

    /// Calls `listener` whenever there may be something to look at, as long as somebody holds it. Nothing is said of a
    /// project that is looked through as a whole each time.
    pub fn listen(&self, listener: &Arc<Listener>) {
        self.marks.listen(listener);
    }

    /// How many times word of changes was lost, so that the whole tree was looked through.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Which changes are clada's own.
    #[must_use]
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// Calls those who listen, although there may be nothing new to look at.
    pub fn call_listeners(&self) {
        self.marks.tell();
    }

    /// Whether anybody listens.
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.marks.has_listeners()
    }

    /// Gives all watches back. Whoever still holds it and looks goes through the whole tree.
    pub(super) fn end(&self) {
        self.degrade(Degraded::NoSource);
        self.routes.leave(self.id);
        self.marks.tell();
    }

    fn degrade_to(&self, known: &mut Known, why: Degraded) {
        known.degraded = Some(why);
        known.unsure = true;
        known.index.forget_watches();
        self.routes.release_all(self.id);
        // Whoever waits for word has to look by himself from now on.
        self.marks.tell();
    }

    /// Another index, for another folder: nothing that was known holds any more.
    fn begin(&self, known: &mut Known, root: (u64, u64)) {
        self.routes.release_all(self.id);
        known.index = Index::new(root);
        known.origins = None;
        known.tracked = Tracked::default();
        known.base = IgnoreRules::default();
        known.root = Some(root);
        known.unsure = true;
        let epoch = self.common.last.fetch_add(1, Ordering::Relaxed) + 1;
        known.clock = Clock { start: self.common.start, epoch, tick: 0 };
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| {
            // Whoever panicked left the index in the middle of something.
            let mut known = PoisonError::into_inner(poisoned);
            known.unsure = true;
            known
        })
    }
}

impl Known {
    /// Where the index stands now.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// What changed since `clock`; `None` if that is not known, and everything may have changed.
    #[must_use]
    pub fn since(&self, clock: Clock) -> Option<Changes> {
        if (clock.start, clock.epoch) != (self.clock.start, self.clock.epoch) {
            return None;
        }
        self.index.since(clock.tick)
    }

    /// What the file at `path` was when it was looked at; `None`: there was none.
    #[must_use]
    pub fn identity(&self, path: &Path) -> Option<Identity> {
        self.index.identity(path)
    }

    /// Every file from the root, the last changed first, and what it was when it was looked at.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, Identity)> {
        self.index.files()
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Why every look goes through the whole tree, if it does.
    #[must_use]
    pub fn degraded(&self) -> Option<Degraded> {
        self.degraded
    }
}

/// Seconds since 1970.
pub(super) fn seconds(now: SystemTime) -> u64 {
    now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn timestamp(now: SystemTime) -> Timestamp {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp {
        seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        nanoseconds: since.subsec_nanos(),
    }
}
