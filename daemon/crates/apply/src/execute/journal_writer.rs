//! Records an operation in the journal: its changes before it makes them, and its results when it is over. It
//! makes the operation's commits, too.
//!
//! Knows the journal and one operation; the changes come from the change set, and the choice of the journal
//! from the engine.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;

use blake3::Hash;
use clada_command_changes::{LogAppend, Room, Spared, TreeSnapshot};
use clada_exec::Hold;
use clada_fs::{Identity, Roots, Timestamp};
use clada_journal::{
    Change, Committed, Completion, Compressed, Images, Journal, JournalPlace, Net, OperationDetails,
    OperationKind, OperationStatus, Outline, ProjectJournal, SnapshotRecords,
};
use clada_protocol::ErrorKind;
use clada_store::StoreError;

use crate::command::Commands;
use crate::execute::change_set::ChangeSet;
use crate::execute::commits::Commits;
use crate::failure::Failure;

// The tries to take a snapshot again because what it goes by is gone.
const TRIES: usize = 3;

/// The writer of one operation into the journal.
#[derive(Debug)]
pub struct JournalWriter {
    /// `None`: the user has said to do without.
    journal: Option<ProjectJournal>,
    operation: clada_journal::Operation,
    details: RefCell<OperationDetails>,
    commits: Option<Commits>,
    ended: RefCell<Option<ChangeSet>>,
    observer: Option<Box<dyn ChangeObserver>>,
    is_recorded: Cell<bool>,
    /// Set if a command's changes could not be recorded: what was recorded before is left to recovery.
    is_unsettled: Cell<bool>,
    /// Paths that commands changed and that no undo brings back, besides the changes.
    lost: RefCell<Vec<String>>,
    outline: RefCell<Outline>,
    /// The locks that a command has to hold until it has ended.
    hold: Hold,
    /// The reason why nothing may be recorded: the state that earlier operations left is not known.
    refused: Option<Failure>,
}

impl JournalWriter {
    /// Records `operation` in `journal`, with the details that it is reported and tried again from.
    #[must_use]
    pub fn new(
        journal: ProjectJournal,
        operation: clada_journal::Operation,
        details: OperationDetails,
    ) -> JournalWriter {
        let (ended, is_recorded) = (RefCell::new(None), Cell::new(false));
        let (commits, observer) = (None, None);
        let (is_unsettled, lost) = (Cell::new(false), RefCell::default());
        JournalWriter {
            journal: Some(journal),
            operation,
            details: RefCell::new(details),
            commits,
            ended,
            observer,
            is_recorded,
            is_unsettled,
            lost,
            outline: RefCell::default(),
            hold: Hold::default(),
            refused: None,
        }
    }

    /// Records nothing: for what changes nothing, and where the user wants so.
    #[must_use]
    pub fn nowhere() -> JournalWriter {
        let operation = clada_journal::Operation {
            id: String::new(),
            kind: OperationKind::Execute,
            began: 0,
            status: OperationStatus::Applying,
            summary: String::new(),
            undoes: None,
            undone_by: None,
            committed: None,
            outline: Outline::default(),
        };
        JournalWriter {
            journal: None,
            operation,
            details: RefCell::default(),
            commits: None,
            ended: RefCell::new(None),
            observer: None,
            is_recorded: Cell::new(false),
            is_unsettled: Cell::new(false),
            lost: RefCell::default(),
            outline: RefCell::default(),
            hold: Hold::default(),
            refused: None,
        }
    }

    /// The same, with commits.
    #[must_use]
    pub fn committing(self, commits: Option<Commits>) -> JournalWriter {
        let committed = if commits.is_none() { Some(Committed::Nowhere) } else { None };
        let operation = clada_journal::Operation { committed, ..self.operation };
        JournalWriter { commits, operation, ..self }
    }

    /// The same, with an observer of the changes as they are made.
    #[must_use]
    pub fn observed_by(self, observer: Option<Box<dyn ChangeObserver>>) -> JournalWriter {
        JournalWriter { observer, ..self }
    }

    /// The same, with what its commands hold until they have ended.
    #[must_use]
    pub fn holding(self, hold: Hold) -> JournalWriter {
        JournalWriter { hold, ..self }
    }

