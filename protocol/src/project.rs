//! The rule for the folder that is a project when none is named (spec: safety, "Paths").
//!
//! Client and daemon both follow it. Nothing here reads the file system or the environment: the caller has
//! read what it asks for.

use std::path::{Path, PathBuf};

/// The marks of a project's folder.
pub const MARKS: [&str; 2] = [".clada", ".git"];

/// Folders for temporary files that every system has.
pub const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The folders that hold more than a project, and are never inferred.
#[derive(Debug, Clone, Default)]
pub struct Broad {
    /// Home folders, by every name; the folders above them count too.
    pub homes: Vec<PathBuf>,
    /// Temporary folders themselves, by every name.
    pub temporary: Vec<PathBuf>,
}

impl Broad {
    /// Returns whether `folder` is one of them.
    #[must_use]
    pub fn holds(&self, folder: &Path) -> bool {
        self.above_everything(folder) || self.temporary.iter().any(|temporary| temporary == folder)
    }

    /// Returns whether `folder` is the whole file system, a home folder, or holds one.
    #[must_use]
    pub fn above_everything(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.homes.iter().any(|home| home.starts_with(folder))
    }

    /// Returns the project of a working directory: the nearest folder with a mark, else itself, but none of
    /// these folders.
    pub fn project<'a>(&self, cwd: &'a Path, marked: impl Fn(&Path) -> bool) -> Option<&'a Path> {
        let nearest = cwd.ancestors().find(|folder| !self.holds(folder) && marked(folder));
        nearest.or_else(|| (!self.holds(cwd)).then_some(cwd))
    }
}
