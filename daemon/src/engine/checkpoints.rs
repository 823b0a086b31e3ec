//! `checkpoint.begin`, `checkpoint.end`, `checkpoint.list` and `checkpoint.drop`: what another program changed
//! between two calls becomes one operation, with diff, history and undo.
//!
//! A checkpoint is a snapshot, as that of a command, which the journal keeps until it ends; so a daemon that
//! was killed finds it again. What clada's own operations changed in between is theirs (`between`). No file of
//! the project is changed here.

pub(super) mod between;
mod description;
pub(super) mod owners;
mod pinning;
mod taking;
mod undoable;

use std::cell::RefCell;

use clada_apply::changed_sum;
use clada_command_changes::{CommandChanges, Git, PostImages, SavedSnapshot};
use clada_fs::Roots;
use clada_journal::{
    CHECKPOINTS, Checkpoint, Committed, Compressed, Images, Net, Operation, OperationDetails, OperationKind,
    OperationStatus, Outline, Recorded, net,
};
use clada_protocol::{
    CheckpointBeginParams, CheckpointBeginResult, CheckpointDropParams, CheckpointDropResult,
    CheckpointEndParams, CheckpointInfo, CheckpointListParams, CheckpointListResult, ErrorKind,
    ExecutionResult, OperationWarning, ProjectEvent, ProjectEventKind, RpcError,
};
use clada_watch::Care;

use super::changed::InMemory;
use super::operation_events::{MAX_FILES, changed};
use super::policies::open_policy;
use super::recording::{HeldProject, settled};
use super::request::ProjectRequest;
use super::shown::{NAMED, short_ids, shown_id};
use crate::project::Touched;
use description::Description;
pub(super) use description::RecordNote;
use owners::CheckpointOwner;

/// The time after which a checkpoint that nobody ends is dropped, in milliseconds.
const TTL_MS: u64 = 24 * 3600 * 1000;
/// The most open checkpoints of one agent, and of all agents together. The others are for users.
const OF_ONE_AGENT: usize = 8;
const OF_AGENTS: usize = 32;
const NAME: usize = 200;

const SHORTEST: usize = 3;

#[derive(Debug, Clone)]
struct OpenCheckpoint {
    checkpoint: Checkpoint,
    description: Description,
}

impl ProjectRequest {
    pub(crate) fn begin_checkpoint(
        &self,
        params: &CheckpointBeginParams,
    ) -> Result<CheckpointBeginResult, RpcError> {
        let roots = self.recording_roots()?;
        self.require_project(&roots, None)?;
        let (held, mut warnings) = self.hold(&roots)?;
        let held = settled(held)?;
        self.drop_expired()?;
        let description = self.described(params)?;
        let same = |open: &&OpenCheckpoint| open.description.is_of_same_session(&description);
        let ended = match self.open_checkpoints()?.iter().find(same) {
            Some(open) => Some(Box::new(self.end(&roots, &held, open, false)?)),
            None => None,
        };
        self.require_room(&description)?;
        let id = self.engine.next_id();
        let (not_kept, not_kept_count) = self.take_checkpoint(&roots, &id, &description, &mut warnings)?;
        // A daemon that was killed may have left references of checkpoints that never began, or that ended.
        self.unpin();
        self.tell_checkpoint(&id, None);
        self.watch_owners(&id, &description.owners);
        warnings.extend(self.journal().take_warnings());
        tracing::info!(checkpoint = %id, root = %self.requested_root().display(), "checkpoint begins");
        Ok(CheckpointBeginResult { checkpoint: id, not_kept, not_kept_count, ended, warnings })
    }

