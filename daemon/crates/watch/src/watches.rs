//! The one source of change events, and the projects that it serves now. It keeps none of them: a project is
//! watched for as long as another part holds its [`Watched`].
//!
//! A thread reads what the source has queued, so that the queue does not run over between queries; reading
//! the tree is left to the callers. At most half of the folders that the user may watch are watched: beyond,
//! the least recently used project releases its watches, and is read as a whole from then on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::SystemTime;

use clada_fs::Roots;
use clada_git::GitUser;

use super::mounts::Mounts;
use super::read::Failure;
use super::routes::Routes;
use super::source::{ChangeEvent, Source, SourceError, WatchId, WatchTarget};
use super::survey::Survey;
use super::watched::{Care, Common, Degraded, Known, Look, Watched};

/// The source of change events of a daemon.
#[derive(Debug)]
pub struct Watches {
    routes: Arc<Routes>,
    common: Arc<Common>,
    without_source: Option<Degraded>,
    projects: Mutex<HashMap<PathBuf, Weak<Watched>>>,
    surveys: Mutex<Vec<Weak<Survey>>>,
    looks: AtomicU64,
    ending: Arc<AtomicBool>,
}

impl Watches {
    /// Watches through a source of changes. `started` distinguishes this daemon's clocks from those of
    /// others.
    #[must_use]
    pub fn new(source: Arc<dyn Source>, started: SystemTime) -> Watches {
        let limit = source.capacity() / 2;
        Watches::with_limit(source, started, limit)
    }

    /// Does the same, with at most `limit` watched folders.
    #[must_use]
    pub(crate) fn with_limit(source: Arc<dyn Source>, started: SystemTime, limit: usize) -> Watches {
        let watches = Watches::assemble(source, started, limit, None);
        watches.listen();
        watches
    }

    /// Works without a source, where the system cannot watch for this reason: every look reads the whole tree.
    #[must_use]
    pub fn without_source(started: SystemTime, why: Degraded) -> Watches {
        Watches::assemble(Arc::new(Nothing), started, 0, Some(why))
    }

    /// Returns why it has no source, if it has none.
    #[must_use]
    pub fn without_source_why(&self) -> Option<Degraded> {
        self.without_source
    }

    /// Sets the user whose gitignore holds.
    #[must_use]
    pub fn for_user(mut self, user: Option<GitUser>) -> Watches {
        let start = self.common.start;
        self.common = Arc::new(Common { user, start, last: AtomicU64::new(0), mounts: Mounts::new() });
        self
    }

    fn assemble(
        source: Arc<dyn Source>,
        started: SystemTime,
        limit: usize,
        without_source: Option<Degraded>,
    ) -> Watches {
        let start = started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros();
        let start = u64::try_from(start).unwrap_or(u64::MAX);
        Watches {
            routes: Arc::new(Routes::new(source, limit)),
            common: Arc::new(Common { user: None, start, last: AtomicU64::new(0), mounts: Mounts::new() }),
            without_source,
            projects: Mutex::default(),
            surveys: Mutex::default(),
            looks: AtomicU64::new(0),
            ending: Arc::default(),
        }
    }

