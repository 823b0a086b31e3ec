//! Flags that are common to the commands that change files.

use clada_protocol::{Approve, GitWhere};
use clap::Args;

use super::GitMode;

// No doc comment: clap would show it in place of what a command does.
#[derive(Debug, Default, Args)]
pub(crate) struct Approval {
    /// Approve everything that needs approval
    #[arg(long, conflicts_with = "approve")]
    pub(crate) approve_all: bool,
    /// Approve the change with this id; repeatable
    #[arg(long, value_name = "ID")]
    pub(crate) approve: Vec<String>,
}

impl Approval {
    pub(crate) fn param(&self) -> Option<Approve> {
        match (self.approve_all, &self.approve[..]) {
            (true, _) => Some(Approve::All),
            (false, []) => None,
            (false, ids) => Some(Approve::Ids(ids.to_vec())),
        }
    }
}

// No doc comment, as above.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Commits {
    /// Where commits go [default: set by git.mode]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) git: Option<GitMode>,
    /// Make no commits; same as --git off
    #[arg(long, conflicts_with = "git")]
    pub(crate) no_git: bool,
    /// The author of commits: a name, or 'Name <address>'
    #[arg(long, value_name = "AUTHOR")]
    pub(crate) git_author: Option<String>,
}

impl Commits {
    pub(crate) fn place(&self) -> Option<GitWhere> {
        if self.no_git { Some(GitWhere::Off) } else { self.git.map(Into::into) }
    }
}
