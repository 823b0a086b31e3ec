//! One stage run, from the request to the folder that is handed over.
//!
//! The order of durable steps: the folder is recorded before it is made; the index, the folder's completeness
//! and its contents are recorded together, after it is complete; the baseline moves when the caller has
//! confirmed. If a run is cut off before that, the next stage hands over at least the same files, and removes
//! the remains of this one.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clada_config::ManifestFormat;
use clada_store::{Durable, Store};

use super::collect::{Care, CollectContext, Collected, ObservedFiles, Scope, Sink, collect};
use super::error::StageError;
use super::file_index::FileIndex;
use super::filling::{Filling, NullSink, ReadyFolder};
use super::folder::{CompleteFolder, FileMark, Plan, Record, StageFolder};
use super::folder_table::{self, CompleteRow, FolderRow, FolderState};
use super::ignore::StageIgnore;
use super::manifest;
use super::reader::StageReader;
use super::remove::{Effort, Removed};

/// The request of a stage run.
#[derive(Debug, Clone)]
pub struct StageRequest<'a> {
    /// The baseline; empty if the caller names none.
    pub baseline: &'a str,
    /// The scope: the changes, or everything.
    pub scope: Scope,
    /// True if every file is read, also those without a change event.
    pub verify: bool,
    /// True if the earlier states of deleted files are to be dropped.
    pub flush: bool,
    /// True if the run only reports what would be staged.
    pub dry_run: bool,
    /// The format of the manifest.
    pub format: ManifestFormat,
    /// True if the caller will confirm that it has the folder.
    pub confirms: bool,
}

/// The state of the project at some moment.
#[derive(Debug)]
pub struct Observed {
    /// The clock of the moment.
    pub clock: String,
    /// The files or changes.
    pub index: ObservedFiles,
}

/// The outcome of a stage run.
#[derive(Debug)]
pub struct StageOutcome {
    /// The files.
    pub collected: Collected,
    /// The number of files in the manifest.
    pub eligible: u64,
    /// The folder and its manifest, if one was made.
    pub folder: Option<Last>,
    /// Messages for the user.
    pub warnings: Vec<String>,
    /// The lock on the folder: as long as it lives, the folder stays, whatever is handed over to others.
    pub lease: Option<OwnedFd>,
}

/// An existing staging folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// The path.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: PathBuf,
}

/// A stage run of a project.
#[derive(Debug)]
pub struct StageRun<'a> {
    /// The record of what was staged. No other run of this project has it.
    pub store: &'a mut Store,
    /// The root, as resolved.
    pub root: &'a Path,
    /// The folder for staging folders.
    pub within: &'a Path,
    /// The wall-clock time.
    pub now: SystemTime,
    /// True if there is more to delete than a caller should wait for; see `gc`.
    pub is_left: bool,
}

/// The rules by which files are read.
pub struct Rules<'a> {
    /// The place of the files, and the rules for reading them.
    pub reader: &'a StageReader<'a>,
    /// The rules about files that are left out.
    pub ignore: &'a StageIgnore,
    /// A fingerprint of all of these rules.
    pub fingerprint: &'a [u8],
    /// Returns true to end the run early.
    pub stop: &'a dyn Fn() -> bool,
}

/// Returns the state of the project: the changes since a moment, or everything if there is none or it is too
/// long ago.
pub type Observe<'a> = &'a mut dyn FnMut(Option<&str>) -> Result<Observed, StageError>;

