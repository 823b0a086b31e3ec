//! The arguments of `record` and `checkpoint`.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::values::duration_ms;

pub(super) const RECORD_EXAMPLES: &str = "Examples:
  clada-client record -- claude -p 'rename the flag'
  clada-client record --name 'codex session' -- codex";

pub(super) const CHECKPOINT_EXAMPLES: &str = "Examples:
  clada-client checkpoint begin --name 'before codex'
  clada-client checkpoint end
  clada-client checkpoint
  clada-client checkpoint list";

#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// A name for the operation [default: the command]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The descriptor that starts the command
    #[arg(long, hide = true, value_name = "FD")]
    pub(crate) gate: Option<i32>,
    /// The command, with its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CheckpointArgs {
    /// Absent: the open checkpoint of the session ends, and the next begins
    #[command(subcommand)]
    pub(crate) command: Option<CheckpointCommand>,
    #[command(flatten)]
    pub(crate) begin: BeginArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointCommand {
    /// Start recording changes made by other programs, and print the checkpoint's id
    #[command(after_help = "Example: clada-client checkpoint begin --name 'before codex'")]
    Begin(BeginArgs),
    /// Turn all changes since the checkpoint began into one operation
    #[command(after_help = "Example: clada-client checkpoint end")]
    End {
        /// The checkpoint: its id, a prefix of it, or its name [default: the session's]
        #[arg(value_name = "CHECKPOINT")]
        checkpoint: Option<String>,
        /// Keep recording under the same id
        #[arg(long)]
        keep: bool,
    },
    /// List the open checkpoints
    #[command(after_help = "Example: clada-client checkpoint list")]
    List,
    /// Drop a checkpoint without recording an operation
    #[command(after_help = "Example: clada-client checkpoint drop kvm")]
    Drop {
        /// The checkpoint: its id, a prefix of it, or its name
        #[arg(value_name = "CHECKPOINT")]
        checkpoint: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct BeginArgs {
    /// A name to show
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Drop it after this time if it has not ended: 30s, 10m [default: 24 hours]
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub(crate) ttl: Option<u64>,
}
