//! The flags of `embed`, and the commands of `context` and `session`, as written.

use std::path::PathBuf;

use clada_protocol::{EmbedErrorMode, EmbedFormat, EmbedPreamble};
use clap::{Args, Subcommand};

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
    /// More files and folders
    #[arg(short, long, value_name = "PATH", num_args = 1..)]
    pub(crate) context: Vec<PathBuf>,
    /// How deep to descend into folders; 0 is only the files of a folder itself [default: no limit]
    #[arg(short = 'd', long, visible_alias = "recurse_depth", value_name = "N")]
    pub(crate) recurse_depth: Option<usize>,
    /// In folders, include only files that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// In folders, exclude what matches this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Include hidden files and folders
    #[arg(long)]
    pub(crate) hidden: bool,
    /// What to do if a path cannot be embedded [default: as configured, else flexible]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) errors: Option<ErrorMode>,
    /// Skip what cannot be embedded
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// The format of the document
    #[arg(long, value_enum, default_value = "markdown")]
    pub(crate) format: DocumentFormat,
    /// How much introduction to write before the files
    #[arg(long, value_enum, default_value = "brief")]
    pub(crate) preamble: Preamble,
    /// Number the lines
    #[arg(long)]
    pub(crate) line_numbers: bool,
    /// Count the tokens of each file and in total
    #[arg(long)]
    pub(crate) tokens: bool,
    /// Limit the document to this many tokens; the most relevant parts stay
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Print only the tree of files, without contents
    #[arg(long)]
    pub(crate) tree_only: bool,
    /// Append the changes since the last commit as a diff
    #[arg(long)]
    pub(crate) diff: bool,
    /// Embed the files that changed since the last --changed; the first time all files
    #[arg(long)]
    pub(crate) changed: bool,
    /// Embed the files that changed since this clock value (see `changes`)
    #[arg(long, value_name = "CLOCK", conflicts_with = "changed")]
    pub(crate) since: Option<String>,
    /// Embed the session's context
    #[arg(long)]
    pub(crate) session_context: bool,
    /// Read paths from standard input, one per line
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Paths on standard input end with NUL
    #[arg(short = '0', long = "null")]
    pub(crate) null: bool,
    /// Write the document to this file instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Copy the document to the clipboard instead of printing
    #[arg(long, conflicts_with_all = ["output", "json"])]
    pub(crate) copy: bool,
    /// Put the text of this file before the document; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Skip larger files [default: as configured, else 1024]
    #[arg(long, value_name = "KB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_file_size_kb: Option<u64>,
    /// At most this many files per folder [default: as configured, else 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_files_per_directory: Option<u64>,
    /// Also embed files that hold secrets
    #[arg(long)]
    pub(crate) include_secrets: bool,
}

wire_choice! {
    ErrorMode => EmbedErrorMode {
        /// Fail
        Strict,
        /// Ask
        Flexible,
        /// Skip it
        Ignore,
    }
}

wire_choice! {
    DocumentFormat => EmbedFormat {
        /// Headings and fences
        Markdown,
        /// Elements and CDATA
        Xml,
        /// One object
        Json,
    }
}

wire_choice! {
    Preamble => EmbedPreamble {
        /// Just enough for a model to read the headings
        Brief,
        /// Purpose, format, guidelines and limits
        Full,
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
    /// List its entries
    #[command(after_help = "Example: clada-client context list")]
    List,
    /// Remove entries that no longer exist or were never embedded
    #[command(after_help = "Example: clada-client context prune")]
    Prune,
    /// Remove all entries
    #[command(after_help = "Example: clada-client context clear")]
    Clear,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the sessions
    #[command(after_help = "Example: clada-client session list")]
    List,
    /// Show a session: its working directory and its context
    #[command(after_help = "Example: clada-client session show review")]
    Show {
        /// Its name [default: --session, else default]
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Set the working directory for commands, in the session of --session; file paths stay relative to the project
    #[command(after_help = "Example: clada-client --session review session cd src")]
    Cd {
        /// A folder of the project
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Close a session and drop its context
    #[command(after_help = "Example: clada-client session close review")]
    Close {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
}
