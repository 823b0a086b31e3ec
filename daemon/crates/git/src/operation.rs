//! Makes the commits of an operation: one of the dirty state before it, one of its changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use git2::{Oid, Tree};

use super::GitMode;
use super::before::Before;
use super::commit::{self, Commission, CommitDraft, Put, Refresh};
use super::content::{Changed, Content, LeftOut, entry_of};
use super::entry_flags::Intent;
use super::error::{Doing, GitError};
use super::head::HeadState;
use super::index::Entering;
use super::index_lock::IndexLock;
use super::repository::GitRepository;

/// The number of attempts to make a commit while another process commits to the same branch.
const ATTEMPTS: usize = 5;
const SECRET: &str = "they are held back as secrets and git does not have them (name them in a \
                      `.gitignore`, or add them yourself)";
const NAMED: usize = 3;

impl GitRepository {
    /// Adds those of `changed` that can never be committed to `left_out`. Files that git
    /// ignores are not reported.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn leave_out(&self, changed: &[Changed], left_out: &mut Uncommitted) -> Result<(), GitError> {
        let tree = self.tree_of(self.head()?.tip)?;
        for changed in changed {
            let reason = match self.place(&changed.path, tree.as_ref()) {
                Ok(_) | Err(LeftOut::Ignored) => continue,
                Err(LeftOut::NoRules) => {
                    "a `.gitignore` or `.gitattributes` that applies to them is not a file"
                }
                Err(LeftOut::Filter) => "a git filter converts them",
                Err(LeftOut::Secret) => SECRET,
                Err(LeftOut::Hidden) => "git ignores their changes (assume-unchanged or skip-worktree)",
                Err(LeftOut::Submodule) => "they are in another repository",
                Err(LeftOut::Outside) => "they are not in this work tree",
            };
            let path = changed.path.strip_prefix(&self.folder).unwrap_or(&changed.path);
            left_out.0.entry(reason).or_default().insert(path.to_path_buf());
        }
        Ok(())
    }

    /// Refuses an operation that reaches into a submodule.
    ///
    /// # Errors
    /// If one of `changed` is in a repository of its own, or the repository cannot be read.
    pub fn refuse_submodules(&self, changed: &[Changed]) -> Result<(), GitError> {
        let tree = self.tree_of(self.head()?.tip)?;
        let within =
            |changed: &&Changed| matches!(self.place(&changed.path, tree.as_ref()), Err(LeftOut::Submodule));
        match changed.iter().find(within) {
            None => Ok(()),
            Some(changed) => Err(GitError::refused(
                format!(
                    "'{}' is in another repository, which is never committed from here",
                    changed.path.display()
                ),
                "give that repository as root, or apply with --no-git",
            )),
        }
    }

    /// Commits exactly the operation's changes. Returns `None` if git sees no difference.
    ///
    /// # Errors
    /// If the commit could not be made. The files stay as the operation left them.
    pub fn after(
        &mut self,
        changed: &[Changed],
        before: &Before,
        commission: &Commission,
    ) -> Result<Option<String>, GitError> {
        let puts = self.puts(&before.head, changed, commission.mode, |changed| changed.after.as_ref())?;
        let making = CommitDraft {
            text: &commission.message,
            refresh: Refresh::Always,
            replaces: None,
            observed: None,
            kept_staged: &before.kept_staged,
        };
        Ok(self.commit_puts(&before.head, &puts, commission, &making)?.map(|id| id.to_string()))
    }

    pub(super) fn commit_puts(
        &mut self,
        head: &HeadState,
        puts: &[Put<'_>],
        commission: &Commission,
        making: &CommitDraft<'_>,
    ) -> Result<Option<Oid>, GitError> {
        if puts.is_empty() {
            return Ok(None);
        }
        match commission.mode {
            GitMode::Off => Ok(None),
            GitMode::Refs => {
                let entries: Vec<_> = puts.iter().map(|put| (put.path.as_path(), put.entry)).collect();
                self.commit_to_shadow(head, &entries, commission, making)
            }
            GitMode::Branch => self.commit_on_branch(head, puts, commission, making),
        }
    }

    fn commit_on_branch(
        &mut self,
        expected: &HeadState,
        puts: &[Put<'_>],
        commission: &Commission,
        making: &CommitDraft<'_>,
    ) -> Result<Option<Oid>, GitError> {
        let message = commit::message(making.text, &[(commit::OPERATION, &commission.operation)])?;
        let author = commit::signature(&commission.author, commission.now)?;
        let committer = commit::committer(commission.now)?;
        for _ in 0..ATTEMPTS {
            // Everything below is read again in each attempt: another program may have committed or staged
            // since.
            let mut lock = IndexLock::acquire(self)?;
            lock.lock_index(self.patience)?;
            let index = lock.load(self)?;
            let head = self.head()?;
            self.refuse_moved(expected, &head)?;
            let base = self.tree_of(head.tip)?;
            let tree =
                self.tree_with(base.as_ref(), puts.iter().map(|put| (put.path.as_path(), put.entry)))?;
            let unchanged =
                base.as_ref().map(Tree::id) == Some(tree) || (base.is_none() && self.is_empty(tree)?);
            let paths = puts.iter().map(|put| &put.path).filter(|path| !making.kept_staged.contains(*path));
            let paths = paths.map(PathBuf::as_path);
            match making.observed {
                Some(observed) => {
                    let (index, base) =
                        (observed.index(&index, &lock.index())?, self.tree_of(observed.tip())?);
                    let state = (&*index, base.as_ref());
                    self.keep_staged(&mut lock, &commission.operation, state, paths, commission.now)?;
                }
                None => {
                    let state = (&index, base.as_ref());
                    self.keep_staged(&mut lock, &commission.operation, state, paths, commission.now)?;
                }
            }
            // Before an operation the files are as they were, so that an index that lists them is right
            // already.
            if unchanged && making.refresh == Refresh::IfCommitted {
                return Ok(None);
            }
            drop((index, base));
            let entering: Vec<Entering<'_>> = puts
                .iter()
                .map(|put| Entering {
                    path: &put.path,
                    entry: put.entry,
                    content: put.content,
                    intent: Intent::None,
                })
                .collect();
            lock.write(self, &entering)?;
            if unchanged {
                lock.finish(self)?;
                return Ok(None);
            }
            let replaced = making.replaces.filter(|replaces| head.tip == Some(*replaces));
            // Amends only if nobody has built on that commit; otherwise the branch would lose theirs.
            let parents: Vec<Oid> = match replaced {
                Some(replaced) => self.commit_at(replaced)?.parent_ids().collect(),
                None => head.tip.into_iter().collect(),
            };
            let commit = self.write_commit(&author, &committer, &message, tree, &parents)?;
            // Recovery puts the new index in place if the branch is at this commit, and drops it if not.
            lock.announce(&head.reference, &commit.to_string())?;
            let how = if replaced.is_some() { "commit (clada, amend)" } else { "commit (clada)" };
            let why = format!("{how}: {}", message.lines().next().unwrap_or_default());
            let moved = self.move_reference(&head.reference, head.tip, Some(commit), &committer, &why);
            if lock.note(moved)? {
                return match lock.finish(self) {
                    Ok(()) => Ok(Some(commit)),
                    // Without its index, the branch would show the commit's reverse as staged.
                    Err(error) => {
                        let why = "reset (clada): the index could not be written";
                        self.move_reference(&head.reference, Some(commit), head.tip, &committer, why)?;
                        Err(error)
                    }
                };
            }
        }
        Err(GitError::refused(
            format!("'{}' is being committed to by somebody else all the time", expected.branch()),
            "try again when the repository is quiet",
        ))
    }

    fn refuse_moved(&self, expected: &HeadState, now: &HeadState) -> Result<(), GitError> {
        // Commits of other processes may have been added on top of the line of work.
        let continued = match (expected.tip, now.tip) {
            _ if expected.reference != now.reference => false,
            (Some(expected), Some(now)) => {
                expected == now
                    || self.repository.graph_descendant_of(now, expected).doing("compare commits")?
            }
            (None, _) => true,
            (Some(_), None) => false,
        };
        if continued {
            return Ok(());
        }
        let shown = |head: &HeadState| match head.tip {
            Some(tip) => format!("{} ({})", head.branch(), &tip.to_string()[..10]),
            None => head.branch().to_owned(),
        };
        Err(GitError::HeadMoved { from: shown(expected), to: shown(now) })
    }

    pub(super) fn puts<'c>(
        &self,
        head: &HeadState,
        changed: &'c [Changed],
        mode: GitMode,
        state: impl Fn(&'c Changed) -> Option<&'c Content>,
    ) -> Result<Vec<Put<'c>>, GitError> {
        if mode == GitMode::Off {
            return Ok(Vec::new());
        }
        let tree = self.tree_of(head.tip)?;
        let mut puts = Vec::with_capacity(changed.len());
        for changed in changed {
            let Ok(path) = self.place(&changed.path, tree.as_ref()) else { continue };
            let content = state(changed);
            let known = tree.as_ref().and_then(|tree| entry_of(tree, path));
            let entry = content.map(|content| self.enter(path, content, known)).transpose()?;
            puts.push(Put { path: path.to_path_buf(), entry, content });
        }
        Ok(puts)
    }

    pub(super) fn tree_of(&self, commit: Option<Oid>) -> Result<Option<Tree<'_>>, GitError> {
        commit.map(|id| self.commit_at(id)?.tree().doing("read a tree")).transpose()
    }

    pub(super) fn is_empty(&self, tree: Oid) -> Result<bool, GitError> {
        Ok(self.repository.find_tree(tree).doing("read a tree")?.is_empty())
    }
}

/// Paths that an operation changes and that are never committed, by reason.
#[derive(Debug, Default)]
pub struct Uncommitted(BTreeMap<&'static str, BTreeSet<PathBuf>>);

impl Uncommitted {
    /// Adds secrets that git does not have.
    pub fn hold_back(&mut self, secrets: impl IntoIterator<Item = PathBuf>) {
        let mut secrets = secrets.into_iter().peekable();
        if secrets.peek().is_some() {
            self.0.entry(SECRET).or_default().extend(secrets);
        }
    }

    /// Returns the note for the user; `None` if there are no such paths.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let notes: Vec<String> = self.0.iter().map(|(reason, paths)| note(paths, reason)).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

fn note(paths: &BTreeSet<PathBuf>, reason: &str) -> String {
    let mut named: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > NAMED {
        named.push(format!("{} more", paths.len() - NAMED));
    }
    format!("not committed, since {reason}: {}", named.join(", "))
}
