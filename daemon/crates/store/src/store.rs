//! An open store, and its transactions.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::StoreError;

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) access: Access,
}

/// The access to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing.
    Full,
    /// Reading only: a newer version of clada wrote the store.
    ReadOnly,
}

/// The durability of a transaction once it is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// It is on the medium, and survives a power cut.
    Yes,
    /// It survives the end of the process; a power cut may lose it as a whole.
    Soon,
}

impl Store {
    /// Returns the path of its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the access to it.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns whether the system refuses to write it.
    #[must_use]
    pub fn is_write_protected(&self) -> bool {
        self.connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(true)
    }

    /// Returns the number of bytes in use in it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn used_bytes(&self) -> Result<u64, StoreError> {
        let number = |name: &str| {
            let value = self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            value
                .map_err(|error| StoreError::from_sqlite(&error, &self.path))
                .map(|value| value.unsigned_abs())
        };
        Ok((number("page_count")?.saturating_sub(number("freelist_count")?)) * number("page_size")?)
    }

    /// Gives unused pages back to the file system.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn shrink(&self) -> Result<(), StoreError> {
        let shrunk = self.connection.execute_batch("PRAGMA incremental_vacuum");
        shrunk.map_err(|error| StoreError::from_sqlite(&error, &self.path))
    }

    /// Drops the pages that are kept in memory. They are read again when they are needed.
    pub fn drop_pages(&self) {
        if let Err(error) = self.connection.execute_batch("PRAGMA shrink_memory") {
            tracing::debug!(path = %self.path.display(), %error, "keeps its pages");
        }
    }

    /// Returns the connection, for reading.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Does `work` in one transaction: all of it happens, or nothing.
    ///
    /// # Errors
    /// Those of `work`, after which nothing has changed; [`StoreError::ReadOnly`] for a store that may only
    /// be read.
    pub fn write<T>(
        &mut self,
        durable: Durable,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.write_or(durable, work)
    }

    /// Does `work` as [`Store::write`] does, if the work has errors of its own.
    ///
    /// # Errors
    /// As for [`Store::write`].
    pub fn write_or<T, E: From<StoreError>>(
        &mut self,
        durable: Durable,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.access == Access::ReadOnly {
            return Err(StoreError::ReadOnly { path: self.path.clone() }.into());
        }
        let synchronous = match durable {
            Durable::Yes => "FULL",
            Durable::Soon => "NORMAL",
        };
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &self.path);
        self.connection.pragma_update(None, "synchronous", synchronous).map_err(located)?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(located)?;
        let outcome = work(&transaction)?;
        transaction.commit().map_err(located)?;
        Ok(outcome)
    }
}