    fn listen(&self) {
        let (routes, ending) = (Arc::clone(&self.routes), Arc::clone(&self.ending));
        let listening = std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
            while !ending.load(Ordering::Acquire) {
                if let Err(error) = routes.source().wait().and_then(|()| routes.drain()) {
                    // Looks drain, too, and return the error to their callers.
                    tracing::error!(%error, "changes are no longer read in the background");
                    return;
                }
            }
        });
        if let Err(error) = listening {
            tracing::warn!(%error, "changes are not read in the background");
        }
    }

    /// Returns the project at the first of `roots`, watched from now on until the last holder drops it.
    #[must_use]
    pub fn watch(&self, roots: &Roots) -> Arc<Watched> {
        let root = roots.paths().next().unwrap_or(Path::new("/")).to_path_buf();
        let degraded = self.without_source;
        let mut projects = self.projects();
        if let Some(watched) = projects.get(&root).and_then(Weak::upgrade) {
            return watched;
        }
        projects.retain(|_, watched| watched.strong_count() > 0);
        let watched =
            Watched::new(root.clone(), Arc::clone(&self.routes), Arc::clone(&self.common), degraded);
        let watched = Arc::new(watched);
        projects.insert(root, Arc::downgrade(&watched));
        watched
    }

    /// Returns a survey of the project at the first of `roots`, which watches its folders for as long as it is
    /// held; `None` where the system cannot watch.
    #[must_use]
    pub fn survey(&self, roots: &Roots) -> Option<Arc<Survey>> {
        if self.without_source.is_some() {
            return None;
        }
        let root = roots.paths().next()?.to_path_buf();
        let survey = Arc::new(Survey::new(root, Arc::clone(&self.routes), Arc::clone(&self.common)));
        let mut surveys = self.surveys();
        surveys.retain(|survey| survey.strong_count() > 0);
        surveys.push(Arc::downgrade(&survey));
        Some(survey)
    }

    /// Ends the watch of the project at `root`, as resolved, even if it is held. Returns whether it was
    /// watched.
    pub fn unwatch(&self, root: &Path) -> bool {
        let mut projects = self.projects();
        let Some(watched) = projects.remove(root).and_then(|watched| watched.upgrade()) else { return false };
        // Noted before others can watch it again, so that nobody takes the two for one.
        watched.mark_ended();
        drop(projects);
        watched.end();
        true
    }

    /// Returns the watched projects, by their roots.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<Arc<Watched>> {
        let mut list: Vec<_> = self.projects().values().filter_map(Weak::upgrade).collect();
        list.sort_by(|one, other| one.root().cmp(other.root()));
        list
    }

    /// Returns the number of watched folders.
    #[must_use]
    pub fn watched_folders(&self) -> usize {
        self.routes.watched()
    }

    /// Calls `answer` with the state of a project, after every change has been seen that was finished before
    /// this call. `roots` were opened for this call, `now` is the wall-clock time.
    ///
    /// # Errors
    /// If the state is not known. `answer` is not called then; the next look reads the whole tree.
    pub fn look<T>(
        &self,
        watched: &Watched,
        roots: &Roots,
        now: SystemTime,
        stop: &dyn Fn() -> bool,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, Failure> {
        self.look_with(Care::Events, watched, roots, now, stop, answer)
    }

    /// Does the same, with as much care as `care` says.
    ///
    /// # Errors
    /// As for [`Watches::look`].
    pub fn look_with<T>(
        &self,
        care: Care,
        watched: &Watched,
        roots: &Roots,
        now: SystemTime,
        stop: &dyn Fn() -> bool,
        answer: impl FnOnce(&Known) -> T,
    ) -> Result<T, Failure> {
        watched.used.store(self.looks.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        loop {
            match watched.look(roots, care, now, stop)? {
                Look::Done(known) => return Ok(answer(&known)),
                Look::Limit => {
                    if !self.make_room(watched) {
                        tracing::warn!(root = %watched.root().display(), "too many folders to be watched");
                        watched.degrade(Degraded::Limit);
                    }
                }
            }
        }
    }

    /// Releases the watches of the oldest survey, for which a walk is as good, or of the least recently used
    /// project. Returns whether there was one.
    fn make_room(&self, wanting: &Watched) -> bool {
        let mut surveys = std::mem::take(&mut *self.surveys()).into_iter();
        let ended = surveys.find_map(|survey| survey.upgrade().filter(|survey| !survey.has_ended()));
        self.surveys().splice(0..0, surveys);
        if let Some(survey) = ended {
            survey.end();
            return true;
        }
        let mut others = self.list();
        others.retain(|other| other.root() != wanting.root());
        others.sort_by_key(|other| other.used.load(Ordering::Relaxed));
        others.iter().any(|other| other.try_degrade(Degraded::Limit))
    }

    fn surveys(&self) -> MutexGuard<'_, Vec<Weak<Survey>>> {
        self.surveys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn projects(&self) -> MutexGuard<'_, HashMap<PathBuf, Weak<Watched>>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        self.routes.source().wake();
    }
}

#[derive(Debug)]
struct Nothing;

impl Source for Nothing {
    fn add(&self, _place: &WatchTarget<'_>) -> Result<WatchId, SourceError> {
        Err(SourceError::Limit)
    }

    fn remove(&self, _watch: WatchId) {}

    fn drain(&self, _hear: &mut dyn FnMut(ChangeEvent)) -> Result<(), SourceError> {
        Ok(())
    }

    fn wait(&self) -> Result<(), SourceError> {
        Ok(())
    }

    fn wake(&self) {}

    fn capacity(&self) -> usize {
        0
    }
}
