//! Files whose content changes: rewritten alongside their place and put there, if what is there is what was planned
//! for. Also paths that move, folders that come and go, and what is made again as it was.
//!
//! Consecutive writes of different files are prepared and flushed together, and published one by one in their order: a
//! file system commits many files together as fast as one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;

use clada_fs::{Expected, FileKind, FsError, Like, Prepared, RootedPath};
use clada_journal::journal_place;
use clada_protocol::{ActionData, ErrorKind, visible_line};

use crate::effect::Effect;
use crate::execute::executor::{Done, Executor, millis};
use crate::failure::{Failure, failed_in_part};
use crate::planned::Planned;
use crate::readonly::action::ReadOnlyOutput;
use crate::results::place::placed;
use crate::results::report;
use crate::write::{Before, Restore, Saved, Write};

const FLUSHERS: usize = 8;

impl Executor<'_> {
    pub(super) fn writes(&mut self, batch: Vec<Planned>) {
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
            let output =
                report::ActionOutput { data, matched_by, within_line, ..report::ActionOutput::default() };
            let outcome = outcome.map(|()| output).map_err(|failure| placed(failure, self.roots));
            if outcome.is_err() {
                unused.extend(created);
                self.note_broken(&step);
            }
            self.note_failure(std::slice::from_ref(&write.path), true, &outcome);
            let result = report::result(step, outcome, millis(shared + begun.elapsed()), &mut self.budget);
            self.done.results.push(result);
        }
        // Only now: other writes of the batch may need them, and their temporary files are gone.
        self.remove_created(&unused);
    }
}

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

impl Executor<'_> {
    /// Each file on its own; the action fails if one of them did.
    pub(super) fn several(
        &mut self,
        files: Vec<Result<Write, (RootedPath, Failure)>>,
    ) -> Result<Done, Failure> {
        let unchanged = files.iter().all(|file| file.as_ref().is_ok_and(Write::is_unchanged));
        let mut outcomes = Vec::with_capacity(files.len());
        for file in files {
            outcomes.push(match file {
                Err((path, failure)) => (path, Err(failure)),
                Ok(write) if self.delivered.has_path(&write.path) => (write.path.clone(), Ok(write)),
                Ok(write) if write.is_unchanged() => {
                    (write.path.clone(), self.still_there(&write).map(|()| write))
                }
                Ok(write) => (write.path.clone(), self.write(&write).map(|()| write)),
            });
        }
        let data = report::several(outcomes.iter().map(|(path, outcome)| (path.written(), outcome.as_ref())));
        let data = ActionData::ReplacedInFiles(data);
        let failed: Vec<&Failure> =
            outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
        match failed_in_part("failed", outcomes.len(), &failed, || data.clone()) {
            Some(failure) => Err(failure),
            // What was planned says the same as what was done.
            None => Ok(if unchanged { Done::Unchanged } else { Done::Output(ReadOnlyOutput::whole(data)) }),
        }
    }

    /// Checks that a file that was planned to hold its text already still does: an action before this one may
    /// have failed.
    pub(super) fn still_there(&self, write: &Write) -> Result<(), Failure> {
        let planned = write.content();
        let content = self.roots.read(&write.path, planned.len() as u64);
        let same = content.is_ok_and(|content| content.bytes == *planned);
        if same { Ok(()) } else { Err(changed(&write.path)) }
    }

    pub(super) fn write(&mut self, write: &Write) -> Result<(), Failure> {
        self.write_like(write, like_of(write)).map(drop)
    }

    /// Writes the file; returns the folders that had to be created.
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
    pub(super) fn write_moved(
        &mut self,
        from: &RootedPath,
        before: &Before,
        write: &Write,
    ) -> Result<Done, Failure> {
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
                self.change_set.look(self.seq, &write.path);
                self.remove_created(&created);
            }
            return Err(error.into());
        }
        self.record_applied(from);
        Ok(Done::Changed)
    }

    /// Refuses a write to a path that is the same file as its old name: two paths can be one file where
    /// letter case does not count, and it would go with its old name.
    fn refuse_same_file(&self, from: &RootedPath, to: &RootedPath) -> Result<(), Failure> {
        let same = match (self.roots.lstat(from)?, self.roots.lstat(to)?) {
            (Some(one), Some(other)) => one.same_file(&other),
            _ => false,
        };
        if !same {
            return Ok(());
        }
        let issue = "Target already exists, as another name of the same file";
        Err(Failure::at(ErrorKind::FileExists, issue, to.written(), "EEXIST")
            .hint("move it first, then change it"))
    }

    pub(super) fn prepare(&mut self, write: &Write, like: Like<'_>) -> Result<Ready, Failure> {
        let created = self.create_parents(&write.path)?;
        match self.roots.prepare_as(&write.path, &write.content(), like, write.executable()) {
            Ok(prepared) => Ok((created, prepared)),
            Err(error) => {
                self.remove_created(&created);
                Err(error.into())
            }
        }
    }

    pub(super) fn publish(&mut self, write: &Write, prepared: Prepared) -> Result<(), Failure> {
        let expected = self.expected(&write.path, &write.before)?;
        let replaced = self.roots.lstat(&write.path)?.filter(|stat| stat.kind == FileKind::File);
        let key = replaced.map(|stat| (stat.dev, stat.ino, write.new_hash));
        // Names of one file that get the same content, as in an undo, stay names of one file.
        let published = match key.and_then(|key| self.rewritten.get(&key).cloned()) {
            Some(first) => {
                drop(prepared);
                let linked = self.link(&first, write, &write.path, expected);
                linked.inspect(|()| self.record_applied(&first))
            }
            None => prepared.publish(expected).map(drop),
        };
        published.map_err(|error| conflict_if_exists(error.into()))?;
        if let Some(key) = key.filter(|_| replaced.is_some_and(|stat| stat.nlink > 1)) {
            self.rewritten.insert(key, write.path.clone());
        }
        self.record_applied(&write.path);
        write.other_names.iter().for_each(|name| self.link_other(write, name));
        Ok(())
    }

    /// Makes `name`, a further name of the file that was replaced, a name of the new one. If that is not possible it
    /// keeps the old content, like a name outside of the project.
    fn link_other(&mut self, write: &Write, name: &RootedPath) {
        let linked = self
            .expected(name, &write.before)
            .and_then(|expected| Ok(self.link(&write.path, write, name, expected)?));
        match linked {
            // Its facts change with the number of its names.
            Ok(()) => self.record_applied(&write.path),
            Err(failure) => {
                let (name, path) = (visible_line(name.written()), visible_line(write.path.written()));
                self.done.warnings.push(format!(
                    "'{name}' keeps its content and is no longer the same file as '{path}': {}",
                    failure.message
                ));
                return;
            }
        }
        self.record_applied(name);
    }

    fn link(
        &self,
        first: &RootedPath,
        write: &Write,
        name: &RootedPath,
        expected: Expected,
    ) -> Result<(), FsError> {
        self.roots.link_over(first, Expected::Hash(*write.new_hash.as_bytes()), name, expected)
    }
}

