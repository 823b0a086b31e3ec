//! The command line as written: names and texts, nothing resolved.
//!
//! Flags have GNU names and a long form each. [`crate::settings`] combines them with the environment.

mod change;
mod checkpoint;
mod config;
mod embed;
mod git;
mod review;
mod stage;

use std::path::{Path, PathBuf};

use clada_protocol::{Audience, ErrorDetail, MatchLevel};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::Process;
use crate::exit::Status;
use crate::output::print;
use crate::settings;
pub(crate) use change::{Approval, Commits};
pub(crate) use checkpoint::{BeginArgs, CheckpointArgs, CheckpointCommand, RecordArgs};
use checkpoint::{CHECKPOINT_EXAMPLES, RECORD_EXAMPLES};
use config::CONFIG_EXAMPLES;
pub(crate) use config::{ConfigArgs, ConfigCommand, InitArgs};
use embed::EMBED_EXAMPLES;
pub(crate) use embed::{ContextCommand, Embed, SessionCommand};
use git::GIT_EXAMPLES;
pub(crate) use git::{GitCommand, GitMode, SquashArgs};
use review::REVIEW_EXAMPLES;
pub(crate) use review::Review;
use stage::{STAGE_EXAMPLES, UNSTAGE_EXAMPLES};
pub(crate) use stage::{Stage, Unstage};

/// The program's second name, which help and examples are written with; help names the one that was called.
const NAME: &str = "clada-client";
/// The program's name.
pub(crate) const SHORT_NAME: &str = "clada";

/// Carries out the edits in a language model's answer.
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
    /// Say only what failed
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: what was read, how long it took
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// The session whose working directory counts
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print the method's result as it is
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

const APPLY_EXAMPLES: &str = "Examples:
  clada-client apply < response.md
  clada-client apply --paste --copy
  clada-client apply --dry-run response.md
  clada-client apply --interactive response.md
  clada-client apply --atomic response.md
  clada-client apply --match tolerant response.md
  clada-client apply --git refs response.md
  clada-client apply --resume --match tolerant
  clada-client apply --resume --approve 5f3a9c0e1b2d4f67";

const LISTEN_EXAMPLES: &str = "Examples:
  clada-client listen
  clada-client listen ~/Downloads/answer.md
  clada-client listen answer.md --yes --git refs";

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
  clada-client completions bash > ~/.local/share/bash-completion/completions/clada-client
  clada-client completions zsh > ~/.zfunc/_clada-client
  clada-client completions fish > ~/.config/fish/completions/clada-client.fish
  clada-client completions nushell > ~/.config/nushell/autoload/clada-client.nu";

