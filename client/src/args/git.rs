//! The flags of `git`, and the destination of commits.

use clada_protocol::{GitWhere, SquashMode};
use clap::{Args, Subcommand};

pub(crate) const GIT_EXAMPLES: &str = "Examples:
  clada-client git squash
  clada-client git squash --days 1 --message 'Parse dates'
  clada-client git step-back
  clada-client git step-forward";

wire_choice! {
    /// The destination of commits.
    GitMode => GitWhere {
        /// On the current branch
        Branch,
        /// On refs/clada/..., not on the branch
        Refs,
        /// No commits
        Off,
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    /// Squash the last commits by clada into one
    #[command(after_help = "Example: clada-client git squash --containing 'AI: ' --message 'Parse dates'")]
    Squash(SquashArgs),
    /// Go to the previous commit; uncommitted changes are stashed
    #[command(after_help = "Example: clada-client git step-back")]
    StepBack,
    /// Go to the next commit; changes stashed there are restored
    #[command(after_help = "Example: clada-client git step-forward")]
    StepForward,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("time").args(["hours", "days"]))]
pub(crate) struct SquashArgs {
    /// The commit message [default: the subjects of the squashed commits]
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Instead: squash commits whose messages begin like clada's, whoever made them
    #[arg(long, group = "which")]
    pub(crate) ai_messages: bool,
    /// Instead: squash clada's commits of the last hours
    #[arg(long, value_name = "N", group = "which", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hours: Option<u32>,
    /// Instead: squash clada's commits of the last days
    #[arg(long, value_name = "N", group = "which", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: Option<u32>,
    /// Instead: squash commits whose messages contain this text
    #[arg(long, value_name = "TEXT", group = "which")]
    pub(crate) containing: Option<String>,
    /// With --hours or --days: include commits by others; shows them and asks first
    #[arg(long, requires = "time")]
    pub(crate) mine_too: bool,
    /// Include commits that were pushed
    #[arg(long)]
    pub(crate) force: bool,
}

impl SquashArgs {
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
