//! Moves of HEAD: planned as a value, which is recorded before anything is changed, then made, or settled by
//! whoever finds one that was cut off.
//!
//! Nothing is moved that is elsewhere than the plan says. Example of a step from A to B, with a dirty file: its
//! content goes to the stash, the files become those of B, the index and HEAD follow, and what was put aside at B
//! before leaves the stash. Killed before HEAD has moved, all of it is reverted; killed later, the rest is done.

use std::path::PathBuf;
use std::time::SystemTime;

use clada_fs::{Durability, Options};
use clada_protocol::{HeadMove, HeadPosition};
use git2::Oid;
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::aside::{CommitState, PathChange};
use super::commit;
use super::content::Content;
use super::entry_flags::{Intent, is_hidden};
use super::error::{Doing, GitError};
use super::index::Entering;
use super::index_lock::{IndexLock, remove};
use super::repository::GitRepository;
use super::work_tree::{Foreign, WorkTree};

/// The time, and the options for the files that a move changes.
#[derive(Debug, Clone)]
pub struct MoveOptions {
    /// The current time.
    pub now: SystemTime,
    /// The options for the files.
    pub files: Options,
}

/// A move of HEAD that is yet to be made. What is read from it again makes or reverts the same move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMove {
    /// The move.
    pub moved: HeadMove,
    /// The reason, for the log of the reference.
    pub(super) why: String,
    /// The reference that keeps the commits that leave the branch.
    #[serde(rename = "kept")] // As journals have it.
    pub(super) backup_ref: Option<String>,
    /// The step, if files change.
    pub step: Option<PlannedStep>,
}

/// The part of a move that changes files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// The end of the line of work, to be remembered: a branch or a commit.
    pub(super) line: Option<String>,
    /// The entry of the stash with what is put aside.
    pub(super) aside: Option<String>,
    /// The entry of the stash that is given back.
    pub(super) restored: Option<String>,
    /// The paths that are put aside, relative to the work tree.
    pub stashed: Vec<String>,
    /// The paths whose conflicts keep what was put aside at the target in the stash.
    pub conflicts: Vec<String>,
}

impl PlannedStep {
    /// Returns true if changes that were put aside earlier are given back.
    #[must_use]
    pub fn restores(&self) -> bool {
        self.restored.is_some()
    }
}

/// The end of a move of HEAD, or of an attempt at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveOutcome {
    /// It is made. These paths were changed by another program and left alone.
    Complete(Vec<PathBuf>),
    /// Everything is as before. These paths were changed by another program and left alone.
    Reverted(Vec<PathBuf>),
    /// Another program has moved HEAD since, so that nothing is done.
    Elsewhere,
}

/// A move of HEAD that failed.
#[derive(Debug)]
pub struct FailedMove {
    /// The error.
    pub error: GitError,
    /// True if everything is as before. Else [`GitRepository::settle_move`] has to be called again.
    pub is_reverted: bool,
}

struct MoveEnds {
    from: CommitState,
    to: CommitState,
}

impl GitRepository {
    /// Returns the position of HEAD; `None` on a branch without a commit.
    pub(crate) fn position(&self) -> Result<Option<HeadPosition>, GitError> {
        let head = self.head()?;
        Ok(head.tip.map(|tip| head.position(tip)))
    }

