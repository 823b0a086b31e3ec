//! A repository that is kept open, and what is known of it meanwhile: the user, the secrets, the rules, the index
//! that was read.
//!
//! Must not know how it was found, or what is done with it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clada_fs::{IgnoreRules, Ignoring, PathPolicy, Roots, Verdict};
use clada_protocol::ErrorKind;
use git2::Repository;

use super::user_gitignore::GitUser;

const MOST_ENTRIES: usize = 1_000_000;

/// A repository that is kept open.
pub struct GitRepository {
    pub(super) repository: Repository,
    pub(super) folder: PathBuf,
    /// The file from which libgit2's index was read, `Some(None)` if there was none; `None`
    /// if it has yet to be read.
    pub(super) index_stamp: Option<Option<Stamp>>,
    pub(super) patience: Duration,
    pub(super) home: Option<PathBuf>,
    pub(super) user: Option<GitUser>,
    pub(super) rules: OnceCell<Option<WorkTreeRules>>,
    pub(super) identity: FileIdentity,
    pub(super) secrets: Option<(PathPolicy, PathBuf)>,
    /// The secrets with several names, by device and inode, once something asked; `None`: there are too many files.
    pub(super) linked_secrets: OnceCell<Option<HashSet<(u64, u64)>>>,
}

impl std::fmt::Debug for GitRepository {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GitRepository").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl GitRepository {
    /// Returns the folder of the work tree.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps the secrets of `policy`, whose globs begin at `root`, out of commits as long as git does not
    /// have them: a commit is easily pushed, and what it holds is out of the file's hands for good.
    pub fn hold_back(&mut self, policy: PathPolicy, root: &Path) {
        self.secrets = Some((policy, root.to_path_buf()));
        self.linked_secrets.take();
    }

    /// Sets the user whose gitignore and configuration apply.
    pub fn set_user(&mut self, user: Option<GitUser>) {
        self.user = user;
        self.rules.take();
    }

    pub(super) fn is_secret(&self, path: &Path) -> bool {
        self.secrets.as_ref().is_some_and(|(policy, root)| {
            let relative =
                path.strip_prefix(root).or_else(|_| path.strip_prefix(&self.folder)).unwrap_or(path);
            matches!(policy.verdict_for_read(relative, &[path]), Verdict::Deny(ErrorKind::Secret, _))
        })
    }

    // Returns whether the file at `path`, which is absolute, is another name of a secret in the work tree (a hard
    // link). Where that cannot be known, it is.
    pub(super) fn is_name_of_secret(&self, path: &Path) -> bool {
        let Ok(stat) = path.symlink_metadata() else { return false };
        if self.secrets.is_none() || !stat.is_file() || stat.nlink() < 2 {
            return false;
        }
        let secrets = self.linked_secrets.get_or_init(|| self.find_linked_secrets());
        secrets.as_ref().is_none_or(|secrets| secrets.contains(&(stat.dev(), stat.ino())))
    }

    fn find_linked_secrets(&self) -> Option<HashSet<(u64, u64)>> {
        let (mut secrets, mut count) = (HashSet::new(), 0);
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                count += 1;
                if count > MOST_ENTRIES {
                    return None;
                }
                let Ok(stat) = entry.metadata() else { continue };
                if stat.is_dir() && entry.file_name() != ".git" {
                    folders.push(entry.path());
                } else if stat.is_file() && stat.nlink() > 1 && self.is_secret(&entry.path()) {
                    secrets.insert((stat.dev(), stat.ino()));
                }
            }
        }
        Some(secrets)
    }

    /// Sets the time to wait for another program's lock.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> GitRepository {
        GitRepository { patience, ..self }
    }

    pub(super) fn config_bool(&self, key: &str, default: bool) -> bool {
        self.repository.config().and_then(|config| config.get_bool(key)).unwrap_or(default)
    }
}

/// Device, inode number and birth time of a file. The system gives a deleted file's number to a new one.
pub(super) type FileIdentity = (u64, u64, Option<SystemTime>);

pub(super) fn identity(of: &Metadata) -> FileIdentity {
    (of.dev(), of.ino(), of.created().ok())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: (u64, u64),
    size: u64,
    pub(super) modified: (i64, i64),
}

impl Stamp {
    pub(super) fn read(path: &Path) -> Option<Stamp> {
        path.symlink_metadata().ok().map(|metadata| Stamp::new(&metadata))
    }

    pub(super) fn new(metadata: &std::fs::Metadata) -> Stamp {
        Stamp {
            identity: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

#[derive(Debug)]
pub(super) struct WorkTreeRules {
    pub(super) roots: Roots,
    pub(super) rules: IgnoreRules,
    pub(super) ignoring: Ignoring,
}
