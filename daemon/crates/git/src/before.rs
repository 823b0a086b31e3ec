//! The state from which an operation begins, part by part, and the one commit of the
//! files that were dirty then.
//!
//! A later part, after a command, adds to that commit as long as it is on top. A commit that a command made
//! itself is left as it is; the files dirty after it get a second commit.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use git2::{Oid, Tree};

use super::commit::{self, Commission, CommitDraft, Put, Refresh};
use super::content::{Changed, Content, LeftOut, StoredContent, entry_of};
use super::error::{Doing, GitError};
use super::head::HeadState;
use super::index::HeadAndIndex;
use super::repository::GitRepository;
use super::{GitBefore, GitMode};

/// The state from which an operation begins.
#[derive(Debug)]
pub struct Before {
    pub(super) head: HeadState,
    /// The commit of the dirty files, if there were any.
    pub commit: Option<String>,
    /// Earlier such commits, on top of which another process has committed during the operation.
    pub buried: Vec<String>,
    pub(super) kept_staged: HashSet<PathBuf>,
    /// Dirty files that are not committed, since they are secrets that git does not have.
    pub held_back: Vec<PathBuf>,
    has_all: bool,
}

impl GitRepository {
    /// Updates `before` after a command, which may have moved HEAD: later commits go to the new place. If the
    /// command left a branch for another one that continues from it, the commit of the dirty files is removed
    /// from the branch it left, since the other one has it.
    ///
    /// # Errors
    /// If the repository cannot be read or written.
    pub fn see_head(&self, before: &mut Before, now: SystemTime) -> Result<(), GitError> {
        let previous = std::mem::replace(&mut before.head, self.head()?);
        let (Some(commit), Some(tip)) = (&before.commit, before.head.tip) else { return Ok(()) };
        let commit = Oid::from_str(commit).doing("read a commit")?;
        if previous.reference == before.head.reference
            || !previous.reference.starts_with("refs/heads/")
            || self.target_of(&previous.reference)? != Some(commit)
            || self.is_pushed(commit)?
        {
            return Ok(());
        }
        let goes_on =
            tip == commit || self.repository.graph_descendant_of(tip, commit).doing("compare commits")?;
        let parent = self.commit_at(commit)?.parent_id(0).ok();
        let Some(parent) = parent.filter(|_| goes_on) else { return Ok(()) };
        let (by, why) = (commit::committer(now)?, "reset (clada): another branch goes on");
        self.move_reference(&previous.reference, Some(commit), Some(parent), &by, why).map(drop)
    }

