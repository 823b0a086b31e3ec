//! One setting of a layer: a key and a value of the right type. Converts a YAML node into it, or describes
//! the expected value. Knows neither its layer nor the current settings.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_dialects::{CslDelimiters, Dialect};

use super::commit::{Author, is_message_format};
use super::folders::{aliases, folder};
use super::keys::{choices, nearest};
use super::limits::{Limit, Unit};
use super::problem::visible;
use super::settings::{
    AliasTarget, ApplyShow, AskAfterEdit, Durability, ErrorHandling, ExecApproval, ExecHome, FinalNewline,
    ForeignNamespaces, GitBefore, GitMode, LogLevel, MadeUpRoots, ManifestFormat, Matching, McpApprovals,
    SandboxChoice, ShamPaths, Tokenizer, WatchBackend,
};
use super::units::{parse_count, parse_duration, parse_size, show_duration, show_size};
use super::yaml::Node;
use super::{Key, Settings};

/// The most globs in one list; all are tried on every path.
const GLOBS: usize = 1_000;
/// The most bytes of one glob.
const GLOB: usize = 1_024;
/// The largest file that `embed` can be configured to take, in kB: each is held in memory whole for a moment.
pub const MAX_FILE_SIZE_KB: u64 = 100 << 10;
/// The shortest and longest wait before something unused is ended.
const WAIT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(365 * 86_400));
/// The shortest and longest time without a change after which a project is quiet.
const DEBOUNCE: (Duration, Duration) = (Duration::from_millis(0), Duration::from_secs(600));
/// The word for the system's folder for temporary files.
pub(super) const SYSTEM: &str = "system";

/// The value of a limit that depends on the project.
pub(super) const AUTO: &str = "auto";

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    AllowedRoots(Vec<PathBuf>),
    RootAliases(BTreeMap<String, AliasTarget>),
    MadeUpRoots(MadeUpRoots),
    Denied(Vec<String>),
    SecretGlobs(Vec<String>),
    Ask(Vec<String>),
    FollowSymlinks(bool),
    Limit(Limit, u64),
    Durability(Durability),
    Dialects(Vec<Dialect>),
    Matching(Matching),
    ShamPaths(ShamPaths),
    CslStart(String),
    CslEnd(String),
    FinalNewline(FinalNewline),
    EmbedMaxFileSizeKb(u64),
    EmbedMaxFiles(Option<u64>),
    EmbedErrors(ErrorHandling),
    EmbedDirectories(Vec<String>),
    EmbedExtensions(Vec<String>),
    EmbedFollow(bool),
    EmbedTokenizer(Tokenizer),
    EmbedPriority(Vec<String>),
    GitMode(GitMode),
    ApplyShow(ApplyShow),
    GitBefore(GitBefore),
    GitAuthor(String),
    GitMessage(String),
    ExecApproval(ExecApproval),
    ExecAskAfterEdit(AskAfterEdit),
    ExecEnv(BTreeMap<String, String>),
    ExecInheritEnv(bool),
    ExecHome(ExecHome),
    ExecNetwork(bool),
    ExecReadable(Vec<PathBuf>),
    ExecSandbox(SandboxChoice),
    ExecWritable(Vec<PathBuf>),
    ForeignNamespaces(ForeignNamespaces),
    McpApprovals(McpApprovals),
    StageManifest(ManifestFormat),
    StageDir(Option<PathBuf>),
    StageAuto(bool),
    StageAutoDebounce(Duration),
    WatchBackend(WatchBackend),
    WatchReapAfter(Option<Duration>),
    IdleExit(Option<Duration>),
    LogLevel(LogLevel),
}

/// A reason for which a node is no value for its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The position in the list or map, if one element is at fault.
    pub(super) element: Option<usize>,
    /// True if the element's key is at fault, not its value.
    pub(super) on_key: bool,
    pub(super) message: String,
    pub(super) advice: String,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>, advice: impl Into<String>) -> Fault {
        Fault { element: None, on_key: false, message: message.into(), advice: advice.into() }
    }

    /// Returns the fault as one of an element.
    pub(super) fn at(self, element: usize) -> Fault {
        Fault { element: Some(element), ..self }
    }
}

