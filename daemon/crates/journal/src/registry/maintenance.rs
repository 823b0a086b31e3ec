//! Maintenance after an operation, when no caller waits: the check for damage, retention, the reserve.
//!
//! Each step may fail or be cut off; the next operation does it again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clada_store::{Reserve, StoreError, look_twice};

use super::journals::{JournalRegistry, ProjectJournal};
use crate::journal::Journal;
use crate::retention::SurplusOperation;

const ALWAYS: usize = 20;

const STEPS: usize = 32;
const LOG: &str = "operations.db-wal";

/// The retention of operations.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// The most operations of a project.
    pub operations: usize,
    /// The most bytes of all journals together.
    pub bytes: u64,
}

impl ProjectJournal {
    /// Checks that the journal is sound, once after it was left open. Takes time. A damaged one stays in its
    /// place until [`ProjectJournal::set_aside_damaged`].
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if two looks find it so; if it cannot be read, and then the next call checks it
    /// again.
    pub fn check_once(&self) -> Result<(), StoreError> {
        let opening = self.opening();
        let open = self.open()?;
        drop(opening);
        let flag = |flag: &Mutex<bool>, value| {
            std::mem::replace(&mut *flag.lock().unwrap_or_else(PoisonError::into_inner), value)
        };
        if !flag(&open.unclean, false) {
            return Ok(());
        }
        // With a connection of its own: operations go on meanwhile.
        let checked = look_twice(&open.path, || Journal::open_file(&open.path)?.check());
        match &checked {
            Ok(()) => {}
            Err(StoreError::Damaged { .. }) => drop(flag(&open.damaged, true)),
            Err(_) => drop(flag(&open.unclean, true)),
        }
        checked
    }

    /// Deletes what need not be kept, here and, if all journals together are too large, in others.
    ///
    /// # Errors
    /// If this journal cannot be read or written.
    pub fn retain(&self, keep: Retention) -> Result<(), StoreError> {
        let operations = keep.operations.max(ALWAYS);
        self.with(|journal| {
            if journal.is_read_only() {
                return Ok(());
            }
            let surplus = journal.surplus(operations)?;
            match surplus.is_empty() {
                true => Ok(()),
                false => journal.forget_operations(surplus.iter().map(|operation| operation.id.as_str())),
            }
        })?;
        self.0.registry.retain_bytes(keep.bytes);
        Ok(())
    }
}

impl JournalRegistry {
    /// Reserves space again.
    pub fn fill_reserve(&self) {
        if let Err(error) = Reserve::in_folder(&self.0.state).fill() {
            tracing::debug!(%error, "no space is kept back");
        }
    }

    /// Returns the files of all journals in the folder of state.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(crate::folder(&self.0.state)) else { return Vec::new() };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path().join(crate::FILE)));
        files.filter(|file| size(file) > 0).collect()
    }

    /// Returns the roots of projects in which an operation was cut off, or is going on.
    #[must_use]
    pub fn unfinished(&self) -> Vec<PathBuf> {
        self.roots_with("an operation was cut off", |journal| Ok(!journal.unfinished()?.is_empty()))
    }

    /// Returns the roots of projects in which checkpoints are open.
    #[must_use]
    pub fn with_checkpoints(&self) -> Vec<PathBuf> {
        self.roots_with("checkpoints are open", |journal| Ok(!journal.checkpoints()?.is_empty()))
    }

    /// Returns the roots of projects in which an operation waits for its editor.
    #[must_use]
    pub fn with_editor_parts(&self) -> Vec<PathBuf> {
        self.roots_with("operations wait for editors", |journal| Ok(!journal.editor_parts()?.is_empty()))
    }

    /// Returns the ids of the checkpoints that are open in all projects; `None` if one of the journals cannot
    /// be read.
    #[must_use]
    pub fn open_checkpoints(&self) -> Option<Vec<String>> {
        let mut ids = Vec::new();
        for file in self.files() {
            let checkpoints = Journal::open_file(&file).and_then(|journal| journal.checkpoints());
            ids.extend(checkpoints.ok()?.into_iter().map(|checkpoint| checkpoint.id));
        }
        Some(ids)
    }

    fn roots_with(&self, what: &str, any: impl Fn(&Journal) -> Result<bool, StoreError>) -> Vec<PathBuf> {
        let root_of = |file: &Path| {
            let journal = Journal::open_file(file)?;
            let has_any = !journal.is_read_only() && any(&journal)?;
            Ok(journal.root()?.filter(|_| has_any))
        };
        let warn = |error: &StoreError| tracing::warn!(%error, "whether {what} is not known");
        self.files().iter().filter_map(|file| root_of(file).inspect_err(warn).ok()?).collect()
    }

    /// Deletes the oldest operations of all projects until their journals fit into `bytes`.
    fn retain_bytes(&self, bytes: u64) {
        // A journal that cannot be used is skipped; the next caller in its project is notified.
        let files = self.files();
        // The journals use no more space than their files have; each is opened only if that is too much.
        if files.iter().map(|file| size(file) + size(&file.with_file_name(LOG))).sum::<u64>() <= bytes {
            return;
        }
        let mut journals: Vec<Journal> = files
            .iter()
            .filter_map(|file| Journal::open_file(file).ok())
            .filter(|journal| !journal.is_read_only())
            .collect();
        // A snapshot can be taken again from the files.
        for journal in &mut journals {
            if let Err(error) = journal.forget_snapshot_log() {
                tracing::warn!(%error, "what was seen in a project is not forgotten");
            }
        }
        let mut oldest: Vec<(SurplusOperation, usize)> = Vec::new();
        for (index, journal) in journals.iter().enumerate() {
            let surplus = match journal.surplus(ALWAYS) {
                Ok(surplus) => surplus,
                Err(error) => {
                    tracing::warn!(%error, "a record keeps its operations, since they cannot be read");
                    continue;
                }
            };
            oldest.extend(surplus.into_iter().map(|operation| (operation, index)));
        }
        // What agents did goes before anything that a user did.
        oldest.sort_by_key(|(operation, _)| (!operation.is_agents, operation.began));
        let used_by = |journal: &Journal| {
            journal.used_bytes().unwrap_or_else(|error| {
                tracing::warn!(%error, "what a record takes is not counted");
                0
            })
        };
        let mut used: Vec<u64> = journals.iter().map(used_by).collect();
        // A part at a time, since what an operation takes is known only when it is gone.
        for part in oldest.chunks((oldest.len() / STEPS).max(1)) {
            if used.iter().sum::<u64>() <= bytes {
                break;
            }
            for (index, journal) in journals.iter_mut().enumerate() {
                let mut own = part.iter().filter(|(_, of)| *of == index).peekable();
                if own.peek().is_none() {
                    continue;
                }
                let ids = own.map(|(operation, _)| operation.id.as_str());
                if let Err(error) = journal.forget_operations(ids) {
                    tracing::warn!(%error, "old operations are not forgotten");
                }
                used[index] = used_by(journal);
            }
        }
    }
}

fn size(file: &Path) -> u64 {
    file.symlink_metadata().map_or(0, |metadata| metadata.len())
}
