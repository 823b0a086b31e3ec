//! The keys: their names, their meanings, and the changes that a project may make to them. Knows no values.

use super::limits::{Limit, Scope};
use super::settings::{
    ApplyPlain, ApplyShow, AskAfterEdit, Durability, ErrorHandling, ExecApproval, ExecHome, FinalNewline,
    ForeignNamespaces, GitBefore, GitMode, LogLevel, MadeUpRoots, ManifestFormat, Matching, McpApprovals,
    SandboxChoice, ShamPaths, Tokenizer, WatchBackend,
};

/// The key of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Key {
    /// `allowed_roots`
    AllowedRoots,
    /// `root_aliases`
    RootAliases,
    /// `paths.made_up_roots`
    MadeUpRoots,
    /// `denied`
    Denied,
    /// `secrets.globs`
    SecretGlobs,
    /// `ask`
    Ask,
    /// `follow_symlinks`
    FollowSymlinks,
    /// `limits.*`, and `daemon.connections`
    Limit(Limit),
    /// `durability`
    Durability,
    /// `dialects.enabled`
    Dialects,
    /// `match`
    Matching,
    /// `sham.paths`
    ShamPaths,
    /// `csl.start`
    CslStart,
    /// `csl.end`
    CslEnd,
    /// `write.final_newline`
    FinalNewline,
    /// `embed.max_file_size_kb`
    EmbedMaxFileSizeKb,
    /// `embed.max_files_per_directory`
    EmbedMaxFiles,
    /// `embed.error_handling_mode`
    EmbedErrors,
    /// `embed.excluded_directories`
    EmbedDirectories,
    /// `embed.excluded_extensions`
    EmbedExtensions,
    /// `embed.follow_symlinks`
    EmbedFollow,
    /// `embed.tokenizer`
    EmbedTokenizer,
    /// `embed.priority`
    EmbedPriority,
    /// `apply.show`
    ApplyShow,
    /// `apply.plain`
    ApplyPlain,
    /// `git.mode`
    GitMode,
    /// `git.agents`
    GitAgents,
    /// `git.before`
    GitBefore,
    /// `git.author`
    GitAuthor,
    /// `git.commit_message_format`
    GitMessage,
    /// `exec.approval`
    ExecApproval,
    /// `exec.ask_after_edit`
    ExecAskAfterEdit,
    /// `exec.env`
    ExecEnv,
    /// `exec.home`
    ExecHome,
    /// `exec.inherit_env`
    ExecInheritEnv,
    /// `exec.network`
    ExecNetwork,
    /// `exec.readable`
    ExecReadable,
    /// `exec.sandbox`
    ExecSandbox,
    /// `exec.writable`
    ExecWritable,
    /// `socket.foreign_namespaces`
    ForeignNamespaces,
    /// `mcp.approvals`
    McpApprovals,
    /// `stage.manifest`
    StageManifest,
    /// `stage.dir`
    StageDir,
    /// `stage.auto`
    StageAuto,
    /// `stage.auto_debounce`
    StageAutoDebounce,
    /// `watch.backend`
    WatchBackend,
    /// `watch.reap_after`
    WatchReapAfter,
    /// `daemon.idle_exit`
    IdleExit,
    /// `daemon.log_level`
    LogLevel,
}

impl Key {
    /// Returns whether it concerns the daemon as a whole, or what it does without a request.
    #[must_use]
    pub fn is_of_daemon(self) -> bool {
        match self {
            Key::Limit(limit) => limit.scope() == Scope::Daemon,
            Key::IdleExit
            | Key::LogLevel
            | Key::ForeignNamespaces
            | Key::McpApprovals
            | Key::StageAuto
            | Key::StageAutoDebounce
            | Key::WatchBackend
            | Key::WatchReapAfter => true,
            _ => false,
        }
    }
}

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

