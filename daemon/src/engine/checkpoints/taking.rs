//! Takes the snapshot of a checkpoint, as one of a command is taken, and records it.

use std::path::{Path, PathBuf};

use clada_command_changes::{Git, LogAppend, Room, Spared, TreeSnapshot};
use clada_fs::{Roots, Timestamp};
use clada_journal::{SnapshotRecords, json};
use clada_protocol::{ErrorKind, RpcError};

use super::description::Description;
use super::some_of;
use crate::engine::request::ProjectRequest;

/// The tries to take a snapshot anew because the log that it continues is another one by now.
const TRIES: usize = 3;

impl ProjectRequest {
    /// Takes the snapshot of the checkpoint `id` and records it. Returns the first of the files whose content
    /// is not kept, and their number.
    pub(super) fn take_checkpoint(
        &self,
        roots: &Roots,
        id: &str,
        description: &Description,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<String>, usize), RpcError> {
        let mut description = description.clone();
        self.pin(id, &mut description, warnings);
        let taken = self.take_and_put(roots, id, &mut description, warnings);
        if taken.is_err() {
            self.unpin();
        }
        taken
    }

    fn take_and_put(
        &self,
        roots: &Roots,
        id: &str,
        description: &mut Description,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<String>, usize), RpcError> {
        let limits = &self.settings()?.limits;
        let room = Room { file: limits.record_max_file, bytes: limits.record_max_bytes };
        let (cache, journal) = (self.project().snapshots(), self.journal());
        let stopped = || self.context().stop().is_some();
        let git = || Git::for_root(self.root(), self.environment().home.as_deref());
        let mut spared = Spared::default();
        self.project().tracked_hidden().iter().for_each(|path| spared.add(path));
        for _ in 0..TRIES {
            let now = timestamp(self);
            let log = journal.with(|journal| journal.snapshot_log())?;
            let take = |spared: &Spared| {
                TreeSnapshot::take(roots, git(), cache, log.as_ref(), (room, Some(spared)), now, &stopped)
            };
            let mut new = take(&spared);
            let hidden = tracked_beyond(roots, new.snapshot());
            if !hidden.is_empty() {
                hidden.iter().for_each(|path| spared.add(path));
                self.project().tracked_hidden().extend(hidden);
                new = take(&spared);
            }
            if let Some(stop) = self.context().stop() {
                let ended = stop.failure();
                return Err(RpcError::new(ended.kind, ended.message));
            }
            let ready = new.ready(0, now, &self.engine.next_id());
            let (not_kept, count) = ready.snapshot().not_kept();
            (description.not_kept, description.not_kept_count) = (not_kept.clone(), count);
            let LogAppend { snapshot, after, records, name } = ready.append();
            let records = SnapshotRecords { name, after: after.as_ref(), records };
            let text = json(&description);
            if journal.with(|journal| journal.put_checkpoint(id, &text, snapshot, records))? {
                if !ready.snapshot().is_complete() {
                    let why =
                        "Not all of the project could be looked at; what changes in the rest is not recorded";
                    warnings.push(why.to_owned());
                }
                if count > 0 {
                    warnings.push(format!(
                        "What these files hold is not kept, so that undo cannot bring it back: {}; \
                         `record.max_file` and `record.max_bytes` say how much is",
                        some_of(&not_kept, count)
                    ));
                }
                let _ = ready.remember(cache);
                return Ok((not_kept, count));
            }
            // Another process has written to it.
            cache.forget();
        }
        let message = "Another process writes to the record of this project";
        Err(RpcError::new(ErrorKind::Busy, message).hint("try again when that is over"))
    }
}

/// Returns the files, from the root, that git tracks and that are there, but not in the snapshot: ignore rules
/// hide them.
fn tracked_beyond(roots: &Roots, snapshot: &TreeSnapshot) -> Vec<PathBuf> {
    let Some((index, way)) = roots.git_index() else { return Vec::new() };
    let mut found = Vec::new();
    let read = clada_git::tracked(&index, &way, &mut |path: &Path| {
        let is_there = || {
            let resolved = roots.resolve_relative(path).ok();
            resolved.is_some_and(|path| roots.lstat(&path).is_ok_and(|stat| stat.is_some()))
        };
        if !snapshot.has(path) && is_there() {
            found.push(path.to_path_buf());
        }
    });
    if let Err(error) = read {
        tracing::warn!(%error, "tracked files that ignore rules hide are not known");
    }
    found
}

fn timestamp(request: &ProjectRequest) -> Timestamp {
    let since = request.environment().since_epoch();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp { seconds, nanoseconds: since.subsec_nanos() }
}
