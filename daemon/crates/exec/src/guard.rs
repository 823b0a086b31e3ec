//! Notices that a command changed files which make other programs run something later.
//!
//! A sandbox that makes folders read-only leaves little to notice: only paths outside of them, such as hooks
//! that the repository has in its tree. Landlock cannot protect a part of a folder that may be changed. The
//! guard watches the files that git runs or obeys, and clada's own. It compares their content, so that a file
//! that was only touched does not count as changed. Reads only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, open_regular};
use clada_git::Obeyed;

use super::command_spec::Enclosure;
use super::outcome::Touched;

/// The most bytes of a file that is compared by its content; a larger one is compared by the time of its last
/// change.
const COMPARED: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Guard<'e> {
    enclosure: &'e Enclosure,
    protection: Protection,
    before: BTreeMap<PathBuf, PathState>,
    cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    /// It keeps them as they are: only the other paths are watched.
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathState {
    File(u32, blake3::Hash),
    Folder(u64, u64),
    Link(PathBuf, Option<(u32, blake3::Hash)>),
    /// Anything else. The time is the kernel's (ctime) and cannot be set back.
    Other {
        place: (u64, u64),
        size: u64,
        mode: u32,
        changed: (i64, i64),
    },
}

impl<'e> Guard<'e> {
    pub(super) fn new(enclosure: &'e Enclosure, protection: Protection) -> Guard<'e> {
        let (before, cut) = states(enclosure, protection);
        Guard { enclosure, protection, before, cut }
    }

    pub(super) fn changed(&self) -> Touched {
        let (after, cut) = states(self.enclosure, self.protection);
        let removed = self.before.keys().filter(|path| !after.contains_key(*path));
        let other =
            after.iter().filter(|(path, state)| self.before.get(*path) != Some(state)).map(|(path, _)| path);
        let mut paths: Vec<PathBuf> = removed.chain(other).cloned().collect();
        paths.sort();
        // A changed folder adds nothing to the changed paths inside it.
        let all = paths.clone();
        paths.retain(|path| {
            let next = all.partition_point(|other| other <= path);
            all.get(next).is_none_or(|other| !other.starts_with(path))
        });
        Touched { paths, cut: self.cut || cut }
    }
}

fn states(enclosure: &Enclosure, protection: Protection) -> (BTreeMap<PathBuf, PathState>, bool) {
    let mut obeyed = Obeyed::default();
    let is = |path: &Path, name: &str| path.file_name() == Some(OsStr::new(name));
    for path in &enclosure.protected {
        let is_repository = is(path, ".git") || path.join("HEAD").exists();
        if is_repository { obeyed.add(path) } else { obeyed.add_folder(path) }
    }
    for path in &enclosure.watched {
        // Not `add_folder` for every folder that a `.git` names: it may be the whole project.
        if is(path, ".clada") { obeyed.add_folder(path) } else { obeyed.add(path) }
    }
    let is_protected = |path: &Path| {
        protection == Protection::Yes
            && enclosure.protected.iter().any(|protected| path.starts_with(protected))
    };
    let Obeyed { paths, cut } = obeyed;
    let states = paths.into_iter().filter(|path| !is_protected(path));
    (states.filter_map(|path| Some((path.clone(), PathState::read(&path)?))).collect(), cut)
}

impl PathState {
    fn read(path: &Path) -> Option<PathState> {
        let metadata = path.symlink_metadata().ok()?;
        let content = |path: &Path, metadata: &Metadata| {
            let read = metadata.is_file() && metadata.len() <= COMPARED;
            read.then(|| Some((metadata.mode(), hash(path)?))).flatten()
        };
        Some(if metadata.is_symlink() {
            let to = path.canonicalize().ok().and_then(|to| content(&to, &to.symlink_metadata().ok()?));
            PathState::Link(path.read_link().ok()?, to)
        } else if metadata.is_dir() {
            PathState::Folder(metadata.dev(), metadata.ino())
        } else if let Some((mode, hash)) = content(path, &metadata) {
            PathState::File(mode, hash)
        } else {
            PathState::Other {
                place: (metadata.dev(), metadata.ino()),
                size: metadata.len(),
                mode: metadata.mode(),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            }
        })
    }
}

fn hash(path: &Path) -> Option<blake3::Hash> {
    let mut text = Vec::new();
    open_regular(path, Symlinks::Refuse).ok()?.take(COMPARED).read_to_end(&mut text).ok()?;
    Some(blake3::hash(&text))
}
