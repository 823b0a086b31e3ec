//! What is in force: typed, immutable, complete. Whoever carries out a request is handed this; it must not
//! know where a value came from in order to use it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clada_dialects::{CslDelimiters, Dialect};

use super::defaults;
use super::limits::Limits;
use super::{Key, Origin};

/// Every setting of this version. Made by [`super::resolve()`], shared as `Arc<Settings>`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Folders, absolute, that an answer may work in besides the project's root. Default: none.
    pub allowed_roots: Vec<PathBuf>,
    /// Roots that models make up, absolute and without a slash at the end, and what they mean. Default: none.
    pub root_aliases: BTreeMap<String, AliasTarget>,
    /// A path below a root that a model made up (`paths.made_up_roots`). Default: [`MadeUpRoots::Hint`].
    pub made_up_roots: MadeUpRoots,
    /// Globs of paths that an answer may not name. Default: [`defaults::DENIED`].
    pub denied: Vec<String>,
    /// Globs of files whose content is held back (`secrets.globs`). Default: [`defaults::SECRETS`].
    pub secret_globs: Vec<String>,
    /// Globs of files whose change needs approval. Default: [`defaults::ASK`].
    pub ask: Vec<String>,
    /// Reading follows symbolic links that stay in the root. Default: false.
    pub follow_symlinks: bool,
    /// How much of anything.
    pub limits: Limits,
    /// What is awaited before a file counts as written. Default: [`Durability::Full`].
    pub durability: Durability,
    /// Dialects that are looked for when nobody names any (`dialects.enabled`). Default: all but `whole_file`.
    pub dialects: Vec<Dialect>,
    /// How far from what is asked the text of a file may be (`match`). Default: [`Matching::ByDialect`].
    pub matching: Matching,
    /// Relative paths in the SHAM dialect (`sham.paths`). Default: [`ShamPaths::Any`].
    pub sham_paths: ShamPaths,
    /// What markers of CSL start and end with (`csl.start`, `csl.end`). Default: `<---` and `--->`.
    pub csl: CslDelimiters,
    /// The last line's end of a file that is written whole (`write.final_newline`). Default:
    /// [`FinalNewline::Ensure`].
    pub final_newline: FinalNewline,
    /// What `embed` takes and leaves out (`embed.*`).
    pub embed: EmbedSettings,
    /// Where commits go (`git.mode`). Default: [`GitMode::Branch`].
    pub git_mode: GitMode,
    /// What is committed before an operation (`git.before`). Default: [`GitBefore::Touched`].
    pub git_before: GitBefore,
    /// Who commits are by (`git.author`): a name, or `Name <address>`. Default: `clada`.
    pub git_author: String,
    /// What a commit says (`git.commit_message_format`). Default: [`defaults::GIT_MESSAGE`].
    pub git_message: String,
    /// Whether code needs approval where it runs in a sandbox (`exec.approval`). Default: [`ExecApproval::Ask`].
    pub exec_approval: ExecApproval,
    /// Whether approved commands are asked about again (`exec.ask_after_edit`). Default: [`AskAfterEdit::Auto`].
    pub exec_ask_after_edit: AskAfterEdit,
    /// Variables that every command gets (`exec.env`). Default: none.
    pub exec_env: BTreeMap<String, String>,
    /// Commands get all variables of the terminal (`exec.inherit_env`). Default: false.
    pub exec_inherit_env: bool,
    /// How much commands in a sandbox see of the home folder (`exec.home`). Default: [`ExecHome::Auto`].
    pub exec_home: ExecHome,
    /// Commands in a sandbox reach the network (`exec.network`). Default: false.
    pub exec_network: bool,
    /// Files and folders, absolute, that commands see even if they would be hidden (`exec.readable`). Default: none.
    pub exec_readable: Vec<PathBuf>,
    /// The sandbox that commands run in (`exec.sandbox`). Default: [`SandboxChoice::Auto`].
    pub exec_sandbox: SandboxChoice,
    /// Folders, absolute, besides the root that commands may change (`exec.writable`). Default: none.
    pub exec_writable: Vec<PathBuf>,
    /// Processes in other namespaces (`socket.foreign_namespaces`). Default: [`ForeignNamespaces::Refuse`].
    pub foreign_namespaces: ForeignNamespaces,
    /// How `stage` works (`stage.*`).
    pub stage: StageSettings,
    /// What tells of changes (`watch.backend`). Default: [`WatchBackend::Auto`].
    pub watch_backend: WatchBackend,
    /// How long a project is watched that nobody asks about (`watch.reap_after`); `None`: for ever. Default: 5 days.
    pub watch_reap_after: Option<Duration>,
    /// How long the daemon waits without a request before it ends (`daemon.idle_exit`); `None` means that it
    /// never does. Default: 4 hours.
    pub idle_exit: Option<Duration>,
    /// What the daemon's log holds (`daemon.log_level`). Default: [`LogLevel::Info`].
    pub log_level: LogLevel,
    pub(super) origins: BTreeMap<Key, Vec<Origin>>,
}