    pub(crate) fn end_checkpoint(&self, params: &CheckpointEndParams) -> Result<ExecutionResult, RpcError> {
        let roots = self.recording_roots()?;
        let (held, warnings) = self.hold(&roots)?;
        let held = settled(held)?;
        self.drop_expired()?;
        let all = self.open_checkpoints()?;
        let session = self.session_of(params.session.as_deref());
        let is_agent = self.context().is_agent();
        let is_own = |open: &&OpenCheckpoint| {
            let description = &open.description;
            description.is_of_same_session(&session) || is_agent && description.is_of_agent(&session.client)
        };
        let checkpoint = match &params.checkpoint {
            Some(name) => named(&all, name).map_err(|error| self.explained(error))?.clone(),
            None => {
                let own = |open: &&OpenCheckpoint| open.description.is_of_same_session(&session);
                let none = || self.explained(none_open(&all, is_agent));
                all.iter().rev().find(own).cloned().ok_or_else(none)?
            }
        };
        // An agent that could end another's would cut its record in two.
        if is_agent && !is_own(&&checkpoint) {
            let (id, owner) = (&checkpoint.checkpoint.id, checkpoint.description.owner());
            let message = format!("Checkpoint '{id}' belongs to {owner}: only its owner or a user ends it");
            let own = all.iter().rev().find(is_own);
            let hint = match own {
                Some(own) => format!("your own open checkpoint is {}", own.checkpoint.id),
                None => "begin one, and end that by the id that it was given".to_owned(),
            };
            return Err(RpcError::new(ErrorKind::OperationNotFound, message).hint(hint));
        }
        let mut result = self.end(&roots, &held, &checkpoint, params.keep)?;
        result.warnings.extend(warnings.into_iter().map(unplaced));
        Ok(result)
    }

    pub(crate) fn list_checkpoints(
        &self,
        _: &CheckpointListParams,
    ) -> Result<CheckpointListResult, RpcError> {
        self.settled_journal()?;
        let now = self.now_ms();
        let open = self.open_checkpoints()?;
        let open = open.into_iter().filter(|open| !open.description.is_expired(now));
        let checkpoints: Vec<CheckpointInfo> =
            open.map(|open| open.description.info(open.checkpoint.id)).collect();
        let ids: Vec<&str> = checkpoints.iter().map(|one| one.checkpoint.as_str()).collect();
        let short =
            |id: &&str| ((*id).to_owned(), clada_journal::shortest(id, ids.iter().copied()).to_owned());
        let short_ids = ids.iter().map(short).collect();
        Ok(CheckpointListResult { checkpoints, warnings: self.journal().take_warnings(), short_ids })
    }

    pub(crate) fn drop_checkpoint(
        &self,
        params: &CheckpointDropParams,
    ) -> Result<CheckpointDropResult, RpcError> {
        let roots = self.recording_roots()?;
        drop(self.hold_without_result(&roots)?);
        let id = named(&self.open_checkpoints()?, &params.checkpoint)?.checkpoint.id.clone();
        self.journal().with(|journal| journal.drop_checkpoint(&id))?;
        self.unpin();
        self.tell_checkpoint(&id, None);
        Ok(CheckpointDropResult { checkpoint: id })
    }

    /// Refuses one more checkpoint where there are too many: of all, or of agents, whose own never keep a user from
    /// beginning one.
    fn require_room(&self, description: &Description) -> Result<(), RpcError> {
        let open = self.open_checkpoints()?;
        let count = |is_one: &dyn Fn(&Description) -> bool| {
            open.iter().filter(|open| is_one(&open.description)).count()
        };
        let of_agents = count(&|other| other.by_agent);
        let of_one = count(&|other| other.by_agent && other.is_of_connection(description));
        let (message, hint) = match description.by_agent {
            true if of_one >= OF_ONE_AGENT => (
                format!("This agent has {OF_ONE_AGENT} open checkpoints in this project"),
                "end some of them",
            ),
            true if of_agents >= OF_AGENTS => {
                (format!("Agents have {OF_AGENTS} open checkpoints in this project"), "end some of them")
            }
            _ if open.len() >= CHECKPOINTS => (
                format!("There are {CHECKPOINTS} open checkpoints in this project"),
                "`clada checkpoint list` shows them; end or drop some",
            ),
            _ => return Ok(()),
        };
        Err(RpcError::new(ErrorKind::LimitExceeded, message).hint(hint))
    }

    pub(super) fn recording_roots(&self) -> Result<Roots, RpcError> {
        let options = self.roots()?.options().clone();
        let roots = Roots::open(self.requested_root(), &[], &[], open_policy()?, options)?;
        self.require_same_root(&roots)?;
        Ok(roots)
    }

    pub(super) fn now_ms(&self) -> i64 {
        i64::try_from(self.environment().since_epoch().as_millis()).unwrap_or(i64::MAX)
    }

