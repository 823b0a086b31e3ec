//! Moves HEAD one commit back along the line of work, and forward again.
//!
//! HEAD is detached and names the current commit; `refs/clada/line` names the end of the line.
//! Uncommitted changes are put into git's own stash on leaving a commit, and restored on returning to it.
//! A stash entry is dropped only after it has been restored. libgit2 writes the files, and overwrites
//! nothing that is not committed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clada_protocol::{HeadMove, HeadPosition};
use git2::build::CheckoutBuilder;
use git2::{
    ErrorCode, ObjectType, Oid, Repository, StashApplyOptions, StashFlags, TreeWalkMode, TreeWalkResult,
};

use super::commit;
use super::discover::GitRepository;
use super::error::{Doing, GitError};
use super::head::Head;
use super::index_lock::IndexLock;

/// The reference to the end of the line of work: a symbolic one to the branch that was
/// checked out, or one to a commit.
const LINE: &str = "refs/clada/line";
/// The most commits of a line that are searched for the next one.
const MAX_COMMITS: usize = 100_000;

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stepped {
    /// The commit.
    pub commit: String,
    /// The branch, if its end is reached again.
    pub branch: Option<String>,
    /// The paths that were stashed, relative to the work tree.
    pub stashed: Vec<String>,
    /// True if changes stashed earlier were restored.
    pub restored: bool,
    /// The paths whose conflicts kept the changes stashed here from being restored. These stay in the stash.
    pub conflicts: Vec<String>,
    /// With HEAD detached: the branch at the end of the line of work, if it ends in one.
    pub line: Option<String>,
    /// The move of HEAD.
    pub moved: HeadMove,
}

impl GitRepository {
    /// Goes to the commit before this one.
    ///
    /// # Errors
    /// If there is none, or if that did not work.
    pub fn step_back(&mut self, now: SystemTime) -> Result<Stepped, GitError> {
        let head = self.head()?;
        let tip = head.tip.ok_or_else(no_commit)?;
        let to = self.commit_at(tip)?.parent_id(0).map_err(|_| no_commit())?;
        self.refuse_filters(tip, to)?;
        self.remember_line(&head.reference, tip)?;
        self.go(&head, to, None, now)
    }

    /// Goes to the commit after this one, towards the end of the line that `step_back` came from.
    ///
    /// # Errors
    /// If there is none, or if that did not work.
    pub fn step_forward(&mut self, now: SystemTime) -> Result<Stepped, GitError> {
        let none = || {
            let message = "There is no commit after this one: nobody has stepped back from it";
            GitError::refused(message, "`clada git step-back` goes the other way")
        };
        let head = self.head()?;
        let tip = head.tip.filter(|_| head.reference == "HEAD").ok_or_else(none)?;
        let (end, branch) = self.line()?.ok_or_else(none)?;
        let to = self.child_of(tip, end)?.ok_or_else(none)?;
        self.refuse_filters(tip, to)?;
        self.go(&head, to, branch.filter(|_| to == end), now)
    }

    /// Goes from `head`, which has a commit, to the commit `to`, and onto `branch`, if given.
    pub(super) fn go(
        &mut self,
        head: &Head,
        to: Oid,
        branch: Option<String>,
        now: SystemTime,
    ) -> Result<Stepped, GitError> {
        let doing = "go to another commit";
        let from = head.tip.ok_or_else(no_commit)?;
        let by = commit::committer(now)?;
        // Here libgit2 writes the index itself; the repository that is kept open would not notice
        // that within the same moment.
        let _lock = IndexLock::acquire(self)?;
        let mut repository = Repository::open(&self.folder).doing(doing)?;
        let dirty: Vec<PathBuf> = self.dirty_in(&repository)?;
        let shown = |path: &PathBuf| path.display().to_string();
        if !dirty.is_empty() {
            self.refuse_filtered(&dirty)?;
            let flags = Some(StashFlags::INCLUDE_UNTRACKED);
            repository
                .stash_save(&by, &stash_message(from), flags)
                .doing("put aside what is not committed")?;
        }
        let moved = check_out(&repository, to, branch.as_deref());
        if let Err(error) = moved {
            if !dirty.is_empty() {
                repository.stash_pop(0, Some(&mut with_index())).doing("give back what was put aside")?;
            }
            return Err(error);
        }
        let (restored, conflicts) = give_back(&mut repository, to)?;
        self.index_stamp = None;
        let line = self.line()?.and_then(|(_, branch)| branch).filter(|_| branch.is_none());
        let to_position = HeadPosition { reference: branch.clone(), commit: to.to_string() };
        Ok(Stepped {
            commit: to.to_string(),
            branch,
            line,
            moved: HeadMove { from: head.position(from), to: to_position },
            stashed: dirty.iter().map(shown).collect(),
            restored,
            conflicts,
        })
    }

