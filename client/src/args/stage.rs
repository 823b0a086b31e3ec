//! The flags of `stage` and `unstage`.

use std::path::PathBuf;

use clada_protocol::StageManifest;
use clap::Args;

use super::{Approval, Commits, Detail};

pub(crate) const STAGE_EXAMPLES: &str = "Examples:
  open $(clada-client stage)
  clada-client stage --all
  clada-client stage --dry-run
  clada-client stage --for review
  clada-client stage --last";

#[derive(Debug, Args)]
pub(crate) struct Stage {
    /// Stage every file, even if it was staged before
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Print the last staged folder again, without staging
    #[arg(short, long, conflicts_with_all = ["all", "flush", "dry_run", "manifest", "verify"])]
    pub(crate) last: bool,
    /// Forget files that no longer exist
    #[arg(short, long)]
    pub(crate) flush: bool,
    /// Print the names and paths that would be staged, without staging
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Stage what changed since the last stage for NAME
    #[arg(long = "for", value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// The format of the manifest [default: set by stage.manifest]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) manifest: Option<Manifest>,
    /// Check every file, even where no change was reported
    #[arg(long)]
    pub(crate) verify: bool,
}

wire_choice! {
    /// The format of the manifest.
    Manifest => StageManifest {
        /// Names, root and removed files
        Json,
        /// A record of names in Dhall
        Dhall,
    }
}

pub(crate) const UNSTAGE_EXAMPLES: &str = "Examples:
  clada-client unstage ~/Downloads/src-main.rs
  clada-client unstage --dry-run ~/Downloads/edited
  clada-client unstage --for review ~/Downloads/src-main.rs
  clada-client unstage --force ~/Downloads/src-main.rs";

#[derive(Debug, Args)]
pub(crate) struct Unstage {
    /// Edited copies, or folders of them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would change, without changing anything
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// The NAME they were staged for, if it is not clear; '' for none
    #[arg(long = "for", value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// Overwrite later changes in the project; you can undo this
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// How much detail to show about failures
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
    #[command(flatten)]
    pub(crate) commits: Commits,
}