const FORGET_EXAMPLES: &str = "Examples:
  clada-client forget
  clada-client forget ~/project-that-is-gone
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
    /// Carry out an answer
    #[command(visible_alias = "a", after_help = APPLY_EXAMPLES)]
    Apply(Apply),
    /// Show on a full screen what an answer would change, and decide about each part of it
    #[command(after_help = REVIEW_EXAMPLES)]
    Review(Review),
    /// Wait for answers in the clipboard or a file, show what each would do, and ask
    #[command(after_help = LISTEN_EXAMPLES)]
    Listen(Listen),
    /// Take an operation back: the last one that stands, or the one named
    #[command(visible_alias = "u", after_help = UNDO_EXAMPLES)]
    Undo(Undo),
    /// Take an undo back: the last one, or the one named
    #[command(after_help = "Example: clada-client redo --dry-run")]
    Redo(Undo),
    /// List what was done, newest first, or show one operation
    #[command(visible_alias = "h", after_help = HISTORY_EXAMPLES)]
    History(History),
    /// Run a command, and make one operation of what it changes in the project
    #[command(after_help = RECORD_EXAMPLES)]
    Record(RecordArgs),
    /// Make one operation of what other programs change between two calls
    #[command(after_help = CHECKPOINT_EXAMPLES)]
    Checkpoint(CheckpointArgs),
    /// Make one document for a prompt of files and folders
    #[command(visible_alias = "e", after_help = EMBED_EXAMPLES)]
    Embed(Box<Embed>),
    /// Copy the files that changed under flat names into a folder, and print its path
    #[command(visible_alias = "s", after_help = STAGE_EXAMPLES)]
    Stage(Stage),
    /// Write edited copies of staged files back to their places, as one operation
    #[command(after_help = UNSTAGE_EXAMPLES)]
    Unstage(Unstage),
    /// Keep a list of files and folders to embed
    #[command(after_help = "Example: clada-client context add src README.md")]
    Context {
        #[command(subcommand)]
        command: ContextCommand,
    },
    /// List, show and close the sessions of the project; `--session NAME` opens one
    #[command(after_help = "Example: clada-client session list")]
    Session {
        #[command(subcommand)]
        command: SessionCommand,
    },
    /// Work with the commits of operations
    #[command(subcommand, after_help = GIT_EXAMPLES)]
    Git(GitCommand),
    /// Approve a command for good, as an answer writes it
    #[command(after_help = APPROVE_EXAMPLES)]
    Approve(ApproveArgs),
    /// List what agents wait for, or left out, for want of your approval, and answer them
    #[command(after_help = APPROVALS_EXAMPLES)]
    Approvals(ApprovalsArgs),
    /// Look at the project's configuration file, and let all of it take effect
    #[command(after_help = TRUST_EXAMPLES)]
    Trust(TrustArgs),
    /// Say what an answer asks for and what is wrong with it
    #[command(after_help = "Example: clada-client parse response.md")]
    Parse(Parse),
    /// Print the instructions for the model
    #[command(after_help = "Example: clada-client instructions --for system > prompt.md")]
    Instructions(Instructions),
    /// Print the files that change, as they do, until ended
    #[command(after_help = "Example: clada-client watch --json")]
    Watch,
    /// List the files that changed since a clock, or all of them and a clock
    #[command(after_help = "Example: clada-client changes --since c:1767225600000000:1:42")]
    Changes(Changes),
    /// Say how the daemon is
    #[command(visible_alias = "st", after_help = "Example: clada-client status --json")]
    Status,
    /// Say what works here, and what to do about the rest
    #[command(after_help = "Example: clada-client doctor --json")]
    Doctor,
    /// Delete what clada keeps of a project, or of all, after showing how much that is
    #[command(after_help = FORGET_EXAMPLES)]
    Forget(Forget),
    /// End the daemon when it has finished what it does
    #[command(after_help = "Example: clada-client stop")]
    Stop,
    /// Show the daemon's log
    #[command(after_help = "Example: clada-client log --lines 50 --follow")]
    Log(Log),
    /// Write a commented .clada/config.yaml and .cladaignore, where there are none
    #[command(after_help = "Examples:
  clada-client init --root ~/project
  clada-client init --global")]
    Init(InitArgs),
    /// Show what differs from the defaults and where it comes from, and change it
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(ConfigArgs),
    /// Print the script that completes commands, flags and values in a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the values that a completion script asks for, a line each: the value, a tab, its meaning
    #[command(hide = true, after_help = "Example: clada-client complete operations")]
    Complete {
        /// The kind of value
        #[arg(value_enum, value_name = "KIND")]
        kind: Values,
    },
    /// Write the manual pages into a folder that `man` looks in
    #[command(after_help = "Example: clada-client man ~/.local/share/man")]
    Man {
        /// The folder; the pages go to man1 and man5 below it
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Call any method, for scripts
    #[command(after_help = "Example: clada-client call session.get '{\"root\": \"/home/me/project\"}'")]
    Call(Call),
}

/// The last operation, as the daemon names it: the default of `--resume` and `history show`.
const LAST: &str = "last";

