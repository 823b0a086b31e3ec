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
    AliasTarget, ApplyPlain, ApplyShow, AskAfterEdit, Durability, ErrorHandling, ExecApproval, ExecHome,
    FinalNewline, ForeignNamespaces, GitBefore, GitMode, LogLevel, MadeUpRoots, ManifestFormat, Matching,
    McpApprovals, SandboxChoice, ShamPaths, Tokenizer, WatchBackend,
};
use super::units::{parse_count, parse_duration, parse_size, show_duration, show_size};
use super::yaml::YamlNode;
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
pub(super) enum SettingChange {
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
    GitAgents(GitMode),
    ApplyShow(ApplyShow),
    ApplyPlain(ApplyPlain),
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
pub(super) struct SettingFault {
    /// The position in the list or map, if one element is at fault.
    pub(super) element: Option<usize>,
    /// True if the element's key is at fault, not its value.
    pub(super) on_key: bool,
    pub(super) message: String,
    pub(super) advice: String,
}

impl SettingFault {
    pub(super) fn new(message: impl Into<String>, advice: impl Into<String>) -> SettingFault {
        SettingFault { element: None, on_key: false, message: message.into(), advice: advice.into() }
    }

    pub(super) fn at(self, element: usize) -> SettingFault {
        SettingFault { element: Some(element), ..self }
    }
}

impl SettingChange {
    /// Reads `node` as the value of `key`; `home` is the folder that `~/` stands for.
    pub(super) fn read(
        key: Key,
        node: &YamlNode,
        home: Option<&Path>,
    ) -> Result<SettingChange, SettingFault> {
        Ok(match key {
            // No wildcard arm here and below: the compiler then finds each place that lacks a new key.
            Key::AllowedRoots => {
                SettingChange::AllowedRoots(each(key, node, |text| folder(key, text, home))?)
            }
            Key::RootAliases => SettingChange::RootAliases(aliases(node, home)?),
            Key::MadeUpRoots => SettingChange::MadeUpRoots(choice(key, node, MadeUpRoots::from_name)?),
            Key::Denied => SettingChange::Denied(globs(key, node)?),
            Key::SecretGlobs => SettingChange::SecretGlobs(globs(key, node)?),
            Key::Ask => SettingChange::Ask(globs(key, node)?),
            Key::FollowSymlinks => SettingChange::FollowSymlinks(truth(key, node)?),
            Key::Limit(limit) => SettingChange::Limit(limit, number(key, limit, node)?),
            Key::Durability => SettingChange::Durability(choice(key, node, Durability::from_name)?),
            Key::Dialects => SettingChange::Dialects(each(key, node, dialect)?),
            Key::Matching => SettingChange::Matching(choice(key, node, Matching::from_name)?),
            Key::ShamPaths => SettingChange::ShamPaths(choice(key, node, ShamPaths::from_name)?),
            Key::CslStart => SettingChange::CslStart(delimiter(key, node)?),
            Key::CslEnd => SettingChange::CslEnd(delimiter(key, node)?),
            Key::FinalNewline => SettingChange::FinalNewline(choice(key, node, FinalNewline::from_name)?),
            Key::EmbedMaxFileSizeKb => {
                SettingChange::EmbedMaxFileSizeKb(count(key, node, 1..=MAX_FILE_SIZE_KB)?)
            }
            Key::EmbedMaxFiles => SettingChange::EmbedMaxFiles(count_or_auto(key, node)?),
            Key::EmbedErrors => SettingChange::EmbedErrors(choice(key, node, ErrorHandling::from_name)?),
            Key::EmbedDirectories => SettingChange::EmbedDirectories(folder_names(key, node)?),
            Key::EmbedExtensions => SettingChange::EmbedExtensions(each(key, node, extension)?),
            Key::EmbedFollow => SettingChange::EmbedFollow(truth(key, node)?),
            Key::EmbedTokenizer => SettingChange::EmbedTokenizer(choice(key, node, Tokenizer::from_name)?),
            Key::EmbedPriority => SettingChange::EmbedPriority(globs(key, node)?),
            Key::GitMode => SettingChange::GitMode(choice(key, node, GitMode::from_name)?),
            Key::GitAgents => SettingChange::GitAgents(choice(key, node, GitMode::from_name)?),
            Key::ApplyShow => SettingChange::ApplyShow(choice(key, node, ApplyShow::from_name)?),
            Key::ApplyPlain => SettingChange::ApplyPlain(choice(key, node, ApplyPlain::from_name)?),
            Key::GitBefore => SettingChange::GitBefore(choice(key, node, GitBefore::from_name)?),
            Key::GitAuthor => {
                SettingChange::GitAuthor(text(key, node, |author| Author::parse(author).is_some())?)
            }
            Key::GitMessage => SettingChange::GitMessage(text(key, node, is_message_format)?),
            Key::ExecApproval => SettingChange::ExecApproval(choice(key, node, ExecApproval::from_name)?),
            Key::ExecAskAfterEdit => {
                SettingChange::ExecAskAfterEdit(choice(key, node, AskAfterEdit::from_name)?)
            }
            Key::ExecEnv => SettingChange::ExecEnv(variables(key, node)?),
            Key::ExecInheritEnv => SettingChange::ExecInheritEnv(truth(key, node)?),
            Key::ExecHome => SettingChange::ExecHome(choice(key, node, ExecHome::from_name)?),
            Key::ExecNetwork => SettingChange::ExecNetwork(truth(key, node)?),
            Key::ExecReadable => {
                SettingChange::ExecReadable(each(key, node, |text| folder(key, text, home))?)
            }
            Key::ExecSandbox => SettingChange::ExecSandbox(choice(key, node, SandboxChoice::from_name)?),
            Key::ExecWritable => {
                SettingChange::ExecWritable(each(key, node, |text| folder(key, text, home))?)
            }
            Key::ForeignNamespaces => {
                SettingChange::ForeignNamespaces(choice(key, node, ForeignNamespaces::from_name)?)
            }
            Key::McpApprovals => SettingChange::McpApprovals(choice(key, node, McpApprovals::from_name)?),
            Key::StageManifest => SettingChange::StageManifest(choice(key, node, ManifestFormat::from_name)?),
            Key::StageDir => SettingChange::StageDir(stage_dir(key, node, home)?),
            Key::StageAuto => SettingChange::StageAuto(truth(key, node)?),
            Key::StageAutoDebounce => SettingChange::StageAutoDebounce(debounce(key, node)?),
            Key::WatchBackend => SettingChange::WatchBackend(choice(key, node, WatchBackend::from_name)?),
            Key::WatchReapAfter => SettingChange::WatchReapAfter(wait_or_never(key, node)?),
            Key::IdleExit => SettingChange::IdleExit(wait_or_never(key, node)?),
            Key::LogLevel => SettingChange::LogLevel(choice(key, node, LogLevel::from_name)?),
        })
    }

