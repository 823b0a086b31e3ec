//! The commits of an operation: what was dirty before it, and what it changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use git2::{Oid, Tree};

use super::commit::{self, Author};
use super::content::{Changed, Content, Entry, LeftOut, entry_of};
use super::discover::GitRepository;
use super::error::{Doing, GitError};
use super::head::Head;
use super::index::Entering;
use super::turn::Turn;
use super::{GitBefore, GitMode};

/// How often a commit is made anew because somebody else committed in the meantime.
const ATTEMPTS: usize = 5;
/// Paths that a note names; it counts the others.
const NAMED: usize = 3;

/// What an operation wants of git.
#[derive(Debug, Clone)]
pub struct Commission {
    /// The operation's id.
    pub operation: String,
    /// Where its commits go.
    pub mode: GitMode,
    /// What is committed before it.
    pub before: GitBefore,
    /// Who they are by.
    pub author: Author,
    /// What the commit after it says.
    pub message: String,
    /// The clock.
    pub now: SystemTime,
}

/// The state from which an operation begins.
#[derive(Debug)]
pub struct Before {
    head: Head,
    /// The commit that holds what was dirty, if anything was.
    pub commit: Option<String>,
}

/// What a commit puts at a path.
struct Put<'c> {
    path: PathBuf,
    entry: Option<Entry>,
    content: Option<&'c Content>,
}

