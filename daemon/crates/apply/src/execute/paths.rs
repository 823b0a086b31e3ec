//! Paths that move, folders that come and go, what is made again as it was, and what has to be at a path for
//! that.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use clada_fs::{Expected, Like, RootedPath};
use clada_journal::journal_place;
use clada_protocol::ErrorKind;

use crate::execute::executor::{Done, Executor};
use crate::failure::Failure;
use crate::write::{Before, Restore, Saved};

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
