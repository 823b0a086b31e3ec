//! Migrates a store to the tables of this version, in one transaction: each costs a wait for the disk.

use std::path::Path;

use rusqlite::Connection;

use super::error::StoreError;
use super::store::Access;

/// The tables of a kind of store, as the steps that lead to them. Steps are only ever added.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The kind of store, as SQLite's `application_id`, so that no kind is taken for another.
    pub application: i32,
    /// The SQL of each step; the first makes the tables of version 1.
    pub steps: &'static [&'static str],
}

impl Schema {
    /// Migrates the store behind `connection` to this schema. A store with more steps than this is only read.
    /// An empty store that `was_begun` is not begun again: it was emptied just before it was opened.
    pub(super) fn apply(
        &self,
        connection: &mut Connection,
        path: &Path,
        was_begun: bool,
    ) -> Result<Access, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, path);
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let (application, version) =
            (number("application_id").map_err(located)?, number("user_version").map_err(located)?);
        if version == 0 && application == 0 {
            let tables: i64 = connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map_err(located)?;
            if tables != 0 {
                return Err(StoreError::nonsense(path, "it holds tables of another program"));
            }
            if was_begun {
                return Err(StoreError::nonsense(path, "the file is empty, and was not"));
            }
        } else if application != i64::from(self.application) {
            return Err(StoreError::nonsense(path, "it is a file of another program"));
        }
        let done =
            usize::try_from(version).map_err(|_| StoreError::nonsense(path, "its version is negative"))?;
        if done > self.steps.len() {
            return Ok(Access::ReadOnly);
        }
        if done == self.steps.len() {
            return Ok(Access::Full);
        }
        let behavior = rusqlite::TransactionBehavior::Immediate;
        let transaction = connection.transaction_with_behavior(behavior).map_err(located)?;
        // Another process may have done some of the steps while this one waited, and a newer one more than these.
        let done: i64 =
            transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(located)?;
        let done = usize::try_from(done).unwrap_or(usize::MAX);
        if done > self.steps.len() {
            return Ok(Access::ReadOnly);
        }
        for step in &self.steps[done..] {
            transaction.execute_batch(step).map_err(located)?;
        }
        transaction.pragma_update(None, "application_id", self.application).map_err(located)?;
        let version = i64::try_from(self.steps.len()).unwrap_or(i64::MAX);
        transaction.pragma_update(None, "user_version", version).map_err(located)?;
        transaction.commit().map_err(located)?;
        Ok(Access::Full)
    }
}
