//! `review` as it is written.

use std::ffi::OsString;

use clap::Args;

use super::{Apply, Commits, Match};
use crate::settings;

pub(super) const REVIEW_EXAMPLES: &str = "Examples:
  clada-client review response.md
  clada-client review --paste
  clada-client review kvm
  clada-client review";

#[derive(Debug, Args)]
pub(crate) struct Review {
    /// A file with an answer, - for standard input, an operation or a plan [default: what waits, and what was
    /// done; what is not typed on standard input is an answer]
    #[arg(value_name = "OP|PLAN|FILE")]
    pub(crate) subject: Option<OsString>,
    /// Take the answer from the clipboard
    #[arg(long, conflicts_with = "subject")]
    pub(crate) paste: bool,
    /// Copy the report for the model to the clipboard, too
    #[arg(long)]
    pub(crate) copy: bool,
    /// Look only for this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// The tolerance in matching an edit with the text of a file [default: as its dialect has it]
    #[arg(long = "match", value_enum, value_name = "LEVEL")]
    pub(crate) match_level: Option<Match>,
    /// Show all of an answer, also what of it was applied before and stands
    #[arg(long)]
    pub(crate) again: bool,
    /// The most time for each command, as in 30s or 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = settings::duration_ms)]
    pub(crate) timeout: Option<u64>,
    /// Read and change files that are held back as secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
    #[command(flatten)]
    pub(crate) commits: Commits,
}

impl Review {
    /// Returns the same as `apply --interactive` would have it.
    pub(crate) fn apply(&self) -> Apply {
        Apply {
            paste: self.paste,
            copy: self.copy,
            interactive: true,
            dialect: self.dialect.clone(),
            match_level: self.match_level,
            again: self.again,
            // The findings of guards are shown with the change, and the user decides.
            literal: true,
            timeout: self.timeout,
            include_secrets: self.include_secrets,
            commits: self.commits.clone(),
            ..Apply::default()
        }
    }
}
