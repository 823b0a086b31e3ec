//! The memory of projects from one snapshot to the next.
//!
//! It mirrors the log, without the contents, and is only valid together with that: a caller that finds
//! another log begins anew. Bounded, whatever is done in how many projects.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_git::IndexStamp;

use super::sight::Sight;

/// The most projects that are remembered.
const PROJECTS: usize = 16;
/// The most paths that are remembered of all projects.
const SIGHTS: usize = 400_000;

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
        self.stamp.clone().filter(IndexStamp::is_current)
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

/// The memories of all projects.
#[derive(Debug, Default)]
pub struct Memories(Mutex<Projects>);

#[derive(Debug, Default)]
struct Projects {
    uses: u64,
    /// The memories by root, each with when it was last used.
    memories: HashMap<PathBuf, (u64, Memory)>,
}

impl Memories {
    /// Returns the memory of the project at `root`, a resolved path. The memories that were not used for
    /// longest are dropped if they are too large.
    #[must_use]
    pub fn of(&self, root: &Path) -> Memory {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        projects.uses += 1;
        let now = projects.uses;
        let found = projects.memories.entry(root.to_path_buf()).or_default();
        found.0 = now;
        let memory = found.1.clone();
        projects.forget_some();
        memory
    }
}

impl Projects {
    /// Drops the memories that were not used for longest, but never the one in use.
    fn forget_some(&mut self) {
        while self.memories.len() > 1 {
            let sights: usize = self.memories.values().map(|(_, memory)| memory.len()).sum();
            if self.memories.len() <= PROJECTS && sights <= SIGHTS {
                return;
            }
            let oldest = self.memories.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(root, _)| root.clone()) else { return };
            self.memories.remove(&oldest);
        }
    }
}
