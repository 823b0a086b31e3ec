//! Carries out a plan: the state that is kept from one action to the next.
//!
//! ```text
//! planned    1 a.txt "one" -> "two"    2 a.txt "two" -> "two three"    3 b.txt: conflict
//! recorded   a.txt: "one" before, "two three" after; then nothing is changed that is not in the journal
//! 1          a.txt holds "one", as planned: replaced
//! 2          another program has written a.txt since 1: a conflict, and a.txt stays as it is
//! result     1 done                    2 conflict                      3 conflict
//! ```
//!
//! Each change checks first that what it was planned for is still there. A change that fails leaves its file
//! as it is, and the next ones go on, but those that share its fate. `writing` and `commands` make them happen.
//! In the end the facts of each changed entry say whether another program has changed it meanwhile.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::iter::Peekable;
use std::time::{Duration, Instant};

use blake3::Hash;
use clada_command_changes::Spared;
use clada_dialects::Policy;
use clada_fs::{DirtyFolders, FileKind, Identity, RootedPath, Roots, Stat, is_ignore_file};
use clada_protocol::{ActionData, ActionResult, ErrorKind, ExecuteEvent, Folder};
use clada_schema::Action;

use crate::effect::{Effect, ReadOnlyAction};
use crate::execute::change_set::ChangeSet;
use crate::execute::journal_writer::JournalWriter;
use crate::execute::operation::{Acting, Operation};
use crate::execute::running;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::read::answer::{Atomicity, Step};
use crate::readonly::action::{ReadOnlyOutput, WHOLE_FILE_BYTES, run};
use crate::results::handing::Delivered;
use crate::results::place::placed;
use crate::results::report::{self, Budget, Executed};
use crate::rules::Rules;
use crate::stop::Stop;
use crate::write::Write;

/// Writes that are prepared together at most; each holds a descriptor until it is published.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 64 << 20;

pub(crate) struct Executor<'a> {
    pub(super) roots: &'a Roots,
    pub(super) rules: &'a Rules,
    pub(super) journal_writer: &'a JournalWriter,
    pub(super) stop: &'a dyn Fn() -> Option<Stop>,
    pub(super) notify: &'a dyn Fn(&ExecuteEvent),
    pub(super) acting: &'a dyn Fn(&Acting<'_>),
    pub(super) change_set: ChangeSet,
    pub(super) post_images: PostImages,
    pub(super) seq: usize,
    pub(super) dirty: DirtyFolders,
    /// Files too large to be compared by content that this operation has moved: what they were planned as,
    /// and what they are since.
    pub(super) moved: HashMap<RootedPath, (Identity, Identity)>,
    /// Files with several names that were replaced under one of them, by device, number and new content: that name.
    pub(super) rewritten: HashMap<(u64, u64, Hash), RootedPath>,
    /// Paths at which an action failed: what comes later there meets no change by others, but one that is
    /// missing.
    pub(super) failed: HashSet<RootedPath>,
    /// The paths that the check of the plan found changed.
    pub(super) changed: HashSet<RootedPath>,
    pub(crate) runs_programs: bool,
    /// The paths that surveys look at although git ignores them by now.
    pub(super) spared: Spared,
    pub(super) atomicity: Atomicity,
    /// The blocks in which an action failed, the rest of which is not done, with the number of that action.
    pub(super) broken: HashMap<usize, String>,
    /// The part that goes to an editor, and is not made here.
    pub(super) delivered: Delivered,
    pub(super) budget: Budget,
    pub(super) unread: Cell<u64>,
    pub(super) done: Executed,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(operation: &Operation<'a>, atomicity: Atomicity) -> Executor<'a> {
        let Operation { roots, rules, journal_writer, stop, notify, acting, .. } = *operation;
        Executor {
            roots,
            rules,
            journal_writer,
            stop,
            notify,
            acting,
            change_set: ChangeSet::from_plan(&[], roots, 0),
            post_images: PostImages::default(),
            seq: 0,
            dirty: DirtyFolders::new(),
            moved: HashMap::new(),
            rewritten: HashMap::new(),
            failed: HashSet::new(),
            changed: HashSet::new(),
            runs_programs: false,
            spared: Spared::default(),
            atomicity,
            broken: HashMap::new(),
            delivered: Delivered::Nothing,
            budget: Budget::new(rules.result_bytes),
            unread: Cell::new(WHOLE_FILE_BYTES),
            done: Executed::default(),
        }
    }

    /// The same for a saved plan since which these paths have changed.
    pub(crate) fn since_changed(self, changed: HashSet<RootedPath>) -> Executor<'a> {
        Executor { changed, ..self }
    }

    /// The same without what goes to an editor: that is reported as done, and the caller hands it out.
    pub(crate) fn without(self, delivered: Delivered) -> Executor<'a> {
        Executor { delivered, ..self }
    }

    pub(crate) fn results(&self) -> &[ActionResult] {
        &self.done.results
    }

    pub(crate) fn finish(mut self) -> Executed {
        self.journal_writer.conclude();
        self.done.truncated = self.budget.was_cut();
        self.done
    }
}

