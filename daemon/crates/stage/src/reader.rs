//! Reads one file of the project: its text, or why it is not staged.
//!
//! The record of a file is the content that was read, whatever it has become meanwhile: the next read sees
//! that.

use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use blake3::Hash;
use clada_fs::{FileReader, FsError, Identity, RootedPath, Roots, Verdict, is_text};
use clada_protocol::ErrorKind;

use super::error::StageError;

/// Seconds within which a file may change again and look the same.
const RACY: i64 = 2;

const TRIES: usize = 10;

const TOO_LARGE: &str = "larger than stage.max_file_size";

/// The state of a file when it was read.
#[derive(Debug)]
pub(crate) struct FileState {
    /// Its identity, for comparison with a later one; `None` if a change would not show.
    pub identity: Option<[u8; 16]>,
    /// Its content, if it is to be staged.
    pub text: Option<ReadText>,
}

/// The content of a text file.
#[derive(Debug)]
pub(crate) struct ReadText {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// Its hash.
    pub hash: Hash,
    pub(super) executable: bool,
    /// The file that it was read from.
    pub file: FileReader,
}

#[derive(Debug)]
pub(crate) enum ReadOutcome {
    /// There is no file.
    Absent,
    Read(Box<FileState>),
    /// The file is never staged, whatever its content, or cannot be read.
    Omitted(&'static str),
}

/// The context of reading files: the project and its rules.
#[derive(Debug)]
pub struct StageReader<'a> {
    /// The project.
    pub roots: &'a Roots,
    /// Its root, as resolved.
    pub root: &'a Path,
    /// The largest size of a staged file.
    pub max_file_size: u64,
    /// The wall-clock time.
    pub now: SystemTime,
}

enum PathVerdict {
    Readable(RootedPath),
    /// With what is reported of the file instead of its content.
    Refused(ReadOutcome),
}

impl StageReader<'_> {
    pub(crate) fn read_file(&self, path: &Path) -> Result<ReadOutcome, StageError> {
        let resolved = match self.verdict(path)? {
            PathVerdict::Readable(resolved) => resolved,
            PathVerdict::Refused(outcome) => return Ok(outcome),
        };
        let mut tries = TRIES;
        loop {
            let error = match self.read(&resolved) {
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            // A folder on the way was moved while the kernel went through it.
            tries -= 1;
            if matches!(error.code(), "EXDEV" | "EAGAIN") && tries > 0 {
                continue;
            }
            return match error.kind() {
                ErrorKind::FileNotFound
                | ErrorKind::NotDirectory
                | ErrorKind::IsDirectory
                | ErrorKind::NotRegularFile
                | ErrorKind::SymlinkNotAllowed => Ok(ReadOutcome::Absent),
                ErrorKind::PermissionDenied => Ok(ReadOutcome::Omitted("cannot be read")),
                _ => Err(error.into()),
            };
        }
    }

    /// Returns why a file of this name and size is not staged, if it is not.
    pub(crate) fn refusal(&self, path: &Path, size: u64) -> Result<Option<&'static str>, StageError> {
        Ok(match self.verdict(path)? {
            PathVerdict::Readable(_) => (size > self.max_file_size).then_some(TOO_LARGE),
            PathVerdict::Refused(ReadOutcome::Omitted(reason)) => Some(reason),
            PathVerdict::Refused(_) => Some("gone"),
        })
    }

    /// Returns the current identity of the file, for a caller that does not trust the index.
    pub(crate) fn identity(&self, path: &Path) -> Result<Option<Identity>, StageError> {
        let PathVerdict::Readable(resolved) = self.verdict(path)? else { return Ok(None) };
        Ok(self.roots.lstat(&resolved)?.map(|stat| stat.identity()))
    }

    fn verdict(&self, path: &Path) -> Result<PathVerdict, StageError> {
        let resolved = match self.roots.resolve_recorded(self.root, path) {
            Ok(resolved) => resolved,
            Err(error) if error.kind() == ErrorKind::PathDenied => {
                return Ok(PathVerdict::Refused(ReadOutcome::Omitted("denied")));
            }
            Err(error) if error.kind() == ErrorKind::PathEscape => {
                return Ok(PathVerdict::Refused(ReadOutcome::Absent));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match self.roots.verdict_for_read(&resolved) {
            Verdict::Deny(ErrorKind::Secret, _) => PathVerdict::Refused(ReadOutcome::Omitted("secret")),
            Verdict::Deny(..) => PathVerdict::Refused(ReadOutcome::Omitted("denied")),
            Verdict::Allow | Verdict::Ask(_) => PathVerdict::Readable(resolved),
        })
    }

    fn read(&self, path: &RootedPath) -> Result<ReadOutcome, FsError> {
        let mut reader = self.roots.open_reader(path)?;
        let before = *reader.stat();
        if before.size > self.max_file_size {
            return Ok(ReadOutcome::Omitted(TOO_LARGE));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0) + 1);
        let mut limited = (&mut reader).take(self.max_file_size + 1);
        limited.read_to_end(&mut bytes).map_err(|error| {
            let errno = rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO);
            FsError::os("read the file", errno, path.written())
        })?;
        if bytes.len() as u64 > self.max_file_size {
            return Ok(ReadOutcome::Omitted(TOO_LARGE));
        }
        let still = bytes.len() as u64 == before.size && reader.stat_now()?.identity() == before.identity();
        let young = before.ctime.seconds.saturating_add(RACY) >= seconds(self.now);
        let identity = (still && !young).then(|| packed(&before.identity()));
        let text = is_text(&bytes).then(|| ReadText {
            hash: blake3::hash(&bytes),
            executable: before.mode & 0o100 != 0,
            bytes,
            file: reader,
        });
        Ok(ReadOutcome::Read(Box::new(FileState { identity, text })))
    }
}

#[must_use]
pub(super) fn packed(identity: &Identity) -> [u8; 16] {
    let Identity { dev, ino, size, mtime, ctime } = identity;
    let mut hasher = blake3::Hasher::new();
    for number in [*dev, *ino, *size, u64::from(mtime.nanoseconds), u64::from(ctime.nanoseconds)] {
        hasher.update(&number.to_le_bytes());
    }
    for number in [mtime.seconds, ctime.seconds] {
        hasher.update(&number.to_le_bytes());
    }
    let mut short = [0; 16];
    hasher.finalize_xof().fill(&mut short);
    short
}

pub(super) fn seconds(now: SystemTime) -> i64 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
