//! The commands that the user has approved for good, and the configurations of projects that the user has
//! trusted.
//!
//! A command needs two entries: one in the project's `.clada/allowed-commands.json`, which is meant for
//! version control and so may be another author's, and one in the user's own store, which only the user's
//! approval gets into. The file alone is a proposal; the store alone is not enough either, so that removing a
//! command from the file revokes it. Only the store holds the file of a command's program: paths are a
//! machine's own, and the proposal is shared. A configuration is trusted by its hash, so that the user is
//! asked about a changed file again. Knows no requests and starts nothing.

mod proposal;
mod tables;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_config::Trusting;
use clada_fs::FolderIdentity;
use rusqlite::{OptionalExtension, params};

pub(crate) use proposal::{Proposal, ProposalError};

use clada_store::{Durable, Store, StoreError};

// A command that the user has approved for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustEntry {
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

struct RecordedFolder<'a> {
    root: &'a Path,
    identity: Option<FolderIdentity>,
}

impl<'a> RecordedFolder<'a> {
    fn at(root: &'a Path) -> RecordedFolder<'a> {
        RecordedFolder { root, identity: FolderIdentity::read(root) }
    }

    fn is(&self, owner: Option<&str>) -> bool {
        let Some(owner) = owner else { return true };
        let before = owner.parse::<FolderIdentity>();
        before.is_ok_and(|before| self.identity.is_some_and(|now| before.is_still_at(self.root, &now)))
    }

    fn identity_text(&self) -> Option<String> {
        self.identity.map(|identity| identity.to_string())
    }
}

// The user's own list.
#[derive(Debug)]
pub(crate) struct TrustStore {
    store: Store,
}

impl TrustStore {
    pub(crate) fn open(state: &Path) -> Result<TrustStore, StoreError> {
        Ok(TrustStore { store: Store::open(&state.join(tables::FILE), &tables::USER)?.store })
    }

    #[must_use]
    pub(crate) fn is_there(state: &Path) -> bool {
        state.join(tables::FILE).symlink_metadata().is_ok()
    }

