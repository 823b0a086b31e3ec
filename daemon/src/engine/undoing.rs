//! The past operations of a project, and undoing them: `history.list`, `history.show`, `undo` and `redo`.
//!
//! Combines the journal, the current content of the files and the plan of `clada_apply`, and has the
//! pipeline carry it out as an operation of its own. Undo is for the user: a path that answers may not touch
//! is restored all the same if an operation changed it. But nothing outside of the roots that it worked in is
//! touched, and no link is followed.

mod narrowing;
mod request;
mod reserving;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use clada_apply::{
    Contents, Diffs, UndoTarget, brought_back_by, continued_nets, earlier_operation, lost_changes,
    operation_info, path_changes, pick_operation, undo_attempts,
};
use clada_fs::{Options, ReadOnlyFiles, Roots, Verdict};
use clada_journal::{Change, JournalPlace, Net, OperationKind, OperationStatus, ProjectJournal, net};
use clada_protocol::{
    ActionResult, ErrorKind, HISTORY_LIMIT, HistoryListParams, HistoryListResult, HistoryShowParams,
    HistoryShowResult, OperationInfo, RpcError, UndoParams, UndoResult, visible_path,
};
use clada_store::StoreError;

use super::overlays;
use super::policies::open_policy;
use super::request::ProjectRequest;
use super::shown::{short_ids, shown_id};
pub(super) use request::kind;
use request::{Chosen, Sources, Undoing, named_in};

// The number of times an operation is chosen again, if another one ran between choosing and locking.
const TRIES: usize = 4;
const MAX_LISTED: usize = 10_000;

const PATHS: [&str; 4] = ["path", "old_path", "new_path", "base_path"];

// The direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    // Back: an operation is undone.
    Back,
    // Forward: an undo is undone.
    Forward,
}

impl ProjectRequest {
    pub(crate) fn list_history(&self, params: &HistoryListParams) -> Result<HistoryListResult, RpcError> {
        let journal = self.settled_journal()?;
        let limit = params.limit.unwrap_or(HISTORY_LIMIT).min(MAX_LISTED);
        let listed = journal.if_exists(|journal| journal.list(limit + 1))?.unwrap_or_default();
        let operations: Vec<OperationInfo> = listed.iter().take(limit).map(operation_info).collect();
        let short_ids = short_ids(journal, operations.iter().flat_map(named_in));
        let more = listed.len() > limit;
        let mut warnings = journal.take_warnings();
        if let Some((why, hint)) = self.missing_record().filter(|_| operations.is_empty()) {
            warnings.push(format!("{why}; {hint}"));
        }
        let moved_from = self.project().former_path().map(|path| path.to_string_lossy().into_owned());
        Ok(HistoryListResult { operations, more, warnings, short_ids, moved_from })
    }

    pub(super) fn settled_journal(&self) -> Result<&ProjectJournal, RpcError> {
        // A project that cannot be worked in is refused as always.
        self.roots()?;
        let journal = self.journal();
        let cut_off = journal
            .if_exists(|journal| journal.unfinished())?
            .is_some_and(|unfinished| !unfinished.is_empty());
        if cut_off && let Err(error) = self.recover_project_now() {
            let root = self.requested_root().display();
            tracing::warn!(%root, error = %error.message, "an interrupted operation is reported as it is");
        }
        self.tidy_editor_operations();
        Ok(journal)
    }

    pub(crate) fn show_history(&self, params: &HistoryShowParams) -> Result<HistoryShowResult, RpcError> {
        let settings = self.settings()?;
        let journal = self.settled_journal()?;
        let chosen =
            choose(journal, UndoTarget::Show(&params.operation)).map_err(|error| self.explained(error))?;
        let diff = params.diff.then(|| {
            let roots = self.undo_roots(&other_roots(&chosen, journal)).ok();
            let limit = settings.limits.max_file_size;
            let sources = Sources { journal, roots: roots.as_ref(), limit, unread: RefCell::default() };
            self.diffs(&sources, |diffs| diffs.of_operation(&chosen.nets))
        });
        let mut warnings = Vec::new();
        let operation = operation_info(&chosen.operation);
        Ok(self.shown_as_given(HistoryShowResult {
            short_ids: short_ids(journal, named_in(&operation)),
            operation,
            actions: actions(journal, &chosen.operation, params.parameters, &mut warnings)?,
            changes: path_changes(&chosen.nets).into_iter().chain(lost_changes(&chosen.lost)).collect(),
            diff: diff.transpose()?,
            warnings,
        }))
    }

