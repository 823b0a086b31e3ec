//! The provenance of copies, as far as tables know it: the file of a name, and the content that was handed
//! over of it.
//!
//! Not every change is kept for ever. Of a content that is in no baseline any more, it is only known whether
//! it is still the same.

use rusqlite::OptionalExtension;

use super::file_index::{ContentHash, FileIndex};
use super::names::{flat, key};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// Exactly that content; `None`: the file was not staged then.
    Known(Option<ContentHash>),
    Older,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Baseline {
    /// The name; empty if the caller names none.
    pub name: String,
    /// The version of the files then.
    pub version: i64,
}

impl FileIndex<'_> {
    pub(super) fn path_of(&self, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut query = self.transaction.prepare_cached("SELECT path, name FROM files WHERE key = ?1")?;
        let row = query.query_row([key(name)], |row| {
            let path: Vec<u8> = row.get(0)?;
            let own: Option<String> = row.get(1)?;
            Ok((own.unwrap_or_else(|| flat(&path)), path))
        });
        Ok(row.optional()?.filter(|(own, _)| own == name).map(|(_, path)| path))
    }

    pub(super) fn path_of_gone(&self, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut query = self
            .transaction
            .prepare_cached("SELECT path FROM changes WHERE name = ?1 ORDER BY version DESC LIMIT 1")?;
        query.query_row([name], |row| row.get(0)).optional()
    }

    pub(super) fn last_content(&self, path: &[u8]) -> rusqlite::Result<Option<ContentHash>> {
        let mut query = self.transaction.prepare_cached(
            "SELECT before FROM changes WHERE path = ?1 AND before IS NOT NULL ORDER BY version DESC LIMIT 1",
        )?;
        query.query_row([path], |row| row.get(0)).optional()
    }

    pub(super) fn content_at(&self, path: &[u8], version: i64) -> rusqlite::Result<Base> {
        // For other versions, not every change since is kept.
        let is_kept = self
            .transaction
            .prepare_cached(
                "SELECT 1 FROM baselines WHERE version = ?1 UNION ALL \
                 SELECT 1 FROM folders WHERE version = ?1 AND state IN ('ready', 'made')",
            )?
            .exists([version])?;
        if is_kept && let Some(before) = self.before(path, version)? {
            return Ok(Base::Known(before.content));
        }
        let mut query = self.transaction.prepare_cached("SELECT hash, since FROM files WHERE path = ?1")?;
        let row = query.query_row([path], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?))).optional()?;
        Ok(match row {
            Some((content, since)) if is_kept || since <= version => Base::Known(content),
            None if is_kept => Base::Known(None),
            _ => Base::Older,
        })
    }

    pub(super) fn again(&self, path: &[u8]) -> rusqlite::Result<Option<i64>> {
        let mut query = self.transaction.prepare_cached("SELECT again FROM files WHERE path = ?1")?;
        Ok(query.query_row([path], |row| row.get(0)).optional()?.flatten())
    }

    pub(super) fn baselines(&self, name: Option<&str>) -> rusqlite::Result<Vec<Baseline>> {
        let mut query = self.transaction.prepare_cached(
            "SELECT name, version FROM baselines WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
        )?;
        let read = |row: &rusqlite::Row<'_>| Ok(Baseline { name: row.get(0)?, version: row.get(1)? });
        query.query_map([name], read)?.collect()
    }
}