    fn described(&self, params: &CheckpointBeginParams) -> Result<Description, RpcError> {
        let name = params.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let owners: Option<Vec<CheckpointOwner>> =
            params.owners.iter().map(|pid| CheckpointOwner::find(*pid)).collect();
        let owners = owners.ok_or_else(|| {
            let message = "owners: one of the processes is not there";
            RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "owners")
        })?;
        Ok(Description {
            name: name.map(|name| name.chars().take(NAME).collect()),
            ttl_ms: params.ttl_ms.unwrap_or(TTL_MS),
            owners,
            ..self.session_of(params.session.as_deref())
        })
    }

    fn session_of(&self, session: Option<&str>) -> Description {
        Description {
            session: session.map(str::to_owned),
            client: self.context().client(),
            by_agent: self.context().is_agent(),
            began_ms: self.now_ms(),
            ..Description::default()
        }
    }

    /// A checkpoint whose description makes no sense is left out.
    fn open_checkpoints(&self) -> Result<Vec<OpenCheckpoint>, RpcError> {
        let checkpoints = self.journal().if_exists(|journal| journal.checkpoints())?.unwrap_or_default();
        let read = |checkpoint: Checkpoint| {
            let description = serde_json::from_slice(&checkpoint.description)
                .inspect_err(|error| tracing::warn!(%error, "a checkpoint makes no sense"));
            Some(OpenCheckpoint { description: description.ok()?, checkpoint })
        };
        Ok(checkpoints.into_iter().filter_map(read).collect())
    }

    fn drop_expired(&self) -> Result<(), RpcError> {
        let now = self.now_ms();
        let mut expired = self.open_checkpoints()?;
        expired.retain(|open| open.description.is_expired(now));
        for OpenCheckpoint { checkpoint, description } in &expired {
            self.journal().with(|journal| journal.drop_checkpoint(&checkpoint.id))?;
            let name = description.shown(&checkpoint.id);
            self.journal()
                .warn(format!("Checkpoint {name} expired and was dropped: its changes were not recorded"));
        }
        if !expired.is_empty() {
            self.unpin();
        }
        Ok(())
    }

    pub(super) fn tidy_checkpoints(&self) {
        let now = self.now_ms();
        let open = self.open_checkpoints().unwrap_or_default();
        if !open.iter().any(|open| open.description.is_expired(now)) {
            return;
        }
        let dropped = self.recording_roots().and_then(|roots| match self.try_lock(&roots)? {
            Some(_locks) => self.drop_expired(),
            None => Ok(()),
        });
        if let Err(error) = dropped {
            tracing::warn!(error = %error.message, "checkpoints that are over stay open");
        }
    }

    fn end(
        &self,
        roots: &Roots,
        held: &HeldProject,
        open: &OpenCheckpoint,
        keep: bool,
    ) -> Result<ExecutionResult, RpcError> {
        let OpenCheckpoint { checkpoint, description } = open;
        let mut warnings = Vec::new();
        let command_changes = self.changes_since(roots, checkpoint)?;
        let own = between::own_changes(&held.journal, checkpoint.after, self.root())?;
        let rest = between::rest(command_changes, &own, &|hash| {
            held.journal.if_exists(|journal| journal.has_image(hash)).ok().flatten() == Some(true)
        });
        warnings.extend(rest.warnings(&|id| shown_id(&held.journal, id)));
        let all = self.open_checkpoints()?;
        let still_open: Vec<&OpenCheckpoint> =
            all.iter().filter(|other| other.checkpoint.id != checkpoint.id).collect();
        let others = still_open.iter().map(|other| other.description.shown(&other.checkpoint.id));
        let others: Vec<String> = others.collect();
        let moved = self.head_moved(description, &mut warnings);
        let nets = net(&rest.changes);
        warnings.extend(self.beyond_undo(roots, &nets));
        // An operation without changes would only be a line in the history that undo cannot do anything
        // with.
        let is_empty = nets.is_empty() && rest.lost.is_empty();
        let mut result = self.result_of(roots, &nets, &rest.images)?;
        if is_empty {
            self.journal().with(|journal| journal.drop_checkpoint(&checkpoint.id))?;
        } else {
            let summary = match nets.is_empty() {
                true => clada_journal::summary_of_lost(&rest.lost),
                false => clada_journal::summary(&rest.changes, Some(self.root())),
            };
            let operation = Operation {
                id: self.engine.next_id(),
                kind: OperationKind::Record,
                began: description.began_ms,
                status: OperationStatus::Done,
                summary: description.summary(&summary),
                undoes: None,
                undone_by: None,
                committed: Some(Committed::Nowhere),
                outline: Outline {
                    title: description.name.clone(),
                    changed: changed_sum(&result.changed, result.changed_more),
                    head: None,
                },
            };
            let note = RecordNote { moved, others: others.clone() };
            let details = OperationDetails {
                request: Some(Compressed::json(&note)),
                by_agent: description.by_agent,
                ..OperationDetails::default()
            };
            let recorded = Recorded {
                operation: &operation,
                changes: &rest.changes,
                images: &rest.images,
                details: &details,
                lost: &rest.unrecoverable,
            };
            self.journal().with(|journal| journal.end_checkpoint(&checkpoint.id, &recorded))?;
            result.short_ids = short_ids(self.journal(), [operation.id.as_str()]);
            result.operation_id = operation.id;
            let files = nets.iter().map(|net| net.place.root.join(&net.place.relative)).collect();
            self.project().ended().end(&result.operation_id, self.whose(), None, Touched::Files(files));
        }
        // Two open checkpoints record the same change; without this warning the user would undo it twice.
        for (other, name) in still_open.iter().zip(&others).filter(|_| !is_empty) {
            let owner = other.description.owner();
            let end = match self.context().is_agent() {
                true => String::new(),
                false => format!("; `clada checkpoint end {}` ends it", short(other, &all)),
            };
            warnings.push(format!("{name} also recorded these changes, and is still open ({owner}){end}"));
        }
        self.unpin();
        if keep {
            let again = Description { began_ms: self.now_ms(), ..description.clone() };
            self.take_checkpoint(roots, &checkpoint.id, &again, &mut warnings)?;
        }
        self.tell_recorded(&result.operation_id, &nets);
        self.tell_checkpoint(&checkpoint.id, Some(result.operation_id.as_str()).filter(|id| !id.is_empty()));
        tracing::info!(checkpoint = %checkpoint.id, operation = %result.operation_id, "checkpoint ends");
        warnings.extend(self.journal().take_warnings());
        result.warnings = warnings.into_iter().map(unplaced).collect();
        Ok(result)
    }

    fn changes_since(&self, roots: &Roots, checkpoint: &Checkpoint) -> Result<CommandChanges, RpcError> {
        let journal = self.journal();
        let row = journal.with(|journal| journal.checkpoint_snapshot(&checkpoint.id))?.unwrap_or_default();
        let git = || Git::for_root(self.root(), self.environment().home.as_deref());
        let unread = RefCell::new(None);
        let records = |log: &str, number| match journal.with(|journal| journal.snapshot_record(log, number)) {
            Ok(record) => record,
            Err(error) => {
                unread.borrow_mut().get_or_insert(error);
                None
            }
        };
        let saved = SavedSnapshot::cached(&row, self.project().snapshots(), git())
            .or_else(|| SavedSnapshot::read(&row, &records, roots, git()));
        if let Some(error) = unread.take() {
            return Err(error.into());
        }
        let Some(saved) = saved else {
            let message = format!(
                "What the files were when checkpoint '{}' began can no longer be read",
                checkpoint.id
            );
            return Err(RpcError::new(ErrorKind::Io, message)
                .hint("drop it with `clada checkpoint drop`, and begin another one"));
        };
        // What the watch may have missed is part of the operation.
        let snapshot = saved.snapshot.surveyed(self.project().snapshots(), Care::EveryFile);
        let command_changes = snapshot.changes(roots, 0, None, &records, (None, PostImages::Stored));
        if let Some(error) = unread.take() {
            return Err(error.into());
        }
        match &command_changes.failed {
            None => Ok(command_changes),
            Some(why) => {
                let id = &checkpoint.id;
                let message =
                    format!("Checkpoint {id} is not ended, since the files cannot be compared: {why}");
                Err(RpcError::new(ErrorKind::Io, message)
                    .hint(format!("try again: `clada checkpoint end {id}`; it is still open")))
            }
        }
    }

    pub(super) fn result_of(
        &self,
        roots: &Roots,
        nets: &[Net],
        images: &Images,
    ) -> Result<ExecutionResult, RpcError> {
        let limit = self.settings()?.limits.max_file_size;
        let images_by_hash =
            images.iter().map(|(hash, content)| (blake3::Hash::from_bytes(*hash), content.clone()));
        let contents = InMemory { images: images_by_hash.collect(), roots, limit };
        let (files, more) = self.diffs(&contents, |diffs| diffs.files(nets))?;
        Ok(ExecutionResult {
            success: true,
            changed: files.clone(),
            changed_more: more,
            files: Some(files),
            ..ExecutionResult::default()
        })
    }

    pub(super) fn tell_recorded(&self, operation: &str, nets: &[Net]) {
        if operation.is_empty() || !self.project().events().has_subscribers() {
            return;
        }
        let files = nets.iter().filter_map(changed).take(MAX_FILES).collect();
        let (kind, operation_id) = (ProjectEventKind::Executed, Some(operation.to_owned()));
        self.project().events().publish(ProjectEvent {
            kind,
            operation_id,
            files,
            connection: self.context().connection(),
            ..ProjectEvent::default()
        });
    }

    fn tell_checkpoint(&self, id: &str, operation: Option<&str>) {
        if !self.project().events().has_subscribers() {
            return;
        }
        self.project().events().publish(ProjectEvent {
            kind: ProjectEventKind::Checkpoint,
            checkpoint: Some(id.to_owned()),
            operation_id: operation.map(str::to_owned),
            ..ProjectEvent::default()
        });
    }
}

