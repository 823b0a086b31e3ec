//! The engine's side of the journal: opens it, recovers interrupted operations, and finds what took place
//! already.
//!
//! Knows the journals and the roots of a request; the pipeline decides what an operation changes.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use clada_apply::{JournalWriter, LeftBehind, Resumable, give_back, partly, recover, roots_beyond};
use clada_exec::Remains;
use clada_fs::{RootLock, RootedPath, Roots};
use clada_journal::{
    Applied, AppliedActions, OperationDetails, OperationKind, OperationStatus, ProjectJournal, Retention,
    applied,
};
use clada_protocol::{ActionResult, CallerKind, ErrorKind, Parameter, RpcError};
use clada_store::StoreError;
use serde_json::Value;

use super::lock_file::{LOCK_PAUSE, REMAINS_TIME};
use super::policies::{open_policy, open_roots};
use super::request::{ProjectRequest, Unasked};
use super::state::Engine;

const LAST: &str = "last";
/// Bytes of a parameter that are kept with an operation; the whole answer is kept alongside it.
const PARAMETER: usize = 512;

#[derive(Debug)]
pub(super) struct HeldProject {
    pub(super) locks: Vec<RootLock>,
    pub(super) journal: ProjectJournal,
    /// The error if the state of interrupted operations is unknown: then nothing more is recorded.
    pub(super) unsettled: Option<StoreError>,
}

impl ProjectRequest {
    /// The second value holds the warnings for the user.
    pub(super) fn hold(&self, roots: &Roots) -> Result<(Option<HeldProject>, Vec<String>), RpcError> {
        let locks = self.lock(roots)?;
        // The locks may have taken long; a folder that was opened before may no longer be the one with that
        // name.
        roots.still_there()?;
        self.require_same_folder()?;
        let journal = self.journal().clone();
        let (mut warnings, unsettled) = match self.recover(&journal, roots) {
            Ok(messages) => (messages, None),
            Err(error) => (vec![unreadable(&error)], Some(error)),
        };
        warnings.extend(journal.take_warnings());
        Ok((Some(HeldProject { locks, journal, unsettled }), warnings))
    }

    /// Warnings come with the next result that has some. Fails if the state of interrupted operations is
    /// unknown.
    pub(super) fn hold_without_result(&self, roots: &Roots) -> Result<HeldProject, RpcError> {
        let (held, warnings) = self.hold(roots)?;
        self.journal().return_warnings(warnings);
        settled(held)
    }

    fn recover(&self, journal: &ProjectJournal, roots: &Roots) -> Result<Vec<String>, StoreError> {
        journal.set_aside_damaged()?;
        let open = open_roots(roots);
        let open = open.as_ref().unwrap_or(roots);
        let rights = journal.noted_rights();
        if !rights.is_empty() {
            // What is gone has nothing to give back.
            journal.note_rights(&give_back(open, &rights))?;
        }
        let home = self.environment().home.as_deref();
        let unfinished = match journal.if_exists(|journal| journal.unfinished()) {
            // The recovery below handles it.
            Err(StoreError::Damaged { .. }) => None,
            unfinished => unfinished?,
        };
        let unfinished: Vec<String> =
            unfinished.into_iter().flatten().map(|operation| operation.id).collect();
        let cut_off = !unfinished.is_empty();
        let remains = remains(journal, &unfinished);
        let left_behind = if remains.ended > 0 { LeftBehind::Processes } else { LeftBehind::Nothing };
        let mut messages = Vec::new();
        let mut look = || {
            self.settle_moves(journal, &mut messages)?;
            let beyond = if cut_off { roots_beyond(journal, roots)? } else { Vec::new() };
            if beyond.is_empty() {
                return recover(journal, open, open, home, left_behind);
            }
            // A root that cannot be opened counts as a file that cannot be read: its state stays unknown.
            let wide = open_policy().ok().and_then(|policy| {
                Roots::open(journal.root(), &beyond, &[], policy, roots.options().clone()).ok()
            });
            recover(journal, open, wide.as_ref().unwrap_or(open), home, left_behind)
        };
        let mut look = || journal.look_twice(&mut look);
        let recovered = match look() {
            // Undo needs the journal; the store reserves space for that.
            Err(StoreError::Full { .. }) => {
                journal.release_reserve();
                look()
            }
            outcome => outcome,
        }?;
        messages.extend(recovered);
        messages.extend(told_stuck(&remains));
        if cut_off {
            self.settle_repository();
        }
        Ok(messages)
    }

    pub(super) fn journal_writer(
        &self,
        held: &HeldProject,
        id: &str,
        kind: OperationKind,
        undoes: Option<String>,
        details: OperationDetails,
    ) -> JournalWriter {
        let operation = clada_journal::Operation {
            id: id.to_owned(),
            kind,
            began: i64::try_from(self.environment().since_epoch().as_millis()).unwrap_or(i64::MAX),
            status: OperationStatus::Applying,
            summary: String::new(),
            undoes,
            undone_by: None,
            committed: None,
            outline: clada_journal::Outline::default(),
        };
        JournalWriter::new(held.journal.clone(), operation, details)
    }

