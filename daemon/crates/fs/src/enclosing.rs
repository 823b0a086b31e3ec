//! Finds git's ignore rules that are not among a folder's own files: the excludes of its repository,
//! which may lie elsewhere for a linked worktree, and the `.gitignore` files above a root that is not
//! the top of its repository.
//!
//! Above a root only these files are read, besides git's index, which is only located here. They serve as
//! rules and for nothing else; none is written.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::stat_in;
use super::ignores::{IgnoreConfig, MAX_RULES, RuleLink, RuleTexts};
use super::path::RootedPath;
use super::regular::{Symlinks, read_regular};
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat};

impl Roots {
    pub(super) fn excludes_in(&self, folder: BorrowedFd<'_>, path: &RootedPath) -> Option<Vec<u8>> {
        match stat_in(folder, ".git".as_ref()).ok()?.kind {
            FileKind::Directory => {
                let info = self.open_beneath(folder, Path::new(".git/info")).ok()?;
                self.rules_file(info.as_fd(), "exclude", path).ok().flatten()
            }
            FileKind::File => {
                let link = self.rules_file(folder, ".git", path).ok().flatten()?;
                excludes_of_link(&self.absolute(path), &link)
            }
            FileKind::Symlink => excludes_at(&self.absolute(path)),
            _ => None,
        }
    }

    /// Returns the rules of the repository that the root with this index lies in, below its top. The user
    /// gitignore in `config` comes before them; git reads it from the top as well.
    pub(super) fn rules_around(&self, root: usize, config: &IgnoreConfig) -> Option<Arc<RuleLink>> {
        let root = self.0.roots.get(root)?.resolved.as_path();
        let Some(top) = top_around(root) else { return RuleLink::from_user_gitignore(config, Path::new("")) };
        let above = RuleLink::from_user_gitignore(config, root.strip_prefix(top).unwrap_or(Path::new("")));
        let mut folders: Vec<&Path> =
            root.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).collect();
        folders.reverse();
        folders.into_iter().fold(above, |rules, folder| {
            let texts = RuleTexts {
                excludes: if folder == top { excludes_at(folder) } else { None },
                git: read(&folder.join(".gitignore")),
                others: Vec::new(),
                ignores_case: config.ignores_case,
            };
            RuleLink::around(rules, root.strip_prefix(folder).unwrap_or(root), &texts)
        })
    }

    /// Returns git's index of the repository that the project's root is the top of or lies in, and the path
    /// from the top to the root.
    #[must_use]
    pub fn git_index(&self) -> Option<(PathBuf, PathBuf)> {
        let root = self.paths().next()?;
        let top = self.git_top()?;
        let way = root.strip_prefix(top).ok()?.to_path_buf();
        let git = top.join(".git");
        let folder = match git.symlink_metadata().ok()? {
            stat if stat.is_dir() => git,
            stat if stat.is_file() => linked(top, &read(&git)?)?,
            stat if stat.is_symlink() && git.is_dir() => git.canonicalize().ok()?,
            _ => return None,
        };
        Some((folder.join("index"), way))
    }

    /// Returns the top of the work tree of the same repository. Without a repository, returns the root.
    #[must_use]
    pub fn git_top(&self) -> Option<&Path> {
        let root = self.paths().next()?;
        Some(top_around(root).unwrap_or(root))
    }

    /// Returns the configuration of the same repository.
    #[must_use]
    pub fn git_configuration(&self) -> Option<PathBuf> {
        let (index, _) = self.git_index()?;
        Some(common(index.parent()?).join("config"))
    }

    /// Returns the identity of the entry at an absolute path that belongs to no root, to check
    /// later whether it is the same.
    #[must_use]
    pub fn identity_outside(path: &Path) -> Option<Identity> {
        rustix::fs::lstat(path).ok().map(|raw| Stat::from_raw(&raw).identity())
    }

    /// Returns the number of names of a folder's path that lie above all ignore files that apply to
    /// it. Those above the top of its repository do not apply, unless the folder lies in the project
    /// or in another allowed root.
    pub(super) fn first_rules(&self, folder: &RootedPath) -> usize {
        let own = self.0.roots.get(folder.root()).map(|root| root.resolved.as_path());
        if own != Some(Path::new("/")) {
            return 0;
        }
        let absolute = self.absolute(folder);
        let top = absolute.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        top.unwrap_or(&absolute).iter().count().saturating_sub(1)
    }
}

/// Returns the top of the repository around `root`, if `root` is not a top itself. Another user's repository
/// does not count, unless it is root's.
pub(super) fn top_around(root: &Path) -> Option<&Path> {
    if root.join(".git").symlink_metadata().is_ok() {
        return None;
    }
    let owner = root.metadata().ok()?.uid();
    let (top, uid) = root
        .ancestors()
        .skip(1)
        .find_map(|folder| Some((folder, folder.join(".git").symlink_metadata().ok()?.uid())))?;
    (uid == owner || uid == 0).then_some(top)
}

fn excludes_at(top: &Path) -> Option<Vec<u8>> {
    read(&top.join(".git/info/exclude")).or_else(|| excludes_of_link(top, &read(&top.join(".git"))?))
}

fn excludes_of_link(top: &Path, link: &[u8]) -> Option<Vec<u8>> {
    read(&common(&linked(top, link)?).join("info/exclude"))
}

fn linked(top: &Path, link: &[u8]) -> Option<PathBuf> {
    Some(top.join(named(link.strip_prefix(b"gitdir: ")?)))
}

fn common(own: &Path) -> PathBuf {
    read(&own.join("commondir")).map_or_else(|| own.to_path_buf(), |common| own.join(named(&common)))
}

fn named(text: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(text).trim_end())
}

pub(super) fn link_files(top: &Path) -> Vec<PathBuf> {
    let Some(own) = read(&top.join(".git")).and_then(|link| linked(top, &link)) else { return Vec::new() };
    vec![own.join("commondir"), common(&own).join("info/exclude")]
}

fn read(file: &Path) -> Option<Vec<u8>> {
    read_regular(file, Symlinks::Refuse, MAX_RULES).ok()
}

pub(super) fn read_through(file: &Path) -> Option<Vec<u8>> {
    read_regular(file, Symlinks::Follow, MAX_RULES).ok()
}
