//! Finds the repository that a root lies in, and determines whether clada may commit there.
//!
//! A folder counts as a work tree only if it holds a `.git` that belongs to it: a file or link to another
//! work tree's repository would let a foreign folder cause commits there. The user's configuration is read
//! from a fixed list of files.

use std::cell::OnceCell;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_fs::{Symlinks, read_regular};
use git2::{Config, ConfigLevel, ErrorCode, Repository, RepositoryOpenFlags, RepositoryState};
use rustix::fs::{Mode, OFlags};

use super::error::{Doing, GitError, Unusable};
use super::index_lock::IndexLock;
use super::repository::{GitRepository, identity};
use super::user_gitignore::GitUser;
use super::{includes, special};
use crate::private_git;

const PATIENCE: Duration = Duration::from_secs(2);

const MAX_NAME: u64 = 64 << 10;

impl GitRepository {
    /// Opens the repository that `root`, a resolved path, lies in. Returns `None` if there is none. A
    /// repository in the home folder, or on another device, does not count for folders beneath it.
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
                    return GitRepository::checked(repository, folder, &metadata, home.clone()).map(Some);
                }
                // git, too, searches further up past a `.git` that is not a repository.
                Err(error) if error.code() == ErrorCode::NotFound => {}
                Err(error) => return Err(unusable(&error)),
            }
        }
        if ["objects", "refs"].iter().all(|name| root.join(name).is_dir()) && root.join("HEAD").is_file() {
            return Err(Unusable::Bare);
        }
        Ok(None)
    }

    fn checked(
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
            user: home.clone().map(|home| GitUser { configuration: home.join(".config"), home }),
            rules: OnceCell::new(),
            home,
            identity: identity(dot_git),
            secrets: None,
            linked_secrets: OnceCell::new(),
        };
        opened.belongs()?;
        Ok(opened)
    }

    /// Returns whether `.git` is still the one that was opened.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let now = self.folder.join(".git").symlink_metadata();
        now.is_ok_and(|now| identity(&now) == self.identity)
    }

    /// Returns whether clada commits here for the first time, and records that it has.
    #[must_use]
    pub fn is_first_time(&self) -> bool {
        let marker = self.repository.commondir().join("clada-told");
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(marker, flags, Mode::from_raw_mode(0o666)).is_ok()
    }

    /// Opens the repository of the project at `root` to ask for attributes: with the configuration that leads nowhere.
    /// `None` if there is none, or it is not this project's.
    #[must_use]
    pub fn with_attributes(root: &Path, home: Option<&Path>) -> Option<GitRepository> {
        let repository = GitRepository::open(root, home).ok()??;
        repository.belongs().ok()?;
        repository.take_config().ok()?;
        Some(repository)
    }

    /// Checks the repository as it is now. Must be called at the beginning of each operation.
    ///
    /// # Errors
    /// The reason for which no commits can be made in it now.
    pub fn check(&mut self) -> Result<(), Unusable> {
        // The repository may have been open since its last check.
        special::refuse_again(&self.folder.join(".git"), self.home.as_deref())?;
        if let Some(elsewhere) = private_git::leads_elsewhere(&self.folder) {
            return Err(Unusable::Elsewhere(elsewhere));
        }
        self.belongs()?;
        self.take_config()?;
        self.rules.take();
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
        let lock = IndexLock::acquire(self)?;
        let index = lock.load(self).map_err(|error| match error {
            GitError::Library { message, .. } if message.contains("'link'") => Unusable::Index("split"),
            GitError::Library { message, .. } if message.contains("'sdir'") => Unusable::Index("sparse"),
            error => Unusable::from(error),
        })?;
        self.head()?;
        if index.has_conflicts() { Err(Unusable::Conflicts) } else { Ok(()) }
    }

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
            // git itself goes by this file when it prunes work trees.
            let back =
                read_regular(&git_folder.join("gitdir"), Symlinks::Follow, MAX_NAME).unwrap_or_default();
            let back = git_folder.join(String::from_utf8_lossy(&back).trim_end());
            let mine = back.parent().is_some_and(|back| same(back, &self.folder));
            return if mine { Ok(()) } else { elsewhere() };
        }
        // What it says itself counts more than the place where it lies.
        let worktree = Config::open(&self.repository.commondir().join("config"));
        let worktree = worktree.and_then(|config| config.get_path("core.worktree"));
        if worktree.is_ok_and(|worktree| same(&git_folder.join(worktree), &self.folder)) {
            return Ok(());
        }
        let resolved = git_folder.canonicalize();
        let others = resolved.is_ok_and(|resolved| {
            resolved.file_name().is_some_and(|name| name == ".git")
                && resolved.parent() != Some(self.folder.as_path())
        });
        if others { elsewhere() } else { Ok(()) }
    }

    pub(super) fn take_config(&self) -> Result<(), Unusable> {
        let common = self.repository.commondir();
        let home = self.home.as_deref();
        let files = [
            (Some(PathBuf::from("/etc/gitconfig")), ConfigLevel::System),
            (self.user.as_ref().map(|user| user.configuration.join("git/config")), ConfigLevel::XDG),
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
            // libgit2 resolves a relative path from the work tree.
            let rules = self.folder.join(rules);
            if let Ok(metadata) = rules.metadata() {
                includes::refuse_one(&rules, &metadata)?;
            }
        }
        Ok(self.repository.set_config(&config).doing(doing)?)
    }
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