    pub(super) fn details(&self, source: Option<&Resumable>) -> OperationDetails {
        OperationDetails {
            answer: source.map(Resumable::answer),
            request: source.map(Resumable::keep),
            results: None,
            by_agent: self.whose() == CallerKind::Agent,
        }
    }

    /// Returns what of `source` is applied already; `None`: that does not matter.
    pub(super) fn applied(
        &self,
        roots: &Roots,
        source: Option<&Resumable>,
        buffers: &HashMap<RootedPath, blake3::Hash>,
        warnings: &mut Vec<String>,
    ) -> HashMap<usize, Applied> {
        let Some(source) = source else { return HashMap::new() };
        let answer = source.answer();
        let mut applied =
            applied(self.journal(), &answer, (roots, buffers), &partly).unwrap_or_else(|error| {
                warnings.push(unreadable(&error));
                AppliedActions::default()
            });
        let now = |path: &RootedPath| buffers.get(path).copied().or_else(|| roots.hash(path).ok());
        // What an editor was handed is not in the journal; it counts as applied as long as the text has
        // that hash.
        for (seq, began) in self.project().handed_texts().standing(&answer, now) {
            let there = Applied { operation: String::new(), shown: String::new(), began };
            applied.changed_since.remove(&seq);
            applied.standing.entry(seq).or_insert(there);
        }
        if let Some(before) = applied.changed_since.values().min_by_key(|before| before.began) {
            warnings.push(format!(
                "{} done before (operation {}), and files changed since: what fits is applied again",
                match applied.changed_since.len() {
                    1 => "1 action of this answer was".to_owned(),
                    count => format!("{count} actions of this answer were"),
                },
                before.shown
            ));
        }
        applied.standing
    }

    /// Returns the rest of an operation of the project, by its id or `last`, from the journal.
    pub(crate) fn left_by(&self, id: &str) -> Result<Resumable, RpcError> {
        let settings = self.settings()?;
        // What was done of one that was cut off is known once it is recovered.
        let last_operation = self.settled_journal()?.if_exists(|journal| {
            let operations = journal.list(usize::MAX)?.into_iter();
            let mut candidates = operations.filter(|operation| {
                if id == LAST { operation.kind == OperationKind::Execute } else { operation.id == id }
            });
            let Some(operation) = candidates.next() else { return Ok(None) };
            let details = journal.details(&operation.id)?;
            let request = details.request.map(|request| request.plain(journal.path())).transpose()?;
            Ok(Some((request, details.results, journal.changes(&operation.id)?)))
        })?;
        let resumable = last_operation.flatten().and_then(|(request, results, changes)| {
            // An action counts as made only if all of its changes were made: a half-made one is tried again.
            let undone: HashSet<usize> = changes
                .iter()
                .filter(|(_, was_made)| *was_made != Some(true))
                .map(|(change, _)| change.seq)
                .collect();
            let seqs = changes.iter().map(|(change, _)| change.seq);
            let made_seqs: HashSet<usize> = seqs.filter(|seq| !undone.contains(seq)).collect();
            Resumable::from_saved(&request?, results.as_deref(), &made_seqs, settings)
        });
        resumable.ok_or_else(|| ProjectRequest::nothing_to_resume(id))
    }

    /// Returns the error for an operation that is unknown to whoever wants to take it up.
    pub(crate) fn nothing_to_resume(id: &str) -> RpcError {
        let message = match id {
            LAST => "There is no operation to resume in this project".to_owned(),
            _ => format!("There is no operation '{id}' in this project, or it can no longer be resumed"),
        };
        RpcError::new(ErrorKind::OperationNotFound, message)
            .with("operationId", id)
            .hint("apply the answer again, without what succeeded")
    }

    /// Does the work that can wait for the end of an operation: prunes the journal, checks damage, lets
    /// go of other projects.
    pub(crate) fn tidy(&self) {
        self.tidy_journal();
        self.tidy_checkpoints();
        self.tidy_editor_operations();
        self.engine.evict(Instant::now());
    }

    fn tidy_journal(&self) {
        let Ok(settings) = self.settings() else { return };
        let (root, journal) = (self.root(), self.journal());
        let keep = Retention {
            operations: usize::try_from(settings.limits.history_keep).unwrap_or(usize::MAX),
            bytes: settings.limits.history_bytes,
        };
        let tidied = journal.if_exists(|_| Ok(())).and_then(|there| match there {
            Some(()) => journal.check_once().and_then(|()| journal.retain(keep)),
            None => Ok(()),
        });
        let tidied = tidied.and_then(|()| journal.empty_reserve());
        match tidied {
            // The next operation sets it aside, and its own report says so.
            Err(StoreError::Damaged { reason, .. }) => {
                tracing::warn!(root = %root.display(), reason, "the journal is damaged");
            }
            Err(error) => tracing::warn!(%error, "a record is not tidied up"),
            Ok(()) => self.engine.projects.journals().fill_reserve(),
        }
    }

