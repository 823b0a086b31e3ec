//! The command line of the daemon.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Carries out the edits in a model's answer, for clients on a local socket.
#[derive(Debug, Parser)]
#[command(name = "clada-daemon", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serves clients until it is stopped.
    Serve(ServeArguments),
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

    /// Accepts from the listening socket that standard input is (launchd, inetd with `wait`).
    #[arg(long)]
    pub(crate) listen_stdin: bool,

    /// Leaves after so many seconds without clients; 0: never. Never under socket activation.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle_exit: Option<u64>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        let parsed = Arguments::parse_from(["clada-daemon", "serve", "--ready-stdout", "--socket", "/x"]);
        let Command::Serve(serve) = parsed.command;
        assert_eq!((serve.ready_stdout, serve.socket), (true, Some(PathBuf::from("/x"))));
        assert!(Arguments::try_parse_from(["clada-daemon", "serve", "--stdio", "--ready-stdout"]).is_err());
    }
}
