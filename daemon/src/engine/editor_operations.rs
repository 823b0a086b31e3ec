//! Operations of editors: what the daemon wrote and what the editor applied and saved are one operation, with one
//! commit and one undo.
//!
//! An answer changes a.txt, which is open and clean, and b.txt, which is not open:
//!   `execute`        writes b.txt, records it, notes what a.txt holds, hands out the edits of a.txt
//!   the editor       applies them and saves a.txt, which its formatter changes once more
//!   `execute.saved`  reads a.txt, adds it to the operation, and commits both files
//! If the editor dies in between, the daemon does the last step with what is on disk.

mod saves;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clada_apply::{changed_sum, resolve_place};
use clada_fs::{RootedPath, Roots};
use clada_journal::{
    Change, Committed, EditorPart, Images, JournalPlace, Operation, OperationDetails, OperationKind,
    OperationStatus, Outline, PendingPart, State, is_same_state, net,
};
use clada_protocol::{ErrorKind, ExecuteParams, ExecuteSavedParams, ExecutionResult, GitWhere, RpcError};
use serde::{Deserialize, Serialize};

use super::Engine;
use super::answering::ExecuteRequest;
use super::checkpoints::between::{OwnChanges, own_changes};
use super::checkpoints::owners::CheckpointOwner;
use super::checkpoints::unplaced;
use super::committing::{CommitOptions, Committing, tell};
use super::overlays;
use super::recording::{HeldProject, kept_results, settled};
use super::request::{ProjectRequest, Unasked};
use super::shown::{short_ids, shown_id, some_of};
pub(super) use saves::Saves;
use saves::{edited, state_now};

/// The time after which the daemon ends an operation whose editor says nothing, in milliseconds.
const TTL_MS: i64 = 10 * 60 * 1000;

static WATCHED: Mutex<Vec<(PathBuf, CheckpointOwner)>> = Mutex::new(Vec::new());

/// The description of the part of an operation that an editor has to save.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Description {
    client: String,
    /// The process of the editor.
    owner: Option<CheckpointOwner>,
    /// Milliseconds since 1970.
    began_ms: i64,
    git: Option<GitWhere>,
    git_author: Option<String>,
}

enum SaveReport<'a> {
    Saved {
        saved: &'a HashSet<RootedPath>,
        unsaved: &'a HashSet<RootedPath>,
    },
    /// Nothing: it is gone, or takes too long. Then what is on disk counts.
    Nothing,
}

impl ProjectRequest {
    pub(super) fn postpone(&self, committing: Committing) {
        if let Some(commits) = committing.into_commits() {
            self.told_of(commits);
        }
    }

    pub(super) fn await_editor(
        &self,
        (roots, held, id): (&Roots, &HeldProject, &str),
        saves: &Saves,
        request: &ExecuteRequest<'_>,
        result: &mut ExecutionResult,
    ) -> Result<(), RpcError> {
        let is_stopped = self.context().stop().is_some();
        let edited = if is_stopped { HashSet::new() } else { edited(roots, result)? };
        let changes = saves.expected(roots, &edited);
        if changes.is_empty() && result.operation_id.is_empty() {
            return Ok(());
        }
        let (journal, owner) = (&held.journal, request.params.owner.and_then(CheckpointOwner::find));
        let operation = self.operation_of_editor(id, request.title.clone(), &changes);
        let details = match result.operation_id.is_empty() {
            true => self.details(request.source),
            false => OperationDetails::default(),
        };
        let part = PendingPart {
            operation: &operation,
            details: &details,
            results: Some(&kept_results(&result.results)),
            changes: &changes,
            images: &saves.images,
            description: &clada_journal::json(&self.description(request.params, owner.clone())),
        };
        journal.with(|journal| journal.open_editor_part(&part))?;
        // Nothing waits in an editor: the part is closed at once, by the path that its saves would take.
        if edited.is_empty() {
            let part = self.editor_part(journal, id)?;
            let ended = self.close_editor_part(roots, held, &part, &SaveReport::Nothing)?;
            result.git = ended.git;
            result.success &= ended.success;
            result.fatal_error = result.fatal_error.take().or(ended.fatal_error);
            return Ok(());
        }
        result.operation_id = id.to_owned();
        result.open = true;
        result.short_ids = short_ids(journal, [id]);
        if let Some(owner) = owner {
            self.watch_editor(owner);
        }
        Ok(())
    }