impl Change {
    /// Reads `node` as the value of `key`; `home` is the folder that `~/` stands for.
    pub(super) fn read(key: Key, node: &Node, home: Option<&Path>) -> Result<Change, Fault> {
        Ok(match key {
            // No wildcard arm here and below: the compiler then finds each place that lacks a new key.
            Key::AllowedRoots => Change::AllowedRoots(each(key, node, |text| folder(key, text, home))?),
            Key::RootAliases => Change::RootAliases(aliases(node, home)?),
            Key::MadeUpRoots => Change::MadeUpRoots(choice(key, node, MadeUpRoots::from_name)?),
            Key::Denied => Change::Denied(globs(key, node)?),
            Key::SecretGlobs => Change::SecretGlobs(globs(key, node)?),
            Key::Ask => Change::Ask(globs(key, node)?),
            Key::FollowSymlinks => Change::FollowSymlinks(truth(key, node)?),
            Key::Limit(limit) => Change::Limit(limit, number(key, limit, node)?),
            Key::Durability => Change::Durability(choice(key, node, Durability::from_name)?),
            Key::Dialects => Change::Dialects(each(key, node, dialect)?),
            Key::Matching => Change::Matching(choice(key, node, Matching::from_name)?),
            Key::ShamPaths => Change::ShamPaths(choice(key, node, ShamPaths::from_name)?),
            Key::CslStart => Change::CslStart(delimiter(key, node)?),
            Key::CslEnd => Change::CslEnd(delimiter(key, node)?),
            Key::FinalNewline => Change::FinalNewline(choice(key, node, FinalNewline::from_name)?),
            Key::EmbedMaxFileSizeKb => Change::EmbedMaxFileSizeKb(count(key, node, 1..=MAX_FILE_SIZE_KB)?),
            Key::EmbedMaxFiles => Change::EmbedMaxFiles(count_or_auto(key, node)?),
            Key::EmbedErrors => Change::EmbedErrors(choice(key, node, ErrorHandling::from_name)?),
            Key::EmbedDirectories => Change::EmbedDirectories(folder_names(key, node)?),
            Key::EmbedExtensions => Change::EmbedExtensions(each(key, node, extension)?),
            Key::EmbedFollow => Change::EmbedFollow(truth(key, node)?),
            Key::EmbedTokenizer => Change::EmbedTokenizer(choice(key, node, Tokenizer::from_name)?),
            Key::EmbedPriority => Change::EmbedPriority(globs(key, node)?),
            Key::GitMode => Change::GitMode(choice(key, node, GitMode::from_name)?),
            Key::ApplyShow => Change::ApplyShow(choice(key, node, ApplyShow::from_name)?),
            Key::GitBefore => Change::GitBefore(choice(key, node, GitBefore::from_name)?),
            Key::GitAuthor => Change::GitAuthor(text(key, node, |author| Author::parse(author).is_some())?),
            Key::GitMessage => Change::GitMessage(text(key, node, is_message_format)?),
            Key::ExecApproval => Change::ExecApproval(choice(key, node, ExecApproval::from_name)?),
            Key::ExecAskAfterEdit => Change::ExecAskAfterEdit(choice(key, node, AskAfterEdit::from_name)?),
            Key::ExecEnv => Change::ExecEnv(variables(key, node)?),
            Key::ExecInheritEnv => Change::ExecInheritEnv(truth(key, node)?),
            Key::ExecHome => Change::ExecHome(choice(key, node, ExecHome::from_name)?),
            Key::ExecNetwork => Change::ExecNetwork(truth(key, node)?),
            Key::ExecReadable => Change::ExecReadable(each(key, node, |text| folder(key, text, home))?),
            Key::ExecSandbox => Change::ExecSandbox(choice(key, node, SandboxChoice::from_name)?),
            Key::ExecWritable => Change::ExecWritable(each(key, node, |text| folder(key, text, home))?),
            Key::ForeignNamespaces => {
                Change::ForeignNamespaces(choice(key, node, ForeignNamespaces::from_name)?)
            }
            Key::McpApprovals => Change::McpApprovals(choice(key, node, McpApprovals::from_name)?),
            Key::StageManifest => Change::StageManifest(choice(key, node, ManifestFormat::from_name)?),
            Key::StageDir => Change::StageDir(stage_dir(key, node, home)?),
            Key::StageAuto => Change::StageAuto(truth(key, node)?),
            Key::StageAutoDebounce => Change::StageAutoDebounce(debounce(key, node)?),
            Key::WatchBackend => Change::WatchBackend(choice(key, node, WatchBackend::from_name)?),
            Key::WatchReapAfter => Change::WatchReapAfter(wait_or_never(key, node)?),
            Key::IdleExit => Change::IdleExit(wait_or_never(key, node)?),
            Key::LogLevel => Change::LogLevel(choice(key, node, LogLevel::from_name)?),
        })
    }

