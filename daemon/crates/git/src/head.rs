//! Reads HEAD and moves the reference that it names: only from the commit where it was seen,
//! with a line in the reflog.

use std::path::PathBuf;
use std::time::Instant;

use clada_protocol::HeadPosition;
use git2::{Commit, ErrorCode, Oid, Reference, Signature};

use super::error::{Doing, GitError};
use super::index_lock::{OWN, pause, release, remove};
use super::repository::GitRepository;

const MAX_LINKS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadState {
    pub(super) reference: String,
    pub(super) tip: Option<Oid>,
}

impl HeadState {
    pub(super) fn branch(&self) -> &str {
        self.reference.strip_prefix("refs/heads/").unwrap_or(&self.reference)
    }

    pub(super) fn position(&self, commit: Oid) -> HeadPosition {
        let reference = (self.reference != "HEAD").then(|| self.reference.clone());
        HeadPosition { reference, commit: commit.to_string() }
    }
}

impl GitRepository {
    pub(super) fn head(&self) -> Result<HeadState, GitError> {
        let mut name = "HEAD".to_owned();
        for _ in 0..MAX_LINKS {
            let reference = match self.repository.find_reference(&name) {
                Ok(reference) => reference,
                Err(error) if error.code() == ErrorCode::NotFound && name != "HEAD" => {
                    return Ok(HeadState { reference: name, tip: None });
                }
                Err(error) => return Err(error).doing("read HEAD"),
            };
            match reference.symbolic_target().doing("read HEAD")? {
                Some(target) => name = target.to_owned(),
                None => return Ok(HeadState { tip: reference.target(), reference: name }),
            }
        }
        Err(GitError::refused("HEAD is a chain of symbolic references without an end", "check out a branch"))
    }

    pub(super) fn set_head(&self, to: &HeadPosition) -> Result<(), GitError> {
        let set = match &to.reference {
            Some(branch) => self.repository.set_head(branch),
            None => self.repository.set_head_detached(Oid::from_str(&to.commit).doing("move HEAD")?),
        };
        match set {
            Err(error) if error.code() == ErrorCode::Locked => {
                Err(GitError::Locked { path: self.lock_of("HEAD") })
            }
            set => set.doing("move HEAD"),
        }
    }

    pub(super) fn lock_of(&self, reference: &str) -> PathBuf {
        let folder = if reference == "HEAD" { self.repository.path() } else { self.repository.commondir() };
        folder.join(format!("{reference}.lock"))
    }

    pub(super) fn commit_at(&self, id: Oid) -> Result<Commit<'_>, GitError> {
        self.repository.find_commit(id).doing("read a commit")
    }

    /// Moves `reference` from `from` to `to`; `None` means that it does not exist. Returns `false` if it is
    /// not at `from`. Only the process that has the lock moves clada's own references.
    pub(super) fn move_reference(
        &self,
        reference: &str,
        from: Option<Oid>,
        to: Option<Oid>,
        by: &Signature<'_>,
        why: &str,
    ) -> Result<bool, GitError> {
        let moved = self.try_to_move(reference, from, to, by, why);
        if reference.starts_with(OWN) {
            // libgit2 does not say if it could not release it.
            release(&self.lock_of(reference));
        }
        moved
    }

    fn try_to_move(
        &self,
        reference: &str,
        from: Option<Oid>,
        to: Option<Oid>,
        by: &Signature<'_>,
        why: &str,
    ) -> Result<bool, GitError> {
        let doing = "move a reference";
        let deadline = Instant::now() + self.patience;
        loop {
            let mut transaction = self.repository.transaction().doing(doing)?;
            match transaction.lock_ref(reference) {
                Ok(()) => {}
                Err(error) if error.code() == ErrorCode::Locked => {
                    drop(transaction);
                    let path = self.lock_of(reference);
                    // Only clada moves these, each time under its lock: the process that locked it has died.
                    if reference.starts_with(OWN) {
                        remove(&path)?;
                    }
                    if pause(deadline) {
                        continue;
                    }
                    return Err(GitError::Locked { path });
                }
                Err(error) => return Err(error).doing(doing),
            }
            let now = match self.repository.find_reference(reference) {
                Ok(now) => direct(&now)?,
                Err(error) if error.code() == ErrorCode::NotFound => None,
                Err(error) => return Err(error).doing(doing),
            };
            if now != from {
                return Ok(false);
            }
            match to {
                Some(to) => transaction.set_target(reference, to, Some(by), why).doing(doing)?,
                None => transaction.remove(reference).doing(doing)?,
            }
            return transaction.commit().doing(doing).map(|()| true);
        }
    }

    pub(super) fn target_of(&self, reference: &str) -> Result<Option<Oid>, GitError> {
        match self.repository.find_reference(reference) {
            Ok(target) => direct(&target),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error).doing("read a reference"),
        }
    }

    pub(super) fn value_of(&self, reference: &str) -> Result<Option<String>, GitError> {
        let current = match self.repository.find_reference(reference) {
            Ok(current) => current,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(error).doing("read a reference"),
        };
        let symbolic = current.symbolic_target().doing("read a reference")?.map(|to| format!("ref: {to}"));
        Ok(symbolic.or_else(|| current.target().map(|target| target.to_string())))
    }

    pub(super) fn is_pushed(&self, commit: Oid) -> Result<bool, GitError> {
        let doing = "look for pushed commits";
        let mut walk = self.repository.revwalk().doing(doing)?;
        let mut any = false;
        for reference in self.repository.references_glob("refs/remotes/*").doing(doing)? {
            let reference = reference.doing(doing)?;
            if let Ok(tip) = reference.peel_to_commit() {
                if tip.id() == commit {
                    return Ok(true);
                }
                any = true;
                walk.push(tip.id()).doing(doing)?;
            }
        }
        if !any {
            return Ok(false);
        }
        // No commit older than its parents can contain it.
        for parent in self.commit_at(commit)?.parent_ids() {
            walk.hide(parent).doing(doing)?;
        }
        for ancestor in walk {
            if ancestor.doing(doing)? == commit {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn direct(reference: &Reference<'_>) -> Result<Option<Oid>, GitError> {
    match reference.target() {
        Some(target) => Ok(Some(target)),
        None => Err(GitError::refused(
            "A reference that is to be moved names another one",
            "check out the branch that it names",
        )),
    }
}
