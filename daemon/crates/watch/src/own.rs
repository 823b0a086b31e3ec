//! Which changes of a project are clada's own: told by what clada left at a path, against what stands there now.
//!
//! It only spares subscribers what they are told of otherwise. Whatever is in doubt is not clada's own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clada_fs::Identity;

/// Paths that are remembered; with more, all are forgotten.
const MAX_PATHS: usize = 100_000;

/// What clada has left, by path from the root.
#[derive(Debug, Default)]
pub struct Own(Mutex<HashMap<PathBuf, Left>>);

#[derive(Debug)]
enum Left {
    /// It is about to change it.
    Nothing,
    /// This was there right after it had changed it.
    Entry(Option<Identity>),
}

/// Whose change something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Somebody else's.
    Another,
    /// Clada's own.
    Own,
    /// It is not known yet: clada is about to change what is there.
    Open,
}

impl Own {
    /// Clada is about to change what is at `path`.
    pub fn begin(&self, path: &Path) {
        let mut left = self.left();
        if left.len() >= MAX_PATHS {
            left.retain(|_, left| matches!(left, Left::Nothing));
        }
        left.insert(path.to_path_buf(), Left::Nothing);
    }

    /// Clada has changed it, and this is there since.
    pub fn end(&self, path: &Path, now: Option<Identity>) {
        self.left().insert(path.to_path_buf(), Left::Entry(now));
    }

    /// Clada does not change what it was about to change at `path`.
    pub fn give_up(&self, path: &Path) {
        let mut left = self.left();
        if matches!(left.get(path), Some(Left::Nothing)) {
            left.remove(path);
        }
    }

    /// Whose change it is that `now` stands at `path`.
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
