//! The source of changes: distinguishes clada's own from others, by comparing the state that clada left at a
//! path with the current one.
//!
//! It only spares subscribers reports of changes that they know of. A change that is in doubt counts as
//! external.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clada_fs::Identity;

/// The most paths that are remembered. With more, all are dropped but those that clada is about to change.
const MAX_PATHS: usize = 100_000;

/// The changes that clada made itself: the state that each left, by path from the root.
#[derive(Debug, Default)]
pub struct SelfOriginated(Mutex<HashMap<PathBuf, LastWrite>>);

#[derive(Debug)]
enum LastWrite {
    InFlight,
    Done(Option<Identity>),
}

/// The source of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSource {
    /// Another process.
    External,
    /// Clada's own.
    Ours,
    /// Not known yet: clada is about to change the path.
    InFlight,
}

impl SelfOriginated {
    /// Records that clada is about to change `path`.
    pub fn begin(&self, path: &Path) {
        let mut writes = self.writes();
        if writes.len() >= MAX_PATHS {
            writes.retain(|_, write| matches!(write, LastWrite::InFlight));
        }
        writes.insert(path.to_path_buf(), LastWrite::InFlight);
    }

    /// Records that clada has changed `path`, and the state since then.
    pub fn end(&self, path: &Path, now: Option<Identity>) {
        self.writes().insert(path.to_path_buf(), LastWrite::Done(now));
    }

    /// Records that clada does not change `path` after all.
    pub fn give_up(&self, path: &Path) {
        let mut writes = self.writes();
        if matches!(writes.get(path), Some(LastWrite::InFlight)) {
            writes.remove(path);
        }
    }

    /// Returns the source of the change that led to the state `now` at `path`.
    #[must_use]
    pub fn source_of(&self, path: &Path, now: Option<Identity>) -> ChangeSource {
        match self.writes().get(path) {
            Some(LastWrite::InFlight) => ChangeSource::InFlight,
            Some(LastWrite::Done(written)) if *written == now => ChangeSource::Ours,
            _ => ChangeSource::External,
        }
    }

    fn writes(&self) -> MutexGuard<'_, HashMap<PathBuf, LastWrite>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
