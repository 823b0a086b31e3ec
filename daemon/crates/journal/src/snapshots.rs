//! Snapshots of a project from before a command ran, so that recovery finds out what it changed.
//!
//! The contents of a snapshot are in a log that each one continues: only new entries are written. Must not
//! know what the entries say.

use std::path::Path;

use clada_store::{Durable, StoreError};
use rusqlite::{OptionalExtension, Transaction, params};

use super::encode::{Compressed, pack};
use super::journal::Journal;
use super::operation::{Operation, OperationDetails};
use super::rows::{forget_snapshot, insert_operation, set_details};

/// The position of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotLog {
    /// The name of the log.
    pub name: String,
    /// The number of its last record.
    pub last: u64,
}

/// Records of a log that are to be written.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotRecords<'a> {
    /// The name of the log.
    pub name: &'a str,
    /// The required position of the log for these records to follow; `None` begins a new log. Logs that no
    /// snapshot needs are deleted then.
    pub after: Option<&'a SnapshotLog>,
    /// The records, with their numbers.
    pub records: &'a [(u64, Vec<u8>)],
}

impl Journal {
    /// Records the snapshot of the project from before a command of an operation runs: `snapshot`, and the
    /// records that it names and that are not there yet. When this returns they are durable. The next
    /// [`Journal::begin`] records what the command changes, and replaces the snapshot.
    ///
    /// Writes nothing and returns `false` if the log is not at the required position.
    ///
    /// # Errors
    /// If it could not be recorded: then the command may not run.
    pub fn put_snapshot(
        &mut self,
        operation: &Operation,
        snapshot: &[u8],
        new: SnapshotRecords<'_>,
        details: &OperationDetails,
    ) -> Result<bool, StoreError> {
        let path = self.store.path().to_path_buf();
        let snapshot = pack(snapshot, &path)?;
        let records = packed(new.records, &path)?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            if new.after.is_none() {
                // The snapshot that this one replaces needs its log no longer.
                forget_snapshot(transaction, &operation.id).map_err(located)?;
            }
            if !continue_log(transaction, new, &records).map_err(located)? {
                return Ok(false);
            }
            insert_operation(transaction, operation).map_err(located)?;
            set_details(transaction, &operation.id, details).map_err(located)?;
            let put = transaction.execute(
                "INSERT OR REPLACE INTO surveys (operation, content, log) VALUES (?1, ?2, ?3)",
                params![operation.id, snapshot, new.name],
            );
            put.map(|_| true).map_err(located)
        })
    }

    /// Deletes the snapshot from before a command of an operation that has changed nothing.
    ///
    /// # Errors
    /// If it could not be deleted; recovery then finds out the same.
    pub fn forget_snapshot(&mut self, id: &str) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            forget_snapshot(transaction, id).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Returns the snapshot from before the command of an operation that ran when its process ended, if one
    /// did.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn snapshot(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.unpacked("SELECT content FROM surveys WHERE operation = ?1", params![id])
    }

    /// Returns the position of the last log of snapshots, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn snapshot_log(&self) -> Result<Option<SnapshotLog>, StoreError> {
        log(self.store.connection()).map_err(|error| StoreError::from_sqlite(&error, self.store.path()))
    }

    /// Returns the record of a log with this number, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn snapshot_record(&self, log: &str, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT content FROM snapshot_records WHERE log = ?1 AND number = ?2";
        self.unpacked(sql, params![log, sql_integer(number)])
    }

    /// Deletes the logs but for those that a running command or an open checkpoint needs: if the last one
    /// goes, the next snapshot reads everything.
    pub(crate) fn forget_snapshot_log(&mut self) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            forget_logs(transaction, "").map_err(|error| StoreError::from_sqlite(&error, &path))
        })?;
        self.store.shrink()
    }

    /// Returns the first of the paths that commands of an operation changed and no undo restores, besides its
    /// changes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn lost(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let query =
            self.store.connection().query_row("SELECT lost FROM operations WHERE id = ?1", [id], |row| {
                row.get::<_, Option<Vec<u8>>>(0)
            });
        let path = self.store.path();
        let Some(lost) = query.optional().map_err(|error| StoreError::from_sqlite(&error, path))?.flatten()
        else {
            return Ok(Vec::new());
        };
        serde_json::from_slice(&lost).map_err(|error| {
            StoreError::nonsense(path, format!("what operation {id} lost makes no sense: {error}"))
        })
    }

    pub(super) fn unpacked(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.store.path();
        let query = self.store.connection().query_row(sql, values, |row| row.get::<_, Vec<u8>>(0));
        let packed = query.optional().map_err(|error| StoreError::from_sqlite(&error, path))?;
        packed.map(|packed| Compressed(packed).plain(path)).transpose()
    }
}

pub(super) type PackedRecord = (u64, Vec<u8>);

pub(super) fn packed(records: &[(u64, Vec<u8>)], path: &Path) -> Result<Vec<PackedRecord>, StoreError> {
    records.iter().map(|(number, record)| Ok((*number, pack(record, path)?))).collect()
}

pub(super) fn continue_log(
    transaction: &Transaction<'_>,
    new: SnapshotRecords<'_>,
    records: &[PackedRecord],
) -> rusqlite::Result<bool> {
    match new.after {
        None => forget_logs(transaction, "")?,
        after if log(transaction)?.as_ref() != after => return Ok(false),
        Some(_) => {}
    }
    let mut insert = transaction.prepare_cached("INSERT INTO snapshot_records VALUES (?1, ?2, ?3)")?;
    for (number, record) in records {
        insert.execute(params![new.name, sql_integer(*number), record])?;
    }
    Ok(true)
}

pub(super) fn forget_logs(transaction: &Transaction<'_>, except: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM snapshot_records WHERE log <> ?1 \
               AND NOT EXISTS (SELECT 1 FROM surveys WHERE surveys.log = snapshot_records.log) \
               AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.log = snapshot_records.log)";
    transaction.execute(sql, [except]).map(drop)
}

pub(super) fn log(connection: &rusqlite::Connection) -> rusqlite::Result<Option<SnapshotLog>> {
    let sql = "SELECT log, number FROM snapshot_records ORDER BY rowid DESC LIMIT 1";
    let row = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?))).optional()?;
    let Some((name, last)) = row else { return Ok(None) };
    let last = u64::try_from(last).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(1, last))?;
    Ok(Some(SnapshotLog { name, last }))
}

#[expect(clippy::expect_used, reason = "no store lives so long")]
pub(super) fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).expect("records are counted one by one")
}