    fn description(&self, params: &ExecuteParams, owner: Option<CheckpointOwner>) -> Description {
        Description {
            client: self.context().client(),
            owner,
            began_ms: self.now_ms(),
            git: params.git,
            git_author: params.git_author.clone(),
        }
    }

    fn operation_of_editor(&self, id: &str, title: Option<String>, changes: &[Change]) -> Operation {
        Operation {
            id: id.to_owned(),
            kind: OperationKind::Execute,
            began: self.now_ms(),
            status: OperationStatus::Done,
            summary: clada_journal::summary(changes, Some(self.root())),
            undoes: None,
            undone_by: None,
            committed: None,
            outline: Outline { title, changed: None, head: None },
        }
    }

    pub(crate) fn execution_saved(&self, params: &ExecuteSavedParams) -> Result<ExecutionResult, RpcError> {
        let roots = self.recording_roots()?;
        let (held, warnings) = self.hold(&roots)?;
        let held = settled(held)?;
        let part = self.editor_part(&held.journal, &params.operation)?;
        let saved = overlays::documents(&roots, "saved", &params.saved)?;
        let unsaved = overlays::documents(&roots, "unsaved", &params.unsaved)?;
        let save_report = SaveReport::Saved { saved: &saved, unsaved: &unsaved };
        let mut result = self.close_editor_part(&roots, &held, &part, &save_report)?;
        let warnings = held.journal.take_warnings().into_iter().chain(warnings);
        result.warnings.extend(warnings.map(unplaced));
        Ok(result)
    }

    /// Ends the operations whose editor is gone, or says nothing for too long; `all`: every one that waits. What is on
    /// disk becomes theirs, and the next result says so.
    pub(super) fn close_editor_operations(&self, all: bool) -> Result<(), RpcError> {
        if !self.has_editor_operations(all)? {
            return Ok(());
        }
        let roots = self.recording_roots()?;
        let held = self.hold_without_result(&roots)?;
        // Another process may have ended some while this one waited.
        let parts = held.journal.with(|journal| journal.editor_parts())?;
        for part in parts.iter().filter(|part| all || self.is_over(part)) {
            let result = self.close_editor_part(&roots, &held, part, &SaveReport::Nothing)?;
            self.journal().warn(closed_message(part, &result, &shown_id(&held.journal, &part.operation)));
        }
        Ok(())
    }

    pub(super) fn tidy_editor_operations(&self) {
        let is_free = || Ok(self.try_lock(&self.recording_roots()?)?.is_some());
        let tidied = match self.has_editor_operations(false) {
            Ok(true) => is_free().and_then(|is_free| match is_free {
                true => self.close_editor_operations(false),
                false => Ok(()),
            }),
            outcome => outcome.map(drop),
        };
        if let Err(error) = tidied {
            tracing::warn!(error = %error.message, "operations still wait for editors that have ended");
        }
    }

    fn has_editor_operations(&self, all: bool) -> Result<bool, RpcError> {
        let parts = self.journal().if_exists(|journal| journal.editor_parts())?.unwrap_or_default();
        Ok(parts.iter().any(|part| all || self.is_over(part)))
    }

    fn is_over(&self, part: &EditorPart) -> bool {
        let Ok(description) = serde_json::from_slice::<Description>(&part.description) else { return true };
        let age = self.now_ms().saturating_sub(description.began_ms);
        age > TTL_MS || description.owner.is_some_and(|owner| !owner.is_there())
    }

    fn editor_part(&self, journal: &clada_journal::ProjectJournal, id: &str) -> Result<EditorPart, RpcError> {
        let parts = journal.if_exists(|journal| journal.editor_parts())?.unwrap_or_default();
        parts.into_iter().find(|part| part.operation == id).ok_or_else(|| {
            let shown = clada_protocol::visible_line(id);
            let message = format!("Operation '{shown}' does not wait for an editor");
            RpcError::new(ErrorKind::OperationNotFound, message)
                .hint("`clada history` shows what it holds; it ended with what was on disk")
        })
    }