    pub(super) fn key(&self) -> Key {
        // Each variant belongs to the one key for which `read` makes it.
        match self {
            Change::AllowedRoots(_) => Key::AllowedRoots,
            Change::RootAliases(_) => Key::RootAliases,
            Change::MadeUpRoots(_) => Key::MadeUpRoots,
            Change::Denied(_) => Key::Denied,
            Change::SecretGlobs(_) => Key::SecretGlobs,
            Change::Ask(_) => Key::Ask,
            Change::FollowSymlinks(_) => Key::FollowSymlinks,
            Change::Limit(limit, _) => Key::Limit(*limit),
            Change::Durability(_) => Key::Durability,
            Change::Dialects(_) => Key::Dialects,
            Change::Matching(_) => Key::Matching,
            Change::ShamPaths(_) => Key::ShamPaths,
            Change::CslStart(_) => Key::CslStart,
            Change::CslEnd(_) => Key::CslEnd,
            Change::FinalNewline(_) => Key::FinalNewline,
            Change::EmbedMaxFileSizeKb(_) => Key::EmbedMaxFileSizeKb,
            Change::EmbedMaxFiles(_) => Key::EmbedMaxFiles,
            Change::EmbedErrors(_) => Key::EmbedErrors,
            Change::EmbedDirectories(_) => Key::EmbedDirectories,
            Change::EmbedExtensions(_) => Key::EmbedExtensions,
            Change::EmbedFollow(_) => Key::EmbedFollow,
            Change::EmbedTokenizer(_) => Key::EmbedTokenizer,
            Change::EmbedPriority(_) => Key::EmbedPriority,
            Change::GitMode(_) => Key::GitMode,
            Change::ApplyShow(_) => Key::ApplyShow,
            Change::GitBefore(_) => Key::GitBefore,
            Change::GitAuthor(_) => Key::GitAuthor,
            Change::GitMessage(_) => Key::GitMessage,
            Change::ExecApproval(_) => Key::ExecApproval,
            Change::ExecAskAfterEdit(_) => Key::ExecAskAfterEdit,
            Change::ExecEnv(_) => Key::ExecEnv,
            Change::ExecInheritEnv(_) => Key::ExecInheritEnv,
            Change::ExecHome(_) => Key::ExecHome,
            Change::ExecNetwork(_) => Key::ExecNetwork,
            Change::ExecReadable(_) => Key::ExecReadable,
            Change::ExecSandbox(_) => Key::ExecSandbox,
            Change::ExecWritable(_) => Key::ExecWritable,
            Change::ForeignNamespaces(_) => Key::ForeignNamespaces,
            Change::McpApprovals(_) => Key::McpApprovals,
            Change::StageManifest(_) => Key::StageManifest,
            Change::StageDir(_) => Key::StageDir,
            Change::StageAuto(_) => Key::StageAuto,
            Change::StageAutoDebounce(_) => Key::StageAutoDebounce,
            Change::WatchBackend(_) => Key::WatchBackend,
            Change::WatchReapAfter(_) => Key::WatchReapAfter,
            Change::IdleExit(_) => Key::IdleExit,
            Change::LogLevel(_) => Key::LogLevel,
        }
    }

