//! Forgetting: what is kept of a project is deleted at a user's wish.
//!
//! A record is the folder of a project in the folder of state. It is renamed first, which happens whole or not
//! at all, and then deleted: what is cut off between the two is deleted by the next daemon. The caller holds
//! the lock of the project's root, if that is there still.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use clada_store::StoreError;
use rustix::fs::{Mode, OFlags};

use super::journals::JournalRegistry;
use super::location;
use crate::journal::Journal;
use crate::operation::UNDO_RESERVE;

const FORGOTTEN: &str = "forgotten";

/// What is kept of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The folder that holds it.
    pub folder: PathBuf,
    /// The root of the project, as far as its journal says.
    pub root: Option<PathBuf>,
    /// The bytes of its files.
    pub bytes: u64,
}

impl JournalRegistry {
    /// Returns what is kept of the project at `root`, which need not be there any more.
    #[must_use]
    pub(crate) fn record(&self, root: &Path) -> Option<Record> {
        let folder = crate::path(&self.0.state, root).parent()?.to_path_buf();
        let is_there = folder.symlink_metadata().is_ok_and(|stat| stat.is_dir());
        is_there.then(|| Record { bytes: bytes_below(&folder), root: Some(root.to_path_buf()), folder })
    }

    /// Returns what is kept of the project at `root`, and of other folders that were at that path before.
    #[must_use]
    pub fn records_at(&self, root: &Path) -> Vec<Record> {
        let displaced = self.displaced(root).into_iter();
        let displaced = displaced.map(|folder| Record {
            bytes: bytes_below(&folder),
            root: Some(root.to_path_buf()),
            folder,
        });
        self.record(root).into_iter().chain(displaced).collect()
    }

    /// Returns what is kept of all projects, by their roots.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        let Ok(entries) = std::fs::read_dir(crate::folder(&self.0.state)) else { return Vec::new() };
        let folders = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.symlink_metadata().is_ok_and(|stat| stat.is_dir()));
        let mut records: Vec<Record> = folders
            .map(|folder| Record { root: root_of(&folder), bytes: bytes_below(&folder), folder })
            .collect();
        records.sort_by(|one, other| (&one.root, &one.folder).cmp(&(&other.root, &other.folder)));
        records
    }

    /// Returns the bytes of everything in the folder of state.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        bytes_below(&self.0.state)
    }

    /// Forgets a record: it is gone when this returns, and its files are deleted.
    ///
    /// # Errors
    /// If it cannot be renamed; then it is as it was.
    pub fn forget(&self, record: &Record) -> Result<(), StoreError> {
        let aside = self.0.state.join(FORGOTTEN);
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&aside);
        created.map_err(|error| StoreError::io(&error, &aside))?;
        let name = record.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new = |number: usize| aside.join(format!("{name}-{number}"));
        // Another one of that name may be left from before.
        let to = (0..).map(new).find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| new(0));
        let renamed = std::fs::rename(&record.folder, &to);
        renamed.map_err(|error| StoreError::io(&error, &record.folder))?;
        for folder in [record.folder.parent().unwrap_or(&aside), &aside] {
            sync(folder).map_err(|error| StoreError::io(&error, folder))?;
        }
        if let Some(own) = record.root.as_deref().and_then(location::own_in_project) {
            let reserve = own.join(UNDO_RESERVE);
            let removed = std::fs::remove_dir_all(&reserve).map_err(|error| StoreError::io(&error, &reserve));
            let _ = removed.inspect_err(|error| tracing::debug!(%error, "no reserve is deleted"));
        }
        self.sweep_forgotten();
        Ok(())
    }

    /// Deletes the files of records that were forgotten.
    pub fn sweep_forgotten(&self) {
        let aside = self.0.state.join(FORGOTTEN);
        match std::fs::remove_dir_all(&aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(folder = %aside.display(), %error, "files of a forgotten record are left");
            }
        }
    }
}

fn root_of(folder: &Path) -> Option<PathBuf> {
    let file = folder.join(crate::FILE);
    file.symlink_metadata().ok().filter(|stat| stat.len() > 0)?;
    Journal::open_file(&file).ok()?.root().ok()?
}

fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let size = |path: PathBuf| match path.symlink_metadata() {
        Ok(stat) if stat.is_dir() => bytes_below(&path),
        Ok(stat) => stat.len(),
        Err(_) => 0,
    };
    entries.filter_map(|entry| Some(size(entry.ok()?.path()))).sum()
}

fn sync(folder: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::open(folder, flags, Mode::empty())?;
    Ok(rustix::fs::fsync(folder)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_goes_whole_and_what_was_cut_off_is_deleted_later() {
        let top = tempfile::tempdir().unwrap();
        let state = top.path().join("state");
        let registry = JournalRegistry::new(state.clone());
        assert_eq!(registry.records(), []);
        let roots = [Path::new("/nowhere/a"), Path::new("/nowhere/b")];
        let journals = roots.map(|root| registry.journal(root));
        for journal in &journals {
            journal.with(|_| Ok(())).unwrap();
        }
        let records = registry.records();
        assert_eq!(records.iter().map(|record| record.root.as_deref()).collect::<Vec<_>>(), roots.map(Some));
        let record = registry.record(roots[0]).unwrap();
        assert_eq!(record.folder, records[0].folder);
        assert!(record.bytes > 0);
        drop(journals[0].take_open());
        registry.forget(&record).unwrap();
        assert_eq!((registry.record(roots[0]), registry.records().len()), (None, 1));
        assert!(!state.join(FORGOTTEN).exists());
        // A new one begins, and nobody is told of a loss.
        journals[0].with(|_| Ok(())).unwrap();
        assert!(journals[0].take_warnings().is_empty() && registry.record(roots[0]).is_some());
        // A daemon that died after the rename.
        std::fs::create_dir_all(state.join(FORGOTTEN).join("x-0/y")).unwrap();
        registry.sweep_forgotten();
        assert!(!state.join(FORGOTTEN).exists());
        assert_eq!(registry.records().len(), 2);
    }
}
