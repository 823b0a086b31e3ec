//! The cache of a project's last snapshot.
//!
//! It mirrors the log, without the contents, and is only valid together with that: a caller that finds
//! another log begins anew. The owner of the caches of many projects bounds them.

use std::sync::{Arc, Mutex, PoisonError};

use clada_git::IndexStamp;

use super::stamp::FileStamp;

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

    /// Takes everything out: what was cached is freed with the value.
    #[must_use]
    pub fn take(&self) -> SnapshotCache {
        SnapshotCache(Arc::new(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).take())))
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
