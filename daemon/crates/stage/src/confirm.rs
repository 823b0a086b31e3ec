//! The later life of a folder: it is confirmed, reported again, and deleted when a later one was handed over.

use std::path::Path;

use clada_store::Durable;

use super::error::StageError;
use super::file_index::FileIndex;
use super::folder::Record;
use super::folder_table::{self, FolderRow, FolderState};
use super::reader::seconds;
use super::remove::{Effort, NotOurs, Removed};
use super::run::{Last, StageRun};

impl StageRun<'_> {
    /// Confirms that the caller has the folder: its files are not handed over again. The previous folders are
    /// deleted. Returns messages about that for the user.
    ///
    /// # Errors
    /// If there is no such folder, or that cannot be recorded.
    pub fn confirm(&mut self, folder: &Path) -> Result<Vec<String>, StageError> {
        let used = seconds(self.now);
        let old = self.store.write_or(Durable::Soon, |transaction| {
            let Some(row) = folder_table::at(transaction, folder)? else {
                let shown = folder.display();
                let message = format!(
                    "No folder '{shown}' waits to be confirmed. If another one was handed over meanwhile, that \
                     has its files, too: `clada stage --last` prints it"
                );
                return Err(StageError::NoLast(message));
            };
            let mut old = folder_table::before(transaction, &row)?;
            old.retain(|one| !one.record.is_held());
            for one in &old {
                folder_table::set(transaction, one.id, FolderState::Old)?;
            }
            folder_table::set(transaction, row.id, FolderState::Handed)?;
            FileIndex::open(transaction)?.hand_over(&row.baseline, row.version, used)?;
            Ok(old)
        })?;
        // If this cannot be recorded now, it is done with the next folder.
        Ok(self.remove(old).unwrap_or_default())
    }

    /// Keeps only the folders of the `most` baselines, among those whose names begin with `beginning`, that were handed
    /// over last. The other baselines are forgotten: they begin with everything.
    ///
    /// # Errors
    /// If that cannot be recorded.
    pub fn bound_baselines(&mut self, beginning: &str, most: usize) -> Result<(), StageError> {
        let beyond = self.store.write_or(Durable::Soon, |transaction| {
            let mut beyond = folder_table::beyond(transaction, beginning, most)?;
            beyond.retain(|one| !one.record.is_held());
            for one in &beyond {
                folder_table::set(transaction, one.id, FolderState::Old)?;
                transaction.execute("DELETE FROM baselines WHERE name = ?1", [&one.baseline])?;
            }
            Ok::<_, StageError>(beyond)
        })?;
        self.remove(beyond).map(drop)
    }

    pub(super) fn remove(&mut self, folders: Vec<FolderRow>) -> Result<Vec<String>, StageError> {
        let removed: Vec<(FolderRow, Removed)> = folders
            .into_iter()
            .map(|one| {
                let removed = one.record.remove(Effort::Small);
                (one, removed)
            })
            .collect();
        self.is_left |= removed.iter().any(|(_, removed)| *removed == Removed::Unfinished);
        self.store.write_or(Durable::Soon, |transaction| {
            removed.iter().try_for_each(|(one, removed)| match removed {
                // The garbage collection finds it by that.
                Removed::Unfinished => folder_table::set(transaction, one.id, FolderState::Old),
                removed => folder_table::removed(transaction, one, *removed),
            })?;
            Ok::<_, StageError>(())
        })?;
        Ok(removed.iter().filter_map(|(one, removed)| removal_message(&one.record, *removed)).collect())
    }

    /// Returns the folder that was handed over last.
    ///
    /// # Errors
    /// If there is none any more.
    pub fn last(&self, baseline: &str) -> Result<Last, StageError> {
        let Some(FolderRow { record, .. }) =
            folder_table::newest(self.store.connection(), baseline, FolderState::Handed)?
        else {
            return Err(StageError::NoLast("Nothing was staged in this project yet".to_owned()));
        };
        let shown = record.path.display();
        match record.open() {
            Ok(_) => {}
            Err(NotOurs::Absent) => {
                return Err(StageError::NoLast(format!(
                    "The last staging folder, '{shown}', no longer exists"
                )));
            }
            Err(NotOurs::Others(why)) => {
                let message = format!("The last staging folder, '{shown}', cannot be used: {why}");
                return Err(StageError::NoLast(message));
            }
        }
        let manifest =
            record.completed.as_ref().map(|(_, name, _)| record.path.join(name)).unwrap_or_default();
        Ok(Last { folder: record.path, manifest })
    }

    pub(super) fn previous(&self, baseline: &str) -> Result<Vec<String>, StageError> {
        let previous = folder_table::newest(self.store.connection(), baseline, FolderState::Handed)?;
        let whose = previous.and_then(|one| Some((one.record.open().err()?, one.record)));
        Ok(whose
            .and_then(|(not_ours, record)| removal_message(&record, Removed::Not(not_ours)))
            .into_iter()
            .collect())
    }
}

fn removal_message(record: &Record, removed: Removed) -> Option<String> {
    let shown = record.path.display();
    match removed {
        Removed::Yes | Removed::Not(NotOurs::Absent) | Removed::Unfinished | Removed::InUse => None,
        Removed::Partly(count) => Some(format!(
            "The folder '{shown}' that was staged before stays: {count} of the things in it were changed or \
             added by somebody; delete it when you do not need them"
        )),
        Removed::Not(NotOurs::Others(why)) => {
            Some(format!("The folder '{shown}' that was staged before is left alone: {why}"))
        }
    }
}
