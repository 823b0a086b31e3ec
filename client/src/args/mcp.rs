//! The arguments of `mcp`: clada's server of tools in the settings of agents' hosts.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

pub(crate) const MCP_EXAMPLES: &str = "Examples:
  clada-client mcp install cursor
  clada-client mcp install claude-code --user
  clada-client mcp status
  clada-client mcp remove cursor";

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Add clada to a host's settings; shows the change first
    #[command(after_help = "Example: clada-client mcp install vscode")]
    Install(HostArgs),
    /// Remove clada from a host's settings; shows the change first
    #[command(after_help = "Example: clada-client mcp remove vscode")]
    Remove(HostArgs),
    /// Print the entry for a host's settings, without changing anything
    #[command(after_help = "Example: clada-client mcp show zed")]
    Show(HostArgs),
    /// List hosts whose settings name clada, and check them
    #[command(after_help = "Example: clada-client mcp status")]
    Status,
    /// Serve a host on standard input and output, as `clada-daemon mcp` does
    #[command(after_help = "Example: npx -y clada mcp serve --root ~/work/project")]
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    /// The host
    #[arg(value_enum, value_name = "HOST")]
    pub(crate) host: HostName,
    /// Change your own settings, for all projects, if the host also has settings per project
    #[arg(long)]
    pub(crate) user: bool,
    /// Offer only tools that change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The arguments of `clada-daemon mcp`, such as `--root DIR` or `--read-only`
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

/// The hosts whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostName {
    ClaudeCode,
    ClaudeDesktop,
    Cline,
    Codex,
    Cursor,
    Gemini,
    Goose,
    Opencode,
    Roo,
    Vscode,
    Windsurf,
    Zed,
}
