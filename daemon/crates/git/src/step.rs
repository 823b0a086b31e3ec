//! Plans a move of HEAD one commit back along the line of work, or forward again.
//!
//! HEAD is detached and names the current commit; `refs/clada/line` names the end of the line.
//! Uncommitted changes are put into git's own stash on leaving a commit, and restored on returning to it.
//! Files that git was told to look away from stay as they are: a step between commits that differ in one is
//! refused, and so is any other that would lose something. Changes nothing but objects that nothing refers to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_protocol::{HeadMove, HeadPosition};
use git2::{ErrorCode, Index, Oid};

use super::aside::{CommitState, PathChange};
use super::commit;
use super::entry_flags::is_flagged;
use super::error::{Doing, GitError};
use super::head_move::{MoveOptions, PlannedMove, PlannedStep};
use super::index_lock::{IndexLock, LINE};
use super::repository::GitRepository;
use super::work_tree::WorkTree;

const MAX_COMMITS: usize = 100_000;
const NAMED: usize = 5;

impl GitRepository {
    /// Plans to go to the commit before this one.
    ///
    /// # Errors
    /// If there is none, or if the step would lose something.
    pub fn plan_step_back(&mut self, options: &MoveOptions) -> Result<PlannedMove, GitError> {
        let head = self.head()?;
        let tip = head.tip.ok_or_else(no_commit)?;
        let to = self.commit_at(tip)?.parent_id(0).map_err(|_| no_commit())?;
        let line = self.line_from(&head.reference, tip)?;
        self.plan_step_to(to, None, line, options)
    }

    /// Plans to go to the commit after this one, towards the end of the line that a step back came from.
    ///
    /// # Errors
    /// If there is none, or if the step would lose something.
    pub fn plan_step_forward(&mut self, options: &MoveOptions) -> Result<PlannedMove, GitError> {
        let none = || {
            let message = "There is no commit after this one: nobody has stepped back from it";
            GitError::refused(message, "`clada git step-back` goes the other way")
        };
        let head = self.head()?;
        let tip = head.tip.filter(|_| head.reference == "HEAD").ok_or_else(none)?;
        let (end, branch) = self.line()?.ok_or_else(none)?;
        let to = self.child_of(tip, end)?.ok_or_else(none)?;
        self.plan_step_to(to, branch.filter(|_| to == end), None, options)
    }

    pub(super) fn plan_step_to(
        &mut self,
        to: Oid,
        branch: Option<String>,
        line: Option<String>,
        options: &MoveOptions,
    ) -> Result<PlannedMove, GitError> {
        let lock = IndexLock::acquire(self)?;
        let index = lock.load(self)?;
        let head = self.head()?;
        let from = head.tip.ok_or_else(no_commit)?;
        self.refuse_filters(from, to)?;
        let mut dirty = self.dirty()?;
        dirty.retain(|path| !index.get_path(path, 0).is_some_and(|entry| is_flagged(&entry)));
        self.refuse_filtered(&dirty)?;
        let uncommitted = self.write_uncommitted(from, &index, &dirty)?;
        let before = CommitState { files: self.files_of(uncommitted)?, ..self.state_at(from, None)? };
        let before = CommitState { index: uncommitted.index, ..before };
        let mut restored = self.aside_at(to)?;
        let mut after = self.state_at(to, restored)?;
        let mut problems = self.problems(&index, &before, &after, options)?;
        let mut conflicts = Vec::new();
        if restored.is_some() && !problems.is_empty() {
            // It stays in the stash, and the commit is gone to without it.
            conflicts = problems.iter().map(|(path, _)| path.display().to_string()).collect();
            restored = None;
            after = self.state_at(to, None)?;
            problems = self.problems(&index, &before, &after, options)?;
        }
        drop(index);
        refuse_problems(&problems)?;
        let changes = self.differences(Some(before.files), after.files)?;
        let saved = WorkTree::open(self, &options.files)?.attributes(&dirty, &changes)?;
        let is_clean = (before.files, before.index) == (before.committed, before.committed);
        let aside = match is_clean && saved.is_empty() {
            true => None,
            false => {
                let by = commit::committer(options.now)?;
                Some(self.write_aside(&head, from, uncommitted, &saved, &by)?)
            }
        };
        let shown = |path: &PathBuf| path.display().to_string();
        let step = PlannedStep {
            line,
            aside: aside.map(|aside| aside.to_string()),
            restored: restored.map(|restored| restored.to_string()),
            stashed: dirty.iter().map(shown).collect(),
            conflicts,
        };
        let to = HeadPosition { reference: branch, commit: to.to_string() };
        let moved = HeadMove { from: head.position(from), to };
        Ok(PlannedMove { moved, why: String::new(), backup_ref: None, step: Some(step) })
    }

