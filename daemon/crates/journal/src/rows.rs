//! The rows of an operation in the store: writes and reads them within a transaction of the caller.

use std::path::Path;

use clada_store::StoreError;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::encode::{LEVEL, json};
use super::operation::{
    Change, ChangedSum, Committed, Images, Operation, OperationDetails, OperationKind, OperationStatus,
    Outline,
};
use super::tables;

const LOST: usize = 100;

/// The most changes of an operation of an agent that are looked through for what it has replaced.
const LOOKED_THROUGH: usize = 50;

pub(super) const OUTLINE: &str = "title, files, first_file, added, removed, head";

pub(super) fn operation(row: &Row<'_>) -> rusqlite::Result<Option<Operation>> {
    let (kind, status): (String, String) = (row.get(1)?, row.get(3)?);
    let (Some(kind), Some(status)) = (OperationKind::from_word(&kind), OperationStatus::from_word(&status))
    else {
        return Ok(None);
    };
    let committed: Option<String> = row.get(7)?;
    let is_known = committed.as_deref().is_none_or(|word| Committed::from_word(word).is_some());
    if !is_known {
        return Ok(None);
    }
    Ok(Some(Operation {
        id: row.get(0)?,
        kind,
        began: row.get(2)?,
        status,
        summary: row.get(4)?,
        undoes: row.get(5)?,
        undone_by: row.get(6)?,
        committed: committed.as_deref().and_then(Committed::from_word),
        outline: outline(row, 8)?,
    }))
}

fn outline(row: &Row<'_>, at: usize) -> rusqlite::Result<Outline> {
    let files: Option<u32> = row.get(at + 1)?;
    let changed = match files {
        Some(files) => Some(ChangedSum {
            files,
            first: row.get::<_, Option<String>>(at + 2)?.unwrap_or_default(),
            added: row.get::<_, Option<u32>>(at + 3)?.unwrap_or_default(),
            removed: row.get::<_, Option<u32>>(at + 4)?.unwrap_or_default(),
        }),
        None => None,
    };
    let head: Option<Vec<u8>> = row.get(at + 5)?;
    let head = head.and_then(|head| serde_json::from_slice(&head).ok());
    Ok(Outline { title: row.get(at)?, changed, head })
}

pub(super) fn insert_operation(transaction: &Transaction<'_>, operation: &Operation) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO operations (id, kind, began, status, summary, undoes, committed, seq) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(seq), 0) + 1 FROM operations))",
        )?
        .execute(params![
            operation.id,
            operation.kind.word(),
            operation.began,
            operation.status.word(),
            operation.summary,
            operation.undoes,
            operation.committed.map(Committed::word)
        ])?;
    Ok(())
}

pub(super) fn set_outline(transaction: &Transaction<'_>, operation: &Operation) -> rusqlite::Result<()> {
    let Outline { title, changed, head } = &operation.outline;
    let sql = "UPDATE operations SET title = ?2, files = ?3, first_file = ?4, added = ?5, removed = ?6, \
               head = ?7 WHERE id = ?1";
    let changed = changed.as_ref();
    transaction
        .execute(
            sql,
            params![
                operation.id,
                title,
                changed.map(|changed| changed.files),
                changed.map(|changed| &changed.first),
                changed.map(|changed| changed.added),
                changed.map(|changed| changed.removed),
                head.as_ref().map(json),
            ],
        )
        .map(drop)
}

pub(super) fn set_details(
    transaction: &Transaction<'_>,
    id: &str,
    details: &OperationDetails,
) -> rusqlite::Result<()> {
    let sql = "UPDATE operations SET answer = ?2, request = ?3, agent = ?4 WHERE id = ?1";
    let request = details.request.as_ref().map(|request| &request.0);
    transaction.execute(sql, params![id, details.answer, request, details.by_agent]).map(drop)
}

pub(super) fn append(
    transaction: &Transaction<'_>,
    operation: &str,
    changes: &[Change],
    done: Option<bool>,
) -> rusqlite::Result<()> {
    let next: i64 = transaction
        .prepare_cached("SELECT coalesce(max(position) + 1, 0) FROM changes WHERE operation = ?1")?
        .query_row([operation], |row| row.get(0))?;
    let next = usize::try_from(next).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, next))?;
    for (index, change) in changes.iter().enumerate() {
        tables::insert(transaction, operation, next + index, change, done)?;
    }
    Ok(())
}

