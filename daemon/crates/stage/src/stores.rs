//! The store of staging of a project: open once, and used by one caller at a time.
//!
//! Two daemons may serve one project. A lock alongside the file, which dies with its process, keeps the other
//! from taking a folder that is being filled for one that was left.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use clada_fs::open_own;
use clada_store::{Opened, Store, StoreError, set_aside};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::error::StageError;
use super::ignore::{StageIgnore, WrittenRules};
use super::tables::{FILE, STAGE};

/// The most folders of all projects that wait to be confirmed at a time; further ones may be deleted by other
/// runs meanwhile. Each is an open file.
const LEASES: usize = 256;

const PAUSE: Duration = Duration::from_millis(2);

/// The rules that were compiled last: compiling takes longer than most stages.
#[derive(Debug, Default)]
pub struct IgnoreCache(Mutex<Option<Arc<StageIgnore>>>);

/// The number of leases of all projects of a process, which is bounded. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct LeaseCount(Arc<AtomicUsize>);

/// The locks of a project's folders that were handed over and not confirmed yet; they stay whatever others
/// stage meanwhile.
#[derive(Debug)]
pub struct Leases {
    count: LeaseCount,
    held_leases: Mutex<HashMap<String, Lease>>,
}

#[derive(Debug)]
struct Lease {
    _lock: OwnedFd,
    count: LeaseCount,
}

/// The store of one project.
#[derive(Debug)]
pub struct StageStore {
    store: Mutex<Store>,
    path: PathBuf,
    file: Option<(u64, u64)>,
    pub(super) gc_running: AtomicBool,
}

/// A store that no other caller uses, in this process and in others.
#[derive(Debug)]
pub struct HeldStore<'a> {
    /// The store.
    pub store: MutexGuard<'a, Store>,
    _lock: OwnedFd,
}

impl IgnoreCache {
    /// Returns the rules that `texts` make.
    pub fn ignore(&self, files: Vec<WrittenRules>) -> Arc<StageIgnore> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| last.files() == files) {
            Some(last) => Arc::clone(last),
            None => Arc::clone(last.insert(Arc::new(StageIgnore::new(files)))),
        }
    }
}

impl LeaseCount {
    fn add(&self) -> bool {
        let more = |count| (count < LEASES).then_some(count + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.count.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Leases {
    /// Returns the leases of a project, none yet, which `count` counts with those of others.
    #[must_use]
    pub fn new(count: LeaseCount) -> Leases {
        Leases { count, held_leases: Mutex::default() }
    }

    /// Keeps `lease`, so that the folder at `path` stays, unless too many are kept.
    pub fn lend(&self, path: &str, lease: OwnedFd) {
        if self.count.add() {
            self.leases().insert(path.to_owned(), Lease { _lock: lease, count: self.count.clone() });
        }
    }

    /// Releases the lease of the folder at `path`, which is not waited for any more.
    pub fn let_go(&self, path: &str) {
        self.leases().remove(path);
    }

    fn leases(&self) -> MutexGuard<'_, HashMap<String, Lease>> {
        self.held_leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StageStore {
    /// Opens the store in `folder`, which is the project's folder in the folder of state.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(folder: &Path) -> Result<StageStore, StageError> {
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
        Ok(StageStore { store: Mutex::new(store), path, file, gc_running: AtomicBool::new(false) })
    }

    /// Returns whether its file is still the one that was opened, in `folder`: another process may have
    /// removed the folder of state.
    #[must_use]
    pub fn is_current(&self, folder: &Path) -> bool {
        self.file.is_some() && self.path == folder.join(FILE) && self.file == file_of(&self.path)
    }

    /// Drops the cached pages, unless the store is in use now.
    pub fn give_back(&self) {
        if let Ok(store) = self.store.try_lock() {
            store.drop_pages();
        }
    }

    /// Returns the path of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

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

/// Renames the store at `path`, which is damaged: a new one is begun, and everything staged again. No caller
/// may go on with the open one.
///
/// # Errors
/// If it cannot be renamed.
pub fn set_aside_store(path: &Path) -> Result<PathBuf, StageError> {
    let aside = set_aside(path)?;
    tracing::warn!("what was staged was damaged and is now {}; everything is staged again", aside.display());
    Ok(aside)
}

fn file_of(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leases_of_all_projects_are_bounded_together() {
        let count = LeaseCount::default();
        let (one, other) = (Leases::new(count.clone()), Leases::new(count.clone()));
        let file = tempfile::tempfile().unwrap();
        let lend = |leases: &Leases, path: &str| leases.lend(path, file.try_clone().unwrap().into());
        (0..LEASES).for_each(|number| lend(&one, &number.to_string()));
        lend(&other, "one too many");
        assert_eq!((one.leases().len(), other.leases().len()), (LEASES, 0));
        one.let_go("0");
        lend(&other, "room again");
        assert_eq!(other.leases().len(), 1);
        drop(one);
        assert_eq!(count.0.load(Ordering::Acquire), 1);
    }
}
