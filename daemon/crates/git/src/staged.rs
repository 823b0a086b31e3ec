//! Keeps the user's staged contents of files that an operation changes under a reference, so that git does
//! not collect them and undoing the operation's commits restores them.

use std::path::Path;
use std::time::SystemTime;

use git2::{Index, Tree};

use super::commit;
use super::content::{StoredContent, entry_of};
use super::entry_flags::Intent;
use super::error::{Doing, GitError};
use super::index_lock::IndexLock;
use super::repository::GitRepository;

const STAGED: &str = "staged";
const REMOVED: &str = "removed";
/// The folder of entries that only announce a file to be added (`git add -N`).
const INTENDED: &str = "intended";

#[derive(Debug, Clone, Copy)]
pub(super) struct Staged {
    pub(super) entry: Option<StoredContent>,
    pub(super) intent: Intent,
}

fn reference(operation: &str) -> String {
    format!("refs/clada/staged/{operation}")
}

impl GitRepository {
    pub(super) fn keep_staged<'p>(
        &self,
        lock: &mut IndexLock,
        operation: &str,
        (index, base): (&Index, Option<&Tree<'_>>),
        paths: impl Iterator<Item = &'p Path>,
        now: SystemTime,
    ) -> Result<(), GitError> {
        let mut staged_entries = Vec::new();
        for path in paths {
            let entry = index.get_path(path, 0);
            let in_index = entry.as_ref().map(|entry| StoredContent { id: entry.id, mode: entry.mode });
            let in_base = base.and_then(|tree| entry_of(tree, path));
            if let Some(entry) = entry.filter(|entry| Intent::from_entry(entry) == Intent::ToAdd) {
                // Such an entry has no content, so an empty object stands for it.
                let id = self.repository.blob(&[]).doing("keep what was staged")?;
                staged_entries
                    .push((Path::new(INTENDED).join(path), Some(StoredContent { id, mode: entry.mode })));
                continue;
            }
            if in_index == in_base {
                continue;
            }
            match (in_index, in_base) {
                (Some(entry), _) => staged_entries.push((Path::new(STAGED).join(path), Some(entry))),
                (None, Some(entry)) => staged_entries.push((Path::new(REMOVED).join(path), Some(entry))),
                (None, None) => {}
            }
        }
        if staged_entries.is_empty() {
            return Ok(());
        }
        let name = reference(operation);
        let tree =
            self.target_of(&name)?.map(|id| self.commit_at(id)?.tree().doing("read a tree")).transpose()?;
        let tree = self
            .tree_with(tree.as_ref(), staged_entries.iter().map(|(path, entry)| (path.as_path(), *entry)))?;
        let committer = commit::committer(now)?;
        let text = format!("clada: staged before {operation}");
        let message = commit::message(&text, &[(commit::OPERATION, operation)])?;
        let id = self.write_commit(&committer, &committer, &message, tree, &[])?;
        lock.move_own(self, &name, Some(id), &committer, "clada: keep what was staged")
    }

    pub(super) fn staged(&self, operation: &str, path: &Path) -> Result<Option<Staged>, GitError> {
        let Some(id) = self.target_of(&reference(operation))? else { return Ok(None) };
        let tree = self.commit_at(id)?.tree().doing("read a tree")?;
        let kept_entry = |folder: &str| entry_of(&tree, &Path::new(folder).join(path));
        Ok(if let Some(entry) = kept_entry(STAGED) {
            Some(Staged { entry: Some(entry), intent: Intent::None })
        } else if let Some(entry) = kept_entry(INTENDED) {
            Some(Staged { entry: Some(entry), intent: Intent::ToAdd })
        } else {
            kept_entry(REMOVED).map(|_| Staged { entry: None, intent: Intent::None })
        })
    }

    pub(super) fn forget_staged(
        &self,
        lock: &mut IndexLock,
        operation: &str,
        now: SystemTime,
    ) -> Result<(), GitError> {
        let name = reference(operation);
        match self.target_of(&name)? {
            None => Ok(()),
            Some(_) => lock.move_own(self, &name, None, &commit::committer(now)?, "clada: given back"),
        }
    }
}
