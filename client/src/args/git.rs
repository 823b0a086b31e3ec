//! The flags of `git`, and the destination of commits.

use clada_protocol::{GitWhere, SquashMode};
use clap::{Args, Subcommand, ValueEnum};

pub(crate) const GIT_EXAMPLES: &str = "Examples:
  clada-client git squash
  clada-client git squash --days 1 --message 'Parse dates'
  clada-client git step-back
  clada-client git step-forward";

/// The destination of commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GitMode {
    /// On the branch that is checked out
    Branch,
    /// On refs/clada/..., alongside the branch
    Refs,
    /// Nowhere
    Off,
}

impl From<GitMode> for GitWhere {
    fn from(mode: GitMode) -> GitWhere {
        match mode {
            GitMode::Branch => GitWhere::Branch,
            GitMode::Refs => GitWhere::Refs,
            GitMode::Off => GitWhere::Off,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    /// Make one commit of the last ones, as long as clada made them
    #[command(after_help = "Example: clada-client git squash --containing 'AI: ' --message 'Parse dates'")]
    Squash(SquashArgs),
    /// Go to the commit before this one; what is not committed is put aside
    #[command(after_help = "Example: clada-client git step-back")]
    StepBack,
    /// Go to the commit after this one; what was put aside there is given back
    #[command(after_help = "Example: clada-client git step-forward")]
    StepForward,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("time").args(["hours", "days"]))]
pub(crate) struct SquashArgs {
    /// The message of the commit [default: the subjects of those that it is made of]
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Instead: as long as they begin as clada's messages do, also those of others
    #[arg(long, group = "which")]
    pub(crate) ai_messages: bool,
    /// Instead: those of the last hours, as long as clada made them
    #[arg(long, value_name = "N", group = "which", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hours: Option<u32>,
    /// Instead: those of the last days, as long as clada made them
    #[arg(long, value_name = "N", group = "which", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: Option<u32>,
    /// Instead: as long as their message holds this
    #[arg(long, value_name = "TEXT", group = "which")]
    pub(crate) containing: Option<String>,
    /// With --hours and --days: also commits that clada did not make; shows them and asks first
    #[arg(long, requires = "time")]
    pub(crate) mine_too: bool,
    /// Also commits that were pushed
    #[arg(long)]
    pub(crate) force: bool,
}

impl SquashArgs {
    /// Returns the commits that are meant.
    pub(crate) fn mode(&self) -> SquashMode {
        match (self.ai_messages, self.hours, self.days, &self.containing) {
            (true, ..) => SquashMode::AiMessages,
            (_, Some(_), ..) => SquashMode::Hours,
            (_, _, Some(_), _) => SquashMode::Days,
            (.., Some(_)) => SquashMode::MsgContains,
            _ => SquashMode::AutoAi,
        }
    }
}