impl Executor<'_> {
    pub(crate) fn run(mut self, planned: Vec<Planned>) -> Executed {
        self.segment(planned);
        self.finish()
    }

    /// Carries out a part of an operation.
    ///
    /// Everything that is to be changed is recorded before anything is; if that fails, nothing is changed.
    pub(crate) fn segment(&mut self, mut planned: Vec<Planned>) {
        self.note_spared(&planned);
        let (roots, room) = (self.roots, self.rules.planned_bytes);
        let effects =
            planned.iter().filter_map(|planned| Some((planned.step.seq, planned.outcome.as_ref().ok()?)));
        self.change_set = match &self.delivered {
            Delivered::Nothing => ChangeSet::from_effects(effects, roots, room),
            delivered => {
                let here = effects.filter_map(|(seq, effect)| Some((seq, delivered.divide(effect).1?)));
                let here: Vec<(usize, Effect)> = here.collect();
                ChangeSet::from_effects(here.iter().map(|(seq, effect)| (*seq, effect)), roots, room)
            }
        };
        let begun = self.journal_writer.begin(&self.change_set);
        if let Err(failure) = &begun {
            let changes = |planned: &&mut Planned| {
                planned
                    .outcome
                    .as_ref()
                    .is_ok_and(|effect| !matches!(effect, Effect::ReadOnly(_) | Effect::Command(_)))
            };
            planned.iter_mut().filter(changes).for_each(|planned| planned.outcome = Err(failure.clone()));
        }
        let mut planned = planned.into_iter().peekable();
        let whole = self.done.results.len() + planned.len();
        while let Some(next) = planned.peek() {
            let path = next.outcome.as_ref().ok().and_then(|effect| effect.paths().next());
            (self.acting)(&Acting {
                done: self.done.results.len(),
                planned: whole,
                task: &next.step.task,
                action: &next.step.name,
                path: path.map(RootedPath::written),
            });
            let batch = take_batch(&mut planned, &self.delivered);
            if !batch.is_empty() {
                self.writes(batch);
            } else if let Some(other) = planned.next() {
                self.one(other);
            }
        }
        if let Err(error) = self.dirty.sync_all(self.roots) {
            self.done
                .warnings
                .push(format!("The changes are made, but may not survive a power cut: {error}"));
        }
        // What the next command changes, nobody else did.
        let others = std::mem::take(&mut self.post_images).changed(self.roots);
        self.done.external_changes.extend(others);
        let change_set = std::mem::replace(&mut self.change_set, ChangeSet::from_plan(&[], self.roots, 0));
        match begun {
            Ok(()) => self.journal_writer.ended(change_set),
            Err(_) => self.journal_writer.finish_changes(),
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
        // The effect is moved into its execution, so what the report needs of it is taken before.
        let about: Vec<RootedPath> =
            outcome.as_ref().map_or_else(|_| Vec::new(), |effect| effect.paths().cloned().collect());
        let was_planned = outcome.is_ok();
        let outcome = match (self.stop)() {
            Some(stop) => Err(stop.failure()),
            None => outcome.and_then(|effect| {
                self.unbroken(&step)?;
                if let Effect::Command(command) = &effect {
                    return self.command(&step, command);
                }
                let (data, matched_by) = (report::data(&effect, &step), effect.matched_by());
                let within_line = effect.within_line();
                let is_command = matches!(step.action, Ok(Action::Run(_)));
                if is_command {
                    running::notify_started(&step, self.notify);
                }
                let done = self.carry_out(effect);
                let output_data = match &done {
                    Ok(Done::Output(seen)) => Some(&seen.data),
                    Ok(_) => None,
                    Err(failure) => failure.data.as_ref(),
                };
                if is_command {
                    running::notify_finished(&step, output_data.and_then(ActionData::command), self.notify);
                }
                if let Ok(Done::Output(ReadOnlyOutput { note: Some(note), .. })) = &done {
                    self.done.warnings.push(format!("Task {}: {note}", step.task));
                }
                done.map(|done| match done {
                    Done::Output(ReadOnlyOutput { data, truncated, .. }) => report::ActionOutput {
                        data: Some(data),
                        truncated,
                        ..report::ActionOutput::default()
                    },
                    Done::Changed => report::ActionOutput {
                        data,
                        matched_by,
                        within_line,
                        ..report::ActionOutput::default()
                    },
                    Done::Unchanged => report::ActionOutput {
                        data,
                        unchanged: true,
                        matched_by,
                        ..report::ActionOutput::default()
                    },
                })
            }),
        };
        let outcome = outcome.map_err(|failure| placed(failure, self.roots));
        self.note_failure(&about, was_planned, &outcome);
        if was_planned && outcome.is_err() {
            self.note_broken(&step);
        }
        let result = report::result(step, outcome, millis(begun.elapsed()), &mut self.budget);
        self.done.results.push(result);
    }

    fn carry_out(&mut self, effect: Effect) -> Result<Done, Failure> {
        match effect {
            effect if self.delivered.has(&effect) => {
                Ok(if effect.is_unchanged() { Done::Unchanged } else { Done::Changed })
            }
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
                self.record_applied(&path);
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
                    _ => {
                        let path = path.written().to_owned();
                        Done::Output(ReadOnlyOutput::whole(ActionData::Folder(Folder { path, created })))
                    }
                })
            }
            Effect::RemoveFolder(path) => {
                self.roots.rmdir(&path)?;
                self.record_applied(&path);
                Ok(Done::Changed)
            }
            Effect::Restore(restore) => self.restore(&restore),
            Effect::ReadOnly(action) => self.read_only(&action),
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

    fn read_only(&mut self, action: &ReadOnlyAction) -> Result<Done, Failure> {
        let stopped = || (self.stop)().is_some();
        let seen = run(self.roots, self.rules, action, self.budget.remaining(), &self.unread, &stopped);
        let seen = seen.map_err(|failure| match (self.stop)() {
            Some(stop) if failure.kind == ErrorKind::Cancelled => {
                Failure { data: failure.data, ..stop.ended() }
            }
            _ => failure,
        })?;
        if seen.no_room {
            self.budget.note_cut();
        }
        Ok(Done::Output(seen))
    }
}

