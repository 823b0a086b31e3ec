//! Serialises changes of a repository's index between clada's processes, and cleans up after a daemon that
//! was killed while it changed one. A lock of another program is never removed.

// Example: clada commits on `main`, from commit A to B, and is killed somewhere on the way.
//
//     step                                             `clada.lock` says    what the next process does
//     1  flock `clada.lock`                            nothing              nothing: the kernel dropped the flock
//     2  link it to `index.lock`: git waits now        nothing              removes `index.lock`
//     3  write the new index as `clada-index`          nothing              removes the draft and `index.lock`
//     4  announce the move                             B refs/heads/main    `main` is at A: the same as after 3
//     5  move `main` to B                              B refs/heads/main    `main` is at B: renames the draft to `index`
//     6  rename the draft to `index`, unlock           nothing              nothing
//
// `index.lock` is a second name of `clada.lock`: by its inode the next process knows whether it is clada's. Without
// the announcement it could not tell 4 from 5, and the branch would show the reverse of the commit as staged.
//
// libgit2 moves a reference by linking a new file into its place, and does not say if it could not unlink its lock.
// So a lock of the announced reference is removed as well, also by the process that made the move.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clada_fs::{Symlinks, read_regular};
use git2::{Oid, Signature};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::error::GitError;
use super::repository::GitRepository;

const PAUSE: Duration = Duration::from_millis(10);
/// The most bytes read of `clada.lock`; less is ever written to it.
const MAX_CLADA_LOCK: u64 = 4096;

/// The number of attempts to remove a lock: nobody can commit while it exists.
const REMOVALS: usize = 3;
/// The folder of the references that only clada moves, each time under its lock.
pub(super) const OWN: &str = "refs/clada/";
/// The reference to the end of the line of work: a symbolic one to the branch that was
/// checked out, or one to a commit.
pub(super) const LINE: &str = "refs/clada/line";
pub(super) const STASH: &str = "refs/stash";
/// The seconds after its announcement within which a reference may have been locked for it.
const ANNOUNCED: i64 = 2;

const DOING: &str = "lock the index";

#[derive(Debug)]
pub(super) struct IndexLock {
    file: File,
    folder: PathBuf,
    common: PathBuf,
    locked: bool,
    announced: Option<Announced>,
    is_unreleased: bool,
}

#[derive(Debug, Clone)]
struct Announced {
    /// A commit, or `ref: ` and the name of a reference.
    value: String,
    reference: String,
}

impl Announced {
    fn parse(text: &str) -> Option<Announced> {
        let (value, reference) = text.strip_suffix('\n')?.rsplit_once(' ')?;
        Some(Announced { value: value.to_owned(), reference: reference.to_owned() })
    }
}

