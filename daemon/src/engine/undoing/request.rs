//! One request to undo an operation: planned, applied, reported.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use blake3::Hash;
use clada_apply::{
    Approvals, Commits, Contents, Executed, Later, Now, Operation, Otherwise, Overwritten, Reason, Refusal,
    Reverse, Rules, Undoes, nothing_left, operation_info, overwritten_contents, plan_undo, remaining_nets,
    reserve_files, resolve_place, reversed_changes, survey_places, survey_with_rights, undo_effects,
};
use clada_config::Settings;
use clada_fs::Roots;
use clada_git::GitError;
use clada_journal::{
    Change, Committed, Completion, GivenRight, Images, JournalPlace, Net, OperationDetails, OperationKind,
    OperationStatus, Outline, ProjectJournal,
};
use clada_protocol::{DryRun, ErrorKind, GitReport, OperationInfo, RpcError, UndoParams, UndoResult};
use clada_store::StoreError;

use crate::engine::ProjectRequest;
use crate::engine::committing::{CommitOptions, not_committed};
use crate::engine::recording::{HeldProject, finish};
use crate::engine::shown::{short_ids, shown_id};

const NAMED: usize = 5;

pub(super) struct Undoing<'a> {
    pub(super) request: &'a ProjectRequest,
    pub(super) settings: &'a Arc<Settings>,
    pub(super) roots: &'a Roots,
    pub(super) others: &'a [PathBuf],
    pub(super) journal: &'a ProjectJournal,
    pub(super) params: &'a UndoParams,
}