impl GitRepository {
    /// Which of `changed` can never be committed, in words; `None` if all can be. What git ignores is no matter.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn left_out(&self, changed: &[Changed]) -> Result<Option<String>, GitError> {
        let tree = self.tree_of(self.head()?.tip)?;
        let mut reasons: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
        for changed in changed {
            let reason = match self.place(&changed.path, tree.as_ref()) {
                Ok(_) | Err(LeftOut::Ignored) => continue,
                Err(LeftOut::NoRules) => "a `.gitignore` or `.gitattributes` that holds for them is no file",
                Err(LeftOut::Filter) => "a git filter converts them",
                Err(LeftOut::Submodule) => "they are in a repository of their own",
                Err(LeftOut::Outside) => "they are not in this work tree",
            };
            reasons.entry(reason).or_default().push(&changed.path);
        }
        let notes: Vec<String> =
            reasons.iter().map(|(reason, paths)| note(&self.folder, paths, reason)).collect();
        Ok((!notes.is_empty()).then(|| notes.join("; ")))
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
                    "'{}' is in a repository of its own, which is never committed from here",
                    changed.path.display()
                ),
                "give that repository as root, or apply with --no-git",
            )),
        }
    }

    /// Commits what is dirty of `changed`, or everything that is, as it is before the operation.
    ///
    /// # Errors
    /// If that did not work. Nothing is changed then.
    pub fn before(&mut self, changed: &[Changed], commission: &Commission) -> Result<Before, GitError> {
        let head = self.head()?;
        let mut puts = self.puts(&head, changed, commission.mode, |changed| changed.before.as_ref())?;
        let all = match commission.before {
            GitBefore::All => self.dirty_besides(&head, &puts)?,
            GitBefore::Touched => Vec::new(),
        };
        for (path, content) in &all {
            let known = self.known(&head, commission.mode, path)?;
            let entry = content.as_ref().map(|content| self.enter(path, content, known)).transpose()?;
            puts.push(Put { path: path.clone(), entry, content: content.as_ref() });
        }
        let text = format!("{}{}", commit::BEFORE, commission.operation);
        let commit = self.commit_puts(&head, &puts, commission, &text, Refresh::IfCommitted)?;
        let head = Head { tip: commit.filter(|_| commission.mode == GitMode::Branch).or(head.tip), ..head };
        Ok(Before { head, commit: commit.map(|id| id.to_string()) })
    }

    /// Commits exactly what the operation changed. `None` if git sees no difference.
    ///
    /// # Errors
    /// If that did not work. The files are as the operation left them.
    pub fn after(
        &mut self,
        changed: &[Changed],
        before: &Before,
        commission: &Commission,
    ) -> Result<Option<String>, GitError> {
        let puts = self.puts(&before.head, changed, commission.mode, |changed| changed.after.as_ref())?;
        let commit =
            self.commit_puts(&before.head, &puts, commission, &commission.message, Refresh::Always)?;
        Ok(commit.map(|id| id.to_string()))
    }

    fn commit_puts(
        &mut self,
        head: &Head,
        puts: &[Put<'_>],
        commission: &Commission,
        text: &str,
        refresh: Refresh,
    ) -> Result<Option<Oid>, GitError> {
        if puts.is_empty() {
            return Ok(None);
        }
        match commission.mode {
            GitMode::Off => Ok(None),
            GitMode::Refs => {
                let entries: Vec<_> = puts.iter().map(|put| (put.path.as_path(), put.entry)).collect();
                self.commit_beside(head, &entries, commission, text)
            }
            GitMode::Branch => self.commit_on_branch(head, puts, commission, text, refresh),
        }
    }

    fn commit_on_branch(
        &mut self,
        expected: &Head,
        puts: &[Put<'_>],
        commission: &Commission,
        text: &str,
        refresh: Refresh,
    ) -> Result<Option<Oid>, GitError> {
        let message = commit::message(text, &[(commit::OPERATION, &commission.operation)])?;
        let author = commission.author.signature(commission.now)?;
        let committer = commit::committer(commission.now)?;
        for _ in 0..ATTEMPTS {
            let mut turn = Turn::take(self)?;
            turn.lock(self.patience)?;
            let index = turn.load(self)?;
            let head = self.head()?;
            self.refuse_moved(expected, &head)?;
            let base = self.tree_of(head.tip)?;
            let tree =
                self.tree_with(base.as_ref(), puts.iter().map(|put| (put.path.as_path(), put.entry)))?;
            let unchanged =
                base.as_ref().map(Tree::id) == Some(tree) || (base.is_none() && self.is_empty(tree)?);
            if unchanged && refresh == Refresh::IfCommitted {
                return Ok(None);
            }
            let paths = puts.iter().map(|put| put.path.as_path());
            self.keep_staged(&commission.operation, &index, base.as_ref(), paths, commission.now)?;
            drop((index, base));
            let entering: Vec<Entering<'_>> = puts
                .iter()
                .map(|put| Entering { path: &put.path, entry: put.entry, content: put.content })
                .collect();
            turn.write(self, &entering)?;
            if unchanged {
                turn.finish(self)?;
                return Ok(None);
            }
            let parents: Vec<Oid> = head.tip.into_iter().collect();
            let commit = self.write_commit((&author, &committer), &message, tree, &parents)?;
            turn.announce(&head.reference, commit)?;
            let why = format!("commit (clada): {}", message.lines().next().unwrap_or_default());
            if self.move_reference(&head.reference, head.tip, Some(commit), &committer, &why)? {
                return match turn.finish(self) {
                    Ok(()) => Ok(Some(commit)),
                    // A branch without its index would show the commit as if it were to be taken back.
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

    /// Somebody else's commits may have come on top, but it must be the same line of work.
    fn refuse_moved(&self, expected: &Head, now: &Head) -> Result<(), GitError> {
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
        let shown = |head: &Head| match head.tip {
            Some(tip) => format!("{} ({})", head.branch(), &tip.to_string()[..10]),
            None => head.branch().to_owned(),
        };
        Err(GitError::HeadMoved { from: shown(expected), to: shown(now) })
    }

    /// What a commit is to hold at each path that may be committed.
    fn puts<'c>(
        &self,
        head: &Head,
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

    fn known(&self, head: &Head, mode: GitMode, path: &Path) -> Result<Option<Entry>, GitError> {
        debug_assert_ne!(mode, GitMode::Off);
        Ok(self.tree_of(head.tip)?.and_then(|tree| entry_of(&tree, path)))
    }

    /// Everything that is dirty and may be committed, besides what is among `puts`.
    fn dirty_besides(
        &self,
        head: &Head,
        puts: &[Put<'_>],
    ) -> Result<Vec<(PathBuf, Option<Content>)>, GitError> {
        let tree = self.tree_of(head.tip)?;
        let mut dirty = Vec::new();
        for path in self.dirty()? {
            let is_among = puts.iter().any(|put| put.path == path);
            if !is_among && self.place(&self.folder.join(&path), tree.as_ref()).is_ok() {
                let content = self.on_disk(&path)?;
                dirty.push((path, content));
            }
        }
        Ok(dirty)
    }

    pub(super) fn tree_of(&self, commit: Option<Oid>) -> Result<Option<Tree<'_>>, GitError> {
        commit.map(|id| self.commit_at(id)?.tree().doing("read a tree")).transpose()
    }

    pub(super) fn is_empty(&self, tree: Oid) -> Result<bool, GitError> {
        Ok(self.repository.find_tree(tree).doing("read a tree")?.is_empty())
    }
}

/// When the index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refresh {
    /// Only with a commit: nothing has been changed yet.
    IfCommitted,
    /// Whether git sees a difference to HEAD or not: the files have changed.
    Always,
}

fn note(folder: &Path, paths: &[&Path], reason: &str) -> String {
    let shown = |path: &&Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let mut named: Vec<String> = paths.iter().take(NAMED).map(shown).collect();
    if paths.len() > NAMED {
        named.push(format!("{} more", paths.len() - NAMED));
    }
    format!("not committed, since {reason}: {}", named.join(", "))
}
