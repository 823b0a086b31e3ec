//! Reads and writes a project's files; the only crate that changes them.
//!
//! Its promises, and the means to keep them:
//!
//! - **No path leaves a root.** A [`RootedPath`] comes only from [`Roots::resolve`] (or, name by name, from a
//!   directory), which resolves `..` as text and refuses paths that the user did not allow. The kernel
//!   resolves the text on disk: folders are opened beneath a descriptor held since [`Roots::open`], and no
//!   symbolic link is followed ([`Backend`]). To check a path and then use it by name would lose races; here
//!   only the last component is used by name, in a folder that is open.
//! - **Names that are never touched** (`.git`, `.clada`, the `denied` globs) are refused when a path is
//!   resolved, in every disguise that a file system may see through. A [`Verdict`], which the planner asks
//!   for, says whether a path needs the user's approval or is held back as a secret.
//! - **No file is half-written.** [`Roots::prepare`] writes a file alongside its target and gives it the
//!   target's mode, owner and attributes; [`sync_all`] flushes many at once; [`Prepared::publish`]
//!   checks once more that the target is as [`Expected`] and renames. [`DirtyFolders`] flushes each
//!   changed folder once, at the end.
//! - **Errors are sentences.** An [`FsError`] displays as `{issue} '{path}' ({CODE})`, so that a caller
//!   writes `{operation}: {error}`; its kind is for programs.
//! - **Every changing call can be made to fail**, by [`Faults`] in the [`Options`], for tests.
//!
//! Must not know actions, dialects, configuration files, git or the journal. Synchronous throughout; async
//! callers use a thread that may block. Linux and macOS; features of Linux alone (`openat2`, POSIX ACLs as
//! attributes) have a fallback or are left out where they are used.
//!
//! ```no_run
//! use clada_fs::{Expected, Like, Options, PathPolicy, PolicyGlobs, Roots, DirtyFolders};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = PathPolicy::new(&PolicyGlobs::default())?;
//! let roots = Roots::open("/home/ann/project".as_ref(), &[], &[], policy, Options::default())?;
//! let path = roots.resolve("src/main.rs")?;
//! let old = roots.read(&path, 10 << 20)?;
//! let mut new = roots.prepare(&path, b"fn main() {}\n", Like::Existing(&path))?;
//! new.sync()?;
//! new.publish(Expected::Identity(old.identity()))?;
//! let mut dirty = DirtyFolders::new();
//! dirty.changed(&path);
//! dirty.sync_all(&roots)?;
//! # Ok(())
//! # }
//! ```

mod confine;
mod decoded;
mod dir;
mod enclosing;
mod entry;
mod error;
mod executable_config;
mod facts;
mod faults;
mod folder_identity;
mod folder_rules;
mod globs;
mod ignores;
mod keyed;
mod lock;
mod metadata;
mod names;
mod options;
mod origins;
mod path;
mod policy;
mod read;
mod regular;
mod rename;
mod replace;
mod resolve;
mod rights;
mod root;
mod rule_lists;
mod sealed;
mod stat;
mod survey;
mod sys;
mod walk;

#[cfg(test)]
mod tests;

pub use confine::Backend;
pub use decoded::{DecodedText, NotText, TextEncoding, is_text};
pub use dir::{DirEntry, DirtyFolders, Listing};
pub use entry::Expected;
pub use error::FsError;
pub use executable_config::{makes_bare_repository, runs_as_hook};
pub use facts::{Facts, Form};
pub use faults::{Call, Faults};
pub use folder_identity::{FolderIdentity, NoIdentity};
pub use folder_rules::{FolderRules, RulesSource};
pub use globs::GlobError;
pub use ignores::IgnoreConfig;
pub use keyed::{Text, names_program};
pub use lock::RootLock;
pub use metadata::Metadata;
pub use names::{is_temp_name, temp_name};
pub use options::{Confinement, Durability, Links, Options, ReadOnlyFiles, Secrets};
pub use origins::RuleOrigins;
pub use path::{MAX_NAME, RootedPath};
pub use policy::{PathPolicy, PolicyCompiler, RuleKinds, Verdict};
pub use read::{Content, FileReader};
pub use regular::{Symlinks, is_regular_or_missing, open_own, open_regular, read_regular};
pub use rename::Moved;
pub use replace::{Like, Prepared, WriteMore, sync_all};
pub use rights::FolderAccess;
pub use root::Roots;
pub use rule_lists::{PolicyGlobs, WhyAsked};
pub use stat::{FileKind, Identity, Stat, Timestamp};
pub use survey::{
    FolderContents, FolderEntry, IgnoreRules, OpenFolder, is_ignore_file, is_outside, is_owned,
};
pub use walk::{Ignored, Ignoring, Specials, Walk, WalkItem, WalkOptions};
