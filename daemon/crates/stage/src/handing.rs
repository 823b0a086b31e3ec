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

use super::catalog::Catalog;
use super::error::StageError;
use super::filling::{Filling, Nowhere, Ready};
use super::folder::{FileMark, Folder, Made, Plan};
use super::ignore::StageIgnore;
use super::manifest;
use super::remove::{Effort, Record, Removed};
use super::shelf::{self, Shelved, State};
use super::sight::Looking;
use super::taking::{Care, Index, Means, Scope, Sink, Taken, take};

/// The request of a stage run.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
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
pub struct Seen {
    /// The clock of the moment.
    pub clock: String,
    /// The files or changes.
    pub index: Index,
}

/// The outcome of a stage run.
#[derive(Debug)]
pub struct Handed {
    /// The files.
    pub taken: Taken,
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
pub struct Session<'a> {
    /// The record of what was staged. No other run of this project has it.
    pub store: &'a mut Store,
    /// The root, as resolved.
    pub root: &'a Path,
    /// The folder for staging folders.
    pub within: &'a Path,
    /// The wall-clock time.
    pub now: SystemTime,
    /// True if there is more to delete than a caller should wait for; see [`super::sweep`].
    pub is_left: bool,
}

/// The rules by which files are read.
pub struct Rules<'a> {
    /// The place of the files, and the rules for reading them.
    pub looking: &'a Looking<'a>,
    /// The rules about files that are left out.
    pub ignore: &'a StageIgnore,
    /// A fingerprint of all of these rules.
    pub fingerprint: &'a [u8],
    /// Returns true to end the run early.
    pub stop: &'a dyn Fn() -> bool,
}

/// Returns the state of the project: the changes since a moment, or everything if there is none or it is too
/// long ago.
pub type See<'a> = &'a mut dyn FnMut(Option<&str>) -> Result<Seen, StageError>;

impl Session<'_> {
    /// Stages the files of the request.
    ///
    /// # Errors
    /// If it cannot be done. The next stage then has the same to do.
    pub fn stage(
        &mut self,
        wanted: &Wanted<'_>,
        rules: &Rules<'_>,
        see: See<'_>,
    ) -> Result<Handed, StageError> {
        if wanted.dry_run {
            return self.try_out(wanted, rules, see);
        }
        let Some((mut handed, record)) = self.make(wanted, rules, see, State::Made)? else {
            return Err(StageError::Stopped);
        };
        if wanted.confirms {
            handed.warnings = self.previous(wanted.baseline)?;
            let made = shelf::at(self.store.connection(), &record.folder)?;
            handed.lease = made.and_then(|made| made.record.hold());
        } else {
            handed.warnings = self.confirm(&record.folder)?;
        }
        handed.folder = Some(record);
        Ok(handed)
    }

    /// Prepares the changes for the next stage of a baseline. Returns the number of files; `None` if nothing
    /// has changed since the last preparation, or nothing was handed over yet.
    ///
    /// # Errors
    /// As for [`Session::stage`].
    pub fn prepare(
        &mut self,
        wanted: &Wanted<'_>,
        rules: &Rules<'_>,
        see: See<'_>,
    ) -> Result<Option<usize>, StageError> {
        if shelf::newest(self.store.connection(), wanted.baseline, State::Handed)?.is_none() {
            return Ok(None);
        }
        let before = shelf::newest(self.store.connection(), wanted.baseline, State::Ready)?;
        let made = self.make(wanted, rules, see, State::Ready)?;
        if let (Some(_), Some(before)) = (&made, before) {
            self.remove(vec![before])?;
        }
        Ok(made.map(|(handed, _)| handed.taken.copied.len()))
    }

    /// Makes a folder, which is in `state` then, or takes the ready one; `None` if that one is to stay ready.
    fn make(
        &mut self,
        wanted: &Wanted<'_>,
        rules: &Rules<'_>,
        see: See<'_>,
        state: State,
    ) -> Result<Option<(Handed, Last)>, StageError> {
        let ready = shelf::newest(self.store.connection(), wanted.baseline, State::Ready)?;
        let mut plan = Plan::new(self.within, self.root, self.now)?;
        // A folder in an earlier `stage.dir` is not where the caller looks for it.
        let is_here = |one: &Shelved| one.record.path.parent() == plan.path.parent();
        let ready = ready.filter(|one| wanted.scope == Scope::Changed && is_here(one)).and_then(Ready::of);
        if let Some(ready) = &ready {
            // A file may be in both.
            plan.seal = ready.shelved.record.seal;
        }
        let id = self.begin(wanted.baseline, &plan)?;
        let made = self.fill((id, state), Filling::new(&plan, ready), &plan, wanted, rules, see);
        if made.is_err() {
            let record = Record { path: plan.path, token: plan.token, seal: plan.seal, made: None };
            // The next run deletes what stays.
            self.is_left |= record.remove(Effort::Small) == Removed::Unfinished;
        }
        made
    }

    /// Returns the number of files that are staged when everything is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn eligible(&self) -> Result<u64, StageError> {
        let query = self.store.connection().query_row("SELECT eligible FROM catalog", [], |row| row.get(0));
        Ok(query.map(|count: i64| count.unsigned_abs())?)
    }

    /// Records that a folder is about to be made, and deletes those that were left.
    fn begin(&mut self, baseline: &str, plan: &Plan) -> Result<i64, StageError> {
        let left = shelf::left(self.store.connection())?;
        if !left.is_empty() {
            self.remove(left)?.iter().for_each(|told| tracing::info!("{told}"));
        }
        self.store.write_or(Durable::Soon, |transaction| Ok(shelf::begin(transaction, baseline, plan)?))
    }

    /// Fills the folder and records what is in it.
    fn fill(
        &mut self,
        (id, state): (i64, State),
        mut filling: Filling<'_>,
        plan: &Plan,
        wanted: &Wanted<'_>,
        rules: &Rules<'_>,
        see: See<'_>,
    ) -> Result<Option<(Handed, Last)>, StageError> {
        let (root, name) = (self.root, manifest::file_name(wanted.format));
        self.store.write_or(Durable::Soon, |transaction| {
            let mut catalog = Catalog::open(transaction)?;
            let taken = bring_up(&mut catalog, wanted, rules, see, &mut filling)?;
            let (version, names) = (catalog.head.version, catalog.head.names);
            let eligible = catalog.head.eligible.unsigned_abs();
            let handed = Handed { taken, eligible, folder: None, warnings: Vec::new(), lease: None };
            let is_whole = |ready: &&Ready| ready.shelved.version == version && ready.has_manifest(&name);
            if let Some(ready) = filling.ready().filter(is_whole).filter(|_| !filling.is_begun()) {
                if state == State::Ready {
                    shelf::forget(transaction, id)?;
                    return Ok(None);
                }
                shelf::stand_in(transaction, id, ready.shelved.id)?;
                shelf::set(transaction, id, state)?;
                let folder = ready.shelved.record.path.clone();
                return Ok(Some((handed, Last { manifest: folder.join(&name), folder })));
            }
            let folder = filling.take()?;
            let removed = names_gone(&catalog, &handed.taken)?;
            // A manifest that also lists removed files is not linked into later folders.
            let names = removed.is_empty().then_some(names);
            let linked = match names {
                Some(names) => linked_manifest(transaction, &folder, &name, names)?,
                None => None,
            };
            let mark = match linked {
                Some(mark) => mark,
                None => folder.write(&name, |out| {
                    catalog.staged(|entries| manifest::write(out, wanted.format, root, entries, &removed))
                })?,
            };
            let made: Made = folder.finish(mark)?;
            shelf::complete(transaction, (id, state), &made, &name, version, names)?;
            let folder = plan.path.clone();
            Ok(Some((handed, Last { manifest: folder.join(&name), folder })))
        })
    }

    /// Returns what would be staged.
    fn try_out(
        &mut self,
        wanted: &Wanted<'_>,
        rules: &Rules<'_>,
        see: See<'_>,
    ) -> Result<Handed, StageError> {
        let mut handed = None;
        let tried = self.store.write_or(Durable::Soon, |transaction| {
            let mut catalog = Catalog::open(transaction)?;
            let taken = bring_up(&mut catalog, wanted, rules, see, &mut Nowhere)?;
            let eligible = catalog.head.eligible.unsigned_abs();
            handed = Some(Handed { taken, eligible, folder: None, warnings: Vec::new(), lease: None });
            // The transaction is rolled back, so that nothing stays.
            Err::<(), _>(StageError::Stopped)
        });
        match (handed, tried) {
            (Some(handed), _) => Ok(handed),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(StageError::Stopped),
        }
    }
}

