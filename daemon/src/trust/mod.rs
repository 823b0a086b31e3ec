//! The commands that the user has approved for good, and the configurations of projects that the user has
//! trusted.
//!
//! A command needs two entries: one in the project's `.clada/allowed-commands.json`, which is meant for
//! version control and so may be another author's, and one in the user's own store, which only the user's
//! approval gets into. The file alone is a proposal; the store alone is not enough either, so that removing a
//! command from the file revokes it. Only the store holds the file of a command's program: paths are a
//! machine's own, and the proposal is shared. A configuration is trusted by its hash, so that the user is
//! asked about a changed file again. Knows no requests and starts nothing.

mod files;
mod proposal;
mod tables;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::params;

pub use files::TrustedFiles;
pub use proposal::{Proposal, ProposalError};

use clada_store::{Durable, Store, StoreError};

/// A command that the user has approved for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The command, as written.
    pub command: String,
    /// The folder that it runs in, resolved.
    pub folder: PathBuf,
    /// The file of its program; `None` in an entry from before that was recorded.
    pub program: Option<PathBuf>,
    /// True if it reaches a network.
    pub network: bool,
    /// The time of its approval, in seconds since 1970.
    pub added: i64,
}

/// The user's own list.
#[derive(Debug)]
pub struct TrustStore {
    store: Store,
}

impl TrustStore {
    /// Opens the list in the folder `state`.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn open(state: &Path) -> Result<TrustStore, StoreError> {
        Ok(TrustStore { store: Store::open(&state.join(tables::FILE), &tables::USER)?.store })
    }

    /// Returns whether there is such a list in the folder `state`.
    #[must_use]
    pub fn is_there(state: &Path) -> bool {
        state.join(tables::FILE).symlink_metadata().is_ok()
    }

    /// Returns the approved commands of the project at `root`, which is resolved; sorted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn list(&self, root: &Path) -> Result<Vec<Entry>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT command, folder, network, added, program FROM commands WHERE root = ?1 ORDER BY command, folder";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let rows = query.query_map([root.as_os_str().as_bytes()], |row| {
            let folder: Vec<u8> = row.get(1)?;
            let program: Option<Vec<u8>> = row.get(4)?;
            Ok(Entry {
                command: row.get(0)?,
                folder: PathBuf::from(OsStr::from_bytes(&folder)),
                program: program.map(|program| PathBuf::from(OsStr::from_bytes(&program))),
                network: row.get(2)?,
                added: row.get(3)?,
            })
        });
        rows.map_err(located)?.map(|row| row.map_err(located)).collect()
    }

    /// Adds an entry for the project at `root`, or replaces that of the same command and folder.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add(&mut self, root: &Path, entry: &Entry) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let added = transaction.execute(
                "INSERT OR REPLACE INTO commands (root, folder, command, network, added, program)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    root.as_os_str().as_bytes(),
                    entry.folder.as_os_str().as_bytes(),
                    entry.command,
                    entry.network,
                    entry.added,
                    entry.program.as_ref().map(|program| program.as_os_str().as_bytes())
                ],
            );
            added.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Removes the entries of `command` in the project at `root`; returns their number.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn remove(&mut self, root: &Path, command: &str) -> Result<usize, StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let removed = transaction.execute(
                "DELETE FROM commands WHERE root = ?1 AND command = ?2",
                params![root.as_os_str().as_bytes(), command],
            );
            removed.map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Returns whether the user has trusted the configuration with this `hash` in the project at `root`,
    /// which is resolved.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn trusts(&self, root: &Path, hash: &blake3::Hash) -> Result<bool, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT 1 FROM files WHERE root = ?1 AND hash = ?2";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        query.exists(params![root.as_os_str().as_bytes(), hash.as_bytes()]).map_err(located)
    }

    /// Records that the configuration with this `hash` in the project at `root` is trusted since `added`.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn trust(&mut self, root: &Path, hash: &blake3::Hash, added: i64) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let trusted = transaction.execute(
                "INSERT OR REPLACE INTO files (root, hash, added) VALUES (?1, ?2, ?3)",
                params![root.as_os_str().as_bytes(), hash.as_bytes(), added],
            );
            trusted.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Returns how many commands and configurations of the project at `root`, or of all, are approved or trusted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn count(&self, root: Option<&Path>) -> Result<usize, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let count = |table: &str| {
            let sql = format!("SELECT count(*) FROM {table} WHERE ?1 IS NULL OR root = ?1");
            let root = root.map(|root| root.as_os_str().as_bytes());
            self.store.connection().query_row(&sql, [root], |row| row.get::<_, i64>(0))
        };
        let all = count("commands").map_err(located)? + count("files").map_err(located)?;
        Ok(usize::try_from(all).unwrap_or_default())
    }

    /// Removes every approval and all trust of the project at `root`, or of all projects.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn forget(&mut self, root: Option<&Path>) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let forget = |table: &str| match root {
                Some(root) => {
                    let sql = format!("DELETE FROM {table} WHERE root = ?1");
                    transaction.execute(&sql, [root.as_os_str().as_bytes()])
                }
                None => transaction.execute(&format!("DELETE FROM {table}"), []),
            };
            let forgotten = forget("commands").and_then(|_| forget("files"));
            forgotten.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    /// Removes the trust in every configuration of the project at `root`; returns the number of entries.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn distrust(&mut self, root: &Path) -> Result<usize, StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let removed =
                transaction.execute("DELETE FROM files WHERE root = ?1", [root.as_os_str().as_bytes()]);
            removed.map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }
}
