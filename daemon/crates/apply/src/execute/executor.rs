//! Carries out a plan: the only place that changes anything.
//!
//! Each change checks first that what it was planned for is still there. A change that fails leaves its file as it
//! is, and the next ones go on. Consecutive writes are prepared and flushed together, then published one by one in
//! their order, since a file system commits many files together as fast as one.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use clada_command_changes::{Aftermath, NewRepositories, Spared, Survey};
use clada_dialects::Policy;
use clada_fs::{
    DirtyFolders, Expected, Identity, Like, Prepared, RootedPath, Roots, Verdict, is_ignore_file,
};
use clada_journal::{Place, place};
use clada_protocol::{ActionResult, ErrorKind, ExecuteEvent, NotUndoable};
use serde_json::json;

use crate::command::Errand;
use crate::effect::{Effect, Look};
use crate::execute::ledger::Ledger;
use crate::execute::left::Left;
use crate::execute::operation::Operation;
use crate::execute::recorder::Recorder;
use crate::execute::running;
use crate::failure::{Failure, failed_in_part};
use crate::planned::Planned;
use crate::read::answer::{Step, Whole};
use crate::readonly::look::{LOOK_BYTES, Seen, look};
use crate::results::outcome::Executed;
use crate::results::report::{self, Budget};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::write::{Before, Restore, Saved, Write};

/// Writes that are prepared together at most; each holds a descriptor until it is published.
const BATCH: usize = 64;
/// Bytes of writes that are prepared together at most.
const BATCH_BYTES: usize = 64 << 20;
/// Threads that flush a batch.
const FLUSHERS: usize = 4;

/// Carries out plans beneath some roots.
pub(crate) struct Executor<'a> {
    roots: &'a Roots,
    rules: &'a Rules,
    recorder: &'a Recorder,
    stop: &'a dyn Fn() -> Option<Stop>,
    tell: &'a dyn Fn(&ExecuteEvent),
    ledger: Ledger,
    left: Left,
    /// The number of the action that is carried out.
    seq: usize,
    dirty: DirtyFolders,
    /// Files too large to be compared by content that this operation has moved: what they were planned as, and what
    /// they are since.
    moved: HashMap<RootedPath, (Identity, Identity)>,
    /// Paths at which an action failed: what comes later there meets no change by others, but one that is missing.
    failed: HashSet<RootedPath>,
    /// Set if a program runs in the operation.
    pub(crate) runs_programs: bool,
    /// The paths that surveys look at although git ignores them by now.
    spared: Spared,
    /// Whether the answer is all or nothing.
    whole: Whole,
    /// The blocks in which an action failed, the rest of which is not done, with the number of that action.
    broken: HashMap<usize, String>,
    budget: Budget,
    /// Bytes of files that looks may still read.
    unread: Cell<u64>,
    done: Executed,
}

