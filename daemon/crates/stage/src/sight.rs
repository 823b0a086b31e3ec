//! One look at a file of the project: its text, or why it is not staged.
//!
//! What is remembered of a file is what was read of it, whatever it has become meanwhile: the next look sees that.

use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use blake3::Hash;
use clada_fs::{FileReader, FsError, Identity, RootedPath, Roots, Verdict, is_text};
use clada_protocol::ErrorKind;

use super::error::StageError;

/// Seconds within which a file may change again and look the same.
const RACY: i64 = 2;

/// How often a file is looked at whose folders are moved meanwhile.
const TRIES: usize = 10;

const TOO_LARGE: &str = "larger than stage.max_file_size";

/// What a file was when it was read.
#[derive(Debug)]
pub struct Looked {
    /// What it was, for seeing whether it is still the same; `None` if that would not show.
    pub identity: Option<[u8; 16]>,
    /// Its content, if it is to be staged.
    pub text: Option<Text>,
}

/// The content of a text file.
#[derive(Debug)]
pub struct Text {
    /// All of it, as it is.
    pub bytes: Vec<u8>,
    /// Its hash.
    pub hash: Hash,
    /// Whether its owner may run it.
    pub(super) executable: bool,
    /// The file that it was read from.
    pub file: FileReader,
}

/// What a look at a file has shown.
#[derive(Debug)]
pub enum Sight {
    /// There is none.
    Gone,
    /// It was read.
    Read(Box<Looked>),
    /// It is never staged, whatever is in it, or cannot be read.
    Omitted(&'static str),
}

/// Where files are looked at, and by which rules.
#[derive(Debug)]
pub struct Looking<'a> {
    /// The project.
    pub roots: &'a Roots,
    /// Its root, as resolved.
    pub root: &'a Path,
    /// Larger files are not staged.
    pub max_file_size: u64,
    /// The time on the wall.
    pub now: SystemTime,
}

impl Looking<'_> {
    /// Looks at the file at `path`, from the root.
    ///
    /// # Errors
    /// If the system cannot say what is in it, though it may be read.
    pub fn look(&self, path: &Path) -> Result<Sight, StageError> {
        let resolved = match self.allowed(path)? {
            Ok(resolved) => resolved,
            Err(sight) => return Ok(sight),
        };
        let mut tries = TRIES;
        loop {
            let error = match self.read(&resolved) {
                Ok(sight) => return Ok(sight),
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
                | ErrorKind::SymlinkNotAllowed => Ok(Sight::Gone),
                ErrorKind::PermissionDenied => Ok(Sight::Omitted("cannot be read")),
                _ => Err(error.into()),
            };
        }
    }

    /// Why a file of this size is not staged, going by its name.
    ///
    /// # Errors
    /// If the path cannot be used.
    pub fn refusal(&self, path: &Path, size: u64) -> Result<Option<&'static str>, StageError> {
        Ok(match self.allowed(path)? {
            Ok(_) => (size > self.max_file_size).then_some(TOO_LARGE),
            Err(Sight::Omitted(reason)) => Some(reason),
            Err(_) => Some("gone"),
        })
    }

    /// What the file is at this moment, for whoever does not trust what he was told.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn identity(&self, path: &Path) -> Result<Option<Identity>, StageError> {
        let Ok(resolved) = self.allowed(path)? else { return Ok(None) };
        Ok(self.roots.lstat(&resolved)?.map(|stat| stat.identity()))
    }

    /// The path, if its name does not keep it from being staged.
    fn allowed(&self, path: &Path) -> Result<Result<RootedPath, Sight>, StageError> {
        let resolved = match self.roots.resolve_recorded(self.root, path) {
            Ok(resolved) => resolved,
            Err(error) if error.kind() == ErrorKind::PathDenied => return Ok(Err(Sight::Omitted("denied"))),
            Err(error) if error.kind() == ErrorKind::PathEscape => return Ok(Err(Sight::Gone)),
            Err(error) => return Err(error.into()),
        };
        Ok(match self.roots.verdict_for_read(&resolved) {
            Verdict::Deny(ErrorKind::Secret, _) => Err(Sight::Omitted("secret")),
            Verdict::Deny(..) => Err(Sight::Omitted("denied")),
            Verdict::Allow | Verdict::Ask(_) => Ok(resolved),
        })
    }

    fn read(&self, path: &RootedPath) -> Result<Sight, FsError> {
        let mut reader = self.roots.open_reader(path)?;
        let before = *reader.stat();
        if before.size > self.max_file_size {
            return Ok(Sight::Omitted(TOO_LARGE));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0) + 1);
        let mut limited = (&mut reader).take(self.max_file_size + 1);
        limited.read_to_end(&mut bytes).map_err(|error| {
            let errno = rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO);
            FsError::os("read the file", errno, path.written())
        })?;
        if bytes.len() as u64 > self.max_file_size {
            return Ok(Sight::Omitted(TOO_LARGE));
        }
        let still = bytes.len() as u64 == before.size && reader.stat_now()?.identity() == before.identity();
        let young = before.ctime.seconds.saturating_add(RACY) >= seconds(self.now);
        let identity = (still && !young).then(|| packed(&before.identity()));
        let text = is_text(&bytes).then(|| Text {
            hash: blake3::hash(&bytes),
            executable: before.mode & 0o100 != 0,
            bytes,
            file: reader,
        });
        Ok(Sight::Read(Box::new(Looked { identity, text })))
    }
}

/// An identity in few bytes, to be compared.
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

/// A time on the wall, as file systems have it.
pub(super) fn seconds(now: SystemTime) -> i64 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