pub(super) fn set_done(
    transaction: &Transaction<'_>,
    operation: &str,
    done: impl Iterator<Item = Option<bool>>,
) -> rusqlite::Result<()> {
    let mut update =
        transaction.prepare_cached("UPDATE changes SET done = ?3 WHERE operation = ?1 AND position = ?2")?;
    for (position, done) in (0_i64..).zip(done) {
        update.execute(params![operation, position, done])?;
    }
    Ok(())
}

pub(super) fn insert_images(transaction: &Transaction<'_>, images: &[Packed<'_>]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT OR IGNORE INTO images VALUES (?1, ?2, ?3)")?;
    for image in images {
        let size = i64::try_from(image.size).unwrap_or(i64::MAX);
        insert.execute(params![image.hash, size, image.content])?;
    }
    Ok(())
}

pub(super) fn set_lost(transaction: &Transaction<'_>, id: &str, lost: &[String]) -> rusqlite::Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let listed = json(&&lost[..lost.len().min(LOST)]);
    transaction.execute("UPDATE operations SET lost = ?2 WHERE id = ?1", params![id, listed]).map(drop)
}

pub(super) fn forget_snapshot(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM surveys WHERE operation = ?1", [id]).map(drop)
}

/// Notes of the operation `id` of an agent, which is over, if all that it replaced was made by agents before: an agent
/// that writes a file again and again pushes nothing else out of the journal by that.
pub(super) fn classify(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE operations SET agent = 2 WHERE id = ?1 AND agent = 1 \
               AND (SELECT count(*) FROM changes WHERE operation = ?1) <= ?2 \
               AND NOT EXISTS (SELECT 1 FROM changes AS own WHERE own.operation = ?1 AND own.before_kind <> 'missing' \
               AND NOT EXISTS (SELECT 1 FROM changes AS other JOIN operations ON operations.id = other.operation \
               WHERE operations.agent > 0 AND other.root = own.root AND other.relative = own.relative \
               AND other.after_hash = own.before_hash))";
    let most = i64::try_from(LOOKED_THROUGH).unwrap_or(i64::MAX);
    transaction.prepare_cached(sql)?.execute(params![id, most]).map(drop)
}

pub(super) struct Packed<'a> {
    pub(super) hash: &'a [u8; 32],
    pub(super) size: usize,
    pub(super) content: Box<[u8]>,
}

pub(super) fn compressed<'a>(images: &'a Images, path: &Path) -> Result<Vec<Packed<'a>>, StoreError> {
    // One context and one buffer for all of them: each packed content takes no more memory than it needs.
    let failed = |error: std::io::Error| StoreError::io(&error, path);
    let mut compressor = zstd::bulk::Compressor::new(LEVEL).map_err(failed)?;
    let mut buffer = Vec::new();
    let mut pack = |hash, content: &'a [u8]| {
        buffer.clear();
        buffer.reserve(zstd::zstd_safe::compress_bound(content.len()));
        compressor.compress_to_buffer(content, &mut buffer).map_err(failed)?;
        Ok(Packed { hash, size: content.len(), content: buffer.as_slice().into() })
    };
    images.iter().map(|(hash, content)| pack(hash, content)).collect()
}

/// Records that `by` has undone `undone`. The operation that `undone` had undone holds again, and so on: of a
/// chain of undos every second one holds.
pub(super) fn set_undone(transaction: &Transaction<'_>, undone: &str, by: &str) -> rusqlite::Result<()> {
    let mut set = transaction.prepare_cached("UPDATE operations SET undone_by = ?2 WHERE id = ?1")?;
    // An operation is undone by a later one only; anything else would not come to an end.
    let mut get = transaction.prepare_cached(
        "SELECT undone.id FROM operations AS this JOIN operations AS undone ON undone.id = this.undoes \
         WHERE this.id = ?1 AND undone.seq < this.seq",
    )?;
    let mut next = Some((undone.to_owned(), Some(by.to_owned())));
    while let Some((id, by)) = next {
        set.execute(params![id, by])?;
        let earlier: Option<String> = get.query_row([&id], |row| row.get(0)).optional()?;
        next = earlier.map(|undoes| (undoes, if by.is_some() { None } else { Some(id) }));
    }
    Ok(())
}
