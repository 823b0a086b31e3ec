//! Takes an operation's commits off the branch when its changes have been undone.
//!
//! Removes only clada's own commits, only if they are the last ones and were not pushed, and only all of the
//! operation together: the one after it and the one before it. Older versions made one before each part.
//! `refs/clada/undo/…` and the reflog keep them. In all other cases undo commits the reverse.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::{Oid, Tree};

use super::GitMode;
use super::before::Before;
use super::commit::{self, BEFORE, Commission};
use super::content::{Changed, Content, StoredContent, entry_of};
use super::entry_flags::Intent;
use super::error::{Doing, GitError};
use super::index::Entering;
use super::index_lock::{IndexLock, value_of};
use super::repository::GitRepository;
use super::staged::Staged;

const MAX_BELOW: usize = 10_000;

/// Commits that were taken off the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retracted {
    /// The commit that the branch is at now; `None` if it has no commit again.
    pub to: Option<String>,
    /// The reference that keeps the removed commits.
    pub backup_ref: String,
}

/// The commit below those that are taken off the branch; `None` if they are its first ones.
struct CommitBase(Option<Oid>);

impl GitRepository {
    /// Takes the commits of `operation` off the branch. `changed` are the changes that undoing it
    /// made to the files. Returns `None`, and changes nothing, if the commits are not the last
    /// ones, not clada's, or pushed.
    ///
    /// # Errors
    /// If the branch or the index could not be changed.
    pub fn retract(
        &mut self,
        operation: &str,
        changed: &[Changed],
        commission: &Commission,
    ) -> Result<Option<Retracted>, GitError> {
        let mut lock = IndexLock::acquire(self)?;
        lock.lock_index(self.patience)?;
        let head = self.head()?;
        let Some(tip) = head.tip else { return Ok(None) };
        let Some(CommitBase(base)) = self.without(tip, operation)? else { return Ok(None) };
        let index = lock.load(self)?;
        let entering = self.given_back(operation, &index, base, tip)?;
        drop(index);
        let by = commit::committer(commission.now)?;
        let backup_ref = format!("refs/clada/undo/{operation}");
        lock.move_own(self, &backup_ref, Some(tip), &by, "clada: undone")?;
        // Files that were dirty before the operation are dirty again: their entries must not
        // claim to match the files.
        let content = |path: &Path, entry: Option<StoredContent>| -> Result<Option<&Content>, GitError> {
            let at = self.folder.join(path);
            let after = changed.iter().find(|changed| changed.path == at);
            let Some(after) = after.and_then(|changed| changed.after.as_ref()) else { return Ok(None) };
            let is_entry = entry.is_some() && entry == Some(self.enter(path, after, entry)?);
            Ok(is_entry.then_some(after))
        };
        let entering: Vec<Entering<'_>> = entering
            .iter()
            .map(|(path, staged)| {
                let Staged { entry, intent } = *staged;
                let content = match intent {
                    Intent::None => content(path, entry)?,
                    Intent::ToAdd => None,
                };
                Ok(Entering { path, entry, content, intent })
            })
            .collect::<Result<_, GitError>>()?;
        lock.write(self, &entering)?;
        lock.announce(&head.reference, &value_of(base))?;
        let why = format!("reset (clada): undo {operation}");
        if !lock.note(self.move_reference(&head.reference, Some(tip), base, &by, &why))? {
            return Ok(None);
        }
        if let Err(error) = lock.finish(self) {
            let why = "reset (clada): the index could not be written";
            self.move_reference(&head.reference, base, Some(tip), &by, why)?;
            return Err(error);
        }
        self.forget_staged(&mut lock, operation, commission.now)?;
        Ok(Some(Retracted { to: base.map(|base| base.to_string()), backup_ref }))
    }

