//! The arguments of `self`: clada's own programs.

use clap::{Args, Subcommand};

pub(crate) const SELF_EXAMPLES: &str = "Examples:
  clada-client self
  clada-client self uninstall --dry-run";

#[derive(Debug, Subcommand)]
pub(crate) enum SelfCommand {
    /// Show where each program is, its version, and how to upgrade
    #[command(after_help = "Example: clada-client self status --json")]
    Status,
    /// Stop the daemon and remove programs, units and completions; the journal and your settings stay
    #[command(after_help = "Example: clada-client self uninstall --dry-run")]
    Uninstall(UninstallArgs),
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Show what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Remove it without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
