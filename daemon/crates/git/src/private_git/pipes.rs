//! Finds a pipe in the place of a file that git reads in the work tree: git would wait for it for ever.
//!
//! To visit every folder before each command would cost as much as the command. So the search starts only
//! when a command takes longer than such a command usually does.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

const MAX_NAMES: usize = 1_000_000;

const READ: [&[u8]; 5] = [b".git", b".gitattributes", b".gitignore", b".gitmodules", b".mailmap"];

/// Returns the first pipe below `root` that git opens, also in repositories there: git opens some of
/// their files to recognise them.
pub fn waited_for(root: &Path) -> Option<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    let mut remaining_names = MAX_NAMES;
    while let Some(folder) = folders.pop() {
        let of_git = folder.file_name().is_some_and(|name| name == ".git");
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            remaining_names = remaining_names.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_fifo() && (of_git || READ.contains(&entry.file_name().as_bytes())) {
                return Some(entry.path());
            }
            // git opens only files at the top of such a repository, to recognise it.
            if kind.is_dir() && !of_git {
                folders.push(entry.path());
            }
        }
    }
    None
}
