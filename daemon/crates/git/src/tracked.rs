//! Lists the files that git tracks from its index alone: opens no repository, and reads
//! nothing but the index file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::{Index, IndexEntryExtendedFlag};

use super::error::{Doing, GitError};

const DOING: &str = "read the index";

const MAX_INDEX: u64 = 1 << 30;

const REGULAR: u32 = 0o100_000;

/// The mode of links in the index. A regular file may have replaced one by now.
const LINK: u32 = 0o120_000;

/// Calls `visit` with every file and link that the index at `file` has beneath `way`, relative to it, in the
/// order of the paths' bytes. Does nothing if there is no index.
///
/// # Errors
/// If the index cannot be parsed.
pub fn tracked(file: &Path, way: &Path, visit: &mut dyn FnMut(&Path)) -> Result<(), GitError> {
    let Some(index) = index_at(file)? else { return Ok(()) };
    let mut last = PathBuf::new();
    for entry in index.iter() {
        let path = Path::new(OsStr::from_bytes(&entry.path));
        let Ok(path) = path.strip_prefix(way) else { continue };
        // The index lists a path in conflict up to three times.
        if matches!(entry.mode & 0o170_000, REGULAR | LINK) && path != last {
            path.clone_into(&mut last);
            visit(path);
        }
    }
    Ok(())
}

/// Returns the files beneath `way`, relative to it, that the index at `file` has and a sparse checkout leaves
/// out. There are none without a sparse checkout.
///
/// # Errors
/// If the index cannot be parsed.
pub fn not_checked_out(file: &Path, way: &Path) -> Result<HashSet<PathBuf>, GitError> {
    if !file.with_file_name("info").join("sparse-checkout").is_file() {
        return Ok(HashSet::new());
    }
    let Some(index) = index_at(file)? else { return Ok(HashSet::new()) };
    let skipped = IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
    let entries = index.iter().filter(|entry| entry.flags_extended & skipped != 0);
    let paths = entries.map(|entry| PathBuf::from(OsStr::from_bytes(&entry.path)));
    Ok(paths.filter_map(|path| path.strip_prefix(way).map(Path::to_path_buf).ok()).collect())
}

fn index_at(file: &Path) -> Result<Option<Index>, GitError> {
    match file.symlink_metadata() {
        Ok(stat) if stat.is_file() && stat.len() <= MAX_INDEX => Index::open(file).doing(DOING).map(Some),
        _ => Ok(None),
    }
}
