//! What is not committed, in git's own stash while HEAD is elsewhere.
//!
//! An entry of the stash has the files as they are, without git's conversions, and in the message of its
//! commit of the index the attributes that git does not store. Nothing here changes a file of the work tree.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_fs::Metadata;
use git2::{Commit, ErrorCode, Index, Oid, Signature, Tree};
use serde::{Deserialize, Serialize};

use super::content::{Content, StoredContent, entry_of, open_file};
use super::entry_flags::is_flagged;
use super::error::{Doing, GitError};
use super::head::HeadState;
use super::index_lock::{IndexLock, STASH};
use super::repository::GitRepository;

const DOING: &str = "put aside what is not committed";

/// A file of an entry, and its attributes; `None` for a symbolic link.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedFile {
    path: Vec<u8>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Clone)]
pub(super) struct CommitState {
    pub(super) files: Oid,
    pub(super) index: Oid,
    pub(super) committed: Oid,
    pub(super) saved: BTreeMap<PathBuf, Option<Metadata>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct UncommittedTrees {
    pub(super) tracked: Oid,
    pub(super) untracked: Option<Oid>,
    pub(super) index: Oid,
}

fn message_at(commit: Oid) -> String {
    format!("clada: step from {commit}")
}

impl GitRepository {
    pub(super) fn write_uncommitted(
        &self,
        from: Oid,
        index: &Index,
        dirty: &[PathBuf],
    ) -> Result<UncommittedTrees, GitError> {
        let staged = self.index_tree(index, from)?;
        let in_index = self.repository.find_tree(staged).doing(DOING)?;
        let (mut tracked, mut untracked) = (Vec::new(), Vec::new());
        for path in dirty {
            let known = entry_of(&in_index, path);
            let now = self.enter_as_it_is(path, known)?;
            match (known, now) {
                (Some(_), now) => tracked.push((path.as_path(), now)),
                (None, Some(now)) => untracked.push((path.as_path(), Some(now))),
                (None, None) => {}
            }
        }
        let untracked = match untracked.is_empty() {
            true => None,
            false => Some(self.tree_with(None, untracked)?),
        };
        Ok(UncommittedTrees { tracked: self.tree_with(Some(&in_index), tracked)?, untracked, index: staged })
    }

    pub(super) fn write_aside(
        &self,
        head: &HeadState,
        from: Oid,
        uncommitted: UncommittedTrees,
        saved: &BTreeMap<PathBuf, Option<Metadata>>,
        by: &Signature<'_>,
    ) -> Result<Oid, GitError> {
        let branch = if head.reference == "HEAD" { "(no branch)" } else { head.branch() };
        let files: Vec<SavedFile> = saved
            .iter()
            .map(|(path, metadata)| SavedFile {
                path: path.as_os_str().as_bytes().to_vec(),
                metadata: metadata.clone(),
            })
            .collect();
        let files = serde_json::to_string(&files)
            .map_err(|error| GitError::Library { doing: DOING, message: error.to_string() })?;
        let UncommittedTrees { tracked, untracked, index } = uncommitted;
        let mut parents = vec![from];
        let text = format!("index on {branch}: clada\n\n{files}\n");
        parents.push(self.write_commit(by, by, &text, index, &[from])?);
        if let Some(untracked) = untracked {
            let text = format!("untracked files on {branch}: clada\n");
            parents.push(self.write_commit(by, by, &text, untracked, &[])?);
        }
        let text = format!("On {branch}: {}\n", message_at(from));
        self.write_commit(by, by, &text, tracked, &parents)
    }

    pub(super) fn state_at(&self, commit: Oid, aside: Option<Oid>) -> Result<CommitState, GitError> {
        let committed = self.commit_at(commit)?.tree_id();
        let Some(aside) = aside else {
            return Ok(CommitState { files: committed, index: committed, committed, saved: BTreeMap::new() });
        };
        let aside = self.commit_at(aside)?;
        let parent = |number: usize| aside.parent(number).ok();
        let index = aside.parent(1).doing("read what was put aside")?;
        let uncommitted = UncommittedTrees {
            tracked: aside.tree_id(),
            untracked: parent(2).map(|untracked| untracked.tree_id()),
            index: index.tree_id(),
        };
        Ok(CommitState {
            files: self.files_of(uncommitted)?,
            index: uncommitted.index,
            committed,
            saved: saved_files(&index),
        })
    }

    pub(super) fn files_of(&self, uncommitted: UncommittedTrees) -> Result<Oid, GitError> {
        let Some(untracked) = uncommitted.untracked else { return Ok(uncommitted.tracked) };
        let tracked = self.repository.find_tree(uncommitted.tracked).doing(DOING)?;
        let entries = self.differences(None, untracked)?;
        self.tree_with(Some(&tracked), entries.iter().map(|entry| (entry.path.as_path(), entry.after)))
    }

    pub(super) fn index_tree(&self, index: &Index, commit: Oid) -> Result<Oid, GitError> {
        let committed = self.tree_of(Some(commit))?;
        let mut plain = Index::new().doing(DOING)?;
        for entry in index.iter() {
            let path = PathBuf::from(OsStr::from_bytes(&entry.path));
            let (id, mode) = match is_flagged(&entry) {
                false => (entry.id, entry.mode),
                true => match committed.as_ref().and_then(|tree| entry_of(tree, &path)) {
                    Some(committed) => (committed.id, committed.mode),
                    None => continue,
                },
            };
            plain.add(&git2::IndexEntry { id, mode, flags: 0, flags_extended: 0, ..entry }).doing(DOING)?;
        }
        plain.write_tree_to(&self.repository).doing(DOING)
    }

