//! Paths that are in a snapshot although git ignores them: those that it did not ignore when the operation
//! began, and those that the operation has changed. An answer that makes them ignored takes nothing from undo
//! by that.
//!
//! Reads names alone.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{Roots, Timestamp};

use super::sight::Sight;
use super::{Survey, walk};

/// Paths that count as not ignored.
#[derive(Debug, Clone, Default)]
pub struct Spared {
    /// In the order of the bytes of their paths; `None` if they were not noted yet.
    sights: Option<Vec<Arc<Sight>>>,
    /// The paths that the operation has changed, and the folders above them.
    own: HashSet<PathBuf>,
}

impl Spared {
    /// Notes the paths that git does not ignore now in the project of `roots`, unless that was noted before.
    pub fn note(&mut self, roots: &Roots, stopped: &dyn Fn() -> bool) {
        if self.sights.is_some() {
            return;
        }
        let mut sights = Vec::new();
        walk(roots, None, stopped, &mut |met| {
            if !met.is_ignored {
                let never = Timestamp { seconds: 0, nanoseconds: 0 };
                sights.push(Arc::new(Sight::named(&met.path, &met.stat, never)));
            }
        });
        self.sights = Some(sights);
    }

    /// Notes the same from a snapshot.
    pub fn note_survey(&mut self, survey: &Survey) {
        self.sights.get_or_insert_with(|| survey.sights.clone());
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
        let wanted = path.as_os_str().as_bytes();
        let sights = self.sights.as_deref().unwrap_or_default();
        let found = sights.binary_search_by(|sight| sight.path.as_os_str().as_bytes().cmp(wanted));
        found.is_ok_and(|at| !sights[at].is_ignored()) || self.own.contains(path)
    }
}
