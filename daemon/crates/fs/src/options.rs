//! The options for file access, as values: chosen by configuration and flags, obeyed
//! by the rest of the crate.

use std::path::PathBuf;

use super::confine::Backend;
use super::faults::Faults;

/// The degree to which a change is on the medium before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// fsync of every file and folder changed.
    #[default]
    Full,
    /// No fsync: after a crash of the machine a file may be old, new or empty.
    Fast,
}

/// The treatment of symbolic links by reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// Links are refused.
    #[default]
    Refuse,
    /// Reads follow links that stay in a root and lead to nothing denied or secret.
    FollowInReads,
}

/// The area that paths are confined to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confinement {
    /// Only the roots.
    #[default]
    Roots,
    /// The whole system, since the user gave `--allow-escape`: `/` is the last root.
    /// Denied globs still apply.
    WholeSystem,
}

/// The treatment of files that are held back as secrets, besides that they are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Secrets {
    /// They may be changed, since that shows nothing to a person that is not theirs.
    #[default]
    Changeable,
    /// Nothing is done with one that is there: whether a change fails would tell what it holds, bit by bit.
    Sealed,
}

/// The treatment of files that clada's user may not write, in a folder that it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadOnlyFiles {
    /// They are not replaced: the bit states the intent of the owner.
    #[default]
    Refuse,
    /// They are: a user wants what was there before.
    Replace,
}

/// The options for all access to files.
#[derive(Debug, Clone)]
pub struct Options {
    /// The way to open folders.
    pub backend: Backend,
    /// The treatment of symbolic links by reads.
    pub links: Links,
    /// The area that paths are confined to.
    pub confinement: Confinement,
    /// The degree of durability.
    pub durability: Durability,
    /// Permission bits that new files and folders do not get.
    pub umask: u32,
    /// Folders that are never changed, resolved: what clada keeps for its user.
    pub protected_folders: Vec<PathBuf>,
    /// The treatment of secrets.
    pub secrets: Secrets,
    /// The treatment of read-only files.
    pub read_only_files: ReadOnlyFiles,
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
            protected_folders: Vec::new(),
            secrets: Secrets::default(),
            read_only_files: ReadOnlyFiles::default(),
            faults: Faults::default(),
        }
    }
}
