//! The errors of git: the failed action, libgit2's message, and a hint for the user.

use std::path::PathBuf;

/// An error of an action on a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// libgit2 failed.
    #[error("git could not {doing}: {message}")]
    Library {
        /// The action that failed: "write a commit".
        doing: &'static str,
        /// libgit2's message.
        message: String,
    },
    /// A file of the repository could not be read or written.
    #[error("git could not {doing}: {message} '{}'", path.display())]
    Io {
        /// The action that failed.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's message.
        message: String,
    },
    /// Another program holds the lock of the index or of a reference.
    #[error("Another program holds the repository's lock '{}'", path.display())]
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// HEAD is no longer where it was when the operation began.
    #[error("HEAD has moved from {from} to {to} while the operation ran")]
    HeadMoved {
        /// Its place at the beginning.
        from: String,
        /// Its place now.
        to: String,
    },
    /// The action is never done.
    #[error("{message}")]
    Refused {
        /// The action and the reason for refusing it.
        message: String,
        /// Another way to reach the goal.
        hint: String,
    },
}

impl GitError {
    /// Returns a hint for the user.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            GitError::Refused { hint, .. } => hint.clone(),
            GitError::Locked { path } => {
                format!("try again; if no git is running in this repository, delete '{}'", path.display())
            }
            GitError::HeadMoved { .. } => "commit the files yourself, or undo the operation".to_owned(),
            GitError::Library { .. } | GitError::Io { .. } => {
                "`git status` and `git fsck` show the repository's state; --no-git applies without commits"
                    .to_owned()
            }
        }
    }

    /// Returns a hint for the user if the files are changed already, and only the commit is missing.
    #[must_use]
    pub fn hint_after(&self) -> String {
        let next = "commit them with git, or take them back with `clada undo`";
        match self {
            GitError::Locked { .. } => format!("Once no git is running, delete the lock and {next}"),
            GitError::HeadMoved { .. } => format!("To continue, {next}"),
            GitError::Refused { hint, .. } => format!("To continue: {hint}; or {next}"),
            GitError::Library { .. } | GitError::Io { .. } => {
                format!("`git status` and `git fsck` show the repository's state. Then {next}")
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

pub(super) trait Doing<T> {
    fn doing(self, doing: &'static str) -> Result<T, GitError>;
}

impl<T> Doing<T> for Result<T, git2::Error> {
    fn doing(self, doing: &'static str) -> Result<T, GitError> {
        self.map_err(|error| GitError::Library { doing, message: error.message().to_owned() })
    }
}

/// A reason for making no commits in a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It has no work tree.
    #[error("the repository is bare")]
    Bare,
    /// An operation of git's is in progress.
    #[error("{0} is in progress")]
    InProgress(&'static str),
    /// Its index holds conflicts.
    #[error("the index holds conflicts that are not resolved")]
    Conflicts,
    /// The repository, or its work tree, belongs to another user.
    #[error("the repository belongs to another user")]
    ForeignOwner,
    /// Its index is of a kind that libgit2 does not write.
    #[error("the repository has a {0} index, which is not supported")]
    Index(&'static str),
    /// `.git` belongs to another work tree.
    #[error(
        "'{}' does not say that its work tree is this folder; if it is, `git config core.worktree \"$PWD\"` \
         in this folder makes it say so",
        .0.display()
    )]
    Elsewhere(PathBuf),
    /// libgit2 would read this path and might wait for ever.
    #[error("'{}' is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    /// libgit2 would match these rules, which might take for ever.
    #[error("'{}' has rules with too many wildcards to be matched in time", .0.display())]
    Rules(PathBuf),
    /// libgit2 cannot use it.
    #[error("the repository cannot be used: {0}")]
    Other(String),
}

impl From<GitError> for Unusable {
    fn from(error: GitError) -> Unusable {
        Unusable::Other(error.to_string())
    }
}
