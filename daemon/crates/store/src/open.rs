//! Opens a store, whatever the state of its file.

#![allow(clippy::disallowed_methods, reason = "the folder of state is clada's own and beneath no root")]

use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clada_fs::{Symlinks, is_regular_or_missing, open_regular};
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::migrate::Schema;
use super::store::{Access, Store};

const BUSY: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(5);

const BEGUN: &str = ".begun";

const SET_ASIDE: u32 = 1_000;

/// An open store, with the facts about its former state that the user should know.
#[derive(Debug)]
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The path that a damaged store was moved to, if this one was begun in its place.
    pub set_aside: Option<PathBuf>,
    /// True if there was a store before, whose file was removed.
    pub removed: bool,
    /// True if the last process did not close it, or another process has it open.
    pub unclean: bool,
}

impl Store {
    /// Opens the store in the file `path`, or begins it. Its folder is made if missing, for its owner alone.
    ///
    /// A damaged file is set aside and a new one begun; a new one is begun also if the file was removed. A
    /// file counts as damaged if two connections find it so and all of it can be read. A file that a newer
    /// version wrote is opened for reading.
    ///
    /// # Errors
    /// If the file or its folder cannot be used.
    pub fn open(path: &Path, schema: &Schema) -> Result<Opened, StoreError> {
        let mut path = path.to_path_buf();
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            // SQLite follows no link, which covers the folders above, too: a home may well be
            // behind one.
            let resolved = created.and_then(|()| std::fs::canonicalize(folder));
            path = resolved.map_err(|error| StoreError::io(&error, folder))?.join(name);
        }
        let path = path.as_path();
        let unclean = sibling(path, "-wal").symlink_metadata().is_ok_and(|log| log.len() > 0);
        let removed = was_begun(path) && path.symlink_metadata().is_err_and(|error| is_missing(&error));
        if removed {
            // SQLite would delete the removed file's last writes.
            set_aside(path)?;
        }
        match look_twice(path, || Self::open_as_it_is(path, schema)) {
            Ok(store) => Ok(Opened { store, set_aside: None, removed, unclean: unclean && !removed }),
            Err(StoreError::Damaged { .. }) => {
                let set_aside = set_aside(path)?;
                let store = Self::open_as_it_is(path, schema)?;
                Ok(Opened { store, set_aside: Some(set_aside), removed, unclean: false })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the existing store in the file `path`. A damaged one stays where it is.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open_existing(path: &Path, schema: &Schema) -> Result<Store, StoreError> {
        let resolved = std::fs::canonicalize(path).map_err(|error| StoreError::io(&error, path))?;
        Self::open_as_it_is(&resolved, schema)
    }

    fn open_as_it_is(path: &Path, schema: &Schema) -> Result<Store, StoreError> {
        // Two processes that begin a store at once collide where SQLite does not wait, when they choose its
        // journal mode.
        let begun = Instant::now();
        loop {
            match Self::open_at_once(path, schema) {
                Err(StoreError::Busy { .. }) if begun.elapsed() < BUSY => std::thread::sleep(PAUSE),
                outcome => return outcome,
            }
        }
    }

    fn open_at_once(path: &Path, schema: &Schema) -> Result<Store, StoreError> {
        if was_emptied(path) {
            return Err(StoreError::nonsense(path, "the file is empty, and was not"));
        }
        let located = |error: rusqlite::Error| StoreError::from_sqlite(&error, path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_EXRESCODE;
        // For its owner alone, whatever the folder's mode; SQLite gives the files next to it the same mode.
        // An existing file, or one that cannot be made, is SQLite's to open or to refuse.
        let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        // SQLite opens these by their names, and would wait for a pipe.
        for file in ["", "-wal", "-shm", "-journal"].map(|ending| sibling(path, ending)) {
            if !is_regular_or_missing(&file) {
                return Err(StoreError::Io { path: file, reason: "it is not a regular file".to_owned() });
            }
        }
        let mut connection = Connection::open_with_flags(path, flags).map_err(located)?;
        connection.busy_timeout(BUSY).map_err(located)?;
        // Takes effect only in a new store: deleted pages can then be given back to the file system, some at
        // a time.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(located)?;
        // The write-ahead log needs shared memory, which does not work between machines.
        let mode = if is_remote(path) { "TRUNCATE" } else { "WAL" };
        connection
            .pragma_update_and_check(None, "journal_mode", mode, |row| row.get::<_, String>(0))
            .map_err(located)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(located)?;
        connection.pragma_update(None, "trusted_schema", false).map_err(located)?;
        let access = schema.apply(&mut connection, path, was_begun(path))?;
        note_begun(path);
        if access == Access::ReadOnly {
            connection.pragma_update(None, "query_only", true).map_err(located)?;
        }
        Ok(Store { connection, path: path.to_path_buf(), access })
    }

    /// Reads the whole store to check that it is sound. Takes time: call it on a thread of its own, with a
    /// store of its own.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is not.
    pub fn check(&self) -> Result<(), StoreError> {
        let answer: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| StoreError::from_sqlite(&error, &self.path))?;
        if answer == "ok" { Ok(()) } else { Err(StoreError::nonsense(&self.path, answer)) }
    }
}

/// Does `look`, which opens the store at `path` with a connection of its own, and once more if it finds the
/// store damaged: a read that fails once can look like damage.
///
/// # Errors
/// [`StoreError::Damaged`] if both find it damaged and its files can be read; any other error of `look`.
pub fn look_twice<T>(path: &Path, look: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    match look() {
        Err(StoreError::Damaged { .. }) => {}
        outcome => return outcome,
    }
    let outcome = look();
    if matches!(outcome, Err(StoreError::Damaged { .. })) {
        require_readable(path)?;
    }
    outcome
}

/// Reads the files of the store at `path` to their ends.
///
/// # Errors
/// If the medium cannot be read: then nothing is known of what it holds.
pub fn require_readable(path: &Path) -> Result<(), StoreError> {
    for file in [path.to_path_buf(), sibling(path, "-wal")] {
        let read = open_regular(&file, Symlinks::Refuse)
            .and_then(|mut open| std::io::copy(&mut open, &mut std::io::sink()));
        match read {
            Err(error) if !is_missing(&error) => return Err(StoreError::io(&error, &file)),
            _ => {}
        }
    }
    Ok(())
}

/// Renames the file at `path`, if it exists, and SQLite's files next to it, so that the name marks it as
/// damaged.
///
/// # Errors
/// If it cannot be renamed.
pub fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    for number in 1..=SET_ASIDE {
        let aside = sibling(path, &format!(".damaged-{number}"));
        if aside.symlink_metadata().is_ok() {
            continue;
        }
        match std::fs::rename(path, &aside) {
            Err(error) if !is_missing(&error) => return Err(StoreError::io(&error, path)),
            _ => {}
        }
        let _ = std::fs::remove_file(sibling(path, BEGUN));
        for suffix in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::rename(sibling(path, suffix), sibling(&aside, suffix));
        }
        return Ok(aside);
    }
    Err(StoreError::nonsense(path, "it was damaged too often; look into its folder"))
}

