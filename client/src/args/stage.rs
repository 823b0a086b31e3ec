//! The flags of `stage` and `unstage`.

use std::path::PathBuf;

use clada_protocol::StageManifest;
use clap::{Args, ValueEnum};

use super::{Approval, Commits, Detail};

pub(crate) const STAGE_EXAMPLES: &str = "Examples:
  open $(clada-client stage)
  clada-client stage --all
  clada-client stage --dry-run
  clada-client stage --for review
  clada-client stage --last";

#[derive(Debug, Args)]
pub(crate) struct Stage {
    /// Stage every file, whatever was staged before
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Print the folder that was staged last again, and change nothing
    #[arg(short, long, conflicts_with_all = ["all", "flush", "dry_run", "manifest", "verify"])]
    pub(crate) last: bool,
    /// Forget what is known of files that are gone
    #[arg(short, long)]
    pub(crate) flush: bool,
    /// Print what would be staged, name and path, and make nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// For whom: what changed since the last time for NAME is staged
    #[arg(long = "for", value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// The format of the manifest [default: as stage.manifest has it]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) manifest: Option<Manifest>,
    /// Look at every file, also where no change was reported
    #[arg(long)]
    pub(crate) verify: bool,
}

/// The format of the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Manifest {
    /// Names, the root, what was removed
    Json,
    /// A record of names, for prompts that expect it
    Dhall,
}

impl From<Manifest> for StageManifest {
    fn from(manifest: Manifest) -> StageManifest {
        match manifest {
            Manifest::Json => StageManifest::Json,
            Manifest::Dhall => StageManifest::Dhall,
        }
    }
}

pub(crate) const UNSTAGE_EXAMPLES: &str = "Examples:
  clada-client unstage ~/Downloads/src-main.rs
  clada-client unstage --dry-run ~/Downloads/edited
  clada-client unstage --for review ~/Downloads/src-main.rs
  clada-client unstage --force ~/Downloads/src-main.rs";

#[derive(Debug, Args)]
pub(crate) struct Unstage {
    /// Copies with flat names, and folders of such
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would change and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// For whom the copies were staged, where that does not show; '' is for nobody by name
    #[arg(long = "for", value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// Overwrite what was changed in the project since it was staged; that can be undone
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// The detail in which failures are explained
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
    #[command(flatten)]
    pub(crate) commits: Commits,
}
