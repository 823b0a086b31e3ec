//! Open checkpoints: each is a snapshot of the project and a description, until what changed since becomes an
//! operation.
//!
//! The contents of a snapshot are in a log, as those of a command are. Must not know what a description or a
//! snapshot says.

use clada_store::{Durable, StoreError};
use rusqlite::params;

use super::encode::pack;
use super::journal::Journal;
use super::operation::{Change, Images, Operation, OperationDetails};
use super::rows::{
    append, classify, compressed, insert_images, insert_operation, set_details, set_lost, set_outline,
};
use super::snapshots::{SnapshotRecords, continue_log, forget_logs, packed};

/// The most checkpoints that are open in a project.
pub const CHECKPOINTS: usize = 64;

/// An open checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The id: letters that say nothing about when it began.
    pub id: String,
    /// The number of the operation after which it began.
    pub after: u64,
    /// The description, as JSON.
    pub description: Vec<u8>,
}

/// The operation that a checkpoint ends as.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// The operation, which is over.
    pub operation: &'a Operation,
    /// The changes, which were made.
    pub changes: &'a [Change],
    /// The contents that the changes name.
    pub images: &'a Images,
    /// The details that are kept of it.
    pub details: &'a OperationDetails,
    /// Paths that changed and that no undo restores, besides the changes.
    pub lost: &'a [String],
}

impl Journal {
    /// Records the checkpoint `id`: its `snapshot`, and the records that it names and that are not there yet.
    /// It takes the place of one with the same id. When this returns it is durable.
    ///
    /// Writes nothing and returns `false` if the log is not at the required position.
    ///
    /// # Errors
    /// If it could not be recorded.
    pub fn put_checkpoint(
        &mut self,
        id: &str,
        description: &[u8],
        snapshot: &[u8],
        new: SnapshotRecords<'_>,
    ) -> Result<bool, StoreError> {
        let path = self.store.path().to_path_buf();
        let (snapshot, records) = (pack(snapshot, &path)?, packed(new.records, &path)?);
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            if !continue_log(transaction, new, &records).map_err(located)? {
                return Ok(false);
            }
            let sql = "INSERT OR REPLACE INTO checkpoints (id, number, after, log, snapshot, description) VALUES (?1, \
                       (SELECT coalesce(max(number), 0) + 1 FROM checkpoints), \
                       (SELECT coalesce(max(seq), 0) FROM operations), ?2, ?3, ?4)";
            let put = transaction.execute(sql, params![id, new.name, snapshot, description]);
            put.map(|_| true).map_err(located)
        })
    }

    /// Returns the open checkpoints, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT id, after, description FROM checkpoints ORDER BY number";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let rows = query.query_map([], |row| {
            let after = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
            Ok(Checkpoint { id: row.get(0)?, after, description: row.get(2)? })
        });
        rows.map_err(located)?.map(|row| row.map_err(located)).collect()
    }

    /// Returns the snapshot of a checkpoint, if it is open.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn checkpoint_snapshot(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.unpacked("SELECT snapshot FROM checkpoints WHERE id = ?1", params![id])
    }

    /// Drops a checkpoint, and returns whether it was open.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn drop_checkpoint(&mut self, id: &str) -> Result<bool, StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            forget(transaction, id).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Ends a checkpoint: it is gone, and what changed since is an operation, both or neither.
    ///
    /// # Errors
    /// If that cannot be done; then it is still open.
    pub fn end_checkpoint(&mut self, id: &str, recorded: &Recorded<'_>) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let images = compressed(recorded.images, &path)?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            let operation = recorded.operation;
            insert_operation(transaction, operation).map_err(located)?;
            set_outline(transaction, operation).map_err(located)?;
            set_details(transaction, &operation.id, recorded.details).map_err(located)?;
            insert_images(transaction, &images).map_err(located)?;
            append(transaction, &operation.id, recorded.changes, Some(true)).map_err(located)?;
            set_lost(transaction, &operation.id, recorded.lost).map_err(located)?;
            classify(transaction, &operation.id).map_err(located)?;
            forget(transaction, id).map(drop).map_err(located)
        })
    }

    /// Returns the operations after the one with this number, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn since(&self, number: u64) -> Result<Vec<Operation>, StoreError> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.operations("WHERE seq > ?1 ORDER BY seq", params![number])
    }
}

fn forget(transaction: &rusqlite::Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    let was_deleted = transaction.execute("DELETE FROM checkpoints WHERE id = ?1", [id])? > 0;
    // The last log stays, for the next snapshot.
    let last = super::snapshots::log(transaction)?.map(|log| log.name).unwrap_or_default();
    forget_logs(transaction, &last)?;
    Ok(was_deleted)
}
