//! What git keeps beside a folder's own files that says what is left out: the excludes of its repository, which may lie
//! elsewhere for a linked worktree, and the `.gitignore` files above a root that is not the top of its repository.
//!
//! These are the only files that are read above a root. They are taken for rules and nothing else; none is written.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entry::stat_in;
use super::ignores::{MAX_RULES, Rules};
use super::path::RootedPath;
use super::root::Roots;
use super::stat::FileKind;

impl Roots {
    /// The excludes of the repository whose top is the open folder at `path`; `None` if it is no such top.
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
            _ => None,
        }
    }

    /// The rules of the repository that the root with this index lies in, below its top, with `above` before them.
    pub(super) fn rules_around(&self, root: usize, above: Option<Arc<Rules>>) -> Option<Arc<Rules>> {
        let Some(root) = self.0.roots.get(root).map(|root| root.resolved.as_path()) else { return above };
        let Some(top) = top_around(root) else { return above };
        let mut folders: Vec<&Path> =
            root.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).collect();
        folders.reverse();
        folders.into_iter().fold(above, |rules, folder| {
            let excludes = if folder == top { excludes_at(folder) } else { None };
            let git = read(&folder.join(".gitignore"));
            Rules::around(
                rules,
                root.strip_prefix(folder).unwrap_or(root),
                excludes.as_deref(),
                git.as_deref(),
            )
        })
    }

    /// How many names of a folder's path are above all ignore files that mean something to it: those above the top of
    /// its repository mean nothing, unless it lies in the project or a folder allowed beside it.
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

/// The top of the repository around `root`, if `root` is not a top itself. A repository of somebody else has no say.
fn top_around(root: &Path) -> Option<&Path> {
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

/// The excludes of a worktree or submodule at `top`, whose `.git` is a file with this text.
fn excludes_of_link(top: &Path, link: &[u8]) -> Option<Vec<u8>> {
    let named = |text: &[u8]| PathBuf::from(String::from_utf8_lossy(text).trim_end());
    let own = top.join(named(link.strip_prefix(b"gitdir: ")?));
    let common = read(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(named(&common)));
    read(&common.join("info/exclude"))
}

/// A regular file that is not too large; anything else is as good as none.
fn read(file: &Path) -> Option<Vec<u8>> {
    let metadata = std::fs::symlink_metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_RULES {
        return None;
    }
    std::fs::read(file).ok()
}