    // Returns the approved commands of the project at `root`, which is resolved; sorted.
    pub(crate) fn list(&self, root: &Path) -> Result<Vec<TrustEntry>, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT command, folder, network, added, program, identity FROM commands WHERE root = ?1 \
                   ORDER BY command, folder";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let rows = query.query_map([root.as_os_str().as_bytes()], |row| {
            let folder: Vec<u8> = row.get(1)?;
            let program: Option<Vec<u8>> = row.get(4)?;
            let entry = TrustEntry {
                command: row.get(0)?,
                folder: PathBuf::from(OsStr::from_bytes(&folder)),
                program: program.map(|program| PathBuf::from(OsStr::from_bytes(&program))),
                network: row.get(2)?,
                added: row.get(3)?,
            };
            Ok((entry, row.get(5)?))
        });
        let rows: Vec<(TrustEntry, Option<String>)> =
            rows.map_err(located)?.collect::<Result<_, _>>().map_err(located)?;
        let folder = RecordedFolder::at(root);
        Ok(rows
            .into_iter()
            .filter(|(_, owner)| folder.is(owner.as_deref()))
            .map(|(entry, _)| entry)
            .collect())
    }

    pub(crate) fn add(&mut self, root: &Path, entry: &TrustEntry) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let added = transaction.execute(
                "INSERT OR REPLACE INTO commands (root, folder, command, network, added, program, identity)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    root.as_os_str().as_bytes(),
                    entry.folder.as_os_str().as_bytes(),
                    entry.command,
                    entry.network,
                    entry.added,
                    entry.program.as_ref().map(|program| program.as_os_str().as_bytes()),
                    RecordedFolder::at(root).identity_text()
                ],
            );
            added.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    pub(crate) fn remove(&mut self, root: &Path, command: &str) -> Result<usize, StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let removed = transaction.execute(
                "DELETE FROM commands WHERE root = ?1 AND command = ?2",
                params![root.as_os_str().as_bytes(), command],
            );
            removed.map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    // Returns whether the user has trusted the configuration with this `hash` in the project at `root`,
    // which is resolved.
    pub(crate) fn trusts(&self, root: &Path, hash: &blake3::Hash) -> Result<bool, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let sql = "SELECT identity FROM files WHERE root = ?1 AND hash = ?2";
        let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
        let row = query.query_row(params![root.as_os_str().as_bytes(), hash.as_bytes()], |row| row.get(0));
        let owner: Option<Option<String>> = row.optional().map_err(located)?;
        Ok(owner.is_some_and(|owner| RecordedFolder::at(root).is(owner.as_deref())))
    }

    pub(crate) fn trust(&mut self, root: &Path, hash: &blake3::Hash, added: i64) -> Result<(), StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let trusted = transaction.execute(
                "INSERT OR REPLACE INTO files (root, hash, added, identity) VALUES (?1, ?2, ?3, ?4)",
                params![
                    root.as_os_str().as_bytes(),
                    hash.as_bytes(),
                    added,
                    RecordedFolder::at(root).identity_text()
                ],
            );
            trusted.map(drop).map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }

    // Gives what was approved in the folder at `root` to that path: from before identities were recorded, and
    // what was approved where the folder was before. `from` is that path if the user has said so.
    pub(crate) fn settle(&mut self, root: &Path, from: Option<&Path>) -> Result<(), StoreError> {
        let RecordedFolder { identity: Some(now), .. } = RecordedFolder::at(root) else { return Ok(()) };
        let path = self.store.path().to_path_buf();
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, &path);
        let owners: Vec<(PathBuf, Option<String>)> = {
            let sql = "SELECT root, identity FROM commands UNION SELECT root, identity FROM files";
            let mut query = self.store.connection().prepare_cached(sql).map_err(located)?;
            let rows = query.query_map([], |row| {
                let root: Vec<u8> = row.get(0)?;
                Ok((PathBuf::from(OsStr::from_bytes(&root)), row.get(1)?))
            });
            rows.map_err(located)?.collect::<Result<_, _>>().map_err(located)?
        };
        let is_own = |(at, owner): &(PathBuf, Option<String>)| {
            let before = owner.as_deref().and_then(|owner| owner.parse::<FolderIdentity>().ok());
            match before {
                _ if at == root && owner.is_none() => true,
                Some(before) if at == root => before != now && before.is_still_at(root, &now),
                Some(before) => {
                    let is_named = from == Some(at.as_path()) && before.may_be(&now);
                    (is_named || before.is_certainly(&now)) && !RecordedFolder::at(at).is(owner.as_deref())
                }
                None => false,
            }
        };
        let own: Vec<_> = owners.into_iter().filter(is_own).collect();
        if own.is_empty() {
            return Ok(());
        }
        let now = now.to_string();
        self.store.write(Durable::Yes, |transaction| {
            for (at, owner) in &own {
                let (at, root) = (at.as_os_str().as_bytes(), root.as_os_str().as_bytes());
                let beneath = [at, b"/"].concat();
                // Folders and programs in the project are at their new paths.
                let moved = |column: &str| {
                    format!(
                        "{column} = CASE WHEN {column} = ?1 OR substr({column}, 1, length(?5)) = ?5
                         THEN CAST(?2 || substr({column}, length(?1) + 1) AS BLOB) ELSE {column} END"
                    )
                };
                let (folder, program) = (moved("folder"), moved("program"));
                let commands = format!(
                    "UPDATE OR REPLACE commands SET root = ?2, identity = ?3, {folder}, {program}
                     WHERE root = ?1 AND identity IS ?4"
                );
                let files = "UPDATE OR REPLACE files SET root = ?2, identity = ?3 \
                             WHERE root = ?1 AND identity IS ?4";
                let updated = transaction
                    .execute(&commands, params![at, root, now, owner, beneath])
                    .and_then(|_| transaction.execute(files, params![at, root, now, owner]));
                updated.map_err(|error| StoreError::from_sqlite(&error, &path))?;
            }
            Ok(())
        })
    }

    // Returns how many commands and configurations of the project at `root`, or of all, are approved or trusted.
    pub(crate) fn count(&self, root: Option<&Path>) -> Result<usize, StoreError> {
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, self.store.path());
        let count = |table: &str| {
            let sql = format!("SELECT count(*) FROM {table} WHERE ?1 IS NULL OR root = ?1");
            let root = root.map(|root| root.as_os_str().as_bytes());
            self.store.connection().query_row(&sql, [root], |row| row.get::<_, i64>(0))
        };
        let all = count("commands").map_err(located)? + count("files").map_err(located)?;
        Ok(usize::try_from(all).unwrap_or_default())
    }

    pub(crate) fn forget(&mut self, root: Option<&Path>) -> Result<(), StoreError> {
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

    pub(crate) fn distrust(&mut self, root: &Path) -> Result<usize, StoreError> {
        let path = self.store.path().to_path_buf();
        self.store.write(Durable::Yes, |transaction| {
            let removed =
                transaction.execute("DELETE FROM files WHERE root = ?1", [root.as_os_str().as_bytes()]);
            removed.map_err(|error| StoreError::from_sqlite(&error, &path))
        })
    }
}

// Answers the configuration's question: is a project's file trusted as it is? The store in the folder of state is opened
// for each question: only a file that wants more than a project may have leads to one, and entries of another process
// count at once. Where the store cannot be read nothing is trusted.
#[derive(Debug)]
pub(crate) struct TrustedFiles {
    state: PathBuf,
}

impl TrustedFiles {
    #[must_use]
    pub(crate) fn new(state: PathBuf) -> TrustedFiles {
        TrustedFiles { state }
    }

    fn look(&self, root: &Path, hash: &blake3::Hash) -> Option<bool> {
        let root = root.canonicalize().ok()?;
        TrustStore::open(&self.state).ok()?.trusts(&root, hash).ok()
    }
}

impl Trusting for TrustedFiles {
    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool {
        TrustStore::is_there(&self.state) && self.look(root, hash).unwrap_or(false)
    }
}