    /// The same, which refuses every change for this `error`: the operations before could not be recovered.
    #[must_use]
    pub fn unless(self, error: Option<&StoreError>) -> JournalWriter {
        JournalWriter { refused: error.map(not_recovered), ..self }
    }

    pub(crate) fn keep_request(&self, request: Compressed) {
        self.details.borrow_mut().request = Some(request);
    }

    fn may_record(&self) -> Result<(), Failure> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    pub(crate) fn hold(&self) -> &Hold {
        &self.hold
    }

    /// Records what `change_set` is about to change, and commits what of it is dirty.
    ///
    /// # Errors
    /// If that cannot be done: then nothing may be changed.
    pub(crate) fn begin(&self, change_set: &ChangeSet) -> Result<(), Failure> {
        self.record(change_set)?;
        self.commit_before(change_set).inspect_err(|_| {
            // An earlier part of the operation still holds.
            if let Some(ended) = self.ended.borrow_mut().as_mut().filter(|ended| !ended.is_empty()) {
                return ended.absorb(change_set.unmade());
            }
            // What stays of it is found out to have changed nothing.
            let discarded = self
                .journal
                .as_ref()
                .map(|journal| journal.with(|journal| journal.discard(&self.operation.id)));
            if let Some(Err(error)) = discarded {
                tracing::warn!(%error, "an operation that changed nothing stays in the record");
            }
        })
    }

    /// Records what a command has changed, which `change_set` says; returns why what came before it was not
    /// committed, if that is so.
    ///
    /// # Errors
    /// If it cannot be recorded: then nothing more may be changed, and recovery sees to it.
    pub(crate) fn begin_of_command(&self, change_set: &ChangeSet) -> Result<Option<Failure>, Failure> {
        let begun = self.record(change_set).or_else(|failure| match &self.journal {
            // Without it, undo would not know what is changed already.
            Some(journal) if failure.kind == ErrorKind::NoSpace => {
                journal.release_reserve();
                self.record(change_set)
            }
            _ => Err(failure),
        });
        begun.inspect_err(|_| self.is_unsettled.set(self.journal.is_some()))?;
        Ok(self.commit_before(change_set).err())
    }

    fn commit_before(&self, change_set: &ChangeSet) -> Result<(), Failure> {
        if let Some(observer) = &self.observer {
            change_set.changes().iter().for_each(|change| observer.will_change(&change.place));
        }
        let Some(commits) = self.commits.as_ref().filter(|_| !change_set.is_empty()) else { return Ok(()) };
        let done = |ended: &ChangeSet| ended.done().map(|change| change.place.clone()).collect();
        let earlier = self.ended.borrow().as_ref().map_or_else(HashSet::new, done);
        commits.begin(change_set, &earlier)
    }

    fn settled(&self) -> Result<(), Failure> {
        if !self.is_unsettled.get() {
            return Ok(());
        }
        let message = "Nothing was changed: the changes of the command before are not recorded yet (EIO)";
        Err(Failure::with_message(ErrorKind::Io, message.to_owned()).hint("free some space and try again"))
    }

    fn record(&self, change_set: &ChangeSet) -> Result<(), Failure> {
        self.settled()?;
        let Some(journal) = self.journal.as_ref().filter(|_| !change_set.is_empty()) else { return Ok(()) };
        self.may_record()?;
        self.make_durable(journal, || {
            journal.with(|journal| {
                journal.begin(
                    &self.operation,
                    change_set.changes(),
                    change_set.images(),
                    &self.details.borrow(),
                )
            })
        })
    }

