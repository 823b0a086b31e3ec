//! Puts an operation down: what it will change before it does, and what it did when it is over. So are its commits
//! made, if there are any.
//!
//! Knows the record and one operation; what the changes are the change set says, and which record it is the engine.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use clada_command_changes::{LogAppend, Spared, TreeSnapshot};
use clada_exec::Hold;
use clada_fs::{Identity, Roots, Timestamp};
use clada_journal::{
    Change, Committed, Images, Journal, JournalPlace, Made, Net, OperationDetails, OperationKind,
    OperationStatus, ProjectJournal, SnapshotRecords,
};
use clada_protocol::ErrorKind;
use clada_store::StoreError;

use crate::command::Commands;
use crate::execute::change_observer::ChangeObserver;
use crate::execute::change_set::ChangeSet;
use crate::execute::commits::Commits;
use crate::failure::Failure;

/// How often a snapshot is taken anew because what it goes by is gone.
const TRIES: usize = 3;

/// How one operation is put down.
#[derive(Debug)]
pub struct JournalWriter {
    /// `None`: a person has said to do without.
    journal: Option<ProjectJournal>,
    operation: clada_journal::Operation,
    details: OperationDetails,
    commits: Option<Commits>,
    ended: RefCell<Option<ChangeSet>>,
    observer: Option<Box<dyn ChangeObserver>>,
    /// The record has something of this operation.
    is_recorded: Cell<bool>,
    /// What a command changed could not be put down: what was put down before it is left to whoever recovers it.
    is_unsettled: Cell<bool>,
    /// What commands changed that no undo brings back, besides the changes.
    lost: RefCell<Vec<String>>,
    /// What a command has to hold until it has ended.
    hold: Hold,
    /// Why nothing may be recorded: what earlier operations left is not known.
    refused: Option<Failure>,
}

