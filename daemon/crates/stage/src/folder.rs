//! Staging folders: makes and fills them, through descriptors alone.
//!
//! A folder is made under an unguessable name, for its owner alone, and has a marker inside whose token the
//! store knows, too. Every file that is put into it gets one time stamp of the past, its mtime marker:
//! a file that is written later has another one, so that [`super::remove`] recognizes clada's files without a
//! list of them. Must not know which files are staged, and why.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;

use super::error::StageError;
use super::reader::ReadText;

const PREFIX: &str = "clada-stage-";

pub(super) const MARKER: &str = ".clada-stage";

/// Seconds that an mtime marker lies in the past, so that nothing that is written later has it, whatever the
/// file system rounds.
const PAST: i64 = 60;

const WORTH_CLONING: usize = 64 << 10;

pub(super) type MtimeMarker = (i64, u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileMark {
    /// Device and inode.
    pub place: (u64, u64),
    /// Bytes.
    pub size: u64,
    /// The time when its content changed last.
    pub mtime: MtimeMarker,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Its path.
    pub path: PathBuf,
    /// The content of its marker.
    pub token: String,
    /// The time stamp of what is put into it.
    pub(crate) mtime_marker: MtimeMarker,
}

impl Plan {
    pub(super) fn new(within: &Path, root: &Path, now: SystemTime) -> Result<Plan, StageError> {
        let fail = |error| StageError::folder("use the folder for staging folders", within, error);
        let resolved = match within.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Checked before anything is made in the project.
                let above = within.ancestors().find_map(|above| above.canonicalize().ok());
                if above.is_some_and(|above| above.starts_with(root)) {
                    return Err(StageError::Inside(within.to_path_buf()));
                }
                let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(within);
                created.and_then(|()| within.canonicalize())
            }
            outcome => outcome,
        };
        let resolved = resolved.map_err(fail)?;
        if resolved.starts_with(root) {
            return Err(StageError::Inside(resolved));
        }
        let random = |what: u8| RandomState::new().hash_one(what);
        let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let seconds = i64::try_from(seconds).unwrap_or_default() - PAST;
        Ok(Plan {
            path: resolved.join(format!("{PREFIX}{:016x}", random(0))),
            token: format!("{:016x}{:016x}", random(1), random(2)),
            mtime_marker: (seconds, u32::try_from(random(3) % 1_000_000_000).unwrap_or_default()),
        })
    }
}

pub(super) fn marker(token: &str) -> String {
    format!("{token}\nclada staged files here and deletes the folder when it stages again.\n")
}

#[derive(Debug)]
pub(super) struct StageFolder {
    path: PathBuf,
    folder: OwnedFd,
    mtime_marker: MtimeMarker,
    clones: bool,
}

#[derive(Debug)]
pub(super) struct CompleteFolder {
    /// Device and inode.
    pub place: (u64, u64),
    /// The time stamp of its files, as the file system keeps it.
    pub(crate) mtime_marker: MtimeMarker,
    /// Its manifest.
    pub manifest: FileMark,
}

