//! The system's facts about an entry, in one shape for every platform, and the identity of a file.
//!
//! Pure conversion of `stat` results; opens nothing.

use std::time::{Duration, SystemTime};

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

/// The type of an entry, without following a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link itself.
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl FileKind {
    pub(super) fn from_type(file_type: FileType) -> Option<FileKind> {
        match file_type {
            FileType::RegularFile => Some(FileKind::File),
            FileType::Directory => Some(FileKind::Directory),
            FileType::Symlink => Some(FileKind::Symlink),
            FileType::Unknown => None,
            _ => Some(FileKind::Special),
        }
    }
}

/// A point in time as the file system keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp {
    /// Seconds since 1970, negative before.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> SystemTime {
        let whole = Duration::from_secs(time.seconds.unsigned_abs());
        let base = if time.seconds < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(whole)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(whole)
        };
        let base = base.unwrap_or(SystemTime::UNIX_EPOCH);
        base.checked_add(Duration::from_nanos(u64::from(time.nanoseconds))).unwrap_or(base)
    }
}

/// The facts about one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The type of the entry.
    pub kind: FileKind,
    /// The size in bytes.
    pub size: u64,
    /// Permission bits with setuid, setgid and sticky: `0o7777` at most.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last change of the content.
    pub mtime: Timestamp,
    /// Last change of content or metadata, which cannot be set back.
    pub ctime: Timestamp,
    /// Number of hard links.
    pub nlink: u64,
    /// Device.
    pub dev: u64,
    /// Inode.
    pub ino: u64,
}

/// Identifies a file together with its content.
///
/// A replaced file has another inode, a changed one another ctime. Only two changes within one tick of the
/// file system's clock that keep the size go unnoticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Device.
    pub dev: u64,
    /// Inode.
    pub ino: u64,
    /// Bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Timestamp,
    /// Last change of content or metadata.
    pub ctime: Timestamp,
}

impl Stat {
    /// Returns the identity, to compare later.
    pub fn identity(&self) -> Identity {
        Identity { dev: self.dev, ino: self.ino, size: self.size, mtime: self.mtime, ctime: self.ctime }
    }

    /// Returns whether it is the same entry, even if its content has changed.
    pub fn same_file(&self, other: &Stat) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    // The widths and signs of the fields differ from platform to platform; the casts keep their meaning.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
    pub(super) fn from_raw(raw: &rustix::fs::Stat) -> Stat {
        let kind = FileKind::from_type(FileType::from_raw_mode(raw.st_mode)).unwrap_or(FileKind::Special);
        Stat {
            kind,
            size: u64::try_from(raw.st_size).unwrap_or(0),
            mode: raw.st_mode as u32 & 0o7777,
            uid: raw.st_uid as u32,
            gid: raw.st_gid as u32,
            mtime: Timestamp { seconds: raw.st_mtime as i64, nanoseconds: raw.st_mtime_nsec as u32 },
            ctime: Timestamp { seconds: raw.st_ctime as i64, nanoseconds: raw.st_ctime_nsec as u32 },
            nlink: raw.st_nlink as u64,
            dev: raw.st_dev as u64,
            ino: raw.st_ino as u64,
        }
    }
}
