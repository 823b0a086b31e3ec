//! The reserve of a project's undos: files that an undo took away and for which the journal has no room. They
//! are moved, not copied, so each is on its own file system: alongside the journal, or in the project.
//!
//! A file there has the name of the undo and a number. It goes when the journal forgets the undo.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use clada_store::StoreError;

use super::journals::ProjectJournal;
use super::location;
use crate::operation::UNDO_RESERVE;

impl ProjectJournal {
    /// Returns the folder of the reserve that is on `device`, and makes it; `None` where there is none.
    #[must_use]
    pub fn undo_reserve(&self, device: u64) -> Option<PathBuf> {
        let is_there = |folder: &Path| is_on(folder, device);
        let above = match self.folder().filter(|folder| is_there(folder)) {
            Some(folder) => folder,
            None if is_there(self.root()) => location::prepare(self.root()).ok()?,
            None => return None,
        };
        let folder = above.join(UNDO_RESERVE);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => None,
            // A link would lead elsewhere.
            _ => location::refuse_other(&folder).ok().and_then(|()| folder.canonicalize().ok()),
        }
    }

    /// Returns whether [`ProjectJournal::undo_reserve`] finds a place on `device`.
    #[must_use]
    pub fn has_undo_reserve(&self, device: u64) -> bool {
        is_on(self.root(), device) || self.folder().is_some_and(|folder| is_on(&folder, device))
    }

    /// Returns the bytes of the files in the reserve.
    #[must_use]
    pub fn reserved_bytes(&self) -> u64 {
        let sizes = self.reserved().into_iter().filter_map(|file| file.symlink_metadata().ok());
        sizes.map(|metadata| metadata.len()).sum()
    }

    /// Removes the files in the reserve whose undo is forgotten.
    ///
    /// # Errors
    /// If the journal cannot be read, or a file not be removed.
    pub fn empty_reserve(&self) -> Result<(), StoreError> {
        for file in self.reserved() {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((undo, _)) = name.rsplit_once('-') else { continue };
            let known = self.if_exists(|journal| journal.operation(undo))?;
            if known.flatten().is_none() {
                std::fs::remove_file(&file).map_err(|error| StoreError::io(&error, &file))?;
            }
        }
        Ok(())
    }

    fn reserved(&self) -> Vec<PathBuf> {
        let places = self.folder().into_iter().chain(location::own_in_project(self.root()));
        let files = places.filter_map(|place| std::fs::read_dir(place.join(UNDO_RESERVE)).ok()).flatten();
        files.filter_map(|entry| Some(entry.ok()?.path())).collect()
    }

    pub(super) fn folder(&self) -> Option<PathBuf> {
        let folder = self.if_exists(|journal| Ok(journal.path().parent().map(Path::to_path_buf)));
        folder.ok().flatten().flatten()
    }
}

fn is_on(folder: &Path, device: u64) -> bool {
    folder.metadata().is_ok_and(|metadata| metadata.dev() == device)
}
