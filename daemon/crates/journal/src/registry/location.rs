//! The place of a project's journal: in the folder of state, or in the project if that cannot be written.
//!
//! The contents of a project may come from others: no link on the way is followed, and the project is read
//! only if the folder of state cannot be used.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use clada_store::{StoreError, was_begun};
use rustix::io::Errno;

use crate::journal::{Journal, Opened};

const FOLDERS_IN_PROJECT: [&str; 2] = [".clada", "state"];

pub(super) fn open(state: &Path, root: &Path) -> Result<Opened, StoreError> {
    let error = match Journal::open(state, root) {
        Ok(opened) if !opened.journal.is_write_protected() => return Ok(opened),
        Ok(opened) => StoreError::Io {
            path: opened.journal.path().to_path_buf(),
            reason: "it is write-protected".into(),
        },
        // A fault that passes must not lead to a second journal, which nothing reads afterwards.
        Err(StoreError::Io { .. }) if can_be_written(state) => return Journal::open(state, root),
        Err(error @ StoreError::Io { .. }) => error,
        Err(error) => return Err(error),
    };
    let Ok(opened) = prepare(root).and_then(|own| Journal::open(&own, root)) else {
        return Err(error);
    };
    if opened.journal.is_write_protected() { Err(error) } else { Ok(opened) }
}

/// Returns the folder in the project at `root` that replaces the folder of state, if that cannot be written
/// and this can.
#[must_use]
pub fn fallback_folder(state: &Path, root: &Path) -> Option<PathBuf> {
    if can_be_written(state) { None } else { prepare(root).ok() }
}

/// Returns whether a file can be made in `folder`, which is made if need be. True if that is not known, since the system
/// has nothing to open a file with.
fn can_be_written(folder: &Path) -> bool {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    // A file that a process of the same number, or any other, has left there is not written to.
    let _ = std::fs::remove_file(&probe);
    let written =
        created.and_then(|()| OpenOptions::new().write(true).create_new(true).open(&probe)?.write_all(b"."));
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => true,
        Err(error) => {
            matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
        }
    }
}

pub(super) fn is_there(state: &Path, root: &Path) -> bool {
    let own = in_project(root);
    let mut paths = [state, &own].into_iter().map(|state| crate::path(state, root));
    paths.any(|path| path.symlink_metadata().is_ok() || was_begun(&path))
}

pub(super) fn in_project(root: &Path) -> PathBuf {
    FOLDERS_IN_PROJECT.iter().fold(root.to_path_buf(), |path, name| path.join(name))
}

pub(super) fn own_in_project(root: &Path) -> Option<PathBuf> {
    let mut folder = root.to_path_buf();
    for name in FOLDERS_IN_PROJECT {
        folder.push(name);
        refuse_other(&folder).ok()?;
    }
    Some(folder)
}

/// Makes the folder in the project, with a `.gitignore` that hides it. If it cannot, nothing of it stays.
pub(super) fn prepare(root: &Path) -> Result<PathBuf, StoreError> {
    let mut created_folders = Vec::new();
    let prepared = prepare_noting(root, &mut created_folders);
    if prepared.is_err() {
        created_folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    prepared
}

fn prepare_noting(root: &Path, created_folders: &mut Vec<PathBuf>) -> Result<PathBuf, StoreError> {
    let mut folder = root.to_path_buf();
    for name in FOLDERS_IN_PROJECT {
        folder.push(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => created_folders.push(folder.clone()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => refuse_other(&folder)?,
            Err(error) => return Err(StoreError::io(&error, &folder)),
        }
    }
    let projects = crate::folder(&folder);
    let own = crate::path(&folder, root);
    for folder in [Some(projects.as_path()), own.parent()].into_iter().flatten() {
        if folder.symlink_metadata().is_ok() {
            refuse_other(folder)?;
        }
    }
    let ignore = folder.join(".gitignore");
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&ignore) {
        Ok(mut file) => file.write_all(b"*\n").map_err(|error| StoreError::io(&error, &ignore))?,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(StoreError::io(&error, &ignore)),
    }
    Ok(folder)
}

pub(super) fn refuse_other(folder: &Path) -> Result<(), StoreError> {
    let metadata = folder.symlink_metadata().map_err(|error| StoreError::io(&error, folder))?;
    if metadata.is_dir() {
        return Ok(());
    }
    Err(StoreError::Io { path: folder.to_path_buf(), reason: "it is no folder".to_owned() })
}