    /// Returns the state from which an operation begins. Nothing of it is committed yet.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn begin(&self) -> Result<Before, GitError> {
        Ok(Before {
            head: self.head()?,
            commit: None,
            buried: Vec::new(),
            kept_staged: HashSet::new(),
            held_back: Vec::new(),
            has_all: false,
        })
    }

    /// Commits the dirty files among `changed`, or all dirty files, as they are before a part of the
    /// operation. Paths in `own` belong to the operation. For files that a command has changed already,
    /// `before` is the state before the command.
    ///
    /// # Errors
    /// If the commit could not be made. Nothing is changed then, `before` included.
    pub fn before(
        &mut self,
        before: &mut Before,
        changed: &[Changed],
        own: &HashSet<PathBuf>,
        observed: Option<&HeadAndIndex>,
        commission: &Commission,
    ) -> Result<(), GitError> {
        let head = self.head()?;
        let mut puts = self.puts(&head, changed, commission.mode, |changed| changed.before.as_ref())?;
        let kept_staged: Vec<PathBuf> = puts.iter().map(|put| put.path.clone()).collect();
        if let Some(observed) = observed {
            self.without_committed(&mut puts, observed.tip(), head.tip)?;
        }
        let wants_all = commission.before == GitBefore::All && !before.has_all;
        let all =
            if wants_all { self.other_dirty(&head, &puts, own, &mut before.held_back)? } else { Vec::new() };
        let tree = self.tree_of(head.tip)?;
        for (path, content) in &all {
            let known = tree.as_ref().and_then(|tree| entry_of(tree, path));
            let entry = content.as_ref().map(|content| self.enter(path, content, known)).transpose()?;
            puts.push(Put { path: path.clone(), entry, content: content.as_ref() });
        }
        drop(tree);
        // On a branch, a pushed commit is never replaced: others may have it already.
        let last = before.commit.as_deref().map(Oid::from_str).transpose().doing("read a commit")?;
        let replaces = match last {
            Some(last) if commission.mode != GitMode::Branch || !self.is_pushed(last)? => Some(last),
            _ => None,
        };
        let text = format!("{}{}", commit::BEFORE, commission.operation);
        let refresh = Refresh::IfCommitted;
        let making =
            CommitDraft { text: &text, refresh, replaces, observed, kept_staged: &before.kept_staged };
        let commit = self.commit_puts(&head, &puts, commission, &making)?;
        if let Some(commit) = commit {
            let is_replaced = last.is_some() && self.replaced(commit, replaces)?;
            before.buried.extend(before.commit.replace(commit.to_string()).filter(|_| !is_replaced));
        }
        before.has_all |= wants_all;
        before.kept_staged.extend(kept_staged);
        before.kept_staged.extend(all.into_iter().map(|(path, _)| path));
        before.head =
            HeadState { tip: commit.filter(|_| commission.mode == GitMode::Branch).or(head.tip), ..head };
        Ok(())
    }

    /// Returns whether the new commit replaced `replaces` instead of coming on top of it, or
    /// of a commit on top of it.
    fn replaced(&self, new_commit: Oid, replaces: Option<Oid>) -> Result<bool, GitError> {
        let Some(replaces) = replaces else { return Ok(false) };
        let parents = |id: Oid| Ok::<_, GitError>(self.commit_at(id)?.parent_ids().collect::<Vec<_>>());
        Ok(parents(new_commit)? == parents(replaces)?)
    }

    fn without_committed(
        &self,
        puts: &mut Vec<Put<'_>>,
        then: Option<Oid>,
        now: Option<Oid>,
    ) -> Result<(), GitError> {
        if then == now {
            return Ok(());
        }
        let (then, now) = (self.tree_of(then)?, self.tree_of(now)?);
        let at = |tree: &Option<Tree<'_>>, path: &Path| -> Option<StoredContent> {
            entry_of(tree.as_ref()?, path)
        };
        puts.retain(|put| at(&then, &put.path) == at(&now, &put.path));
        Ok(())
    }

    fn other_dirty(
        &self,
        head: &HeadState,
        puts: &[Put<'_>],
        own: &HashSet<PathBuf>,
        held_back: &mut Vec<PathBuf>,
    ) -> Result<Vec<(PathBuf, Option<Content>)>, GitError> {
        let tree = self.tree_of(head.tip)?;
        let index = self.repository.index().doing("read the index")?;
        let put: HashSet<&PathBuf> = puts.iter().map(|put| &put.path).collect();
        let mut dirty = Vec::new();
        for path in self.dirty()?.into_iter().filter(|path| !put.contains(path)) {
            let absolute = self.folder.join(&path);
            if own.contains(&absolute) {
                continue;
            }
            let place = self.place(&absolute, tree.as_ref());
            if place == Err(LeftOut::Secret) {
                held_back.push(path);
            } else if place.is_ok() {
                // The deletion is staged though the file exists: it is committed as deleted, as git does it.
                let is_unstaged = index.get_path(&path, 0).is_none()
                    && tree.as_ref().is_some_and(|tree| entry_of(tree, &path).is_some());
                let content = if is_unstaged { None } else { self.on_disk(&path)? };
                dirty.push((path, content));
            }
        }
        Ok(dirty)
    }
}
