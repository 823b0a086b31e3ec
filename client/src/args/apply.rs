//! `apply` and `listen` as they are written.

use std::path::PathBuf;

use clada_protocol::{ErrorDetail, MatchLevel};
use clap::{Args, ValueEnum};

use super::values::{duration_ms, size_bytes};
use super::{Approval, Commits};

pub(super) const APPLY_EXAMPLES: &str = "Examples:
  clada-client apply < response.md
  clada-client apply --paste --copy
  clada-client apply --dry-run response.md
  clada-client apply --interactive response.md
  clada-client apply --atomic response.md
  clada-client apply --match tolerant response.md
  clada-client apply --git refs response.md
  clada-client apply --resume --match tolerant
  clada-client apply --resume --approve 5f3a9c0e1b2d4f67";

pub(super) const LISTEN_EXAMPLES: &str = "Examples:
  clada-client listen
  clada-client listen ~/Downloads/answer.md
  clada-client listen answer.md --yes --git refs";

/// The last operation, as the daemon names it: the default of `--resume` and `history show`.
pub(super) const LAST: &str = "last";

#[derive(Debug, Default, Args)]
pub(crate) struct Apply {
    /// The answer [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read the answer from the clipboard
    #[arg(long, conflicts_with_all = ["file", "resume"])]
    pub(crate) paste: bool,
    /// Also copy the report for the model (--format llm) to the clipboard
    #[arg(long)]
    pub(crate) copy: bool,
    /// Show what would change, without changing anything
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Show each change and ask whether to apply it
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) interactive: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Read only this dialect; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Vec<String>,
    /// How closely an edit must match the file [default: set by its dialect]
    #[arg(long = "match", value_enum, value_name = "LEVEL")]
    pub(crate) match_level: Option<Match>,
    /// Also apply code blocks that name their file, without asking
    #[arg(long, conflicts_with = "interactive")]
    pub(crate) plain: bool,
    /// The file for code that names no file
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) to: Option<PathBuf>,
    /// Apply the whole answer, or none of it
    #[arg(long)]
    pub(crate) atomic: bool,
    /// Retry what failed or was not approved in an operation, and ask again about changes that you declined [default:
    /// the last one]; reads no answer
    #[arg(long, value_name = "OP", num_args = 0..=1, default_missing_value = LAST)]
    #[arg(conflicts_with_all = ["file", "dialect"])]
    pub(crate) resume: Option<String>,
    /// Reapply the whole answer, including edits already in place
    #[arg(long, conflicts_with_all = ["resume", "interactive"])]
    pub(crate) again: bool,
    /// Apply even if changes cannot be recorded; you cannot undo them
    #[arg(long)]
    pub(crate) no_undo: bool,
    #[command(flatten)]
    pub(crate) approval: Approval,
    /// Time limit for the whole run, such as 30s, 500ms or 5m
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub(crate) total_timeout: Option<u64>,
    /// Time limit for each command, such as 30s or 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub(crate) timeout: Option<u64>,
    /// Output limit for each command, such as 512kB or 10MB [default: 10MB]
    #[arg(long, value_name = "SIZE", value_parser = size_bytes)]
    pub(crate) max_output: Option<u64>,
    /// When to show the output of commands
    #[arg(long, value_enum, value_name = "MODE", default_value = "stream")]
    pub(crate) output_mode: OutputMode,
    /// How much detail to show about failures
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "minimal")]
    pub(crate) error_detail: Detail,
    /// Apply the answer exactly as written: do not check for placeholders, patches as content or shifted
    /// line numbers
    #[arg(long)]
    pub(crate) literal: bool,
    /// Allow paths outside the project, for this run
    #[arg(long)]
    pub(crate) allow_escape: bool,
    /// Also read and change files that hold secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
    #[command(flatten)]
    pub(crate) commits: Commits,
    /// Hold a lock on this file while applying, to exclude other scripts
    #[arg(long, value_name = "PATH")]
    pub(crate) lock_file: Option<PathBuf>,
    /// How long to wait for that lock [default: 10s]
    #[arg(long, value_name = "TIME", requires = "lock_file", value_parser = duration_ms)]
    pub(crate) lock_timeout: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Listen {
    /// A file to watch for answers [default: the clipboard]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Watch the clipboard (the default)
    #[arg(long, conflicts_with = "file")]
    pub(crate) clipboard: bool,
    /// Apply answers saved in FILE without asking, except what needs approval
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// The result as JSON
    Json,
    /// To paste back to the model
    Llm,
    /// CML's result, for programs that read it
    Xml,
    /// xml if the whole answer is CML, else text
    Auto,
}

wire_choice! {
    Match => MatchLevel {
        /// Character by character
        Exact,
        /// Line by line, ignoring trailing whitespace
        Strict,
        /// With small differences, if only one place fits
        Tolerant,
    }
}

wire_choice! {
    #[derive(Default)]
    Detail => ErrorDetail {
        /// Message and hint
        #[default]
        Minimal,
        /// Also the block and the lines around the error
        Full,
        /// Also kinds, codes and parameters
        Debug,
    }
}
