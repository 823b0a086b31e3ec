//! Snapshots of a project from before a command ran, so that recovery finds out what it changed.
//!
//! The contents of a snapshot are in a log that each one continues: only new entries are written. Must not
//! know what the entries say.

use clada_store::{Durable, StoreError};
use rusqlite::{OptionalExtension, Transaction, params};

use super::encode::json;
use super::{Compressed, Journal, Operation, OperationDetails, insert_operation, pack, set_details};

/// The most paths that are kept of those that an operation lost.
const LOST: usize = 100;

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
    /// The required position of the log for these records to follow; `None` begins a new log, and deletes the
    /// old one.
    pub after: Option<&'a SnapshotLog>,
    /// The records, with their numbers.
    pub records: &'a [(u64, Vec<u8>)],
}

impl Journal {
    /// Records the snapshot of the project from before a command of an operation runs: `snapshot`, and the
    /// records that it names and that are not there yet. When this returns they are durable. The next
    /// [`Journal::begin`] records what the command changes, and replaces the snapshot.
    ///
    /// Writes nothing and returns `false` if the log is not at the required position, or if it would be
    /// deleted while another operation has yet to be recovered by it.
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
        let records = new.records.iter().map(|(number, record)| Ok((*number, pack(record, &path)?)));
        let records = records.collect::<Result<Vec<_>, StoreError>>()?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            // A new log deletes the old one, so it must wait while another operation needs that for its
            // recovery.
            match new.after {
                None if others_need_it(transaction, &operation.id).map_err(located)? => return Ok(false),
                None => drop(transaction.execute("DELETE FROM sights", []).map_err(located)?),
                after if log(transaction).map_err(located)?.as_ref() != after => return Ok(false),
                Some(_) => {}
            }
            for (number, record) in &records {
                transaction
                    .execute(
                        "INSERT INTO sights VALUES (?1, ?2, ?3)",
                        params![sql_integer(*number), new.name, record],
                    )
                    .map_err(located)?;
            }
            insert_operation(transaction, operation).map_err(located)?;
            set_details(transaction, &operation.id, details).map_err(located)?;
            let put = transaction.execute(
                "INSERT OR REPLACE INTO surveys (operation, content) VALUES (?1, ?2)",
                params![operation.id, snapshot],
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
        self.unpacked("SELECT content FROM surveys WHERE operation = ?1", &id)
    }

    /// Returns the position of the log of snapshots, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn snapshot_log(&self) -> Result<Option<SnapshotLog>, StoreError> {
        log(self.store.connection()).map_err(|error| StoreError::from_sqlite(&error, self.store.path()))
    }

    /// Returns the record of the log with this number, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn snapshot_record(&self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.unpacked("SELECT content FROM sights WHERE number = ?1", &sql_integer(number))
    }

    /// Deletes the log, unless a running command depends on it: the next snapshot reads everything.
    ///
    /// # Errors
    /// If it could not be forgotten; then it is still there.
    pub fn forget_snapshot_log(&mut self) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            let gone = transaction.execute("DELETE FROM sights WHERE NOT EXISTS (SELECT 1 FROM surveys)", []);
            gone.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
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

    fn unpacked(&self, sql: &str, value: &dyn rusqlite::ToSql) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.store.path();
        let query = self.store.connection().query_row(sql, [value], |row| row.get::<_, Vec<u8>>(0));
        let found = query.optional().map_err(|error| StoreError::from_sqlite(&error, path))?;
        found.map(|packed| Compressed(packed).plain(path)).transpose()
    }
}

/// Records the paths that an operation's commands changed and that no undo restores.
pub(super) fn set_lost(transaction: &Transaction<'_>, id: &str, lost: &[String]) -> rusqlite::Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let kept = json(&&lost[..lost.len().min(LOST)]);
    transaction.execute("UPDATE operations SET lost = ?2 WHERE id = ?1", params![id, kept]).map(drop)
}

pub(super) fn forget_snapshot(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM surveys WHERE operation = ?1", [id]).map(drop)
}

/// Returns whether the command of another operation ran by the log, and its changes are not recorded yet.
fn others_need_it(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM surveys WHERE operation <> ?1)";
    transaction.query_row(sql, [id], |row| row.get(0))
}

fn log(connection: &rusqlite::Connection) -> rusqlite::Result<Option<SnapshotLog>> {
    let sql = "SELECT log, number FROM sights ORDER BY number DESC LIMIT 1";
    let found = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?))).optional()?;
    let Some((name, last)) = found else { return Ok(None) };
    let last = u64::try_from(last).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(1, last))?;
    Ok(Some(SnapshotLog { name, last }))
}

#[expect(clippy::expect_used, reason = "no store lives so long")]
fn sql_integer(number: u64) -> i64 {
    i64::try_from(number).expect("records are counted one by one")
}
