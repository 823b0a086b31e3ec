//! What stands at a place now, in the terms of the record.
//!
//! Looks at files, and changes nothing.

use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use clada_fs::{FileKind, RootedPath, Roots};

use super::record::{Place, State};

/// Where `path` is, whoever opens the roots.
#[must_use]
pub fn place(roots: &Roots, path: &RootedPath) -> Place {
    let root = roots.paths().nth(path.root()).map(Path::to_path_buf).unwrap_or_default();
    Place { root, relative: path.relative().to_path_buf() }
}

/// What stands at `path`, as far as it can be held against `like`; `None` if that cannot be told.
#[must_use]
pub fn state_now(roots: &Roots, path: &RootedPath, like: &State) -> Option<State> {
    let Some(stat) = roots.lstat(path).ok()? else { return Some(State::Missing) };
    Some(match stat.kind {
        FileKind::File if matches!(like, State::Large(_)) => State::Large(stat.identity()),
        FileKind::File => State::File { hash: roots.hash(path).ok()?, metadata: None },
        FileKind::Symlink => State::Link(roots.readlink(path).ok()?.into_vec()),
        FileKind::Directory => State::Folder(stat.mode),
        FileKind::Special => return None,
    })
}