/// The writes of different files that `planned` begins with, taken from it: as many as are prepared together.
/// Empty if it begins with something else, such as one that is `delivered`.
fn take_batch(planned: &mut Peekable<impl Iterator<Item = Planned>>, delivered: &Delivered) -> Vec<Planned> {
    let (mut batch, mut paths, mut bytes) = (Vec::new(), HashSet::new(), 0);
    // A command that writes a file has events of its own.
    let is_command = |next: &Planned| matches!(next.step.action, Ok(Action::Run(_)));
    while let Some(next) = planned.next_if(|next| {
        pending_write(next, delivered).filter(|_| !is_command(next)).is_some_and(|write| {
            let fits = paths.len() < BATCH && bytes + write.new.len() <= BATCH_BYTES;
            paths.is_empty() || (!write.paths().any(|path| paths.contains(path)) && fits)
        })
    }) {
        if let Some(write) = pending_write(&next, delivered) {
            bytes += write.new.len();
            paths.extend(write.paths().cloned());
        }
        batch.push(next);
    }
    batch
}

fn pending_write<'p>(planned: &'p Planned, delivered: &Delivered) -> Option<&'p Write> {
    match &planned.outcome {
        Ok(Effect::Write(write)) if !write.is_unchanged() && !delivered.has_path(&write.path) => Some(write),
        _ => None,
    }
}