    /// Returns all dirty paths as libgit2 sees them in a repository that it has just opened.
    fn dirty_in(&self, repository: &Repository) -> Result<Vec<PathBuf>, GitError> {
        super::dirty::dirty(repository, &self.folder)
    }

    fn remember_line(&self, reference: &str, tip: Oid) -> Result<(), GitError> {
        let doing = "remember the line of work";
        let repository = &self.repository;
        if reference != "HEAD" {
            return repository
                .reference_symbolic(LINE, reference, true, "clada: step back")
                .doing(doing)
                .map(drop);
        }
        // An earlier step has recorded the line: it stays, if this is one of its commits.
        if let Some((end, _)) = self.line()?
            && (end == tip || self.child_of(tip, end)?.is_some())
        {
            return Ok(());
        }
        repository.reference(LINE, tip, true, "clada: step back").doing(doing).map(drop)
    }

    /// Returns the end of the line, and its branch.
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

    /// Returns the commit on the way from `end` to `commit` that comes right after `commit`.
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

fn no_commit() -> GitError {
    let message = "There is no commit before this one";
    GitError::refused(message, "`clada git step-forward` goes the other way")
}

fn stash_message(from: Oid) -> String {
    format!("clada: step from {from}")
}

fn with_index<'c>() -> StashApplyOptions<'c> {
    let mut safely = CheckoutBuilder::new();
    safely.safe().overwrite_ignored(false);
    let mut options = StashApplyOptions::new();
    options.reinstantiate_index().checkout_options(safely);
    options
}

/// Returns the untracked files of `stash` that would now replace other files. Even a file that git
/// ignores must not be overwritten.
fn in_the_way(repository: &Repository, stash: Oid) -> Result<Vec<String>, git2::Error> {
    let Ok(untracked) = repository.find_commit(stash)?.parent(2) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    untracked.tree()?.walk(TreeWalkMode::PreOrder, |folder, entry| {
        let path =
            Path::new(OsStr::from_bytes(folder.as_bytes())).join(OsStr::from_bytes(entry.name_bytes()));
        let there = repository.workdir().and_then(|work| work.join(&path).symlink_metadata().ok());
        let is_folder = entry.kind() == Some(ObjectType::Tree);
        if there.is_some_and(|there| !(is_folder && there.is_dir())) {
            found.push(path.display().to_string());
        }
        TreeWalkResult::Ok
    })?;
    Ok(found)
}

/// Writes the files of `to` and moves HEAD there, or to `branch`, if given, whose end `to` is.
fn check_out(repository: &Repository, to: Oid, branch: Option<&str>) -> Result<(), GitError> {
    let doing = "check a commit out";
    let target = repository.find_object(to, None).doing(doing)?;
    let mut safely = CheckoutBuilder::new();
    repository.checkout_tree(&target, Some(safely.safe().overwrite_ignored(false))).doing(doing)?;
    match branch {
        Some(branch) => repository.set_head(branch).doing(doing),
        None => repository.set_head_detached(to).doing(doing),
    }
}

/// Restores the changes that were stashed when `at` was left. Changes that conflict stay in the stash.
fn give_back(repository: &mut Repository, at: Oid) -> Result<(bool, Vec<String>), GitError> {
    let doing = "give back what was put aside";
    let (wanted, mut found) = (stash_message(at), None);
    repository
        .stash_foreach(|index, message, stash| {
            // git puts "On main: " before it.
            let is_wanted = message.ends_with(&wanted);
            if is_wanted {
                found = Some((index, *stash));
            }
            !is_wanted
        })
        .doing(doing)?;
    let Some((index, stash)) = found else { return Ok((false, Vec::new())) };
    let conflicts = in_the_way(repository, stash).doing(doing)?;
    if !conflicts.is_empty() {
        return Ok((false, conflicts));
    }
    match repository.stash_pop(index, Some(&mut with_index())) {
        Ok(()) => Ok((true, Vec::new())),
        Err(error) if matches!(error.code(), ErrorCode::Conflict | ErrorCode::MergeConflict) => {
            Ok((false, vec![format!("stash@{{{index}}}: {}", error.message())]))
        }
        Err(error) => Err(error).doing(doing),
    }
}
