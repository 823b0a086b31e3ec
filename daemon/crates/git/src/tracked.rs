//! Lists the files that git tracks from its index alone: opens no repository, and reads
//! nothing but the index file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::Index;

use super::error::{Doing, GitError};

const DOING: &str = "read the index";

/// The most bytes of an index that is read.
const MAX_INDEX: u64 = 1 << 30;

/// The mode of regular files in the index.
const REGULAR: u32 = 0o100_000;

/// The mode of links in the index. A regular file may have replaced one by now.
const LINK: u32 = 0o120_000;

/// Calls `visit` with every file and link that the index at `file` has beneath `way`, relative to it, in the
/// order of the paths' bytes. Does nothing if there is no index.
///
/// # Errors
/// If the index cannot be parsed.
pub fn tracked(file: &Path, way: &Path, visit: &mut dyn FnMut(&Path)) -> Result<(), GitError> {
    let Ok(metadata) = file.symlink_metadata() else { return Ok(()) };
    if !metadata.is_file() || metadata.len() > MAX_INDEX {
        return Ok(());
    }
    let index = Index::open(file).doing(DOING)?;
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