    /// Recovers a project that a caller asks about, as [`Engine::recover_all`] does. It ends the processes of
    /// an interrupted operation's command, even if that takes time; so it is not reported as under way.
    pub(super) fn recover_project_now(&self) -> Result<(), RpcError> {
        let unfinished = unfinished(self.journal())?;
        let begun = Instant::now();
        let mut pause = LOCK_PAUSE.0;
        while clada_exec::has_orphans(&unfinished) {
            if begun.elapsed() > REMAINS_TIME {
                let _ = clada_exec::end_orphans(&unfinished);
                break;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOCK_PAUSE.1);
        }
        self.recover_project()
    }

    /// Recovers a project, unless another process works in it: that one recovers it first.
    pub(super) fn recover_project(&self) -> Result<(), RpcError> {
        let roots = self.roots()?;
        let _settling = self.engine.settling.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(_locks) = self.try_lock(roots)? else { return Ok(()) };
        let journal = self.journal();
        for message in self.recover(journal, roots)? {
            journal.warn(message);
        }
        Ok(())
    }
}

impl Engine {
    /// Recovers interrupted operations in all projects, one after the other. For the start of a daemon.
    pub(crate) fn recover_all(self: &Arc<Engine>) {
        for root in self.projects.journals().unfinished() {
            let request = self.request_at(&root, Arc::new(Unasked));
            let recovered = request.and_then(|request| request.recover_project());
            if let Err(error) = recovered {
                tracing::warn!(root = %root.display(), error = %error.message, "an interrupted operation is left");
            }
        }
    }

    /// Waits again for the owners of open checkpoints. For the start of a daemon.
    pub(crate) fn watch_checkpoints(self: &Arc<Engine>) {
        for root in self.projects.journals().with_checkpoints() {
            match self.request_at(&root, Arc::new(Unasked)) {
                Ok(request) => request.watch_owners_again(),
                Err(error) => {
                    tracing::warn!(root = %root.display(), error = %error.message, "its checkpoints wait for nobody");
                }
            }
        }
    }

    /// Removes the remains, besides changes, of commands whose daemon was killed. For the start of a daemon.
    pub(crate) fn sweep_commands(&self) {
        if let Some(runner) = &self.environment.runner {
            runner.sweep();
        }
    }

    #[must_use]
    pub(crate) fn record_warnings(&self) -> Vec<String> {
        self.projects.journals().warnings()
    }
}

pub(super) fn unfinished(journal: &ProjectJournal) -> Result<Vec<String>, StoreError> {
    // Without a journal there are none.
    let operations = journal.if_exists(|journal| journal.unfinished())?.unwrap_or_default();
    Ok(operations.into_iter().map(|operation| operation.id).collect())
}

/// Ends the remaining processes of the commands of `operations`, whose daemon is gone: the caller has the
/// locks that it had. The root of the file system has none.
fn remains(journal: &ProjectJournal, operations: &[String]) -> Remains {
    match operations {
        [] => Remains::default(),
        _ if journal.root() == Path::new("/") => clada_exec::end_orphans(operations),
        _ => clada_exec::end_remains(operations),
    }
}

fn told_stuck(remains: &Remains) -> Option<String> {
    let first = remains.stuck.first()?;
    let count = remains.stuck.len();
    Some(format!(
        "{count} of the processes that a command of an interrupted operation started are still running, \
         process {first} for example: undo does not cover their later changes"
    ))
}

pub(super) fn finish(
    journal_writer: &JournalWriter,
    results: Option<&[ActionResult]>,
    whole: bool,
) -> Option<String> {
    let results = results.map(kept_results);
    let error = journal_writer.finish(results.as_deref(), whole).err()?;
    Some(format!(
        "The journal does not record yet how this operation ended: {error}. The next operation in this project completes it"
    ))
}

pub(super) fn kept_results(results: &[ActionResult]) -> Vec<u8> {
    let without_images: Vec<ActionResult> = results.iter().map(without_texts).collect();
    clada_journal::json(&without_images)
}

fn without_texts(result: &ActionResult) -> ActionResult {
    let short = |value: &Parameter| match value {
        Parameter::Text(text) => text.len() <= PARAMETER,
        Parameter::Other(Value::Array(_) | Value::Object(_)) => false,
        Parameter::Other(_) => true,
    };
    let params = result.params.iter().filter(|(_, value)| short(value));
    let params = params.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    ActionResult { params, data: None, hint: None, ..result.clone() }
}

fn unreadable(error: &StoreError) -> String {
    format!("Earlier operations in this project are not known: {error}; {}", error.hint())
}

pub(super) fn settled(held: Option<HeldProject>) -> Result<HeldProject, RpcError> {
    let none = || RpcError::new(ErrorKind::Internal, "The project is not held");
    let mut held = held.ok_or_else(none)?;
    match held.unsettled.take() {
        Some(error) => Err(error.into()),
        None => Ok(held),
    }
}