impl StageFolder {
    pub(super) fn make(plan: &Plan) -> Result<StageFolder, StageError> {
        let path = plan.path.as_path();
        let fail = |errno: Errno| StageError::folder("make the staging folder", path, errno);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(fail(Errno::INVAL));
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = rustix::fs::openat(CWD, parent, flags, Mode::empty()).map_err(fail)?;
        rustix::fs::mkdirat(&parent, name, Mode::RWXU).map_err(fail)?;
        let folder =
            rustix::fs::openat(&parent, name, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(fail)?;
        // The umask may have removed some bits.
        rustix::fs::fchmod(&folder, Mode::RWXU).map_err(fail)?;
        let folder =
            StageFolder { path: path.to_path_buf(), folder, mtime_marker: plan.mtime_marker, clones: true };
        folder.put(MARKER, marker(&plan.token).as_bytes())?;
        Ok(folder)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StageError> {
        self.fill(name, false, |file| write_all(file, bytes)).map(drop)
    }

    pub(super) fn copy(&mut self, name: &str, text: &ReadText) -> Result<(), StageError> {
        let mut clones = self.clones && text.bytes.len() >= WORTH_CLONING;
        self.fill(name, text.executable, |file| {
            if clones {
                clones = clone(file, text)?;
            }
            if clones { Ok(()) } else { write_all(file, &text.bytes) }
        })?;
        self.clones &= clones || text.bytes.len() < WORTH_CLONING;
        Ok(())
    }

    pub(super) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> Result<(), StageError>,
    ) -> Result<FileMark, StageError> {
        let file = self.create(name).map_err(|errno| self.failed(name, errno))?;
        let mut out = BufWriter::with_capacity(1 << 16, std::fs::File::from(file));
        write(&mut out)?;
        let file = out.into_inner().map_err(|error| self.failed(name, error.into_error()))?;
        self.set_mtime_marker(file.as_fd()).map_err(|errno| self.failed(name, errno))
    }

    pub(super) fn link(&self, other: &Record, name: &str, mark: &FileMark) -> bool {
        let Ok(from) = other.open() else { return false };
        let is_same = |folder: BorrowedFd<'_>| stat_mark(folder, name).is_ok_and(|now| now == *mark);
        if !is_same(from.as_fd())
            || rustix::fs::linkat(&from, name, &self.folder, name, AtFlags::empty()).is_err()
        {
            return false;
        }
        is_same(self.folder.as_fd())
    }

    /// No file is put into it afterwards.
    pub(super) fn finish(self, manifest: FileMark) -> Result<CompleteFolder, StageError> {
        let fail = |errno: Errno| StageError::folder("look at the staging folder", &self.path, errno);
        let stat = rustix::fs::fstat(&self.folder).map_err(fail)?;
        let mtime_marker = stat_mark(self.folder.as_fd(), MARKER).map_err(fail)?.mtime;
        Ok(CompleteFolder { place: place(&stat), mtime_marker, manifest })
    }

    fn fill(
        &self,
        name: &str,
        executable: bool,
        fill: impl FnOnce(BorrowedFd<'_>) -> Result<(), Errno>,
    ) -> Result<FileMark, StageError> {
        let filled = self.create(name).and_then(|file| {
            fill(file.as_fd())?;
            if executable {
                // The mode of the copy records for the way back that the file was executable.
                rustix::fs::fchmod(&file, Mode::RWXU)?;
            }
            self.set_mtime_marker(file.as_fd())
        });
        filled.map_err(|errno| self.failed(name, errno))
    }

    fn create(&self, name: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)
    }

    fn set_mtime_marker(&self, file: BorrowedFd<'_>) -> Result<FileMark, Errno> {
        let time = Timespec { tv_sec: self.mtime_marker.0, tv_nsec: self.mtime_marker.1.into() };
        rustix::fs::futimens(file, &Timestamps { last_access: time, last_modification: time })?;
        rustix::fs::fstat(file).map(|stat| mark(&stat))
    }

    fn failed(&self, name: &str, error: impl Into<io::Error>) -> StageError {
        StageError::folder("write", &self.path.join(name), error)
    }
}

pub(super) fn stat_mark(folder: BorrowedFd<'_>, name: &str) -> Result<FileMark, Errno> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| mark(&stat))
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
pub(super) fn place(stat: &rustix::fs::Stat) -> (u64, u64) {
    // The widths and signs of the fields differ between platforms; each is read as what it means.
    (stat.st_dev as u64, stat.st_ino as u64)
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
pub(super) fn mark(stat: &rustix::fs::Stat) -> FileMark {
    FileMark {
        place: place(stat),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
    }
}

fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(file, bytes))?;
        bytes = &bytes[written..];
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn clone(file: BorrowedFd<'_>, text: &ReadText) -> Result<bool, Errno> {
    // If the shared content is not the content that was read, the clone is dropped.
    use std::io::Read as _;

    if rustix::fs::ioctl_ficlone(file, &text.file).is_err() {
        return Ok(false);
    }
    let read = file.try_clone_to_owned().and_then(|own| {
        let mut read = Vec::with_capacity(text.bytes.len());
        std::fs::File::from(own).take(text.bytes.len() as u64 + 1).read_to_end(&mut read)?;
        Ok(read)
    });
    if read.is_ok_and(|read| read == text.bytes) {
        return Ok(true);
    }
    rustix::fs::ftruncate(file, 0)?;
    rustix::fs::seek(file, rustix::fs::SeekFrom::Start(0))?;
    Ok(false)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn clone(_file: BorrowedFd<'_>, _text: &ReadText) -> Result<bool, Errno> {
    Ok(false)
}

#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The path where it was made.
    pub path: PathBuf,
    /// The token of its marker.
    pub token: String,
    /// The time stamp of its files.
    pub(crate) mtime_marker: MtimeMarker,
    /// Its identity, and the name and marks of its manifest; `None`: it was never complete, and was never
    /// handed over.
    pub completed: Option<((u64, u64), String, FileMark)>,
}
