//! The project's `.clada/allowed-commands.json`: read and written without following a link.
//!
//! Another author may have put the content of a project there, so nothing of it is believed; it is read
//! within bounds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

const FOLDER: &str = ".clada";
const FILE: &str = "allowed-commands.json";
const LARGEST: u64 = 1 << 20;

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    /// The commands.
    pub commands: BTreeSet<String>,
    /// The time at which each was added, in RFC 3339.
    #[serde(default)]
    pub added: BTreeMap<String, String>,
}

// The reason why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProposalError {
    // The system refuses.
    #[error("cannot {operation} .clada/allowed-commands.json: {error}")]
    Io {
        // The operation that failed.
        operation: &'static str,
        // The system's error.
        error: io::Error,
    },
    // The file is not of this format.
    #[error(".clada/allowed-commands.json cannot be understood: {0}")]
    Nonsense(String),
}

fn io(operation: &'static str) -> impl FnOnce(Errno) -> ProposalError {
    move |errno| ProposalError::Io { operation, error: errno.into() }
}

impl Proposal {
    // Returns the proposal of the project at `root`; an empty one if there is no such file.
    pub(crate) fn read(root: &Path) -> Result<Proposal, ProposalError> {
        let folder = match open_folder(root) {
            Err(Errno::NOENT) => return Ok(Proposal::default()),
            opened => opened.map_err(io("read"))?,
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&folder, FILE, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(Proposal::default()),
            opened => File::from(opened.map_err(io("read"))?),
        };
        let of_io = |error| ProposalError::Io { operation: "read", error };
        let metadata = file.metadata().map_err(of_io)?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Err(ProposalError::Nonsense("it is not a file of at most 1 MB".to_owned()));
        }
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).map_err(of_io)?;
        serde_json::from_str(&text).map_err(|error| ProposalError::Nonsense(error.to_string()))
    }

    pub(crate) fn write(&self, root: &Path) -> Result<(), ProposalError> {
        let top = open_root(root).map_err(io("write"))?;
        match rustix::fs::mkdirat(&top, FOLDER, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(io("write")(errno)),
        }
        let folder = open_folder(root).map_err(io("write"))?;
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        let beside = format!(".{FILE}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let _ = rustix::fs::unlinkat(&folder, beside.as_str(), rustix::fs::AtFlags::empty());
        let file = rustix::fs::openat(&folder, beside.as_str(), flags, Mode::from_raw_mode(0o644));
        let mut file = File::from(file.map_err(io("write"))?);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let written = written.map_err(|error| ProposalError::Io { operation: "write", error });
        let placed = written.and_then(|()| {
            rustix::fs::renameat(&folder, beside.as_str(), &folder, FILE).map_err(io("write"))
        });
        if placed.is_err() {
            let _ = rustix::fs::unlinkat(folder.as_fd(), beside.as_str(), rustix::fs::AtFlags::empty());
        }
        placed
    }
}

fn open_root(root: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, root, flags, Mode::empty())
}

fn open_folder(root: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(open_root(root)?, FOLDER, flags, Mode::empty())
}
