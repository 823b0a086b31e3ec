//! Finds the place to which a recent commit has moved a file. Reads trees and blobs, and
//! nothing of the work tree.

use std::path::{Path, PathBuf};

use git2::{Delta, Diff, DiffFindOptions, DiffOptions, Oid};

use super::error::{Doing, GitError};
use super::repository::GitRepository;

const DOING: &str = "look for a rename";

const COMMITS: usize = 20;
const FILES: usize = 1_000;
const COMPARED: usize = 100;

/// A rename of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The new path, relative to the root in question.
    pub to: PathBuf,
    /// The first digits of the commit's id.
    pub commit: String,
}

impl GitRepository {
    /// Returns the rename of the file at `path`, relative to the resolved path `root`,
    /// by one of the last commits.
    ///
    /// # Errors
    /// If libgit2 cannot read them.
    pub fn renamed(&self, root: &Path, path: &Path) -> Result<Option<Renamed>, GitError> {
        let prefix = root.strip_prefix(&self.folder).unwrap_or(Path::new(""));
        let tree_path = prefix.join(path);
        let Ok(mut commit) = self.repository.head().and_then(|head| head.peel_to_commit()) else {
            return Ok(None);
        };
        let mut tree = commit.tree().doing(DOING)?;
        for _ in 0..COMMITS {
            let Ok(parent) = commit.parent(0) else { return Ok(None) };
            let before = parent.tree().doing(DOING)?;
            if tree.get_path(&tree_path).is_err() && before.get_path(&tree_path).is_ok() {
                let mut options = DiffOptions::new();
                options.ignore_submodules(true);
                let diff = self
                    .repository
                    .diff_tree_to_tree(Some(&before), Some(&tree), Some(&mut options))
                    .doing(DOING)?;
                let to = target(diff, &tree_path)?;
                let to = to.and_then(|to| Some(to.strip_prefix(prefix).ok()?.to_path_buf()));
                return Ok(to.map(|to| Renamed { to, commit: short(commit.id()) }));
            }
            (commit, tree) = (parent, before);
        }
        Ok(None)
    }
}

fn target(mut diff: Diff<'_>, path: &Path) -> Result<Option<PathBuf>, GitError> {
    if diff.deltas().len() > FILES {
        return Ok(None);
    }
    let mut options = DiffFindOptions::new();
    options.renames(true).rename_limit(COMPARED);
    diff.find_similar(Some(&mut options)).doing(DOING)?;
    let mut renames = diff.deltas().filter(|delta| delta.status() == Delta::Renamed);
    let rename = renames.find(|delta| delta.old_file().path() == Some(path));
    Ok(rename.and_then(|delta| delta.new_file().path().map(Path::to_path_buf)))
}

fn short(id: Oid) -> String {
    let mut id = id.to_string();
    id.truncate(7);
    id
}