    fn problems(
        &self,
        index: &Index,
        before: &CommitState,
        after: &CommitState,
        options: &MoveOptions,
    ) -> Result<Vec<(PathBuf, &'static str)>, GitError> {
        let changes = self.differences(Some(before.files), after.files)?;
        let staged = self.differences(Some(before.index), after.index)?;
        let flagged =
            |change: &&PathChange| index.get_path(&change.path, 0).is_some_and(|entry| is_flagged(&entry));
        let flagged = changes.iter().chain(&staged).filter(flagged);
        let mut problems: Vec<_> = flagged.map(|change| (change.path.clone(), LOOKED_AWAY)).collect();
        let is_flagged = |path: &PathBuf| problems.iter().any(|(flagged, _)| flagged == path);
        let obstacles = WorkTree::open(self, &options.files)?.obstacles(&changes);
        let obstacles: Vec<_> = obstacles.into_iter().filter(|(path, _)| !is_flagged(path)).collect();
        problems.extend(obstacles);
        problems.sort();
        problems.dedup();
        Ok(problems)
    }

    /// Returns the branch at the end of the line of work, if it ends in one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn line_branch(&self) -> Result<Option<String>, GitError> {
        Ok(self.line()?.and_then(|(_, branch)| branch))
    }

    fn line_from(&self, reference: &str, tip: Oid) -> Result<Option<String>, GitError> {
        if reference != "HEAD" {
            return Ok(Some(reference.to_owned()));
        }
        // An earlier step has recorded the line: it stays, if this is one of its commits.
        if let Some((end, _)) = self.line()?
            && (end == tip || self.child_of(tip, end)?.is_some())
        {
            return Ok(None);
        }
        Ok(Some(tip.to_string()))
    }

    pub(super) fn remember_line(&self, line: &str) -> Result<(), GitError> {
        let doing = "remember the line of work";
        // Only clada moves it, each time under its lock: the process that locked it has died.
        super::index_lock::remove(&self.lock_of(LINE))?;
        let why = "clada: step back";
        let remembered = match Oid::from_str(line) {
            Ok(tip) => self.repository.reference(LINE, tip, true, why).doing(doing).map(drop),
            Err(_) => self.repository.reference_symbolic(LINE, line, true, why).doing(doing).map(drop),
        };
        // libgit2 does not say if it could not release it.
        super::index_lock::release(&self.lock_of(LINE));
        remembered
    }

    fn line(&self) -> Result<Option<(Oid, Option<String>)>, GitError> {
        let doing = "read the line of work";
        let line = match self.repository.find_reference(LINE) {
            Ok(line) => line,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(error).doing(doing),
        };
        match line.symbolic_target().doing(doing)?.map(str::to_owned) {
            None => Ok(line.target().map(|end| (end, None))),
            Some(branch) => Ok(self.target_of(&branch)?.map(|end| (end, Some(branch)))),
        }
    }

    fn child_of(&self, commit: Oid, end: Oid) -> Result<Option<Oid>, GitError> {
        let mut next = end;
        for _ in 0..MAX_COMMITS {
            let Ok(parent) = self.commit_at(next)?.parent_id(0) else { return Ok(None) };
            if parent == commit {
                return Ok(Some(next));
            }
            next = parent;
        }
        Ok(None)
    }

    /// Refuses files that a program has to convert: libgit2 would write them as git stores them.
    pub(super) fn refuse_filters(&self, from: Oid, to: Oid) -> Result<(), GitError> {
        let doing = "compare commits";
        let (from, to) = (self.tree_of(Some(from))?, self.tree_of(Some(to))?);
        let diff = self.repository.diff_tree_to_tree(from.as_ref(), to.as_ref(), None).doing(doing)?;
        let paths = diff.deltas().filter_map(|delta| {
            let bytes = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes())?;
            Some(Path::new(OsStr::from_bytes(bytes)).to_path_buf())
        });
        self.refuse_filtered(&paths.collect::<Vec<_>>())
    }

    fn refuse_filtered(&self, paths: &[PathBuf]) -> Result<(), GitError> {
        match paths.iter().find(|path| self.is_converted(path)) {
            None => Ok(()),
            Some(path) => Err(GitError::refused(
                format!("'{}' would have to go through a git filter, and clada runs none", path.display()),
                "use `git stash` and `git checkout` instead",
            )),
        }
    }
}

const LOOKED_AWAY: &str =
    "git ignores its changes (assume-unchanged, skip-worktree, sparse or intent-to-add)";

fn refuse_problems(problems: &[(PathBuf, &'static str)]) -> Result<(), GitError> {
    if problems.is_empty() {
        return Ok(());
    }
    let mut named: Vec<String> =
        problems.iter().take(NAMED).map(|(path, why)| format!("'{}': {why}", path.display())).collect();
    if problems.len() > NAMED {
        named.push(format!("{} more", problems.len() - NAMED));
    }
    let message = format!("The two commits differ in files that would be lost. {}", named.join("; "));
    Err(GitError::refused(message, "move these files or commit them, then try again"))
}

fn no_commit() -> GitError {
    let message = "There is no commit before this one";
    GitError::refused(message, "`clada git step-forward` goes the other way")
}
