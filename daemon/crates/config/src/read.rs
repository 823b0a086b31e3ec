//! Reads the two files, unless they are unchanged. The only part of this crate that touches files; knows
//! nothing of their contents.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::problem::Origin;

/// The most bytes of a configuration file.
const LARGEST: u64 = 1 << 20;
/// The most reads of a file that keeps changing. After them the last content is taken.
const TRIES: usize = 3;

/// The state of a file: device, inode, size, and the nanoseconds of the last change of its
/// content and of its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LayerStamp {
    identity: (u64, u64, u64),
    times: (i64, i64, i64, i64),
}

impl LayerStamp {
    fn new(metadata: &Metadata) -> LayerStamp {
        LayerStamp {
            identity: (metadata.dev(), metadata.ino(), metadata.size()),
            times: (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileReading {
    /// There is no such file.
    Absent,
    /// It still has the stamp that the caller knows.
    Unchanged,
    /// The content of the file. The stamp is absent if the file changed while it was being read.
    Text(Option<LayerStamp>, String),
    /// It exists and cannot be used: the reason, and the advice.
    Unusable(String, String),
}

impl FileReading {
    /// Returns a hash that differs for different contents, and for none.
    pub(super) fn hash(&self) -> blake3::Hash {
        let (kind, content) = match self {
            FileReading::Absent | FileReading::Unchanged => ("absent", ""),
            FileReading::Text(_, text) => ("text", text.as_str()),
            FileReading::Unusable(message, _) => ("unusable", message.as_str()),
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(kind.as_bytes()).update(b":").update(content.as_bytes());
        hasher.finalize()
    }
}

/// A configuration file, and how far it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LayerSource {
    /// The user's own file: links are followed, since users keep such files elsewhere.
    User(PathBuf),
    /// `.clada/config.yaml` below this root: no link is followed.
    Project(PathBuf),
}

impl LayerSource {
    /// Returns the origin of the settings in this file.
    pub(super) fn origin(&self) -> Origin {
        match self {
            LayerSource::User(path) => Origin::User(path.clone()),
            LayerSource::Project(root) => Origin::Project(root.join(".clada").join("config.yaml")),
        }
    }

    /// Reads the file, unless it has the stamp `known`.
    pub(super) fn read(&self, known: Option<&LayerStamp>) -> FileReading {
        let mut last = None;
        for _ in 0..TRIES {
            let outcome = self.open().and_then(|file| read_open(file, known));
            match outcome {
                Ok(FileReading::Text(None, text)) => last = Some(text),
                Ok(reading) => return reading,
                Err(error) => return refusal(&error),
            }
        }
        last.map_or(FileReading::Absent, |text| FileReading::Text(None, text))
    }

    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let descriptor: OwnedFd = match self {
            LayerSource::User(path) => openat(CWD, path, flags, Mode::empty())?,
            LayerSource::Project(root) => {
                let root = openat(CWD, root, flags | OFlags::DIRECTORY, Mode::empty())?;
                let folder = openat(&root, ".clada", flags | OFlags::NOFOLLOW, Mode::empty())?;
                openat(&folder, "config.yaml", flags | OFlags::NOFOLLOW, Mode::empty())?
            }
        };
        Ok(File::from(descriptor))
    }
}

fn read_open(mut file: File, known: Option<&LayerStamp>) -> io::Result<FileReading> {
    let metadata = file.metadata()?;
    let unusable =
        |message: &str, advice: &str| Ok(FileReading::Unusable(message.to_owned(), advice.to_owned()));
    if !metadata.is_file() {
        return unusable("it is not a regular file", "Put a file there, or remove it");
    }
    let stamp = LayerStamp::new(&metadata);
    if known == Some(&stamp) {
        return Ok(FileReading::Unchanged);
    }
    let too_large = ("it is larger than 1 MB", "Shorten it");
    if metadata.len() > LARGEST {
        return unusable(too_large.0, too_large.1);
    }
    let mut bytes = Vec::new();
    (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return unusable(too_large.0, too_large.1);
    }
    let after = LayerStamp::new(&file.metadata()?);
    let stable = (after == stamp).then_some(stamp);
    Ok(match String::from_utf8(bytes) {
        Ok(text) => {
            FileReading::Text(stable, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..valid]).count();
            FileReading::Unusable(format!("line {line} is not UTF-8"), "Save it as UTF-8".to_owned())
        }
    })
}

/// Converts an error of the operating system. A file that does not exist is no error.
fn refusal(error: &io::Error) -> FileReading {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    match code {
        Some(Errno::NOENT | Errno::NOTDIR) => FileReading::Absent,
        Some(Errno::LOOP | Errno::MLINK) => FileReading::Unusable(
            "it, or the folder that it is in, is a symbolic link".to_owned(),
            "Put a regular file there, or remove the link".to_owned(),
        ),
        _ => FileReading::Unusable(
            format!("it cannot be read: {error}"),
            "Make it readable, or remove it".to_owned(),
        ),
    }
}
