//! Reads one folder: watches it, then lists it. Pure input; several threads do it at once.
//!
//! The watch comes first: an entry that is made in between is seen twice and never missed. Must not know the
//! index.

use std::path::{Path, PathBuf};

use clada_fs::{DirEntry, FsError, IgnoreRules, OpenFolder, Roots};
use clada_protocol::ErrorKind;

use super::index::FolderId;
use super::routes::{ProjectId, Routes, WatchOwner};
use super::source::{SourceError, WatchId, WatchTarget};

#[derive(Debug)]
pub(super) struct FolderRequest {
    pub(super) folder: FolderId,
    pub(super) path: PathBuf,
    pub(super) place: (u64, u64),
    pub(super) watch: Option<WatchId>,
    pub(super) above: IgnoreRules,
}

#[derive(Debug)]
pub(super) enum FolderOutcome {
    Folder { watch: Option<WatchId>, rules: IgnoreRules, contents: Contents },
    Replaced,
    Closed,
    Limit,
    Silent,
    Failed(Failure),
}

#[derive(Debug)]
pub(super) struct Contents {
    pub(super) entries: Vec<DirEntry>,
    pub(super) fine: Option<u64>,
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
         the next look starts again"
    )]
    Full,
    /// The caller stopped it.
    #[error("stopped before everything was looked at")]
    Stopped,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FolderReader<'a> {
    pub(super) roots: &'a Roots,
    pub(super) routes: &'a Routes,
    pub(super) project: ProjectId,
    pub(super) watching: bool,
}

impl FolderReader<'_> {
    pub(super) fn read(&self, request: &FolderRequest) -> FolderOutcome {
        self.try_read(request).unwrap_or_else(|error| match error.code() {
            // The last two: a folder on the way was moved while the kernel resolved the path.
            "ENOENT" | "ENOTDIR" | "ELOOP" | "EXDEV" | "EAGAIN" => FolderOutcome::Replaced,
            "EACCES" | "EPERM" => FolderOutcome::Closed,
            _ => FolderOutcome::Failed(Failure::Fs(error)),
        })
    }

    fn try_read(&self, request: &FolderRequest) -> Result<FolderOutcome, FsError> {
        let folder = self.roots.open_folder(&request.path)?;
        if (folder.stat().dev, folder.stat().ino) != request.place {
            return Ok(FolderOutcome::Replaced);
        }
        let mut watch = None;
        if self.watching {
            if !folder.raises_events() {
                return Ok(FolderOutcome::Silent);
            }
            let root = self.roots.paths().next().unwrap_or(Path::new("/"));
            let path = root.join(&request.path);
            let place = WatchTarget { descriptor: folder.descriptor(), path: &path, root };
            let owner = WatchOwner { project: self.project, folder: request.folder };
            watch = match self.routes.add(&place, owner, request.watch) {
                Ok(watch) => Some(watch),
                Err(SourceError::Limit) => return Ok(FolderOutcome::Limit),
                Err(SourceError::Late) => return Ok(FolderOutcome::Silent),
                Err(SourceError::Folder(rustix::io::Errno::ACCESS)) => return Ok(FolderOutcome::Closed),
                Err(SourceError::Folder(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR)) => {
                    return Ok(FolderOutcome::Replaced);
                }
                Err(error) => return Ok(FolderOutcome::Failed(Failure::Source(error))),
            };
        }
        let rules = match folder.rules(self.roots, &request.above) {
            // Rules that may not be read hide nothing, as in a walk.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(request.above.clone()),
            rules => rules,
        };
        match rules.and_then(|rules| Ok((folder.entries(&rules)?, rules))) {
            Ok((entries, rules)) => {
                let contents = Contents { entries, fine: fine_device(&folder) };
                Ok(FolderOutcome::Folder { watch, rules, contents })
            }
            Err(error) => {
                // A caller without a reading does not learn of the watch either.
                if let Some(watch) = watch.filter(|watch| request.watch != Some(*watch)) {
                    self.routes.release(watch, WatchOwner { project: self.project, folder: request.folder });
                }
                Err(error)
            }
        }
    }
}

pub(super) fn fine_device(folder: &OpenFolder) -> Option<u64> {
    folder.has_fine_times().then(|| folder.stat().dev)
}
