//! The cache of the last snapshot of each project.
//!
//! It mirrors the log, without the contents, and is only valid together with that: a caller that finds
//! another log begins anew. Bounded, whatever is done in how many projects.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_git::IndexStamp;

use super::stamp::FileStamp;

/// The most projects that are cached.
const PROJECTS: usize = 16;
/// The most paths that are remembered of all projects.
const STAMPS: usize = 400_000;

/// The findings of the last snapshot of a project.
#[derive(Debug)]
pub struct CachedSnapshot {
    pub(super) stamps: Vec<Arc<FileStamp>>,
    pub(super) stamp: Option<IndexStamp>,
    pub(super) log: Log,
}

/// The position of the log that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Log {
    /// The operation that began it.
    pub(super) base: String,
    /// The number of its last record.
    pub(super) last: u64,
    /// The number of stamps that it began with, and of those that came after them.
    pub(super) stamps: (usize, usize),
    /// The bytes of contents that came after those that it began with.
    pub(super) bytes: u64,
}

impl CachedSnapshot {
    pub(super) fn stamps(&self) -> &[Arc<FileStamp>] {
        &self.stamps
    }

    /// Returns the stamp of git's index that it goes by, if that is still current.
    pub(super) fn current_stamp(&self) -> Option<IndexStamp> {
        self.stamp.clone().filter(IndexStamp::is_current)
    }
}

/// The cache of one project. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SnapshotCache(Arc<Mutex<Option<Arc<CachedSnapshot>>>>);

impl SnapshotCache {
    pub(super) fn get(&self) -> Option<Arc<CachedSnapshot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, cached: Option<CachedSnapshot>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = cached.map(Arc::new);
    }

    /// Forgets everything.
    pub fn forget(&self) {
        self.set(None);
    }

    /// Returns the number of paths that are cached.
    #[must_use]
    pub fn len(&self) -> usize {
        self.get().map_or(0, |cached| cached.stamps.len())
    }

    /// Returns whether nothing is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The caches of all projects.
#[derive(Debug, Default)]
pub struct SnapshotCaches(Mutex<Projects>);

#[derive(Debug, Default)]
struct Projects {
    uses: u64,
    /// The caches by root, each with when it was last used.
    caches: HashMap<PathBuf, (u64, SnapshotCache)>,
}

impl SnapshotCaches {
    /// Returns the cache of the project at `root`, a resolved path. The caches that were not used for
    /// longest are dropped if they are too large.
    #[must_use]
    pub fn for_root(&self, root: &Path) -> SnapshotCache {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        projects.uses += 1;
        let now = projects.uses;
        let found = projects.caches.entry(root.to_path_buf()).or_default();
        found.0 = now;
        let cache = found.1.clone();
        projects.forget_some();
        cache
    }
}

impl Projects {
    /// Drops the caches that were not used for longest, but never the one in use.
    fn forget_some(&mut self) {
        while self.caches.len() > 1 {
            let stamps: usize = self.caches.values().map(|(_, cache)| cache.len()).sum();
            if self.caches.len() <= PROJECTS && stamps <= STAMPS {
                return;
            }
            let oldest = self.caches.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(root, _)| root.clone()) else { return };
            self.caches.remove(&oldest);
        }
    }
}