    /// Undoes the commits made before an operation that then changed nothing. Returns whether it
    /// took them off the branch.
    ///
    /// # Errors
    /// If the branch or the index could not be changed.
    pub fn call_off(&mut self, before: &Before, commission: &Commission) -> Result<bool, GitError> {
        let Commission { operation, now, .. } = commission;
        let retracted = match commission.mode {
            GitMode::Branch if before.commit.is_some() => self.retract(operation, &[], commission)?,
            GitMode::Branch | GitMode::Refs | GitMode::Off => None,
        };
        let mut lock = IndexLock::acquire(self)?;
        if let Some(Retracted { backup_ref, .. }) = &retracted {
            let by = commit::committer(*now)?;
            lock.move_own(self, backup_ref, None, &by, "clada: nothing was changed")?;
        }
        self.forget_staged(&mut lock, operation, *now)?;
        Ok(retracted.is_some())
    }

    /// Returns whether [`GitRepository::retract`] would take the commits of `operation` off the branch now.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn can_retract(&self, operation: &str) -> Result<bool, GitError> {
        let Some(tip) = self.head()?.tip else { return Ok(false) };
        Ok(self.without(tip, operation)?.is_some())
    }

    /// They have to be on top, and not pushed.
    fn without(&self, tip: Oid, operation: &str) -> Result<Option<CommitBase>, GitError> {
        let (mut base, mut lowest) = (Some(tip), None);
        while let Some(id) = base {
            let commit = self.commit_at(id)?;
            let is_before = commit.message().is_ok_and(|text| text.starts_with(BEFORE));
            if !commit::is_of(&commit, operation) || commit.parent_count() > 1 || (id != tip && !is_before) {
                break;
            }
            base = commit.parent_id(0).ok();
            lowest = Some(commit);
        }
        // A remote that has one of them has the lowest.
        let Some(lowest) = lowest.filter(|_| base != Some(tip)) else { return Ok(None) };
        if self.is_pushed(lowest.id())? || self.is_below(base, operation, lowest.time().seconds())? {
            return Ok(None);
        }
        Ok(Some(CommitBase(base)))
    }

    /// Returns whether a commit of `operation` is further down, because one of its commands has committed on
    /// top of it.
    fn is_below(&self, from: Option<Oid>, operation: &str, time: i64) -> Result<bool, GitError> {
        // All commits of an operation have the same time, so older commits are not visited.
        let mut next = from;
        for _ in 0..MAX_BELOW {
            let Some(id) = next else { return Ok(false) };
            // In a shallow clone the parents end somewhere.
            let Ok(commit) = self.commit_at(id) else { return Ok(false) };
            if commit::is_of(&commit, operation) {
                return Ok(true);
            }
            if commit.time().seconds() < time {
                return Ok(false);
            }
            next = commit.parent_id(0).ok();
        }
        Ok(false)
    }

    fn given_back(
        &self,
        operation: &str,
        index: &git2::Index,
        base: Option<Oid>,
        tip: Oid,
    ) -> Result<Vec<(PathBuf, Staged)>, GitError> {
        let doing = "compare commits";
        let (base, tip) = (self.tree_of(base)?, self.tree_of(Some(tip))?);
        let mut options = git2::DiffOptions::new();
        let diff = self
            .repository
            .diff_tree_to_tree(base.as_ref(), tip.as_ref(), Some(&mut options))
            .doing(doing)?;
        let mut entries = Vec::new();
        for delta in diff.deltas() {
            let Some(bytes) = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes()) else {
                continue;
            };
            let path = Path::new(OsStr::from_bytes(bytes));
            let at = |tree: &Option<Tree<'_>>| tree.as_ref().and_then(|tree| entry_of(tree, path));
            let now = index.get_path(path, 0).map(|entry| StoredContent { id: entry.id, mode: entry.mode });
            if now == at(&tip) {
                let as_base = || Staged { entry: at(&base), intent: Intent::None };
                let was = self.staged(operation, path)?.unwrap_or_else(as_base);
                entries.push((path.to_path_buf(), was));
            }
        }
        Ok(entries)
    }
}