impl Undoing<'_> {
    /// `held` is `None` for a dry run.
    pub(super) fn run(
        &self,
        chosen: &Chosen,
        held: Option<&HeldProject>,
        mut warnings: Vec<String>,
    ) -> Result<UndoResult, RpcError> {
        let (now, mut reverse) = self.plan(chosen, held)?;
        if reverse.steps.is_empty() && !chosen.lost.is_empty() && !self.params.force {
            return Err(nothing_left(
                &chosen.operation.id,
                &|id| shown_id(self.journal, id),
                &chosen.lost,
                chosen.earlier.as_deref(),
            ));
        }
        let id = self.request.engine.next_id();
        let Overwritten { contents, unkept } = self.overwritten(&now, &reverse);
        let (reserved, lost_warning) = self.reserved(&chosen.operation.id, id.as_str(), held, unkept)?;
        warnings.extend(remarks(chosen, &reverse));
        warnings.extend(lost_warning);
        warnings.extend(self.request.remarks_of_record(self.journal, &chosen.operation));
        let undone = operation_info(&chosen.operation);
        let mut result = UndoResult {
            success: true,
            short_ids: short_ids(self.journal, named_in(&undone)),
            undone,
            warnings,
            ..UndoResult::default()
        };
        let Some(held) = held else {
            let sources = self.sources();
            let diff = self.request.diffs(&sources, |diffs| diffs.of_reverse(&reverse, &now))?;
            result.changes = reversed_changes(&reverse, &[]);
            result.dry_run = Some(DryRun { diff });
            return Ok(result);
        };
        result.operation_id = id;
        result.short_ids.extend(short_ids(self.journal, [result.operation_id.as_str()]));
        // Without steps the files are as before already; the journal and the commits still have to know of
        // the undo.
        if reverse.steps.is_empty() && chosen.is_part {
            result.operation_id.clear();
            return Ok(result);
        }
        if reverse.steps.is_empty() {
            let (git, failure) = self.note_undone(&result.operation_id, chosen)?;
            (result.git, result.fatal_error) = (git, failure.as_ref().map(not_committed));
            result.success = failure.is_none();
            return Ok(result);
        }
        reserve_files(&mut reverse, &reserved);
        let UndoOutcome { done, git, failure } =
            self.carry_out(chosen, &reverse, &contents, held, &result.operation_id)?;
        result.success = failure.is_none() && done.results.iter().all(|one| one.success);
        (result.git, result.fatal_error) = (git, failure);
        result.changes = reversed_changes(&reverse, &done.results);
        result.warnings.extend(done.warnings);
        result.warnings.extend(self.journal.take_warnings());
        Ok(result)
    }

    fn later(&self) -> Later {
        match (self.params.merge, self.params.force) {
            (true, _) => Later::Merge,
            (_, true) => Later::Force,
            _ => Later::Refuse,
        }
    }

    fn plan(&self, chosen: &Chosen, held: Option<&HeldProject>) -> Result<(Now, Reverse), RpcError> {
        let later = self.later();
        let places: Vec<Net> = chosen.nets.iter().chain(&chosen.continued).cloned().collect();
        let limit = self.settings.limits.planned_bytes;
        let now = match held {
            Some(_) => {
                let note = |rights: &[GivenRight]| self.journal.note_rights(rights);
                survey_with_rights(self.roots, &places, limit, &note)?
            }
            // A dry run changes nothing, no mode either.
            None => survey_places(self.roots, &places, limit),
        };
        let nets = remaining_nets(&chosen.nets, &chosen.continued, &now);
        let id = &chosen.operation.id;
        // An interrupted undo may have left something at its own spare names.
        let spare = match chosen.attempts {
            0 => format!(".clada-undo-{id}"),
            attempts => format!(".clada-undo-{id}-again{attempts}"),
        };
        let sources = self.sources();
        match plan_undo(&nets, &now, later, &sources, &spare) {
            Ok(reverse) => Ok((now, reverse)),
            Err(refusal) => Err(match sources.unread.take() {
                // A journal that cannot be read may still keep it.
                Some(error) => error.into(),
                None => {
                    let refusal = self.with_later_operations(refusal, chosen)?;
                    refusal.into_error(id, &shown_id(self.journal, id))
                }
            }),
        }
    }

    fn overwritten(&self, now: &Now, reverse: &Reverse) -> Overwritten {
        let is_kept = |hash: &Hash| {
            self.journal.if_exists(|journal| journal.has_image(hash)).ok().flatten() == Some(true)
        };
        let room = self.settings.limits.planned_bytes;
        overwritten_contents(&reverse.steps, now, self.roots, &is_kept, room)
    }

    fn sources(&self) -> Sources<'_> {
        let limit = self.settings.limits.max_file_size;
        Sources { journal: self.journal, roots: Some(self.roots), limit, unread: RefCell::default() }
    }

    fn with_later_operations(&self, mut refusal: Refusal, chosen: &Chosen) -> Result<Refusal, StoreError> {
        let changed =
            |reason: &Reason| matches!(reason, Reason::Changed | Reason::Missing | Reason::InTheWay);
        let id = &chosen.operation.id;
        let by = self.journal.if_exists(|journal| {
            let mut by: HashMap<JournalPlace, (usize, String)> = HashMap::new();
            let operations = journal.list(usize::MAX)?;
            let stands =
                |one: &&clada_journal::Operation| one.undone_by.is_none() && one.kind != OperationKind::Undo;
            let later = operations.iter().take_while(|one| one.id != *id);
            // Whatever brought the chosen one back left what that had made.
            let undid_it =
                |undo: &str| operations.iter().any(|one| one.id == undo && one.undoes.as_ref() == Some(id));
            let brought_it_back = |one: &clada_journal::Operation| {
                one.kind == OperationKind::Redo && one.undoes.as_deref().is_some_and(undid_it)
            };
            let later: Vec<_> = later.filter(stands).filter(|one| !brought_it_back(one)).collect();
            // The newest wins.
            for (age, operation) in later.into_iter().enumerate().rev() {
                for (change, was_made) in journal.changes(&operation.id)? {
                    if was_made == Some(true) {
                        by.insert(change.place, (age, operation.id.clone()));
                    }
                }
            }
            Ok(by)
        })?;
        for conflict in refusal.conflicts.iter_mut().filter(|conflict| changed(&conflict.reason)) {
            if let Some((age, operation)) = by.as_ref().and_then(|by| by.get(&conflict.place)) {
                conflict.reason =
                    Reason::ChangedBy { operation: shown_id(self.journal, operation), age: *age };
            }
        }
        Ok(refusal)
    }

    /// Carries out the undo. Nothing stops it once it has begun: half an undo is of no use.
    fn carry_out(
        &self,
        chosen: &Chosen,
        reverse: &Reverse,
        overwritten: &HashMap<Hash, Arc<[u8]>>,
        held: &HeldProject,
        id: &str,
    ) -> Result<UndoOutcome, RpcError> {
        let roots = self.roots_with_reserve(reverse)?;
        let roots = roots.as_ref().unwrap_or(self.roots);
        let effects = undo_effects(&reverse.steps, roots, overwritten)?;
        let kind = kind(&chosen.operation);
        let undoes = Some(chosen.operation.id.clone());
        let details = OperationDetails {
            request: Some(clada_journal::Compressed::json(&self.later())),
            ..OperationDetails::default()
        };
        let journal_writer = self.request.journal_writer(held, id, kind, undoes, details);
        let (commit_options, taken_back) = self.commissioned(chosen);
        let committing = self.request.committing(commit_options, id, Some(taken_back))?;
        let (journal_writer, no_commits) = committing.with(journal_writer);
        let journal_writer = journal_writer.observed_by(self.request.change_observer());
        let (approvals, rules) = (Approvals::default(), Rules::from_settings(self.settings));
        tracing::info!(operation = %id, undoes = %chosen.operation.id, "undo begins");
        let operation = Operation {
            id: id.to_owned(),
            roots,
            rules: &rules,
            approvals: &approvals,
            journal_writer: &journal_writer,
            applied: &HashMap::new(),
            stop: &|| None,
            notify: &|_| {},
            acting: &|_| {},
        };
        let mut done = operation.carry_out(effects);
        let whole = done.results.iter().all(|result| result.success);
        self.request.set_outline(&journal_writer, roots, None)?;
        let has_changed = journal_writer.has_changed();
        // The event needs the journal writer, which `committed` takes, and subscribers must not see it before
        // the commit.
        let outcome = self.request.outcome(&journal_writer, kind, id, Some(&chosen.operation.id));
        self.request.note_end(id, None, &journal_writer);
        done.warnings.extend(finish(&journal_writer, Some(&done.results), whole && !chosen.is_part));
        let no_commits = no_commits.filter(|_| has_changed);
        let (git, failure) = self.request.committed(journal_writer, no_commits);
        tracing::info!(operation = %id, success = whole, "undo ends");
        self.request.operated(outcome);
        if !whole && !has_changed {
            return Err(nothing_done(
                &done,
                &chosen.operation.id,
                &shown_id(self.journal, &chosen.operation.id),
            ));
        }
        Ok(UndoOutcome { done, git, failure: failure.as_ref().map(not_committed) })
    }

    fn commissioned(&self, chosen: &Chosen) -> (CommitOptions<'static>, Undoes) {
        let Chosen { operation, brought_back_by, .. } = chosen;
        let mut undoes = Undoes {
            operation: operation.id.clone(),
            title: title(operation),
            brought_back_by: brought_back_by.as_ref().map(|redo| redo.id.clone()),
            otherwise: Otherwise::Commit,
            is_part: chosen.is_part,
        };
        if self.params.git.is_some() {
            return (CommitOptions::to(self.params.git), undoes);
        }
        let mut last = brought_back_by.as_ref().unwrap_or(operation);
        // It began and ended without commits, or its progress with them is unknown: existing ones go.
        if last.committed == Some(Committed::Nowhere) && operation.committed == Some(Committed::Branch) {
            (last, undoes.otherwise) = (operation, Otherwise::Leave);
        } else if last.committed.is_none() && last.status == OperationStatus::Interrupted {
            undoes.otherwise = Otherwise::Leave;
        }
        (CommitOptions::as_before(last, self.settings), undoes)
    }

    /// Notes that the operation is undone where everything is as it was before already: at most commits
    /// remain to undo.
    fn note_undone(
        &self,
        id: &str,
        chosen: &Chosen,
    ) -> Result<(Option<GitReport>, Option<GitError>), RpcError> {
        let undone = &chosen.operation;
        let (commit_options, undoes) = self.commissioned(chosen);
        let undoes = Undoes { otherwise: Otherwise::Leave, ..undoes };
        let committing = self.request.committing(commit_options, id, Some(undoes))?;
        let commits = committing.into_commits().inspect(|commits| commits.take_back(&[]));
        let committed = commits.as_ref().map_or(Committed::Nowhere, Commits::committed);
        let committed_report = commits.map(|commits| self.request.told_of(commits)).unwrap_or_default();
        let now = self.request.environment().since_epoch();
        let operation = clada_journal::Operation {
            id: id.to_owned(),
            kind: kind(undone),
            began: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
            status: OperationStatus::Done,
            summary: clada_journal::summary(std::iter::empty::<&Change>(), None),
            undoes: Some(undone.id.clone()),
            undone_by: None,
            committed: Some(committed),
            outline: Outline::default(),
        };
        let completion = Completion { whole: true, ..Completion::default() };
        self.journal.with(|journal| journal.finish(&operation, &completion, &Images::default(), None))?;
        Ok(committed_report)
    }
}