#[derive(Debug, Default, Args)]
pub(crate) struct Apply {
    /// The answer [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Take the answer from the clipboard
    #[arg(long, conflicts_with_all = ["file", "resume"])]
    pub(crate) paste: bool,
    /// Copy the report for the model (as --format llm prints it) to the clipboard, too
    #[arg(long)]
    pub(crate) copy: bool,
    /// Show what would change and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Show each change and ask whether to carry it out
    #[arg(short, long, conflicts_with_all = ["dry_run", "resume"])]
    pub(crate) interactive: bool,
    /// The reader of the report
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Look only for this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// The tolerance in matching an edit with the text of a file [default: as its dialect has it]
    #[arg(long = "match", value_enum, value_name = "LEVEL")]
    pub(crate) match_level: Option<Match>,
    /// Carry out all of the answer, or nothing of it
    #[arg(long)]
    pub(crate) atomic: bool,
    /// Try again what did not succeed in an operation, without OP in the last one; reads no answer
    #[arg(long, value_name = "OP", num_args = 0..=1, default_missing_value = LAST)]
    #[arg(conflicts_with_all = ["file", "dialect"])]
    pub(crate) resume: Option<String>,
    /// Apply all of an answer, also what of it was applied before and stands
    #[arg(long, conflicts_with_all = ["resume", "interactive"])]
    pub(crate) again: bool,
    /// Change files although that cannot be recorded, so that nothing of it can be undone
    #[arg(long)]
    pub(crate) no_undo: bool,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// The most time to take, as in 30s, 500ms or 5m
    #[arg(long, value_name = "TIME", value_parser = settings::duration_ms)]
    pub(crate) total_timeout: Option<u64>,
    /// The most time for each command, as in 30s or 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = settings::duration_ms)]
    pub(crate) timeout: Option<u64>,
    /// The most output of each command to keep, as in 512kB or 10MB [default: 10MB]
    #[arg(long, value_name = "SIZE", value_parser = settings::size_bytes)]
    pub(crate) max_output: Option<u64>,
    /// The times at which the output of commands is shown
    #[arg(long, value_enum, value_name = "MODE", default_value = "stream")]
    pub(crate) output_mode: OutputMode,
    /// The detail in which failures are explained
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
    /// Take the answer as it is written: no guard against placeholders, patches as content, moved line
    /// numbers
    #[arg(long)]
    pub(crate) literal: bool,
    /// Accept paths outside the project this once
    #[arg(long)]
    pub(crate) allow_escape: bool,
    /// Read and change files that are held back as secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
    #[command(flatten)]
    pub(crate) commits: Commits,
    /// Lock this file while it takes, as other scripts do
    #[arg(long, value_name = "PATH")]
    pub(crate) lock_file: Option<PathBuf>,
    /// The longest wait for that lock [default: 10s]
    #[arg(long, value_name = "TIME", requires = "lock_file", value_parser = settings::duration_ms)]
    pub(crate) lock_timeout: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Listen {
    /// A file that answers are saved in [default: the clipboard]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Listen to the clipboard, as without FILE
    #[arg(long, conflicts_with = "file")]
    pub(crate) clipboard: bool,
    /// Carry out what is saved in FILE without showing it, except for what needs approval
    #[arg(short, long, requires = "file", conflicts_with = "clipboard")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) commits: Commits,
}

/// The time at which the output of commands is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputMode {
    /// While they run
    #[default]
    Stream,
    /// In the report
    Buffer,
    /// Not at all
    Silent,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The command, exactly as an answer writes it
    #[arg(value_name = "CMD", conflicts_with = "list")]
    pub(crate) command: Option<String>,
    /// The folder that it runs in, from the project's root [default: the root]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "remove"])]
    pub(crate) dir: Option<String>,
    /// It may reach the network, also in a sandbox
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub(crate) network: bool,
    /// List what is approved, and what the project proposes
    #[arg(long)]
    pub(crate) list: bool,
    /// Take the approval back
    #[arg(long, requires = "command")]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ApprovalsCommand>,
    /// Of all projects, not only of this one
    #[arg(short, long, global = true)]
    pub(crate) all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// Show all of an answer that waits
    #[command(after_help = "Example: clada-client approvals show 5f3a9c0e")]
    Show {
        /// Its id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show each answer that waits, and ask at the terminal whether it is carried out
    #[command(after_help = "Example: clada-client approvals answer --all")]
    Answer {
        /// Only this one, by its id or the beginning of it
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Only show the file, and what of it is not in force
    #[arg(long)]
    pub(crate) show: bool,
    /// Trust the file as it is without asking
    #[arg(short, long, conflicts_with = "show")]
    pub(crate) yes: bool,
    /// Take the trust back
    #[arg(long, conflicts_with_all = ["show", "yes"])]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// The project's folder, which may be gone [default: the project]
    #[arg(value_name = "DIR", conflicts_with = "all")]
    pub(crate) dir: Option<PathBuf>,
    /// Of all projects
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Delete it without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Only say what would be deleted
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The operation, by its id or the beginning of it [default: the last one]
    #[arg(value_name = "OP")]
    pub(crate) operation: Option<String>,
    /// Merge text that was changed since
    #[arg(long, conflicts_with = "force")]
    pub(crate) merge: bool,
    /// Overwrite what was changed since, pass over what is not kept; the undo can be taken back
    #[arg(long)]
    pub(crate) force: bool,
    /// Undo only what was changed at this path and beneath it; the rest can still be undone
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Vec<String>,
    /// Leave what was changed at this path and beneath it
    #[arg(long, value_name = "PATH")]
    pub(crate) except: Vec<String>,
    /// Show what would change and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// The place of commits [default: as git.mode has it]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) git: Option<GitMode>,
    /// Leave commits alone; the same as --git off
    #[arg(long, conflicts_with = "git")]
    pub(crate) no_git: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct History {
    #[command(subcommand)]
    pub(crate) command: Option<HistoryCommand>,
    /// The number of operations to list [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// First take over the operations of the project that was at PATH: this folder was there, or is a copy of it
    #[arg(long, value_name = "PATH")]
    pub(crate) adopt: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// Show what an operation did
    #[command(
        after_help = "Examples:\n  clada-client history show last --diff\n  clada-client history show kvm --html kvm.html"
    )]
    Show(ShowOperation),
}

#[derive(Debug, Args)]
pub(crate) struct ShowOperation {
    /// The operation, by its id or the beginning of it
    #[arg(value_name = "OP", default_value = LAST)]
    pub(crate) operation: String,
    /// Also show what was changed in the files
    #[arg(long)]
    pub(crate) diff: bool,
    /// Write it as an HTML page, with what was asked and every diff: one file, to keep or to print; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// The answer [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Look only for this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// The detail in which faults are explained
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
}

#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// The clock of an earlier answer
    #[arg(long, value_name = "CLOCK")]
    pub(crate) since: Option<String>,
    /// Look at every file, also for what programs store through shared memory maps or hard links elsewhere
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Instructions {
    /// The dialect to teach [default: sham]
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Who reads it
    #[arg(long = "for", value_enum, value_name = "READER", default_value = "chat")]
    pub(crate) reader: Reader,
    /// Name all actions that an answer may use, not only the usual ones (sham)
    #[arg(long)]
    pub(crate) all_actions: bool,
    /// Copy them to the clipboard instead of printing them
    #[arg(long, conflicts_with = "json")]
    pub(crate) copy: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// The number of lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) lines: usize,
    /// Go on as the log grows
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The method
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a person
    #[default]
    Text,
    /// The method's result as it is
    Json,
    /// To be pasted back to the model
    Llm,
    /// CML's result, for programs that speak it
    Xml,
    /// As xml if all of the answer is CML, else as text
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Match {
    /// Character by character
    Exact,
    /// Line by line, up to blanks at line ends
    Strict,
    /// As far as exactly one place can be meant
    Tolerant,
}

impl From<Match> for MatchLevel {
    fn from(level: Match) -> MatchLevel {
        match level {
            Match::Exact => MatchLevel::Exact,
            Match::Strict => MatchLevel::Strict,
            Match::Tolerant => MatchLevel::Tolerant,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Detail {
    /// Message and hint
    #[default]
    Minimal,
    /// Also the block and the lines around the fault
    Full,
    /// Also kinds, codes and parameters
    Debug,
}

impl From<Detail> for ErrorDetail {
    fn from(detail: Detail) -> ErrorDetail {
        match detail {
            Detail::Minimal => ErrorDetail::Minimal,
            Detail::Full => ErrorDetail::Full,
            Detail::Debug => ErrorDetail::Debug,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reader {
    /// A chat window, into which a person pastes it
    Chat,
    /// A system prompt
    System,
}

impl From<Reader> for Audience {
    fn from(reader: Reader) -> Audience {
        match reader {
            Reader::Chat => Audience::Chat,
            Reader::System => Audience::System,
        }
    }
}

/// Returns the command line as clap knows it.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Returns the name that the program was called by.
pub(crate) fn called(process: &Process) -> &'static str {
    match process.args.first().map(Path::new).and_then(Path::file_name) {
        Some(name) if name == NAME => NAME,
        _ => SHORT_NAME,
    }
}

/// Reads the arguments. Writes help, versions and usage errors here; the error is the exit status.
pub(crate) fn parse(process: &mut Process) -> Result<Cli, Status> {
    // Without a terminal nobody looks at the state of the project: a script has forgotten the command.
    let scripted = !process.terminals.stdout;
    let command = command().arg_required_else_help(scripted).subcommand_required(scripted);
    let parsed =
        command.try_get_matches_from(&process.args).and_then(|matches| Cli::from_arg_matches(&matches));
    let error = match parsed {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let terminal = if asked { process.terminals.stdout } else { process.terminals.stderr };
    let text = error.render();
    let text = if settings::colours(process, When::Auto, terminal) {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    let text = text.replace(NAME, called(process));
    if !asked {
        process.complain(&text);
        return Err(Status::Usage);
    }
    let printed = print(process, &text);
    Err(printed.map_or_else(|failure| crate::report(process, &failure, false), |()| Status::Ok))
}

#[cfg(test)]
mod tests {
    use super::*;

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