impl Settings {
    /// Where the value of `key` comes from, in the order in which layers added to it; one, except for lists
    /// that a project has added to.
    #[must_use]
    pub fn origins(&self, key: Key) -> &[Origin] {
        self.origins.get(&key).map_or(&[Origin::Default], Vec::as_slice)
    }

    /// Whether a call may name `dialect`. One that is merely off by default may be named, unless a configuration has
    /// switched others off: then its list is all there is.
    #[must_use]
    pub fn may_be_named(&self, dialect: Dialect) -> bool {
        let narrowed = built_in_dialects().iter().any(|dialect| !self.dialects.contains(dialect));
        self.dialects.contains(&dialect) || !narrowed
    }
}

impl Default for Settings {
    fn default() -> Settings {
        let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        Settings {
            allowed_roots: Vec::new(),
            root_aliases: BTreeMap::new(),
            made_up_roots: MadeUpRoots::default(),
            denied: list(defaults::DENIED),
            secret_globs: list(defaults::SECRETS),
            ask: defaults::ASK.iter().map(|(glob, _)| (*glob).to_owned()).collect(),
            follow_symlinks: false,
            limits: Limits::default(),
            durability: Durability::default(),
            dialects: built_in_dialects(),
            matching: Matching::default(),
            sham_paths: ShamPaths::default(),
            csl: CslDelimiters::default(),
            final_newline: FinalNewline::default(),
            embed: EmbedSettings::default(),
            git_mode: GitMode::default(),
            git_before: GitBefore::default(),
            git_author: defaults::GIT_AUTHOR.to_owned(),
            git_message: defaults::GIT_MESSAGE.to_owned(),
            exec_approval: ExecApproval::default(),
            exec_ask_after_edit: AskAfterEdit::default(),
            exec_env: BTreeMap::new(),
            exec_inherit_env: false,
            exec_home: ExecHome::default(),
            exec_network: false,
            exec_readable: Vec::new(),
            exec_sandbox: SandboxChoice::default(),
            exec_writable: Vec::new(),
            foreign_namespaces: ForeignNamespaces::default(),
            stage: StageSettings::default(),
            watch_backend: WatchBackend::default(),
            watch_reap_after: Some(Duration::from_secs(5 * 86_400)),
            idle_exit: Some(Duration::from_secs(4 * 3600)),
            log_level: LogLevel::default(),
            origins: BTreeMap::new(),
        }
    }
}

/// What `embed` takes and leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedSettings {
    /// Larger files are not embedded (`embed.max_file_size_kb`); kB of 1024 bytes. Default: 1024.
    pub max_file_size_kb: u64,
    /// Files of one folder at most (`embed.max_files_per_directory`). Default: 50.
    pub max_files_per_directory: u64,
    /// What happens if something cannot be embedded (`embed.error_handling_mode`). Default:
    /// [`ErrorHandling::Flexible`].
    pub error_handling: ErrorHandling,
    /// Globs of names of folders that are not gone into (`embed.excluded_directories`). Default:
    /// [`defaults::EMBED_DIRECTORIES`].
    pub excluded_directories: Vec<String>,
    /// Endings of files without the dot (`embed.excluded_extensions`). Default: [`defaults::EMBED_EXTENSIONS`].
    pub excluded_extensions: Vec<String>,
    /// Links to folders in the root are gone into (`embed.follow_symlinks`). Default: false.
    pub follow_symlinks: bool,
    /// What counts tokens (`embed.tokenizer`). Default: [`Tokenizer::O200k`].
    pub tokenizer: Tokenizer,
    /// Globs of files that a budget keeps first (`embed.priority`). Default: none.
    pub priority: Vec<String>,
}

impl Default for EmbedSettings {
    fn default() -> EmbedSettings {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        EmbedSettings {
            max_file_size_kb: 1024,
            max_files_per_directory: 50,
            error_handling: ErrorHandling::default(),
            excluded_directories: list(defaults::EMBED_DIRECTORIES),
            excluded_extensions: list(defaults::EMBED_EXTENSIONS),
            follow_symlinks: false,
            tokenizer: Tokenizer::default(),
            priority: Vec::new(),
        }
    }
}

/// How `stage` works; the largest file that it takes is among the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageSettings {
    /// What the manifest is written as (`stage.manifest`). Default: [`ManifestFormat::Json`].
    pub manifest: ManifestFormat,
    /// Where staging folders are made (`stage.dir`); `None`: in the folder for temporary files. Default: there.
    pub dir: Option<PathBuf>,
    /// What changed is staged in the background (`stage.auto`). Default: false.
    pub auto: bool,
    /// How long a project has to be quiet before that (`stage.auto_debounce`). Default: 500 ms.
    pub auto_debounce: Duration,
}

impl Default for StageSettings {
    fn default() -> StageSettings {
        StageSettings {
            manifest: ManifestFormat::default(),
            dir: None,
            auto: false,
            auto_debounce: Duration::from_millis(500),
        }
    }
}

