//! The errors of staging, worded so that a user knows what to do.

use std::io;
use std::path::{Path, PathBuf};

use clada_fs::FsError;
use clada_protocol::{ErrorKind, RpcError};
use clada_store::StoreError;
use rustix::io::Errno;

/// The reason why nothing was staged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The record of what was staged cannot be read or written.
    #[error("what was staged before is not known: {0}")]
    Store(#[from] StoreError),
    /// An error of a file of the project.
    #[error("{0}")]
    Project(#[from] FsError),
    /// An error of a staging folder.
    #[error("cannot {doing} '{}': {source}", .path.display())]
    Folder {
        /// The action that failed.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder for staging folders lies in the project.
    #[error("stage.dir '{}' lies in the project, where what is staged would be staged again", .0.display())]
    Inside(PathBuf),
    /// There is no folder to be printed again.
    #[error("{0}")]
    NoLast(String),
    /// The caller has gone.
    #[error("stopped")]
    Stopped,
    /// Any other error, worded already.
    #[error("{}", .0.message)]
    Reported(Box<RpcError>),
}

impl StageError {
    pub(super) fn folder(doing: &'static str, path: &Path, source: impl Into<io::Error>) -> StageError {
        StageError::Folder { doing, path: path.to_path_buf(), source: source.into() }
    }
}

impl StageError {
    /// Sets the path of a store's error to `path`: the code that worked with it knew only its tables.
    #[must_use]
    pub fn of_store(mut self, path: &Path) -> StageError {
        if let StageError::Store(error) = &mut self {
            match error {
                StoreError::Full { path: own }
                | StoreError::Damaged { path: own, .. }
                | StoreError::ReadOnly { path: own }
                | StoreError::Busy { path: own }
                | StoreError::Io { path: own, .. } => *own = path.to_path_buf(),
            }
        }
        self
    }
}

impl From<io::Error> for StageError {
    fn from(error: io::Error) -> StageError {
        StageError::folder("write", Path::new("the manifest"), error)
    }
}

impl From<RpcError> for StageError {
    fn from(error: RpcError) -> StageError {
        StageError::Reported(Box::new(error))
    }
}

impl From<StageError> for RpcError {
    fn from(error: StageError) -> RpcError {
        let message = format!("Nothing was staged: {error}");
        match error {
            StageError::Reported(error) => *error,
            StageError::Store(store) => {
                let kind =
                    if matches!(store, StoreError::Busy { .. }) { ErrorKind::Busy } else { ErrorKind::Io };
                RpcError::new(kind, message).hint(store.hint())
            }
            StageError::Project(error) => RpcError::new(error.kind(), message)
                .with("path", error.path())
                .with("code", error.code())
                .hint("see to that file, or leave it out with a line in .cladaignore, and try again"),
            StageError::Folder { path, source, .. } => {
                let hint = match Errno::from_io_error(&source) {
                    Some(Errno::NOSPC | Errno::DQUOT) => {
                        "free some space, or set stage.dir to a folder that has more, and try again"
                    }
                    _ => "set stage.dir in your configuration to a folder that can be written, and try again",
                };
                RpcError::new(ErrorKind::Io, message).with("path", path.to_string_lossy()).hint(hint)
            }
            StageError::Inside(_) => RpcError::new(ErrorKind::InvalidConfig, message)
                .hint("set stage.dir in your configuration to a folder outside of the project"),
            StageError::NoLast(what) => RpcError::new(ErrorKind::FileNotFound, what)
                .hint("`clada stage` makes a new folder, `clada stage --all` one with every file"),
            StageError::Stopped => RpcError::new(ErrorKind::Cancelled, "Cancelled; nothing was staged"),
        }
    }
}