    pub(crate) fn undo(&self, params: &UndoParams, way: Direction) -> Result<UndoResult, RpcError> {
        if params.merge && params.force {
            let message =
                "`merge` and `force` exclude each other: what was changed since is kept or overwritten";
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        let settings = self.settings()?;
        if !params.dry_run {
            // What an editor has not reported yet is undone with the rest of its operation.
            self.close_editor_operations(true)?;
        }
        let name = params.operation.as_deref();
        let selection = match (way, name) {
            (Direction::Back, None) => UndoTarget::Undo,
            (Direction::Back, Some(name)) => UndoTarget::UndoOf(name),
            (Direction::Forward, None) => UndoTarget::Redo,
            (Direction::Forward, Some(name)) => UndoTarget::RedoOf(name),
        };
        // The operation is only known under the lock, and its roots only with the operation: each turn locks
        // the roots that the turn before found.
        let mut others = Vec::new();
        for _ in 0..TRIES {
            let roots = self.undo_roots(&others)?;
            let (held, warnings) = match params.dry_run {
                true => (None, Vec::new()),
                false => self.hold(&roots)?,
            };
            let journal = self.journal();
            if held.is_some() && name.is_none() {
                refuse_unsettled(journal, &warnings)?;
            }
            let chosen = choose(journal, selection).map_err(|error| self.explained(error))?;
            let needed = other_roots(&chosen, journal);
            let chosen = self.narrowed(chosen, params)?;
            refuse_unsaved(&roots, &chosen.nets, &params.unsaved)?;
            if let Some(moved) = &chosen.operation.outline.head {
                let undone = operation_info(&chosen.operation);
                let short_ids = short_ids(journal, named_in(&undone));
                let result =
                    UndoResult { success: true, undone, warnings, short_ids, ..UndoResult::default() };
                return self.undo_git(&chosen.operation, moved, held.as_ref(), params, result);
            }
            if needed.iter().all(|needed| others.contains(needed)) {
                let work =
                    Undoing { request: self, settings, roots: &roots, others: &others, journal, params };
                return self.undone_as_given(work.run(&chosen, held.as_ref(), warnings));
            }
            others = needed;
        }
        Err(RpcError::new(ErrorKind::Busy, "Other operations run in this project all the time")
            .hint("try again, or name the operation"))
    }

    fn undo_roots(&self, others: &[PathBuf]) -> Result<Roots, RpcError> {
        // Opened again: the request may have waited for another operation meanwhile.
        let options = self.roots()?.options().clone();
        // What was there before comes back, also where it may not be written now.
        let options = Options { read_only_files: ReadOnlyFiles::Replace, ..options };
        let policy = open_policy()?;
        let roots = Roots::open(self.requested_root(), others, &[], policy, options)?;
        self.require_same_root(&roots)?;
        Ok(roots)
    }

    pub(super) fn diffs<T>(
        &self,
        contents: &dyn Contents,
        make: impl FnOnce(&Diffs<'_>) -> T,
    ) -> Result<T, RpcError> {
        let (root, settings) = (self.root(), self.settings()?);
        let policy = self.policy(false)?;
        let is_secret = |place: &JournalPlace| {
            let absolute = place.root.join(&place.relative);
            matches!(policy.verdict_for_read(&place.relative, &[&absolute]), Verdict::Deny(..))
        };
        let limit = usize::try_from(settings.limits.result_bytes / 2).unwrap_or(usize::MAX);
        Ok(make(&Diffs { root, contents, is_secret: &is_secret, limit }))
    }
}

fn refuse_unsaved(roots: &Roots, nets: &[Net], unsaved: &[String]) -> Result<(), RpcError> {
    let unsaved = overlays::documents(roots, "unsaved", unsaved)?;
    let unsaved: HashSet<PathBuf> = unsaved.iter().map(|path| roots.absolute(path)).collect();
    let places = nets.iter().flat_map(|net| [Some(&net.place), net.came_from.as_ref()]).flatten();
    let Some(place) = places.into_iter().find(|place| unsaved.contains(&place.root.join(&place.relative)))
    else {
        return Ok(());
    };
    let path = place.relative.to_string_lossy();
    let path = visible_path(&path);
    let message = format!("'{path}' is modified in the editor and not saved. Nothing was changed");
    Err(RpcError::new(ErrorKind::NotUndoable, message).hint("save it, then try again"))
}

fn refuse_unsettled(journal: &ProjectJournal, warnings: &[String]) -> Result<(), RpcError> {
    let unfinished = journal.if_exists(|journal| journal.unfinished())?.unwrap_or_default();
    let Some(operation) = unfinished.last() else { return Ok(()) };
    let why = warnings.first().map(|why| format!(" ({why})")).unwrap_or_default();
    let id = &operation.id;
    let shown = shown_id(journal, id);
    let message = format!(
        "Nothing was changed: operation {shown} was cut off, and what it did could not be found out yet{why}"
    );
    let hint = "free some space and try again; an earlier operation can be undone by its id";
    Err(RpcError::new(ErrorKind::Io, message).hint(hint).with("operationId", id.clone()))
}

fn choose(journal: &ProjectJournal, selection: UndoTarget<'_>) -> Result<Chosen, RpcError> {
    let chosen = journal.if_exists(|journal| {
        let operations = journal.list(usize::MAX)?;
        let changed = |operation: &clada_journal::Operation| -> Result<bool, StoreError> {
            if operation.outline.head.is_some() {
                return Ok(true);
            }
            let changes = journal.changes(&operation.id)?;
            let made_changes =
                changes.iter().filter(|(_, was_made)| *was_made == Some(true)).map(|(change, _)| change);
            // A loss that no undo restores is no reason not to redo.
            let is_lost = matches!(selection, UndoTarget::Undo | UndoTarget::UndoOf(_));
            Ok(!net(made_changes).is_empty() || is_lost && !journal.lost(&operation.id)?.is_empty())
        };
        let operation =
            match pick_operation(&operations, selection, |one| changed(one).map_err(RpcError::from)) {
                Ok(operation) => operation.clone(),
                Err(error) => return Ok(Err(error)),
            };
        let changes = journal.changes(&operation.id)?;
        let attempts = undo_attempts(&operations, &operation);
        let mut back = Vec::new();
        for attempt in &attempts {
            back.extend(made_changes(journal.changes(&attempt.id)?));
        }
        let back = (back, attempts.len());
        let brought_back_by = brought_back_by(&operations, &operation).cloned();
        let read_only = journal.is_read_only();
        let lost = journal.lost(&operation.id)?;
        let earlier = match lost.is_empty() {
            true => None,
            false => earlier_operation(&operations, &operation, changed)?.map(|earlier| earlier.id.clone()),
        };
        Ok(Ok((operation, brought_back_by, (changes, back), read_only, lost, earlier)))
    })?;
    let none = || pick_operation(&[], selection, |_| Ok(false)).cloned();
    let (operation, brought_back_by, (changes, (back, attempts)), read_only, lost, earlier) = match chosen {
        Some(chosen) => chosen?,
        None => (none()?, None, (Vec::new(), (Vec::new(), 0)), false, Vec::new(), None),
    };
    if read_only && !matches!(selection, UndoTarget::Show(_)) {
        let message =
            "The record of this project was written by a newer version of clada and can only be read";
        return Err(RpcError::new(ErrorKind::ReadOnly, message).hint("use the newer version to undo"));
    }
    let own = made_changes(changes.clone());
    let (nets, continued) = (net(&own), continued_nets(&own, &back));
    let cut_off = operation.status == OperationStatus::Interrupted;
    let unknown: BTreeSet<JournalPlace> = changes
        .into_iter()
        .filter(|(_, was_made)| cut_off && was_made.is_none())
        .map(|(change, _)| change.place)
        .collect();
    let unknown = unknown.into_iter().collect();
    Ok(Chosen {
        operation,
        brought_back_by,
        nets,
        continued,
        attempts,
        unknown,
        lost,
        earlier,
        is_part: false,
    })
}

fn made_changes(changes: Vec<(Change, Option<bool>)>) -> Vec<Change> {
    changes.into_iter().filter(|(_, was_made)| *was_made == Some(true)).map(|(change, _)| change).collect()
}

// Returns the results of an answer's actions, with no more of their parameters than paths: others may be
// secrets.
fn actions(
    journal: &ProjectJournal,
    operation: &clada_journal::Operation,
    with_parameters: bool,
    warnings: &mut Vec<String>,
) -> Result<Vec<ActionResult>, RpcError> {
    if operation.kind != OperationKind::Execute {
        return Ok(Vec::new());
    }
    let details = journal.if_exists(|journal| journal.details(&operation.id))?;
    let Some(results) = details.and_then(|details| details.results) else { return Ok(Vec::new()) };
    let mut actions: Vec<ActionResult> = serde_json::from_slice(&results).unwrap_or_else(|error| {
        warnings.push(format!("What came of its actions cannot be read: {error}"));
        Vec::new()
    });
    for action in actions.iter_mut().filter(|_| !with_parameters) {
        action.params.retain(|name, _| PATHS.contains(&name));
    }
    Ok(actions)
}

fn other_roots(chosen: &Chosen, journal: &ProjectJournal) -> Vec<PathBuf> {
    let places = chosen.nets.iter().flat_map(|net| std::iter::once(&net.place).chain(net.came_from.as_ref()));
    let roots: BTreeSet<PathBuf> = places.map(|place| place.root.clone()).collect();
    // What is gone with a root is left alone.
    roots.into_iter().filter(|root| root != journal.root() && root.is_dir()).collect()
}