impl StageRun<'_> {
    /// Stages the files of the request.
    ///
    /// # Errors
    /// If it cannot be done. The next stage then has the same to do.
    pub fn stage(
        &mut self,
        request: &StageRequest<'_>,
        rules: &Rules<'_>,
        observe: Observe<'_>,
    ) -> Result<StageOutcome, StageError> {
        if request.dry_run {
            return self.try_out(request, rules, observe);
        }
        let Some((mut outcome, record)) = self.make(request, rules, observe, FolderState::Complete)? else {
            return Err(StageError::Stopped);
        };
        if request.confirms {
            outcome.warnings = self.previous(request.baseline)?;
            let folder_row = folder_table::at(self.store.connection(), &record.folder)?;
            outcome.lease = folder_row.and_then(|folder_row| folder_row.record.hold());
        } else {
            outcome.warnings = self.confirm(&record.folder)?;
        }
        outcome.folder = Some(record);
        Ok(outcome)
    }

    /// Prepares the changes for the next stage of a baseline. Returns the number of files; `None` if nothing
    /// has changed since the last preparation, or nothing was handed over yet.
    ///
    /// # Errors
    /// As for [`StageRun::stage`].
    pub fn prepare(
        &mut self,
        request: &StageRequest<'_>,
        rules: &Rules<'_>,
        observe: Observe<'_>,
    ) -> Result<Option<usize>, StageError> {
        if folder_table::newest(self.store.connection(), request.baseline, FolderState::Handed)?.is_none() {
            return Ok(None);
        }
        let before = folder_table::newest(self.store.connection(), request.baseline, FolderState::Ready)?;
        let filled = self.make(request, rules, observe, FolderState::Ready)?;
        if let (Some(_), Some(before)) = (&filled, before) {
            self.remove(vec![before])?;
        }
        Ok(filled.map(|(outcome, _)| outcome.collected.copied.len()))
    }

    fn make(
        &mut self,
        request: &StageRequest<'_>,
        rules: &Rules<'_>,
        observe: Observe<'_>,
        state: FolderState,
    ) -> Result<Option<(StageOutcome, Last)>, StageError> {
        let ready = folder_table::newest(self.store.connection(), request.baseline, FolderState::Ready)?;
        let mut plan = Plan::new(self.within, self.root, self.now)?;
        // A folder in an earlier `stage.dir` is not where the caller looks for it.
        let is_here = |one: &FolderRow| one.record.path.parent() == plan.path.parent();
        let ready =
            ready.filter(|one| request.scope == Scope::Changed && is_here(one)).and_then(ReadyFolder::open);
        if let Some(ready) = &ready {
            // A file may be in both.
            plan.mtime_marker = ready.row.record.mtime_marker;
        }
        let id = self.begin(request.baseline, &plan)?;
        let filled = self.fill((id, state), Filling::new(&plan, ready), &plan, request, rules, observe);
        if filled.is_err() {
            let record = Record {
                path: plan.path,
                token: plan.token,
                mtime_marker: plan.mtime_marker,
                completed: None,
            };
            // The next run deletes what stays.
            self.is_left |= record.remove(Effort::Small) == Removed::Unfinished;
        }
        filled
    }

    /// Returns the number of files that are staged when everything is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn eligible(&self) -> Result<u64, StageError> {
        let query = self.store.connection().query_row("SELECT eligible FROM catalog", [], |row| row.get(0));
        Ok(query.map(|count: i64| count.unsigned_abs())?)
    }

    fn begin(&mut self, baseline: &str, plan: &Plan) -> Result<i64, StageError> {
        let leftovers = folder_table::leftovers(self.store.connection())?;
        if !leftovers.is_empty() {
            self.remove(leftovers)?.iter().for_each(|message| tracing::info!("{message}"));
        }
        self.store
            .write_or(Durable::Soon, |transaction| Ok(folder_table::begin(transaction, baseline, plan)?))
    }

    fn fill(
        &mut self,
        (id, state): (i64, FolderState),
        mut filling: Filling<'_>,
        plan: &Plan,
        request: &StageRequest<'_>,
        rules: &Rules<'_>,
        observe: Observe<'_>,
    ) -> Result<Option<(StageOutcome, Last)>, StageError> {
        let (root, name) = (self.root, manifest::file_name(request.format));
        self.store.write_or(Durable::Soon, |transaction| {
            let mut file_index = FileIndex::open(transaction)?;
            let collected = bring_up(&mut file_index, request, rules, observe, &mut filling)?;
            let (version, names) = (file_index.head.version, file_index.head.names);
            let eligible = file_index.head.eligible.unsigned_abs();
            let outcome =
                StageOutcome { collected, eligible, folder: None, warnings: Vec::new(), lease: None };
            // Nothing has changed since the folder was made ready, so it is handed over as it is, in a
            // moment.
            let is_whole = |ready: &&ReadyFolder| ready.row.version == version && ready.has_manifest(&name);
            if let Some(ready) = filling.ready().filter(is_whole).filter(|_| !filling.is_begun()) {
                if state == FolderState::Ready {
                    folder_table::forget(transaction, id)?;
                    return Ok(None);
                }
                folder_table::stand_in(transaction, id, ready.row.id)?;
                folder_table::set(transaction, id, state)?;
                let folder = ready.row.record.path.clone();
                return Ok(Some((outcome, Last { manifest: folder.join(&name), folder })));
            }
            let folder = filling.take()?;
            let removed = names_gone(&file_index, &outcome.collected)?;
            // A manifest that also lists removed files is not linked into later folders.
            let names = removed.is_empty().then_some(names);
            let linked = match names {
                Some(names) => linked_manifest(transaction, &folder, &name, names)?,
                None => None,
            };
            let mark = match linked {
                Some(mark) => mark,
                None => folder.write(&name, |out| {
                    file_index.staged(|entries| manifest::write(out, request.format, root, entries, &removed))
                })?,
            };
            let complete: CompleteFolder = folder.finish(mark)?;
            let row = CompleteRow { id, state, manifest: &name, version, names };
            folder_table::complete(transaction, &complete, &row)?;
            let folder = plan.path.clone();
            Ok(Some((outcome, Last { manifest: folder.join(&name), folder })))
        })
    }

    fn try_out(
        &mut self,
        request: &StageRequest<'_>,
        rules: &Rules<'_>,
        observe: Observe<'_>,
    ) -> Result<StageOutcome, StageError> {
        let mut outcome = None;
        let tried = self.store.write_or(Durable::Soon, |transaction| {
            let mut file_index = FileIndex::open(transaction)?;
            let collected = bring_up(&mut file_index, request, rules, observe, &mut NullSink)?;
            let eligible = file_index.head.eligible.unsigned_abs();
            outcome =
                Some(StageOutcome { collected, eligible, folder: None, warnings: Vec::new(), lease: None });
            // The transaction is rolled back, so that nothing stays.
            Err::<(), _>(StageError::Stopped)
        });
        match (outcome, tried) {
            (Some(outcome), _) => Ok(outcome),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(StageError::Stopped),
        }
    }
}

