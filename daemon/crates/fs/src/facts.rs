//! Everything that the system knows about one entry, for callers that ask for it by name.
//!
//! Never follows a symbolic link. Decisions rest on [`Stat`]; these facts are only displayed.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{Stat, Timestamp};

/// The type of an entry, as `ls` and `find` show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device that is read in blocks.
    BlockDevice,
    /// A device that is read byte by byte.
    CharacterDevice,
}

/// The facts about one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The facts known of every entry.
    pub stat: Stat,
    /// Its type.
    pub form: Form,
    /// Its mode with the bits of its type.
    pub raw_mode: u32,
    /// The time of its last read.
    pub accessed: Timestamp,
    /// The time of its creation, if the file system records it.
    pub born: Option<Timestamp>,
    /// The blocks of 512 bytes that it occupies.
    pub blocks: u64,
    /// The best number of bytes to read at a time.
    pub block_size: u64,
    /// The two numbers of a device; for other entries without meaning.
    pub device: (u32, u32),
    /// The two numbers of the device that it lies on.
    pub lies_on: (u32, u32),
}

impl Roots {
    /// Returns the facts about the entry at `path`, to be shown: of a sealed secret without how large it is.
    /// `None` if there is no entry.
    pub fn facts(&self, path: &RootedPath) -> Result<Option<Facts>, FsError> {
        let stat_result = if path.is_root() {
            let folder = self.root_folder(path.root());
            rustix::fs::fstat(folder).map(|raw| facts_from(&raw, born(folder, Path::new(""))))
        } else {
            self.parent_of(path).and_then(|(folder, name)| {
                let raw = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)?;
                Ok(facts_from(&raw, born(folder.as_fd(), Path::new(name))))
            })
        };
        match stat_result {
            Ok(facts) => {
                let stat = self.to_show(path, facts.stat);
                let blocks = if stat == facts.stat { facts.blocks } else { 0 };
                Ok(Some(Facts { stat, blocks, ..facts }))
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(self.error("look at the file", errno, path)),
        }
    }
}

// The widths and signs of the fields differ from platform to platform; the casts keep their meaning.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
fn facts_from(raw: &rustix::fs::Stat, born: Option<Timestamp>) -> Facts {
    let numbers = |device| (rustix::fs::major(device), rustix::fs::minor(device));
    Facts {
        stat: Stat::from_raw(raw),
        form: match FileType::from_raw_mode(raw.st_mode) {
            FileType::Directory => Form::Directory,
            FileType::Symlink => Form::Symlink,
            FileType::Fifo => Form::Fifo,
            FileType::Socket => Form::Socket,
            FileType::BlockDevice => Form::BlockDevice,
            FileType::CharacterDevice => Form::CharacterDevice,
            FileType::RegularFile | FileType::Unknown => Form::File,
        },
        raw_mode: raw.st_mode as u32,
        accessed: Timestamp { seconds: raw.st_atime as i64, nanoseconds: raw.st_atime_nsec as u32 },
        born,
        blocks: u64::try_from(raw.st_blocks).unwrap_or(0),
        block_size: u64::try_from(raw.st_blksize).unwrap_or(0),
        device: numbers(raw.st_rdev),
        lies_on: numbers(raw.st_dev),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn born(folder: BorrowedFd<'_>, name: &Path) -> Option<Timestamp> {
    use rustix::fs::{StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let stat = statx(folder, name, flags, StatxFlags::BTIME).ok()?;
    let known = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
    known.then_some(Timestamp { seconds: stat.stx_btime.tv_sec, nanoseconds: stat.stx_btime.tv_nsec })
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn born(_: BorrowedFd<'_>, _: &Path) -> Option<Timestamp> {
    None
}
