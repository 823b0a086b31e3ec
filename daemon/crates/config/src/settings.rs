//! The settings in force: typed, immutable, complete. Code that uses a setting must
//! not need to know its origin.

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
    /// Absolute folders that an answer may work in besides the project's root. Default: none.
    pub allowed_roots: Vec<PathBuf>,
    /// Roots that models make up, absolute and without a slash at the end, with the folders that they
    /// stand for. Default: none.
    pub root_aliases: BTreeMap<String, AliasTarget>,
    /// The treatment of a path below a root that a model made up (`paths.made_up_roots`).
    /// Default: [`MadeUpRoots::Hint`].
    pub made_up_roots: MadeUpRoots,
    /// Globs of paths that an answer may not name. Default: `defaults::DENIED`.
    pub denied: Vec<String>,
    /// Globs of files whose content is held back (`secrets.globs`). Default: `defaults::SECRETS`.
    pub secret_globs: Vec<String>,
    /// Globs of files whose change needs approval. Default: `defaults::ASK`.
    pub ask: Vec<String>,
    /// True if reading follows symbolic links that stay in the root. Default: false.
    pub follow_symlinks: bool,
    /// The limits on all amounts.
    pub limits: Limits,
    /// The condition under which a file counts as written. Default: [`Durability::Full`].
    pub durability: Durability,
    /// Dialects looked for when a call names none (`dialects.enabled`). Default: all but `whole_file`.
    pub dialects: Vec<Dialect>,
    /// The difference allowed between the text of a file and the text asked for (`match`).
    /// Default: [`Matching::ByDialect`].
    pub matching: Matching,
    /// The treatment of relative paths in the SHAM dialect (`sham.paths`). Default: [`ShamPaths::Any`].
    pub sham_paths: ShamPaths,
    /// The start and end of CSL's markers (`csl.start`, `csl.end`). Default: `<---` and `--->`.
    pub csl: CslDelimiters,
    /// The treatment of the last line's end in a file that is written whole (`write.final_newline`). Default:
    /// [`FinalNewline::Ensure`].
    pub final_newline: FinalNewline,
    /// The settings of `embed` (`embed.*`).
    pub embed: EmbedSettings,
    /// What `apply` shows of its changes (`apply.show`). Default: [`ApplyShow::Stat`].
    pub apply_show: ApplyShow,
    /// What becomes of code without a dialect (`apply.plain`). Default: [`ApplyPlain::Ask`].
    pub apply_plain: ApplyPlain,
    /// The place for commits (`git.mode`). Default: [`GitMode::Branch`].
    pub git_mode: GitMode,
    /// The place for the commits of agents (`git.agents`), unless there are none. Default:
    /// [`GitMode::Refs`].
    pub git_agents: GitMode,
    /// The files committed before an operation (`git.before`). Default: [`GitBefore::Touched`].
    pub git_before: GitBefore,
    /// The author of commits (`git.author`): a name, or `Name <address>`. Default: `clada`.
    pub git_author: String,
    /// The message of a commit (`git.commit_message_format`). Default: `defaults::GIT_MESSAGE`.
    pub git_message: String,
    /// The approval that code in a sandbox needs (`exec.approval`). Default: [`ExecApproval::Ask`].
    pub exec_approval: ExecApproval,
    /// The condition for asking again about approved commands (`exec.ask_after_edit`).
    /// Default: [`AskAfterEdit::Auto`].
    pub exec_ask_after_edit: AskAfterEdit,
    /// Variables that every command gets (`exec.env`). Default: none.
    pub exec_env: BTreeMap<String, String>,
    /// True if commands get all variables of the terminal (`exec.inherit_env`). Default: false.
    pub exec_inherit_env: bool,
    /// The part of the home folder that commands in a sandbox see (`exec.home`). Default: [`ExecHome::Auto`].
    pub exec_home: ExecHome,
    /// True if commands in a sandbox reach the network (`exec.network`). Default: false.
    pub exec_network: bool,
    /// Absolute files and folders that commands see even if they would be hidden
    /// (`exec.readable`). Default: none.
    pub exec_readable: Vec<PathBuf>,
    /// The sandbox that commands run in (`exec.sandbox`). Default: [`SandboxChoice::Auto`].
    pub exec_sandbox: SandboxChoice,
    /// Absolute folders besides the root that commands may change (`exec.writable`). Default: none.
    pub exec_writable: Vec<PathBuf>,
    /// The treatment of processes in other namespaces (`socket.foreign_namespaces`). Default:
    /// [`ForeignNamespaces::Refuse`].
    pub foreign_namespaces: ForeignNamespaces,
    /// The treatment of an agent's call that needs approval (`mcp.approvals`). Default:
    /// [`McpApprovals::Tell`].
    pub mcp_approvals: McpApprovals,
    /// The settings of `stage` (`stage.*`).
    pub stage: StageSettings,
    /// The source of change events (`watch.backend`). Default: [`WatchBackend::Auto`].
    pub watch_backend: WatchBackend,
    /// The time after which a project without requests is no longer watched (`watch.reap_after`); `None`
    /// means never. Default: 5 days.
    pub watch_reap_after: Option<Duration>,
    /// The time without a request after which the daemon ends (`daemon.idle_exit`); `None`
    /// means never. Default: 4 hours.
    pub idle_exit: Option<Duration>,
    /// The contents of the daemon's log (`daemon.log_level`). Default: [`LogLevel::Info`].
    pub log_level: LogLevel,
    pub(super) origins: BTreeMap<Key, Vec<Origin>>,
}

