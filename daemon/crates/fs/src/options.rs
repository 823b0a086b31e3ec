//! How to treat files, as values: chosen by configuration and flags, obeyed by the rest of the room.

use super::confine::Backend;
use super::faults::Faults;

/// Whether a change is on the medium before the next step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// fsync of every file and folder changed.
    #[default]
    Full,
    /// No fsync: after a crash of the machine a file may be old, new or empty.
    Fast,
}

/// What symbolic links mean to reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// They are refused.
    #[default]
    Refuse,
    /// Reads follow those that stay in a root and lead to nothing denied or secret.
    FollowInReads,
}

/// Whether the roots hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confinement {
    /// Only the roots.
    #[default]
    Roots,
    /// A person said `--allow-escape`: `/` is the last root. Denied globs still hold.
    WholeSystem,
}

/// How to treat files, apart from which.
#[derive(Debug, Clone)]
pub struct Options {
    /// How folders are opened.
    pub backend: Backend,
    /// Whether reads follow symbolic links.
    pub links: Links,
    /// Whether paths may leave the roots.
    pub confinement: Confinement,
    /// Whether to wait for the medium.
    pub durability: Durability,
    /// Permission bits that new files and folders do not get.
    pub umask: u32,
    /// Failures that tests inject.
    pub faults: Faults,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            backend: Backend::default(),
            links: Links::default(),
            confinement: Confinement::default(),
            durability: Durability::default(),
            umask: 0o022,
            faults: Faults::default(),
        }
    }
}
