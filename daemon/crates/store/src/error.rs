//! What can go wrong with a store, told so that a person knows what to do.

use std::path::{Path, PathBuf};

use clada_protocol::{ErrorKind, RpcError};
use rusqlite::ffi;

/// A store that cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The medium is full.
    #[error("no space left for {}", .path.display())]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// What is in it makes no sense.
    #[error("{} is damaged: {reason}", .path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// A newer version of clada wrote it.
    #[error("{} was written by a newer version of clada and can only be read by this one", .path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
    },
    /// Another process writes to it, for too long.
    #[error("{} is in use by another process", .path.display())]
    Busy {
        /// The store.
        path: PathBuf,
    },
    /// Anything else of the system.
    #[error("cannot use {}: {reason}", .path.display())]
    Io {
        /// The store.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl StoreError {
    /// What SQLite said of the store at `path`.
    #[must_use]
    pub fn of(error: &rusqlite::Error, path: &Path) -> StoreError {
        let path = path.to_path_buf();
        let reason = error.to_string();
        match error.sqlite_error().map(|error| error.extended_code & 0xff) {
            Some(ffi::SQLITE_FULL) => StoreError::Full { path },
            Some(ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB) => StoreError::Damaged { path, reason },
            Some(ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED) => StoreError::Busy { path },
            // What a row has is not what was put there.
            None if is_of_row(error) => StoreError::Damaged { path, reason },
            _ if reason.contains("disk is full") => StoreError::Full { path },
            _ => StoreError::Io { path, reason },
        }
    }

    /// What the system said of the file or folder at `path`.
    #[must_use]
    pub fn io(error: &std::io::Error, path: &Path) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            _ => StoreError::Io { path, reason: error.to_string() },
        }
    }

    /// A value in the store at `path` that cannot be what was put there.
    #[must_use]
    pub fn nonsense(path: &Path, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: path.to_path_buf(), reason: reason.into() }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            StoreError::Full { .. } => "free some space and try again; nothing was changed",
            StoreError::Damaged { .. } => {
                "the daemon sets it aside and begins a new one when it is started again"
            }
            StoreError::ReadOnly { .. } => "use the newer version of clada",
            StoreError::Busy { .. } => "try again; `clada-client status` shows whether a daemon is busy",
            StoreError::Io { .. } => "see that the folder can be written, then try again",
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
