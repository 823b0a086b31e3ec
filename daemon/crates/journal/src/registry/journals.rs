//! The journals of all projects, and the one of a project: opened when it is needed, looked at twice before it counts
//! as damaged.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use clada_store::{Reserve, StoreError, require_readable, set_aside};

use super::location;
use super::owner::note_owner;
use crate::journal::{Journal, Opened};

const WARNINGS: usize = 20;

/// The journals of all projects. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JournalRegistry(pub(super) Arc<RegistryInner>);

#[derive(Debug)]
pub(super) struct RegistryInner {
    pub(super) state: PathBuf,
    status: Mutex<Vec<String>>,
}

#[derive(Debug)]
pub(super) struct JournalSlot {
    journal: Mutex<Journal>,
    pub(super) path: PathBuf,
    file: Option<(u64, u64)>,
    pub(super) unclean: Mutex<bool>,
    pub(super) damaged: Mutex<bool>,
}

/// The journal of one project, opened when it is needed. Clones are the same one.
#[derive(Debug, Clone)]
pub struct ProjectJournal(pub(super) Arc<SharedJournal>);

/// A journal that was taken, to be closed.
#[derive(Debug)]
pub struct OpenJournal(#[expect(dead_code, reason = "held until it is dropped")] Arc<JournalSlot>);

#[derive(Debug)]
pub(super) struct SharedJournal {
    pub(super) registry: JournalRegistry,
    root: PathBuf,
    open: Mutex<Option<Arc<JournalSlot>>>,
    /// Held while the journal is opened, set aside or looked for, until the finding is noted: a second caller
    /// must not find a new journal before it is notified of what became of the old one.
    opening: Mutex<()>,
    next: Mutex<Vec<String>>,
}

impl JournalRegistry {
    /// Returns the journals in the folder `state`.
    #[must_use]
    pub fn new(state: PathBuf) -> JournalRegistry {
        JournalRegistry(Arc::new(RegistryInner { state, status: Mutex::default() }))
    }

    /// Returns the journal of the project at `root`, which is resolved. A process takes one of each project.
    #[must_use]
    pub fn journal(&self, root: &Path) -> ProjectJournal {
        let (open, opening, next) = (Mutex::default(), Mutex::default(), Mutex::default());
        ProjectJournal(Arc::new(SharedJournal {
            registry: self.clone(),
            root: root.to_path_buf(),
            open,
            opening,
            next,
        }))
    }

    /// Returns the problems with journals, for the status of the daemon.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.status().clone()
    }

    fn status(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalSlot {
    fn is_current(&self) -> bool {
        self.file.is_some() && self.file == file_of(&self.path)
    }

    pub(super) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectJournal {
    /// Returns the root of the project.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Calls `work` with the journal, which is opened or begun if need be.
    ///
    /// # Errors
    /// If it cannot be opened, and those of `work`.
    pub fn with<T>(&self, work: impl FnOnce(&mut Journal) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let opening = self.opening();
        let open = self.open()?;
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
        let opening = self.opening();
        let is_known = self.known().is_some();
        let there = is_known || location::is_there(self.state(), self.root());
        drop(opening);
        if there { self.with(work).map(Some) } else { Ok(None) }
    }

    /// Does `work`, and once more with a new connection if it finds the journal damaged: a read that fails
    /// once can look like damage. A journal that is damaged at the second look, too, is set aside, which the
    /// next result says, and `work` is done with a new one. The caller holds the lock of the root.
    ///
    /// # Errors
    /// Those of `work`; if the medium cannot be read, or the journal cannot be renamed.
    pub fn look_twice<T>(&self, mut work: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match work() {
            Err(StoreError::Damaged { .. }) => {}
            outcome => return outcome,
        }
        *self.known() = None;
        match work() {
            Err(StoreError::Damaged { .. }) => {}
            outcome => return outcome,
        }
        self.set_aside()?;
        work()
    }

    /// Renames a journal that a check has found damaged, so that a new one is begun. The caller holds the
    /// lock of the root.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn set_aside_damaged(&self) -> Result<(), StoreError> {
        let is_damaged = |open: &Arc<JournalSlot>| {
            *open.damaged.lock().unwrap_or_else(PoisonError::into_inner) && open.is_current()
        };
        let is_damaged = self.known().as_ref().is_some_and(is_damaged);
        if is_damaged { self.set_aside() } else { Ok(()) }
    }

    fn set_aside(&self) -> Result<(), StoreError> {
        let _opening = self.opening();
        let path = self.open()?.path.clone();
        require_readable(&path)?;
        *self.known() = None;
        let aside = set_aside(&path)?;
        self.warn(set_aside_message(&aside));
        Ok(())
    }

    /// Takes the open journal, if there is one that nobody opens now: it is closed with the value, and opened
    /// again when it is needed. Does not wait.
    #[must_use]
    pub fn take_open(&self) -> Option<OpenJournal> {
        let _opening = match self.0.opening.try_lock() {
            Ok(opening) => opening,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.known().take().map(OpenJournal)
    }

    /// Drops the cached pages of the journal, unless it is in use now.
    pub fn give_back(&self) {
        let open = self.known().clone();
        if let Some(journal) = open.as_ref().and_then(|open| open.journal.try_lock().ok()) {
            journal.give_back();
        }
    }

    /// Reports `message` with the next result, and in the status of the daemon.
    pub fn warn(&self, message: String) {
        let root = self.root().display();
        tracing::warn!(%root, "{message}");
        let mut status = self.0.registry.status();
        if status.len() < WARNINGS {
            status.push(format!("{root}: {message}"));
        }
        drop(status);
        self.next().push(message);
    }

    /// Takes the messages that have to be reported with the next result.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.next())
    }

    /// Gives messages back that were taken for a result that cannot have them: the next one reports them.
    pub fn return_warnings(&self, messages: Vec<String>) {
        self.next().splice(..0, messages);
    }

    /// Returns whether there are messages for the next result.
    #[must_use]
    pub fn has_warnings(&self) -> bool {
        !self.next().is_empty()
    }

    /// Releases the reserved space, so that a user can undo on a full disk.
    pub fn release_reserve(&self) {
        Reserve::in_folder(self.state()).release();
    }

    pub(super) fn open(&self) -> Result<Arc<JournalSlot>, StoreError> {
        let known = self.known().clone();
        // Another process may have removed the folder of state, or have set the file aside.
        let used = match known {
            Some(open) if open.is_current() => return Ok(open),
            other => other.is_some_and(|open| open.file.is_some()),
        };
        let Opened { journal, set_aside, removed, unclean } = location::open(self.state(), self.root())?;
        match set_aside {
            Some(aside) => self.warn(set_aside_message(&aside)),
            None if removed || used => self.warn(REMOVED.to_owned()),
            None => {}
        }
        let path = journal.path().to_path_buf();
        if let Some(record) = path.parent() {
            note_owner(record, self.root());
        }
        let file = file_of(&path);
        let (unclean, damaged) = (Mutex::new(unclean), Mutex::default());
        let open = JournalSlot { journal: Mutex::new(journal), path, file, unclean, damaged };
        let open = Arc::new(open);
        *self.known() = Some(Arc::clone(&open));
        Ok(open)
    }

    pub(super) fn state(&self) -> &Path {
        &self.0.registry.0.state
    }

    pub(super) fn opening(&self) -> MutexGuard<'_, ()> {
        self.0.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Option<Arc<JournalSlot>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const REMOVED: &str = "The record of this project's operations was removed or replaced by another; what came before \
                       cannot be undone with clada";

fn set_aside_message(aside: &Path) -> String {
    format!(
        "The record of this project's operations was damaged and is now {}; a new one is begun, so what came before \
         cannot be undone with clada",
        aside.display()
    )
}

fn file_of(path: &Path) -> Option<(u64, u64)> {
    // A file that was opened was not empty: it has none of it any more.
    path.symlink_metadata()
        .ok()
        .filter(|metadata| metadata.len() > 0)
        .map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Covers an error at the first look alone, at both, of another kind, and a check that finds damage.
    #[test]
    fn regression_a_journal_that_one_read_failed_of_is_not_set_aside() {
        let state = tempfile::tempdir().unwrap();
        let root = Path::new("/nowhere/project");
        let journal = JournalRegistry::new(state.path().to_path_buf()).journal(root);
        journal.with(|_| Ok(())).unwrap();
        let file = journal.with(|journal| Ok(journal.path().to_path_buf())).unwrap();
        let looks = Cell::new(0);
        let fail = |times: usize, error: fn(&Path) -> StoreError| {
            looks.set(0);
            journal.look_twice(|| {
                looks.set(looks.get() + 1);
                if looks.get() <= times { Err(error(&file)) } else { journal.with(|journal| journal.count()) }
            })
        };
        let damaged = |path: &Path| StoreError::nonsense(path, "disk image is malformed");
        let io = |path: &Path| StoreError::Io { path: path.to_path_buf(), reason: "EIO".to_owned() };
        let operation = |id: &str| {
            journal.with(|journal| {
                journal.finish(&operation(id), &crate::Completion::default(), &crate::Images::default(), None)
            })
        };
        operation("one").unwrap();
        assert_eq!(fail(0, damaged).unwrap(), 1);
        assert_eq!((fail(1, damaged).unwrap(), looks.get()), (1, 2));
        assert!(matches!(fail(1, io), Err(StoreError::Io { .. })));
        assert_eq!((looks.get(), journal.has_warnings()), (1, false));
        assert!(!file.with_file_name("operations.db.damaged-1").exists());
        // The second look on a new connection finds it damaged, too.
        assert_eq!((fail(2, damaged).unwrap(), looks.get()), (0, 3));
        assert!(journal.take_warnings().pop().unwrap().contains("operations.db.damaged-1"));
        assert!(matches!(fail(3, damaged), Err(StoreError::Damaged { .. })));
        let _ = journal.take_warnings();
        // A check leaves a damaged one in its place until an operation can say so.
        operation("two").unwrap();
        journal.set_aside_damaged().unwrap();
        assert!(!journal.has_warnings());
        *journal.known().as_ref().unwrap().damaged.lock().unwrap() = true;
        journal.set_aside_damaged().unwrap();
        assert!(journal.take_warnings().pop().unwrap().contains("operations.db.damaged-3"));
        assert_eq!(journal.with(|journal| journal.count()).unwrap(), 0);
    }

    fn operation(id: &str) -> crate::Operation {
        crate::Operation {
            id: id.to_owned(),
            kind: crate::OperationKind::Execute,
            began: 0,
            status: crate::OperationStatus::Done,
            summary: String::new(),
            undoes: None,
            undone_by: None,
            committed: None,
            outline: crate::Outline::default(),
        }
    }

    /// One thread finds it; the others must not see the new journal before that is noted.
    #[test]
    fn regression_no_caller_finds_a_new_journal_before_the_loss_of_the_old_one_is_reported() {
        let state = tempfile::tempdir().unwrap();
        let root = Path::new("/nowhere/project");
        for _ in 0..20 {
            let registry = JournalRegistry::new(state.path().to_path_buf());
            let journal = registry.journal(root);
            journal.with(|_| Ok(())).unwrap();
            let file = registry.files().pop().unwrap();
            std::fs::write(file, "").unwrap();
            let reported: usize = std::thread::scope(|scope| {
                let look = || {
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
