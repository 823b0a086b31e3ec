//! What git could not do: what was being done, what libgit2 said of it, and what a person can do.

use std::path::PathBuf;

/// Why something did not work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// libgit2 failed.
    #[error("git could not {doing}: {message}")]
    Library {
        /// What was tried: "write a commit".
        doing: &'static str,
        /// What libgit2 says.
        message: String,
    },
    /// A file of the repository could not be read or written.
    #[error("git could not {doing}: {message} '{}'", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// Another program holds the lock of the index or of a reference.
    #[error("Another program holds the repository's lock '{}'", path.display())]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// HEAD is no longer where it was when the operation began.
    #[error("HEAD has moved from {from} to {to} while the operation ran; what it changed is not committed")]
    HeadMoved {
        /// Where it was.
        from: String,
        /// Where it is.
        to: String,
    },
    /// Something that is never done.
    #[error("{message}")]
    Refused {
        /// What, and why not.
        message: String,
        /// What to do instead.
        hint: String,
    },
}

impl GitError {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            GitError::Refused { hint, .. } => hint.clone(),
            GitError::Locked { path } => {
                format!("try again; if no git runs in this repository, delete '{}'", path.display())
            }
            GitError::HeadMoved { .. } => "commit the files yourself, or undo the operation".to_owned(),
            GitError::Library { .. } | GitError::Io { .. } => {
                "`git status` and `git fsck` show the repository's state; --no-git applies without commits"
                    .to_owned()
            }
        }
    }

    pub(super) fn refused(message: impl Into<String>, hint: impl Into<String>) -> GitError {
        GitError::Refused { message: message.into(), hint: hint.into() }
    }

    pub(super) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
        error: impl Into<std::io::Error>,
    ) -> GitError {
        GitError::Io { doing, path: path.into(), message: error.into().to_string() }
    }
}

/// Says what was being done when libgit2 failed.
pub(super) trait Doing<T> {
    /// The result, with what was tried.
    fn doing(self, doing: &'static str) -> Result<T, GitError>;
}

impl<T> Doing<T> for Result<T, git2::Error> {
    fn doing(self, doing: &'static str) -> Result<T, GitError> {
        self.map_err(|error| GitError::Library { doing, message: error.message().to_owned() })
    }
}
