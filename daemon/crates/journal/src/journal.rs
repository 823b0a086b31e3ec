//! The journal of one project: its operations with their changes and contents. Every method is one transaction.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_store::{Access, Durable, Store, StoreError};
use rusqlite::{OptionalExtension, params};

use super::encode::{Compressed, pack, unpack};
use super::operation::{Change, Committed, Images, Operation, OperationDetails, OperationStatus};
use super::recover::ChangeOutcome;
use super::rows::{
    OUTLINE, append, classify, compressed, forget_snapshot, insert_images, insert_operation, operation,
    set_details, set_done, set_lost, set_outline, set_undone,
};
use super::tables;

/// The fewest characters of an id that name an operation (spec: daily, "The report and the questions").
pub const SHORTEST: usize = 3;

/// The name of a journal's file.
pub const FILE: &str = "operations.db";

/// The journal of one project's operations.
#[derive(Debug)]
pub struct Journal {
    pub(super) store: Store,
}

/// A journal that is open, and what a user should know of how it was found.
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// The new path of a damaged journal that this one replaces, if there was one.
    pub set_aside: Option<PathBuf>,
    /// There was a journal before, whose file another process removed.
    pub removed: bool,
    /// The journal may hold operations that were cut off, and should be checked for damage.
    pub unclean: bool,
}

/// Returns the path of the journal of the project at `root`, which is resolved, in the folder `state`.
#[must_use]
pub fn path(state: &Path, root: &Path) -> PathBuf {
    let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    folder(state).join(&name[..32]).join(FILE)
}

/// Returns the folder in the folder `state` that has a folder for each project, with a file [`FILE`] in it.
#[must_use]
pub fn folder(state: &Path) -> PathBuf {
    state.join("projects")
}

/// The outcome of the changes that were recorded.
#[derive(Debug, Default)]
pub struct Completion<'a> {
    /// For each recorded change, in their order, true if it was made.
    pub made_changes: &'a [bool],
    /// Changes that were made and not recorded before: folders that were missing after all.
    pub added: &'a [Change],
    /// Paths that commands changed and no undo restores, besides the changes.
    pub lost: &'a [String],
    /// Everything that was to be done is done. Only then does the operation that this one undoes count as
    /// undone.
    pub whole: bool,
}

impl Journal {
    pub(crate) fn give_back(&self) {
        self.store.drop_pages();
    }

    /// Opens the journal of the project at `root`, which is resolved, in the folder `state`.
    pub(crate) fn open(state: &Path, root: &Path) -> Result<Opened, StoreError> {
        let path = path(state, root);
        let clada_store::Opened { store, set_aside, removed, unclean } =
            Store::open(&path, &tables::PROJECT)?;
        let mut journal = Journal { store };
        if !journal.is_read_only() && !journal.store.is_write_protected() && journal.root()?.is_none() {
            let name = root.as_os_str().as_bytes();
            journal.store.write(Durable::Soon, |transaction| {
                let put = transaction.execute("INSERT INTO project VALUES (?1)", [name]);
                put.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
            })?;
        }
        Ok(Opened { journal, set_aside, removed, unclean })
    }

