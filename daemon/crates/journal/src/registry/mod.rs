//! The journals of all projects: finds and opens each one once, and maintains it.
//!
//! Knows the folder of state and the path of each project's journal; not what an operation does. Recovery,
//! and every caller that replaces a journal's file, holds the lock of the root.

#![allow(
    clippy::disallowed_methods,
    reason = "the folders of state are clada's own, also the one in a project"
)]

mod applied;
mod location;
mod maintenance;

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clada_store::{Reserve, StoreError, set_aside};

use crate::Journal;

pub use applied::{Applied, applied};
pub use location::fallback_folder;
pub use maintenance::Retention;

/// The most journals that are open at a time; the others are opened when they are needed.
const OPEN: usize = 64;
/// The number of locks for opening, which the roots share.
const OPENING: usize = 32;
/// The most warnings that are kept for `status`.
const WARNINGS: usize = 20;

/// The journals of all projects. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JournalRegistry(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: PathBuf,
    open: Mutex<HashMap<PathBuf, Arc<Open>>>,
    /// Held while a journal is opened, until the finding is noted: a second caller must not find a new
    /// journal before it is notified of what became of the old one.
    opening: [Mutex<()>; OPENING],
    warnings: Mutex<Warnings>,
}

/// The messages that users have to see.
#[derive(Debug, Default)]
struct Warnings {
    /// For every caller that asks for the status of the daemon.
    status: Vec<String>,
    /// For the next result of each project.
    next: HashMap<PathBuf, Vec<String>>,
}

/// A journal that is open.
#[derive(Debug)]
struct Open {
    journal: Mutex<Journal>,
    /// The path of the file.
    path: PathBuf,
    /// The identity of the file when it was opened.
    file: Option<(u64, u64)>,
    /// The journal was not closed properly, and has not been checked yet.
    unclean: Mutex<bool>,
}

/// The journal of one project, opened when it is needed.
#[derive(Debug, Clone)]
pub struct ProjectJournal {
    registry: JournalRegistry,
    root: PathBuf,
}

impl JournalRegistry {
    /// Returns the journals in the folder `state`.
    #[must_use]
    pub fn new(state: PathBuf) -> JournalRegistry {
        let (open, opening, warnings) = (Mutex::default(), Default::default(), Mutex::default());
        JournalRegistry(Arc::new(Inner { state, open, opening, warnings }))
    }

    /// Returns the journal of the project at `root`, which is resolved.
    #[must_use]
    pub fn journal(&self, root: &Path) -> ProjectJournal {
        ProjectJournal { registry: self.clone(), root: root.to_path_buf() }
    }

    /// Returns the problems with journals, for the status of the daemon.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_to_report().status.clone()
    }

    /// Drops the cached pages of journals that are not in use now.
    pub fn give_back(&self) {
        let open: Vec<Arc<Open>> = self.all().values().cloned().collect();
        for journal in open.iter().filter_map(|open| open.journal.try_lock().ok()) {
            journal.give_back();
        }
    }

    fn warnings_to_report(&self) -> std::sync::MutexGuard<'_, Warnings> {
        self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn(&self, root: &Path, message: String) {
        tracing::warn!(root = %root.display(), "{message}");
        let mut warnings = self.warnings_to_report();
        if warnings.status.len() < WARNINGS {
            warnings.status.push(format!("{}: {message}", root.display()));
        }
        warnings.next.entry(root.to_path_buf()).or_default().push(message);
    }

    /// Takes the lock for opening, setting aside or looking for the journal of the project at `root`.
    fn opening(&self, root: &Path) -> std::sync::MutexGuard<'_, ()> {
        let mut hasher = std::hash::DefaultHasher::new();
        root.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % (OPENING as u64)).unwrap_or(0);
        self.0.opening[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the journal of the project at `root`; the caller holds [`JournalRegistry::opening`].
    fn open(&self, root: &Path) -> Result<Arc<Open>, StoreError> {
        let known = self.all().get(root).cloned();
        // Another process may have removed the folder of state, or have set the file aside.
        let used = match known {
            Some(open) if open.is_current() => return Ok(open),
            other => other.is_some_and(|open| open.file.is_some()),
        };
        // The map is not locked here, so that users of other projects' journals do not wait.
        let crate::Opened { journal, set_aside, removed, unclean } = location::open(&self.0.state, root)?;
        match set_aside {
            Some(aside) => self.warn(root, set_aside_message(&aside)),
            None if removed || used => self.warn(root, REMOVED.to_owned()),
            None => {}
        }
        let path = journal.path().to_path_buf();
        let file = file_of(&path);
        let open = Open { journal: Mutex::new(journal), path, file, unclean: Mutex::new(unclean) };
        let open = Arc::new(open);
        let mut all = self.all();
        if all.len() >= OPEN
            && let Some(other) = all.keys().next().cloned()
        {
            all.remove(&other);
        }
        all.insert(root.to_path_buf(), Arc::clone(&open));
        Ok(open)
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Open>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, root: &Path) {
        self.all().remove(root);
    }
}