    /// Surveys the project before the command of the action `seq`, which has to be over at `until`, and
    /// records the snapshot before the command runs.
    ///
    /// # Errors
    /// If that cannot be done: then it may not run.
    pub(crate) fn snapshot(
        &self,
        commands: &Commands,
        seq: usize,
        until: Timestamp,
        spared: &Spared,
        stopped: &dyn Fn() -> bool,
    ) -> Result<TreeSnapshot, Failure> {
        self.settled()?;
        let (roots, cache, now) = (&commands.open, &commands.snapshot_cache, commands.timestamp());
        let spared = Some(spared);
        let Some(journal) = &self.journal else {
            return Ok(TreeSnapshot::once(roots, commands.git(), spared, now, stopped));
        };
        self.may_record()?;
        for _ in 0..TRIES {
            let log = match journal.with(|journal| journal.snapshot_log()) {
                // It is set aside when this is recorded.
                Err(StoreError::Damaged { .. }) => None,
                log => log.map_err(|error| not_recorded(&error))?,
            };
            let room = (Room::COMMAND, spared);
            let new = TreeSnapshot::take(roots, commands.git(), cache, log.as_ref(), room, now, stopped);
            let ready = new.ready(seq, until, &format!("{}-{seq}", self.operation.id));
            let LogAppend { snapshot, after, records, name } = ready.append();
            let records = SnapshotRecords { name, after: after.as_ref(), records };
            let put = |journal: &mut Journal| {
                journal.put_snapshot(&self.operation, snapshot, records, &self.details.borrow())
            };
            if self.make_durable(journal, || journal.with(put))? {
                return Ok(ready.remember(cache));
            }
            // The journal was set aside in between.
            cache.forget();
        }
        let message = "Nothing was changed: another process writes to the record that undo needs (BUSY)";
        Err(Failure::with_message(ErrorKind::Busy, message.to_owned()).hint("try again when that is over"))
    }

    pub(crate) fn snapshot_record(&self, log: &str, number: u64) -> Option<Vec<u8>> {
        let read = self.journal.as_ref()?.with(|journal| journal.snapshot_record(log, number));
        // What it holds is reported as what cannot be brought back.
        read.inspect_err(|error| tracing::warn!(%error, number, "what was seen before a command is not read"))
            .ok()?
    }

    pub(crate) fn forget_snapshot(&self) {
        let Some(journal) = &self.journal else { return };
        if let Err(error) = journal.with(|journal| journal.forget_snapshot(&self.operation.id)) {
            tracing::warn!(%error, "what a command has found stays in the record");
        }
    }

    pub(crate) fn lost(&self, paths: Vec<String>) {
        self.lost.borrow_mut().extend(paths);
    }

    fn make_durable<T>(
        &self,
        journal: &ProjectJournal,
        begin: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        // The caller holds the lock of the root. A new journal is as good for what is to come.
        let begin = || journal.look_twice(&begin);
        let begun = match begin() {
            // What is kept back is kept back for this.
            Err(StoreError::Full { .. }) if self.operation.kind != OperationKind::Execute => {
                journal.release_reserve();
                begin()
            }
            begun => begun,
        };
        begun.inspect(|_| self.is_recorded.set(true)).map_err(|error| not_recorded(&error))
    }

    /// Notifies the observer of a change at `place`, with what is there right after.
    pub(crate) fn report_change(&self, place: impl FnOnce() -> JournalPlace, now: Option<Identity>) {
        if let Some(observer) = &self.observer {
            observer.changed(&place(), now);
        }
    }

    pub(crate) fn report_changes_of_command(&self, change_set: &ChangeSet) {
        for Change { place, .. } in change_set.changes() {
            self.report_change(|| place.clone(), Roots::identity_outside(&place.root.join(&place.relative)));
        }
    }

    pub(crate) fn command_begins(&self) {
        self.commits.iter().for_each(Commits::command_begins);
    }

    pub(crate) fn command_ended(&self) {
        self.commits.iter().for_each(Commits::command_ended);
    }

    /// Takes the changes of a part of the operation, as they were made, to be recorded when the results are
    /// known.
    pub(crate) fn ended(&self, change_set: ChangeSet) {
        self.finish_changes();
        let mut ended = self.ended.borrow_mut();
        match ended.as_mut() {
            Some(ended) => ended.absorb(change_set),
            None => *ended = Some(change_set),
        }
    }

    pub(crate) fn conclude(&self) {
        if let (Some(commits), Some(change_set)) = (&self.commits, self.ended.borrow().as_ref()) {
            commits.end(change_set, self.journal.as_ref().map(ProjectJournal::root));
        }
    }

    pub(crate) fn finish_changes(&self) {
        if let Some(observer) = &self.observer {
            observer.finished();
        }
    }

    /// Returns the net changes of the operation, by its places, as long as it is not over.
    #[must_use]
    pub fn nets(&self) -> Vec<Net> {
        self.ended
            .borrow()
            .as_ref()
            .map(|change_set| clada_journal::net(change_set.done()))
            .unwrap_or_default()
    }

