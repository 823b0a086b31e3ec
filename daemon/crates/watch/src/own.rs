//! The source of changes: tells clada's own from others, by comparing the state that clada left at a path
//! with the current one.
//!
//! It only spares subscribers reports of changes that they know of. A change that is in doubt counts as
//! external.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clada_fs::Identity;

/// The most paths that are remembered. With more, all are dropped but those that clada is about to change.
const MAX_PATHS: usize = 100_000;

/// The states that clada has left, by path from the root.
#[derive(Debug, Default)]
pub struct Own(Mutex<HashMap<PathBuf, Left>>);

#[derive(Debug)]
enum Left {
    /// Clada is about to change it.
    Nothing,
    /// The state right after clada had changed it.
    Entry(Option<Identity>),
}

/// The source of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Another process.
    Another,
    /// Clada's own.
    Own,
    /// Not known yet: clada is about to change the path.
    Open,
}

impl Own {
    /// Records that clada is about to change `path`.
    pub fn begin(&self, path: &Path) {
        let mut left = self.left();
        if left.len() >= MAX_PATHS {
            left.retain(|_, left| matches!(left, Left::Nothing));
        }
        left.insert(path.to_path_buf(), Left::Nothing);
    }

    /// Records that clada has changed `path`, and the state since then.
    pub fn end(&self, path: &Path, now: Option<Identity>) {
        self.left().insert(path.to_path_buf(), Left::Entry(now));
    }

    /// Records that clada does not change `path` after all.
    pub fn give_up(&self, path: &Path) {
        let mut left = self.left();
        if matches!(left.get(path), Some(Left::Nothing)) {
            left.remove(path);
        }
    }

    /// Returns the source of the change that led to the state `now` at `path`.
    #[must_use]
    pub fn whose(&self, path: &Path, now: Option<Identity>) -> Whose {
        match self.left().get(path) {
            Some(Left::Nothing) => Whose::Open,
            Some(Left::Entry(left)) if *left == now => Whose::Own,
            _ => Whose::Another,
        }
    }

    fn left(&self) -> MutexGuard<'_, HashMap<PathBuf, Left>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
