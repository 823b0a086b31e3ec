//! The record of operations: what every change replaced, durable before the change is made.
//!
//! Knows states of paths and contents, in the store of one project; not actions, not dialects, and not how a change
//! is made. Whoever changes files hands in what each place is before and will be after ([`Journal::begin`]), makes
//! the changes, and says what was done ([`Journal::finish`]). Every method is one transaction; the caller holds the
//! lock of the root.

mod net;
mod record;
mod recover;
mod tables;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{OptionalExtension, Row, Transaction, params};

pub use net::{Net, net};
pub use record::{Change, Images, Operation, OperationKind, OperationStatus, Place, State};

pub use recover::{Made, is, recovered};

use crate::store::{Durable, Store, StoreError};

/// Compression of contents: fast, since somebody waits for it.
const LEVEL: i32 = 1;

/// The record of one project's operations.
#[derive(Debug)]
pub struct Journal {
    store: Store,
}

/// What is kept of an operation so that it can be told and tried again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Papers {
    /// The hash of the answer, if it was one.
    pub answer: Option<[u8; 32]>,
    /// What was asked for, as JSON.
    pub request: Option<Vec<u8>>,
    /// What came of it, as JSON.
    pub results: Option<Vec<u8>>,
}

impl Journal {
    /// Opens the record of the project at `root`, which is resolved, in the folder `state`. The second value says
    /// where a damaged one was put.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn open(state: &Path, root: &Path) -> Result<(Journal, Option<PathBuf>), StoreError> {
        let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let path = state.join("projects").join(&name[..32]).join("operations.db");
        let opened = Store::open(&path, &tables::PROJECT)?;
        Ok((Journal { store: opened.store }, opened.set_aside))
    }

    /// Puts down `changes` of an operation, which come after those that it has, with the contents that they name.
    /// When this returns they are on the medium; only then may they be made.
    ///
    /// # Errors
    /// If they could not be put down: then none may be made.
    pub fn begin(
        &mut self,
        operation: &Operation,
        changes: &[Change],
        images: &Images,
    ) -> Result<(), StoreError> {
        let compressed = compressed(images, self.store.path())?;
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::of(&error, &path);
            insert_operation(transaction, operation).map_err(located)?;
            insert_images(transaction, &compressed).map_err(located)?;
            let next: i64 = transaction
                .query_row(
                    "SELECT coalesce(max(position) + 1, 0) FROM changes WHERE operation = ?1",
                    [&operation.id],
                    |row| row.get(0),
                )
                .map_err(located)?;
            let next = usize::try_from(next).unwrap_or_default();
            for (index, change) in changes.iter().enumerate() {
                tables::insert(transaction, &operation.id, next + index, change).map_err(located)?;
            }
            Ok(())
        })
    }

    /// Says how an operation ended: which of its changes were made (all with one of these `seq`s), what it was
    /// about, and the contents that came to be, for those who merge.
    ///
    /// # Errors
    /// If that could not be put down; recovery then finds out.
    pub fn finish(
        &mut self,
        operation: &Operation,
        made: &dyn Fn(usize) -> bool,
        images: &Images,
        papers: &Papers,
    ) -> Result<(), StoreError> {
        let compressed = compressed(images, self.store.path())?;
        let path = self.store.path().to_path_buf();
        let pack = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| pack(bytes, &path)).transpose();
        let (request, results) = (pack(&papers.request)?, pack(&papers.results)?);
        self.store.write(Durable::Soon, |transaction| {
            let located = |error: rusqlite::Error| StoreError::of(&error, &path);
            insert_operation(transaction, operation).map_err(located)?;
            insert_images(transaction, &compressed).map_err(located)?;
            transaction
                .execute(
                    "UPDATE operations SET status = ?2, summary = ?3, answer = ?4, request = ?5, results = ?6 \
                     WHERE id = ?1",
                    params![
                        operation.id,
                        operation.status.word(),
                        operation.summary,
                        papers.answer,
                        request,
                        results
                    ],
                )
                .map_err(located)?;
            let seqs = seqs(transaction, &operation.id).map_err(located)?;
            for seq in seqs {
                let done = usize::try_from(seq).is_ok_and(made);
                transaction
                    .execute(
                        "UPDATE changes SET done = ?3 WHERE operation = ?1 AND seq = ?2",
                        params![operation.id, seq, done],
                    )
                    .map_err(located)?;
            }
            if let Some(undone) = &operation.undoes {
                transaction
                    .execute("UPDATE operations SET undone_by = ?2 WHERE id = ?1", [undone, &operation.id])
                    .map_err(located)?;
            }
            Ok(())
        })
    }

    /// Puts down what recovery has found out of an operation that was cut off: for each of its changes, in their
    /// order, whether it was made.
    ///
    /// # Errors
    /// If that could not be put down; it is then found out again.
    pub fn recovered(&mut self, id: &str, made: &[Made]) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::of(&error, &path);
            let status = OperationStatus::Interrupted.word();
            transaction
                .execute("UPDATE operations SET status = ?2 WHERE id = ?1", [id, status])
                .map_err(located)?;
            let mut update = transaction
                .prepare_cached(
                    "UPDATE changes SET done = ?2 WHERE operation = ?1 AND position = \
                     (SELECT position FROM changes WHERE operation = ?1 ORDER BY position LIMIT 1 OFFSET ?3)",
                )
                .map_err(located)?;
            for (index, made) in made.iter().enumerate() {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                update.execute(params![id, made.stored(), index]).map_err(located)?;
            }
            Ok(())
        })
    }

    /// The operations whose process is gone, given that the caller holds the lock of the root. Oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished(&self) -> Result<Vec<Operation>, StoreError> {
        self.operations("WHERE status = 'applying' ORDER BY id", params![])
    }

    /// The last operations, newest first, at most `limit`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<Operation>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operations("ORDER BY id DESC LIMIT ?1", params![limit])
    }

    /// The operation called `id`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn operation(&self, id: &str) -> Result<Option<Operation>, StoreError> {
        Ok(self.operations("WHERE id = ?1", params![id])?.pop())
    }

    /// Operations that carried out the answer with this hash and stand, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_answer(&self, answer: &[u8; 32]) -> Result<Vec<Operation>, StoreError> {
        self.operations("WHERE answer = ?1 AND undone_by IS NULL ORDER BY id DESC", params![answer])
    }

    /// The changes of an operation in the order in which they were to be made, and whether each was made, if that
    /// is known.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn changes(&self, id: &str) -> Result<Vec<(Change, Option<bool>)>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::of(&error, path);
        let sql = format!("SELECT {} FROM changes WHERE operation = ?1 ORDER BY position", tables::COLUMNS);
        let mut query = self.store.connection().prepare_cached(&sql).map_err(located)?;
        let rows = query.query_map([id], tables::read).map_err(located)?;
        rows.map(|row| {
            row.map_err(located)?.ok_or_else(|| {
                StoreError::nonsense(path, format!("a change of operation {id} makes no sense"))
            })
        })
        .collect()
    }

    /// A content by its hash; `None` if it is not kept.
    ///
    /// # Errors
    /// If the store cannot be read, or holds another content than the hash says.
    pub fn image(&self, hash: &blake3::Hash) -> Result<Option<Arc<[u8]>>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::of(&error, path);
        let mut query = self
            .store
            .connection()
            .prepare_cached("SELECT size, content FROM images WHERE hash = ?1")
            .map_err(located)?;
        let found = query
            .query_row([hash.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .optional()
            .map_err(located)?;
        let Some((size, packed)) = found else { return Ok(None) };
        let size = usize::try_from(size).unwrap_or_default();
        let content = unpack(&packed, size, path)?;
        if blake3::hash(&content) != *hash {
            return Err(StoreError::nonsense(path, format!("the content {hash} is another one")));
        }
        Ok(Some(content.into()))
    }

    fn operations(&self, which: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Operation>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::of(&error, path);
        let sql =
            format!("SELECT id, kind, began, status, summary, undoes, undone_by FROM operations {which}");
        let mut query = self.store.connection().prepare_cached(&sql).map_err(located)?;
        let rows = query.query_map(values, operation).map_err(located)?;
        rows.map(|row| {
            row.map_err(located)?.ok_or_else(|| StoreError::nonsense(path, "an operation makes no sense"))
        })
        .collect()
    }
}

