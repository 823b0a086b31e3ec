//! The command line as written: names and texts, nothing resolved.
//!
//! Flags have GNU names and a long form each. [`crate::settings`] combines them with the environment.

/// A flag's values, which are those of the protocol, with what help says of each.
macro_rules! wire_choice {
    ($(#[$attribute:meta])* $name:ident => $wire:ident { $($(#[$about:meta])* $value:ident,)+ }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
        pub(crate) enum $name { $($(#[$about])* $value,)+ }

        impl From<$name> for $wire {
            fn from(value: $name) -> $wire {
                match value { $($name::$value => $wire::$value,)+ }
            }
        }
    };
}

mod apply;
mod change;
mod checkpoint;
mod config;
mod embed;
mod git;
mod installation;
mod mcp;
mod review;
mod stage;
mod values;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clada_protocol::Audience;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::Process;
use apply::{APPLY_EXAMPLES, LAST, LISTEN_EXAMPLES};
pub(crate) use apply::{Apply, Detail, Format, Listen, Match, OutputMode};
pub(crate) use change::{Approval, Commits};
pub(crate) use checkpoint::{BeginArgs, CheckpointArgs, CheckpointCommand, RecordArgs};
use checkpoint::{CHECKPOINT_EXAMPLES, RECORD_EXAMPLES};
use config::CONFIG_EXAMPLES;
pub(crate) use config::{ConfigArgs, ConfigCommand, InitArgs};
use embed::EMBED_EXAMPLES;
pub(crate) use embed::{ContextCommand, Embed, SessionCommand};
use git::GIT_EXAMPLES;
pub(crate) use git::{GitCommand, GitMode, SquashArgs};
use installation::SELF_EXAMPLES;
pub(crate) use installation::{SelfCommand, UninstallArgs};
use mcp::MCP_EXAMPLES;
pub(crate) use mcp::{HostArgs, HostName, McpCommand, ServeArgs};
use review::REVIEW_EXAMPLES;
pub(crate) use review::Review;
use stage::{STAGE_EXAMPLES, UNSTAGE_EXAMPLES};
pub(crate) use stage::{Stage, Unstage};

/// The program's second name, which help and examples are written with; help names the one that was called.
pub(crate) const NAME: &str = "clada-client";
pub(crate) const SHORT_NAME: &str = "clada";

/// Apply the edits in a language model's answer, safely and undoably.
#[derive(Debug, Parser)]
#[command(
    name = NAME,
    version,
    after_help = "Example: clada-client apply < response.md"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Absent: the state of the project is shown.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The project [default: the nearest folder above with .clada or .git, else this one]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The daemon's socket [default: $CLADA_SOCKET, else in the user's runtime folder]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Never start a daemon
    #[arg(long, global = true)]
    pub(crate) no_spawn: bool,
    /// Print only failures
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more: what was read and how long it took
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// Use the working directory of this session
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The condition for something that suits a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

const UNDO_EXAMPLES: &str = "Examples:
  clada-client undo
  clada-client undo --dry-run
  clada-client undo kvm --merge";

const HISTORY_EXAMPLES: &str = "Examples:
  clada-client history
  clada-client history --limit 100
  clada-client history show last --diff";

const APPROVE_EXAMPLES: &str = "Examples:
  clada-client approve 'npm test'
  clada-client approve 'npm install' --network
  clada-client approve --list
  clada-client approve 'npm test' --remove";

const APPROVALS_EXAMPLES: &str = "Examples:
  clada-client approvals
  clada-client approvals --all
  clada-client approvals answer";

const COMPLETIONS_EXAMPLES: &str = "Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  clada-client completions bash > ~/.local/share/bash-completion/completions/clada-client
  clada-client completions zsh > ~/.zfunc/_clada-client
  clada-client completions fish > ~/.config/fish/completions/clada-client.fish
  clada-client completions nushell > ~/.config/nushell/autoload/clada-client.nu";

const FORGET_EXAMPLES: &str = "Examples:
  clada-client forget
  clada-client forget ~/deleted-project
  clada-client forget --all --dry-run
  clada-client forget --all --yes";

const TRUST_EXAMPLES: &str = "Examples:
  clada-client trust
  clada-client trust --show
  clada-client trust --yes
  clada-client trust --remove";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Apply the edits and commands in an answer
    #[command(visible_alias = "a", after_help = APPLY_EXAMPLES)]
    Apply(Apply),
    /// Review the changes of an answer on a full screen, and accept or reject each one
    #[command(after_help = REVIEW_EXAMPLES)]
    Review(Review),
    /// Watch the clipboard or a file for answers, show each one, and ask before applying it
    #[command(after_help = LISTEN_EXAMPLES)]
    Listen(Listen),
    /// Undo the last operation, or the one you name
    #[command(visible_alias = "u", after_help = UNDO_EXAMPLES)]
    Undo(Undo),
    /// Redo the last undone operation, or the one you name
    #[command(after_help = "Example: clada-client redo --dry-run")]
    Redo(Redo),
    /// List operations, newest first, or show one
    #[command(visible_alias = "h", after_help = HISTORY_EXAMPLES)]
    History(History),
    /// Run a command and record its changes, so that you can undo them
    #[command(after_help = RECORD_EXAMPLES)]
    Record(RecordArgs),
    /// Record changes made by other programs, so that you can undo them
    #[command(after_help = CHECKPOINT_EXAMPLES)]
    Checkpoint(CheckpointArgs),
    /// Pack files and folders into one document for a prompt
    #[command(visible_alias = "e", after_help = EMBED_EXAMPLES)]
    Embed(Box<Embed>),
    /// Copy changed files into one folder under flat names, and print its path
    #[command(visible_alias = "s", after_help = STAGE_EXAMPLES)]
    Stage(Stage),
    /// Write edited copies of staged files back, as one operation
    #[command(after_help = UNSTAGE_EXAMPLES)]
    Unstage(Unstage),
    /// Manage the list of files and folders to embed
    #[command(after_help = "Example: clada-client context add src README.md")]
    Context {
        #[command(subcommand)]
        command: ContextCommand,
    },
    /// List, show and close sessions; `--session NAME` opens one
    #[command(after_help = "Example: clada-client session list")]
    Session {
        #[command(subcommand)]
        command: SessionCommand,
    },
    /// Squash commits, or step back and forward through them
    #[command(subcommand, after_help = GIT_EXAMPLES)]
    Git(GitCommand),
    /// Approve a command permanently
    #[command(after_help = APPROVE_EXAMPLES)]
    Approve(ApproveArgs),
    /// List agent requests that need your approval, and answer them
    #[command(after_help = APPROVALS_EXAMPLES)]
    Approvals(ApprovalsArgs),
    /// Add clada to an agent's settings (Claude Code, Cursor, …), or remove it
    #[command(after_help = MCP_EXAMPLES)]
    Mcp {
        #[command(subcommand)]
        command: McpCommand,
    },
    /// Show the project's configuration file, and trust it
    #[command(after_help = TRUST_EXAMPLES)]
    Trust(TrustArgs),
    /// Check an answer: list its edits and errors, and change nothing
    #[command(after_help = "Example: clada-client parse response.md")]
    Parse(Parse),
    /// Print instructions for the model
    #[command(after_help = "Example: clada-client instructions --for system > prompt.md")]
    Instructions(Instructions),
    /// Print file changes as they happen, until you stop it
    #[command(after_help = "Example: clada-client watch --json")]
    Watch,
    /// List the files that changed since a clock value
    #[command(after_help = "Example: clada-client changes --since c:1767225600000000:1:42")]
    Changes(Changes),
    /// Show the state of the daemon and its projects
    #[command(visible_alias = "st", after_help = "Example: clada-client status --json")]
    Status,
    /// Check what works on this machine, and how to fix the rest
    #[command(after_help = "Example: clada-client doctor --json")]
    Doctor,
    /// Delete clada's records of a project, or of all projects
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(Forget),
    /// Stop the daemon after its running operations
    #[command(after_help = "Example: clada-client stop")]
    Stop,
    /// Show the daemon's log
    #[command(after_help = "Example: clada-client log --lines 50 --follow")]
    Log(Log),
    /// Create a commented .clada/config.yaml and .cladaignore
    #[command(after_help = "Examples:
  clada-client init --root ~/project
  clada-client init --global")]
    Init(InitArgs),
    /// Show and change settings
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(ConfigArgs),
    /// Print a completion script for your shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print values for a completion script, one per line: value, tab, description
    #[command(hide = true, after_help = "Example: clada-client complete operations")]
    Complete {
        /// The kind of value
        #[arg(value_enum, value_name = "KIND")]
        kind: Values,
    },
    /// Write the manual pages into a folder
    #[command(after_help = "Example: clada-client man ~/.local/share/man")]
    Man {
        /// The folder; pages go into its man1 and man5
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Show clada's programs and their versions, or remove clada from this machine
    #[command(name = "self", after_help = SELF_EXAMPLES)]
    Installation {
        #[command(subcommand)]
        command: Option<SelfCommand>,
    },
    /// Call any JSON-RPC method, for scripts
    #[command(after_help = "Example: clada-client call session.get '{\"root\": \"/home/me/project\"}'")]
    Call(Call),
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The command, exactly as the answer writes it
    #[arg(value_name = "CMD", conflicts_with = "list")]
    pub(crate) command: Option<String>,
    /// The folder it runs in, relative to the project [default: the project]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "remove"])]
    pub(crate) dir: Option<String>,
    /// Allow it to use the network, even in the sandbox
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub(crate) network: bool,
    /// List approved commands, and those the project proposes
    #[arg(long)]
    pub(crate) list: bool,
    /// Revoke the approval
    #[arg(long, requires = "command")]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ApprovalsCommand>,
    /// List requests of all projects
    #[arg(short, long, global = true)]
    pub(crate) all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// Show a waiting answer in full
    #[command(after_help = "Example: clada-client approvals show 5f3a9c0e")]
    Show {
        /// Its id, or a prefix of it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show each waiting answer, and ask whether to apply it
    #[command(after_help = "Example: clada-client approvals answer --all")]
    Answer {
        /// Only this one: its id, or a prefix of it
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Only show the file, and which settings are not in force
    #[arg(long)]
    pub(crate) show: bool,
    /// Trust the file without asking
    #[arg(short, long, conflicts_with = "show")]
    pub(crate) yes: bool,
    /// Revoke the trust
    #[arg(long, conflicts_with_all = ["show", "yes"])]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// The project's folder, which need not exist any more [default: the project]
    #[arg(value_name = "DIR", conflicts_with = "all")]
    pub(crate) dir: Option<PathBuf>,
    /// Delete the records of all projects
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Delete without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Show what would be deleted, without deleting anything
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The operation: its id, or a prefix of it [default: the last one]
    #[arg(value_name = "OP")]
    pub(crate) operation: Option<String>,
    /// Merge with later changes to the same files
    #[arg(long, conflicts_with = "force")]
    pub(crate) merge: bool,
    /// Overwrite later changes (`clada redo` brings them back), and skip content that is not recorded
    #[arg(long)]
    pub(crate) force: bool,
    /// Undo only changes at or below this path; you can undo the rest later
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Vec<String>,
    /// Keep changes at or below this path
    #[arg(long, value_name = "PATH")]
    pub(crate) except: Vec<String>,
    /// Show what would change, without changing anything
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Where commits go [default: set by git.mode]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) git: Option<GitMode>,
    /// Leave commits alone; same as --git off
    #[arg(long, conflicts_with = "git")]
    pub(crate) no_git: bool,
}

#[derive(Debug, Args)]
#[command(
    mut_arg("operation", |arg| arg.help("The operation: its id, or a prefix of it [default: the last one undone]")),
    mut_arg("force", |arg| arg.help("Overwrite later changes (`clada undo` brings them back), and skip content that is not recorded")),
    mut_arg("only", |arg| arg.help("Redo only changes at or below this path; you can redo the rest later"))
)]
pub(crate) struct Redo {
    #[command(flatten)]
    pub(crate) args: Undo,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct History {
    #[command(subcommand)]
    pub(crate) command: Option<HistoryCommand>,
    /// How many operations to list [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// First adopt the history recorded for PATH, where this project (or its original) was before
    #[arg(long, value_name = "PATH")]
    pub(crate) adopt: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// Show the changes of an operation
    #[command(
        after_help = "Examples:\n  clada-client history show last --diff\n  clada-client history show kvm --html kvm.html"
    )]
    Show(ShowOperation),
}

#[derive(Debug, Args)]
pub(crate) struct ShowOperation {
    /// The operation: its id, or a prefix of it
    #[arg(value_name = "OP", default_value = LAST)]
    pub(crate) operation: String,
    /// Also show the diffs
    #[arg(long)]
    pub(crate) diff: bool,
    /// Write an HTML page with all diffs, in one file; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// The answer [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read only this dialect; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// How much detail to show about errors
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
}

#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// The clock value of an earlier call [default: list all files]
    #[arg(long, value_name = "CLOCK")]
    pub(crate) since: Option<String>,
    /// Check every file, including writes that file events miss (memory maps, hard links)
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Instructions {
    /// The dialect to teach [default: sham]
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Where the instructions go
    #[arg(long = "for", value_enum, value_name = "READER", default_value = "chat")]
    pub(crate) reader: Reader,
    /// Describe all actions, not only the common ones (sham)
    #[arg(long)]
    pub(crate) all_actions: bool,
    /// Copy them to the clipboard instead of printing
    #[arg(long, conflicts_with = "json")]
    pub(crate) copy: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// How many lines to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) lines: usize,
    /// Keep printing as the log grows
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The method's name
    pub(crate) method: String,
    /// Its parameters: a JSON object, or - for standard input
    #[arg(value_name = "JSON")]
    pub(crate) params: Option<String>,
}

/// A shell that a completion script is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Nushell,
    Elvish,
}

