//! The arguments of `config` and `init`.

use clap::{Args, Subcommand};

pub(super) const CONFIG_EXAMPLES: &str = "Examples:
  clada-client config
  clada-client config get git.mode
  clada-client config set git.mode refs
  clada-client config set --project denied 'private/**' '*.key'
  clada-client config unset git.mode
  clada-client config edit";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
    /// Show every setting, including defaults
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Print a configuration file with every key, its meaning and its default.
    #[arg(long, conflicts_with = "all")]
    pub(crate) default: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the value in force of a key or a section
    #[command(after_help = "Examples:
  clada-client config get git.mode
  clada-client config get exec")]
    Get {
        /// The key, as `config --all` lists it, or its section
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Set a key in your configuration file; comments and other keys are kept
    #[command(after_help = "Examples:
  clada-client config set git.mode refs
  clada-client config set exec.env '{RUST_BACKTRACE: \"1\"}'
  clada-client config set --project denied 'private/**' '*.key'")]
    Set {
        /// Change the project's .clada/config.yaml
        #[arg(short, long)]
        project: bool,
        /// The key, as `config --all` lists it
        #[arg(value_name = "KEY")]
        key: String,
        /// Its value; for a list, each item or the whole list as in YAML: '[a, b]', '[]'
        #[arg(value_name = "VALUE", required = true, num_args = 1.., allow_negative_numbers = true)]
        value: Vec<String>,
    },
    /// Remove a key from your configuration file, to use its default again
    #[command(after_help = "Example: clada-client config unset git.mode")]
    Unset {
        /// Change the project's .clada/config.yaml
        #[arg(short, long)]
        project: bool,
        /// The key, as `config --all` lists it
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Edit your configuration file in $VISUAL or $EDITOR, then check it
    #[command(after_help = "Example: clada-client config edit --project")]
    Edit {
        /// Edit the project's .clada/config.yaml
        #[arg(short, long)]
        project: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Create your own commented configuration file, for all projects
    #[arg(long)]
    pub(crate) global: bool,
}
