//! Reads regular files: whole, in windows, or as a stream.
//!
//! A FIFO must not block the daemon and a growing file must not eat its memory. So a file is checked,
//! opened without blocking, and checked again, and its size is never trusted. Only the `_following`
//! functions follow symbolic links.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use clada_protocol::ErrorKind;
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::entry::stat_in;
use super::error::FsError;
use super::options::Links;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{FileKind, Identity, Stat};

const TRIES: usize = 4;
const DOING: &str = "read the file";

/// A whole file, with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes, all read while the file stayed the same.
    pub bytes: Vec<u8>,
    /// The file's facts at that time.
    pub stat: Stat,
}

impl Content {
    /// Returns the identity for [`Expected::Identity`](super::Expected::Identity).
    pub fn identity(&self) -> Identity {
        self.stat.identity()
    }
}

impl Roots {
    /// Reads a regular file of at most `limit` bytes, following no link.
    ///
    /// Fails with `conflict` if the file changes during every attempt, with `limit_exceeded`
    /// naming `limits.max_file_size` if it is larger, and with `not_regular_file` or
    /// `is_directory` for other entries.
    pub fn read(&self, path: &RootedPath, limit: u64) -> Result<Content, FsError> {
        for _ in 0..TRIES {
            let mut reader = self.open_reader(path)?;
            let before = reader.stat;
            if before.size > limit {
                return Err(too_large(before.size, limit, path));
            }
            let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0) + 1);
            let read = (&mut reader).take(limit.saturating_add(1)).read_to_end(&mut bytes);
            read.map_err(|error| self.io_error(&error, path))?;
            if bytes.len() as u64 > limit {
                return Err(too_large(bytes.len() as u64, limit, path));
            }
            if bytes.len() as u64 == before.size && reader.stat_now()?.identity() == before.identity() {
                return Ok(Content { bytes, stat: before });
            }
        }
        Err(FsError::conflict("File keeps changing while it is read", path.written()))
    }

    /// Reads like [`read`](Roots::read), but follows symbolic links if the options allow it. Not for a file
    /// that is to be written: nothing is written through a link.
    pub fn read_following(&self, path: &RootedPath, limit: u64) -> Result<Content, FsError> {
        match self.read(path, limit) {
            Err(error) if self.may_follow(&error) => self.read(&self.follow(path)?, limit),
            outcome => outcome,
        }
    }

    /// Opens a regular file for reading in parts, following no link.
    pub fn open_reader(&self, path: &RootedPath) -> Result<FileReader, FsError> {
        if path.is_root() {
            return Err(FsError::os(DOING, Errno::ISDIR, path.written()));
        }
        let (folder, name) = self.parent_of(path).map_err(|errno| self.error(DOING, errno, path))?;
        let reader = self.reader_in(folder.as_fd(), name, path)?;
        self.refuse_sealed_file(path, &reader.stat)?;
        Ok(reader)
    }

    /// Opens like [`open_reader`](Roots::open_reader), but follows symbolic links if the options allow it.
    pub fn open_reader_following(&self, path: &RootedPath) -> Result<FileReader, FsError> {
        match self.open_reader(path) {
            Err(error) if self.may_follow(&error) => self.open_reader(&self.follow(path)?),
            outcome => outcome,
        }
    }

    /// Reads at most `length` bytes from `offset` on; fewer at the end of the file.
    pub fn read_window(&self, path: &RootedPath, offset: u64, length: usize) -> Result<Vec<u8>, FsError> {
        let reader = self.open_reader(path)?;
        let available = reader.stat.size.saturating_sub(offset);
        let mut bytes = vec![0; length.min(usize::try_from(available).unwrap_or(usize::MAX))];
        let mut filled = 0;
        while filled < bytes.len() {
            let at = offset + filled as u64;
            match retry_on_intr(|| rustix::io::pread(&reader.file, &mut bytes[filled..], at)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(errno) => return Err(self.error(DOING, errno, path)),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    pub(super) fn reader_in(
        &self,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        path: &RootedPath,
    ) -> Result<FileReader, FsError> {
        let fail = |errno| self.error(DOING, errno, path);
        // Opening a device or a FIFO can already have an effect, so the entry is checked first.
        require_regular(&stat_in(folder, name).map_err(fail)?, path)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::empty())).map_err(fail)?;
        let stat = Stat::from_raw(&rustix::fs::fstat(&file).map_err(fail)?);
        require_regular(&stat, path)?;
        Ok(FileReader { file, stat, path: path.clone() })
    }

    /// Returns the blake3 hash of a regular file of any size, following no link. Fails if
    /// the file changes meanwhile.
    pub fn hash(&self, path: &RootedPath) -> Result<blake3::Hash, FsError> {
        let (folder, name) = self.parent_of(path).map_err(|errno| self.error(DOING, errno, path))?;
        self.hash_in(folder.as_fd(), name, path).map(|(hash, _)| blake3::Hash::from_bytes(hash))
    }

    pub(super) fn hash_in(
        &self,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        path: &RootedPath,
    ) -> Result<([u8; 32], Identity), FsError> {
        let mut reader = self.reader_in(folder, name, path)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(&mut reader).map_err(|error| self.io_error(&error, path))?;
        if reader.stat_now()?.identity() != reader.stat.identity() {
            return Err(FsError::conflict("File changed while it was read", path.written()));
        }
        Ok((*hasher.finalize().as_bytes(), reader.stat.identity()))
    }

    fn may_follow(&self, error: &FsError) -> bool {
        self.0.options.links == Links::FollowInReads && error.kind() == ErrorKind::SymlinkNotAllowed
    }

    fn io_error(&self, error: &io::Error, path: &RootedPath) -> FsError {
        self.error(DOING, Errno::from_io_error(error).unwrap_or(Errno::IO), path)
    }
}

/// A regular file open for reading.
#[derive(Debug)]
pub struct FileReader {
    pub(super) file: OwnedFd,
    stat: Stat,
    path: RootedPath,
}

impl FileReader {
    /// Returns the file's facts when it was opened.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Returns the file's current facts.
    pub fn stat_now(&self) -> Result<Stat, FsError> {
        let raw = rustix::fs::fstat(&self.file);
        raw.map(|raw| Stat::from_raw(&raw)).map_err(|errno| FsError::os(DOING, errno, self.path.written()))
    }

    /// Reads some bytes, 0 at the end, like `Read::read`, but with an [`FsError`].
    pub fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, FsError> {
        retry_on_intr(|| rustix::io::read(&self.file, &mut *buffer))
            .map_err(|errno| FsError::os(DOING, errno, self.path.written()))
    }
}

impl AsFd for FileReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(retry_on_intr(|| rustix::io::read(&self.file, &mut *buffer))?)
    }
}

fn require_regular(stat: &Stat, path: &RootedPath) -> Result<(), FsError> {
    match stat.kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(FsError::os(DOING, Errno::ISDIR, path.written())),
        FileKind::Symlink => Err(FsError::os(DOING, Errno::LOOP, path.written())),
        FileKind::Special => {
            let issue = "Not a regular file";
            Err(FsError::new(ErrorKind::NotRegularFile, "NOT_REGULAR_FILE", issue, path.written()))
        }
    }
}

fn too_large(size: u64, limit: u64, path: &RootedPath) -> FsError {
    let issue = format!("File has {size} bytes or more, limits.max_file_size allows {limit}");
    FsError::new(ErrorKind::LimitExceeded, "LIMIT_EXCEEDED", issue, path.written())
}