struct UndoOutcome {
    done: Executed,
    git: Option<GitReport>,
    failure: Option<String>,
}

pub(in crate::engine) fn kind(undone: &clada_journal::Operation) -> OperationKind {
    if undone.kind == OperationKind::Undo { OperationKind::Redo } else { OperationKind::Undo }
}

fn title(undone: &clada_journal::Operation) -> String {
    // Undoing an undo is a redo of what it undid.
    let named = undone.undoes.as_ref().filter(|_| undone.kind == OperationKind::Undo);
    format!("{} {}", kind(undone).word(), named.unwrap_or(&undone.id))
}

fn nothing_done(done: &Executed, operation: &str, shown: &str) -> RpcError {
    let first = done.results.iter().find(|result| !result.success);
    let kind = first.and_then(|result| result.kind).unwrap_or(ErrorKind::Io);
    let why = first.and_then(|result| result.error.as_deref()).unwrap_or("no reason was given");
    let why = why.strip_prefix("restore: ").unwrap_or(why);
    let message = format!("Cannot undo {shown}: {why}. Nothing was modified.");
    let error = RpcError::new(kind, message).with("operationId", operation);
    match first.and_then(|result| result.hint.clone()) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn remarks(chosen: &Chosen, reverse: &Reverse) -> Vec<String> {
    let shown = |place: &JournalPlace| place.root.join(&place.relative).display().to_string();
    let unknown = chosen.unknown.iter().map(|place| {
        format!("'{}' is left alone: when the operation was interrupted, it was something else", shown(place))
    });
    let stay = reverse.stay.iter().map(|place| {
        format!("'{}' stays: it contains files that the operation did not create", shown(place))
    });
    let lost = reverse.lost.iter().map(|conflict| {
        format!("'{}' {}: it is left alone", shown(&conflict.place), conflict.reason.words())
    });
    let beyond = chosen.lost.iter().take(NAMED);
    let beyond = beyond.map(|path| format!("'{path}' is left as it is: its earlier content is not recorded"));
    let more = chosen.lost.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| match more {
        1 => "1 more path is left as it is: its earlier content is not recorded".to_owned(),
        _ => format!("{more} more paths are left as they are: their earlier content is not recorded"),
    });
    unknown.chain(stay).chain(lost).chain(beyond).chain(more).collect()
}