pub(super) type Ready = (Vec<RootedPath>, Prepared);

pub(super) fn like_of(write: &Write) -> Like<'_> {
    if write.before == Before::Missing { Like::New } else { Like::Existing(&write.path) }
}

impl Executor<'_> {
    pub(super) fn rename(
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
                // Between file systems a move is a copy and a removal, of which the first may have been done.
                // What stood there before is none, whatever it holds: an action that was to move it away may
                // have failed.
                if stands() != stood {
                    self.change_set.look(self.seq, to);
                }
                self.remove_created(&created);
                return Err(failure);
            }
        }
        self.record_applied(from);
        self.record_applied(to);
        Ok(Done::Changed)
    }

    pub(super) fn restore(&mut self, restore: &Restore) -> Result<Done, Failure> {
        let created = self.create_parents(&restore.path)?;
        if let Err(failure) = self.restore_at(restore) {
            self.remove_created(&created);
            return Err(failure);
        }
        self.record_applied(&restore.path);
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
            Saved::FolderMode { before, mode } => self.roots.set_dir_mode(path, *before, *mode),
        };
        outcome.map_err(|error| conflict_if_exists(error.into()))
    }

    pub(super) fn create_parents(&mut self, path: &RootedPath) -> Result<Vec<RootedPath>, Failure> {
        let Some(parent) = path.parent() else { return Ok(Vec::new()) };
        self.create_folder(&parent)
    }

    pub(super) fn create_folder(&mut self, folder: &RootedPath) -> Result<Vec<RootedPath>, Failure> {
        let created = self.roots.create_dir_all(folder)?;
        for folder in &created {
            self.dirty.changed(folder);
            self.change_set.created(self.seq, folder);
            self.post_images.note(self.roots, folder);
        }
        Ok(created)
    }

    /// Removes folders that were created for a change that failed. One that is not empty stays.
    pub(super) fn remove_created(&mut self, created: &[RootedPath]) {
        for folder in created.iter().rev() {
            if self.roots.rmdir(folder).is_ok() {
                self.change_set.removed_again(folder);
                self.post_images.note(self.roots, folder);
            }
        }
    }

    /// The entry at `path` is now as the action wants it.
    pub(super) fn record_applied(&mut self, path: &RootedPath) {
        self.dirty.changed(path);
        self.change_set.mark_applied(self.seq, path);
        let image = self.post_images.note(self.roots, path);
        self.journal_writer
            .report_change(|| journal_place(self.roots, path), image.map(|stat| stat.identity()));
    }

    /// Returns what the file system is to find at `path`; a link's target is compared here, since it has no
    /// content.
    pub(super) fn expected(&self, path: &RootedPath, before: &Before) -> Result<Expected, Failure> {
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
}

/// Something came to be where nothing was expected: another process made it.
pub(super) fn conflict_if_exists(failure: Failure) -> Failure {
    if failure.kind != ErrorKind::FileExists {
        return failure;
    }
    let message = failure.message.replace("(EEXIST)", "(CONFLICT)");
    Failure { kind: ErrorKind::Conflict, message, ..failure }
        .hint("somebody else created it after this was planned; look at it and try again")
}

pub(super) fn changed(path: &RootedPath) -> Failure {
    let issue = "File has changed since the change was planned";
    Failure::at(ErrorKind::Conflict, issue, path.written(), "CONFLICT")
}