impl Settings {
    /// Returns the origins of the value of `key`, in the order in which layers added to it. There is one,
    /// except for lists that a project has added to.
    #[must_use]
    pub fn origins(&self, key: Key) -> &[Origin] {
        self.origins.get(&key).map_or(&[Origin::Default], Vec::as_slice)
    }

    /// Returns whether a call may name `dialect`. A dialect that is merely off by default may be named,
    /// unless a configuration has switched others off: then only those in its list may.
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
            // The globs of these lists are in `defaults`, with the reasons for them.
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
            apply_show: ApplyShow::default(),
            apply_plain: ApplyPlain::default(),
            git_mode: GitMode::default(),
            git_agents: GitMode::Refs,
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
            mcp_approvals: McpApprovals::default(),
            stage: StageSettings::default(),
            watch_backend: WatchBackend::default(),
            watch_reap_after: Some(Duration::from_secs(5 * 86_400)),
            idle_exit: Some(Duration::from_secs(4 * 3600)),
            log_level: LogLevel::default(),
            origins: BTreeMap::new(),
        }
    }
}

/// The settings of `embed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedSettings {
    /// The largest file that is embedded (`embed.max_file_size_kb`), in kB of 1024 bytes. Default: 1024.
    pub max_file_size_kb: u64,
    /// The most files of one folder (`embed.max_files_per_directory`). Default: `auto`, 50 outside of a work
    /// tree of git and no limit in one.
    pub max_files_per_directory: Option<u64>,
    /// The reaction to a file that cannot be embedded (`embed.error_handling_mode`). Default:
    /// [`ErrorHandling::Flexible`].
    pub error_handling: ErrorHandling,
    /// Globs of names of folders that are not entered (`embed.excluded_directories`). Default:
    /// `defaults::EMBED_DIRECTORIES`.
    pub excluded_directories: Vec<String>,
    /// Extensions of files left out, without the dot (`embed.excluded_extensions`). Default:
    /// `defaults::EMBED_EXTENSIONS`.
    pub excluded_extensions: Vec<String>,
    /// True if links to folders in the root are followed (`embed.follow_symlinks`). Default: false.
    pub follow_symlinks: bool,
    /// The tokenizer that counts tokens (`embed.tokenizer`). Default: [`Tokenizer::O200k`].
    pub tokenizer: Tokenizer,
    /// Globs of files that a budget keeps first (`embed.priority`). Default: none.
    pub priority: Vec<String>,
}

impl Default for EmbedSettings {
    fn default() -> EmbedSettings {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        EmbedSettings {
            max_file_size_kb: 1024,
            max_files_per_directory: None,
            error_handling: ErrorHandling::default(),
            excluded_directories: list(defaults::EMBED_DIRECTORIES),
            excluded_extensions: list(defaults::EMBED_EXTENSIONS),
            follow_symlinks: false,
            tokenizer: Tokenizer::default(),
            priority: Vec::new(),
        }
    }
}

/// The settings of `stage`; the largest file that it takes is among the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageSettings {
    /// The format of the manifest (`stage.manifest`). Default: [`ManifestFormat::Json`].
    pub manifest: ManifestFormat,
    /// The folder in which staging folders are made (`stage.dir`); `None`, the default, is the
    /// folder for temporary files.
    pub dir: Option<PathBuf>,
    /// True if changes are staged in the background (`stage.auto`). Default: false.
    pub auto: bool,
    /// The time without a change before that happens (`stage.auto_debounce`). Default: 500 ms.
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

/// Returns the dialects that are looked for by default. `whole_file` must be named: with it, any sample
/// listing in an answer would overwrite a file.
pub(super) fn built_in_dialects() -> Vec<Dialect> {
    Dialect::AUTO.to_vec()
}

/// The folder that a made-up root stands for.
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

            /// Returns the name that the configuration uses.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// Returns the choice that is written `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    )*};
}

