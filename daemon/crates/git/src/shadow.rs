//! Makes commits alongside the branch, on `refs/clada/<branch>`. Nothing of the user's moves.
//!
//! Each commit names HEAD's commit in a trailer. As long as HEAD stays, one is made on top of the other.
//! When HEAD has moved, the next one is made on top of HEAD, with the last one as its second parent, so
//! that all of them are kept.

use std::path::Path;

use git2::Oid;

use super::commit::{self, Commission, CommitDraft};
use super::content::StoredContent;
use super::error::GitError;
use super::head::HeadState;
use super::index_lock::IndexLock;
use super::repository::GitRepository;

impl GitRepository {
    pub(super) fn commit_to_shadow(
        &self,
        head: &HeadState,
        entries: &[(&Path, Option<StoredContent>)],
        commission: &Commission,
        making: &CommitDraft<'_>,
    ) -> Result<Option<Oid>, GitError> {
        let _lock = IndexLock::acquire(self)?;
        let reference = format!("refs/clada/{}", head.branch());
        let tip = head.tip.map_or_else(|| "none".to_owned(), |tip| tip.to_string());
        let last = self.target_of(&reference)?;
        let continued = match last {
            Some(last) => {
                let last = self.commit_at(last)?;
                last.message().is_ok_and(|text| commit::trailer(text, commit::SHADOWED_HEAD) == Some(&tip))
            }
            None => false,
        };
        let (base, parents): (Option<Oid>, Vec<Oid>) = match last {
            Some(last) if continued && making.replaces == Some(last) => {
                (Some(last), self.commit_at(last)?.parent_ids().collect())
            }
            Some(last) if continued => (Some(last), vec![last]),
            _ => (head.tip, head.tip.into_iter().chain(last).collect()),
        };
        let base = self.tree_of(base)?;
        let tree = self.tree_with(base.as_ref(), entries.iter().copied())?;
        if base.map_or(self.is_empty(tree)?, |base| base.id() == tree) {
            return Ok(None);
        }
        let trailers = [(commit::OPERATION, commission.operation.as_str()), (commit::SHADOWED_HEAD, &tip)];
        // Both trailers are read later: one finds the operation's commits, the other whether HEAD has moved.
        let message = commit::message(making.text, &trailers)?;
        let author = commit::signature(&commission.author, commission.now)?;
        let committer = commit::committer(commission.now)?;
        let commit = self.write_commit(&author, &committer, &message, tree, &parents)?;
        let why = format!("commit (clada): {}", message.lines().next().unwrap_or_default());
        if self.move_reference(&reference, last, Some(commit), &committer, &why)? {
            return Ok(Some(commit));
        }
        Err(GitError::refused(
            format!("'{reference}' was moved by somebody else"),
            "try again when the repository is quiet",
        ))
    }
}
