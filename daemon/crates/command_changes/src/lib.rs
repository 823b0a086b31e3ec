//! Finds what a command has changed in a project, from a snapshot before and a walk after.
//!
//! The content of a file that is as it was committed need not be kept: it comes from git afterwards. The
//! contents of the others are kept as far as there is room, so that they can be restored; the rest is
//! reported, before and after. Files that git ignores are left out, since the output of builds is not kept.
//! Those that the operation itself has made ignored are not left out ([`Spared`]).
//!
//! A snapshot costs what changed since the one before it: a file that shows no change is not read
//! ([`CachedSnapshot`]), and only what is new in a snapshot is written ([`LogAppend`]). So a process that
//! follows one that was ended finds out what its command did.
//!
//! Reads files and changes nothing. Knows neither commands nor operations, nor where things are kept.

mod cache;
mod changes;
mod encoding;
mod git;
mod log;
mod repositories;
mod risk;
mod spared;
mod stamp;
mod stamps;
mod take;
mod visit;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use clada_fs::{FsError, RootedPath, Roots, Timestamp};
use clada_watch::{Care, Look, Survey};

pub use cache::{CachedSnapshot, SnapshotCache};
pub use changes::{CommandChanges, PostImages};
pub use git::Git;
pub use log::{LogAppend, LogRecords, NewSnapshot, ReadySnapshot, SavedSnapshot};
pub use repositories::{NewRepositories, Repositories};
pub use risk::{AtRisk, Linked};
pub use spared::Spared;
use stamps::Stamps;
pub use visit::repositories_in;

const HOLES: usize = 100;

/// A snapshot of a project from before a command ran.
#[derive(Debug)]
pub struct TreeSnapshot {
    stamps: Stamps,
    coverage: Coverage,
    now: Timestamp,
    git: Git,
    /// The repositories in the project; `None` if they are not known any more.
    repositories: Option<Repositories>,
    largest: u64,
    log: String,
    survey: Option<(Arc<Survey>, Care)>,
    /// The look that it was taken by, if changes after it are told by parts.
    basis: Option<Basis>,
}

#[derive(Debug, Clone)]
struct Basis {
    look: Look,
    /// The paths whose later changes may not show, and those that could not be read: they are looked at again
    /// whatever the survey tells.
    uncertain: Vec<Box<Path>>,
    room: Room,
    takes: u64,
    lost: usize,
    coverage: Coverage,
    repositories: Repositories,
}

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

const NAMED: usize = 20;

impl TreeSnapshot {
    /// Returns the first of the files, from the root, whose content is not kept, and the number of them.
    #[must_use]
    pub fn not_kept(&self) -> (Vec<String>, usize) {
        if self.basis.as_ref().is_some_and(|basis| basis.lost == 0) {
            return (Vec::new(), 0);
        }
        let lost = self.stamps.iter().filter(|stamp| stamp.is_lost());
        let named = lost.clone().take(NAMED).map(|stamp| stamp.path.to_string_lossy().into_owned());
        (named.collect(), lost.count())
    }

    /// Returns whether it has the entry at `path`, from the root, as one that git does not ignore.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        spared::is_among(&self.stamps, path)
    }

    /// Has it look for changes by the survey of `cache`, with this `care`.
    #[must_use]
    pub fn surveyed(mut self, cache: &SnapshotCache, care: Care) -> TreeSnapshot {
        self.survey = cache.survey().map(|survey| (survey, care));
        self
    }

    /// Returns whether everything was visited.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.coverage.is_all()
    }
}

/// The extent to which a project was visited.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Coverage {
    /// There was more than is visited, or the walk was stopped.
    cut: bool,
    /// The paths that could not be read, as they are written; each includes all that is in it.
    holes: Vec<String>,
    /// The first error of the system that says nothing of the project.
    #[serde(skip)]
    failed: Option<String>,
}

impl Coverage {
    fn is_all(&self) -> bool {
        !self.cut && self.holes.is_empty()
    }

    fn knows(&self, path: &RootedPath) -> bool {
        let path = path.written();
        let within = |hole: &String| {
            path.strip_prefix(hole.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !self.cut && !self.holes.iter().any(within)
    }

    fn add_error(&mut self, error: &FsError) {
        if error.is_of_system() {
            self.failed.get_or_insert_with(|| error.to_string());
        }
        self.add_hole(error.path());
    }

    fn add_hole(&mut self, path: &str) {
        if self.holes.len() < HOLES { self.holes.push(path.to_owned()) } else { self.cut = true }
    }
}

fn resolve(roots: &Roots, path: &Path) -> Option<RootedPath> {
    roots.resolve_recorded(roots.paths().next()?, path).ok()
}
