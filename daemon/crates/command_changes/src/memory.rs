//! The memory of a project from one snapshot to the next.
//!
//! It mirrors the log, without the contents, and is only valid together with that: a caller that finds
//! another log begins anew. Whoever keeps the memories of many projects bounds them.

use std::sync::{Arc, Mutex, PoisonError};

use clada_git::IndexStamp;

use super::sight::Sight;

/// The findings of the last snapshot of a project.
#[derive(Debug)]
pub struct Remembered {
    pub(super) sights: Vec<Arc<Sight>>,
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
    /// The number of sights that it began with, and of those that came after them.
    pub(super) sights: (usize, usize),
    /// The bytes of contents that came after those that it began with.
    pub(super) bytes: u64,
}

impl Remembered {
    pub(super) fn sights(&self) -> &[Arc<Sight>] {
        &self.sights
    }

    /// Returns the stamp of git's index that it goes by, if that is still current.
    pub(super) fn standing(&self) -> Option<IndexStamp> {
        self.stamp.clone().filter(IndexStamp::stands)
    }
}

/// The memory of one project. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Option<Arc<Remembered>>>>);

impl Memory {
    pub(super) fn get(&self) -> Option<Arc<Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, remembered: Option<Remembered>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = remembered.map(Arc::new);
    }

    /// Forgets everything.
    pub fn forget(&self) {
        self.set(None);
    }

    /// Returns the number of paths that are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.get().map_or(0, |remembered| remembered.sights.len())
    }

    /// Returns whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