    /// Replaces the value in `settings` by this one.
    pub(super) fn apply(self, settings: &mut Settings) {
        match self {
            Change::AllowedRoots(roots) => settings.allowed_roots = roots,
            Change::RootAliases(aliases) => settings.root_aliases = aliases,
            Change::MadeUpRoots(value) => settings.made_up_roots = value,
            Change::Denied(globs) => settings.denied = globs,
            Change::SecretGlobs(globs) => settings.secret_globs = globs,
            Change::Ask(globs) => settings.ask = globs,
            Change::FollowSymlinks(follow) => settings.follow_symlinks = follow,
            Change::Limit(limit, value) => settings.limits.set(limit, value),
            Change::Durability(durability) => settings.durability = durability,
            Change::Dialects(dialects) => settings.dialects = dialects,
            Change::Matching(matching) => settings.matching = matching,
            Change::ShamPaths(paths) => settings.sham_paths = paths,
            // Each delimiter is a key of its own, but both are kept as one value.
            Change::CslStart(start) => settings.csl = delimiters(&start, settings.csl.end()),
            Change::CslEnd(end) => settings.csl = delimiters(settings.csl.start(), &end),
            Change::FinalNewline(newline) => settings.final_newline = newline,
            Change::EmbedMaxFileSizeKb(size) => settings.embed.max_file_size_kb = size,
            Change::EmbedMaxFiles(count) => settings.embed.max_files_per_directory = count,
            Change::EmbedErrors(mode) => settings.embed.error_handling = mode,
            Change::EmbedDirectories(names) => settings.embed.excluded_directories = names,
            Change::EmbedExtensions(endings) => settings.embed.excluded_extensions = endings,
            Change::EmbedFollow(follow) => settings.embed.follow_symlinks = follow,
            Change::EmbedTokenizer(tokenizer) => settings.embed.tokenizer = tokenizer,
            Change::EmbedPriority(globs) => settings.embed.priority = globs,
            Change::GitMode(mode) => settings.git_mode = mode,
            Change::ApplyShow(show) => settings.apply_show = show,
            Change::GitBefore(before) => settings.git_before = before,
            Change::GitAuthor(author) => settings.git_author = author,
            Change::GitMessage(message) => settings.git_message = message,
            Change::ExecApproval(value) => settings.exec_approval = value,
            Change::ExecAskAfterEdit(value) => settings.exec_ask_after_edit = value,
            Change::ExecEnv(value) => settings.exec_env = value,
            Change::ExecInheritEnv(value) => settings.exec_inherit_env = value,
            Change::ExecHome(value) => settings.exec_home = value,
            Change::ExecNetwork(value) => settings.exec_network = value,
            Change::ExecReadable(value) => settings.exec_readable = value,
            Change::ExecSandbox(value) => settings.exec_sandbox = value,
            Change::ExecWritable(value) => settings.exec_writable = value,
            Change::ForeignNamespaces(value) => settings.foreign_namespaces = value,
            Change::McpApprovals(value) => settings.mcp_approvals = value,
            Change::StageManifest(format) => settings.stage.manifest = format,
            Change::StageDir(folder) => settings.stage.dir = folder,
            Change::StageAuto(auto) => settings.stage.auto = auto,
            Change::StageAutoDebounce(wait) => settings.stage.auto_debounce = wait,
            Change::WatchBackend(backend) => settings.watch_backend = backend,
            Change::WatchReapAfter(wait) => settings.watch_reap_after = wait,
            Change::IdleExit(wait) => settings.idle_exit = wait,
            Change::LogLevel(level) => settings.log_level = level,
        }
    }
}

/// Formats the value of a limit as users write it.
pub(super) fn show_limit(limit: Limit, value: u64) -> String {
    match limit.unit() {
        Unit::Bytes => show_size(value),
        Unit::Count => value.to_string(),
        Unit::Time => show_duration(Duration::from_millis(value)),
    }
}

