//! The rights that an owner has given itself for a moment, so that an undo can look at its files: noted before
//! they are given, so that a process that is killed meanwhile leaves no mode behind.

use std::io::Write as _;

use clada_fs::{Symlinks, open_own, read_regular};
use clada_store::StoreError;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::journals::ProjectJournal;
use crate::operation::JournalPlace;

const NAME: &str = "rights.json";

const LONGEST: u64 = 16 << 20;

/// A mode that is to be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRight {
    /// The file or folder.
    pub place: JournalPlace,
    /// Its mode.
    pub mode: u32,
    /// The mode that it has for the moment.
    pub temporary_mode: u32,
}

/// A given right in the file.
#[derive(Serialize, Deserialize)]
struct SavedRight {
    root: Vec<u8>,
    relative: Vec<u8>,
    mode: u32,
    given: u32,
}

impl ProjectJournal {
    /// Notes `rights`, durably, in place of those before.
    ///
    /// # Errors
    /// If they cannot be noted: then none may be given.
    pub fn note_rights(&self, rights: &[GivenRight]) -> Result<(), StoreError> {
        use std::os::unix::ffi::OsStrExt;
        let Some(folder) = self.folder() else {
            return Err(StoreError::Io { path: NAME.into(), reason: "the journal has no folder".to_owned() });
        };
        let file = folder.join(NAME);
        let located = |error: std::io::Error| StoreError::io(&error, &file);
        if rights.is_empty() {
            return match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(located(error)),
                _ => Ok(()),
            };
        }
        let saved = |right: &GivenRight| SavedRight {
            root: right.place.root.as_os_str().as_bytes().to_vec(),
            relative: right.place.relative.as_os_str().as_bytes().to_vec(),
            mode: right.mode,
            given: right.temporary_mode,
        };
        let saved: Vec<SavedRight> = rights.iter().map(saved).collect();
        // Renamed when it is complete: half of it would give nothing back.
        let new = folder.join(format!("{NAME}.new"));
        let written = || {
            let mut open = open_own(&new)?;
            open.set_len(0)?;
            open.write_all(&crate::json(&saved))?;
            open.sync_all()?;
            std::fs::rename(&new, &file)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(rustix::fs::fsync(rustix::fs::open(&folder, flags, Mode::empty())?)?)
        };
        written().map_err(located)
    }

    /// Returns the rights that a process noted and did not give back.
    #[must_use]
    pub fn noted_rights(&self) -> Vec<GivenRight> {
        let Some(folder) = self.folder() else { return Vec::new() };
        let read = read_regular(&folder.join(NAME), Symlinks::Refuse, LONGEST).ok();
        let saved: Vec<SavedRight> =
            read.and_then(|read| serde_json::from_slice(&read).ok()).unwrap_or_default();
        let right = |saved: SavedRight| GivenRight {
            place: JournalPlace::from_bytes(&saved.root, &saved.relative),
            mode: saved.mode,
            temporary_mode: saved.given,
        };
        saved.into_iter().map(right).collect()
    }
}