const PLAIN: &[Key] = &[
    Key::AllowedRoots,
    Key::RootAliases,
    Key::MadeUpRoots,
    Key::Denied,
    Key::SecretGlobs,
    Key::Ask,
    Key::FollowSymlinks,
    Key::Durability,
    Key::Dialects,
    Key::Matching,
    Key::ShamPaths,
    Key::CslStart,
    Key::CslEnd,
    Key::FinalNewline,
    Key::EmbedMaxFileSizeKb,
    Key::EmbedMaxFiles,
    Key::EmbedErrors,
    Key::EmbedDirectories,
    Key::EmbedExtensions,
    Key::EmbedFollow,
    Key::EmbedTokenizer,
    Key::EmbedPriority,
    Key::ApplyShow,
    Key::ApplyPlain,
    Key::GitMode,
    Key::GitAgents,
    Key::GitBefore,
    Key::GitAuthor,
    Key::GitMessage,
    Key::ExecApproval,
    Key::ExecAskAfterEdit,
    Key::ExecEnv,
    Key::ExecHome,
    Key::ExecInheritEnv,
    Key::ExecNetwork,
    Key::ExecReadable,
    Key::ExecSandbox,
    Key::ExecWritable,
    Key::ForeignNamespaces,
    Key::McpApprovals,
    Key::StageManifest,
    Key::StageDir,
    Key::StageAuto,
    Key::StageAutoDebounce,
    Key::WatchBackend,
    Key::WatchReapAfter,
    Key::IdleExit,
    Key::LogLevel,
];

impl Key {
    /// Returns every key, sorted by name.
    #[must_use]
    pub fn all() -> Vec<Key> {
        let limits = Limit::ALL.iter().copied().map(Key::Limit);
        let mut keys: Vec<Key> = PLAIN.iter().copied().chain(limits).collect();
        keys.sort_by_key(|key| key.name());
        keys
    }