/// Describes the values that `key` takes, to follow "expects".
pub(super) fn expected(key: Key) -> String {
    match key {
        Key::AllowedRoots | Key::ExecReadable | Key::ExecWritable => {
            "a list of folders, such as `[~/work/shared]`".to_owned()
        }
        Key::RootAliases => "made-up roots with what they mean, such as `{/workspace: .}`".to_owned(),
        Key::Denied | Key::SecretGlobs | Key::Ask => {
            "a list of globs, such as `[\"**/private/**\"]`".to_owned()
        }
        Key::Dialects => "a list of dialects, such as `[sham]`".to_owned(),
        Key::CslStart | Key::CslEnd => {
            "1 to 64 bytes without blanks, quotes and control characters, such as `\"<---\"`".to_owned()
        }
        Key::ExecEnv => "variables with their values, such as `{CI: \"1\"}`".to_owned(),
        Key::FollowSymlinks | Key::EmbedFollow | Key::ExecInheritEnv | Key::ExecNetwork | Key::StageAuto => {
            "`true` or `false`".to_owned()
        }
        Key::StageDir => "a folder, such as `~/staged`, or `system`".to_owned(),
        Key::StageAutoDebounce => "a time in ms or s, such as `500ms`".to_owned(),
        Key::EmbedMaxFileSizeKb => format!("a whole number of kB up to {MAX_FILE_SIZE_KB}, such as `1024`"),
        Key::EmbedMaxFiles => "a whole number, such as `50`, or `auto`".to_owned(),
        Key::EmbedDirectories => "a list of names of folders, such as `[node_modules]`".to_owned(),
        Key::EmbedExtensions => "a list of endings, such as `[exe, dll]`".to_owned(),
        Key::EmbedPriority => "a list of globs, such as `[\"src/**\"]`".to_owned(),
        Key::Limit(limit) => {
            // The built-in value serves as the example: it is always allowed.
            let built_in = show_limit(limit, limit.built_in());
            match limit.unit() {
                Unit::Bytes => format!("a size in bytes, kB, MB or GB, such as `{built_in}`"),
                Unit::Count => format!("a whole number, such as `{built_in}`"),
                Unit::Time => format!("a time in ms, s, m or h, such as `{built_in}`"),
            }
        }
        Key::IdleExit => "a time in s, m, h or d, such as `4h`, or `never`".to_owned(),
        Key::WatchReapAfter => "a time in s, m, h or d, such as `5d`, or `never`".to_owned(),
        Key::GitAuthor => "a name, or `Name <address>`, such as `clada`".to_owned(),
        Key::GitMessage => {
            "a text of at most 2000 bytes with no placeholder but `{operation_summary}`".to_owned()
        }
        Key::Durability
        | Key::MadeUpRoots
        | Key::Matching
        | Key::ShamPaths
        | Key::FinalNewline
        | Key::EmbedErrors
        | Key::EmbedTokenizer
        | Key::GitMode
        | Key::ApplyShow
        | Key::GitBefore
        | Key::ExecApproval
        | Key::ExecAskAfterEdit
        | Key::ExecHome
        | Key::ExecSandbox
        | Key::ForeignNamespaces
        | Key::McpApprovals
        | Key::StageManifest
        | Key::WatchBackend
        | Key::LogLevel => {
            let names: Vec<String> = choices(key).iter().map(|name| format!("`{name}`")).collect();
            names.join(" or ")
        }
    }
}

/// Returns the fault for a value of the wrong type, or a word that is none of the choices.
pub(super) fn mistaken(key: Key, node: &Node) -> Fault {
    Fault::new(format!("`{}` cannot be {}", key.name(), node.describe()), format!("Write {}", expected(key)))
}

fn truth(key: Key, node: &Node) -> Result<bool, Fault> {
    match node {
        Node::Bool(value) => Ok(*value),
        Node::Text(text) if text == "true" => Ok(true),
        Node::Text(text) if text == "false" => Ok(false),
        _ => Err(mistaken(key, node)),
    }
}

