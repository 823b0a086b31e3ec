//! The reasons for not reading a repository without the user's approval.

use std::io;
use std::path::{Path, PathBuf};

/// A reason for not reading a repository without the user's approval.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// A part of it is not the project's.
    #[error("{what} leads out of the project, to '{}'", clada_protocol::visible_line(&.to.to_string_lossy()))]
    Outside {
        /// Names the part of the repository.
        what: String,
        /// The place outside.
        to: PathBuf,
    },
    /// Its files have a format that is not known here.
    #[error("the repository has {0}, so what it would read is not known")]
    Unknown(String),
    /// git would wait for ever for a part of it.
    #[error("'{}' is neither a file nor a folder", clada_protocol::visible_line(&.0.to_string_lossy()))]
    Special(PathBuf),
    /// It has too many files to check.
    #[error("'{}' holds more than can be looked at; `git gc` packs it", clada_protocol::visible_line(&.0.to_string_lossy()))]
    TooMuch(PathBuf),
    /// The system's own error.
    #[error("'{}' cannot be read: {error}", clada_protocol::visible_line(&.path.to_string_lossy()))]
    Io {
        /// The place that was to be read.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}

impl Unfit {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Unfit {
        let path = path.to_path_buf();
        |error| Unfit::Io { path, error }
    }
}
