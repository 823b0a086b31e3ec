//! Commits: what is asked for of one, their authors, their messages, and the recognition of clada's own.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clada_config::{Author, GitBefore, GitMode};
use git2::{Commit, Oid, Signature, Time};

use super::content::{Content, StoredContent};
use super::error::{Doing, GitError};
use super::index::HeadAndIndex;
use super::repository::GitRepository;

pub(super) const OPERATION: &str = "Clada-Operation";
/// The trailer that names the commit alongside which a commit on `refs/clada/…` was made.
pub(super) const SHADOWED_HEAD: &str = "Clada-Head";
pub(super) const BEFORE: &str = "clada: before ";

const DOING: &str = "write a commit";

pub(super) fn signature(author: &Author, now: SystemTime) -> Result<Signature<'static>, GitError> {
    Signature::new(author.name(), author.email(), &time(now)?).doing(DOING)
}

pub(super) fn committer(now: SystemTime) -> Result<Signature<'static>, GitError> {
    signature(&Author::default(), now)
}

fn time(now: SystemTime) -> Result<Time, GitError> {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let zone = Signature::now("clada", Author::EMAIL).doing(DOING)?.when().offset_minutes();
    Ok(Time::new(i64::try_from(seconds).unwrap_or(i64::MAX), zone))
}

pub(super) fn message(text: &str, trailers: &[(&str, &str)]) -> Result<String, GitError> {
    let text = git2::message_prettify(text, None).doing(DOING)?;
    let trailers: String = trailers.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    Ok(format!("{text}\n{trailers}"))
}

pub(super) fn trailer<'m>(message: &'m str, key: &str) -> Option<&'m str> {
    let last = message.trim_end().rsplit("\n\n").next()?;
    last.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

pub(super) fn is_ours(commit: &Commit<'_>) -> bool {
    commit.committer().email_bytes() == Author::EMAIL.as_bytes()
}

pub(super) fn is_of(commit: &Commit<'_>, operation: &str) -> bool {
    is_ours(commit) && commit.message().is_ok_and(|text| trailer(text, OPERATION) == Some(operation))
}

impl GitRepository {
    pub(super) fn write_commit(
        &self,
        author: &Signature<'_>,
        committer: &Signature<'_>,
        message: &str,
        tree: Oid,
        parents: &[Oid],
    ) -> Result<Oid, GitError> {
        let tree = self.repository.find_tree(tree).doing(DOING)?;
        let parents = parents.iter().map(|parent| self.commit_at(*parent)).collect::<Result<Vec<_>, _>>()?;
        let parents: Vec<&Commit<'_>> = parents.iter().collect();
        self.repository.commit(None, author, committer, message, &tree, &parents).doing(DOING)
    }
}

/// The commits that an operation asks for.
#[derive(Debug, Clone)]
pub struct Commission {
    /// The operation's id.
    pub operation: String,
    /// The place for its commits.
    pub mode: GitMode,
    /// The files to be committed before it.
    pub before: GitBefore,
    /// The author of the commits.
    pub author: Author,
    /// The message of the commit after it.
    pub message: String,
    /// The current time.
    pub now: SystemTime,
}

pub(super) struct Put<'c> {
    pub(super) path: PathBuf,
    pub(super) entry: Option<StoredContent>,
    pub(super) content: Option<&'c Content>,
}

pub(super) struct CommitDraft<'m> {
    pub(super) text: &'m str,
    pub(super) refresh: Refresh,
    /// Replaces this commit if it is still on top.
    pub(super) replaces: Option<Oid>,
    pub(super) observed: Option<&'m HeadAndIndex>,
    pub(super) kept_staged: &'m HashSet<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refresh {
    /// Only with a commit: the files have not been changed yet.
    IfCommitted,
    /// Even if git sees no difference to HEAD: the files have changed.
    Always,
}
