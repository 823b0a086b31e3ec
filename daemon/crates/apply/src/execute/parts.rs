//! The parts of an operation: what is planned up to the next command, recorded as a whole and carried out in
//! order.

use std::time::Instant;

use clada_fs::{RootedPath, is_ignore_file};
use clada_protocol::{ActionData, Folder};
use clada_schema::Action;

use crate::effect::Effect;
use crate::execute::batch::take_batch;
use crate::execute::change_set::ChangeSet;
use crate::execute::executor::{Done, Executor, millis};
use crate::execute::operation::Acting;
use crate::execute::running;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::readonly::action::ReadOnlyOutput;
use crate::results::handing::Delivered;
use crate::results::outcome::Executed;
use crate::results::place::placed;
use crate::results::report;

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
}
