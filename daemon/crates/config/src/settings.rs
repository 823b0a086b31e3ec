//! The settings in force: typed, immutable, complete; and the one table that defines each setting. Code that
//! uses a setting must not need to know its origin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_dialects::{CslDelimiters, Dialect};
use serde_json::Value;

use super::choices::{
    ApplyPlain, ApplyShow, AskAfterEdit, Durability, ErrorHandling, ExecApproval, ExecHome, FinalNewline,
    ForeignNamespaces, GitBefore, GitMode, LogLevel, MadeUpRoots, ManifestFormat, Matching, McpApprovals,
    SandboxChoice, ShamPaths, Tokenizer, WatchBackend,
};
use super::commit::{Author, is_message_format};
use super::defaults;
use super::kinds::{self, AliasTarget, SettingContext, SettingFault, ValueShape};
use super::limits::{Limit, Limits, Scope};
use super::problem::Origin;
use super::yaml::YamlNode;

/// The changes that a project's own configuration may make to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectMay {
    /// None: the key concerns more than the project.
    Nothing,
    /// Set it so that less is allowed; set it to anything else once a user has trusted the file.
    SetWhenTrusted,
    /// Add to the list.
    Add,
    /// Lower the number.
    Lower,
    /// Take from the list.
    SwitchOff,
    /// Set it: none of its values does harm.
    Set,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Concern {
    Request,
    Daemon,
}

macro_rules! settings {
    ($($(#[doc = $help:literal])+ $field:ident: $type:ty =
        $variant:ident($key:literal, $may:ident, $for:ident, $kind:expr, $default:expr);)*) => {
        /// Every setting of this version. Made by [`super::resolve()`], shared as `Arc<Settings>`.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Settings {
            $($(#[doc = $help])* #[doc = concat!("\n\nKey `", $key, "`, default `", stringify!($default), "`.")]
            pub $field: $type,)*
            /// The limits on all amounts.
            pub limits: Limits,
            pub(super) origins: BTreeMap<Key, Vec<Origin>>,
        }

        impl Default for Settings {
            fn default() -> Settings {
                Settings { $($field: $default,)* limits: Limits::default(), origins: BTreeMap::new() }
            }
        }

        /// The key of a setting.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Key {
            $(#[doc = concat!("`", $key, "`")] $variant,)*
            /// `limits.*`, `daemon.connections` and others
            Limit(Limit),
        }

        impl Key {
            /// Returns every key, sorted by name.
            #[must_use]
            pub fn all() -> Vec<Key> {
                let limits = Limit::ALL.iter().copied().map(Key::Limit);
                let mut keys: Vec<Key> = [$(Key::$variant),*].into_iter().chain(limits).collect();
                keys.sort_by_key(|key| key.name());
                keys
            }

            /// Returns the name: `section.key`, or `key`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Key::$variant => $key,)* Key::Limit(limit) => limit.key() }
            }

            /// Describes it in a sentence or two.
            #[must_use]
            pub const fn help(self) -> &'static str {
                let help = match self {
                    $(Key::$variant => concat!($($help),*),)*
                    Key::Limit(limit) => limit.help(),
                };
                help.trim_ascii()
            }

            /// Returns the changes that a project's own configuration may make to it.
            #[must_use]
            pub const fn project_may(self) -> ProjectMay {
                match self {
                    $(Key::$variant => ProjectMay::$may,)*
                    Key::Limit(limit) => match limit.scope() {
                        Scope::Project => ProjectMay::Lower,
                        Scope::Daemon => ProjectMay::Nothing,
                    },
                }
            }

            /// Returns whether it concerns the daemon as a whole, or what it does without a request.
            #[must_use]
            pub(crate) fn is_of_daemon(self) -> bool {
                match self {
                    $(Key::$variant => Concern::$for == Concern::Daemon,)*
                    Key::Limit(limit) => limit.scope() == Scope::Daemon,
                }
            }

            pub(super) fn shape(self) -> ValueShape {
                match self { $(Key::$variant => $kind.shape,)* Key::Limit(limit) => kinds::limit_shape(limit) }
            }
        }

        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(super) enum SettingChange {
            $($variant($type),)*
            Limit(Limit, u64),
        }

        impl SettingChange {
            pub(super) fn read(
                key: Key,
                node: &YamlNode,
                home: Option<&Path>,
            ) -> Result<SettingChange, SettingFault> {
                let setting = SettingContext { key: key.name(), shape: &key.shape(), home };
                Ok(match key {
                    $(Key::$variant => SettingChange::$variant(($kind.read)(&setting, node)?),)*
                    Key::Limit(limit) => SettingChange::Limit(limit, setting.limit(node, limit)?),
                })
            }

            pub(super) fn key(&self) -> Key {
                match self {
                    $(SettingChange::$variant(_) => Key::$variant,)*
                    SettingChange::Limit(limit, _) => Key::Limit(*limit),
                }
            }

            pub(super) fn apply(self, settings: &mut Settings) {
                match self {
                    $(SettingChange::$variant(value) => settings.$field = value,)*
                    SettingChange::Limit(limit, value) => settings.limits.set(limit, value),
                }
            }
        }

        pub(super) fn value(settings: &Settings, key: Key) -> Value {
            match key {
                $(Key::$variant => ($kind.show)(&settings.$field),)*
                Key::Limit(limit) => kinds::show_limit_value(limit, settings.limits.get(limit)),
            }
        }
    };
}

