//! What has to be looked at again in one project, as the sources tell of it.
//!
//! Filled by whoever reads a source, emptied by whoever looks. Knows folders by number and nothing of what is in them.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::index::FolderId;
use super::source::WatchId;

/// Names of one folder that are kept apart; with more, the folder is looked at as a whole.
const MAX_NAMES: usize = 10_000;

/// What is to be looked at in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// These names, unless it is all of them.
    pub(super) some: BTreeSet<OsString>,
    /// Everything in it.
    pub(super) all: bool,
    /// The folder itself, as its parent has it.
    pub(super) itself: bool,
}

/// Everything that is to be looked at.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// By folder.
    pub(super) folders: HashMap<FolderId, Names>,
    /// Folders that are not watched any more.
    pub(super) ended: Vec<(FolderId, WatchId)>,
    /// Anything may have happened anywhere.
    pub(super) lost: bool,
}

/// Called when there may be something to look at. Must be quick, and must not look itself.
pub type Listener = dyn Fn() + Send + Sync;

/// The marks of one project, and who wants to know when there are any.
#[derive(Default)]
pub(super) struct Marks {
    marked: Mutex<Marked>,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

impl fmt::Debug for Marks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Marks").field(&self.marked).finish()
    }
}

impl Names {
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

impl Marks {
    pub(super) fn name(&self, folder: FolderId, name: OsString) {
        self.marked().folders.entry(folder).or_default().add(name);
    }

    pub(super) fn itself(&self, folder: FolderId) {
        self.marked().folders.entry(folder).or_default().itself = true;
    }

    pub(super) fn ended(&self, folder: FolderId, watch: WatchId) {
        self.marked().ended.push((folder, watch));
    }

    pub(super) fn lost(&self) {
        // Everything is looked at; single marks say nothing more.
        let mut marked = self.marked();
        marked.folders.clear();
        marked.lost = true;
    }

    /// All that is marked; nothing is marked afterwards.
    pub(super) fn take(&self) -> Marked {
        std::mem::take(&mut self.marked())
    }

    pub(super) fn is_empty(&self) -> bool {
        let marked = self.marked();
        marked.folders.is_empty() && marked.ended.is_empty() && !marked.lost
    }

    /// Calls `listener` from now on, as long as somebody holds it.
    pub(super) fn listen(&self, listener: &Arc<Listener>) {
        let mut listeners = self.listeners();
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(listener));
    }

    /// Whether anybody listens.
    pub(super) fn has_listeners(&self) -> bool {
        self.listeners().iter().any(|listener| listener.strong_count() > 0)
    }

    /// Calls who listens.
    pub(super) fn tell(&self) {
        let listeners: Vec<_> = self.listeners().iter().filter_map(Weak::upgrade).collect();
        listeners.iter().for_each(|listener| listener());
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Weak<Listener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marked(&self) -> MutexGuard<'_, Marked> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