impl<'a> Executor<'a> {
    /// An executor for what `operation` works with.
    pub(crate) fn new(operation: &Operation<'a>, whole: Whole) -> Executor<'a> {
        let Operation { roots, rules, recorder, stop, tell, .. } = *operation;
        Executor {
            roots,
            rules,
            recorder,
            stop,
            tell,
            ledger: Ledger::of(&[], roots, 0),
            left: Left::default(),
            seq: 0,
            dirty: DirtyFolders::new(),
            moved: HashMap::new(),
            failed: HashSet::new(),
            runs_programs: false,
            spared: Spared::default(),
            whole,
            broken: HashMap::new(),
            budget: Budget::new(rules.result_bytes),
            unread: Cell::new(LOOK_BYTES),
            done: Executed::default(),
        }
    }

    /// Carries out what could be planned and reports on everything, in order.
    pub(crate) fn run(mut self, planned: Vec<Planned>) -> Executed {
        self.segment(planned);
        self.finish()
    }

    /// What came of the actions so far.
    pub(crate) fn results(&self) -> &[ActionResult] {
        &self.done.results
    }

    /// Everything is done: what came of it.
    pub(crate) fn finish(mut self) -> Executed {
        self.recorder.conclude();
        self.done.truncated = self.budget.was_cut();
        self.done
    }

    /// Carries out a part of an operation.
    ///
    /// Everything that is to be changed is put down before anything is; if that fails, nothing is changed.
    pub(crate) fn segment(&mut self, mut planned: Vec<Planned>) {
        self.note_spared(&planned);
        self.ledger = Ledger::of(&planned, self.roots, self.rules.planned_bytes);
        let begun = self.recorder.begin(&self.ledger);
        if let Err(failure) = &begun {
            let changes = |planned: &&mut Planned| {
                planned
                    .outcome
                    .as_ref()
                    .is_ok_and(|effect| !matches!(effect, Effect::Look(_) | Effect::Command(_)))
            };
            planned.iter_mut().filter(changes).for_each(|planned| planned.outcome = Err(failure.clone()));
        }
        let mut planned = planned.into_iter().peekable();
        while let Some(first) = planned.next() {
            let mut batch = vec![first];
            let mut paths = HashSet::new();
            if let Some(write) = pending_write(&batch[0]) {
                let mut bytes = write.new.len();
                paths.insert(write.path.clone());
                while let Some(next) = planned.next_if(|next| {
                    pending_write(next).is_some_and(|write| {
                        !paths.contains(&write.path)
                            && paths.len() < BATCH
                            && bytes + write.new.len() <= BATCH_BYTES
                    })
                }) {
                    if let Some(write) = pending_write(&next) {
                        bytes += write.new.len();
                        paths.insert(write.path.clone());
                    }
                    batch.push(next);
                }
            }
            if paths.is_empty() { self.one(batch.remove(0)) } else { self.writes(batch) }
        }
        if let Err(error) = self.dirty.sync_all(self.roots) {
            self.done
                .warnings
                .push(format!("The changes are made, but may not survive a power cut: {error}"));
        }
        // What the next command changes, nobody else did.
        let others = std::mem::take(&mut self.left).changed(self.roots);
        self.done.external_changes.extend(others);
        let ledger = std::mem::replace(&mut self.ledger, Ledger::of(&[], self.roots, 0));
        match begun {
            Ok(()) => self.recorder.ended(ledger),
            Err(_) => self.recorder.over(),
        }
    }

    /// Notes what a program may take away that git does not ignore yet, before `planned` has it ignored.
    fn note_spared(&mut self, planned: &[Planned]) {
        let Some(commands) = self.rules.commands.as_ref().filter(|_| self.runs_programs) else { return };
        let effects = planned.iter().filter_map(|planned| planned.outcome.as_ref().ok());
        for path in effects.flat_map(Effect::paths).filter(|path| path.root() == 0) {
            if path.file_name().is_some_and(is_ignore_file) {
                self.spared.note(&commands.open, &|| (self.stop)().is_some());
            }
            self.spared.add(path.relative());
        }
    }

    fn one(&mut self, planned: Planned) {
        let begun = Instant::now();
        let Planned { step, outcome, .. } = planned;
        self.seq = step.seq;
        let about: Vec<RootedPath> =
            outcome.as_ref().map_or_else(|_| Vec::new(), |effect| effect.paths().cloned().collect());
        let was_planned = outcome.is_ok();
        let outcome = match (self.stop)() {
            Some(stop) => Err(stop.failure()),
            None => outcome.and_then(|effect| {
                self.unbroken(&step)?;
                if let Effect::Command(errand) = &effect {
                    return self.command(&step, errand);
                }
                let (data, matched_by) = (report::data(&effect, &step), effect.matched_by());
                let within_line = effect.within_line();
                let is_command = matches!(effect, Effect::Look(Look::Command { .. }));
                let done = self.carry_out(effect);
                let found = match &done {
                    Ok(Done::Seen(seen)) => Some(&seen.data),
                    Ok(_) => None,
                    Err(failure) => failure.data.as_ref(),
                };
                if let Some(found) = found.filter(|_| is_command) {
                    running::tell_at_once(&step, found, self.tell);
                }
                if let Ok(Done::Seen(Seen { note: Some(note), .. })) = &done {
                    self.done.warnings.push(format!("Task {}: {note}", step.task));
                }
                done.map(|done| match done {
                    Done::Seen(Seen { data, truncated, .. }) => {
                        report::Yield { data: Some(data), truncated, ..report::Yield::default() }
                    }
                    Done::Changed => {
                        report::Yield { data, matched_by, within_line, ..report::Yield::default() }
                    }
                    Done::Unchanged => {
                        report::Yield { data, unchanged: true, matched_by, ..report::Yield::default() }
                    }
                })
            }),
        };
        self.note_failure(&about, &outcome);
        if was_planned && outcome.is_err() {
            self.note_broken(&step);
        }
        let result = report::result(step, outcome, millis(begun.elapsed()), &mut self.budget);
        self.done.results.push(result);
    }

    fn carry_out(&mut self, effect: Effect) -> Result<Done, Failure> {
        match effect {
            Effect::Write(write) if write.is_unchanged() => {
                self.still_there(&write)?;
                Ok(Done::Unchanged)
            }
            Effect::Write(write) => {
                self.write(&write)?;
                Ok(Done::Changed)
            }
            Effect::WriteMoved { from, before, write } => self.write_moved(&from, &before, &write),
            Effect::Several(files) => self.several(files),
            Effect::Delete { path, before, .. } => {
                let expected = self.expected(&path, &before)?;
                self.roots.unlink(&path, expected)?;
                self.made(&path);
                Ok(Done::Changed)
            }
            Effect::Move { from, to, .. } if from == to => Ok(Done::Unchanged),
            Effect::Move { from, before, to, replaced, .. } => self.rename(&from, &before, &to, &replaced),
            // Not by the plan alone: an action that was to create it may have failed.
            Effect::CreateFolder { path, missing } => {
                let created = !self.create_folder(&path)?.is_empty();
                Ok(match (created, missing.is_empty()) {
                    (true, false) => Done::Changed,
                    (false, true) => Done::Unchanged,
                    _ => Done::Seen(Seen::whole(json!({ "path": path.written(), "created": created }))),
                })
            }
            Effect::RemoveFolder(path) => {
                self.roots.rmdir(&path)?;
                self.made(&path);
                Ok(Done::Changed)
            }
            Effect::Restore(restore) => self.restore(&restore),
            Effect::Look(asked) => self.look(&asked),
            Effect::Steps(steps) => {
                let unchanged = steps.iter().all(Effect::is_unchanged);
                for step in steps {
                    self.carry_out(step)?;
                }
                Ok(if unchanged { Done::Unchanged } else { Done::Changed })
            }
            // Has a yield of its own.
            Effect::Command(_) => Ok(Done::Unchanged),
        }
    }

    /// Runs a program.
    fn command(&mut self, step: &Step, errand: &Errand) -> Result<report::Yield, Failure> {
        let Some(commands) = &self.rules.commands else { return Err(not_available()) };
        // What was changed before is on the medium, whatever the command does.
        let _ = self.dirty.sync_all(self.roots);
        let stopped = || (self.stop)().is_some();
        let survey = match errand.may_change() {
            // Whatever becomes of this process, it is found out what the command has changed.
            true => {
                let until = commands.over_after(errand.order.bounds.time);
                Some(self.recorder.survey(commands, step.seq, until, &self.spared, &stopped)?)
            }
            false => None,
        };
        let repositories = survey.as_ref().and_then(Survey::repositories);
        let errand = &match repositories {
            Some(found) => errand.clone().keeping(&commands.root, found).keeping_others(commands, &stopped),
            None => errand.clone(),
        };
        if let Some(survey) = &survey {
            self.spared.note_survey(survey);
            self.recorder.command_begins();
        }
        let ran = running::run(errand, step, (commands, self.recorder.hold()), self.stop, self.tell);
        let found = survey.map(|survey| {
            let found = self.put_down_aftermath(step, survey, &commands.open);
            self.recorder.command_ended();
            found
        });
        let add = |data: &mut serde_json::Value| {
            let Some((unseen, repositories)) = &found else { return };
            if unseen.count > 0 {
                data["not_undoable"] = json!(unseen);
            }
            if repositories.count > 0 {
                data["repositories"] = json!(repositories);
            }
        };
        let data = match ran {
            Ok(mut data) => {
                add(&mut data);
                self.warn_of_what_runs(step, &data);
                data
            }
            Err(mut failure) => {
                failure.data.iter_mut().for_each(add);
                failure.data.iter().for_each(|data| self.warn_of_what_runs(step, data));
                return Err(failure);
            }
        };
        let truncated = data.get("truncated").is_some();
        Ok(report::Yield { data: Some(data), truncated, ..report::Yield::default() })
    }

    /// Says first of all what a command has left that runs by itself: no sandbox is around that.
    fn warn_of_what_runs(&mut self, step: &Step, data: &serde_json::Value) {
        let warnings = crate::results::runs_later::warnings(&step.task, data);
        self.done.warnings.splice(0..0, warnings);
    }

    /// Makes what a command has changed a part of the operation, so that it can be undone and is committed.
    /// What is there and was not looked into is returned, and the repositories that came to be.
    fn put_down_aftermath(
        &mut self,
        step: &Step,
        survey: Survey,
        open: &Roots,
    ) -> (NotUndoable, NewRepositories) {
        let Aftermath {
            changes,
            images,
            lost,
            beyond,
            stirred,
            unseen,
            unseen_count,
            repositories,
            complete,
        } = survey.aftermath(open, step.seq, None, &|number| self.recorder.sights(number));
        let mut warn = |message: String| self.done.warnings.push(format!("Task {}: {message}", step.task));
        if !complete {
            warn("the project is too large for all that the command changed to be found; undo does not know it".to_owned());
        }
        if !lost.is_empty() {
            warn(format!("the command changed what cannot be brought back: {}", report::named(&lost)));
        }
        if !stirred.is_empty() {
            let named = report::named(&stirred);
            warn(format!(
                "the command made or removed something in {named}, which git ignores: undo leaves that"
            ));
        }
        self.recorder.lost(beyond);
        let unseen = NotUndoable { paths: unseen, count: unseen_count, incomplete: !complete };
        if changes.is_empty() {
            self.recorder.forget_survey();
            return (unseen, repositories);
        }
        // Whoever has them ignored before the next command takes nothing from undo by that.
        let root = open.paths().next();
        let own = changes.iter().filter(|change| root == Some(change.place.root.as_path()));
        own.for_each(|change| self.spared.add(&change.place.relative));
        // What is not shown to a model is not for a commit that everybody reads, either.
        let is_secret = |place: &&Place| {
            let path = open.resolve_recorded(&place.root, &place.relative);
            path.is_ok_and(|path| matches!(self.roots.verdict_for_read(&path), Verdict::Deny(..)))
        };
        let held_back = changes.iter().map(|change| &change.place).filter(is_secret).cloned().collect();
        let ledger = Ledger::of_command(self.roots, changes, images, held_back);
        match self.recorder.begin_of_command(&ledger) {
            Ok(uncommitted) => {
                if let Some(Failure { message, .. }) = uncommitted {
                    let why = message.strip_prefix("Nothing is changed: ").unwrap_or(&message);
                    warn(format!("what the command changed is not committed: {why}"));
                }
                self.recorder.left_by_command(&ledger);
                self.recorder.ended(ledger);
            }
            Err(Failure { message, .. }) => {
                let why = message.strip_prefix("Nothing is changed, since ").unwrap_or(&message);
                warn(format!(
                    "what the command changed cannot be undone before it is put down, which the next operation in \
                     this project tries again: {why}"
                ));
            }
        }
        (unseen, repositories)
    }

    fn restore(&mut self, restore: &Restore) -> Result<Done, Failure> {
        let created = self.create_parents(&restore.path)?;
        if let Err(failure) = self.restore_at(restore) {
            self.remove_created(&created);
            return Err(failure);
        }
        self.made(&restore.path);
        Ok(Done::Changed)
    }

    fn restore_at(&self, restore: &Restore) -> Result<(), Failure> {
        let path = &restore.path;
        let outcome = match &restore.saved {
            Saved::File { content, metadata } => {
                let like = match (metadata, &restore.before) {
                    (Some(metadata), _) => Like::Saved(metadata),
                    (None, Before::Missing) => Like::New,
                    (None, _) => Like::Existing(path),
                };
                let prepared = self.roots.prepare(path, content, like)?;
                // As late as it can be.
                let expected = self.expected(path, &restore.before)?;
                prepared.publish(expected).map(drop)
            }
            Saved::Link(target) => {
                let expected = self.expected(path, &restore.before)?;
                self.roots.make_link(path, OsStr::from_bytes(target), expected)
            }
            Saved::Folder(mode) => self.roots.create_dir_as(path, *mode),
        };
        outcome.map_err(|error| conflict_if_exists(error.into()))
    }

    fn look(&mut self, asked: &Look) -> Result<Done, Failure> {
        let stopped = || (self.stop)().is_some();
        let seen = look(self.roots, self.rules, asked, self.budget.left(), &self.unread, &stopped);
        let seen = seen.map_err(|failure| match (self.stop)() {
            Some(stop) if failure.kind == ErrorKind::Cancelled => {
                Failure { data: failure.data, ..stop.ended() }
            }
            _ => failure,
        })?;
        if seen.no_room {
            self.budget.note_cut();
        }
        Ok(Done::Seen(seen))
    }

    fn rename(
        &mut self,
        from: &RootedPath,
        before: &Before,
        to: &RootedPath,
        replaced: &Before,
    ) -> Result<Done, Failure> {
        let created = self.create_parents(to)?;
        let stands = || self.roots.lstat(to).ok().flatten().map(|stat| stat.identity());
        let stood = stands();
        let moved = self.expected(from, before).and_then(|source| {
            let target = self.expected(to, replaced)?;
            self.roots.rename(from, to, source, target).map_err(|error| conflict_if_exists(error.into()))
        });
        match moved {
            Ok(moved) => {
                if let Before::File(planned) = before {
                    self.moved.insert(to.clone(), (*planned, moved.identity));
                }
            }
            Err(failure) => {
                // Between file systems a move is a copy and a removal, of which the first may have been done. What stood there
                // before is none, whatever it holds: an action that was to move it away may have failed.
                if stands() != stood {
                    self.ledger.look(self.seq, to);
                }
                self.remove_created(&created);
                return Err(failure);
            }
        }
        self.made(from);
        self.made(to);
        Ok(Done::Changed)
    }

    /// Each file on its own; the action fails if one of them did.
    fn several(&mut self, files: Vec<Result<Write, (RootedPath, Failure)>>) -> Result<Done, Failure> {
        let unchanged = files.iter().all(|file| file.as_ref().is_ok_and(Write::is_unchanged));
        let mut outcomes = Vec::with_capacity(files.len());
        for file in files {
            outcomes.push(match file {
                Err((path, failure)) => (path, Err(failure)),
                Ok(write) if write.is_unchanged() => {
                    (write.path.clone(), self.still_there(&write).map(|()| write))
                }
                Ok(write) => (write.path.clone(), self.write(&write).map(|()| write)),
            });
        }
        let data = report::several(outcomes.iter().map(|(path, outcome)| (path.written(), outcome.as_ref())));
        let failed: Vec<&Failure> =
            outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
        match failed_in_part("failed", outcomes.len(), &failed, || data.clone()) {
            Some(failure) => Err(failure),
            // What was planned says the same as what was done.
            None => Ok(if unchanged { Done::Unchanged } else { Done::Seen(Seen::whole(data)) }),
        }
    }

    /// Whether a file that was planned to hold its text already does: an action before this one may have failed.
    fn still_there(&self, write: &Write) -> Result<(), Failure> {
        let content = self.roots.read(&write.path, write.new.len() as u64);
        let same = content.is_ok_and(|content| content.bytes == *write.new);
        if same { Ok(()) } else { Err(changed(&write.path)) }
    }

    fn write(&mut self, write: &Write) -> Result<(), Failure> {
        self.write_like(write, like_of(write)).map(drop)
    }

    /// The folders that had to be created.
    fn write_like(&mut self, write: &Write, like: Like<'_>) -> Result<Vec<RootedPath>, Failure> {
        let (created, mut prepared) = self.prepare(write, like)?;
        let flushed = prepared.sync().map_err(Failure::from);
        let published = flushed.and_then(|()| self.publish(write, prepared));
        if published.is_err() {
            self.remove_created(&created);
        }
        published.map(|()| created)
    }

    /// The new file first, then the old one goes; if it cannot, the new one goes again.
    fn write_moved(&mut self, from: &RootedPath, before: &Before, write: &Write) -> Result<Done, Failure> {
        let expected = self.expected(from, before)?;
        let is_new = write.before == Before::Missing;
        let created = if is_new {
            self.write_like(write, Like::Existing(from))?
        } else {
            self.still_there(write)?;
            self.refuse_same_file(from, &write.path)?;
            Vec::new()
        };
        if let Err(error) = self.roots.unlink(from, expected) {
            if is_new {
                let _ = self.roots.unlink(&write.path, Expected::Hash(*write.new_hash.as_bytes()));
                self.ledger.look(self.seq, &write.path);
                self.remove_created(&created);
            }
            return Err(error.into());
        }
        self.made(from);
        Ok(Done::Changed)
    }

    /// Where letter case does not count, two paths can be one file, which would go with its old name.
    fn refuse_same_file(&self, from: &RootedPath, to: &RootedPath) -> Result<(), Failure> {
        let same = match (self.roots.lstat(from)?, self.roots.lstat(to)?) {
            (Some(one), Some(other)) => one.same_file(&other),
            _ => false,
        };
        if !same {
            return Ok(());
        }
        let issue = "Target exists already, as another name of the same file";
        Err(Failure::at(ErrorKind::FileExists, issue, to.written(), "EEXIST")
            .hint("move it first, then change it"))
    }

    /// Consecutive writes of different files: prepared and flushed together, published in their order.
    fn writes(&mut self, batch: Vec<Planned>) {
        let begun = Instant::now();
        let mut writes = Vec::with_capacity(batch.len());
        let mut all_created = Vec::with_capacity(batch.len());
        for Planned { step, outcome, .. } in batch {
            let Ok(Effect::Write(write)) = outcome else { continue };
            let data = report::data(&Effect::Write(write.clone()), &step);
            self.seq = step.seq;
            let ready = match (self.stop)() {
                Some(stop) => Err(stop.failure()),
                None => self.prepare(&write, like_of(&write)),
            };
            let (created, prepared) = match ready {
                Ok((created, prepared)) => (created, Ok(prepared)),
                Err(failure) => (Vec::new(), Err(failure)),
            };
            all_created.push(created);
            writes.push((step, write, data, prepared));
        }
        flush_all(writes.iter_mut().map(|(.., prepared)| prepared).collect());
        let shared = begun.elapsed() / u32::try_from(writes.len().max(1)).unwrap_or(u32::MAX);
        let mut unused = Vec::new();
        for ((step, write, data, prepared), created) in writes.into_iter().zip(all_created) {
            let begun = Instant::now();
            self.seq = step.seq;
            let outcome = prepared.and_then(|prepared| match (self.stop)() {
                Some(stop) => Err(stop.failure()),
                None => self.unbroken(&step).and_then(|()| self.publish(&write, prepared)),
            });
            let matched_by = write.matched_by;
            let within_line = write.line_of_part();
            let yielded = report::Yield { data, matched_by, within_line, ..report::Yield::default() };
            let outcome = outcome.map(|()| yielded);
            if outcome.is_err() {
                unused.extend(created);
                self.note_broken(&step);
            }
            self.note_failure(std::slice::from_ref(&write.path), &outcome);
            let result = report::result(step, outcome, millis(shared + begun.elapsed()), &mut self.budget);
            self.done.results.push(result);
        }
        // Only now: other writes of the batch may need them, and their temporary files are gone.
        self.remove_created(&unused);
    }

    /// The folders that had to be created, and the file beside its target.
    fn prepare(&mut self, write: &Write, like: Like<'_>) -> Result<Ready, Failure> {
        let created = self.create_parents(&write.path)?;
        match self.roots.prepare_as(&write.path, &write.new, like, write.executable()) {
            Ok(prepared) => Ok((created, prepared)),
            Err(error) => {
                self.remove_created(&created);
                Err(error.into())
            }
        }
    }

    fn publish(&mut self, write: &Write, prepared: Prepared) -> Result<(), Failure> {
        let expected = self.expected(&write.path, &write.before)?;
        prepared.publish(expected).map_err(|error| conflict_if_exists(error.into()))?;
        self.made(&write.path);
        Ok(())
    }

    fn create_parents(&mut self, path: &RootedPath) -> Result<Vec<RootedPath>, Failure> {
        let Some(parent) = path.parent() else { return Ok(Vec::new()) };
        self.create_folder(&parent)
    }

    fn create_folder(&mut self, folder: &RootedPath) -> Result<Vec<RootedPath>, Failure> {
        let created = self.roots.create_dir_all(folder)?;
        for folder in &created {
            self.dirty.changed(folder);
            self.ledger.created(self.seq, folder);
            self.left.note(self.roots, folder);
        }
        Ok(created)
    }

    /// The entry at `path` is now as the action wants it.
    fn made(&mut self, path: &RootedPath) {
        self.dirty.changed(path);
        self.ledger.made(self.seq, path);
        let left = self.left.note(self.roots, path);
        self.recorder.left(|| place(self.roots, path), left.map(|stat| stat.identity()));
    }

    /// Takes back folders that were created for a change that failed. One that is not empty stays.
    fn remove_created(&mut self, created: &[RootedPath]) {
        for folder in created.iter().rev() {
            if self.roots.rmdir(folder).is_ok() {
                self.ledger.removed_again(folder);
                self.left.note(self.roots, folder);
            }
        }
    }

    /// What the file system is to find at `path`; a link's target is compared here, since it has no content.
    fn expected(&self, path: &RootedPath, before: &Before) -> Result<Expected, Failure> {
        Ok(match before {
            Before::Missing => Expected::Missing,
            Before::Content(hash) => Expected::Hash(*hash.as_bytes()),
            Before::File(identity) => Expected::Identity(match self.moved.get(path) {
                Some((planned, now)) if planned == identity => *now,
                _ => *identity,
            }),
            Before::Symlink(target) => {
                let now = self.roots.lstat(path)?;
                let same = self.roots.readlink(path).is_ok_and(|found| found.as_bytes() == target);
                match now.filter(|_| same) {
                    Some(stat) => Expected::Identity(stat.identity()),
                    None => return Err(changed(path)),
                }
            }
        })
    }

    /// The steps that share the fate of `step`, if there are any.
    fn fate(&self, step: &Step) -> Option<usize> {
        match (self.whole, step.group.policy) {
            (Whole::AllOrNothing, _) => Some(usize::MAX),
            (Whole::Blocks, Policy::Each) => None,
            (Whole::Blocks, Policy::InOrder | Policy::Atomic) => Some(step.group.block),
        }
    }

    /// Fails if an action before `step` failed on which it depends.
    fn unbroken(&self, step: &Step) -> Result<(), Failure> {
        let failed = self.fate(step).and_then(|fate| self.broken.get(&fate));
        failed.map_or(Ok(()), |task| {
            let message = format!("Not done: task {task} before it failed (SKIPPED)");
            Err(Failure::said(ErrorKind::Skipped, message))
        })
    }

    /// Remembers that `step` failed, so that what depends on it is not done.
    fn note_broken(&mut self, step: &Step) {
        if let Some(fate) = self.fate(step) {
            self.broken.entry(fate).or_insert_with(|| step.task.clone());
        }
    }

    /// Remembers that an action about these paths failed, and that it was somebody else's change if it was.
    fn note_failure<T>(&mut self, about: &[RootedPath], outcome: &Result<T, Failure>) {
        let Err(failure) = outcome else { return };
        if failure.kind == ErrorKind::Conflict
            && let Some(path) = &failure.path
            && !about.iter().any(|path| self.failed.contains(path))
        {
            self.done.external_changes.push(path.clone());
        }
        self.failed.extend(about.iter().cloned());
    }
}

/// A write that waits to be published, with the folders that were created for it.
type Ready = (Vec<RootedPath>, Prepared);

/// Flushes what is ready, several at a time; what cannot be flushed is not ready after all.
fn flush_all(mut prepared: Vec<&mut Result<Prepared, Failure>>) {
    let flush = |share: &mut [&mut Result<Prepared, Failure>]| {
        for entry in share {
            if let Ok(prepared) = entry
                && let Err(error) = prepared.sync()
            {
                **entry = Err(error.into());
            }
        }
    };
    if prepared.len() < FLUSHERS {
        return flush(&mut prepared);
    }
    std::thread::scope(|scope| {
        let share = prepared.len().div_ceil(FLUSHERS);
        for share in prepared.chunks_mut(share) {
            scope.spawn(move || flush(share));
        }
    });
}

/// What the file that is written is made like.
fn like_of(write: &Write) -> Like<'_> {
    if write.before == Before::Missing { Like::New } else { Like::Existing(&write.path) }
}

/// How a change went.
enum Done {
    Changed,
    Unchanged,
    /// What was found.
    Seen(Seen),
}

/// The write that `planned` still has to make, if that is what it is.
fn pending_write(planned: &Planned) -> Option<&Write> {
    match &planned.outcome {
        Ok(Effect::Write(write)) if !write.is_unchanged() => Some(write),
        _ => None,
    }
}

/// Something came to be where nothing was expected: somebody else made it.
fn conflict_if_exists(failure: Failure) -> Failure {
    if failure.kind != ErrorKind::FileExists {
        return failure;
    }
    let message = failure.message.replace("(EEXIST)", "(CONFLICT)");
    Failure { kind: ErrorKind::Conflict, message, ..failure }
        .hint("somebody else created it after this was planned; look at it and try again")
}

/// There is nothing to run commands with.
fn not_available() -> Failure {
    Failure::said(ErrorKind::NotAvailable, "Not available in this version (NOT_AVAILABLE)".to_owned())
}

fn changed(path: &RootedPath) -> Failure {
    let issue = "File has changed since the change was planned";
    Failure::at(ErrorKind::Conflict, issue, path.written(), "CONFLICT")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