/// Brings the index up to date.
fn bring_up(
    catalog: &mut Catalog<'_>,
    wanted: &Wanted<'_>,
    rules: &Rules<'_>,
    see: See<'_>,
    sink: &mut dyn Sink,
) -> Result<Taken, StageError> {
    let same_rules = catalog.head.fingerprint.as_deref() == Some(rules.fingerprint);
    let care = match (wanted.verify, same_rules) {
        (true, _) => Care::Look,
        (_, false) => Care::Rules,
        _ => Care::Trust,
    };
    let since = catalog.head.clock.clone().filter(|_| care == Care::Trust);
    let Seen { clock, index } = see(since.as_deref())?;
    let Rules { looking, ignore, fingerprint, stop } = *rules;
    let means = Means { looking, ignore, stop, sink };
    let taken = take(catalog, means, index, care, (wanted.baseline, wanted.scope))?;
    catalog.close(&clock, fingerprint)?;
    if wanted.flush {
        catalog.forget_gone()?;
    }
    Ok(taken)
}

/// Returns the names that the recipient may delete: a name that another file has by now is overwritten there.
fn names_gone(catalog: &Catalog<'_>, taken: &Taken) -> Result<Vec<String>, StageError> {
    let mut names = Vec::new();
    for gone in &taken.removed {
        if catalog.path_of(&gone.name)?.is_none() {
            names.push(gone.name.clone());
        }
    }
    Ok(names)
}

/// Links the manifest of an earlier folder into this one, if it lists the same files.
fn linked_manifest(
    transaction: &rusqlite::Connection,
    folder: &Folder,
    name: &str,
    names: i64,
) -> Result<Option<FileMark>, StageError> {
    let mut earlier = shelf::all(transaction, State::Made)?;
    earlier.extend(shelf::all(transaction, State::Handed)?);
    earlier.extend(shelf::all(transaction, State::Ready)?);
    let linked = earlier.into_iter().filter(|one| one.names == Some(names)).find_map(|one| {
        let (_, own, mark) = one.record.made.as_ref()?;
        (own == name && folder.link(&one.record, name, mark)).then_some(*mark)
    });
    Ok(linked)
}
