//! What could not be brought back if a command changed it: told before a person lets the command run.
//!
//! Reads no file: what there would be room for is known from sizes.

use super::{BYTES, FILE, Met, committed_by, walk};
use crate::fs::{FileKind, Roots};
use crate::git::CleanFiles;

/// Paths that are named; the others are counted.
const NAMED: usize = 20;

/// What a command could take away for good.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtRisk {
    /// The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
    pub paths: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// Whether everything was looked at.
    pub complete: bool,
}

impl AtRisk {
    /// Looks at the project of `roots`, which may look at every path; `clean` knows what git has of it.
    #[must_use]
    pub fn of(roots: &Roots, clean: Option<&CleanFiles>, stopped: &dyn Fn() -> bool) -> AtRisk {
        let mut found = AtRisk::default();
        let mut room = BYTES;
        let complete = walk(roots, stopped, &mut |met| {
            let (path, is_folder) = match met {
                Met::Ignored(path, stat) => (path, stat.kind == FileKind::Directory),
                Met::Entry(path, stat) => {
                    if stat.kind != FileKind::File || committed_by(roots, clean, &path, &stat).is_some() {
                        return;
                    }
                    if stat.size <= FILE.min(room) {
                        room -= stat.size;
                        return;
                    }
                    (path, false)
                }
            };
            found.count += 1;
            if found.paths.len() < NAMED {
                let shown = path.relative().to_string_lossy().into_owned();
                found.paths.push(if is_folder { shown + "/" } else { shown });
            }
        });
        AtRisk { complete, ..found }
    }
}
