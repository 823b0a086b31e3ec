//! Paths that are in a snapshot although git ignores them: those that it did not ignore when the operation
//! began, and those that the operation has changed. An answer that makes them ignored takes nothing from undo
//! by that.
//!
//! Reads names alone.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{Roots, Timestamp};

use super::TreeSnapshot;
use super::stamp::FileStamp;
use super::stamps::Stamps;
use super::visit::Visit;

/// Paths that count as not ignored.
#[derive(Debug, Clone, Default)]
pub struct Spared {
    stamps: Option<Stamps>,
    own: HashSet<PathBuf>,
}

impl Spared {
    /// Notes the paths that git does not ignore now in the project of `roots`, unless that was noted before.
    pub fn note(&mut self, roots: &Roots, stopped: &dyn Fn() -> bool) {
        if self.stamps.is_some() {
            return;
        }
        let mut stamps = Vec::new();
        Visit::walk(roots, stopped).run(&mut |entry| {
            if !entry.is_ignored {
                let never = Timestamp { seconds: 0, nanoseconds: 0 };
                stamps.push(Arc::new(FileStamp::named(entry.relative(), &entry.stat, never)));
            }
        });
        self.stamps = Some(stamps.into_iter().collect());
    }

    /// Notes the same from a snapshot.
    pub fn note_snapshot(&mut self, snapshot: &TreeSnapshot) {
        self.stamps.get_or_insert_with(|| snapshot.stamps.clone());
    }

    /// Adds a path from the root that the operation changes.
    pub fn add(&mut self, path: &Path) {
        let above = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        for path in above {
            if !self.own.insert(path.to_path_buf()) {
                break;
            }
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.stamps.as_ref().is_some_and(|stamps| is_among(stamps, path)) || self.own.contains(path)
    }

    pub(super) fn own(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().map(PathBuf::as_path)
    }
}

pub(super) fn is_among(stamps: &Stamps, path: &Path) -> bool {
    stamps.find(path).is_some_and(|stamp| !stamp.is_ignored())
}
