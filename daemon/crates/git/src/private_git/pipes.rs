//! Finds what has git wait for ever: a pipe in the place of a file that it reads in the work tree.
//!
//! To look at every folder before each command would cost as much as the command. So it is looked for when a command takes
//! longer than such a command does.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Names that are looked at.
const MAX_NAMES: usize = 1_000_000;

/// Files of a work tree that git opens by their names.
const READ: [&[u8]; 5] = [b".git", b".gitattributes", b".gitignore", b".gitmodules", b".mailmap"];

/// The first pipe below `root` that git opens, also in repositories there, which it looks at to pass over them.
pub fn waited_for(root: &Path) -> Option<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    let mut left = MAX_NAMES;
    while let Some(folder) = folders.pop() {
        let of_git = folder.file_name().is_some_and(|name| name == ".git");
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            left = left.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_fifo() && (of_git || READ.contains(&entry.file_name().as_bytes())) {
                return Some(entry.path());
            }
            // Of a repository only what lies at its top is opened to see that it is one.
            if kind.is_dir() && !of_git {
                folders.push(entry.path());
            }
        }
    }
    None
}
