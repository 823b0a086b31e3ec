//! The command line of the daemon.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Carries out the edits in a model's answer, for clients on a local socket.
#[derive(Debug, Parser)]
#[command(name = "clada-daemon", version)]
pub(crate) struct DaemonArguments {
    #[command(subcommand)]
    pub(crate) command: DaemonCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Serves clients until it is stopped.
    Serve(ServeArguments),
    /// Serves an agent's host over MCP on standard input and output.
    Mcp(McpArguments),
}

#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:\n  clada-daemon serve --foreground\n  clada-daemon serve --stdio\n")]
pub(crate) struct ServeArguments {
    /// Speaks on standard input and output: for the running daemon where there is one, else for itself.
    #[arg(long, conflicts_with_all = ["ready_stdout", "listen_stdin"])]
    pub(crate) stdio: bool,

    /// Logs to standard error instead of the log file.
    #[arg(long)]
    pub(crate) foreground: bool,

    /// The socket, instead of CLADA_SOCKET or the usual place.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,

    /// Writes a line of JSON to standard output when it listens, or cannot, closes it, and leaves the session
    /// of the terminal. For a client that starts the daemon.
    #[arg(long)]
    pub(crate) ready_stdout: bool,

    /// Starts it as a process that is nobody's child, and ends. For a starter that stays.
    #[arg(long, requires = "ready_stdout", hide = true)]
    pub(crate) detach: bool,

    /// Accepts from the listening socket that standard input is (launchd, inetd with `wait`).
    #[arg(long)]
    pub(crate) listen_stdin: bool,

    /// Leaves after so many seconds without clients; 0: never. Never under socket activation.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle_exit: Option<u64>,
}

const MCP: &str = "\
It hands on to the running daemon, as an agent: nothing that is a person's can be asked for here. If none runs, it
starts one that has the user's own configuration and nothing of this program's environment. In a sandbox, with a
socket that is named (--socket, CLADA_SOCKET) and where nobody answers, or where sockets are forbidden, it serves by
itself instead.

Without --root the project is the one that the working directory is in, if there is one: the nearest folder above
with .clada or .git, else the working directory, and never `/`, the home folder, a folder that holds it, or a folder
for temporary files.

It stays until its standard input ends, and finds or starts a new daemon if the running one goes away. Standard error
says only why it cannot start.

Examples:
  claude mcp add clada -- clada-daemon mcp
  clada-daemon mcp --root ~/work/project --read-only
";

#[derive(Debug, Default, Args)]
#[command(after_help = MCP)]
pub(crate) struct McpArguments {
    /// A folder that the agent may work in; may be repeated. Never `/`, the home folder, or one that holds
    /// it.
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// Only what changes nothing.
    #[arg(long)]
    pub(crate) read_only: bool,

    /// The tools that are listed. All can be called in any case.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) tools: Tools,

    /// Starts no daemon, and serves nothing by itself.
    #[arg(long)]
    pub(crate) no_spawn: bool,

    /// The socket of the daemon, instead of CLADA_SOCKET or the usual place. No daemon is started there.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
}

/// The tools that an agent is told of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Tools {
    /// Those for editing, reading and searching.
    #[default]
    Common,
    /// Also `stage`, `instructions` and checkpoints.
    All,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        DaemonArguments::command().debug_assert();
        let parsed =
            DaemonArguments::parse_from(["clada-daemon", "serve", "--ready-stdout", "--socket", "/x"]);
        let DaemonCommand::Serve(serve) = parsed.command else { panic!("{parsed:?}") };
        assert_eq!((serve.ready_stdout, serve.socket), (true, Some(PathBuf::from("/x"))));
        assert!(
            DaemonArguments::try_parse_from(["clada-daemon", "serve", "--stdio", "--ready-stdout"]).is_err()
        );
    }
}