    /// Returns the contents that the operation has in memory, by their hashes, as long as it is not over.
    #[must_use]
    pub fn contents(&self) -> HashMap<Hash, Arc<[u8]>> {
        self.ended.borrow().as_ref().map(ChangeSet::by_hash).unwrap_or_default()
    }

    /// Returns true if the operation has changed anything.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.ended.borrow().as_ref().is_some_and(|change_set| change_set.done().next().is_some())
    }

    /// Sets what lists are to show of the operation, before it is over.
    pub fn set_outline(&self, outline: Outline) {
        self.outline.replace(outline);
    }

    /// Returns why a part of the operation could not begin, if its commits are the reason.
    #[must_use]
    pub fn not_begun(&self) -> Option<String> {
        self.commits.as_ref()?.not_begun()
    }

    /// Returns its commits, if there were to be any.
    #[must_use]
    pub fn into_commits(self) -> Option<Commits> {
        self.commits
    }

    /// Records that the operation is over, with its `results` as JSON; `whole` if all of it was done.
    ///
    /// # Errors
    /// If that cannot be done. The next operation of the project then finds out what was done.
    pub fn finish(&self, results: Option<&[u8]>, whole: bool) -> Result<(), StoreError> {
        let Some(journal) = self.journal.as_ref().filter(|_| !self.is_unsettled.get()) else { return Ok(()) };
        let change_set = self.ended.borrow_mut().take();
        let change_set = change_set.filter(|change_set| change_set.done().next().is_some());
        let lost = self.lost.take();
        let (change_set, summary) = match change_set {
            Some(change_set) => {
                let summary = clada_journal::summary(change_set.done(), Some(journal.root()));
                (change_set, summary)
            }
            // A caller who wants the last operation undone means this one, too.
            None if self.is_recorded.get() && !lost.is_empty() => {
                let operation = clada_journal::Operation {
                    status: OperationStatus::Done,
                    summary: clada_journal::summary_of_lost(&lost),
                    committed: Some(Committed::Nowhere),
                    outline: self.outline.take(),
                    ..self.operation.clone()
                };
                let completion = Completion { lost: &lost, whole, ..Completion::default() };
                return journal
                    .with(|journal| journal.finish(&operation, &completion, &Images::default(), results));
            }
            None => {
                // Nothing was changed: what the journal has of it says nothing.
                return match self.is_recorded.get() {
                    true => journal.with(|journal| journal.discard(&self.operation.id)),
                    false => Ok(()),
                };
            }
        };
        let operation = clada_journal::Operation {
            status: OperationStatus::Done,
            summary,
            committed: self
                .commits
                .as_ref()
                .map_or(self.operation.committed, |commits| Some(commits.committed())),
            outline: self.outline.take(),
            ..self.operation.clone()
        };
        let completion =
            Completion { made_changes: change_set.all_made(), added: change_set.added(), lost: &lost, whole };
        journal.with(|journal| journal.finish(&operation, &completion, &change_set.left_behind(), results))
    }
}

fn not_recorded(error: &StoreError) -> Failure {
    refusal("the record that undo needs cannot be written", error)
}

fn not_recovered(error: &StoreError) -> Failure {
    refusal("the record does not say what operations before have left undone", error)
}

fn refusal(why: &str, error: &StoreError) -> Failure {
    let (kind, code) = match error {
        StoreError::Busy { .. } => (ErrorKind::Busy, "BUSY"),
        StoreError::Full { .. } => (ErrorKind::NoSpace, "ENOSPC"),
        _ => (ErrorKind::Io, "EIO"),
    };
    let message = format!("Nothing was changed: {why}: {error} ({code})");
    Failure::with_message(kind, message).hint(error.hint()).person("--no-undo changes files without a record")
}

/// An observer of an operation's changes as they are made.
pub trait ChangeObserver: Debug {
    /// The operation is about to change what is at `place`.
    fn will_change(&self, place: &JournalPlace);

    /// The operation has changed it, and `now` was there right after; `None`: nothing.
    fn changed(&self, place: &JournalPlace, now: Option<Identity>);

    /// The operation changes nothing more of what it was about to change.
    fn finished(&self);
}
