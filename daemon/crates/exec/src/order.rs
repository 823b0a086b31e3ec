//! What is to be run, as data: nothing here starts anything.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One program to run, everything about it settled: found, approved, and what it may see decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The program's file, absolute, as [`super::find()`] found it.
    pub program: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// The folder that it starts in, absolute.
    pub folder: PathBuf,
    /// Its whole environment; see [`super::environment()`].
    pub environment: Vec<(OsString, OsString)>,
    /// Permission bits that its new files do not get: the client's own.
    pub umask: u32,
    /// How much it may use.
    pub bounds: Bounds,
    /// What it may touch; `None` means whatever its user may.
    pub enclosure: Option<Enclosure>,
}

/// How much a command may use before it is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How long it may take.
    pub time: Duration,
    /// Bytes of its standard output and error together that are kept.
    pub output: usize,
    /// Processes that it may have at a time.
    pub processes: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: Duration::from_secs(30), output: 10 << 20, processes: 2000 }
    }
}

/// What a command inside a sandbox may touch. The same for every sandbox; each keeps as much of it as it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// The project's root, absolute.
    pub root: PathBuf,
    /// Whether the root may be changed.
    pub access: Access,
    /// Folders besides the root that may be changed (`exec.writable`), absolute. Ones that are not there are left out.
    pub writable: Vec<PathBuf>,
    /// Files and folders that are not there for it: secrets, the daemon's socket and state. Absolute.
    pub hidden: Vec<PathBuf>,
    /// Below what is hidden, and there all the same. Absolute.
    pub shown: Vec<PathBuf>,
    /// The person's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// What stays as it is though it lies in a folder that may be changed, also when there is no such thing yet.
    pub protected: Vec<PathBuf>,
    /// What cannot be kept as it is, and is held against what it was when the command has ended.
    pub watched: Vec<PathBuf>,
    /// Whether it reaches a network.
    pub network: Network,
}

/// Whether a command may change files of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading only: programs that run without approval.
    Read,
    /// Reading and changing.
    Change,
}

/// Whether a command reaches a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// None at all, not even this machine's own addresses.
    Off,
    /// The machine's.
    On,
}
