//! The survey of a project: everything that a walk would find in it, kept up to date by change events, so that
//! it costs what changed.
//!
//! It is what snapshots are taken from, and must miss nothing that a walk finds. So it rests on what the index
//! rests on: a folder is watched before it is listed, events are hints, and the queue is read before an answer.
//! What raises no event is read each time: files with further names, folders that ignore rules leave out, and
//! the excludes of repositories within. Where it is not sure, it says so, and the caller walks.
//!
//! A store through a shared memory map that is still open, and a name of a file that was made where nothing is
//! watched (outside of the project, in an ignored folder), raise no event: [`Care::EveryFile`] finds them.

mod change_log;
mod tree;
mod work;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use clada_fs::{FsError, IgnoreRules, Roots, RuleOrigins, Timestamp};
use clada_git::UserGitignore;

pub use self::change_log::{Look, Part};
use self::tree::SurveyTree;
pub use self::tree::Visited;
use self::work::SurveyUpdate;
use super::dirty_set::DirtySet;
use super::index::FolderId;
use super::mounts::Mounted;
use super::routes::{ProjectId, Routes, WatchOwner};
use super::source::SourceError;
use super::watched::{Care, Common};

/// A survey of a project. It watches the project's folders for as long as it is held.
#[derive(Debug)]
pub struct Survey {
    root: PathBuf,
    id: ProjectId,
    dirty_set: Arc<DirtySet>,
    routes: Arc<Routes>,
    common: Arc<Common>,
    known: Mutex<SurveyState>,
    has_ended: AtomicBool,
}

#[derive(Debug)]
struct SurveyState {
    tree: SurveyTree,
    base: IgnoreRules,
    origins: Option<RuleOrigins>,
    mounted: Mounted,
    root: Option<(u64, u64)>,
    /// True if the last look did not come to its end, so that changes may have been missed.
    is_incomplete: bool,
}

#[derive(Debug, thiserror::Error)]
enum Unsure {
    #[error("the caller stopped it")]
    Stopped,
    #[error("no more folders can be watched")]
    Limit,
    #[error("its file system does not tell of changes")]
    Silent,
    #[error("folders are swapped faster than they can be read")]
    Restless,
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// What a survey found: as of the look.
#[derive(Debug)]
pub struct Surveyed<'a> {
    known: MutexGuard<'a, SurveyState>,
    id: ProjectId,
}