fn note_begun(path: &Path) {
    // A store that is emptied later must not look like a new one.
    // If the mark cannot be written, the store works without.
    let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(sibling(path, BEGUN));
}

/// Returns whether a store was begun at `path`, even if its file is gone since.
#[must_use]
pub fn was_begun(path: &Path) -> bool {
    sibling(path, BEGUN).symlink_metadata().is_ok()
}

fn is_missing(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

fn was_emptied(path: &Path) -> bool {
    let length = |path: &Path| path.symlink_metadata().ok().map(|data| data.len());
    let log = length(&sibling(path, "-wal")).unwrap_or(0);
    length(path) == Some(0) && (log > 0 || was_begun(path))
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_remote(path: &Path) -> bool {
    /// The `f_type` of NFS, SMB, SMB2, CIFS, AFS, Coda, Ceph, 9P, NCP (statfs(2)).
    const REMOTE: [u32; 9] = [
        0x6969,
        0x517B,
        0xFE53_4D42,
        0xFF53_4D42,
        0x5346_414F,
        0x7375_7245,
        0x00C3_6400,
        0x0102_1997,
        0x564C,
    ];
    let folder = path.parent().unwrap_or(path);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "magic numbers have 32 bits")]
    rustix::fs::statfs(folder).is_ok_and(|stats| REMOTE.contains(&(stats.f_type as u32)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_remote(_path: &Path) -> bool {
    false
}