impl IndexLock {
    /// Waits for the lock, then cleans up after a process that was killed while it held it.
    pub(super) fn acquire(of: &GitRepository) -> Result<IndexLock, GitError> {
        let folder = of.repository.path().to_path_buf();
        let clada_lock = folder.join("clada.lock");
        let deadline = Instant::now() + of.patience;
        loop {
            let file = File::from(open(&clada_lock)?);
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK | Errno::INTR) if pause(deadline) => continue,
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(GitError::Locked { path: clada_lock }),
                Err(error) => return Err(GitError::io(DOING, &clada_lock, error)),
            }
            // The previous owner may have removed the file before it released the lock.
            if is_file_at(&file, &clada_lock) {
                let common = of.repository.commondir().to_path_buf();
                let mut lock =
                    IndexLock { file, folder, common, locked: false, announced: None, is_unreleased: false };
                lock.clear(of)?;
                return Ok(lock);
            }
        }
    }

    pub(super) fn draft(&self) -> PathBuf {
        self.folder.join("clada-index")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    pub(super) fn lock_index(&mut self, patience: Duration) -> Result<(), GitError> {
        let (clada_lock, git_lock) = (self.clada_lock(), self.index_lock());
        let deadline = Instant::now() + patience;
        loop {
            let taken =
                match rustix::fs::linkat(CWD, &clada_lock, CWD, &git_lock, rustix::fs::AtFlags::empty()) {
                    // Where a file cannot have two names, the lock is a file of its own.
                    Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                        rustix::fs::open(&git_lock, flags, Mode::from_raw_mode(0o666)).map(drop)
                    }
                    other => other,
                };
            match taken {
                Ok(()) => break,
                Err(Errno::EXIST) if pause(deadline) => {}
                Err(Errno::EXIST) => return Err(GitError::Locked { path: git_lock }),
                Err(error) => return Err(GitError::io(DOING, &git_lock, error)),
            }
        }
        self.locked = true;
        Ok(())
    }

    pub(super) fn announce(&mut self, reference: &str, value: &str) -> Result<(), GitError> {
        self.forget_announced()?;
        self.announced = Some(Announced { value: value.to_owned(), reference: reference.to_owned() });
        let written = writeln!(self.file, "{value} {reference}").and_then(|()| self.file.flush());
        written.map_err(|error| GitError::io(DOING, self.clada_lock(), error))
    }

    pub(super) fn move_own(
        &mut self,
        of: &GitRepository,
        reference: &str,
        to: Option<Oid>,
        by: &Signature<'_>,
        why: &str,
    ) -> Result<(), GitError> {
        self.announce(reference, &value_of(to))?;
        of.move_reference(reference, of.target_of(reference)?, to, by, why)?;
        // A draft that is written from here on belongs to another move.
        self.forget_announced()
    }

    pub(super) fn note<T>(&mut self, moved: Result<T, GitError>) -> Result<T, GitError> {
        // libgit2 does not say if it could not release its lock.
        // A lock of another program is not clada's to remove.
        // Now, since the next move is announced in the place of this one.
        let is_ours = !matches!(&moved, Err(GitError::Locked { .. }));
        self.is_unreleased = is_ours && !self.release_left();
        moved
    }

    fn forget_announced(&mut self) -> Result<(), GitError> {
        self.announced = None;
        let emptied = self.file.set_len(0).and_then(|()| std::io::Seek::rewind(&mut self.file));
        emptied.map_err(|error| GitError::io(DOING, self.clada_lock(), error))
    }

    pub(super) fn publish(&self) -> Result<(), GitError> {
        rustix::fs::rename(self.draft(), self.index())
            .map_err(|error| GitError::io("write the index", self.index(), error))
    }

    fn clear(&mut self, of: &GitRepository) -> Result<(), GitError> {
        let mut text = String::new();
        let read = (&self.file).take(MAX_CLADA_LOCK).read_to_string(&mut text);
        read.map_err(|error| GitError::io(DOING, self.clada_lock(), error))?;
        let owns_lock = is_file_at(&self.file, &self.index_lock());
        self.announced = Announced::parse(&text);
        if owns_lock && let Some(Announced { value, reference }) = &self.announced {
            let reached = of.value_of(reference)?.unwrap_or_default() == *value;
            if reached && self.draft().is_file() {
                self.publish()?;
            }
        }
        self.remove_left()?;
        // Nobody else writes what is below `refs/clada`.
        let of_line = self.common.join(format!("{LINE}.lock"));
        for leftover in [self.draft(), self.lock_of_draft(), of_line] {
            remove(&leftover)?;
        }
        if owns_lock {
            remove(&self.index_lock())?;
        }
        self.forget_announced()
    }

    fn remove_left(&self) -> Result<(), GitError> {
        let Some(Announced { value, reference }) = &self.announced else { return Ok(()) };
        let folder = if reference == "HEAD" { &self.folder } else { &self.common };
        let of_reference = folder.join(format!("{reference}.lock"));
        if reference.starts_with(OWN) || self.is_left(&of_reference, value) {
            remove(&of_reference)?;
        }
        // libgit2 rewrites a log only to take an entry out of it.
        let of_log = folder.join("logs").join(format!("{reference}.lock"));
        match reference == STASH && self.is_soon(&of_log) {
            true => remove(&of_log),
            false => Ok(()),
        }
    }

    fn release_left(&self) -> bool {
        (0..REMOVALS).any(|_| self.remove_left().is_ok())
    }

    /// Returns whether this lock of a reference was left by the process that announced `value`: it
    /// holds that, or nothing yet.
    fn is_left(&self, lock: &Path, value: &str) -> bool {
        let Ok(stat) = lock.symlink_metadata() else { return false };
        if !stat.is_file() || stat.len() >= MAX_CLADA_LOCK {
            return false;
        }
        let text = read_regular(lock, Symlinks::Refuse, MAX_CLADA_LOCK).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        match text.is_empty() {
            false => text.trim_end() == value,
            true => self.is_soon(lock) && stays_empty(lock, &stat),
        }
    }

    fn is_soon(&self, lock: &Path) -> bool {
        let (Ok(clada_lock), Ok(stat)) = (self.file.metadata(), lock.symlink_metadata()) else {
            return false;
        };
        stat.is_file() && (0..=ANNOUNCED).contains(&(stat.mtime() - clada_lock.mtime()))
    }

    fn clada_lock(&self) -> PathBuf {
        self.folder.join("clada.lock")
    }

    fn index_lock(&self) -> PathBuf {
        self.folder.join("index.lock")
    }

    fn lock_of_draft(&self) -> PathBuf {
        self.folder.join("clada-index.lock")
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        for own in [self.draft(), self.lock_of_draft()] {
            release(&own);
        }
        let released = !self.locked || release(&self.index_lock());
        let is_left = self.is_unreleased && !self.release_left();
        let released = released && !is_left;
        // A lock that cannot be removed now is cleaned up under the next lock, which knows it by this file.
        if released {
            let _ = remove(&self.clada_lock());
        }
    }
}

pub(super) fn pause(deadline: Instant) -> bool {
    let remaining = deadline.saturating_duration_since(Instant::now());
    std::thread::sleep(PAUSE.min(remaining));
    !remaining.is_zero()
}

fn open(clada_lock: &Path) -> Result<OwnedFd, GitError> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    rustix::fs::open(clada_lock, flags, Mode::from_raw_mode(0o666))
        .map_err(|error| GitError::io(DOING, clada_lock, error))
}

pub(super) fn value_of(commit: Option<Oid>) -> String {
    commit.map(|commit| commit.to_string()).unwrap_or_default()
}

fn stays_empty(lock: &Path, stat: &std::fs::Metadata) -> bool {
    // Another program writes what it has locked a reference for at once.
    std::thread::sleep(PAUSE);
    let key = |of: &std::fs::Metadata| (of.dev(), of.ino(), of.len(), of.mtime(), of.mtime_nsec());
    lock.symlink_metadata().is_ok_and(|now| key(&now) == key(stat))
}

pub(super) fn release(lock: &Path) -> bool {
    (0..REMOVALS).any(|_| remove(lock).is_ok())
}

fn is_file_at(file: &File, path: &Path) -> bool {
    let (Ok(one), Ok(other)) = (file.metadata(), path.symlink_metadata()) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

pub(super) fn remove(path: &Path) -> Result<(), GitError> {
    match rustix::fs::unlink(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(GitError::io("remove a file of its own", path, error)),
    }
}