    /// Returns the name: `section.key`, or `key`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        // These names are the format of users' files and variables: a renamed key breaks them.
        match self {
            Key::AllowedRoots => "allowed_roots",
            Key::RootAliases => "root_aliases",
            Key::MadeUpRoots => "paths.made_up_roots",
            Key::Denied => "denied",
            Key::SecretGlobs => "secrets.globs",
            Key::Ask => "ask",
            Key::FollowSymlinks => "follow_symlinks",
            Key::Limit(limit) => limit.key(),
            Key::Durability => "durability",
            Key::Dialects => "dialects.enabled",
            Key::Matching => "match",
            Key::ShamPaths => "sham.paths",
            Key::CslStart => "csl.start",
            Key::CslEnd => "csl.end",
            Key::FinalNewline => "write.final_newline",
            Key::EmbedMaxFileSizeKb => "embed.max_file_size_kb",
            Key::EmbedMaxFiles => "embed.max_files_per_directory",
            Key::EmbedErrors => "embed.error_handling_mode",
            Key::EmbedDirectories => "embed.excluded_directories",
            Key::EmbedExtensions => "embed.excluded_extensions",
            Key::EmbedFollow => "embed.follow_symlinks",
            Key::EmbedTokenizer => "embed.tokenizer",
            Key::EmbedPriority => "embed.priority",
            Key::ApplyShow => "apply.show",
            Key::ApplyPlain => "apply.plain",
            Key::GitMode => "git.mode",
            Key::GitAgents => "git.agents",
            Key::GitBefore => "git.before",
            Key::GitAuthor => "git.author",
            Key::GitMessage => "git.commit_message_format",
            Key::ExecApproval => "exec.approval",
            Key::ExecAskAfterEdit => "exec.ask_after_edit",
            Key::ExecEnv => "exec.env",
            Key::ExecHome => "exec.home",
            Key::ExecInheritEnv => "exec.inherit_env",
            Key::ExecNetwork => "exec.network",
            Key::ExecReadable => "exec.readable",
            Key::ExecSandbox => "exec.sandbox",
            Key::ExecWritable => "exec.writable",
            Key::ForeignNamespaces => "socket.foreign_namespaces",
            Key::McpApprovals => "mcp.approvals",
            Key::StageManifest => "stage.manifest",
            Key::StageDir => "stage.dir",
            Key::StageAuto => "stage.auto",
            Key::StageAutoDebounce => "stage.auto_debounce",
            Key::WatchBackend => "watch.backend",
            Key::WatchReapAfter => "watch.reap_after",
            Key::IdleExit => "daemon.idle_exit",
            Key::LogLevel => "daemon.log_level",
        }
    }

    /// Returns the key of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Key> {
        Key::all().into_iter().find(|key| key.name() == name)
    }

    /// Returns the environment variable that sets it: `CLADA_LIMITS_INPUT`.
    #[must_use]
    pub fn variable(self) -> String {
        variable(self.name())
    }

    /// Returns the changes that a project's own configuration may make to it.
    #[must_use]
    pub const fn project_may(self) -> ProjectMay {
        match self {
            Key::Denied | Key::SecretGlobs | Key::Ask => ProjectMay::Add,
            Key::Dialects => ProjectMay::SwitchOff,
            Key::ShamPaths
            | Key::CslStart
            | Key::CslEnd
            | Key::FinalNewline
            | Key::EmbedMaxFileSizeKb
            | Key::EmbedMaxFiles
            | Key::EmbedErrors
            | Key::EmbedDirectories
            | Key::EmbedExtensions
            | Key::EmbedFollow
            | Key::EmbedTokenizer
            | Key::EmbedPriority
            | Key::ApplyShow
            | Key::StageManifest => ProjectMay::Set,
            Key::Limit(limit) => match limit.scope() {
                Scope::Project => ProjectMay::Lower,
                Scope::Daemon => ProjectMay::Nothing,
            },
            // A stranger's project must not gain rights by these.
            Key::AllowedRoots
            | Key::RootAliases
            | Key::ApplyPlain
            | Key::MadeUpRoots
            | Key::FollowSymlinks
            | Key::Durability
            | Key::GitAgents
            | Key::ExecApproval
            | Key::ExecAskAfterEdit
            | Key::ExecEnv
            | Key::ExecHome
            | Key::ExecInheritEnv
            | Key::ExecNetwork
            | Key::ExecReadable
            | Key::ExecSandbox
            | Key::ExecWritable
            | Key::Matching
            | Key::GitMode
            | Key::GitBefore
            | Key::GitAuthor
            | Key::GitMessage
            | Key::StageAuto => ProjectMay::SetWhenTrusted,
            Key::ForeignNamespaces
            | Key::McpApprovals
            | Key::StageDir
            | Key::StageAutoDebounce
            | Key::WatchBackend
            | Key::WatchReapAfter
            | Key::IdleExit
            | Key::LogLevel => ProjectMay::Nothing,
        }
    }

    pub(super) const fn is_list(self) -> bool {
        matches!(
            self,
            Key::AllowedRoots
                | Key::Denied
                | Key::SecretGlobs
                | Key::Ask
                | Key::Dialects
                | Key::EmbedDirectories
                | Key::EmbedExtensions
                | Key::EmbedPriority
                | Key::ExecReadable
                | Key::ExecWritable
        )
    }

    /// Describes it in a sentence or two.
    #[must_use]
    pub const fn help(self) -> &'static str {
        // `config --default` prints each on one line.
        match self {
            Key::AllowedRoots => {
                "Folders that an answer may work in besides the project's root: absolute, or from `~/`."
            }
            Key::RootAliases => {
                "Roots that models make up, and what they mean: a folder, or `.` for the project's root."
            }
            Key::MadeUpRoots => {
                "A path below a root that a model made up: its error names the file (`hint`), or takes it (`accept`)."
            }
            Key::Denied => "Paths that an answer may not name. `.git` and `.clada` are always among them.",
            Key::SecretGlobs => "Files whose content is never shown to a model.",
            Key::Ask => "Files that run by themselves: changing one needs approval, as a command does.",
            Key::FollowSymlinks => {
                "Reading follows symbolic links that stay in the root. Writing never does."
            }
            Key::Limit(limit) => limit.help(),
            Key::Durability => {
                "`full`: written files are on the disk before a result says so. `fast`: no fsync."
            }
            Key::Dialects => {
                "Dialects looked for when a call names none; one left out cannot be named, `whole_file` excepted."
            }
            Key::Matching => {
                "How far a file's text may be from what is asked; `strict` ignores blanks at the ends of lines."
            }
            Key::ShamPaths => {
                "Relative paths in the SHAM dialect: `any` takes them from the root, `absolute` refuses them."
            }
            Key::CslStart => "What a marker of the CSL dialect starts with.",
            Key::CslEnd => "What a marker of the CSL dialect ends with.",
            Key::FinalNewline => "`ensure` ends the last line of a file that is written whole.",
            Key::EmbedMaxFileSizeKb => "Larger files are not embedded; in kB of 1024 bytes.",
            Key::EmbedMaxFiles => {
                "Files of one folder that are embedded at most, the first by name; `auto`: 50 outside of git's work trees."
            }
            Key::EmbedErrors => {
                "What `embed` does if something cannot be embedded: end, ask, or go on without it."
            }
            Key::EmbedDirectories => {
                "Names of folders that `embed` does not go into, unless one is given itself."
            }
            Key::EmbedExtensions => "Endings of files that `embed` leaves out, in any letter case.",
            Key::EmbedFollow => {
                "`embed` goes into folders that are symbolic links, if they stay in the root."
            }
            Key::EmbedTokenizer => "What `embed` counts tokens with.",
            Key::EmbedPriority => {
                "Files that `embed --max-tokens` keeps before others: globs, the most important first."
            }
            Key::ApplyShow => {
                "What `apply` shows of its changes: the files with the numbers of their lines (`stat`), or also the `diff`."
            }
            Key::ApplyPlain => {
                "What `apply` does with code that has no edit block: `ask`, or `refuse`, which names it alone."
            }
            Key::GitMode => {
                "Where the commits of an operation go: the `branch`, `refs/clada/…` beside it, or nowhere (`off`)."
            }
            Key::GitAgents => {
                "Where the commits of an agent's operations go; with `git.mode: off` there are none."
            }
            Key::GitBefore => {
                "What is committed as it is before an operation: dirty files that it will change, or all dirty ones."
            }
            Key::GitAuthor => "Who commits are by: a name, or `Name <address>`.",
            Key::GitMessage => "What a commit says; `{operation_summary}` stands for what the operation did.",
            Key::ExecApproval => {
                "`ask`: code of an answer always needs approval. `sandboxed`: not in bubblewrap or sandbox-exec."
            }
            Key::ExecAskAfterEdit => {
                "`auto` asks about an approved command again, without a sandbox, once the answer has changed files."
            }
            Key::ExecEnv => "Variables that every command gets.",
            Key::ExecHome => {
                "What sandboxes show of the home folder: all but keys, or programs alone; `auto`: these to unasked code."
            }
            Key::ExecInheritEnv => "Commands get all variables of the terminal, not only the usual ones.",
            Key::ExecNetwork => "Commands in a sandbox reach the network.",
            Key::ExecReadable => {
                "Files and folders that commands in a sandbox see even if they would be hidden: absolute, or from `~/`."
            }
            Key::ExecSandbox => {
                "Commands run in the best sandbox that works (`auto`), only in one (`require`), or in none (`off`)."
            }
            Key::ExecWritable => {
                "Folders besides the project's root that commands in a sandbox may change: absolute, or from `~/`."
            }
            Key::ForeignNamespaces => {
                "Programs in other namespaces (Flatpak, toolbox): `refuse`d, or `agent`s; read when the daemon starts."
            }
            Key::McpApprovals => {
                "What an agent's call does that needs approval: `tell`s it and leaves that out, or `wait`s for a person."
            }
            Key::StageManifest => "What `stage` writes its manifest as.",
            Key::StageDir => {
                "Where `stage` makes its folders: absolute, or from `~/`; `system` is the folder for temporary files."
            }
            Key::StageAuto => "What changed is staged in the background, so that `stage` only hands it over.",
            Key::StageAutoDebounce => "How long a project has to be quiet before that is done.",
            Key::WatchBackend => {
                "The source of changes: `inotify` on Linux, `notify` on macOS; `status` says if another was asked for."
            }
            Key::WatchReapAfter => {
                "A project that nobody asks about for so long is let go; `never` keeps it."
            }
            Key::IdleExit => "The daemon ends after so long without a request; `never` keeps it.",
            Key::LogLevel => "How much the daemon's log holds.",
        }
    }
}

