//! The current state of a place, in the terms of the journal.
//!
//! Reads files, and changes nothing.

use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use clada_fs::{FileKind, RootedPath, Roots};

use super::operation::{JournalPlace, State};

/// Returns the place of `path`, independent of who opens the roots.
#[must_use]
pub fn journal_place(roots: &Roots, path: &RootedPath) -> JournalPlace {
    let root = roots.paths().nth(path.root()).map(Path::to_path_buf).unwrap_or_default();
    JournalPlace { root, relative: path.relative().to_path_buf() }
}

/// Returns the current state of `path`, as far as it can be compared with `like`; `None` if that is not
/// known.
#[must_use]
pub fn current_state(roots: &Roots, path: &RootedPath, like: &State) -> Option<State> {
    let Some(stat) = roots.lstat(path).ok()? else { return Some(State::Missing) };
    Some(match stat.kind {
        FileKind::File if matches!(like, State::Large(_)) => State::Large(stat.identity()),
        FileKind::File => State::File { hash: roots.hash(path).ok()?, metadata: None },
        FileKind::Symlink => State::Link(roots.readlink(path).ok()?.into_vec()),
        FileKind::Directory => State::Folder(stat.mode),
        FileKind::Special => return None,
    })
}
