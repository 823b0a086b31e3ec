//! The dirty set of one project: the names and folders that have to be read again, as the sources report
//! them.
//!
//! Filled by the thread that reads a source, emptied by a look. Knows folders by number and nothing of their
//! contents.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::index::FolderId;
use super::source::WatchId;

/// The most names of one folder that are kept apart; with more, the folder is read as a whole.
const MAX_NAMES: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DirtyNames {
    pub(super) some: BTreeSet<OsString>,
    pub(super) all: bool,
    pub(super) entries: bool,
    pub(super) itself: bool,
}

#[derive(Debug, Default)]
pub(super) struct DirtyBatch {
    pub(super) folders: HashMap<FolderId, DirtyNames>,
    pub(super) ended: Vec<(FolderId, WatchId)>,
    pub(super) lost: bool,
}

/// Called when there may be something to read. Must be quick, and must not look itself.
pub type Listener = dyn Fn() + Send + Sync;

#[derive(Default)]
pub(super) struct DirtySet {
    batch: Mutex<DirtyBatch>,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

impl fmt::Debug for DirtySet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("DirtySet").field(&self.batch).finish()
    }
}

impl DirtyNames {
    pub(super) fn add(&mut self, name: OsString) {
        if !self.all {
            self.some.insert(name);
        }
        if self.some.len() > MAX_NAMES {
            self.add_all();
        }
    }

    pub(super) fn add_all(&mut self) {
        self.all = true;
        self.some.clear();
    }
}

impl DirtySet {
    pub(super) fn name(&self, folder: FolderId, name: OsString) {
        self.batch().folders.entry(folder).or_default().add(name);
    }

    pub(super) fn entries(&self, folder: FolderId) {
        self.batch().folders.entry(folder).or_default().entries = true;
    }

    pub(super) fn tree(&self, folder: FolderId) {
        self.batch().folders.entry(folder).or_default().add_all();
    }

    pub(super) fn itself(&self, folder: FolderId) {
        self.batch().folders.entry(folder).or_default().itself = true;
    }

    pub(super) fn ended(&self, folder: FolderId, watch: WatchId) {
        self.batch().ended.push((folder, watch));
    }

    pub(super) fn lost(&self) {
        // Everything is read; single names add nothing.
        let mut batch = self.batch();
        batch.folders.clear();
        batch.lost = true;
    }

    pub(super) fn take(&self) -> DirtyBatch {
        std::mem::take(&mut self.batch())
    }

    pub(super) fn is_empty(&self) -> bool {
        let batch = self.batch();
        batch.folders.is_empty() && batch.ended.is_empty() && !batch.lost
    }

    pub(super) fn listen(&self, listener: &Arc<Listener>) {
        let mut listeners = self.listeners();
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(listener));
    }

    pub(super) fn notify_listeners(&self) {
        let listeners: Vec<_> = self.listeners().iter().filter_map(Weak::upgrade).collect();
        listeners.iter().for_each(|listener| listener());
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Weak<Listener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn batch(&self) -> MutexGuard<'_, DirtyBatch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
