//! The index of a project's files, in tables: which are staged under which name, with which content, and what
//! changed since each baseline.
//!
//! The index has a version, which grows when something changes. A baseline is a version: the files as they
//! were when they were handed over. For that, `changes` keeps the state of each file before it changed, as
//! long as a baseline is that old. So nothing is kept per file and baseline, and a query costs what changed.
//!
//! Works in one transaction that the caller begins and ends; must not know files and folders.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};

use super::names::{candidates, flat, key};

/// The most baselines that are kept; the least recently used one is deleted first, and everything is handed
/// over again.
const MAX_BASELINES: i64 = 50;

pub(super) type ContentHash = [u8; 32];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct IndexHead {
    /// The clock up to which the project's changes are in it.
    pub clock: Option<String>,
    /// The fingerprint of the rules by which files were chosen.
    pub fingerprint: Option<Vec<u8>>,
    /// Grows when a file changes.
    pub version: i64,
    /// Grows when the set of files, and with it the manifest, changes.
    pub names: i64,
    /// The number of files.
    pub eligible: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexRow {
    /// The identity when it was read; `None`: it has to be read again.
    pub identity: Option<[u8; 16]>,
    /// Its content; `None`: it is not text, and not staged.
    pub content: Option<ContentHash>,
    /// Its flat name, if it is staged.
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Before {
    /// Its content; `None`: there was no file.
    pub content: Option<ContentHash>,
    /// Its flat name at the baseline.
    pub name: Option<String>,
}

#[derive(Debug)]
pub(super) struct FileIndex<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    /// The current head.
    pub head: IndexHead,
    opened: IndexHead,
    /// The newest version that was handed over, or waits for it: if a file changed more than once since, only
    /// the first change counts.
    newest: Option<i64>,
    next: i64,
}

impl<'a> FileIndex<'a> {
    pub(super) fn open(transaction: &'a Transaction<'a>) -> rusqlite::Result<FileIndex<'a>> {
        let head = transaction
            .prepare_cached("SELECT clock, fingerprint, version, names, eligible FROM catalog")?
            .query_row([], |row| {
                Ok(IndexHead {
                    clock: row.get(0)?,
                    fingerprint: row.get(1)?,
                    version: row.get(2)?,
                    names: row.get(3)?,
                    eligible: row.get(4)?,
                })
            })?;
        let newest = transaction
            .prepare_cached(
                "SELECT max(version) FROM (SELECT version FROM baselines UNION ALL SELECT version \
                 FROM folders WHERE state IN ('ready', 'made'))",
            )?
            .query_row([], |row| row.get::<_, Option<i64>>(0))?;
        let next = head.version + 1;
        Ok(FileIndex { transaction, opened: head.clone(), head, newest, next })
    }

    pub(super) fn file(&self, path: &[u8]) -> rusqlite::Result<Option<IndexRow>> {
        let mut query =
            self.transaction.prepare_cached("SELECT identity, hash, name, key FROM files WHERE path = ?1")?;
        query.query_row([path], |row| read_row(path, row, 0)).optional()
    }

    pub(super) fn files<E: From<rusqlite::Error>>(
        &self,
        mut each: impl FnMut(Vec<u8>, IndexRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut query = self
            .transaction
            .prepare_cached("SELECT path, identity, hash, name, key FROM files ORDER BY path")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let path: Vec<u8> = row.get(0)?;
            let file = read_row(&path, row, 1)?;
            each(path, file)?;
        }
        Ok(())
    }

    pub(super) fn staged<T, E: From<rusqlite::Error>>(
        &self,
        work: impl FnOnce(&mut dyn Iterator<Item = Result<(String, Vec<u8>), E>>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut query = self
            .transaction
            .prepare_cached("SELECT path, name FROM files WHERE hash IS NOT NULL ORDER BY path")?;
        let rows = query.query_map([], |row| {
            let path: Vec<u8> = row.get(0)?;
            let name: Option<String> = row.get(1)?;
            Ok((name.unwrap_or_else(|| flat(&path)), path))
        })?;
        work(&mut rows.map(|row| row.map_err(E::from)))
    }

    pub(super) fn put(
        &mut self,
        path: &[u8],
        old: Option<&IndexRow>,
        identity: Option<[u8; 16]>,
        content: Option<ContentHash>,
        now: i64,
    ) -> rusqlite::Result<Option<String>> {
        let (was, name) = (old.and_then(|row| row.content), old.and_then(|row| row.name.clone()));
        match (was, content) {
            // Only a file with content is staged, so the set of names changes where content comes or goes.
            (None, Some(_)) => {
                self.log(path, None, None)?;
                self.head.eligible += 1;
                self.head.names = self.next;
                if old.is_some() {
                    self.transaction.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path])?;
                }
                let again = self.was_another(path)?.then_some(now);
                self.insert(path, identity, content, again).map(Some)
            }
            (Some(was), Some(content)) => {
                if was != content {
                    self.log(path, Some(was), name.as_deref())?;
                    let mut renew = self
                        .transaction
                        .prepare_cached("UPDATE files SET since = ?2, again = ?3 WHERE path = ?1")?;
                    renew.execute(params![path, self.next, now])?;
                }
                self.update(path, identity, Some(content))?;
                Ok(name)
            }
            (Some(was), None) => {
                self.log(path, Some(was), name.as_deref())?;
                self.head.eligible -= 1;
                self.head.names = self.next;
                let mut update = self.transaction.prepare_cached(
                    "UPDATE files SET identity = ?2, hash = NULL, name = NULL, key = NULL, since = ?3 \
                     WHERE path = ?1",
                )?;
                update.execute(params![path, identity, self.next])?;
                Ok(None)
            }
            (None, None) => {
                match old {
                    Some(_) => self.update(path, identity, None)?,
                    None => {
                        let mut insert = self
                            .transaction
                            .prepare_cached("INSERT INTO files (path, identity) VALUES (?1, ?2)")?;
                        insert.execute(params![path, identity])?;
                    }
                }
                Ok(None)
            }
        }
    }

    pub(super) fn remove(&mut self, path: &[u8], old: &IndexRow) -> rusqlite::Result<()> {
        if old.content.is_some() {
            self.log(path, old.content, old.name.as_deref())?;
            self.head.eligible -= 1;
            self.head.names = self.next;
        }
        self.transaction.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    pub(super) fn omit(&self, path: &[u8], reason: Option<&str>) -> rusqlite::Result<()> {
        let changed = match reason {
            Some(reason) => self
                .transaction
                .prepare_cached("INSERT OR REPLACE INTO omitted VALUES (?1, ?2)")?
                .execute(params![path, reason]),
            None => self.transaction.prepare_cached("DELETE FROM omitted WHERE path = ?1")?.execute([path]),
        };
        changed.map(drop)
    }

    pub(super) fn forget_omitted(&self) -> rusqlite::Result<()> {
        let forget = "DELETE FROM omitted WHERE path NOT IN (SELECT path FROM files)";
        self.transaction.prepare_cached(forget)?.execute([]).map(drop)
    }

    pub(super) fn omitted(&self, most: usize) -> rusqlite::Result<Vec<(Vec<u8>, String)>> {
        let mut query =
            self.transaction.prepare_cached("SELECT path, reason FROM omitted ORDER BY path LIMIT ?1")?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        query.query_map([most], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    pub(super) fn close(&mut self, clock: &str, fingerprint: &[u8]) -> rusqlite::Result<()> {
        self.head.clock = Some(clock.to_owned());
        self.head.fingerprint = Some(fingerprint.to_owned());
        if self.head == self.opened {
            return Ok(());
        }
        let IndexHead { clock, fingerprint, version, names, eligible } = &self.head;
        self.transaction
            .prepare_cached(
                "UPDATE catalog SET clock = ?1, fingerprint = ?2, version = ?3, names = ?4, eligible = ?5",
            )?
            .execute(params![clock, fingerprint, version, names, eligible])?;
        Ok(())
    }

    pub(super) fn baseline(&self, name: &str) -> rusqlite::Result<Option<i64>> {
        let mut query = self.transaction.prepare_cached("SELECT version FROM baselines WHERE name = ?1")?;
        query.query_row([name], |row| row.get(0)).optional()
    }

    pub(super) fn since(&self, version: i64) -> rusqlite::Result<BTreeMap<Vec<u8>, Before>> {
        let mut query = self
            .transaction
            .prepare_cached("SELECT path, before, name FROM changes WHERE version > ?1 ORDER BY version")?;
        let mut before = BTreeMap::new();
        let mut rows = query.query([version])?;
        while let Some(row) = rows.next()? {
            let was = Before { content: row.get(1)?, name: row.get(2)? };
            // Only the first one is the state at the baseline.
            before.entry(row.get(0)?).or_insert(was);
        }
        Ok(before)
    }

    /// Only forwards. Deletes the changes that no baseline needs any more.
    pub(super) fn hand_over(&self, name: &str, version: i64, used: i64) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO baselines VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET \
                 version = max(version, excluded.version), used = excluded.used",
            )?
            .execute(params![name, version, used])?;
        let mut evict = self.transaction.prepare_cached(
            "DELETE FROM baselines WHERE name IN (SELECT name FROM baselines WHERE name <> ?1 \
             ORDER BY used DESC LIMIT -1 OFFSET ?2)",
        )?;
        evict.execute(params![name, MAX_BASELINES - 1])?;
        self.transaction
            .prepare_cached(
                "DELETE FROM changes WHERE version <= (SELECT min(version) FROM \
                 (SELECT version FROM baselines UNION ALL SELECT version FROM folders \
                 WHERE state IN ('ready', 'made')))",
            )?
            .execute([])?;
        Ok(())
    }

    pub(super) fn forget_gone(&self) -> rusqlite::Result<()> {
        let mut forget = self.transaction.prepare_cached(
            "DELETE FROM changes WHERE path NOT IN (SELECT path FROM files WHERE hash IS NOT NULL)",
        )?;
        forget.execute([])?;
        Ok(())
    }

    pub(super) fn is_as_at(&self, path: &[u8], version: i64, now: &IndexRow) -> rusqlite::Result<bool> {
        let before = self.before(path, version)?;
        Ok(before.is_none_or(|before| before.content == now.content && before.name == now.name))
    }

    pub(super) fn before(&self, path: &[u8], version: i64) -> rusqlite::Result<Option<Before>> {
        let mut query = self.transaction.prepare_cached(
            "SELECT before, name FROM changes WHERE path = ?1 AND version > ?2 ORDER BY version LIMIT 1",
        )?;
        let read = |row: &rusqlite::Row<'_>| Ok(Before { content: row.get(0)?, name: row.get(1)? });
        query.query_row(params![path, version], read).optional()
    }

    pub(super) fn names(&self) -> rusqlite::Result<Vec<String>> {
        self.staged(|entries| entries.map(|entry| entry.map(|(name, _)| name)).collect())
    }

    /// Records the state before this version, unless one is recorded, or no baseline needs it.
    fn log(&mut self, path: &[u8], before: Option<ContentHash>, name: Option<&str>) -> rusqlite::Result<()> {
        self.head.version = self.next;
        let Some(newest) = self.newest else { return Ok(()) };
        let known = self
            .transaction
            .prepare_cached("SELECT 1 FROM changes WHERE path = ?1 AND version > ?2")?
            .exists(params![path, newest])?;
        if known {
            return Ok(());
        }
        let mut insert = self.transaction.prepare_cached("INSERT INTO changes VALUES (?1, ?2, ?3, ?4)")?;
        insert.execute(params![self.next, path, before, name])?;
        Ok(())
    }

    fn update(
        &self,
        path: &[u8],
        identity: Option<[u8; 16]>,
        content: Option<ContentHash>,
    ) -> rusqlite::Result<()> {
        let mut update =
            self.transaction.prepare_cached("UPDATE files SET identity = ?2, hash = ?3 WHERE path = ?1")?;
        update.execute(params![path, identity, content]).map(drop)
    }

    fn was_another(&self, path: &[u8]) -> rusqlite::Result<bool> {
        if self.newest.is_none() {
            return Ok(false);
        }
        let mut query = self
            .transaction
            .prepare_cached("SELECT 1 FROM changes WHERE path = ?1 AND before IS NOT NULL")?;
        query.exists([path])
    }

    fn insert(
        &self,
        path: &[u8],
        identity: Option<[u8; 16]>,
        content: Option<ContentHash>,
        again: Option<i64>,
    ) -> rusqlite::Result<String> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT OR IGNORE INTO files (path, identity, hash, name, key, since, again) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let own = flat(path);
        for name in candidates(path) {
            // The name that a path has by itself need not be kept.
            let stored_name = (name != own).then_some(&name);
            if insert.execute(params![path, identity, content, stored_name, key(&name), self.next, again])?
                == 1
            {
                return Ok(name);
            }
        }
        Ok(own)
    }
}

fn read_row(path: &[u8], row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<IndexRow> {
    let name: Option<String> = row.get(at + 2)?;
    let is_named = row.get::<_, Option<i64>>(at + 3)?.is_some();
    let name = is_named.then(|| name.unwrap_or_else(|| flat(path)));
    Ok(IndexRow { identity: row.get(at)?, content: row.get(at + 1)?, name })
}