pub(super) enum Done {
    Changed,
    Unchanged,
    Output(ReadOnlyOutput),
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Executor<'_> {
    fn fate(&self, step: &Step) -> Option<usize> {
        match (self.atomicity, step.group.policy) {
            (Atomicity::AllOrNothing, _) => Some(usize::MAX),
            (Atomicity::Blocks, Policy::Each) => None,
            (Atomicity::Blocks, Policy::InOrder | Policy::Atomic) => Some(step.group.block),
        }
    }

    pub(super) fn unbroken(&self, step: &Step) -> Result<(), Failure> {
        let failed = self.fate(step).and_then(|fate| self.broken.get(&fate));
        failed.map_or(Ok(()), |task| {
            let message = format!("Not done: task {task} before it failed (SKIPPED)");
            Err(Failure::with_message(ErrorKind::Skipped, message))
        })
    }

    pub(super) fn note_broken(&mut self, step: &Step) {
        if let Some(fate) = self.fate(step) {
            self.broken.entry(fate).or_insert_with(|| step.task.clone());
        }
    }

    /// Remembers that an action about these paths failed, and the path at which it found another file than was
    /// planned for. What was not even planned fails for other reasons, too, such as a change that was not accepted:
    /// its file has changed only if the check of the plan says so.
    pub(super) fn note_failure<T>(
        &mut self,
        about: &[RootedPath],
        was_planned: bool,
        outcome: &Result<T, Failure>,
    ) {
        let Err(failure) = outcome else { return };
        let has_changed = |path: &String| {
            was_planned || self.roots.resolve(path).is_ok_and(|path| self.changed.contains(&path))
        };
        if failure.kind == ErrorKind::Conflict
            && let Some(path) = failure.path.as_ref().filter(|path| has_changed(path))
            && !about.iter().any(|path| self.failed.contains(path))
        {
            self.done.external_changes.push(path.clone());
        }
        self.failed.extend(about.iter().cloned());
    }
}

/// The state of each path right after the operation changed it.
#[derive(Debug, Default)]
pub(crate) struct PostImages(HashMap<RootedPath, Option<Stat>>);

impl PostImages {
    /// Notes the state of `path`, which the operation has changed just now. A path that cannot be looked at
    /// is not watched.
    pub(crate) fn note(&mut self, roots: &Roots, path: &RootedPath) -> Option<Stat> {
        let Ok(stat) = roots.lstat(path) else {
            self.0.remove(path);
            return None;
        };
        self.0.insert(path.clone(), stat);
        stat
    }

    /// Returns the paths at which something else is by now, as they were written, sorted.
    pub(crate) fn changed(&self, roots: &Roots) -> Vec<String> {
        let changed = |(path, post_image): &(&RootedPath, &Option<Stat>)| {
            roots.lstat(path).is_ok_and(|now| !same(post_image.as_ref(), now.as_ref()))
        };
        let mut paths: Vec<String> =
            self.0.iter().filter(changed).map(|(path, _)| path.written().to_owned()).collect();
        paths.sort();
        paths
    }
}

fn same(post_image: Option<&Stat>, now: Option<&Stat>) -> bool {
    match (post_image, now) {
        (None, None) => true,
        // What is in a folder comes and goes.
        (Some(post_image), Some(now)) if post_image.kind == FileKind::Directory => {
            now.kind == post_image.kind
        }
        // Another name of the same file may have come or gone, which shows in its ctime, too.
        (Some(post_image), Some(now)) => {
            post_image.same_file(now) && (post_image.size, post_image.mtime) == (now.size, now.mtime)
        }
        _ => false,
    }
}
