//! `review` as it is written.

use std::ffi::OsString;

use clap::Args;

use super::values::duration_ms;
use super::{Apply, Commits, Match};

pub(super) const REVIEW_EXAMPLES: &str = "Examples:
  clada-client review response.md
  clada-client review --paste
  clada-client review kvm
  clada-client review";

#[derive(Debug, Args)]
pub(crate) struct Review {
    /// An answer's file, - for standard input, or the id of an operation or plan [default: list waiting
    /// answers and history; piped standard input is an answer]
    #[arg(value_name = "OP|PLAN|FILE")]
    pub(crate) subject: Option<OsString>,
    /// Read the answer from the clipboard
    #[arg(long, conflicts_with = "subject")]
    pub(crate) paste: bool,
    /// Also copy the report for the model to the clipboard
    #[arg(long)]
    pub(crate) copy: bool,
    /// Read only this dialect; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// How closely an edit must match the file [default: set by its dialect]
    #[arg(long = "match", value_enum, value_name = "LEVEL")]
    pub(crate) match_level: Option<Match>,
    /// Show the whole answer, including edits already in place
    #[arg(long)]
    pub(crate) again: bool,
    /// Time limit for each command, such as 30s or 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub(crate) timeout: Option<u64>,
    /// Also read and change files that hold secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
    #[command(flatten)]
    pub(crate) commits: Commits,
}

impl Review {
    pub(crate) fn apply(&self) -> Apply {
        Apply {
            paste: self.paste,
            copy: self.copy,
            interactive: true,
            dialect: self.dialect.clone(),
            match_level: self.match_level,
            again: self.again,
            // The findings of guards are shown with the change, and the user decides.
            literal: false,
            timeout: self.timeout,
            include_secrets: self.include_secrets,
            commits: self.commits.clone(),
            ..Apply::default()
        }
    }
}
