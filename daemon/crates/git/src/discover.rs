//! Finds the repository that a root lies in, and says whether clada may commit there.
//!
//! A folder is taken for a work tree only if it holds a `.git` that belongs to it: a file or link that points at
//! another work tree's repository would let a folder from elsewhere have commits made there. What libgit2 reads of
//! the person's configuration is put together here from named files.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clada_fs::{Symlinks, read_regular};
use git2::{Config, ConfigLevel, ErrorCode, Repository, RepositoryOpenFlags, RepositoryState};
use rustix::fs::{Mode, OFlags};

use super::error::{Doing, GitError};
use super::index::Stamp;
use super::turn::Turn;
use super::{includes, special};
use crate::private_git;

/// How long a lock of somebody else's is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of a file that names a folder.
const MAX_NAME: u64 = 64 << 10;

/// A repository that is kept open.
pub struct GitRepository {
    pub(super) repository: Repository,
    /// The folder of the work tree, resolved.
    pub(super) folder: PathBuf,
    /// The file, if there was one, from which the index that libgit2 holds was read; `None` if it has to be read.
    pub(super) index_stamp: Option<Option<Stamp>>,
    pub(super) patience: Duration,
    pub(super) home: Option<PathBuf>,
    /// What the `.git` of the folder was when it was opened.
    identity: Identity,
}

impl std::fmt::Debug for GitRepository {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GitRepository").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Why no commits are made in a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It has no work tree.
    #[error("the repository is bare")]
    Bare,
    /// Something is going on in it.
    #[error("{0} is in progress")]
    InProgress(&'static str),
    /// Its index holds conflicts.
    #[error("the index holds conflicts that are not resolved")]
    Conflicts,
    /// It, or its work tree, belongs to somebody else.
    #[error("the repository belongs to another user")]
    ForeignOwner,
    /// Its index is of a kind that libgit2 does not write.
    #[error("the repository has a {0} index, which is not supported")]
    Index(&'static str),
    /// `.git` is somebody else's repository.
    #[error("'{}' belongs to another work tree", .0.display())]
    Elsewhere(PathBuf),
    /// What libgit2 would wait for, since it reads it.
    #[error("'{}' is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    /// libgit2 cannot use it.
    #[error("the repository cannot be used: {0}")]
    Other(String),
}

impl From<GitError> for Unusable {
    fn from(error: GitError) -> Unusable {
        Unusable::Other(error.to_string())
    }
}

impl GitRepository {
    /// Opens the repository that `root`, a resolved path, lies in; `None` if there is none. A repository of the home
    /// folder holds only what is not a folder of its own beneath it.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    pub fn open(root: &Path, home: Option<&Path>) -> Result<Option<GitRepository>, Unusable> {
        let home = home.and_then(|home| home.canonicalize().ok());
        let root_device = root.metadata().map(|metadata| metadata.dev()).ok();
        for folder in root.ancestors() {
            let outside =
                folder != root && (Some(folder) == home.as_deref() || device(folder) != root_device);
            if outside {
                break;
            }
            let dot_git = folder.join(".git");
            let Ok(metadata) = dot_git.symlink_metadata() else { continue };
            special::refuse(&dot_git, home.as_deref())?;
            if let Some(elsewhere) = private_git::leads_elsewhere(folder) {
                return Err(Unusable::Elsewhere(elsewhere));
            }
            match Repository::open_ext(folder, RepositoryOpenFlags::NO_SEARCH, &[] as &[&Path]) {
                Ok(repository) => {
                    return GitRepository::of(repository, folder, &metadata, home.clone()).map(Some);
                }
                // git, too, looks further up past a `.git` that is no repository.
                Err(error) if error.code() == ErrorCode::NotFound => {}
                Err(error) => return Err(unusable(&error)),
            }
        }
        if ["objects", "refs"].iter().all(|name| root.join(name).is_dir()) && root.join("HEAD").is_file() {
            return Err(Unusable::Bare);
        }
        Ok(None)
    }

    fn of(
        repository: Repository,
        folder: &Path,
        dot_git: &Metadata,
        home: Option<PathBuf>,
    ) -> Result<GitRepository, Unusable> {
        let opened = GitRepository {
            repository,
            folder: folder.to_path_buf(),
            index_stamp: None,
            patience: PATIENCE,
            home,
            identity: identity(dot_git),
        };
        opened.belongs()?;
        Ok(opened)
    }

    /// The folder of the work tree.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether `.git` is still the one that was opened.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let now = self.folder.join(".git").symlink_metadata();
        now.is_ok_and(|now| identity(&now) == self.identity)
    }

    /// Whether clada commits here for the first time, which is remembered.
    #[must_use]
    pub fn is_first_time(&self) -> bool {
        let told = self.repository.commondir().join("clada-told");
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(told, flags, Mode::from_raw_mode(0o666)).is_ok()
    }