    fn enter_as_it_is(
        &self,
        path: &Path,
        known: Option<StoredContent>,
    ) -> Result<Option<StoredContent>, GitError> {
        match self.on_disk(path)? {
            None => Ok(None),
            Some(Content::OnDisk { executable }) => {
                let mode = self.mode_of(executable, known);
                let at = self.folder.join(path);
                let failed = |error: std::io::Error| GitError::io(DOING, &at, error);
                let mut writer = self.repository.blob_writer(None).doing(DOING)?;
                let mut file = open_file(&at).map_err(failed)?;
                let before = file.metadata().map_err(failed)?;
                std::io::copy(&mut file, &mut writer).map_err(failed)?;
                let after = file.metadata().map_err(failed)?;
                let times = |of: &std::fs::Metadata| (of.len(), of.ctime(), of.ctime_nsec());
                if times(&before) != times(&after) {
                    let message = format!("'{}' changes while it is read", path.display());
                    return Err(GitError::refused(message, "try again"));
                }
                Ok(Some(StoredContent { id: writer.commit().doing(DOING)?, mode }))
            }
            Some(other) => self.enter(path, &other, known).map(Some),
        }
    }

    pub(super) fn aside_at(&self, commit: Oid) -> Result<Option<Oid>, GitError> {
        if !self.has_stash()? {
            return Ok(None);
        }
        let own_message = message_at(commit);
        let log = self.repository.reflog(STASH).doing("read the stash")?;
        // git puts "On main: " before it.
        let is_wanted = |message: &[u8]| message.ends_with(own_message.as_bytes());
        Ok(log.iter().find(|entry| entry.message_bytes().is_some_and(is_wanted)).map(|entry| entry.id_new()))
    }

    pub(super) fn push_aside(&self, lock: &mut IndexLock, aside: Oid) -> Result<(), GitError> {
        lock.announce(STASH, &aside.to_string())?;
        let message = self.commit_at(aside)?.message().unwrap_or_default().trim_end().to_owned();
        self.repository.reference_ensure_log(STASH).doing(DOING)?;
        lock.note(self.repository.reference(STASH, aside, true, &message).doing(DOING).map(drop))
    }

    pub(super) fn drop_aside(&mut self, lock: &mut IndexLock, aside: Oid) -> Result<(), GitError> {
        let doing = "drop what was put aside from the stash";
        let log = self.repository.reflog(STASH).doing(doing)?;
        let Some(place) = log.iter().position(|entry| entry.id_new() == aside) else { return Ok(()) };
        let top = log.get(usize::from(place == 0)).map_or(Oid::ZERO_SHA1, |entry| entry.id_new());
        lock.announce(STASH, &top.to_string())?;
        // A process that was killed while it wrote the first entry leaves a log without a reference.
        if !self.has_stash()? {
            return self.repository.reflog_delete(STASH).doing(doing);
        }
        lock.note(self.repository.stash_drop(place).doing(doing))
    }

    pub(super) fn differences(&self, before: Option<Oid>, after: Oid) -> Result<Vec<PathChange>, GitError> {
        let doing = "compare trees";
        let tree = |id: Oid| self.repository.find_tree(id).doing(doing);
        let (before, after): (Option<Tree<'_>>, Tree<'_>) = (before.map(tree).transpose()?, tree(after)?);
        let diff = self.repository.diff_tree_to_tree(before.as_ref(), Some(&after), None).doing(doing)?;
        // A file that becomes a link is two deltas.
        let mut paths: BTreeMap<PathBuf, PathChange> = BTreeMap::new();
        for delta in diff.deltas() {
            let bytes = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes());
            let Some(path) = bytes.map(|bytes| PathBuf::from(OsStr::from_bytes(bytes))) else { continue };
            let old = before.as_ref().and_then(|tree| entry_of(tree, &path));
            let new = entry_of(&after, &path);
            paths.insert(path.clone(), PathChange { path, before: old, after: new });
        }
        Ok(paths.into_values().collect())
    }

    fn has_stash(&self) -> Result<bool, GitError> {
        match self.repository.find_reference(STASH) {
            Ok(_) => Ok(true),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(false),
            Err(error) => Err(error).doing("read the stash"),
        }
    }
}

/// Returns the attributes that the commit of the index of an entry names.
fn saved_files(index: &Commit<'_>) -> BTreeMap<PathBuf, Option<Metadata>> {
    // Entries of older versions, and of git's own, name none.
    let message = String::from_utf8_lossy(index.message_bytes());
    let files = message.split_once("\n\n").and_then(|(_, json)| serde_json::from_str(json.trim_end()).ok());
    let files: Vec<SavedFile> = files.unwrap_or_default();
    let path = |file: &SavedFile| PathBuf::from(OsStr::from_bytes(&file.path));
    files.into_iter().map(|file| (path(&file), file.metadata)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathChange {
    pub(super) path: PathBuf,
    pub(super) before: Option<StoredContent>,
    pub(super) after: Option<StoredContent>,
}
