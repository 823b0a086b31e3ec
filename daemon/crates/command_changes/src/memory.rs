//! What is known of projects from one survey to the next.
//!
//! It is what was put down, without the contents, and only good together with that: whoever finds that something else
//! is put down begins anew. Bounded, whatever is done in how many projects.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_git::IndexStamp;

use super::sight::Sight;

/// Projects that something is remembered of.
const PROJECTS: usize = 16;
/// Paths that are remembered of all projects.
const SIGHTS: usize = 400_000;

/// What the last survey of a project found.
#[derive(Debug)]
pub struct Remembered {
    pub(super) sights: Vec<Arc<Sight>>,
    pub(super) stamp: Option<IndexStamp>,
    pub(super) log: Log,
}

/// What is put down of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Log {
    /// The operation that began it.
    pub(super) base: String,
    /// The number of its last record.
    pub(super) last: u64,
    /// How many sights it began with, and how many came after them.
    pub(super) sights: (usize, usize),
    /// Bytes of contents that came after those that it began with.
    pub(super) bytes: u64,
}

impl Remembered {
    pub(super) fn sights(&self) -> &[Arc<Sight>] {
        &self.sights
    }

    /// The index of git's that it goes by, if that is still there.
    pub(super) fn standing(&self) -> Option<IndexStamp> {
        self.stamp.clone().filter(IndexStamp::stands)
    }
}

/// What is remembered of one project. Cheap to clone.
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

    /// How many paths are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.get().map_or(0, |remembered| remembered.sights.len())
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What is remembered of all projects.
#[derive(Debug, Default)]
pub struct Memories(Mutex<Projects>);

#[derive(Debug, Default)]
struct Projects {
    uses: u64,
    /// By their roots, each with when it was used last.
    memories: HashMap<PathBuf, (u64, Memory)>,
}

impl Memories {
    /// What is remembered of the project at `root`, a resolved path. What was not used for long is forgotten if it is
    /// too much.
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
    /// Never forgets what is used at the moment.
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