    /// How long the lock of another program is waited for.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> GitRepository {
        GitRepository { patience, ..self }
    }

    /// Looks at the repository as it is now. To be called at the beginning of each operation.
    ///
    /// # Errors
    /// Why no commits can be made in it now.
    pub fn check(&mut self) -> Result<(), Unusable> {
        // It may have been kept open since it was looked at.
        special::refuse_again(&self.folder.join(".git"), self.home.as_deref())?;
        if let Some(elsewhere) = private_git::leads_elsewhere(&self.folder) {
            return Err(Unusable::Elsewhere(elsewhere));
        }
        self.belongs()?;
        self.take_config()?;
        let busy = match self.repository.state() {
            RepositoryState::Clean => None,
            RepositoryState::Merge => Some("a merge"),
            RepositoryState::Revert | RepositoryState::RevertSequence => Some("a revert"),
            RepositoryState::CherryPick | RepositoryState::CherryPickSequence => Some("a cherry-pick"),
            RepositoryState::Bisect => Some("a bisect"),
            RepositoryState::Rebase
            | RepositoryState::RebaseInteractive
            | RepositoryState::RebaseMerge
            | RepositoryState::ApplyMailboxOrRebase => Some("a rebase"),
            RepositoryState::ApplyMailbox => Some("an `am`"),
        };
        if let Some(busy) = busy {
            return Err(Unusable::InProgress(busy));
        }
        let turn = Turn::take(self)?;
        let index = turn.load(self).map_err(|error| match error {
            GitError::Library { message, .. } if message.contains("'link'") => Unusable::Index("split"),
            GitError::Library { message, .. } if message.contains("'sdir'") => Unusable::Index("sparse"),
            error => Unusable::from(error),
        })?;
        self.head()?;
        if index.has_conflicts() { Err(Unusable::Conflicts) } else { Ok(()) }
    }

    /// The repository is of this work tree and of no other.
    pub(super) fn belongs(&self) -> Result<(), Unusable> {
        if self.repository.is_bare() {
            return Err(Unusable::Bare);
        }
        let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        };
        let git_folder = self.repository.path();
        let elsewhere = || Err(Unusable::Elsewhere(git_folder.to_path_buf()));
        if !self.repository.workdir().is_some_and(|work| same(work, &self.folder)) {
            return elsewhere();
        }
        if self.repository.is_worktree() {
            // What it says of its work tree is what git itself goes by when it prunes work trees.
            let back =
                read_regular(&git_folder.join("gitdir"), Symlinks::Follow, MAX_NAME).unwrap_or_default();
            let back = git_folder.join(String::from_utf8_lossy(&back).trim_end());
            let mine = back.parent().is_some_and(|back| same(back, &self.folder));
            return if mine { Ok(()) } else { elsewhere() };
        }
        let resolved = git_folder.canonicalize();
        let others = resolved.is_ok_and(|resolved| {
            resolved.file_name().is_some_and(|name| name == ".git")
                && resolved.parent() != Some(self.folder.as_path())
        });
        if others { elsewhere() } else { Ok(()) }
    }

    /// Reads the configuration anew, from these files and no others.
    pub(super) fn take_config(&self) -> Result<(), Unusable> {
        let common = self.repository.commondir();
        let home = self.home.as_deref();
        let files = [
            (Some(PathBuf::from("/etc/gitconfig")), ConfigLevel::System),
            (home.map(|home| home.join(".config/git/config")), ConfigLevel::XDG),
            (home.map(|home| home.join(".gitconfig")), ConfigLevel::Global),
            (Some(common.join("config")), ConfigLevel::Local),
        ];
        let doing = "read its configuration";
        let mut config = Config::new().doing(doing)?;
        for (file, level) in files {
            if let Some(file) = file {
                includes::refuse(&file, home)?;
                if file.is_file() {
                    config.add_file(&file, level, false).doing(doing)?;
                }
            }
        }
        let own = self.repository.path().join("config.worktree");
        if config.get_bool("extensions.worktreeconfig").unwrap_or_default() && own.is_file() {
            includes::refuse(&own, home)?;
            config.add_file(&own, ConfigLevel::Worktree, false).doing(doing)?;
        }
        for key in ["core.attributesfile", "core.excludesfile"] {
            let Ok(rules) = config.get_path(key) else { continue };
            // libgit2 takes a relative one from the work tree.
            let rules = self.folder.join(rules);
            if let Ok(metadata) = rules.metadata() {
                special::refuse_one(&rules, &metadata)?;
            }
        }
        Ok(self.repository.set_config(&config).doing(doing)?)
    }

    pub(super) fn config_bool(&self, key: &str, default: bool) -> bool {
        self.repository.config().and_then(|config| config.get_bool(key)).unwrap_or(default)
    }
}

/// Device, number and birth of a file: a number alone is given to another file when the first is gone.
type Identity = (u64, u64, Option<SystemTime>);

fn identity(of: &Metadata) -> Identity {
    (of.dev(), of.ino(), of.created().ok())
}

fn device(folder: &Path) -> Option<u64> {
    folder.metadata().map(|metadata| metadata.dev()).ok()
}

fn unusable(error: &git2::Error) -> Unusable {
    match error.code() {
        ErrorCode::Owner => Unusable::ForeignOwner,
        _ => Unusable::Other(error.message().to_owned()),
    }
}