impl JournalWriter {
    /// Puts `operation` down in `journal`, with what it is told and tried again from.
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
            details,
            commits,
            ended,
            observer,
            is_recorded,
            is_unsettled,
            lost,
            hold: Hold::default(),
            refused: None,
        }
    }

    /// Puts nothing down: what changes nothing, and what a person wants so.
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
        };
        JournalWriter {
            journal: None,
            operation,
            details: OperationDetails::default(),
            commits: None,
            ended: RefCell::new(None),
            observer: None,
            is_recorded: Cell::new(false),
            is_unsettled: Cell::new(false),
            lost: RefCell::default(),
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

    /// The same, with somebody who is told of the changes as they are made.
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

    fn may_record(&self) -> Result<(), Failure> {
        self.refused.clone().map_or(Ok(()), Err)
    }

    /// What a command has to hold until it has ended.
    pub(crate) fn hold(&self) -> &Hold {
        &self.hold
    }

    /// Puts down what `change_set` is about to change, and commits what of it is dirty.
    ///
    /// # Errors
    /// If that cannot be done: then nothing may be changed.
    pub(crate) fn begin(&self, change_set: &ChangeSet) -> Result<(), Failure> {
        self.record(change_set)?;
        self.commit_before(change_set).inspect_err(|_| {
            // An earlier part of the operation stands.
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

    /// Puts down what a command has changed, which `change_set` says; why what came before it was not committed, if that is
    /// so.
    ///
    /// # Errors
    /// If it cannot be put down: then nothing more may be changed, and recovery sees to it.
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

    /// Tells of what is about to change, and commits what of it is dirty.
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
        let message = "Nothing is changed, since what the command before changed is not put down yet (EIO)";
        Err(Failure::said(ErrorKind::Io, message.to_owned()).hint("free some space and try again"))
    }

    fn record(&self, change_set: &ChangeSet) -> Result<(), Failure> {
        self.settled()?;
        let Some(journal) = self.journal.as_ref().filter(|_| !change_set.is_empty()) else { return Ok(()) };
        self.may_record()?;
        self.make_durable(journal, || {
            journal.with(|journal| {
                journal.begin(&self.operation, change_set.changes(), change_set.images(), &self.details)
            })
        })
    }

    /// Looks at what the command of the action `seq` finds, which has to be over at `until`, and puts it down before it
    /// runs.
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
                // It is set aside when this is put down.
                Err(StoreError::Damaged { .. }) => None,
                log => log.map_err(|error| not_recorded(&error))?,
            };
            let new = TreeSnapshot::take(roots, commands.git(), cache, log.as_ref(), spared, now, stopped);
            let ready = new.ready(seq, until, &format!("{}-{seq}", self.operation.id));
            let LogAppend { snapshot, after, records, name } = ready.append();
            let records = SnapshotRecords { name, after: after.as_ref(), records };
            let put = |journal: &mut Journal| {
                journal.put_snapshot(&self.operation, snapshot, records, &self.details)
            };
            if self.make_durable(journal, || journal.with(put))? {
                return Ok(ready.remember(cache));
            }
            // The record was put aside in between.
            cache.forget();
        }
        let message = "Nothing is changed, since somebody else writes to the record that undo needs (BUSY)";
        Err(Failure::said(ErrorKind::Busy, message.to_owned()).hint("try again when that is over"))
    }

    /// What was put down by [`JournalWriter::snapshot`], by its number.
    pub(crate) fn snapshot_record(&self, number: u64) -> Option<Vec<u8>> {
        let read = self.journal.as_ref()?.with(|journal| journal.snapshot_record(number));
        // What it holds is told as what cannot be brought back.
        read.inspect_err(|error| tracing::warn!(%error, number, "what was seen before a command is not read"))
            .ok()?
    }

    /// The command has changed nothing that is put down.
    pub(crate) fn forget_snapshot(&self) {
        let Some(journal) = &self.journal else { return };
        if let Err(error) = journal.with(|journal| journal.forget_snapshot(&self.operation.id)) {
            tracing::warn!(%error, "what a command has found stays in the record");
        }
    }

    /// A command has changed these paths, which no undo brings back.
    pub(crate) fn lost(&self, paths: Vec<String>) {
        self.lost.borrow_mut().extend(paths);
    }

    fn make_durable<T>(
        &self,
        journal: &ProjectJournal,
        begin: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        let begun = match begin() {
            // What is kept back is kept back for this.
            Err(StoreError::Full { .. }) if self.operation.kind != OperationKind::Execute => {
                journal.release_reserve();
                begin()
            }
            // The caller holds the lock of the root. A new record is as good for what is to come.
            Err(StoreError::Damaged { .. }) => journal.set_aside().and_then(|()| begin()),
            begun => begun,
        };
        begun.inspect(|_| self.is_recorded.set(true)).map_err(|error| not_recorded(&error))
    }

    /// A change was made at `place`, and this is there right after.
    pub(crate) fn report_change(&self, place: impl FnOnce() -> JournalPlace, now: Option<Identity>) {
        if let Some(observer) = &self.observer {
            observer.changed(&place(), now);
        }
    }

    /// A command has made the changes of `change_set` already.
    pub(crate) fn report_changes_of_command(&self, change_set: &ChangeSet) {
        for Change { place, .. } in change_set.changes() {
            self.report_change(|| place.clone(), Roots::identity_outside(&place.root.join(&place.relative)));
        }
    }

    /// A command is about to run that may change something, and commit that itself.
    pub(crate) fn command_begins(&self) {
        self.commits.iter().for_each(Commits::command_begins);
    }

    /// It is over, and what it changed is put down.
    pub(crate) fn command_ended(&self) {
        self.commits.iter().for_each(Commits::command_ended);
    }

    /// Takes what came of the changes of a part of the operation, to be put down when the results are known.
    pub(crate) fn ended(&self, change_set: ChangeSet) {
        self.finish_changes();
        let mut ended = self.ended.borrow_mut();
        match ended.as_mut() {
            Some(ended) => ended.absorb(change_set),
            None => *ended = Some(change_set),
        }
    }

    /// Commits what came of the operation.
    pub(crate) fn conclude(&self) {
        if let (Some(commits), Some(change_set)) = (&self.commits, self.ended.borrow().as_ref()) {
            commits.end(change_set);
        }
    }

    /// Nothing more is changed of what was put down.
    pub(crate) fn finish_changes(&self) {
        if let Some(observer) = &self.observer {
            observer.finished();
        }
    }

    /// What the operation has changed, by its places, as long as it is not over.
    #[must_use]
    pub fn nets(&self) -> Vec<Net> {
        self.ended
            .borrow()
            .as_ref()
            .map(|change_set| clada_journal::net(change_set.done()))
            .unwrap_or_default()
    }

    /// Whether the operation has changed anything.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.ended.borrow().as_ref().is_some_and(|change_set| change_set.done().next().is_some())
    }

    /// Its commits, if there were to be any.
    #[must_use]
    pub fn into_commits(self) -> Option<Commits> {
        self.commits
    }

    /// Puts down that the operation is over, with its `results` as JSON; `whole` if all of it was done.
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
                let summary = clada_journal::summary(change_set.done());
                (change_set, summary)
            }
            // Whoever wants the last operation undone means this one, too.
            None if self.is_recorded.get() && !lost.is_empty() => {
                let operation = clada_journal::Operation {
                    status: OperationStatus::Done,
                    summary: clada_journal::summary_of_lost(&lost),
                    committed: Some(Committed::Nowhere),
                    ..self.operation.clone()
                };
                let made = Made { lost: &lost, whole, ..Made::default() };
                return journal
                    .with(|journal| journal.finish(&operation, &made, &Images::default(), results));
            }
            None => {
                // Nothing was changed: what stands in the record says nothing.
                return match self.is_recorded.get() {
                    true => journal.with(|journal| journal.discard(&self.operation.id)),
                    false => Ok(()),
                };
            }
        };
        let operation = clada_journal::Operation {
            status: OperationStatus::Done,
            summary,
            committed: self.commits.as_ref().map_or(self.operation.committed, |commits| Some(commits.made())),
            ..self.operation.clone()
        };
        let made = Made { made: change_set.all_made(), added: change_set.added(), lost: &lost, whole };
        journal.with(|journal| journal.finish(&operation, &made, &change_set.left_behind(), results))
    }
}

/// Why nothing is changed.
fn not_recorded(error: &StoreError) -> Failure {
    refusal("the record that undo needs cannot be written", error)
}

/// Why nothing is changed on top of what nobody knows.
fn not_recovered(error: &StoreError) -> Failure {
    refusal("the record does not say what operations before have left undone", error)
}

fn refusal(why: &str, error: &StoreError) -> Failure {
    let (kind, code) = match error {
        StoreError::Busy { .. } => (ErrorKind::Busy, "BUSY"),
        StoreError::Full { .. } => (ErrorKind::NoSpace, "ENOSPC"),
        _ => (ErrorKind::Io, "EIO"),
    };
    let message = format!("Nothing is changed, since {why}: {error} ({code})");
    Failure::said(kind, message).hint(error.hint()).person("--no-undo changes files without a record")
}
