//! Looks at the places of an operation: what stands there, what is above, what is in folders that may have to go.
//!
//! Reads through `fs` and changes nothing. Nothing is followed; a place that lies in no root is unknown.

use std::os::unix::ffi::OsStringExt;

use clada_fs::{FileKind, FsError, RootedPath, Roots};
use clada_journal::{JournalPlace, Net, State};
use clada_protocol::ErrorKind;

use super::now::{CurrentFile, CurrentState, Now};
use super::place::above;

/// Names of a folder that are looked at: more than an operation can have made.
const NAMES: usize = 100_000;

/// What stands at the places of `nets` and above them, beneath `roots`. Files of more than `limit` bytes are told by
/// their identity alone.
#[must_use]
pub fn survey(roots: &Roots, nets: &[Net], limit: u64) -> Now {
    let mut now = Now::default();
    for net in nets {
        now.states.insert(net.place.clone(), current_state(roots, &net.place, limit));
    }
    for net in nets {
        for folder in above(&net.place) {
            if now.states.contains_key(&folder) {
                continue;
            }
            let found = current_state(roots, &folder, limit);
            now.states.insert(folder, found);
        }
    }
    for net in nets {
        if matches!(net.after, State::Folder(_)) && matches!(now.at(&net.place), CurrentState::Folder(_)) {
            match names(roots, &net.place) {
                Ok(names) => drop(now.entries.insert(net.place.clone(), names)),
                Err(why) => {
                    drop(now.states.insert(net.place.clone(), CurrentState::Unknown(why.to_string())))
                }
            }
        }
    }
    now
}

/// The path of a place, if it is one that an operation could have changed.
///
/// # Errors
/// `path_escape` if it lies in none of `roots`.
pub fn resolve(roots: &Roots, place: &JournalPlace) -> Result<RootedPath, FsError> {
    roots.resolve_recorded(&place.root, &place.relative)
}

fn current_state(roots: &Roots, place: &JournalPlace, limit: u64) -> CurrentState {
    match resolve(roots, place).and_then(|path| look(roots, &path, limit)) {
        Ok(current) => current,
        // Beneath a link there is nothing of the project's, as beneath a file.
        Err(error) if error.kind() == ErrorKind::SymlinkNotAllowed => CurrentState::Missing,
        Err(error) => CurrentState::Unknown(error.to_string()),
    }
}

fn look(roots: &Roots, path: &RootedPath, limit: u64) -> Result<CurrentState, FsError> {
    let Some(stat) = roots.lstat(path)? else { return Ok(CurrentState::Missing) };
    Ok(match stat.kind {
        FileKind::Directory => CurrentState::Folder(stat.mode),
        FileKind::Special => CurrentState::Special,
        FileKind::Symlink => CurrentState::Link(roots.readlink(path)?.into_vec()),
        FileKind::File if stat.size > limit => CurrentState::File(CurrentFile {
            hash: None,
            identity: stat.identity(),
            metadata: roots.metadata(path)?,
        }),
        FileKind::File => {
            let hash = Some(roots.hash(path)?);
            CurrentState::File(CurrentFile {
                hash,
                identity: stat.identity(),
                metadata: roots.metadata(path)?,
            })
        }
    })
}

fn names(roots: &Roots, place: &JournalPlace) -> Result<Vec<std::ffi::OsString>, FsError> {
    let listing = roots.list(&resolve(roots, place)?, NAMES)?;
    Ok(listing.entries.into_iter().map(|entry| entry.name).collect())
}