fn bring_up(
    file_index: &mut FileIndex<'_>,
    request: &StageRequest<'_>,
    rules: &Rules<'_>,
    observe: Observe<'_>,
    sink: &mut dyn Sink,
) -> Result<Collected, StageError> {
    let same_rules = file_index.head.fingerprint.as_deref() == Some(rules.fingerprint);
    let care = match (request.verify, same_rules) {
        (true, _) => Care::EveryFile,
        (_, false) => Care::Rules,
        _ => Care::Trust,
    };
    let since = file_index.head.clock.clone().filter(|_| care == Care::Trust);
    let Observed { clock, index } = observe(since.as_deref())?;
    let Rules { reader, ignore, fingerprint, stop } = *rules;
    let (baseline, scope) = (request.baseline, request.scope);
    let context = CollectContext { reader, ignore, stop, sink, baseline, scope };
    let collected = collect(file_index, context, index, care)?;
    file_index.close(&clock, fingerprint)?;
    if request.flush {
        file_index.forget_gone()?;
    }
    Ok(collected)
}

fn names_gone(file_index: &FileIndex<'_>, collected: &Collected) -> Result<Vec<String>, StageError> {
    let mut names = Vec::new();
    for removed_file in &collected.removed {
        if file_index.path_of(&removed_file.name)?.is_none() {
            names.push(removed_file.name.clone());
        }
    }
    Ok(names)
}

fn linked_manifest(
    transaction: &rusqlite::Connection,
    folder: &StageFolder,
    name: &str,
    names: i64,
) -> Result<Option<FileMark>, StageError> {
    let mut earlier = folder_table::all(transaction, FolderState::Complete)?;
    earlier.extend(folder_table::all(transaction, FolderState::Handed)?);
    earlier.extend(folder_table::all(transaction, FolderState::Ready)?);
    let linked = earlier.into_iter().filter(|one| one.names == Some(names)).find_map(|one| {
        let (_, own, mark) = one.record.completed.as_ref()?;
        (own == name && folder.link(&one.record, name, mark)).then_some(*mark)
    });
    Ok(linked)
}