impl Surveyed<'_> {
    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.tree.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` for everything in `part`, in the order of a walk: of the paths' bytes.
    pub fn visit(&self, part: &Part, visit: &mut dyn FnMut(Visited<'_>)) {
        self.known.tree.visit(part, visit);
    }

    /// Returns the look.
    #[must_use]
    pub fn look(&self) -> Look {
        Look { survey: self.id, number: self.known.tree.log.look() }
    }

    /// Returns the parts in which anything changed after `look`; `None` if that is not known, or is more than
    /// entries: a repository within, a folder that may not be read.
    #[must_use]
    pub fn since(&self, look: Look) -> Option<Vec<Part>> {
        (look.survey == self.id).then(|| self.known.tree.log.since(look.number)).flatten()
    }

    /// Returns whether ignore rules leave out `path`, or a folder above it.
    #[must_use]
    pub fn is_ignored(&self, path: &Path) -> bool {
        self.known.tree.is_ignored(path)
    }

    /// Returns the folders that ignore rules leave out, from the root, in the order of a walk.
    #[must_use]
    pub fn ignored_folders(&self) -> Vec<PathBuf> {
        self.known.tree.ignored_folders()
    }
}

impl Survey {
    pub(super) fn new(root: PathBuf, routes: Arc<Routes>, common: Arc<Common>) -> Survey {
        let dirty_set = Arc::new(DirtySet::default());
        let id = routes.enter(&dirty_set);
        let known = SurveyState {
            tree: SurveyTree::default(),
            base: IgnoreRules::default(),
            origins: None,
            mounted: Mounted::default(),
            root: None,
            is_incomplete: true,
        };
        let has_ended = AtomicBool::new(false);
        Survey { root, id, dirty_set, routes, common, known: Mutex::new(known), has_ended }
    }

    /// Brings it up to date, after every change has been seen that was finished before this call; `None` if it
    /// is not sure, or another thread looks at it: then the caller has to walk. `roots` were opened for this
    /// call, `now` is the time.
    #[must_use]
    pub fn look(
        &self,
        roots: &Roots,
        care: Care,
        now: Timestamp,
        stop: &dyn Fn() -> bool,
    ) -> Option<Surveyed<'_>> {
        if self.has_ended.load(Ordering::Acquire) || roots.paths().next() != Some(self.root.as_path()) {
            return None;
        }
        let mut known = match self.known.try_lock() {
            Ok(known) => known,
            Err(TryLockError::Poisoned(poisoned)) => {
                let mut known = poisoned.into_inner();
                known.is_incomplete = true;
                known
            }
            Err(TryLockError::WouldBlock) => return None,
        };
        match self.update(&mut known, roots, care, now, stop) {
            Ok(()) => Some(Surveyed { known, id: self.id }),
            // The next look begins again.
            Err(Unsure::Stopped | Unsure::Restless) => None,
            Err(why) => {
                tracing::info!(root = %self.root.display(), %why, "the project is walked through from now on");
                self.end_with(&mut known);
                None
            }
        }
    }

    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.routes.release_all(self.id);
        if let Ok(mut known) = self.known.try_lock() {
            self.end_with(&mut known);
        }
    }

    /// Returns whether it was ended: every look is a walk from then on.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    fn end_with(&self, known: &mut SurveyState) {
        self.has_ended.store(true, Ordering::Release);
        self.routes.release_all(self.id);
        // The numbers of its looks go on, so that what was seen then is not taken for what is seen later.
        known.tree = SurveyTree::new((0, 0), std::mem::take(&mut known.tree.log));
        known.is_incomplete = true;
    }

    fn update(
        &self,
        known: &mut SurveyState,
        roots: &Roots,
        care: Care,
        now: Timestamp,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Unsure> {
        match self.routes.sync(&self.root) {
            Err(SourceError::Late) => self.dirty_set.lost(),
            synced => synced?,
        }
        self.routes.drain()?;
        let batch = self.dirty_set.take();
        let root = *roots.open_folder(Path::new(""))?.stat();
        let place = (root.dev, root.ino);
        let same_base = check_base(known, roots, now);
        let same_mounts = !self.common.mounts.differ(&self.root, &mut known.mounted);
        // Set until this update has ended: after an error or a stop the next look cannot trust the tree,
        // and reads all of it.
        let was_incomplete = std::mem::replace(&mut known.is_incomplete, true);
        known.tree.log.begin_look();
        // The root has no folder above it that would report its replacement, so an ended watch is all that
        // tells.
        let watch_ended = batch.ended.iter().any(|(folder, watch)| {
            *folder == FolderId::ROOT
                && known.tree.folder(*folder).is_some_and(|root| root.watch == Some(*watch))
        });
        let is_same = same_base && same_mounts && known.root == Some(place) && !watch_ended;
        let mut work = SurveyUpdate::new(self, roots, stop);
        if was_incomplete || batch.lost || !is_same {
            self.routes.release_all(self.id);
            known.tree = SurveyTree::new(place, std::mem::take(&mut known.tree.log));
            known.root = Some(place);
        } else {
            work.schedule(&mut known.tree, batch);
            if care == Care::EveryFile {
                work.schedule_all(&known.tree);
            }
        }
        work.run(&mut known.tree, &known.base)?;
        for (folder, watch) in std::mem::take(&mut known.tree.released) {
            self.routes.release(watch, WatchOwner { project: self.id, folder });
        }
        known.tree.tidy_unreported();
        known.is_incomplete = self.has_ended();
        if known.is_incomplete { Err(Unsure::Limit) } else { Ok(()) }
    }
}

impl Drop for Survey {
    fn drop(&mut self) {
        self.routes.leave(self.id);
    }
}

/// Reads the rules that hold everywhere again, unless they are certainly unchanged. Returns whether they are
/// the same. As in a walk, the user gitignore is not among them.
fn check_base(known: &mut SurveyState, roots: &Roots, now: Timestamp) -> bool {
    if known.origins.as_ref().is_some_and(RuleOrigins::still_hold) {
        return true;
    }
    // Taken first, so that a change in between is seen the next time.
    let config = UserGitignore::find(None, roots);
    let origins = roots.rule_origins(&config.origins, now);
    let same = known.origins.as_ref().is_some_and(|before| before.same(&origins));
    if !same {
        known.base = roots.base_rules(&UserGitignore::find(None, roots).config());
    }
    known.origins = Some(origins);
    same
}
