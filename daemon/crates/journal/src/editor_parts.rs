//! Operations whose editor has yet to say which documents it saved.
//!
//! Such an operation is over for the daemon: what it wrote itself is recorded as made. The documents that the
//! editor may save are changes of which nobody knows yet whether they were made. Must not know what a
//! description says.

use clada_store::{Durable, StoreError};
use rusqlite::{Transaction, params};

use super::encode::pack;
use super::journal::Journal;
use super::operation::{Change, Committed, Images, Operation, OperationDetails};
use super::rows::{append, compressed, insert_images, insert_operation, set_details, set_outline};

/// An operation that waits for its editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorPart {
    /// The id of the operation.
    pub operation: String,
    /// The number of the operation in the order of the journal.
    pub seq: u64,
    /// The description, as JSON.
    pub description: Vec<u8>,
}

/// The documents of an operation that its editor may save.
#[derive(Debug)]
pub struct PendingPart<'a> {
    /// The operation, which may be in the journal already.
    pub operation: &'a Operation,
    /// The details, for an operation that is not in the journal yet.
    pub details: &'a OperationDetails,
    /// The results of its actions, as JSON.
    pub results: Option<&'a [u8]>,
    /// The changes that the editor is expected to make.
    pub changes: &'a [Change],
    /// The contents before them.
    pub images: &'a Images,
    /// The description of the part, as JSON.
    pub description: &'a [u8],
}

impl Journal {
    /// Records that an operation waits for its editor. When this returns it is durable.
    ///
    /// # Errors
    /// If it could not be recorded.
    pub fn open_editor_part(&mut self, part: &PendingPart<'_>) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let images = compressed(part.images, &path)?;
        let results = part.results.map(|results| pack(results, &path)).transpose()?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            let operation = part.operation;
            if !has_operation(transaction, &operation.id).map_err(located)? {
                insert_operation(transaction, operation).map_err(located)?;
                set_outline(transaction, operation).map_err(located)?;
                set_details(transaction, &operation.id, part.details).map_err(located)?;
                let sql = "UPDATE operations SET results = ?2 WHERE id = ?1";
                transaction.execute(sql, params![operation.id, results]).map_err(located)?;
            }
            insert_images(transaction, &images).map_err(located)?;
            append(transaction, &operation.id, part.changes, None).map_err(located)?;
            let sql = "INSERT INTO editor_parts (operation, description) VALUES (?1, ?2)";
            transaction.execute(sql, params![operation.id, part.description]).map(drop).map_err(located)
        })
    }

    /// Returns the operations that wait for their editors, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn editor_parts(&self) -> Result<Vec<EditorPart>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql =
            "SELECT id, seq, description FROM editor_parts JOIN operations ON id = operation ORDER BY seq";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let rows = query.query_map([], |row| {
            let seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
            Ok(EditorPart { operation: row.get(0)?, seq, description: row.get(2)? })
        });
        rows.map_err(located)?.map(|row| row.map_err(located)).collect()
    }

    /// Ends the wait of `operation` for its editor: of the changes that were expected, exactly `changes` were
    /// made. An operation without any change is deleted.
    ///
    /// # Errors
    /// If that cannot be done; then it still waits.
    pub fn close_editor_part(
        &mut self,
        operation: &Operation,
        changes: &[Change],
        images: &Images,
    ) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let images = compressed(images, &path)?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            let id = &operation.id;
            transaction.execute("DELETE FROM editor_parts WHERE operation = ?1", [id]).map_err(located)?;
            let sql = "DELETE FROM changes WHERE operation = ?1 AND done IS NULL";
            transaction.execute(sql, [id]).map_err(located)?;
            insert_images(transaction, &images).map_err(located)?;
            append(transaction, id, changes, Some(true)).map_err(located)?;
            let sql = "DELETE FROM operations WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM changes \
                       WHERE operation = ?1 AND done = 1)";
            if transaction.execute(sql, [id]).map_err(located)? > 0 {
                return Ok(());
            }
            set_outline(transaction, operation).map_err(located)?;
            let sql = "UPDATE operations SET summary = ?2, committed = ?3 WHERE id = ?1";
            let committed = operation.committed.map(Committed::word);
            transaction.execute(sql, params![id, operation.summary, committed]).map(drop).map_err(located)
        })
    }
}

fn has_operation(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    transaction.prepare_cached("SELECT 1 FROM operations WHERE id = ?1")?.exists([id])
}
