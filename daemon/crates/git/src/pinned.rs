//! Keeps the contents of the index under a reference while a checkpoint is open, so that git does not collect
//! those that only the index names. Writes no index, and moves nothing of the user's.

use std::time::SystemTime;

use git2::{ErrorCode, FileMode, Index, Oid};

use super::clean::IndexStamp;
use super::commit;
use super::error::{Doing, GitError};
use super::repository::GitRepository;

const DOING: &str = "keep what is staged";
const FOLDER: &str = "refs/clada/checkpoints/";

/// The commit that keeps an index, as long as HEAD and the index are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    head: Option<Oid>,
    index: IndexStamp,
    commit: Oid,
    tree: Oid,
}

impl Pinned {
    /// Returns what is staged, as the id of a tree.
    #[must_use]
    pub fn staged(&self) -> String {
        self.tree.to_string()
    }
}

/// The position of HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadPosition {
    /// The branch without `refs/heads/`, or `HEAD` if it is detached.
    pub branch: String,
    /// The commit, in hexadecimal digits; `None` on a branch that has none yet.
    pub commit: Option<String>,
}

impl GitRepository {
    /// Returns the position of HEAD.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn head_position(&self) -> Result<HeadPosition, GitError> {
        let head = self.head()?;
        Ok(HeadPosition { branch: head.branch().to_owned(), commit: head.tip.map(|tip| tip.to_string()) })
    }

    /// Returns the number of commits that `now` has and `before` does not, and the other way round; `None` if
    /// one of them is not there.
    #[must_use]
    pub fn commits_between(&self, before: &str, now: &str) -> Option<(usize, usize)> {
        let (before, now) = (Oid::from_str(before).ok()?, Oid::from_str(now).ok()?);
        self.repository.graph_ahead_behind(now, before).ok()
    }

    /// Keeps every content of the index under the reference of `checkpoint`. `last` is how that was done for
    /// the last one.
    ///
    /// # Errors
    /// If it cannot be done: then git may collect what only the index names.
    pub fn pin_index(
        &self,
        checkpoint: &str,
        last: Option<Pinned>,
        now: SystemTime,
    ) -> Result<Option<Pinned>, GitError> {
        let head = self.head()?.tip;
        let known = last.filter(|last| last.head == head && last.index.is_current());
        let pinned = match known {
            Some(pinned) => pinned,
            None => {
                let (stamp, mut index) = self.stamped_index().doing(DOING)?;
                if index.is_empty() {
                    return Ok(None);
                }
                let tree = self.tree_of_index(&mut index)?;
                Pinned { head, index: stamp, commit: self.commit_of(tree, head, now)?, tree }
            }
        };
        let committer = commit::committer(now)?;
        let (name, to) = (format!("{FOLDER}{checkpoint}"), Some(pinned.commit));
        let before = self.target_of(&name)?;
        self.move_reference(&name, before, to, &committer, "clada: checkpoint")?;
        Ok(Some(pinned))
    }

    /// Returns what is staged, as the id of a tree; `last` is how the index was kept for the last checkpoint.
    #[must_use]
    pub fn staged_tree(&self, last: Option<&Pinned>) -> Option<String> {
        if let Some(last) = last.filter(|last| last.index.is_current()) {
            return Some(last.staged());
        }
        let (_, mut index) = self.stamped_index().ok()?;
        if index.is_empty() { None } else { Some(self.tree_of_index(&mut index).ok()?.to_string()) }
    }

    fn tree_of_index(&self, index: &mut Index) -> Result<Oid, GitError> {
        match index.write_tree() {
            Ok(tree) => Ok(tree),
            // With conflicts, or with files that are only announced, there is no such tree.
            Err(_) => self.flat_tree(index),
        }
    }

    fn commit_of(&self, tree: Oid, head: Option<Oid>, now: SystemTime) -> Result<Oid, GitError> {
        if let Some(head) = head
            && self.commit_at(head)?.tree_id() == tree
        {
            return Ok(head);
        }
        let committer = commit::committer(now)?;
        self.write_commit(&committer, &committer, "clada: checkpoint", tree, &[])
    }

    fn flat_tree(&self, index: &Index) -> Result<Oid, GitError> {
        let mut builder = self.repository.treebuilder(None).doing(DOING)?;
        let odb = self.repository.odb().doing(DOING)?;
        for entry in index.iter() {
            let is_file = matches!(entry.mode & 0o170_000, 0o100_000 | 0o120_000);
            if is_file && odb.exists(entry.id) {
                builder.insert(entry.id.to_string(), entry.id, FileMode::Blob.into()).doing(DOING)?;
            }
        }
        builder.write().doing(DOING)
    }

    /// Returns whether work trees of other folders share its references.
    #[must_use]
    pub fn has_work_trees(&self) -> bool {
        self.repository.commondir().join("worktrees").symlink_metadata().is_ok()
    }

    /// Removes the references of checkpoints but for those that are `open`.
    ///
    /// # Errors
    /// If they cannot be read or removed.
    pub fn unpin_but(&self, open: &[String], now: SystemTime) -> Result<(), GitError> {
        let references = match self.repository.references_glob(&format!("{FOLDER}*")) {
            Ok(references) => references,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(()),
            Err(error) => return Err(error).doing(DOING),
        };
        let names = references.filter_map(|one| one.ok()?.name().ok().map(str::to_owned));
        let is_stale = |name: &String| open.iter().all(|id| name.strip_prefix(FOLDER) != Some(id));
        for name in names.filter(is_stale).collect::<Vec<_>>() {
            let at = self.target_of(&name)?;
            self.move_reference(&name, at, None, &commit::committer(now)?, "clada: checkpoint ended")?;
        }
        Ok(())
    }
}
