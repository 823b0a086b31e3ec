//! Reads one folder: watches it, then lists it. Pure input; several threads do it at once.
//!
//! The watch comes first: an entry that is made in between is seen twice and never missed. Must not know the
//! index.

use std::path::{Path, PathBuf};

use clada_fs::{DirEntry, FsError, IgnoreRules, Roots};
use clada_protocol::ErrorKind;

use super::index::FolderId;
use super::routes::{Owner, ProjectId, Routes};
use super::source::{SourceError, WatchId, WatchTarget};

/// A folder that is to be read.
#[derive(Debug)]
pub(super) struct FolderRequest {
    pub(super) folder: FolderId,
    /// The path from the root.
    pub(super) path: PathBuf,
    /// The device and inode that it must have.
    pub(super) place: (u64, u64),
    /// Its watch so far.
    pub(super) watch: Option<WatchId>,
    /// The rules in force above it.
    pub(super) above: IgnoreRules,
}

/// The outcome of reading a folder.
#[derive(Debug)]
pub(super) enum Reading {
    /// It was read.
    Folder { watch: Option<WatchId>, rules: IgnoreRules, entries: Vec<DirEntry> },
    /// It does not exist any more, or another folder is in its place.
    Replaced,
    /// It may not be read.
    Closed,
    /// No more folders can be watched.
    Limit,
    /// It is on a file system that raises no events.
    Silent,
    /// The system fails.
    Failed(Failure),
}

/// The reason why the state of a project is not known.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An error of the file system.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// An error of the source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A folder is replaced by another one faster than it can be read.
    #[error("a folder is replaced again and again while it is looked at")]
    Restless,
    /// There are more files than numbers, or more folders came to be.
    #[error(
        "there are more files than can be watched, or more folders came to be since it is watched; \
         the next look begins anew"
    )]
    Full,
    /// The caller stopped it.
    #[error("stopped before everything was looked at")]
    Stopped,
}

/// The context of reading folders.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) roots: &'a Roots,
    pub(super) routes: &'a Routes,
    pub(super) project: ProjectId,
    /// True if folders are watched.
    pub(super) watching: bool,
}

impl Reader<'_> {
    pub(super) fn read(&self, request: &FolderRequest) -> Reading {
        self.try_read(request).unwrap_or_else(|error| match error.code() {
            // The last two: a folder on the way was moved while the kernel resolved the path.
            "ENOENT" | "ENOTDIR" | "ELOOP" | "EXDEV" | "EAGAIN" => Reading::Replaced,
            "EACCES" | "EPERM" => Reading::Closed,
            _ => Reading::Failed(Failure::Fs(error)),
        })
    }

    fn try_read(&self, request: &FolderRequest) -> Result<Reading, FsError> {
        let folder = self.roots.open_folder(&request.path)?;
        if (folder.stat().dev, folder.stat().ino) != request.place {
            return Ok(Reading::Replaced);
        }
        let mut watch = None;
        if self.watching {
            if !folder.raises_events() {
                return Ok(Reading::Silent);
            }
            let root = self.roots.paths().next().unwrap_or(Path::new("/"));
            let path = root.join(&request.path);
            let place = WatchTarget { descriptor: folder.descriptor(), path: &path, root };
            let owner = Owner { project: self.project, folder: request.folder };
            watch = match self.routes.add(&place, owner, request.watch) {
                Ok(watch) => Some(watch),
                Err(SourceError::Limit) => return Ok(Reading::Limit),
                Err(SourceError::Late) => return Ok(Reading::Silent),
                Err(SourceError::Folder(rustix::io::Errno::ACCESS)) => return Ok(Reading::Closed),
                Err(SourceError::Folder(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR)) => {
                    return Ok(Reading::Replaced);
                }
                Err(error) => return Ok(Reading::Failed(Failure::Source(error))),
            };
        }
        let rules = match folder.rules(self.roots, &request.above) {
            // Rules that may not be read hide nothing, as in a walk.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(request.above.clone()),
            rules => rules,
        };
        match rules.and_then(|rules| Ok((folder.entries(&rules)?, rules))) {
            Ok((entries, rules)) => Ok(Reading::Folder { watch, rules, entries }),
            Err(error) => {
                // A caller without a reading does not learn of the watch either.
                if let Some(watch) = watch.filter(|watch| request.watch != Some(*watch)) {
                    self.routes.release(watch, Owner { project: self.project, folder: request.folder });
                }
                Err(error)
            }
        }
    }
}