choices! {
    /// The condition under which a file counts as written.
    Durability {
        /// The file and its folder are on the disk (fsync).
        #[default]
        Full = "full",
        /// The operating system has it; a power cut may undo the last seconds.
        Fast = "fast",
    }

    /// The difference allowed between the text of a file and the text asked for.
    Matching {
        /// The rule of each dialect.
        #[default]
        ByDialect = "by_dialect",
        /// The exact text.
        Exact = "exact",
        /// Lines, ignoring blanks at their ends.
        Strict = "strict",
        /// Lines, as far as only one place can be meant.
        Tolerant = "tolerant",
    }

    /// The treatment of a path that lies in no root and does not exist, if only one file of
    /// the project can be meant.
    MadeUpRoots {
        /// It is an error, which names the file.
        #[default]
        Hint = "hint",
        /// The file is taken, with a warning.
        Accept = "accept",
    }

    /// The treatment of a relative path in the SHAM dialect.
    ShamPaths {
        /// Relative to the root, with a warning.
        #[default]
        Any = "any",
        /// An error, as in SHAM's own documentation.
        Absolute = "absolute",
    }

    /// The treatment of the last line's end in a file that is written whole.
    FinalNewline {
        /// Kept as in the answer.
        AsWritten = "as_written",
        /// Added where the dialect cannot say whether there is one.
        #[default]
        Ensure = "ensure",
    }

    /// The reaction of `embed` to a file that cannot be embedded.
    ErrorHandling {
        /// Nothing is embedded.
        Strict = "strict",
        /// The user is asked.
        #[default]
        Flexible = "flexible",
        /// The file is left out.
        Ignore = "ignore",
    }

    /// The format of a staging folder's manifest.
    ManifestFormat {
        /// Names, the root, and removed files.
        #[default]
        Json = "json",
        /// A record of names, for prompts that expect it.
        Dhall = "dhall",
    }

    /// The tokenizer that counts tokens.
    Tokenizer {
        /// o200k_base.
        #[default]
        O200k = "o200k",
        /// cl100k_base.
        Cl100k = "cl100k",
    }

    /// The part of its changes that `apply` shows.
    ApplyShow {
        /// The files, with the numbers of their lines.
        #[default]
        Stat = "stat",
        /// Also the diff.
        Diff = "diff",
    }

    /// What becomes of code that an answer shows without a dialect.
    ApplyPlain {
        /// The user is asked, or says so for one call.
        #[default]
        Ask = "ask",
        /// It is named, and never applied.
        Refuse = "refuse",
    }

    /// The place for the commits of an operation.
    GitMode {
        /// On the branch that is checked out.
        #[default]
        Branch = "branch",
        /// On `refs/clada/…`, alongside the branch.
        Refs = "refs",
        /// Nowhere.
        Off = "off",
    }

    /// The files that are committed before an operation.
    GitBefore {
        /// The files that it will change, if they are dirty.
        #[default]
        Touched = "touched",
        /// All dirty files.
        All = "all",
    }

    /// The approval that code in a sandbox needs.
    ExecApproval {
        /// Code always needs approval.
        #[default]
        Ask = "ask",
        /// Code needs approval only outside a sandbox.
        Sandboxed = "sandboxed",
    }

    /// The condition for asking again about approved commands after the answer has changed files.
    AskAfterEdit {
        /// Asks again where there is no sandbox.
        #[default]
        Auto = "auto",
        /// Never.
        Off = "off",
    }

    /// The part of the home folder that commands in a sandbox see.
    ExecHome {
        /// As `Show`, but as `Hide` for code that runs without approval.
        #[default]
        Auto = "auto",
        /// All but keys and the like.
        Show = "show",
        /// Only programs, their caches, and paths named in the settings.
        Hide = "hide",
    }

    /// The sandbox that commands run in.
    SandboxChoice {
        /// The best that works.
        #[default]
        Auto = "auto",
        /// The best that works; without one no command runs.
        Require = "require",
        /// None.
        Off = "off",
    }

    /// The treatment of a process that calls from other namespaces than the daemon's.
    ForeignNamespaces {
        /// It is refused.
        #[default]
        Refuse = "refuse",
        /// It counts as an agent.
        Agent = "agent",
    }

    /// The treatment of an agent's call that needs approval.
    McpApprovals {
        /// Actions that need approval are left out and reported; the rest is done.
        #[default]
        Tell = "tell",
        /// The call waits for a person before any of it is done.
        Wait = "wait",
    }

    /// The source of change events.
    WatchBackend {
        /// The one that this system has.
        #[default]
        Auto = "auto",
        /// The kernel's own interface, on Linux.
        Inotify = "inotify",
        /// The library `notify`, on macOS.
        Notify = "notify",
    }

    /// The contents of the daemon's log.
    LogLevel {
        /// Nothing.
        Off = "off",
        /// Faults of the daemon.
        Error = "error",
        /// Also problems that the user should look at.
        Warn = "warn",
        /// Also what was done.
        #[default]
        Info = "info",
        /// Also the reasons for decisions.
        Debug = "debug",
        /// Also everything else.
        Trace = "trace",
    }
}