fn named<'o>(all: &'o [OpenCheckpoint], name: &str) -> Result<&'o OpenCheckpoint, RpcError> {
    if let Some(named) = all.iter().find(|open| open.checkpoint.id == name) {
        return Ok(named);
    }
    let fits = |open: &&OpenCheckpoint| {
        open.description.name.as_deref() == Some(name)
            || name.len() >= SHORTEST && open.checkpoint.id.starts_with(name)
    };
    let mut fitting = all.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(named), None) => Ok(named),
        (Some(one), Some(other)) => {
            let name = clada_protocol::visible_line(name);
            let message = format!("checkpoint: '{name}' may be {} or {}", shown(one, all), shown(other, all));
            let hint = format!("name it by its id: {} or {}", short(one, all), short(other, all));
            Err(RpcError::new(ErrorKind::Ambiguous, message).hint(hint))
        }
        (None, _) => {
            let shown = clada_protocol::visible_line(name);
            let message = format!("There is no open checkpoint '{shown}' in this project");
            Err(RpcError::new(ErrorKind::OperationNotFound, message).hint(SEE_LIST))
        }
    }
}

const SEE_LIST: &str = "`clada checkpoint list` lists those that are open";

fn none_open(all: &[OpenCheckpoint], is_agent: bool) -> RpcError {
    let mut message = "There is no open checkpoint of this session in this project".to_owned();
    let open: Vec<String> = all.iter().take(NAMED).map(|open| shown(open, all)).collect();
    if !open.is_empty() {
        message.push_str(&format!("; open are {}", open.join(", ")));
    }
    let hint = match all.last() {
        Some(last) if !is_agent => format!("end one by its id: `clada checkpoint end {}`", short(last, all)),
        None if !is_agent => "begin one with `clada checkpoint begin`".to_owned(),
        _ => "begin one, and end that by the id that it was given".to_owned(),
    };
    RpcError::new(ErrorKind::OperationNotFound, message).hint(hint)
}

fn short<'o>(open: &'o OpenCheckpoint, all: &'o [OpenCheckpoint]) -> &'o str {
    clada_journal::shortest(&open.checkpoint.id, all.iter().map(|open| open.checkpoint.id.as_str()))
}

fn shown(open: &OpenCheckpoint, all: &[OpenCheckpoint]) -> String {
    let (id, owner) = (short(open, all), open.description.owner());
    match &open.description.name {
        Some(name) => format!("{id} '{}' ({owner})", clada_protocol::visible_line(name)),
        None => format!("{id} ({owner})"),
    }
}

pub(super) fn unplaced(message: String) -> OperationWarning {
    OperationWarning { task: None, message }
}
