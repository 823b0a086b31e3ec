//! A snapshot of a project: what was there, and how much of it is known.

use std::path::Path;
use std::sync::Arc;

use clada_fs::Timestamp;
use clada_watch::{Care, Survey};

use super::cache::SnapshotCache;
use super::coverage::{Basis, Coverage};
use super::git::Git;
use super::repositories::Repositories;
use super::stamps::Stamps;

const NAMED: usize = 20;

/// A snapshot of a project from before a command ran.
#[derive(Debug)]
pub struct TreeSnapshot {
    pub(super) stamps: Stamps,
    pub(super) coverage: Coverage,
    pub(super) now: Timestamp,
    pub(super) git: Git,
    /// The repositories in the project; `None` if they are not known any more.
    pub(super) repositories: Option<Repositories>,
    pub(super) largest: u64,
    pub(super) log: String,
    pub(super) survey: Option<(Arc<Survey>, Care)>,
    // The look that it was taken by, if changes after it are reported by parts.
    pub(super) basis: Option<Basis>,
}

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
        self.stamps.has(path)
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