/// Reads variables of an environment. Refuses names and values that an environment cannot hold.
fn variables(key: Key, node: &Node) -> Result<BTreeMap<String, String>, Fault> {
    let Node::Map(entries) = node else { return Err(mistaken(key, node)) };
    let mut variables = BTreeMap::new();
    for (index, (name, value)) in entries.iter().enumerate() {
        let possible = !name.is_empty() && !name.contains(['=', '\0']);
        let value = match value {
            Node::Text(text) if possible && !text.contains('\0') => text.clone(),
            Node::Integer(number) if possible => number.to_string(),
            Node::Bool(truth) if possible => truth.to_string(),
            _ => return Err(mistaken(key, value).at(index)),
        };
        variables.insert(name.clone(), value);
    }
    Ok(variables)
}

fn choice<T>(key: Key, node: &Node, from_name: fn(&str) -> Option<T>) -> Result<T, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    from_name(text).ok_or_else(|| mistaken(key, node))
}

fn text(key: Key, node: &Node, fits: impl Fn(&str) -> bool) -> Result<String, Fault> {
    match node {
        Node::Text(text) if fits(text) => Ok(text.clone()),
        _ => Err(mistaken(key, node)),
    }
}

fn number(key: Key, limit: Limit, node: &Node) -> Result<u64, Fault> {
    let value = match (limit.unit(), node) {
        (Unit::Bytes | Unit::Count, Node::Integer(value)) => u64::try_from(*value).ok(),
        (Unit::Bytes, Node::Text(text)) => parse_size(text),
        (Unit::Count, Node::Text(text)) => parse_count(text),
        (Unit::Time, Node::Text(text)) => {
            parse_duration(text).and_then(|time| u64::try_from(time.as_millis()).ok())
        }
        _ => None,
    };
    let value = value.ok_or_else(|| mistaken(key, node))?;
    let (least, most) = limit.range();
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let (least, most) = (show_limit(limit, least), show_limit(limit, most));
    Err(Fault::new(
        format!("`{}` cannot be {}", key.name(), show_limit(limit, value)),
        format!("Write something from {least} to {most}"),
    ))
}

/// Reads a plain number within `range`.
fn count(key: Key, node: &Node, range: RangeInclusive<u64>) -> Result<u64, Fault> {
    let value = match node {
        Node::Integer(value) => u64::try_from(*value).ok(),
        Node::Text(text) => parse_count(text),
        _ => None,
    };
    let value = value.ok_or_else(|| mistaken(key, node))?;
    if range.contains(&value) {
        return Ok(value);
    }
    let advice = format!("Write something from {} to {}", range.start(), range.end());
    Err(Fault::new(format!("`{}` cannot be {value}", key.name()), advice))
}

/// Reads globs of single names. Drops a slash at the end.
fn folder_names(key: Key, node: &Node) -> Result<Vec<String>, Fault> {
    let names = globs(key, node)?.into_iter().map(|name| name.trim_end_matches('/').to_owned());
    let names: Vec<String> = names.collect();
    match names.iter().position(|name| name.is_empty() || name.contains('/')) {
        None => Ok(names),
        Some(index) => {
            let message = format!("`{}` is no name of a folder", visible(&names[index], 60));
            Err(Fault::new(message, "Write the name alone, such as `node_modules`").at(index))
        }
    }
}

/// Reads the extension of a file's name, without its dot.
fn extension(text: &str) -> Result<String, Fault> {
    let ending = text.trim_start_matches('.');
    if ending.is_empty() || ending.len() > 64 || ending.contains(['/', '*', '?', '[', '{', '\0']) {
        let message = format!("`{}` is no ending of a file's name", visible(text, 60));
        return Err(Fault::new(message, "Write the letters behind the dot, such as `exe`"));
    }
    Ok(ending.to_owned())
}

fn count_or_auto(key: Key, node: &Node) -> Result<Option<u64>, Fault> {
    match node {
        Node::Text(text) if text == AUTO => Ok(None),
        _ => count(key, node, 1..=1_000_000).map(Some),
    }
}

