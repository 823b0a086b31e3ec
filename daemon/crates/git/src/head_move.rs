//! Takes a move of HEAD back: a squash, or a step.
//!
//! Nothing is moved that is elsewhere than the move left it. A squash has the files of the commits that it
//! replaced, so that only a reference moves; a step goes back as it came.

use std::time::SystemTime;

use clada_protocol::{HeadMove, HeadPosition};
use git2::Oid;

use super::commit;
use super::discover::GitRepository;
use super::error::{Doing, GitError};
use super::head::Head;
use super::index_lock::IndexLock;
use super::step::Stepped;

impl GitRepository {
    /// Returns the position of HEAD; `None` on a branch without a commit.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn position(&self) -> Result<Option<HeadPosition>, GitError> {
        let head = self.head()?;
        Ok(head.tip.map(|tip| head.position(tip)))
    }

    /// Refuses to take `moved` back if HEAD, or the branch that it came from, is elsewhere by now, or if that
    /// would take pushed commits off a branch, unless `force` says so.
    ///
    /// # Errors
    /// The refusal, or that of reading the repository.
    pub fn check_move_back(&self, moved: &HeadMove, force: bool) -> Result<(), GitError> {
        let now = self.position()?;
        if now.as_ref() != Some(&moved.to) {
            let now = now.as_ref().map_or_else(|| "a branch without a commit".to_owned(), shown);
            let message = format!("HEAD has moved since: it was at {}, and is at {now}", shown(&moved.to));
            return Err(GitError::refused(message, STAYS));
        }
        let from = parsed(&moved.from.commit)?;
        self.commit_at(from)?;
        let Some(branch) = &moved.from.reference else { return Ok(()) };
        if moved.to.reference.as_ref() == Some(branch) {
            if !force && self.is_pushed(parsed(&moved.to.commit)?)? {
                let message = "The commit was pushed since, and whoever has it would have it twice";
                return Err(GitError::refused(message, "give --force if nobody else works on this branch"));
            }
        } else if self.target_of(branch)? != Some(from) {
            let message = format!("{branch} has moved since: it was at {}", shown(&moved.from));
            return Err(GitError::refused(message, STAYS));
        }
        Ok(())
    }

    /// Takes `moved` back. `why` stands in the reflog.
    ///
    /// # Errors
    /// Those of [`GitRepository::check_move_back`]; if it did not work.
    pub fn move_back(
        &mut self,
        moved: &HeadMove,
        force: bool,
        why: &str,
        now: SystemTime,
    ) -> Result<Stepped, GitError> {
        self.check_move_back(moved, force)?;
        let (from, to) = (parsed(&moved.to.commit)?, parsed(&moved.from.commit)?);
        let head = self.head()?;
        if self.is_parent(from, to)? || self.is_parent(to, from)? {
            self.refuse_filters(from, to)?;
            return self.go(&head, to, moved.from.reference.clone(), now);
        }
        let _lock = IndexLock::acquire(self)?;
        if self.commit_at(from)?.tree_id() != self.commit_at(to)?.tree_id() {
            let message = "The commits before and after do not hold the same files";
            return Err(GitError::refused(message, STAYS));
        }
        self.point(&head, from, to, &format!("{why} (clada)"), now)?;
        Ok(Stepped {
            commit: to.to_string(),
            branch: moved.from.reference.clone(),
            stashed: Vec::new(),
            restored: false,
            conflicts: Vec::new(),
            line: None,
            moved: HeadMove { from: moved.to.clone(), to: moved.from.clone() },
        })
    }

    /// Moves the reference of `head`, and no file.
    fn point(&self, head: &Head, from: Oid, to: Oid, why: &str, now: SystemTime) -> Result<(), GitError> {
        let by = commit::committer(now)?;
        match self.move_reference(&head.reference, Some(from), Some(to), &by, why)? {
            true => Ok(()),
            false => Err(GitError::refused("The branch has moved in the meantime", "try again")),
        }
    }

    fn is_parent(&self, parent: Oid, child: Oid) -> Result<bool, GitError> {
        Ok(self.commit_at(child)?.parent_id(0).is_ok_and(|found| found == parent))
    }
}

/// The hint if nothing is moved.
const STAYS: &str =
    "nothing was changed; `git reflog` shows where HEAD was, and `git switch` or `git reset` go there";

/// The digits of a commit's id that are shown.
const SHORT: usize = 10;

fn shown(position: &HeadPosition) -> String {
    let commit = position.commit.get(..SHORT).unwrap_or(&position.commit);
    match &position.reference {
        Some(reference) => {
            format!("{commit} on {}", reference.strip_prefix("refs/heads/").unwrap_or(reference))
        }
        None => format!("{commit} on no branch"),
    }
}

fn parsed(commit: &str) -> Result<Oid, GitError> {
    Oid::from_str(commit).doing("read the name of a commit")
}