fn operation(row: &Row<'_>) -> rusqlite::Result<Option<Operation>> {
    let (kind, status): (String, String) = (row.get(1)?, row.get(3)?);
    let (Some(kind), Some(status)) = (OperationKind::from_word(&kind), OperationStatus::from_word(&status))
    else {
        return Ok(None);
    };
    Ok(Some(Operation {
        id: row.get(0)?,
        kind,
        began: row.get(2)?,
        status,
        summary: row.get(4)?,
        undoes: row.get(5)?,
        undone_by: row.get(6)?,
    }))
}

fn insert_operation(transaction: &Transaction<'_>, operation: &Operation) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO operations (id, kind, began, status, summary, undoes) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            operation.id,
            operation.kind.word(),
            operation.began,
            operation.status.word(),
            operation.summary,
            operation.undoes
        ])?;
    Ok(())
}

fn seqs(transaction: &Transaction<'_>, operation: &str) -> rusqlite::Result<Vec<i64>> {
    let mut query = transaction.prepare_cached("SELECT DISTINCT seq FROM changes WHERE operation = ?1")?;
    query.query_map([operation], |row| row.get(0))?.collect()
}

/// A content, ready to be put down.
struct Packed<'a> {
    hash: &'a [u8; 32],
    size: usize,
    content: Vec<u8>,
}

fn compressed<'a>(images: &'a Images, path: &Path) -> Result<Vec<Packed<'a>>, StoreError> {
    images
        .iter()
        .map(|(hash, content)| Ok(Packed { hash, size: content.len(), content: pack(content, path)? }))
        .collect()
}

fn insert_images(transaction: &Transaction<'_>, images: &[Packed<'_>]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT OR IGNORE INTO images VALUES (?1, ?2, ?3)")?;
    for image in images {
        let size = i64::try_from(image.size).unwrap_or(i64::MAX);
        insert.execute(params![image.hash, size, image.content])?;
    }
    Ok(())
}

fn pack(bytes: &[u8], path: &Path) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(|error| StoreError::io(&error, path))
}

fn unpack(packed: &[u8], size: usize, path: &Path) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::decompress(packed, size).map_err(|error| StoreError::nonsense(path, error.to_string()))
}
