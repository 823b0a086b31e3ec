//! Makes clada's commits in a git repository before and after an operation, and undoes them.
//!
//! Works in process, through libgit2 without network: never runs a program, hook, filter or file system
//! monitor of the repository, and never fetches or pushes. Contents come in as bytes ([`Changed`]). The
//! work tree is read only to record in the index how its files look now, or when the user asked for all
//! dirty files to be committed.
//!
//! Must not know actions, dialects, sessions or the journal, and never changes a file of the
//! project except in [`GitRepository::make_move`], for a step that a user asks for. The caller holds the lock
//! of the root of the project.

mod aside;
mod before;
mod clean;
mod commit;
mod content;
mod difference;
mod dirty;
mod discover;
mod entry_flags;
mod error;
mod head;
mod head_move;
mod hooks;
mod ignored;
mod includes;
mod index;
mod index_lock;
mod obeyed;
mod operation;
mod pinned;
mod private_git;
mod renamed;
mod repository;
mod retract;
mod shadow;
mod special;
mod squash;
mod staged;
mod step;
mod tracked;
mod tree;
mod user_gitignore;
mod work_tree;

pub use clada_config::{GitBefore, GitMode};

#[cfg(test)]
mod tests;

pub use before::Before;
pub use clean::{BlobId, CleanFiles, IndexStamp};
pub use commit::Commission;
pub use content::{Changed, Content};
pub use error::{GitError, Unusable};
pub use head_move::{FailedMove, MoveOptions, MoveOutcome, PlannedMove, PlannedStep};
pub use hooks::folders as hook_folders;
pub use index::HeadAndIndex;
pub use obeyed::{Obeyed, folders as obeyed_folders};
pub use operation::Uncommitted;
pub use pinned::{HeadPosition, Pinned};
pub use private_git::{Located, PrivateGit, Unfit, alone as git_alone, make as make_private_git, waited_for};
pub use renamed::Renamed;
pub use repository::GitRepository;
pub use retract::Retracted;
pub use squash::{PlannedSquash, Squash, SquashWhich};
pub use tracked::{not_checked_out, tracked};
pub use user_gitignore::{GitUser, UserGitignore};