pub(super) struct Chosen {
    pub(super) operation: clada_journal::Operation,
    pub(super) brought_back_by: Option<clada_journal::Operation>,
    pub(super) nets: Vec<Net>,
    pub(super) continued: Vec<Net>,
    pub(super) attempts: usize,
    pub(super) unknown: Vec<JournalPlace>,
    pub(super) lost: Vec<String>,
    /// The operation that `undo` would choose if there were not this one.
    pub(super) earlier: Option<String>,
    /// True if only some of its places are meant: the rest can still be undone.
    pub(super) is_part: bool,
}

pub(super) struct Sources<'a> {
    pub(super) journal: &'a ProjectJournal,
    pub(super) roots: Option<&'a Roots>,
    pub(super) limit: u64,
    /// The error of reading a part of the journal, which differs from a part that is not kept.
    pub(super) unread: RefCell<Option<StoreError>>,
}

impl Contents for Sources<'_> {
    fn saved_content(&self, hash: &Hash) -> Option<Arc<[u8]>> {
        match self.journal.if_exists(|journal| journal.image(hash)) {
            Ok(image) => image.flatten(),
            Err(error) => {
                self.unread.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    fn current(&self, place: &JournalPlace) -> Option<Arc<[u8]>> {
        let roots = self.roots?;
        let path = resolve_place(roots, place).ok()?;
        roots.read(&path, self.limit).ok().map(|content| content.bytes.into())
    }
}

pub(super) fn named_in(operation: &OperationInfo) -> impl Iterator<Item = &str> {
    [Some(&operation.operation_id), operation.undoes.as_ref(), operation.undone_by.as_ref()]
        .into_iter()
        .flatten()
        .map(String::as_str)
}