pub(super) const fn choices(key: Key) -> &'static [&'static str] {
    match key {
        Key::Durability => Durability::NAMES,
        Key::MadeUpRoots => MadeUpRoots::NAMES,
        Key::Matching => Matching::NAMES,
        Key::ShamPaths => ShamPaths::NAMES,
        Key::FinalNewline => FinalNewline::NAMES,
        Key::GitMode | Key::GitAgents => GitMode::NAMES,
        Key::ApplyShow => ApplyShow::NAMES,
        Key::ApplyPlain => ApplyPlain::NAMES,
        Key::GitBefore => GitBefore::NAMES,
        Key::ExecApproval => ExecApproval::NAMES,
        Key::ExecAskAfterEdit => AskAfterEdit::NAMES,
        Key::ExecHome => ExecHome::NAMES,
        Key::ExecSandbox => SandboxChoice::NAMES,
        Key::ForeignNamespaces => ForeignNamespaces::NAMES,
        Key::McpApprovals => McpApprovals::NAMES,
        Key::WatchBackend => WatchBackend::NAMES,
        Key::LogLevel => LogLevel::NAMES,
        Key::EmbedErrors => ErrorHandling::NAMES,
        Key::EmbedTokenizer => Tokenizer::NAMES,
        Key::StageManifest => ManifestFormat::NAMES,
        _ => &[],
    }
}

