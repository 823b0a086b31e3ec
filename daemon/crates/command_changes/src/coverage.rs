//! The extent to which a project was visited, and what a later visit can build on.

use std::path::Path;

use clada_fs::{FsError, RootedPath, Roots};
use clada_watch::Look;

use super::repositories::Repositories;

const HOLES: usize = 100;

/// The room for contents that git does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The most bytes of one file that are kept.
    pub file: u64,
    /// The most bytes of all files that are kept.
    pub bytes: u64,
}

impl Room {
    /// The room of a command's snapshot.
    pub const COMMAND: Room = Room { file: 4 << 20, bytes: 64 << 20 };
}

#[derive(Debug, Clone)]
pub(super) struct Basis {
    pub(super) look: Look,
    /// The paths whose later changes may not show, and those that could not be read: they are looked at again
    /// whatever the survey tells.
    pub(super) uncertain: Vec<Box<Path>>,
    pub(super) room: Room,
    pub(super) takes: u64,
    pub(super) lost: usize,
    pub(super) coverage: Coverage,
    pub(super) repositories: Repositories,
}

/// The extent to which a project was visited.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Coverage {
    /// There was more than is visited, or the walk was stopped.
    pub(super) cut: bool,
    /// The paths that could not be read, as they are written; each includes all that is in it.
    pub(super) holes: Vec<String>,
    /// The first error of the system that says nothing of the project.
    #[serde(skip)]
    pub(super) failed: Option<String>,
}

impl Coverage {
    pub(super) fn is_all(&self) -> bool {
        !self.cut && self.holes.is_empty()
    }

    pub(super) fn knows(&self, path: &RootedPath) -> bool {
        let path = path.written();
        let within = |hole: &String| {
            path.strip_prefix(hole.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !self.cut && !self.holes.iter().any(within)
    }

    pub(super) fn add_error(&mut self, error: &FsError) {
        if error.is_of_system() {
            self.failed.get_or_insert_with(|| error.to_string());
        }
        self.add_hole(error.path());
    }

    pub(super) fn add_hole(&mut self, path: &str) {
        if self.holes.len() < HOLES { self.holes.push(path.to_owned()) } else { self.cut = true }
    }
}

pub(super) fn resolve(roots: &Roots, path: &Path) -> Option<RootedPath> {
    roots.resolve_recorded(roots.paths().next()?, path).ok()
}
