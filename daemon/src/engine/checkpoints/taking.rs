//! Takes the snapshot of a checkpoint, as one of a command is taken, and records it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clada_command_changes::{Git, LogAppend, NewSnapshot, Room, Spared, TreeSnapshot};
use clada_fs::Roots;
use clada_journal::{SnapshotRecords, json};
use clada_protocol::{ErrorKind, RpcError};

use super::description::Description;
use crate::engine::request::ProjectRequest;
use crate::engine::shown::some_of;
use crate::project::TrackedHidden;

// The tries to take a snapshot again because the log that it continues is another one by now.
const TRIES: usize = 3;

impl ProjectRequest {
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
        self.begin_survey(roots);
        let (cache, journal) = (self.project().snapshots(), self.journal());
        let stopped = || self.context().stop().is_some();
        let git = || Git::for_root(self.root(), self.environment().home.as_deref());
        for _ in 0..TRIES {
            let now = self.environment().timestamp();
            let log = journal.with(|journal| journal.snapshot_log())?;
            let take = |hidden: &[PathBuf]| {
                let mut spared = Spared::default();
                hidden.iter().for_each(|path| spared.add(path));
                TreeSnapshot::take(roots, git(), cache, log.as_ref(), (room, Some(&spared)), now, &stopped)
            };
            let hidden = there(roots, &self.project().tracked_hidden().paths);
            let mut new = take(&hidden);
            let known = self.update_tracked_hidden(roots, &new);
            if known != hidden {
                new = take(&known);
            }
            if let Some(stop) = self.context().stop() {
                let ended = stop.failure();
                return Err(RpcError::new(ended.kind, ended.message));
            }
            if let Some(why) = new.failed() {
                let message =
                    format!("The checkpoint was not started, because not all files can be read: {why}");
                return Err(RpcError::new(ErrorKind::Io, message).hint("try again"));
            }
            let ready = new.ready(0, now, &self.engine.next_id());
            let (not_kept, count) = ready.snapshot().not_kept();
            (description.not_kept, description.not_kept_count) = (not_kept.clone(), count);
            description.nested = self.nested_repositories(ready.snapshot().repositories());
            let LogAppend { snapshot, after, records, name } = ready.append();
            let records = SnapshotRecords { name, after: after.as_ref(), records };
            let text = json(&description);
            if journal.with(|journal| journal.put_checkpoint(id, &text, snapshot, records))? {
                if !ready.snapshot().is_complete() {
                    let why = "Not all of the project could be read; changes in the rest are not recorded";
                    warnings.push(why.to_owned());
                }
                if count > 0 {
                    warnings.push(format!(
                        "The content of these files is not recorded, so undo cannot restore it: {}; \
                         `record.max_file` and `record.max_bytes` set the limits",
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

impl ProjectRequest {
    /// Git's index is only read if it is another one, or if files are missing that were in the last snapshot.
    fn update_tracked_hidden(&self, roots: &Roots, new: &NewSnapshot) -> Vec<PathBuf> {
        let mut known = self.project().tracked_hidden();
        let place = roots.git_index();
        let index = place.as_ref().map(|(file, _)| (file.clone(), Roots::identity_outside(file)));
        if new.misses_any() || known.index != index {
            known.paths = place.map_or_else(Vec::new, |place| tracked_beyond(&place, &known, new.snapshot()));
            known.index = index;
        }
        there(roots, &known.paths)
    }
}

fn tracked_beyond(
    (index, way): &(PathBuf, PathBuf),
    known: &TrackedHidden,
    snapshot: &TreeSnapshot,
) -> Vec<PathBuf> {
    let before: BTreeSet<&Path> = known.paths.iter().map(PathBuf::as_path).collect();
    let mut paths = Vec::new();
    let read = clada_git::tracked(index, way, &mut |path: &Path| {
        if before.contains(path) || !snapshot.has(path) {
            paths.push(path.to_path_buf());
        }
    });
    if let Err(error) = read {
        tracing::warn!(%error, "tracked files that ignore rules hide are not known");
    }
    paths
}

fn there(roots: &Roots, paths: &[PathBuf]) -> Vec<PathBuf> {
    let is_there = |path: &&PathBuf| {
        let resolved = roots.resolve_relative(path).ok();
        resolved.is_some_and(|path| roots.lstat(&path).is_ok_and(|stat| stat.is_some()))
    };
    paths.iter().filter(is_there).cloned().collect()
}