    /// Refuses to take `moved` back if HEAD, or the branch that it came from, is elsewhere by now, or if that
    /// would take pushed commits off a branch, unless `force` says so.
    pub(crate) fn check_move_back(&self, moved: &HeadMove, force: bool) -> Result<(), GitError> {
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

    /// Plans to take `moved` back. `why` stands in the reflog.
    ///
    /// # Errors
    /// Those of `GitRepository::check_move_back`; if it cannot be made without a loss.
    pub fn plan_move_back(
        &mut self,
        moved: &HeadMove,
        force: bool,
        why: &str,
        options: &MoveOptions,
    ) -> Result<PlannedMove, GitError> {
        self.check_move_back(moved, force)?;
        let (from, to) = (parsed(&moved.to.commit)?, parsed(&moved.from.commit)?);
        if self.is_parent(from, to)? || self.is_parent(to, from)? {
            return self.plan_step_to(to, moved.from.reference.clone(), None, options);
        }
        if self.commit_at(from)?.tree_id() != self.commit_at(to)?.tree_id() {
            let message = "The commits before and after do not hold the same files";
            return Err(GitError::refused(message, STAYS));
        }
        let moved = HeadMove { from: moved.to.clone(), to: moved.from.clone() };
        Ok(PlannedMove { moved, why: format!("{why} (clada)"), backup_ref: None, step: None })
    }

    /// Makes `plan`, which the caller has recorded. Returns the paths that another program changed meanwhile.
    ///
    /// # Errors
    /// If it could not be made. Then it is reverted, unless that failed as well.
    pub fn make_move(
        &mut self,
        plan: &PlannedMove,
        options: &MoveOptions,
    ) -> Result<Vec<PathBuf>, FailedMove> {
        let untouched = |error| FailedMove { error, is_reverted: true };
        let mut lock = IndexLock::acquire(self).map_err(untouched)?;
        lock.lock_index(self.patience).map_err(untouched)?;
        self.check_before(plan).map_err(untouched)?;
        let Err(error) = self.make_parts(&mut lock, plan, options) else { return Ok(Vec::new()) };
        match self.settle(&mut lock, plan, options) {
            Ok(MoveOutcome::Complete(skipped_paths)) => Ok(skipped_paths),
            Ok(MoveOutcome::Reverted(skipped_paths)) if skipped_paths.is_empty() => Err(untouched(error)),
            Ok(MoveOutcome::Reverted(_) | MoveOutcome::Elsewhere) | Err(_) => {
                Err(FailedMove { error, is_reverted: false })
            }
        }
    }

    /// Finishes or reverts `plan`, whose process was cut off, and removes the locks that it left.
    ///
    /// # Errors
    /// If that cannot be done now. It can be tried again.
    pub fn settle_move(
        &mut self,
        plan: &PlannedMove,
        options: &MoveOptions,
    ) -> Result<MoveOutcome, GitError> {
        let mut lock = IndexLock::acquire(self)?;
        lock.lock_index(self.patience)?;
        self.settle(&mut lock, plan, options)
    }

    fn check_before(&self, plan: &PlannedMove) -> Result<(), GitError> {
        if self.position()?.as_ref() == Some(&plan.moved.from) {
            return Ok(());
        }
        Err(GitError::refused("HEAD has moved in the meantime", "try again"))
    }

    fn make_parts(
        &mut self,
        lock: &mut IndexLock,
        plan: &PlannedMove,
        options: &MoveOptions,
    ) -> Result<(), GitError> {
        let PlannedMove { moved, why, backup_ref, step } = plan;
        let (from, to) = (parsed(&moved.from.commit)?, parsed(&moved.to.commit)?);
        let Some(step) = step else {
            let by = commit::committer(options.now)?;
            if let Some(backup_ref) = backup_ref {
                lock.move_own(self, backup_ref, Some(from), &by, "clada: squashed")?;
            }
            let reference = moved.to.reference.as_deref().unwrap_or("HEAD");
            // Announced first: after a kill, recovery reads from it which move was under way.
            lock.announce(reference, &moved.to.commit)?;
            return match lock.note(self.move_reference(reference, Some(from), Some(to), &by, why))? {
                true => Ok(()),
                false => Err(GitError::refused("The branch has moved in the meantime", "try again")),
            };
        };
        let ends = self.ends(plan, step)?;
        let index = lock.load(self)?;
        if self.index_tree(&index, from)? != ends.from.index {
            return Err(GitError::refused("The index has changed in the meantime", "try again"));
        }
        drop(index);
        // Recorded before HEAD leaves the branch: the way back to it starts here, even after a crash.
        if let Some(line) = &step.line {
            self.remember_line(line)?;
        }
        if let Some(aside) = &step.aside {
            self.push_aside(lock, parsed(aside)?)?;
            if options.files.durability == Durability::Full {
                self.flush()?;
            }
        }
        let changes = self.differences(Some(ends.from.files), ends.to.files)?;
        WorkTree::open(self, &options.files)?.make(&changes, &ends.to, Foreign::Refuse)?;
        self.write_index(lock, &ends.from, &ends.to, &changes)?;
        let value = moved.to.reference.as_ref().map(|branch| format!("ref: {branch}"));
        lock.announce("HEAD", &value.unwrap_or_else(|| moved.to.commit.clone()))?;
        lock.note(self.set_head(&moved.to))?;
        lock.finish(self)?;
        match &step.restored {
            Some(restored) => self.drop_aside(lock, parsed(restored)?),
            None => Ok(()),
        }
    }

    fn settle(
        &mut self,
        lock: &mut IndexLock,
        plan: &PlannedMove,
        options: &MoveOptions,
    ) -> Result<MoveOutcome, GitError> {
        let now = self.position()?;
        let is_made = now.as_ref() == Some(&plan.moved.to);
        if !is_made && now.as_ref() != Some(&plan.moved.from) {
            return Ok(MoveOutcome::Elsewhere);
        }
        let mut skipped_paths = Vec::new();
        if let Some(step) = &plan.step {
            // An index that was written and has not taken effect.
            if is_made && lock.draft().is_file() {
                lock.finish(self)?;
            } else {
                remove(&lock.draft())?;
            }
            let MoveEnds { from, to } = self.ends(plan, step)?;
            let (other, target) = if is_made { (&from, &to) } else { (&to, &from) };
            let changes = self.differences(Some(other.files), target.files)?;
            skipped_paths = WorkTree::open(self, &options.files)?.make(&changes, target, Foreign::Leave)?;
            let index = lock.load(self)?;
            let (position, beyond) =
                if is_made { (&plan.moved.to, &plan.moved.from) } else { (&plan.moved.from, &plan.moved.to) };
            let is_written = self.index_tree(&index, parsed(&position.commit)?)? == target.index;
            let is_other = self.index_tree(&index, parsed(&beyond.commit)?)? == other.index;
            drop(index);
            if !is_written && is_other {
                self.write_index(lock, other, target, &changes)?;
                lock.finish(self)?;
            }
            let dropped = if is_made { &step.restored } else { &step.aside };
            // What could not be put back is still in the stash.
            if let Some(dropped) = dropped.as_ref().filter(|_| skipped_paths.is_empty()) {
                self.drop_aside(lock, parsed(dropped)?)?;
            }
        }
        Ok(if is_made { MoveOutcome::Complete(skipped_paths) } else { MoveOutcome::Reverted(skipped_paths) })
    }

    fn ends(&self, plan: &PlannedMove, step: &PlannedStep) -> Result<MoveEnds, GitError> {
        let aside = |aside: &Option<String>| aside.as_deref().map(parsed).transpose();
        Ok(MoveEnds {
            from: self.state_at(parsed(&plan.moved.from.commit)?, aside(&step.aside)?)?,
            to: self.state_at(parsed(&plan.moved.to.commit)?, aside(&step.restored)?)?,
        })
    }

    fn write_index(
        &mut self,
        lock: &IndexLock,
        before: &CommitState,
        after: &CommitState,
        changes: &[PathChange],
    ) -> Result<(), GitError> {
        let mut entries = self.differences(Some(before.index), after.index)?;
        let staged = self.repository.find_tree(after.index).doing("read a tree")?;
        for change in changes {
            let entry = super::content::entry_of(&staged, &change.path);
            let is_known = entries.iter().any(|known| known.path == change.path);
            if entry.is_some() && entry == change.after && !is_known {
                entries.push(PathChange { path: change.path.clone(), before: entry, after: entry });
            }
        }
        drop(staged);
        let index = lock.load(self)?;
        entries.retain(|entry| !is_hidden(&index, &entry.path));
        drop(index);
        // A file that takes the place of a folder comes after what was in it has gone.
        entries.sort_by_key(|entry| entry.after.is_some());
        let on_disk = Content::OnDisk { executable: false };
        let entering: Vec<Entering<'_>> = entries
            .iter()
            .map(|PathChange { path, after, .. }| {
                let is_file = after.is_some_and(|after| !after.is_link() && !after.is_submodule());
                let content = is_file.then_some(&on_disk);
                Entering { path, entry: *after, content, intent: Intent::None }
            })
            .collect();
        lock.write(self, &entering)
    }

    fn flush(&self) -> Result<(), GitError> {
        let folder = self.repository.commondir();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let flushed = rustix::fs::open(folder, flags, Mode::empty()).and_then(|folder| {
            #[cfg(target_os = "linux")]
            return rustix::fs::syncfs(&folder);
            #[cfg(not(target_os = "linux"))]
            rustix::fs::fsync(&folder)
        });
        flushed.map_err(|error| GitError::io("flush the repository", folder, error))
    }

    fn is_parent(&self, parent: Oid, child: Oid) -> Result<bool, GitError> {
        Ok(self.commit_at(child)?.parent_id(0).is_ok_and(|id| id == parent))
    }
}

const STAYS: &str =
    "nothing was changed; `git reflog` shows where HEAD was, and `git switch` or `git reset` go there";

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
