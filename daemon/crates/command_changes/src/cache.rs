//! The cache of a project's last snapshot.
//!
//! It mirrors the log, without the contents, and is only valid together with that: a caller that finds
//! another log begins again. The owner of the caches of many projects bounds them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_git::IndexStamp;
use clada_watch::Survey;

use super::coverage::Basis;
use super::stamps::Stamps;

/// The findings of the last snapshot of a project.
#[derive(Debug)]
pub struct CachedSnapshot {
    pub(super) stamps: Stamps,
    pub(super) basis: Option<Basis>,
    pub(super) stamp: Option<IndexStamp>,
    pub(super) log: Log,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) base: String,
    pub(super) last: u64,
    /// The number of stamps that it began with, and of those that came after them.
    pub(super) stamps: (usize, usize),
    /// The bytes of contents that came after those that it began with.
    pub(super) bytes: u64,
}

impl CachedSnapshot {
    pub(super) fn current_stamp(&self) -> Option<IndexStamp> {
        self.stamp.clone().filter(IndexStamp::is_current)
    }
}

/// The cache of one project, and its survey. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SnapshotCache(Arc<CacheInner>);

#[derive(Debug, Default)]
struct CacheInner {
    last: Mutex<Option<Arc<CachedSnapshot>>>,
    survey: Mutex<Option<Arc<Survey>>>,
}

impl SnapshotCache {
    pub(super) fn get(&self) -> Option<Arc<CachedSnapshot>> {
        locked(&self.0.last).clone()
    }

    pub(super) fn set(&self, cached: Option<CachedSnapshot>) {
        *locked(&self.0.last) = cached.map(Arc::new);
    }

    /// Returns the survey of the project, if it has one.
    #[must_use]
    pub fn survey(&self) -> Option<Arc<Survey>> {
        locked(&self.0.survey).clone()
    }

    /// Has the project surveyed from now on: `begin` makes the survey, unless there is one.
    pub fn survey_by(&self, begin: impl FnOnce() -> Option<Arc<Survey>>) {
        let mut survey = locked(&self.0.survey);
        if survey.is_none() {
            *survey = begin();
        }
    }

    /// Ends the survey: the project is walked through until the next one begins.
    pub fn end_survey(&self) {
        let ended = locked(&self.0.survey).take();
        drop(ended);
    }

    /// Forgets everything but the survey.
    pub fn forget(&self) {
        self.set(None);
    }

    /// Takes everything out: what was cached is freed with the value, and the survey ends.
    #[must_use]
    pub fn take(&self) -> SnapshotCache {
        let (last, survey) = (locked(&self.0.last).take(), locked(&self.0.survey).take());
        SnapshotCache(Arc::new(CacheInner { last: Mutex::new(last), survey: Mutex::new(survey) }))
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
