//! The errors of a store, each with a hint on what the user can do.

use std::path::{Path, PathBuf};

use clada_protocol::{ErrorKind, RpcError};
use rusqlite::ffi;

/// An error in opening, reading or writing a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The medium is full.
    #[error("no space left for {}", .path.display())]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// The content of the store makes no sense.
    #[error("{} is damaged: {reason}", .path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// The reason that SQLite gives.
        reason: String,
    },
    /// A newer version of clada wrote it.
    #[error("{} was written by a newer version of clada and can only be read by this one", .path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
    },
    /// Another process writes to the store for too long.
    #[error("{} is in use by another process", .path.display())]
    Busy {
        /// The store.
        path: PathBuf,
    },
    /// Any other error of the system.
    #[error("cannot use {}: {reason}", .path.display())]
    Io {
        /// The store.
        path: PathBuf,
        /// The reason that the system gives.
        reason: String,
    },
}

impl StoreError {
    /// Converts an error of SQLite about the store at `path`.
    #[must_use]
    pub fn from_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
        let path = path.to_path_buf();
        let reason = error.to_string();
        match error.sqlite_error().map(|error| error.extended_code & 0xff) {
            Some(ffi::SQLITE_FULL) => StoreError::Full { path },
            Some(ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB) => StoreError::Damaged { path, reason },
            Some(ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED) => StoreError::Busy { path },
            // The row's type or value is not one that clada writes.
            None if is_of_row(error) => StoreError::Damaged { path, reason },
            _ if reason.contains("disk is full") => StoreError::Full { path },
            _ => StoreError::Io { path, reason },
        }
    }

    /// Converts an error of the system about the file or folder at `path`.
    #[must_use]
    pub fn io(error: &std::io::Error, path: &Path) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            _ => StoreError::Io { path, reason: error.to_string() },
        }
    }

    /// Returns the error for a value in the store at `path` that clada cannot have written.
    #[must_use]
    pub fn nonsense(path: &Path, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: path.to_path_buf(), reason: reason.into() }
    }

    /// Returns a hint on what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            StoreError::Full { .. } => "free some space and try again; nothing was changed",
            StoreError::Damaged { .. } => {
                "the daemon sets it aside and begins a new one when it is started again"
            }
            StoreError::ReadOnly { .. } => "use the newer version of clada",
            StoreError::Busy { .. } => "try again; `clada status` shows whether a daemon is busy",
            StoreError::Io { .. } => "check that the path is a folder and writable, then try again",
        }
    }
}

fn is_of_row(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> RpcError {
        let hint = error.hint();
        let kind = match &error {
            StoreError::Busy { .. } => ErrorKind::Busy,
            _ => ErrorKind::Io,
        };
        RpcError::new(kind, format!("The record of operations cannot be kept: {error}")).hint(hint)
    }
}
