//! The command to run, as data. Nothing here starts anything.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to run, with every decision about it made: it is found, approved, and its enclosure is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// The program's file, absolute, as [`super::find()`] found it.
    pub program: PathBuf,
    /// The arguments, without the program's name.
    pub arguments: Vec<OsString>,
    /// The folder that it starts in, absolute.
    pub folder: PathBuf,
    /// The whole environment; see [`super::environment()`].
    pub environment: Vec<(OsString, OsString)>,
    /// The umask of the client: permission bits that new files do not get.
    pub umask: u32,
    /// The limits of its time, output and processes.
    pub bounds: Bounds,
    /// The paths and the network that it may reach; `None` leaves it whatever its user may do.
    pub enclosure: Option<Enclosure>,
}

/// The limits beyond which a command is ended, or its output cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most time it may take.
    pub time: Duration,
    /// The most bytes of its standard output and error together that are kept.
    pub output: usize,
    /// The most processes that it may have at a time.
    pub processes: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: Duration::from_secs(30), output: 10 << 20, processes: 2000 }
    }
}

/// The paths and the network that a command inside a sandbox may reach. It is the same for every sandbox;
/// each enforces as much of it as it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// The project's root, absolute.
    pub root: PathBuf,
    /// The access to the root.
    pub access: Access,
    /// Folders other than the root that may be changed (`exec.writable`), absolute. Missing ones are left
    /// out.
    pub writable: Vec<PathBuf>,
    /// Files and folders that the command does not see: secrets, the daemon's socket and state. Absolute.
    pub hidden: Vec<PathBuf>,
    /// Paths below hidden ones that the command sees all the same. Absolute.
    pub shown: Vec<PathBuf>,
    /// The user's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// Paths that stay as they are though they lie in a folder that may be changed, also if they do not exist
    /// yet.
    pub protected: Vec<PathBuf>,
    /// Paths that cannot be protected: their state after the command is compared with that before.
    pub watched: Vec<PathBuf>,
    /// The network that the command reaches.
    pub network: Network,
}

/// The access of a command to files of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading only: programs that run without approval.
    Read,
    /// Reading and changing.
    Change,
}

/// The network that a command reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// None at all, not even this machine's own addresses.
    Off,
    /// The machine's.
    On,
}