    pub(super) fn key(&self) -> Key {
        // Each variant belongs to the one key for which `read` makes it.
        match self {
            SettingChange::AllowedRoots(_) => Key::AllowedRoots,
            SettingChange::RootAliases(_) => Key::RootAliases,
            SettingChange::MadeUpRoots(_) => Key::MadeUpRoots,
            SettingChange::Denied(_) => Key::Denied,
            SettingChange::SecretGlobs(_) => Key::SecretGlobs,
            SettingChange::Ask(_) => Key::Ask,
            SettingChange::FollowSymlinks(_) => Key::FollowSymlinks,
            SettingChange::Limit(limit, _) => Key::Limit(*limit),
            SettingChange::Durability(_) => Key::Durability,
            SettingChange::Dialects(_) => Key::Dialects,
            SettingChange::Matching(_) => Key::Matching,
            SettingChange::ShamPaths(_) => Key::ShamPaths,
            SettingChange::CslStart(_) => Key::CslStart,
            SettingChange::CslEnd(_) => Key::CslEnd,
            SettingChange::FinalNewline(_) => Key::FinalNewline,
            SettingChange::EmbedMaxFileSizeKb(_) => Key::EmbedMaxFileSizeKb,
            SettingChange::EmbedMaxFiles(_) => Key::EmbedMaxFiles,
            SettingChange::EmbedErrors(_) => Key::EmbedErrors,
            SettingChange::EmbedDirectories(_) => Key::EmbedDirectories,
            SettingChange::EmbedExtensions(_) => Key::EmbedExtensions,
            SettingChange::EmbedFollow(_) => Key::EmbedFollow,
            SettingChange::EmbedTokenizer(_) => Key::EmbedTokenizer,
            SettingChange::EmbedPriority(_) => Key::EmbedPriority,
            SettingChange::GitMode(_) => Key::GitMode,
            SettingChange::GitAgents(_) => Key::GitAgents,
            SettingChange::ApplyShow(_) => Key::ApplyShow,
            SettingChange::ApplyPlain(_) => Key::ApplyPlain,
            SettingChange::GitBefore(_) => Key::GitBefore,
            SettingChange::GitAuthor(_) => Key::GitAuthor,
            SettingChange::GitMessage(_) => Key::GitMessage,
            SettingChange::ExecApproval(_) => Key::ExecApproval,
            SettingChange::ExecAskAfterEdit(_) => Key::ExecAskAfterEdit,
            SettingChange::ExecEnv(_) => Key::ExecEnv,
            SettingChange::ExecInheritEnv(_) => Key::ExecInheritEnv,
            SettingChange::ExecHome(_) => Key::ExecHome,
            SettingChange::ExecNetwork(_) => Key::ExecNetwork,
            SettingChange::ExecReadable(_) => Key::ExecReadable,
            SettingChange::ExecSandbox(_) => Key::ExecSandbox,
            SettingChange::ExecWritable(_) => Key::ExecWritable,
            SettingChange::ForeignNamespaces(_) => Key::ForeignNamespaces,
            SettingChange::McpApprovals(_) => Key::McpApprovals,
            SettingChange::StageManifest(_) => Key::StageManifest,
            SettingChange::StageDir(_) => Key::StageDir,
            SettingChange::StageAuto(_) => Key::StageAuto,
            SettingChange::StageAutoDebounce(_) => Key::StageAutoDebounce,
            SettingChange::WatchBackend(_) => Key::WatchBackend,
            SettingChange::WatchReapAfter(_) => Key::WatchReapAfter,
            SettingChange::IdleExit(_) => Key::IdleExit,
            SettingChange::LogLevel(_) => Key::LogLevel,
        }
    }

