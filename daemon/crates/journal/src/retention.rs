//! Retention: the oldest operations are deleted when there are too many, or when they take too much space.
//!
//! Knows one store. The bound on all stores together is for the caller that knows them all.

use clada_store::{Durable, StoreError};
use rusqlite::params;

use super::Journal;

impl Journal {
    /// Returns the number of operations.
    ///
    /// # Errors
    /// If the store cannot be read.
    #[expect(clippy::expect_used, reason = "SQL counts from 0")]
    pub fn count(&self) -> Result<usize, StoreError> {
        let query =
            self.store.connection().query_row("SELECT count(*) FROM operations", [], |row| row.get(0));
        let count: i64 = query.map_err(|error| StoreError::from_sqlite(&error, self.store.path()))?;
        Ok(usize::try_from(count).expect("a count is no less than nothing"))
    }

    /// Returns all operations but the last `last`, oldest first: when each began, in milliseconds since 1970,
    /// and its id.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn before_last(&self, last: usize) -> Result<Vec<(i64, String)>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT began, id FROM operations ORDER BY seq DESC LIMIT -1 OFFSET ?1";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let last = i64::try_from(last).unwrap_or(i64::MAX);
        let found = query.query_map([last], |row| Ok((row.get(0)?, row.get(1)?))).map_err(located)?;
        let mut found: Vec<(i64, String)> = found.collect::<Result<_, _>>().map_err(located)?;
        found.reverse();
        Ok(found)
    }

    /// Deletes the operations up to and including `id`, except unfinished ones, and the contents that no
    /// other operation names.
    ///
    /// # Errors
    /// If that cannot be done; then all are still there.
    pub fn forget_up_to(&mut self, id: &str) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Soon, |transaction| {
            let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
            transaction
                .execute(
                    "DELETE FROM operations WHERE status <> 'applying' \
                     AND seq <= (SELECT seq FROM operations WHERE id = ?1)",
                    params![id],
                )
                .map_err(located)?;
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
