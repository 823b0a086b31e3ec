//! The stores of staging, one for each project: open once, and used by one caller at a time.
//!
//! Two daemons may serve one project. A lock alongside the file, which dies with its process, keeps the other
//! from taking a folder that is being filled for one that was left.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use clada_fs::open_own;
use clada_store::{Opened, Store, StoreError, set_aside};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::error::StageError;
use super::gc::GcRunning;
use super::ignore::StageIgnore;
use super::tables::{FILE, STAGE};

/// The most stores that are open at a time.
const OPEN: usize = 64;

/// The most folders that wait to be confirmed at a time; further ones may be deleted by other runs meanwhile.
const LEASES: usize = 256;

/// The time to wait before a lock is tried again.
const PAUSE: Duration = Duration::from_millis(2);

/// The stores of all projects.
#[derive(Debug, Default)]
pub struct Stores {
    open: Mutex<HashMap<PathBuf, Arc<StageStore>>>,
    /// The last rules that were compiled: compiling takes longer than most stages.
    ignore: Mutex<Option<Arc<StageIgnore>>>,
    /// The locks of folders that were handed over and not confirmed yet; they stay whatever others stage
    /// meanwhile.
    leases: Mutex<HashMap<String, OwnedFd>>,
}

/// The store of one project.
#[derive(Debug)]
pub struct StageStore {
    store: Mutex<Store>,
    path: PathBuf,
    file: Option<(u64, u64)>,
    /// True while a thread deletes folders of the store.
    pub(super) gc_running: GcRunning,
}

/// A store that no other caller uses, in this process and in others.
#[derive(Debug)]
pub struct HeldStore<'a> {
    /// The store.
    pub store: MutexGuard<'a, Store>,
    _lock: OwnedFd,
}

impl Stores {
    /// Returns the rules that `texts` make.
    pub fn ignore(&self, texts: Vec<Vec<u8>>) -> Arc<StageIgnore> {
        let mut last = self.ignore.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| last.texts() == texts) {
            Some(last) => Arc::clone(last),
            None => Arc::clone(last.insert(Arc::new(StageIgnore::new(texts)))),
        }
    }

    /// Drops the cached pages of stores that are not in use now.
    pub fn give_back(&self) {
        let open: Vec<Arc<StageStore>> =
            self.open.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for store in open.iter().filter_map(|open| open.store.try_lock().ok()) {
            store.drop_pages();
        }
    }

    /// Keeps `lease`, so that the folder at `path` stays.
    pub fn lend(&self, path: &str, lease: OwnedFd) {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if leases.len() < LEASES {
            leases.insert(path.to_owned(), lease);
        }
    }

    /// Releases the lease of the folder at `path`, which is not waited for any more.
    pub fn let_go(&self, path: &str) {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }

    /// Renames the store in `folder`, which is damaged: a new one is begun, and everything staged again.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn set_aside(&self, folder: &Path) -> Result<PathBuf, StageError> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(folder);
        let aside = set_aside(&folder.join(FILE))?;
        tracing::warn!(
            "what was staged was damaged and is now {}; everything is staged again",
            aside.display()
        );
        Ok(aside)
    }

    /// Opens the store in `folder`, which is the project's folder in the folder of state.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self, folder: &Path) -> Result<Arc<StageStore>, StageError> {
        let mut all = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Another process may have removed the folder of state.
        if let Some(open) =
            all.get(folder).filter(|open| open.file.is_some() && open.file == file_of(&open.path))
        {
            return Ok(Arc::clone(open));
        }
        let path = folder.join(FILE);
        let Opened { store, set_aside, .. } = Store::open(&path, &STAGE)?;
        if store.is_write_protected() {
            let reason = "it is write-protected".to_owned();
            return Err(StageError::Store(StoreError::Io { path, reason }));
        }
        if let Some(aside) = set_aside {
            let aside = aside.display();
            tracing::warn!("what was staged was damaged and is now {aside}; everything is staged again");
        }
        let file = file_of(&path);
        let open =
            Arc::new(StageStore { store: Mutex::new(store), path, file, gc_running: GcRunning::default() });
        if all.len() >= OPEN
            && let Some(other) = all.keys().next().cloned()
        {
            all.remove(&other);
        }
        all.insert(folder.to_path_buf(), Arc::clone(&open));
        Ok(open)
    }
}

impl StageStore {
    /// Returns the path of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of the store.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Takes the store exclusively; waits until others are done, or `stop` returns true.
    ///
    /// # Errors
    /// If it was stopped, or the lock cannot be had.
    pub fn hold(&self, stop: &dyn Fn() -> bool) -> Result<HeldStore<'_>, StageError> {
        let store = loop {
            match self.store.try_lock() {
                Ok(store) => break store,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => pause(stop)?,
            }
        };
        let path = self.path.with_extension("lock");
        let fail = |error: std::io::Error| StageError::Store(StoreError::io(&error, &path));
        let lock = OwnedFd::from(open_own(&path).map_err(fail)?);
        loop {
            match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(HeldStore { store, _lock: lock }),
                Err(Errno::WOULDBLOCK | Errno::INTR) => pause(stop)?,
                Err(errno) => return Err(fail(errno.into())),
            }
        }
    }
}

fn pause(stop: &dyn Fn() -> bool) -> Result<(), StageError> {
    if stop() {
        return Err(StageError::Stopped);
    }
    std::thread::sleep(PAUSE);
    Ok(())
}

/// Returns the identity of a file.
fn file_of(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
