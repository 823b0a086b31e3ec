//! Makes one commit of several: a run of them from HEAD downwards. Files and index stay as they are.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clada_config::message_beginning;
use clada_protocol::{CommitInfo, HeadMove};
use git2::{Commit, Oid};

use super::commit;
use super::error::GitError;
use super::head::HeadState;
use super::head_move::PlannedMove;
use super::index_lock::IndexLock;
use super::repository::GitRepository;

const MAX_COMMITS: usize = 10_000;
const SHORT: usize = 12;

/// The commits to take, from HEAD down to the first that does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SquashWhich {
    /// Commits that clada made.
    Ours,
    /// Commits whose message begins as this format's messages do.
    Format(String),
    /// Commits that are not older than this, and that clada made.
    Within(Duration),
    /// Commits that are not older than this, whoever made them.
    AllWithin(Duration),
    /// Commits whose message contains this.
    Holds(String),
}

/// A request to squash commits.
#[derive(Debug, Clone)]
pub struct Squash {
    /// The commits to take.
    pub which: SquashWhich,
    /// The message of the commit; `None` for the subjects of the commits that it replaces.
    pub message: Option<String>,
    /// True to take commits that were pushed, too.
    pub force: bool,
    /// The last commit that the caller knows of; `None`: whichever it is.
    pub tip: Option<String>,
    /// The current time.
    pub now: SystemTime,
}

/// A squash that is yet to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSquash {
    /// The move of HEAD, or of its branch, to the one commit.
    pub plan: PlannedMove,
    /// The reference that keeps the replaced commits.
    pub backup_ref: String,
    /// The replaced commits, newest first.
    pub commits: Vec<CommitInfo>,
}

struct Selected<'r> {
    head: HeadState,
    tip: Oid,
    taken: Vec<Commit<'r>>,
    below: Option<Oid>,
}

impl GitRepository {
    /// Plans to replace the commits that `squash` selects by one, which is written already.
    ///
    /// # Errors
    /// If they are fewer than two, if one was pushed, or if the commit could not be
    /// made. Nothing is changed then.
    pub fn plan_squash(&mut self, squash: &Squash) -> Result<PlannedSquash, GitError> {
        let _lock = IndexLock::acquire(self)?;
        let Selected { head, tip, taken, below } = self.selected(squash)?;
        let text = squash.message.clone().unwrap_or_else(|| subjects(&taken));
        let message = commit::message(&text, &[])?;
        // The work belongs to the author who began it.
        let author = taken
            .last()
            .map_or_else(|| commit::committer(squash.now), |first| Ok(first.author().to_owned()))?;
        let committer = commit::committer(squash.now)?;
        let tree = self.commit_at(tip)?.tree_id();
        let parents: Vec<Oid> = below.into_iter().collect();
        let commit = self.write_commit(&author, &committer, message.trim_end(), tree, &parents)?;
        let backup_ref = format!("refs/clada/squash/{}", &tip.to_string()[..SHORT]);
        let plan = PlannedMove {
            moved: HeadMove { from: head.position(tip), to: head.position(commit) },
            why: format!("squash (clada): {} commits", taken.len()),
            backup_ref: Some(backup_ref.clone()),
            step: None,
        };
        Ok(PlannedSquash { plan, backup_ref, commits: commit_infos(&taken) })
    }

    /// Returns the commits that [`GitRepository::plan_squash`] would replace, newest first.
    ///
    /// # Errors
    /// As there.
    pub fn squashable(&self, squash: &Squash) -> Result<Vec<CommitInfo>, GitError> {
        Ok(commit_infos(&self.selected(squash)?.taken))
    }

    fn selected(&self, squash: &Squash) -> Result<Selected<'_>, GitError> {
        let head = self.head()?;
        let tip = head.tip.ok_or_else(|| {
            GitError::refused(
                "There is nothing to squash: the branch has no commit yet",
                "commit something first",
            )
        })?;
        // The user approved a list of commits; another process may have committed since.
        if squash.tip.as_ref().is_some_and(|known| *known != tip.to_string()) {
            let message = "There are other commits by now than those that were shown";
            return Err(GitError::refused(message, "run it again to see them"));
        }
        let (taken, below) = self.run_from(tip, squash)?;
        if taken.len() < 2 {
            let message = match taken.len() {
                0 => "There is nothing to squash: the last commit is none of those that are meant",
                _ => "There is nothing to squash: only the last commit is one of those that are meant",
            };
            let hint = match squash.which {
                SquashWhich::Within(_) => {
                    "`git log` shows the commits; only clada's own are meant, unless --mine-too is given"
                }
                _ => "`git log` shows the commits; choose by another mode",
            };
            return Err(GitError::refused(message, hint));
        }
        if !squash.force {
            self.refuse_pushed(&taken)?;
        }
        Ok(Selected { head, tip, taken, below })
    }

    fn run_from(&self, tip: Oid, squash: &Squash) -> Result<(Vec<Commit<'_>>, Option<Oid>), GitError> {
        let mut taken = Vec::new();
        let mut next = Some(tip);
        while let Some(id) = next.filter(|_| taken.len() < MAX_COMMITS) {
            let commit = self.commit_at(id)?;
            if commit.parent_count() > 1 || !is_meant(&commit, squash) {
                break;
            }
            next = commit.parent_id(0).ok();
            taken.push(commit);
        }
        Ok((taken, next))
    }

    fn refuse_pushed(&self, taken: &[Commit<'_>]) -> Result<(), GitError> {
        // A commit is never pushed without all commits below it.
        let Some(oldest) = taken.last() else { return Ok(()) };
        if !self.is_pushed(oldest.id())? {
            return Ok(());
        }
        Err(GitError::refused(
            "Some of these commits were pushed, and whoever has them would have them twice",
            "give --force if nobody else works on this branch",
        ))
    }
}

fn is_meant(commit: &Commit<'_>, squash: &Squash) -> bool {
    let message = String::from_utf8_lossy(commit.message_bytes());
    match &squash.which {
        SquashWhich::Ours => commit::is_ours(commit),
        SquashWhich::Format(format) => {
            message.starts_with(commit::BEFORE)
                || message_beginning(format).is_some_and(|start| message.starts_with(start))
        }
        SquashWhich::Within(time) => commit::is_ours(commit) && is_within(commit, *time, squash.now),
        SquashWhich::AllWithin(time) => is_within(commit, *time, squash.now),
        SquashWhich::Holds(text) => message.contains(text.as_str()),
    }
}

fn is_within(commit: &Commit<'_>, time: Duration, now: SystemTime) -> bool {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = i64::try_from(now.saturating_sub(time).as_secs()).unwrap_or(i64::MAX);
    commit.committer().when().seconds() >= since
}

fn commit_infos(commits: &[Commit<'_>]) -> Vec<CommitInfo> {
    let info = |commit: &Commit<'_>| CommitInfo {
        commit: commit.id().to_string(),
        subject: subject(commit),
        ours: commit::is_ours(commit),
    };
    commits.iter().map(info).collect()
}

fn subject(commit: &Commit<'_>) -> String {
    String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default()).into_owned()
}

fn subjects(taken: &[Commit<'_>]) -> String {
    let lines: Vec<String> = taken
        .iter()
        .rev()
        .map(subject)
        .filter(|subject| !subject.starts_with(commit::BEFORE))
        .map(|subject| format!("- {subject}"))
        .collect();
    format!("Squash {} commits\n\n{}", taken.len(), lines.join("\n"))
}