fn stage_dir(key: Key, node: &Node, home: Option<&Path>) -> Result<Option<PathBuf>, Fault> {
    match node {
        Node::Text(text) if text == SYSTEM => Ok(None),
        Node::Text(text) if !text.is_empty() => folder(key, text, home).map(Some),
        _ => Err(mistaken(key, node)),
    }
}

fn debounce(key: Key, node: &Node) -> Result<Duration, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    let wait = parse_duration(text).ok_or_else(|| mistaken(key, node))?;
    if (DEBOUNCE.0..=DEBOUNCE.1).contains(&wait) {
        return Ok(wait);
    }
    let most = show_duration(DEBOUNCE.1);
    let message = format!("`{}` cannot be {}", key.name(), show_duration(wait));
    Err(Fault::new(message, format!("Write at most {most}")))
}

fn wait_or_never(key: Key, node: &Node) -> Result<Option<Duration>, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    if text == "never" {
        return Ok(None);
    }
    let wait = parse_duration(text).ok_or_else(|| mistaken(key, node))?;
    if (WAIT.0..=WAIT.1).contains(&wait) {
        return Ok(Some(wait));
    }
    let (least, most) = (show_duration(WAIT.0), show_duration(WAIT.1));
    Err(Fault::new(
        format!("`{}` cannot be {}", key.name(), show_duration(wait)),
        format!("Write something from {least} to {most}, or `never`"),
    ))
}

/// Reads every element of a list. Drops an element that is equal to an earlier one.
fn each<T: PartialEq>(
    key: Key,
    node: &Node,
    read: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let Node::List(items) = node else { return Err(mistaken(key, node)) };
    if items.len() > GLOBS {
        let advice = format!("Write at most {GLOBS}");
        return Err(Fault::new(format!("`{}` has {} entries", key.name(), items.len()), advice));
    }
    let mut list = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Node::Text(text) = item else {
            let message = format!("an entry of `{}` cannot be {}", key.name(), item.describe());
            return Err(Fault::new(message, format!("Write {}", expected(key))).at(index));
        };
        let value = read(text).map_err(|fault| fault.at(index))?;
        if !list.contains(&value) {
            list.push(value);
        }
    }
    Ok(list)
}

fn globs(key: Key, node: &Node) -> Result<Vec<String>, Fault> {
    each(key, node, |text| {
        let bad = |why: &str, advice: &str| {
            Err(Fault::new(format!("the glob `{}` of `{}` {why}", visible(text, 60), key.name()), advice))
        };
        if text.is_empty() || text.contains('\0') {
            return bad("matches nothing", "Remove it");
        }
        if text.len() > GLOB {
            return bad(&format!("has {} bytes", text.len()), &format!("Write at most {GLOB}"));
        }
        if text.starts_with('!') {
            return bad(
                "begins with `!`, which takes nothing back here",
                "Leave out the glob that is too wide",
            );
        }
        match globset::GlobBuilder::new(text).literal_separator(true).build() {
            Ok(_) => Ok(text.to_owned()),
            Err(error) => bad(
                &format!("is not one: {}", visible(&error.kind().to_string(), 120)),
                "Write `*`, `?`, `**`, `[ab]` or `{a,b}`, and a backslash before what is meant literally",
            ),
        }
    })
}

fn dialect(name: &str) -> Result<Dialect, Fault> {
    if let Some(dialect) = Dialect::from_name(name) {
        return Ok(dialect);
    }
    let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    let advice = match nearest(name, known.iter().copied()) {
        Some(near) => format!("Write `{near}` if that is meant"),
        None => format!("This version reads {}", known.join(", ")),
    };
    Err(Fault::new(format!("there is no dialect `{}`", visible(name, 60)), advice))
}

fn delimiter(key: Key, node: &Node) -> Result<String, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    match CslDelimiters::new(text, text) {
        Some(_) => Ok(text.clone()),
        None => Err(mistaken(key, node)),
    }
}

/// Returns both delimiters. [`delimiter`] has accepted each.
fn delimiters(start: &str, end: &str) -> CslDelimiters {
    CslDelimiters::new(start, end).unwrap_or_default()
}
