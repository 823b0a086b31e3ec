//! What clada leaves in a git repository: commits before and after an operation, and what takes them back.
//!
//! In process, through libgit2 without network: no program, hook, filter or file system monitor of the repository is
//! ever run, and nothing is fetched or pushed. Contents come in as bytes ([`Changed`]); the work tree is looked at
//! only to tell git what its files look like now, or when the person asked for everything that is dirty.
//!
//! Must not know actions, dialects, sessions or the journal, and never changes a file of the project. The caller
//! holds the lock of the root of the project.

mod commit;
mod content;
mod dirty;
mod discover;
mod error;
mod head;
mod index;
mod operation;
mod retract;
mod settings;
mod shadow;
mod staged;
mod tree;
mod turn;

#[cfg(test)]
mod tests;

pub use commit::Author;
pub use content::{Changed, Content};
pub use discover::{GitRepository, Unusable};
pub use error::GitError;
pub use operation::{Before, Commission};
pub use retract::Retracted;
pub use settings::{GitBefore, GitMode};