    fn close_editor_part(
        &self,
        roots: &Roots,
        held: &HeldProject,
        part: &EditorPart,
        save_report: &SaveReport<'_>,
    ) -> Result<ExecutionResult, RpcError> {
        let (journal, id) = (&held.journal, part.operation.as_str());
        let description: Description = serde_json::from_slice(&part.description).unwrap_or_default();
        let operation = journal.with(|journal| journal.operation(id))?;
        let operation =
            operation.ok_or_else(|| RpcError::new(ErrorKind::Internal, "The operation no longer exists"))?;
        let rows = journal.with(|journal| journal.changes(id))?;
        let (expected, made_changes): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(_, done)| done.is_none());
        let of_daemon: Vec<Change> = made_changes
            .into_iter()
            .filter(|(_, done)| *done == Some(true))
            .map(|(change, _)| change)
            .collect();
        let later = own_changes(journal, part.seq, self.root())?;
        let mut images = Images::default();
        let expected: Vec<Change> = expected.into_iter().map(|(change, _)| change).collect();
        let saved = self.saved_changes(roots, &later, &expected, save_report, &mut images)?;
        let mut changes: Vec<Change> = of_daemon.iter().chain(&saved).cloned().collect();
        // No place is in both parts, so that the order of the answer can be that of the summary.
        changes.sort_by_key(|change| change.seq);
        let all_images = self.all_images(journal, &changes, &images)?;
        let (committed, mut result) =
            self.commit_of_editor(roots, &description, id, &changes, &all_images)?;
        let nets = net(&changes);
        let shown = self.result_of(roots, &nets, &all_images)?;
        (result.changed, result.changed_more) = (shown.changed, shown.changed_more);
        let unsaved = unsaved_names(roots, save_report);
        let mut summary = clada_journal::summary(&changes, Some(self.root()));
        if !unsaved.is_empty() && !changes.is_empty() {
            summary.push_str(&format!(
                "; not saved in {}: {}",
                editor(&description),
                some_of(&unsaved, unsaved.len())
            ));
        }
        let changed = changed_sum(&result.changed, result.changed_more);
        let outline = Outline { changed, ..operation.outline.clone() };
        let operation = Operation { summary, committed: Some(committed), outline, ..operation };
        journal.with(|journal| journal.close_editor_part(&operation, &saved, &images))?;
        if !changes.is_empty() {
            result.operation_id = id.to_owned();
            result.short_ids = short_ids(journal, [id]);
            self.tell_recorded(id, &net(&saved));
        }
        tracing::info!(operation = id, files = nets.len(), "the operation of an editor ends");
        Ok(result)
    }

    /// What a `later` operation found in a file is what the editor left there.
    fn saved_changes(
        &self,
        roots: &Roots,
        later: &OwnChanges,
        expected: &[Change],
        save_report: &SaveReport<'_>,
        images: &mut Images,
    ) -> Result<Vec<Change>, RpcError> {
        let limit = self.settings()?.limits.max_file_size;
        let mut ends: BTreeMap<&JournalPlace, (State, State)> = BTreeMap::new();
        for change in expected {
            if ends.contains_key(&change.place) {
                continue;
            }
            let Ok(path) = resolve_place(roots, &change.place) else { continue };
            if matches!(save_report, SaveReport::Saved { saved, .. } if !saved.contains(&path)) {
                continue;
            }
            // A later operation may have written here since: what the editor saved is then what that one
            // found.
            let after = match later.get(&change.place).and_then(|states| states.first()) {
                Some((before, ..)) => Some(before.clone()),
                None => state_now(roots, &path, limit, images),
            };
            if let Some(after) = after.filter(|after| !is_same_state(after, &change.before)) {
                ends.insert(&change.place, (change.before.clone(), after));
            }
        }
        let mut begun: HashSet<&JournalPlace> = HashSet::new();
        let changes = expected.iter().filter_map(|change| {
            let (before, after) = ends.get(&change.place)?;
            let before = if begun.insert(&change.place) { before } else { after };
            Some(Change { before: before.clone(), after: after.clone(), ..change.clone() })
        });
        Ok(changes.collect())
    }

    fn all_images(
        &self,
        journal: &clada_journal::ProjectJournal,
        changes: &[Change],
        images: &Images,
    ) -> Result<Images, RpcError> {
        let mut all = Images::default();
        images.iter().for_each(|(hash, content)| all.add_hashed(blake3::Hash::from_bytes(*hash), content));
        let have: HashSet<[u8; 32]> = images.iter().map(|(hash, _)| *hash).collect();
        for state in changes.iter().flat_map(|change| [&change.before, &change.after]) {
            let State::File { hash, .. } = state else { continue };
            if have.contains(hash.as_bytes()) {
                continue;
            }
            if let Some(content) = journal.with(|journal| journal.image(hash))? {
                all.add_hashed(*hash, &content);
            }
        }
        Ok(all)
    }

    fn commit_of_editor(
        &self,
        roots: &Roots,
        description: &Description,
        id: &str,
        changes: &[Change],
        images: &Images,
    ) -> Result<(Committed, ExecutionResult), RpcError> {
        let mut result = ExecutionResult { success: true, ..ExecutionResult::default() };
        if changes.is_empty() {
            return Ok((Committed::Nowhere, result));
        }
        let params = ExecuteParams {
            git: description.git,
            git_author: description.git_author.clone(),
            ..ExecuteParams::default()
        };
        let committing = match self.committing(CommitOptions::by(&params), id, None) {
            Ok(committing) => committing,
            // The files are changed already: a commit that cannot be made is no reason to forget that.
            Err(error) => {
                (result.success, result.fatal_error) = (false, Some(error.message));
                return Ok((Committed::Nowhere, result));
            }
        };
        let (commits, report) = committing.into_parts();
        let Some(commits) = commits else {
            result.git = report;
            return Ok((Committed::Nowhere, result));
        };
        let mut copy = Images::default();
        images.iter().for_each(|(hash, content)| copy.add_hashed(blake3::Hash::from_bytes(*hash), content));
        let failed = commits.commit_made(roots, changes.to_vec(), copy).err();
        let committed = commits.committed();
        let (report, failure) = self.told_of(commits);
        tell(&mut result, report, failure);
        if let Some(failed) = failed {
            (result.success, result.fatal_error) = (false, Some(failed.message));
        }
        Ok((committed, result))
    }

    /// One thread waits for it, however many operations it has.
    fn watch_editor(&self, owner: CheckpointOwner) {
        let (engine, root) = (Arc::clone(self.engine()), self.root().to_path_buf());
        let watched = (root.clone(), owner.clone());
        {
            let mut all = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
            if all.contains(&watched) {
                return;
            }
            all.push(watched.clone());
        }
        let watch = move || {
            owner.wait();
            WATCHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != watched);
            let request = engine.request_at(&root, Arc::new(Unasked));
            if let Err(error) = request.and_then(|request| request.close_editor_operations(false)) {
                tracing::warn!(error = %error.message, "operations wait for an editor that has disconnected");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("editor".to_owned()).spawn(watch) {
            tracing::warn!(%error, "disconnected editors are not noticed");
        }
    }

    fn watch_editors_again(&self) {
        self.tidy_editor_operations();
        let parts = self.journal().if_exists(|journal| journal.editor_parts()).ok().flatten();
        for part in parts.unwrap_or_default() {
            let description: Description = serde_json::from_slice(&part.description).unwrap_or_default();
            if let Some(owner) = description.owner {
                self.watch_editor(owner);
            }
        }
    }
}