// Each setting: what it means (as users read it, in one line), its field and type; then its key, what a project
// may do with it, whether it concerns a request or the daemon, how it is written, and its default. Keys are the
// format of users' files and variables: a renamed key breaks them. A stranger's project must not gain rights by
// a key that it may `Set`.
settings! {
    /// Folders that an answer may work in besides the project's root: absolute, or from `~/`.
    allowed_roots: Vec<PathBuf> =
        AllowedRoots("allowed_roots", SetWhenTrusted, Request, kinds::FOLDERS, Vec::new());
    /// Roots that models make up, and what they mean: a folder, or `.` for the project's root.
    root_aliases: BTreeMap<String, AliasTarget> =
        RootAliases("root_aliases", SetWhenTrusted, Request, kinds::ALIASES, BTreeMap::new());
    /// A path below a root that a model made up: its error names the file (`hint`), or takes it (`accept`).
    made_up_roots: MadeUpRoots =
        MadeUpRoots("paths.made_up_roots", SetWhenTrusted, Request, MadeUpRoots::KIND, MadeUpRoots::Hint);
    /// Paths that an answer may not name. `.git` and `.clada` are always among them.
    denied: Vec<String> = Denied("denied", Add, Request, kinds::GLOBS, list(defaults::DENIED));
    /// Files whose content is never shown to a model.
    secret_globs: Vec<String> =
        SecretGlobs("secrets.globs", Add, Request, kinds::GLOBS, list(defaults::SECRETS));
    /// Files that run by themselves: changing one needs approval, as a command does.
    ask: Vec<String> = Ask("ask", Add, Request, kinds::GLOBS,
        defaults::ASK.iter().map(|(glob, _)| (*glob).to_owned()).collect());
    /// Reading follows symbolic links that stay in the root. Writing never does.
    follow_symlinks: bool = FollowSymlinks("follow_symlinks", SetWhenTrusted, Request, kinds::TRUTH, false);
    /// `full`: written files are on the disk before a result says so. `fast`: no fsync.
    durability: Durability =
        Durability("durability", SetWhenTrusted, Request, Durability::KIND, Durability::Full);
    /// Dialects looked for when a call names none; one left out cannot be named, `whole_file` excepted.
    dialects: Vec<Dialect> =
        Dialects("dialects.enabled", SwitchOff, Request, kinds::DIALECTS, built_in_dialects());
    /// How far a file's text may be from what is asked; `strict` ignores blanks at the ends of lines.
    matching: Matching = Matching("match", SetWhenTrusted, Request, Matching::KIND, Matching::ByDialect);
    /// Relative paths in the SHAM dialect: `any` takes them from the root, `absolute` refuses them.
    sham_paths: ShamPaths = ShamPaths("sham.paths", Set, Request, ShamPaths::KIND, ShamPaths::Any);
    /// What a marker of the CSL dialect starts with.
    csl_start: String =
        CslStart("csl.start", Set, Request, kinds::DELIMITER, CslDelimiters::default().start().to_owned());
    /// What a marker of the CSL dialect ends with.
    csl_end: String =
        CslEnd("csl.end", Set, Request, kinds::DELIMITER, CslDelimiters::default().end().to_owned());
    /// `ensure` ends the last line of a file that is written whole.
    final_newline: FinalNewline =
        FinalNewline("write.final_newline", Set, Request, FinalNewline::KIND, FinalNewline::Ensure);
    /// Larger files are not embedded; in kB of 1024 bytes.
    embed_max_file_size_kb: u64 =
        EmbedMaxFileSizeKb("embed.max_file_size_kb", Set, Request, kinds::KILOBYTES, 1024);
    /// Files of one folder that are embedded at most, the first by name; `auto`: 50 outside of git's work trees.
    embed_max_files: Option<u64> =
        EmbedMaxFiles("embed.max_files_per_directory", Set, Request, kinds::COUNT_OR_AUTO, None);
    /// What `embed` does if something cannot be embedded: end, ask, or go on without it.
    embed_errors: ErrorHandling =
        EmbedErrors("embed.error_handling_mode", Set, Request, ErrorHandling::KIND, ErrorHandling::Flexible);
    /// Names of folders that `embed` does not go into, unless one is given itself.
    embed_directories: Vec<String> =
        EmbedDirectories("embed.excluded_directories", Set, Request, kinds::FOLDER_NAMES,
        list(defaults::EMBED_DIRECTORIES));
    /// Endings of files that `embed` leaves out, in any letter case.
    embed_extensions: Vec<String> =
        EmbedExtensions("embed.excluded_extensions", Set, Request, kinds::EXTENSIONS,
        list(defaults::EMBED_EXTENSIONS));
    /// `embed` goes into folders that are symbolic links, if they stay in the root.
    embed_follow_symlinks: bool = EmbedFollow("embed.follow_symlinks", Set, Request, kinds::TRUTH, false);
    /// What `embed` counts tokens with.
    embed_tokenizer: Tokenizer =
        EmbedTokenizer("embed.tokenizer", Set, Request, Tokenizer::KIND, Tokenizer::O200k);
    /// Files that `embed --max-tokens` keeps before others: globs, the most important first.
    embed_priority: Vec<String> = EmbedPriority("embed.priority", Set, Request,
        kinds::GLOBS.such_as("a list of globs, such as `[\"src/**\"]`"), Vec::new());
    /// What `apply` shows of its changes: the files with the numbers of their lines (`stat`), or also the `diff`.
    apply_show: ApplyShow = ApplyShow("apply.show", Set, Request, ApplyShow::KIND, ApplyShow::Stat);
    /// What `apply` does with code that has no edit block: `ask`, or `refuse`, which names it alone.
    apply_plain: ApplyPlain =
        ApplyPlain("apply.plain", SetWhenTrusted, Request, ApplyPlain::KIND, ApplyPlain::Ask);
    /// Where the commits of an operation go: the `branch`, `refs/clada/…` beside it, or nowhere (`off`).
    git_mode: GitMode = GitMode("git.mode", SetWhenTrusted, Request, GitMode::KIND, GitMode::Branch);
    /// Where the commits of an agent's operations go; with `git.mode: off` there are none.
    git_agents: GitMode = GitAgents("git.agents", SetWhenTrusted, Request, GitMode::KIND, GitMode::Refs);
    /// What is committed as it is before an operation: dirty files that it will change, or all dirty ones.
    git_before: GitBefore =
        GitBefore("git.before", SetWhenTrusted, Request, GitBefore::KIND, GitBefore::Touched);
    /// Who commits are by: a name, or `Name <address>`.
    git_author: String = GitAuthor("git.author", SetWhenTrusted, Request,
        kinds::text("a name, or `Name <address>`, such as `clada`",
            |setting, node| setting.text(node, |author| Author::parse(author).is_some())),
        defaults::GIT_AUTHOR.to_owned());
    /// What a commit says; `{operation_summary}` stands for what the operation did.
    git_message: String = GitMessage("git.commit_message_format", SetWhenTrusted, Request,
        kinds::text("a text of at most 2000 bytes with no placeholder but `{operation_summary}`",
            |setting, node| setting.text(node, is_message_format)),
        defaults::GIT_MESSAGE.to_owned());
    /// `ask`: code of an answer always needs approval. `sandboxed`: not in bubblewrap or sandbox-exec.
    exec_approval: ExecApproval =
        ExecApproval("exec.approval", SetWhenTrusted, Request, ExecApproval::KIND, ExecApproval::Ask);
    /// `auto` asks about an approved command again, without a sandbox, once the answer has changed files.
    exec_ask_after_edit: AskAfterEdit =
        ExecAskAfterEdit("exec.ask_after_edit", SetWhenTrusted, Request, AskAfterEdit::KIND, AskAfterEdit::Auto);
    /// Variables that every command gets.
    exec_env: BTreeMap<String, String> =
        ExecEnv("exec.env", SetWhenTrusted, Request, kinds::VARIABLES, BTreeMap::new());
    /// What sandboxes show of the home folder: all but keys, or programs alone; `auto`: these to unasked code.
    exec_home: ExecHome = ExecHome("exec.home", SetWhenTrusted, Request, ExecHome::KIND, ExecHome::Auto);
    /// Commands get all variables of the terminal, not only the usual ones.
    exec_inherit_env: bool = ExecInheritEnv("exec.inherit_env", SetWhenTrusted, Request, kinds::TRUTH, false);
    /// Commands in a sandbox reach the network.
    exec_network: bool = ExecNetwork("exec.network", SetWhenTrusted, Request, kinds::TRUTH, false);
    /// Files and folders that commands in a sandbox see even if they would be hidden: absolute, or from `~/`.
    exec_readable: Vec<PathBuf> =
        ExecReadable("exec.readable", SetWhenTrusted, Request, kinds::FOLDERS, Vec::new());
    /// Commands run in the best sandbox that works (`auto`), only in one (`require`), or in none (`off`).
    exec_sandbox: SandboxChoice =
        ExecSandbox("exec.sandbox", SetWhenTrusted, Request, SandboxChoice::KIND, SandboxChoice::Auto);
    /// Folders besides the project's root that commands in a sandbox may change: absolute, or from `~/`.
    exec_writable: Vec<PathBuf> =
        ExecWritable("exec.writable", SetWhenTrusted, Request, kinds::FOLDERS, Vec::new());
    /// Programs in other namespaces (Flatpak, toolbox): `refuse`d, or `agent`s; read when the daemon starts.
    foreign_namespaces: ForeignNamespaces = ForeignNamespaces("socket.foreign_namespaces", Nothing, Daemon,
        ForeignNamespaces::KIND, ForeignNamespaces::Refuse);
    /// What an agent's call does that needs approval: `tell`s it and leaves that out, or `wait`s for a person.
    mcp_approvals: McpApprovals =
        McpApprovals("mcp.approvals", Nothing, Daemon, McpApprovals::KIND, McpApprovals::Tell);
    /// What `stage` writes its manifest as.
    stage_manifest: ManifestFormat =
        StageManifest("stage.manifest", Set, Request, ManifestFormat::KIND, ManifestFormat::Json);
    /// Where `stage` makes its folders: absolute, or from `~/`; `system` is the folder for temporary files.
    stage_dir: Option<PathBuf> = StageDir("stage.dir", Nothing, Request, kinds::FOLDER_OR_SYSTEM, None);
    /// What changed is staged in the background, so that `stage` only hands it over.
    stage_auto: bool = StageAuto("stage.auto", SetWhenTrusted, Daemon, kinds::TRUTH, false);
    /// How long a project has to be quiet before that is done.
    stage_auto_debounce: Duration = StageAutoDebounce("stage.auto_debounce", Nothing, Daemon, kinds::DEBOUNCE,
        Duration::from_millis(500));
    /// The source of changes: `inotify` on Linux, `notify` on macOS; `status` says if another was asked for.
    watch_backend: WatchBackend =
        WatchBackend("watch.backend", Nothing, Daemon, WatchBackend::KIND, WatchBackend::Auto);
    /// A project that nobody asks about for so long is let go; `never` keeps it.
    watch_reap_after: Option<Duration> = WatchReapAfter("watch.reap_after", Nothing, Daemon,
        kinds::WAIT.such_as("a time in s, m, h or d, such as `5d`, or `never`"), Some(Duration::from_secs(5 * 86_400)));
    /// The daemon ends after so long without a request; `never` keeps it.
    idle_exit: Option<Duration> = IdleExit("daemon.idle_exit", Nothing, Daemon,
        kinds::WAIT.such_as("a time in s, m, h or d, such as `4h`, or `never`"), Some(Duration::from_secs(4 * 3600)));
    /// How much the daemon's log holds.
    log_level: LogLevel = LogLevel("daemon.log_level", Nothing, Daemon, LogLevel::KIND, LogLevel::Info);
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub(super) fn built_in_dialects() -> Vec<Dialect> {
    // `whole_file` must be named: with it, any sample listing in an answer would overwrite a file.
    Dialect::AUTO.to_vec()
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

    /// Returns the start and the end of CSL's markers.
    #[must_use]
    pub fn csl(&self) -> CslDelimiters {
        // Each was accepted when it was read.
        CslDelimiters::new(&self.csl_start, &self.csl_end).unwrap_or_default()
    }
}