/// A kind of value that only the daemon knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Values {
    /// Ids of operations
    Operations,
    /// Names of sessions
    Sessions,
    /// Names of settings
    Settings,
}

wire_choice! {
    Reader => Audience {
        /// A chat window
        Chat,
        /// A system prompt
        System,
    }
}

/// Returns the command line as clap knows it.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Returns the command line with the one command that `name` names, or with all of them if it names none.
///
/// clap copies every global flag into every command it knows, which is most of what parsing costs.
pub(crate) fn command_named(name: Option<&OsString>) -> clap::Command {
    let all = command();
    let Some(named) = name.and_then(|name| all.find_subcommand(name)).cloned() else { return all };
    // The process ends soon, and freeing the texts of all commands is a tenth of what it does itself.
    std::mem::forget(all);
    Global::augment_args(clap::Command::new(NAME)).subcommand(named)
}

/// Returns the name that the program was called by.
pub(crate) fn called(process: &Process) -> &'static str {
    match process.args.first().map(Path::new).and_then(Path::file_name) {
        Some(name) if name == NAME => NAME,
        _ => SHORT_NAME,
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn a_command_by_itself_reads_and_says_what_it_does_among_all() {
        let names: Vec<String> = command().get_subcommands().map(|each| each.get_name().to_owned()).collect();
        let rest: [&[&str]; 9] = [
            &[],
            &["--help"],
            &["-h"],
            &["--version"],
            &["--undone"],
            &["--root", "x", "--socket", "y"],
            &["--rooot", "x"],
            &["x", "y", "z"],
            &["--dry-run", "--", "-x"],
        ];
        for name in
            names.iter().map(String::as_str).chain(["a", "u", "h", "e", "s", "help", "aply", "--root"])
        {
            for rest in rest {
                let line: Vec<OsString> = [NAME, name].iter().chain(rest).map(OsString::from).collect();
                let read = |mut command: clap::Command| match command.try_get_matches_from_mut(&line) {
                    Ok(matches) => format!("{:?}", Cli::from_arg_matches(&matches).unwrap()),
                    Err(error) => format!("{} {}", error.exit_code(), error.render().ansi()),
                };
                assert_eq!(read(command_named(line.get(1))), read(command()), "{line:?}");
            }
        }
    }

    #[test]
    fn every_flag_has_a_long_form_and_every_command_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help").chain([&cli]) {
            let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.contains("clada-client"), "{}", command.get_name());
            for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
                assert!(arg.get_long().is_some(), "{} {}", command.get_name(), arg.get_id());
                assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
            }
        }
    }
}