/// Dialects that are looked for when nobody says otherwise. `whole_file` has to be asked for by name: with
/// it, any sample listing in an answer would overwrite a file.
pub(super) fn built_in_dialects() -> Vec<Dialect> {
    Dialect::AUTO.to_vec()
}

/// What a root that a model made up stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AliasTarget {
    /// The root of the project in question; written `.`.
    ProjectRoot,
    /// This folder, absolute. It must lie in an allowed root, which is checked where it is used.
    Folder(PathBuf),
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// Every choice, as it is written in the configuration.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// As it is written in the configuration.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The choice that is written `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    )*};
}

choices! {
    /// What is awaited before a file counts as written.
    Durability {
        /// The file and its folder are on the disk (fsync).
        #[default]
        Full = "full",
        /// The operating system has it; a power cut may undo the last seconds.
        Fast = "fast",
    }

    /// How far from what is asked the text of a file may be.
    Matching {
        /// As each dialect has it.
        #[default]
        ByDialect = "by_dialect",
        /// The text itself.
        Exact = "exact",
        /// Lines, up to blanks at their ends.
        Strict = "strict",
        /// Lines, as far as exactly one place can be meant.
        Tolerant = "tolerant",
    }

    /// What becomes of a path that lies in no root and does not exist, if one file of the project can be meant.
    MadeUpRoots {
        /// It is an error, which names the file.
        #[default]
        Hint = "hint",
        /// The file is taken, with a warning.
        Accept = "accept",
    }

    /// What a relative path means in the SHAM dialect.
    ShamPaths {
        /// Relative to the root, with a warning.
        #[default]
        Any = "any",
        /// An error, as in SHAM's own documentation.
        Absolute = "absolute",
    }

    /// The end of the last line of a file that is written whole.
    FinalNewline {
        /// As the answer has it.
        AsWritten = "as_written",
        /// Added where the dialect cannot say whether there is one.
        #[default]
        Ensure = "ensure",
    }

    /// What `embed` does if something cannot be embedded.
    ErrorHandling {
        /// Nothing is embedded.
        Strict = "strict",
        /// A person is asked.
        #[default]
        Flexible = "flexible",
        /// It goes on without it.
        Ignore = "ignore",
    }

    /// What the manifest of a staging folder is written as.
    ManifestFormat {
        /// Names, the root, what was removed.
        #[default]
        Json = "json",
        /// A record of names, for prompts that expect it.
        Dhall = "dhall",
    }

    /// What counts tokens.
    Tokenizer {
        /// o200k_base.
        #[default]
        O200k = "o200k",
        /// cl100k_base.
        Cl100k = "cl100k",
    }

    /// Where the commits of an operation go.
    GitMode {
        /// On the branch that is checked out.
        #[default]
        Branch = "branch",
        /// On `refs/clada/…`, beside the branch.
        Refs = "refs",
        /// Nowhere.
        Off = "off",
    }

    /// What is committed before an operation.
    GitBefore {
        /// The files that it will change, if they are dirty.
        #[default]
        Touched = "touched",
        /// Everything that is dirty.
        All = "all",
    }

    /// Whether code needs approval where it runs in a sandbox.
    ExecApproval {
        /// Always.
        #[default]
        Ask = "ask",
        /// Only where it does not run in a sandbox.
        Sandboxed = "sandboxed",
    }

    /// Whether approved commands are asked about again after the answer has changed files.
    AskAfterEdit {
        /// Where there is no sandbox.
        #[default]
        Auto = "auto",
        /// Never.
        Off = "off",
    }

    /// How much commands in a sandbox see of the home folder.
    ExecHome {
        /// As `Show`, but as `Hide` where code runs that nobody was asked about.
        #[default]
        Auto = "auto",
        /// All but keys and the like.
        Show = "show",
        /// Programs, what they have kept for later, and what is named.
        Hide = "hide",
    }

    /// The sandbox that commands run in.
    SandboxChoice {
        /// The best that works.
        #[default]
        Auto = "auto",
        /// The best that works; without one nothing runs.
        Require = "require",
        /// None.
        Off = "off",
    }

    /// What becomes of a process that calls from other namespaces than the daemon's.
    ForeignNamespaces {
        /// It is refused.
        #[default]
        Refuse = "refuse",
        /// It is taken for an agent.
        Agent = "agent",
    }

    /// What tells of changes.
    WatchBackend {
        /// The best that this system has.
        #[default]
        Auto = "auto",
        /// The kernel's own, on Linux.
        Inotify = "inotify",
        /// The library of that name.
        Notify = "notify",
    }

    /// How much the daemon's log holds.
    LogLevel {
        /// Nothing.
        Off = "off",
        /// Faults of the daemon.
        Error = "error",
        /// And what a person should look at.
        Warn = "warn",
        /// And what was done.
        #[default]
        Info = "info",
        /// And how it was decided.
        Debug = "debug",
        /// And everything else.
        Trace = "trace",
    }
}
