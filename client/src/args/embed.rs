//! The flags of `embed`, and the commands of `context` and `session`, as written.

use std::path::PathBuf;

use clada_protocol::{EmbedErrorMode, EmbedFormat, EmbedPreamble};
use clap::{Args, Subcommand, ValueEnum};

pub(super) const EMBED_EXAMPLES: &str = "Examples:
  clada-client embed src README.md > context.md
  clada-client embed -c src --include '*.rs' --max-tokens 50000 -o context.md
  clada-client embed . -d 1 --tokens --prompt task.md
  git diff --name-only -z | clada-client embed --stdin -0";

#[derive(Debug, Args)]
pub(crate) struct Embed {
    /// Files and folders
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Files and folders, too
    #[arg(short, long, value_name = "PATH", num_args = 1..)]
    pub(crate) context: Vec<PathBuf>,
    /// Levels of folders to go down into; 0: only the files of a folder itself [default: all]
    #[arg(short = 'd', long, visible_alias = "recurse_depth", value_name = "N")]
    pub(crate) recurse_depth: Option<usize>,
    /// Take only files of folders that match this glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out what matches this glob in folders; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Take hidden files and folders too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// The reaction to something that cannot be embedded [default: as configured, else flexible]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) errors: Option<ErrorMode>,
    /// Go on without what cannot be embedded
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// The format of the document
    #[arg(long, value_enum, default_value = "markdown")]
    pub(crate) format: DocumentFormat,
    /// The description of the document before its files
    #[arg(long, value_enum, default_value = "brief")]
    pub(crate) preamble: Preamble,
    /// Begin every line with its number
    #[arg(long)]
    pub(crate) line_numbers: bool,
    /// Count tokens, of each file and of all
    #[arg(long)]
    pub(crate) tokens: bool,
    /// Keep what matters most in so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Print the tree of what would be embedded, and no contents
    #[arg(long)]
    pub(crate) tree_only: bool,
    /// Append what the working tree has changed since the last commit
    #[arg(long)]
    pub(crate) diff: bool,
    /// Embed the project's files that have changed since the last --changed; the first time all
    #[arg(long)]
    pub(crate) changed: bool,
    /// Embed the project's files that have changed since this clock, as `changes` reports it
    #[arg(long, value_name = "CLOCK", conflicts_with = "changed")]
    pub(crate) since: Option<String>,
    /// Embed the context of the session
    #[arg(long)]
    pub(crate) session_context: bool,
    /// Read paths from standard input, one a line
    #[arg(long)]
    pub(crate) stdin: bool,
    /// The paths on standard input end with NUL
    #[arg(short = '0', long = "null")]
    pub(crate) null: bool,
    /// Write the document to this file instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Copy the document to the clipboard instead of printing it
    #[arg(long, conflicts_with_all = ["output", "json"])]
    pub(crate) copy: bool,
    /// Put the document behind the text of this file; -: of standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Leave out larger files [default: as configured, else 1024]
    #[arg(long, value_name = "KB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_file_size_kb: Option<u64>,
    /// Embed so many files of a folder at most [default: as configured, else 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_files_per_directory: Option<u64>,
    /// Embed files that are held back as secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorMode {
    /// Embed nothing
    Strict,
    /// Ask
    Flexible,
    /// Go on without it
    Ignore,
}

impl From<ErrorMode> for EmbedErrorMode {
    fn from(mode: ErrorMode) -> EmbedErrorMode {
        match mode {
            ErrorMode::Strict => EmbedErrorMode::Strict,
            ErrorMode::Flexible => EmbedErrorMode::Flexible,
            ErrorMode::Ignore => EmbedErrorMode::Ignore,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DocumentFormat {
    /// Headings and fences
    Markdown,
    /// Elements and CDATA
    Xml,
    /// One object
    Json,
}

impl From<DocumentFormat> for EmbedFormat {
    fn from(format: DocumentFormat) -> EmbedFormat {
        match format {
            DocumentFormat::Markdown => EmbedFormat::Markdown,
            DocumentFormat::Xml => EmbedFormat::Xml,
            DocumentFormat::Json => EmbedFormat::Json,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preamble {
    /// Just enough for a model to read the headings
    Brief,
    /// Purpose, format, guidelines and limits
    Full,
}

impl From<Preamble> for EmbedPreamble {
    fn from(preamble: Preamble) -> EmbedPreamble {
        match preamble {
            Preamble::Brief => EmbedPreamble::Brief,
            Preamble::Full => EmbedPreamble::Full,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Add files and folders
    #[command(after_help = "Example: clada-client context add src README.md")]
    Add {
        /// Files and folders of the project
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
    },
    /// Remove files and folders
    #[command(after_help = "Example: clada-client context remove README.md")]
    Remove {
        /// Files and folders of the project
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
    },
    /// List what is in it
    #[command(after_help = "Example: clada-client context list")]
    List,
    /// Remove what is gone or was never embedded since it was added
    #[command(after_help = "Example: clada-client context prune")]
    Prune,
    /// Remove everything
    #[command(after_help = "Example: clada-client context clear")]
    Clear,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the sessions
    #[command(after_help = "Example: clada-client session list")]
    List,
    /// Show a session: its working directory, and what is in its context
    #[command(after_help = "Example: clada-client session show review")]
    Show {
        /// Its name [default: that of --session, else default]
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Set the folder in which commands of answers run, in the session of --session; paths stay the project's
    #[command(after_help = "Example: clada-client --session review session cd src")]
    Cd {
        /// A folder of the project
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Close a session, with its context
    #[command(after_help = "Example: clada-client session close review")]
    Close {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}
