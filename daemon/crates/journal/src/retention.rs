//! Retention: the oldest operations are deleted when there are too many, or when they take too much space.
//!
//! Knows one store. The bound on all stores together is for the caller that knows them all.

use clada_store::{Durable, StoreError};
use rusqlite::params;

use super::journal::Journal;

/// An operation that need not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SurplusOperation {
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// Its id.
    pub id: String,
    /// True if it is an agent's.
    pub(crate) is_agents: bool,
}

impl Journal {
    /// Returns the number of operations.
    #[cfg(test)]
    pub(crate) fn count(&self) -> Result<usize, StoreError> {
        let query =
            self.store.connection().query_row("SELECT count(*) FROM operations", [], |row| row.get(0));
        let count: i64 = query.map_err(|error| StoreError::from_sqlite(&error, self.store.path()))?;
        Ok(usize::try_from(count).expect("a count is no less than nothing"))
    }

    /// Returns the operations that need not be kept, oldest first: all but the last `last` of users, the last `last` of
    /// agents that replaced what a user or another program had made, and the last `last` other ones of agents. So no
    /// number of operations of agents takes an operation of a user with it, nor what brings a user's file back.
    pub(crate) fn surplus(&self, last: usize) -> Result<Vec<SurplusOperation>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT began, id, kind > 0 FROM (SELECT began, id, seq, coalesce(agent, 0) AS kind, \
                   row_number() OVER (PARTITION BY coalesce(agent, 0) ORDER BY seq DESC) AS place FROM operations) \
                   WHERE place > ?1 ORDER BY seq";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let last = i64::try_from(last).unwrap_or(i64::MAX);
        let read = |row: &rusqlite::Row<'_>| {
            Ok(SurplusOperation { began: row.get(0)?, id: row.get(1)?, is_agents: row.get(2)? })
        };
        let operations = query.query_map([last], read).map_err(located)?;
        operations.collect::<Result<_, _>>().map_err(located)
    }

    /// Deletes the operations `ids`, except unfinished ones, and the contents that no other operation names.
    pub(crate) fn forget_operations<'i>(
        &mut self,
        ids: impl Iterator<Item = &'i str>,
    ) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            let sql = "DELETE FROM operations WHERE status <> 'applying' AND id = ?1";
            let mut delete = transaction.prepare_cached(sql).map_err(located)?;
            for id in ids {
                delete.execute(params![id]).map_err(located)?;
            }
            transaction
                .execute(
                    "DELETE FROM images WHERE hash NOT IN (
                        SELECT before_hash FROM changes WHERE before_hash IS NOT NULL
                        UNION SELECT after_hash FROM changes WHERE after_hash IS NOT NULL)",
                    [],
                )
                .map_err(located)?;
            Ok(())
        })?;
        self.store.shrink()
    }

    /// Returns the bytes that are in use in the store.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn used_bytes(&self) -> Result<u64, StoreError> {
        self.store.used_bytes()
    }
}