    pub(super) fn apply(self, settings: &mut Settings) {
        match self {
            SettingChange::AllowedRoots(roots) => settings.allowed_roots = roots,
            SettingChange::RootAliases(aliases) => settings.root_aliases = aliases,
            SettingChange::MadeUpRoots(value) => settings.made_up_roots = value,
            SettingChange::Denied(globs) => settings.denied = globs,
            SettingChange::SecretGlobs(globs) => settings.secret_globs = globs,
            SettingChange::Ask(globs) => settings.ask = globs,
            SettingChange::FollowSymlinks(follow) => settings.follow_symlinks = follow,
            SettingChange::Limit(limit, value) => settings.limits.set(limit, value),
            SettingChange::Durability(durability) => settings.durability = durability,
            SettingChange::Dialects(dialects) => settings.dialects = dialects,
            SettingChange::Matching(matching) => settings.matching = matching,
            SettingChange::ShamPaths(paths) => settings.sham_paths = paths,
            // Each delimiter is a key of its own, but both are kept as one value.
            SettingChange::CslStart(start) => settings.csl = delimiters(&start, settings.csl.end()),
            SettingChange::CslEnd(end) => settings.csl = delimiters(settings.csl.start(), &end),
            SettingChange::FinalNewline(newline) => settings.final_newline = newline,
            SettingChange::EmbedMaxFileSizeKb(size) => settings.embed.max_file_size_kb = size,
            SettingChange::EmbedMaxFiles(count) => settings.embed.max_files_per_directory = count,
            SettingChange::EmbedErrors(mode) => settings.embed.error_handling = mode,
            SettingChange::EmbedDirectories(names) => settings.embed.excluded_directories = names,
            SettingChange::EmbedExtensions(endings) => settings.embed.excluded_extensions = endings,
            SettingChange::EmbedFollow(follow) => settings.embed.follow_symlinks = follow,
            SettingChange::EmbedTokenizer(tokenizer) => settings.embed.tokenizer = tokenizer,
            SettingChange::EmbedPriority(globs) => settings.embed.priority = globs,
            SettingChange::GitMode(mode) => settings.git_mode = mode,
            SettingChange::GitAgents(mode) => settings.git_agents = mode,
            SettingChange::ApplyShow(show) => settings.apply_show = show,
            SettingChange::ApplyPlain(plain) => settings.apply_plain = plain,
            SettingChange::GitBefore(before) => settings.git_before = before,
            SettingChange::GitAuthor(author) => settings.git_author = author,
            SettingChange::GitMessage(message) => settings.git_message = message,
            SettingChange::ExecApproval(value) => settings.exec_approval = value,
            SettingChange::ExecAskAfterEdit(value) => settings.exec_ask_after_edit = value,
            SettingChange::ExecEnv(value) => settings.exec_env = value,
            SettingChange::ExecInheritEnv(value) => settings.exec_inherit_env = value,
            SettingChange::ExecHome(value) => settings.exec_home = value,
            SettingChange::ExecNetwork(value) => settings.exec_network = value,
            SettingChange::ExecReadable(value) => settings.exec_readable = value,
            SettingChange::ExecSandbox(value) => settings.exec_sandbox = value,
            SettingChange::ExecWritable(value) => settings.exec_writable = value,
            SettingChange::ForeignNamespaces(value) => settings.foreign_namespaces = value,
            SettingChange::McpApprovals(value) => settings.mcp_approvals = value,
            SettingChange::StageManifest(format) => settings.stage.manifest = format,
            SettingChange::StageDir(folder) => settings.stage.dir = folder,
            SettingChange::StageAuto(auto) => settings.stage.auto = auto,
            SettingChange::StageAutoDebounce(wait) => settings.stage.auto_debounce = wait,
            SettingChange::WatchBackend(backend) => settings.watch_backend = backend,
            SettingChange::WatchReapAfter(wait) => settings.watch_reap_after = wait,
            SettingChange::IdleExit(wait) => settings.idle_exit = wait,
            SettingChange::LogLevel(level) => settings.log_level = level,
        }
    }
}

pub(super) fn show_limit(limit: Limit, value: u64) -> String {
    match limit.unit() {
        Unit::Bytes => show_size(value),
        Unit::Count => value.to_string(),
        Unit::Time => show_duration(Duration::from_millis(value)),
    }
}

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
        | Key::GitAgents
        | Key::ApplyShow
        | Key::ApplyPlain
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
pub(super) fn mistaken(key: Key, node: &YamlNode) -> SettingFault {
    SettingFault::new(
        format!("`{}` cannot be {}", key.name(), node.describe()),
        format!("Write {}", expected(key)),
    )
}

fn truth(key: Key, node: &YamlNode) -> Result<bool, SettingFault> {
    match node {
        YamlNode::Bool(value) => Ok(*value),
        YamlNode::Text(text) if text == "true" => Ok(true),
        YamlNode::Text(text) if text == "false" => Ok(false),
        _ => Err(mistaken(key, node)),
    }
}

/// Reads variables of an environment. Refuses names and values that an environment cannot hold.
fn variables(key: Key, node: &YamlNode) -> Result<BTreeMap<String, String>, SettingFault> {
    let YamlNode::Map(entries) = node else { return Err(mistaken(key, node)) };
    let mut variables = BTreeMap::new();
    for (index, (name, value)) in entries.iter().enumerate() {
        let possible = !name.is_empty() && !name.contains(['=', '\0']);
        let value = match value {
            YamlNode::Text(text) if possible && !text.contains('\0') => text.clone(),
            YamlNode::Integer(number) if possible => number.to_string(),
            YamlNode::Bool(truth) if possible => truth.to_string(),
            _ => return Err(mistaken(key, value).at(index)),
        };
        variables.insert(name.clone(), value);
    }
    Ok(variables)
}

fn choice<T>(key: Key, node: &YamlNode, from_name: fn(&str) -> Option<T>) -> Result<T, SettingFault> {
    let YamlNode::Text(text) = node else { return Err(mistaken(key, node)) };
    from_name(text).ok_or_else(|| mistaken(key, node))
}

fn text(key: Key, node: &YamlNode, fits: impl Fn(&str) -> bool) -> Result<String, SettingFault> {
    match node {
        YamlNode::Text(text) if fits(text) => Ok(text.clone()),
        _ => Err(mistaken(key, node)),
    }
}

fn number(key: Key, limit: Limit, node: &YamlNode) -> Result<u64, SettingFault> {
    let value = match (limit.unit(), node) {
        (Unit::Bytes | Unit::Count, YamlNode::Integer(value)) => u64::try_from(*value).ok(),
        (Unit::Bytes, YamlNode::Text(text)) => parse_size(text),
        (Unit::Count, YamlNode::Text(text)) => parse_count(text),
        (Unit::Time, YamlNode::Text(text)) => {
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
    Err(SettingFault::new(
        format!("`{}` cannot be {}", key.name(), show_limit(limit, value)),
        format!("Write something from {least} to {most}"),
    ))
}

/// Reads a plain number within `range`.
fn count(key: Key, node: &YamlNode, range: RangeInclusive<u64>) -> Result<u64, SettingFault> {
    let value = match node {
        YamlNode::Integer(value) => u64::try_from(*value).ok(),
        YamlNode::Text(text) => parse_count(text),
        _ => None,
    };
    let value = value.ok_or_else(|| mistaken(key, node))?;
    if range.contains(&value) {
        return Ok(value);
    }
    let advice = format!("Write something from {} to {}", range.start(), range.end());
    Err(SettingFault::new(format!("`{}` cannot be {value}", key.name()), advice))
}

/// Reads globs of single names. Drops a slash at the end.
fn folder_names(key: Key, node: &YamlNode) -> Result<Vec<String>, SettingFault> {
    let names = globs(key, node)?.into_iter().map(|name| name.trim_end_matches('/').to_owned());
    let names: Vec<String> = names.collect();
    match names.iter().position(|name| name.is_empty() || name.contains('/')) {
        None => Ok(names),
        Some(index) => {
            let message = format!("`{}` is no name of a folder", visible(&names[index], 60));
            Err(SettingFault::new(message, "Write the name alone, such as `node_modules`").at(index))
        }
    }
}

/// Reads the extension of a file's name, without its dot.
fn extension(text: &str) -> Result<String, SettingFault> {
    let ending = text.trim_start_matches('.');
    if ending.is_empty() || ending.len() > 64 || ending.contains(['/', '*', '?', '[', '{', '\0']) {
        let message = format!("`{}` is no ending of a file's name", visible(text, 60));
        return Err(SettingFault::new(message, "Write the letters behind the dot, such as `exe`"));
    }
    Ok(ending.to_owned())
}

fn count_or_auto(key: Key, node: &YamlNode) -> Result<Option<u64>, SettingFault> {
    match node {
        YamlNode::Text(text) if text == AUTO => Ok(None),
        _ => count(key, node, 1..=1_000_000).map(Some),
    }
}

fn stage_dir(key: Key, node: &YamlNode, home: Option<&Path>) -> Result<Option<PathBuf>, SettingFault> {
    match node {
        YamlNode::Text(text) if text == SYSTEM => Ok(None),
        YamlNode::Text(text) if !text.is_empty() => folder(key, text, home).map(Some),
        _ => Err(mistaken(key, node)),
    }
}

fn debounce(key: Key, node: &YamlNode) -> Result<Duration, SettingFault> {
    let YamlNode::Text(text) = node else { return Err(mistaken(key, node)) };
    let wait = parse_duration(text).ok_or_else(|| mistaken(key, node))?;
    if (DEBOUNCE.0..=DEBOUNCE.1).contains(&wait) {
        return Ok(wait);
    }
    let most = show_duration(DEBOUNCE.1);
    let message = format!("`{}` cannot be {}", key.name(), show_duration(wait));
    Err(SettingFault::new(message, format!("Write at most {most}")))
}

fn wait_or_never(key: Key, node: &YamlNode) -> Result<Option<Duration>, SettingFault> {
    let YamlNode::Text(text) = node else { return Err(mistaken(key, node)) };
    if text == "never" {
        return Ok(None);
    }
    let wait = parse_duration(text).ok_or_else(|| mistaken(key, node))?;
    if (WAIT.0..=WAIT.1).contains(&wait) {
        return Ok(Some(wait));
    }
    let (least, most) = (show_duration(WAIT.0), show_duration(WAIT.1));
    Err(SettingFault::new(
        format!("`{}` cannot be {}", key.name(), show_duration(wait)),
        format!("Write something from {least} to {most}, or `never`"),
    ))
}

/// Reads every element of a list. Drops an element that is equal to an earlier one.
fn each<T: PartialEq>(
    key: Key,
    node: &YamlNode,
    read: impl Fn(&str) -> Result<T, SettingFault>,
) -> Result<Vec<T>, SettingFault> {
    let YamlNode::List(items) = node else { return Err(mistaken(key, node)) };
    if items.len() > GLOBS {
        let advice = format!("Write at most {GLOBS}");
        return Err(SettingFault::new(format!("`{}` has {} entries", key.name(), items.len()), advice));
    }
    let mut list = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let YamlNode::Text(text) = item else {
            let message = format!("an entry of `{}` cannot be {}", key.name(), item.describe());
            return Err(SettingFault::new(message, format!("Write {}", expected(key))).at(index));
        };
        let value = read(text).map_err(|fault| fault.at(index))?;
        if !list.contains(&value) {
            list.push(value);
        }
    }
    Ok(list)
}

fn globs(key: Key, node: &YamlNode) -> Result<Vec<String>, SettingFault> {
    each(key, node, |text| {
        let bad = |why: &str, advice: &str| {
            Err(SettingFault::new(
                format!("the glob `{}` of `{}` {why}", visible(text, 60), key.name()),
                advice,
            ))
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

fn dialect(name: &str) -> Result<Dialect, SettingFault> {
    if let Some(dialect) = Dialect::from_name(name) {
        return Ok(dialect);
    }
    let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    let advice = match nearest(name, known.iter().copied()) {
        Some(near) => format!("Perhaps you mean `{near}`"),
        None => format!("This version reads {}", known.join(", ")),
    };
    Err(SettingFault::new(format!("there is no dialect `{}`", visible(name, 60)), advice))
}

fn delimiter(key: Key, node: &YamlNode) -> Result<String, SettingFault> {
    let YamlNode::Text(text) = node else { return Err(mistaken(key, node)) };
    match CslDelimiters::new(text, text) {
        Some(_) => Ok(text.clone()),
        None => Err(mistaken(key, node)),
    }
}

/// Returns both delimiters. [`delimiter`] has accepted each.
fn delimiters(start: &str, end: &str) -> CslDelimiters {
    CslDelimiters::new(start, end).unwrap_or_default()
}