impl Engine {
    /// Ends the operations whose editors went with the last daemon, and waits for those that are still there. For the
    /// start of a daemon.
    pub(crate) fn watch_editor_operations(self: &Arc<Engine>) {
        for root in self.projects.journals().with_editor_parts() {
            match self.request_at(&root, Arc::new(Unasked)) {
                Ok(request) => request.watch_editors_again(),
                Err(error) => {
                    tracing::warn!(root = %root.display(), error = %error.message, "its operations wait for editors");
                }
            }
        }
    }
}

fn unsaved_names(roots: &Roots, save_report: &SaveReport<'_>) -> Vec<String> {
    let SaveReport::Saved { unsaved, .. } = save_report else { return Vec::new() };
    let mut names: Vec<String> = unsaved
        .iter()
        .filter(|path| roots.follow(path).is_ok_and(|real| real == **path))
        .map(|path| path.relative().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn editor(description: &Description) -> String {
    let name = description.client.split_whitespace().next().unwrap_or("the editor");
    clada_protocol::visible_line(name).into_owned()
}

fn closed_message(part: &EditorPart, result: &ExecutionResult, shown: &str) -> String {
    let description: Description = serde_json::from_slice(&part.description).unwrap_or_default();
    let editor = editor(&description);
    match result.changed.len() {
        0 => format!("{editor} ended before it saved anything of operation {shown}, which changed nothing"),
        _ => {
            let names: Vec<String> = result.changed.iter().map(|file| file.path.clone()).collect();
            let count = names.len() + result.changed_more;
            let named = some_of(&names, count);
            format!("{editor} ended before it finished operation {shown}: it holds what is on disk ({named})")
        }
    }
}