pub(super) fn variable(name: &str) -> String {
    format!("CLADA_{}", name.to_ascii_uppercase().replace('.', "_"))
}

/// Returns the message and the advice for a name that is no key.
pub(super) fn unknown(name: &str) -> (String, String) {
    let shown = super::problem::visible(name, 80);
    if name == "limits.connections" {
        return (format!("`{shown}` is not a key"), "It is called `daemon.connections`".to_owned());
    }
    let advice = match nearest(name, Key::all().into_iter().map(Key::name)) {
        Some(near) => format!("Perhaps you mean `{near}`"),
        None => "`clada config --default` lists every key".to_owned(),
    };
    (format!("`{shown}` is not a key"), advice)
}

/// Returns the message and the advice for a name at the top of a file that is neither a key nor a section.
pub(super) fn unknown_at_top(name: &str) -> (String, String) {
    let (message, advice) = unknown(name);
    let keys = Key::all();
    let tops = keys.iter().map(|key| key.name().split('.').next().unwrap_or_default());
    match nearest(name, tops) {
        Some(near) => (message, format!("Perhaps you mean `{near}`")),
        None => (message, advice),
    }
}

/// Returns the name most like `name`, if one is similar enough.
pub(super) fn nearest<'a>(name: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Longer than any key by far, so not a slip; and the comparison costs the product of the lengths.
    if name.len() > 100 {
        return None;
    }
    let likeness = |other: &str| strsim::jaro_winkler(name, other);
    among
        .map(|other| (likeness(other), other))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}
