//! Garbage collection: deletes large staging folders when no caller waits, on a low-priority thread, which
//! continues after a restart.
//!
//! The store lists the folders, and it is locked only while it is read. [`super::remove`] recognizes clada's
//! files in a folder. A file alongside the store marks that folders are left, so that a daemon that starts
//! need not open every store.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clada_fs::open_own;
use clada_store::Durable;

use super::error::StageError;
use super::folder_table::{self, FolderRow};
use super::remove::{Effort, Removed};
use super::stores::StageStore;

/// The niceness of the thread: everything else goes first.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 19;

/// Returns whether there are folders left to delete of the store in `folder`.
#[must_use]
pub fn is_left(folder: &Path) -> bool {
    left_marker(folder).symlink_metadata().is_ok()
}

/// Deletes the folders that are not needed any more, in the background. Returns at once.
pub fn collect_garbage(store: &Arc<StageStore>) {
    mark_left(store);
    if store.gc_running.swap(true, Ordering::AcqRel) {
        return;
    }
    let own = Arc::clone(store);
    let started = std::thread::Builder::new().name("sweep".to_owned()).spawn(move || {
        give_way();
        if let Err(error) = run(&own) {
            // The next stage, or the next daemon, goes on with it.
            tracing::info!(store = %own.path().display(), %error, "old staging folders are left for later");
        }
        own.gc_running.store(false, Ordering::Release);
    });
    if started.is_err() {
        store.gc_running.store(false, Ordering::Release);
    }
}

fn run(store: &StageStore) -> Result<(), StageError> {
    let mut tried: HashSet<PathBuf> = HashSet::new();
    let mut untried = || -> Result<Vec<FolderRow>, StageError> {
        // While the store is held, no folder is being made.
        let leftovers = folder_table::leftovers(store.hold(&|| false)?.store.connection())?;
        Ok(leftovers.into_iter().filter(|one| tried.insert(one.record.path.clone())).collect())
    };
    loop {
        let mut leftovers = untried()?;
        if leftovers.is_empty() {
            let _ = rustix::fs::unlink(left_marker(store.folder()));
            // More folders may have been added just before.
            leftovers = untried()?;
            if leftovers.is_empty() {
                return Ok(());
            }
            mark_left(store);
        }
        for one in leftovers {
            let removed = one.record.remove(Effort::Whole);
            if let Removed::Partly(count) = removed {
                let shown = one.record.path.display();
                tracing::info!("'{shown}' stays: {count} of the things in it are somebody else's");
            }
            let mut held = store.hold(&|| false)?;
            held.store.write_or(Durable::Soon, |transaction| {
                folder_table::removed(transaction, &one, removed).map_err(StageError::from)
            })?;
        }
    }
}

fn mark_left(store: &StageStore) {
    let _ = open_own(&left_marker(store.folder()));
}

fn left_marker(folder: &Path) -> PathBuf {
    folder.join("stage.left")
}

fn give_way() {
    #[cfg(target_os = "linux")]
    {
        // On Linux this sets the priority of one thread alone.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests change files as anybody does")]
mod tests {
    use std::time::SystemTime;

    use super::super::folder::{Plan, StageFolder};
    use super::super::folder_table::{CompleteRow, FolderState};
    use super::*;

    struct World {
        top: tempfile::TempDir,
        store: Arc<StageStore>,
    }

    impl World {
        fn new() -> World {
            let top = tempfile::tempdir().unwrap();
            for name in ["state", "tmp", "project"] {
                std::fs::create_dir(top.path().join(name)).unwrap();
            }
            let store = Arc::new(StageStore::open(&top.path().join("state")).unwrap());
            World { top, store }
        }

        /// Makes a folder with a file in it, whose maker was cut off or which is not needed any more.
        fn folder(&self, state: FolderState) -> PathBuf {
            let (within, root) = (self.top.path().join("tmp"), self.top.path().join("project"));
            let plan = Plan::new(&within, &root, SystemTime::now()).unwrap();
            let mut held = self.store.hold(&|| false).unwrap();
            let made = held.store.write_or::<_, StageError>(Durable::Soon, |transaction| {
                let id = folder_table::begin(transaction, "", &plan)?;
                let folder = StageFolder::make(&plan)?;
                folder.put("a", b"a")?;
                if state != FolderState::Making {
                    let manifest = folder.write("m", |_| Ok(()))?;
                    let row = CompleteRow { id, state, manifest: "m", version: 1, names: None };
                    folder_table::complete(transaction, &folder.finish(manifest)?, &row)?;
                }
                Ok(plan.path)
            });
            made.unwrap()
        }

        fn leftovers(&self) -> usize {
            folder_table::leftovers(self.store.hold(&|| false).unwrap().store.connection()).unwrap().len()
        }
    }

    #[test]
    fn only_folders_out_of_use_that_are_provably_ours_are_collected() {
        let world = World::new();
        let [old, cut_off, handed, edited, held] =
            [FolderState::Old, FolderState::Making, FolderState::Handed, FolderState::Old, FolderState::Old]
                .map(|state| world.folder(state));
        std::fs::write(edited.join("mine"), "mine").unwrap();
        let swapped = world.folder(FolderState::Old);
        std::fs::rename(&swapped, swapped.with_file_name("moved")).unwrap();
        std::fs::create_dir(&swapped).unwrap();
        std::fs::write(swapped.join("precious"), "p").unwrap();
        let lease = {
            let store = world.store.hold(&|| false).unwrap();
            let all = folder_table::leftovers(store.store.connection()).unwrap();
            all.into_iter().find(|one| one.record.path == held).unwrap().record.hold().unwrap()
        };
        run(&world.store).unwrap();
        assert!(!old.exists() && !cut_off.exists() && handed.join("a").exists());
        assert!(edited.join("mine").exists() && !edited.join("a").exists());
        assert!(swapped.join("precious").exists());
        assert!(held.join("a").exists() && world.leftovers() == 1);
        drop(lease);
        run(&world.store).unwrap();
        assert!(!held.exists() && world.leftovers() == 0);
        assert!(!is_left(&world.top.path().join("state")));
    }
}