impl Open {
    /// Returns whether its file is still the one that was opened.
    fn is_current(&self) -> bool {
        self.file.is_some() && self.file == file_of(&self.path)
    }

    fn journal(&self) -> std::sync::MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectJournal {
    /// Returns the root of the project.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Calls `work` with the journal, which is opened or begun if need be.
    ///
    /// # Errors
    /// If it cannot be opened, and those of `work`.
    pub fn with<T>(&self, work: impl FnOnce(&mut Journal) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let opening = self.registry.opening(&self.root);
        let open = self.registry.open(&self.root)?;
        drop(opening);
        let mut journal = open.journal();
        work(&mut journal)
    }

    /// Like [`ProjectJournal::with`], if there is a journal: a project whose files were never changed has
    /// none.
    ///
    /// # Errors
    /// As for [`ProjectJournal::with`].
    pub fn if_exists<T>(
        &self,
        work: impl FnOnce(&mut Journal) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let opening = self.registry.opening(&self.root);
        let is_known = self.registry.all().contains_key(&self.root);
        let there = is_known || location::is_there(&self.registry.0.state, &self.root);
        drop(opening);
        if there { self.with(work).map(Some) } else { Ok(None) }
    }

    /// Renames a journal that turned out to be damaged, so that a new one is begun. The caller holds the lock
    /// of the root.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn set_aside(&self) -> Result<(), StoreError> {
        let _opening = self.registry.opening(&self.root);
        let path = self.registry.open(&self.root)?.path.clone();
        self.registry.close(&self.root);
        let aside = set_aside(&path)?;
        self.registry.warn(&self.root, set_aside_message(&aside));
        Ok(())
    }

    /// Reports `message` with the next result.
    pub fn warn(&self, message: String) {
        self.registry.warn(&self.root, message);
    }

    /// Takes the messages that have to be reported with the next result.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<String> {
        self.registry.warnings_to_report().next.remove(&self.root).unwrap_or_default()
    }

    /// Releases the reserved space, so that a user can undo on a full disk.
    pub fn release_reserve(&self) {
        Reserve::in_folder(&self.registry.0.state).release();
    }
}

const REMOVED: &str = "The record of this project's operations was removed or replaced by another; what came \
                       before cannot be undone with clada";

fn set_aside_message(aside: &Path) -> String {
    format!(
        "The record of this project's operations was damaged and is now {}; a new one is begun, so what came \
         before cannot be undone with clada",
        aside.display()
    )
}

/// Returns the device and inode of a file. An empty file has none: something was in it when it was opened.
fn file_of(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata()
        .ok()
        .filter(|metadata| metadata.len() > 0)
        .map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread finds it; the others must not see the new journal before that is noted.
    #[test]
    fn regression_no_caller_finds_a_new_journal_before_the_loss_of_the_old_one_is_reported() {
        let state = tempfile::tempdir().unwrap();
        let root = Path::new("/nowhere/project");
        for _ in 0..20 {
            let registry = JournalRegistry::new(state.path().to_path_buf());
            registry.journal(root).with(|_| Ok(())).unwrap();
            let file = registry.files().pop().unwrap();
            std::fs::write(file, "").unwrap();
            let reported: usize = std::thread::scope(|scope| {
                let look = || {
                    let journal = registry.journal(root);
                    journal.if_exists(|_| Ok(())).unwrap();
                    // A thread takes the warnings only if they are there when it has the journal.
                    registry.warnings().len()
                };
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(look)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).min().unwrap()
            });
            assert_eq!(reported, 1);
        }
    }
}
