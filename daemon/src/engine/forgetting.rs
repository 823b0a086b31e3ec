//! `history.forget`: deletes what is kept of a project, or of all, at a user's wish.
//!
//! Nothing is deleted while an operation runs in one of them: all roots are locked first. What a user has
//! approved or trusted there goes before the record, so that what is cut off is asked about again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{Options, RootLock, Roots};
use clada_journal::Record;
use clada_protocol::{ErrorKind, HistoryForgetParams, HistoryForgetResult, ProjectRecord, RpcError};

use super::Engine;
use super::approving::of_store;
use super::policies::open_policy;
use super::request::Unasked;
use crate::trust::TrustStore;

impl Engine {
    /// `history.forget`. `waits` says whether an answer about the project at a root waits for approval.
    ///
    /// # Errors
    /// `invalid_params`; `busy` while an operation runs or an answer waits: then nothing is deleted; `io`.
    pub fn forget(
        self: &Arc<Engine>,
        params: &HistoryForgetParams,
        waits: impl Fn(&Path) -> bool,
    ) -> Result<HistoryForgetResult, RpcError> {
        let journals = self.projects.journals();
        let root = params.root.as_deref().map(|root| resolved(Path::new(root))).transpose()?;
        let find = || match (&root, params.all) {
            (Some(root), false) => Ok(journals.records_at(root)),
            (None, true) => Ok(journals.records()),
            _ => {
                let message = "history.forget: give `root`, or `all: true`";
                Err(RpcError::new(ErrorKind::InvalidParams, message))
            }
        };
        let mut records = find()?;
        let mut locks = Vec::new();
        if params.confirm {
            // Several records may be of one path: of folders that were there one after the other.
            let roots: BTreeSet<_> = records.iter().filter_map(|record| record.root.as_deref()).collect();
            for root in roots {
                if waits(root) {
                    return Err(busy(root, "an answer of an agent waits for your approval")
                        .hint("answer it first: clada approvals answer --all"));
                }
                locks.extend(self.locked(root)?);
            }
            // A record of a folder that was moved has moved with the lock.
            records = find()?;
        }
        let state = &self.environment.state;
        let trust = TrustStore::is_there(state).then(|| TrustStore::open(state)).transpose();
        let mut trust = trust.map_err(|error| of_store(&error))?;
        let count = trust.as_ref().map_or(Ok(0), |trust| trust.count(root.as_deref()));
        let result = HistoryForgetResult {
            approvals: count.map_err(|error| of_store(&error))?,
            bytes: records.iter().map(|record| record.bytes).sum(),
            projects: records.iter().map(shown).collect(),
            forgotten: params.confirm,
            left: remaining_notes(&records),
        };
        if !params.confirm {
            return Ok(result);
        }
        if let Some(trust) = &mut trust {
            trust.forget(root.as_deref()).map_err(|error| of_store(&error))?;
        }
        for record in &records {
            if let Some(project) = record.root.as_deref().and_then(|root| self.projects.get(root)) {
                project.forget();
            }
            journals.forget(record)?;
        }
        tracing::info!(records = records.len(), "forgotten at the user's wish");
        Ok(result)
    }

    /// Takes the lock of a root, if its folder is there, after what was cut off in it is recovered.
    fn locked(self: &Arc<Engine>, root: &Path) -> Result<Option<RootLock>, RpcError> {
        if !root.is_dir() {
            return Ok(None);
        }
        let request = self.request_at(root, Arc::new(Unasked))?;
        // A configuration at fault is no reason to keep anything; its interrupted operation stays as it is.
        if let Err(error) = request.recover_project() {
            tracing::warn!(root = %root.display(), error = %error.message, "forgotten without recovery");
        }
        let roots = Roots::open(root, &[], &[], open_policy()?, Options::default())?;
        match RootLock::try_acquire(&roots, 0, &self.environment.state)? {
            Some(lock) => Ok(Some(lock)),
            None => Err(busy(root, "an operation runs").hint("wait for its end and try again")),
        }
    }
}

fn busy(root: &Path, why: &str) -> RpcError {
    let message = format!("Nothing is forgotten: in {} {why}", root.display());
    RpcError::new(ErrorKind::Busy, message).with("root", root.to_string_lossy().as_ref())
}

fn resolved(root: &Path) -> Result<PathBuf, RpcError> {
    if !root.is_absolute() {
        let message = format!("root: '{}' is not an absolute path", root.display());
        return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "root"));
    }
    for folder in root.ancestors() {
        if let Ok(resolved) = folder.canonicalize() {
            let rest = root.strip_prefix(folder).unwrap_or(Path::new(""));
            return Ok(if rest.as_os_str().is_empty() { resolved } else { resolved.join(rest) });
        }
    }
    Ok(root.to_path_buf())
}

fn shown(record: &Record) -> ProjectRecord {
    ProjectRecord {
        root: record.root.as_ref().map(|root| root.to_string_lossy().into_owned()),
        folder: record.folder.to_string_lossy().into_owned(),
        bytes: record.bytes,
        gone: record.root.as_ref().is_some_and(|root| !root.is_dir()),
    }
}

fn remaining_notes(records: &[Record]) -> Vec<String> {
    let mut remaining_notes = Vec::new();
    let roots = || records.iter().filter_map(|record| record.root.as_deref());
    if roots().any(|root| root.join(".git").symlink_metadata().is_ok()) {
        remaining_notes.push(
            "refs/clada/… in a project's git repository, which hold commits that no branch has; to delete them: git \
             for-each-ref --format='delete %(refname)' refs/clada | git update-ref --stdin"
                .to_owned(),
        );
    }
    if roots().any(|root| root.join(".clada").symlink_metadata().is_ok()) {
        remaining_notes.push(
            ".clada in a project: its configuration and proposed commands, which may be under version control"
                .to_owned(),
        );
    }
    if records.iter().any(|record| record.folder.join("stage.db").symlink_metadata().is_ok()) {
        remaining_notes.push(
            "clada-stage-… folders of copies, below the folder for temporary files or stage.dir".to_owned(),
        );
    }
    remaining_notes
}
