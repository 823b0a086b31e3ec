//! Commands: a snapshot before, the run, and what it has changed as a part of the operation.
//!
//! How a program runs is `running`'s; what is found out about its changes is `clada_command_changes`'s.

use std::path::Path;

use clada_command_changes::{CommandChanges, NewRepositories, TreeSnapshot};
use clada_fs::{Identity, RootedPath, Roots, Verdict};
use clada_journal::JournalPlace;
use clada_protocol::{ActionData, CommandData, ErrorKind, NotUndoable};

use crate::command::PlannedCommand;
use crate::execute::change_set::ChangeSet;
use crate::execute::executor::Executor;
use crate::execute::running;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::results::{report, runs_later};

impl Executor<'_> {
    pub(super) fn command(
        &mut self,
        step: &Step,
        command: &PlannedCommand,
    ) -> Result<report::ActionOutput, Failure> {
        let Some(commands) = &self.rules.commands else { return Err(not_available()) };
        // What was changed before is on the medium, whatever the command does.
        let _ = self.dirty.sync_all(self.roots);
        let stopped = || (self.stop)().is_some();
        let snapshot = match command.may_change() {
            // Whatever becomes of this process, it is found out what the command has changed.
            true => {
                let until = commands.over_after(command.spec.bounds.time);
                Some(self.journal_writer.snapshot(commands, step.seq, until, &self.spared, &stopped)?)
            }
            false => None,
        };
        let repositories = snapshot.as_ref().and_then(TreeSnapshot::repositories);
        let command = &match repositories {
            Some(repositories) => {
                command.clone().keeping(&commands.root, repositories).keeping_others(commands, &stopped)
            }
            None => command.clone(),
        };
        if let Some(snapshot) = &snapshot {
            self.spared.note_snapshot(snapshot);
            self.journal_writer.command_begins();
        }
        let by_name = if command.unasked { Vec::new() } else { self.files_run_by_name() };
        let ran = running::run(
            command,
            step,
            (commands, self.journal_writer.hold(), &self.rules.hook_folders),
            self.stop,
            self.notify,
        );
        let recorded = snapshot.map(|snapshot| {
            let recorded = self.record_command_changes(step, &snapshot, &commands.open);
            self.journal_writer.command_ended();
            recorded
        });
        let places = recorded.as_ref().map(|(.., places)| places.as_slice()).unwrap_or_default();
        self.warn_of_planted(step, by_name, places);
        let complete = |data: &mut CommandData| {
            if let Some((unseen, repositories, _)) = recorded {
                let NewRepositories { paths, count } = repositories;
                data.not_undoable = (unseen.count > 0).then_some(unseen);
                data.repositories = (count > 0).then_some(clada_protocol::NewRepositories { paths, count });
            }
            self.warn_of_what_runs(step, data);
        };
        match ran {
            Ok(mut data) => {
                complete(&mut data);
                let truncated = data.truncated;
                let data = Some(ActionData::Command(Box::new(data)));
                Ok(report::ActionOutput { data, truncated, ..report::ActionOutput::default() })
            }
            Err(mut failure) => {
                if let Some(ActionData::Command(data)) = &mut failure.data {
                    complete(data);
                }
                Err(failure)
            }
        }
    }

    /// Returns the files in the project's root that run by themselves by their names, also where git ignores them, as
    /// they are now.
    fn files_run_by_name(&self) -> Vec<(RootedPath, Option<Identity>)> {
        let is_name = |glob: &&str| !glob.contains(['*', '?', '[', '{', '\\']) && !glob.starts_with('/');
        let paths = self.roots.policy().ask_globs().filter(is_name);
        let mut paths: Vec<RootedPath> =
            paths.filter_map(|path| self.roots.resolve_relative(Path::new(path)).ok()).collect();
        paths.dedup();
        let now = |path: &RootedPath| self.roots.lstat(path).ok().flatten().map(|stat| stat.identity());
        paths.into_iter().map(|path| (path.clone(), now(&path))).collect()
    }

    /// Names the files that run by themselves which a command has changed: no sandbox is around what they run.
    fn warn_of_planted(
        &mut self,
        step: &Step,
        by_name: Vec<(RootedPath, Option<Identity>)>,
        places: &[JournalPlace],
    ) {
        let now = |path: &RootedPath| self.roots.lstat(path).ok().flatten().map(|stat| stat.identity());
        let by_name = by_name.into_iter().filter(|(path, before)| now(path) != *before).map(|(path, _)| path);
        let recorded = places.iter().filter_map(|place| {
            self.roots.resolve_recorded(&place.root, &place.relative).ok().filter(|path| now(path).is_some())
        });
        let mut changed: Vec<(String, String)> = by_name
            .chain(recorded)
            .filter_map(|path| match self.roots.verdict_for_write(&path) {
                Verdict::Ask(why) => Some((path.relative().to_string_lossy().into_owned(), why)),
                Verdict::Allow | Verdict::Deny(..) => None,
            })
            .collect();
        changed.sort();
        changed.dedup();
        self.done.warnings.splice(0..0, runs_later::of_files(&step.task, &changed));
    }

    fn warn_of_what_runs(&mut self, step: &Step, data: &CommandData) {
        let warnings = runs_later::warnings(&step.task, data);
        self.done.warnings.splice(0..0, warnings);
    }

    /// Makes what a command has changed a part of the operation, so that it can be undone and is committed.
    /// What is there and was not looked into is returned, the repositories that came to be, and the changed places.
    fn record_command_changes(
        &mut self,
        step: &Step,
        snapshot: &TreeSnapshot,
        open: &Roots,
    ) -> (NotUndoable, NewRepositories, Vec<JournalPlace>) {
        let CommandChanges {
            changes,
            images,
            lost,
            unrecoverable,
            touched_ignored_dirs,
            unseen,
            unseen_count,
            repositories,
            complete,
            ..
        } = snapshot.command_changes(open, step.seq, None, &|log, number| {
            self.journal_writer.snapshot_record(log, number)
        });
        let mut warn = |message: String| self.done.warnings.push(format!("Task {}: {message}", step.task));
        if !complete {
            warn("the project is too large for all that the command changed to be found; undo does not know it".to_owned());
        }
        if !lost.is_empty() {
            warn(format!("the command changed what cannot be brought back: {}", report::named(&lost)));
        }
        if !touched_ignored_dirs.is_empty() {
            let named = report::named(&touched_ignored_dirs);
            warn(format!(
                "the command made or removed something in {named}, which git ignores: undo leaves that"
            ));
        }
        self.journal_writer.lost(unrecoverable);
        let unseen = NotUndoable { paths: unseen, count: unseen_count, incomplete: !complete };
        if changes.is_empty() {
            self.journal_writer.forget_snapshot();
            return (unseen, repositories, Vec::new());
        }
        let places = changes.iter().map(|change| change.place.clone()).collect();
        // An answer that has them ignored before the next command takes nothing from undo by that.
        let root = open.paths().next();
        let own = changes.iter().filter(|change| root == Some(change.place.root.as_path()));
        own.for_each(|change| self.spared.add(&change.place.relative));
        // What is not shown to a model is not for a commit that everybody reads, either.
        let is_secret = |place: &&JournalPlace| {
            let path = open.resolve_recorded(&place.root, &place.relative);
            path.is_ok_and(|path| matches!(self.roots.verdict_for_read(&path), Verdict::Deny(..)))
        };
        let held_back = changes.iter().map(|change| &change.place).filter(is_secret).cloned().collect();
        let change_set = ChangeSet::from_command(self.roots, changes, images, held_back);
        match self.journal_writer.begin_of_command(&change_set) {
            Ok(uncommitted) => {
                if let Some(Failure { message, .. }) = uncommitted {
                    let why = message.strip_prefix("Nothing is changed: ").unwrap_or(&message);
                    warn(format!("what the command changed is not committed: {why}"));
                }
                self.journal_writer.report_changes_of_command(&change_set);
                self.journal_writer.ended(change_set);
            }
            Err(Failure { message, .. }) => {
                let why = message.strip_prefix("Nothing was changed: ").unwrap_or(&message);
                warn(format!(
                    "what the command changed cannot be undone until it is recorded, which the next operation in \
                     this project tries again: {why}"
                ));
            }
        }
        (unseen, repositories, places)
    }
}

fn not_available() -> Failure {
    Failure::with_message(ErrorKind::NotAvailable, "Not available in this version (NOT_AVAILABLE)".to_owned())
}