    /// Opens an existing journal, of any project. A damaged one stays in place: the next caller in its
    /// project is to be notified of it.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn open_file(path: &Path) -> Result<Journal, StoreError> {
        Ok(Journal { store: Store::open_existing(path, &tables::PROJECT)? })
    }

    pub(crate) fn root(&self) -> Result<Option<PathBuf>, StoreError> {
        let query = self.store.connection().query_row("SELECT root FROM project", [], |row| row.get(0));
        let root_bytes: Option<Vec<u8>> =
            query.optional().map_err(|error| StoreError::from_sqlite(&error, self.store.path()))?;
        Ok(root_bytes.map(|root| PathBuf::from(OsString::from_vec(root))))
    }

    pub(crate) fn move_root(&mut self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let (from, to) = (from.as_os_str().as_bytes(), to.as_os_str().as_bytes());
        // An allowed root may lie beneath the project's.
        let beneath = [from, b"/"].concat();
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            transaction.execute("UPDATE project SET root = ?1", [to]).map_err(located)?;
            for column in ["root", "from_root"] {
                let sql = format!(
                    "UPDATE changes SET {column} = CAST(?1 || substr({column}, length(?2) + 1) AS BLOB)
                     WHERE {column} = ?2 OR substr({column}, 1, length(?3)) = ?3"
                );
                transaction.execute(&sql, params![to, from, beneath]).map_err(located)?;
            }
            Ok(())
        })
    }

    /// Records `changes` of an operation, which come after those that it has, with the contents that they
    /// name. When this returns they are durable; only then may they be made.
    ///
    /// # Errors
    /// If they could not be recorded: then none may be made.
    pub fn begin(
        &mut self,
        operation: &Operation,
        changes: &[Change],
        images: &Images,
        details: &OperationDetails,
    ) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let compressed = compressed(images, &path)?;
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            insert_operation(transaction, operation).map_err(located)?;
            set_details(transaction, &operation.id, details).map_err(located)?;
            set_outline(transaction, operation).map_err(located)?;
            insert_images(transaction, &compressed).map_err(located)?;
            forget_snapshot(transaction, &operation.id).map_err(located)?;
            append(transaction, &operation.id, changes, None).map_err(located)
        })
    }

    /// Records how an operation ended: which of its changes were made, its summary, and the contents that it
    /// created, which later merges need.
    ///
    /// # Errors
    /// If that could not be recorded; recovery then finds out.
    pub fn finish(
        &mut self,
        operation: &Operation,
        completion: &Completion<'_>,
        images: &Images,
        results: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        let compressed = compressed(images, &path)?;
        let results = results.map(|results| pack(results, &path)).transpose()?;
        self.store.write(Durable::Soon, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            insert_operation(transaction, operation).map_err(located)?;
            forget_snapshot(transaction, &operation.id).map_err(located)?;
            insert_images(transaction, &compressed).map_err(located)?;
            set_outline(transaction, operation).map_err(located)?;
            transaction
                .execute(
                    "UPDATE operations SET status = ?2, summary = ?3, results = ?4, committed = ?5 \
                     WHERE id = ?1",
                    params![
                        operation.id,
                        operation.status.word(),
                        operation.summary,
                        results,
                        operation.committed.map(Committed::word)
                    ],
                )
                .map_err(located)?;
            set_lost(transaction, &operation.id, completion.lost).map_err(located)?;
            let done = completion.made_changes.iter().map(|was_made| Some(*was_made));
            set_done(transaction, &operation.id, done).map_err(located)?;
            append(transaction, &operation.id, completion.added, Some(true)).map_err(located)?;
            classify(transaction, &operation.id).map_err(located)?;
            // An undo that was made in part leaves the other operation open, so that the rest can still be
            // undone.
            match &operation.undoes {
                Some(undone) if completion.whole => {
                    set_undone(transaction, undone, &operation.id).map_err(located)
                }
                _ => Ok(()),
            }
        })
    }

    /// Deletes an operation that has changed nothing after all.
    ///
    /// # Errors
    /// If it could not be deleted; recovery then finds that nothing was changed.
    pub fn discard(&mut self, id: &str) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            let deletion = transaction.execute("DELETE FROM operations WHERE id = ?1", [id]);
            deletion.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Records what recovery has found of an operation that was cut off: for each of its changes, in their
    /// order, whether it was made.
    ///
    /// # Errors
    /// If that could not be recorded; recovery then finds it out again.
    pub fn recovered(
        &mut self,
        id: &str,
        outcomes: &[ChangeOutcome],
        lost: &[String],
        summary: &str,
    ) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            let status = OperationStatus::Interrupted.word();
            transaction
                .execute(
                    "UPDATE operations SET status = ?2, summary = ?3 WHERE id = ?1",
                    params![id, status, summary],
                )
                .map_err(located)?;
            set_lost(transaction, id, lost).map_err(located)?;
            set_done(transaction, id, outcomes.iter().map(|outcome| outcome.stored())).map_err(located)?;
            let undoes: Option<String> = transaction
                .query_row("SELECT undoes FROM operations WHERE id = ?1", [id], |row| row.get(0))
                .map_err(located)?;
            match undoes.filter(|_| outcomes.iter().all(|outcome| *outcome == ChangeOutcome::Applied)) {
                Some(undone) => set_undone(transaction, &undone, id).map_err(located),
                None => Ok(()),
            }
        })
    }

    /// Returns the operations whose process is gone, oldest first. The caller holds the lock of the root.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished(&self) -> Result<Vec<Operation>, StoreError> {
        self.operations("WHERE status = 'applying' ORDER BY seq", params![])
    }

    /// Returns the last operations, newest first, at most `limit`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<Operation>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.operations("ORDER BY seq DESC LIMIT ?1", params![limit])
    }

    /// Returns the operation called `id`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn operation(&self, id: &str) -> Result<Option<Operation>, StoreError> {
        Ok(self.operations("WHERE id = ?1", params![id])?.pop())
    }

    // Returns the operations that applied the answer with this hash and are not undone, newest first.
    pub(crate) fn for_answer(&self, answer: &[u8; 32]) -> Result<Vec<Operation>, StoreError> {
        self.operations("WHERE answer = ?1 AND undone_by IS NULL ORDER BY seq DESC", params![answer])
    }

    /// Returns the shortest beginning of `id`, at least [`SHORTEST`] characters, that no other operation's id
    /// begins with.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn short_id(&self, id: &str) -> Result<String, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        // Ids are a tree: the one that has the most in common with this one is a neighbour.
        let mut neighbours = self
            .store
            .connection()
            .prepare_cached(
                "SELECT * FROM (SELECT id FROM operations WHERE id < ?1 ORDER BY id DESC LIMIT 1) \
                 UNION ALL SELECT * FROM (SELECT id FROM operations WHERE id > ?1 ORDER BY id LIMIT 1)",
            )
            .map_err(located)?;
        let rows = neighbours.query_map([id], |row| row.get::<_, String>(0)).map_err(located)?;
        let others = rows.collect::<Result<Vec<_>, _>>().map_err(located)?;
        Ok(shortest(id, others.iter().map(String::as_str)).to_owned())
    }

    /// Returns what is kept of an operation besides its changes; empty if there is no such operation.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn details(&self, id: &str) -> Result<OperationDetails, StoreError> {
        let path = self.store.path();
        let mut query = self
            .store
            .connection()
            .prepare_cached("SELECT answer, request, results FROM operations WHERE id = ?1")
            .map_err(|error| StoreError::from_sqlite(&error, path))?;
        let row = query
            .query_row([id], |row| {
                Ok((row.get(0)?, row.get::<_, Option<Vec<u8>>>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
            })
            .optional()
            .map_err(|error| StoreError::from_sqlite(&error, path))?;
        let Some((answer, request, results)) = row else { return Ok(OperationDetails::default()) };
        let results = results.map(|results| Compressed(results).plain(path)).transpose()?;
        Ok(OperationDetails { answer, request: request.map(Compressed), results, by_agent: false })
    }

    /// Returns the path of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Returns whether the system refuses to write the store.
    #[must_use]
    pub(crate) fn is_write_protected(&self) -> bool {
        self.store.is_write_protected()
    }

    /// Returns whether the store can only be read, because a newer version of clada wrote it.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.store.access() == Access::ReadOnly
    }

    /// Makes further writes fail as if the medium were full.
    #[cfg(any(test, feature = "testing"))]
    pub fn fill_up(&self) -> Result<(), StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let connection = self.store.connection();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).map_err(located)?;
        let set = connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.map_err(located)
    }

    /// Reads all of the store to check that it is sound. Takes time.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.store.check()
    }

    /// Returns the changes of an operation in the order in which they were to be made, and whether each was
    /// made, if that is known.
    ///
    /// # Errors
    /// If the store cannot be read or holds what it cannot hold.
    pub fn changes(&self, id: &str) -> Result<Vec<(Change, Option<bool>)>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, path);
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

    /// Returns a content by its hash; `None` if it is not kept.
    ///
    /// # Errors
    /// If the store cannot be read, or holds another content than the hash says.
    pub fn image(&self, hash: &blake3::Hash) -> Result<Option<Arc<[u8]>>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, path);
        let mut query = self
            .store
            .connection()
            .prepare_cached("SELECT size, content FROM images WHERE hash = ?1")
            .map_err(located)?;
        let row = query
            .query_row([hash.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)))
            .optional()
            .map_err(located)?;
        let Some((size, packed)) = row else { return Ok(None) };
        let size = usize::try_from(size)
            .map_err(|_| StoreError::nonsense(path, format!("the content {hash} has no size")))?;
        let content = unpack(&packed, size, path)?;
        if blake3::hash(&content) != *hash {
            return Err(StoreError::nonsense(path, format!("the content {hash} is another one")));
        }
        Ok(Some(content.into()))
    }

    /// Returns whether a content is kept.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn has_image(&self, hash: &blake3::Hash) -> Result<bool, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let mut query = self
            .store
            .connection()
            .prepare_cached("SELECT 1 FROM images WHERE hash = ?1")
            .map_err(located)?;
        query.exists([hash.as_bytes()]).map_err(located)
    }

    pub(super) fn operations(
        &self,
        which: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Operation>, StoreError> {
        let path = self.store.path();
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, path);
        let sql = format!(
            "SELECT id, kind, began, status, summary, undoes, undone_by, committed, {OUTLINE} \
             FROM operations {which}"
        );
        let mut query = self.store.connection().prepare_cached(&sql).map_err(located)?;
        let rows = query.query_map(values, operation).map_err(located)?;
        rows.map(|row| {
            row.map_err(located)?.ok_or_else(|| StoreError::nonsense(path, "an operation makes no sense"))
        })
        .collect()
    }
}

/// Returns the shortest beginning of `id`, at least [`SHORTEST`] characters, that none of `others` begins with.
pub fn shortest<'a>(id: &'a str, others: impl Iterator<Item = &'a str>) -> &'a str {
    let common = |other: &str| id.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let longest = others.filter(|other| *other != id).map(|other| common(other) + 1).max().unwrap_or(0);
    id.get(..longest.max(SHORTEST)).unwrap_or(id)
}
