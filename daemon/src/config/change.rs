//! One setting as a layer states it: a key and a value of the right type. Turns a node of YAML into it, or
//! says what was expected. Does not know which layer it is in, nor what holds already.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use clada_dialects::Dialect;

use super::keys::{choices, nearest};
use super::limits::{Limit, Unit};
use super::problem::visible;
use super::settings::{AliasTarget, Durability, FinalNewline, LogLevel, ShamPaths};
use super::units::{parse_count, parse_duration, parse_size, show_duration, show_size};
use super::yaml::Node;
use super::{Key, Settings};

/// Globs in one list; all are tried on every path.
const GLOBS: usize = 1_000;
/// Bytes of one glob.
const GLOB: usize = 1_024;
/// Shortest and longest wait before the daemon ends.
const IDLE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(365 * 86_400));

/// Dialects of the documentation that this version may not read yet.
const DIALECTS: &[&str] =
    &["sham", "csl", "cml", "replacer", "aider", "apply_patch", "unified_diff", "whole_file"];

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    AllowedRoots(Vec<PathBuf>),
    RootAliases(BTreeMap<String, AliasTarget>),
    Denied(Vec<String>),
    SecretGlobs(Vec<String>),
    Ask(Vec<String>),
    FollowSymlinks(bool),
    Limit(Limit, u64),
    Durability(Durability),
    Dialects(Vec<Dialect>),
    ShamPaths(ShamPaths),
    FinalNewline(FinalNewline),
    IdleExit(Option<Duration>),
    LogLevel(LogLevel),
}

/// Why a node is no value for its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Position in the list or map, if one element is to blame.
    pub(super) element: Option<usize>,
    /// The element's key is to blame, not its value.
    pub(super) on_key: bool,
    pub(super) message: String,
    pub(super) advice: String,
}

impl Fault {
    fn new(message: impl Into<String>, advice: impl Into<String>) -> Fault {
        Fault { element: None, on_key: false, message: message.into(), advice: advice.into() }
    }

    fn at(self, element: usize) -> Fault {
        Fault { element: Some(element), ..self }
    }
}

impl Change {
    /// Reads `node` as the value of `key`; `home` is what `~/` stands for.
    pub(super) fn read(key: Key, node: &Node, home: Option<&Path>) -> Result<Change, Fault> {
        Ok(match key {
            Key::AllowedRoots => Change::AllowedRoots(each(key, node, |text| folder(key, text, home))?),
            Key::RootAliases => Change::RootAliases(aliases(node, home)?),
            Key::Denied => Change::Denied(globs(key, node)?),
            Key::SecretGlobs => Change::SecretGlobs(globs(key, node)?),
            Key::Ask => Change::Ask(globs(key, node)?),
            Key::FollowSymlinks => Change::FollowSymlinks(truth(key, node)?),
            Key::Limit(limit) => Change::Limit(limit, number(key, limit, node)?),
            Key::Durability => Change::Durability(choice(key, node, Durability::from_name)?),
            Key::Dialects => Change::Dialects(each(key, node, dialect)?),
            Key::ShamPaths => Change::ShamPaths(choice(key, node, ShamPaths::from_name)?),
            Key::FinalNewline => Change::FinalNewline(choice(key, node, FinalNewline::from_name)?),
            Key::IdleExit => Change::IdleExit(idle_exit(key, node)?),
            Key::LogLevel => Change::LogLevel(choice(key, node, LogLevel::from_name)?),
        })
    }

    pub(super) fn key(&self) -> Key {
        match self {
            Change::AllowedRoots(_) => Key::AllowedRoots,
            Change::RootAliases(_) => Key::RootAliases,
            Change::Denied(_) => Key::Denied,
            Change::SecretGlobs(_) => Key::SecretGlobs,
            Change::Ask(_) => Key::Ask,
            Change::FollowSymlinks(_) => Key::FollowSymlinks,
            Change::Limit(limit, _) => Key::Limit(*limit),
            Change::Durability(_) => Key::Durability,
            Change::Dialects(_) => Key::Dialects,
            Change::ShamPaths(_) => Key::ShamPaths,
            Change::FinalNewline(_) => Key::FinalNewline,
            Change::IdleExit(_) => Key::IdleExit,
            Change::LogLevel(_) => Key::LogLevel,
        }
    }

    /// Puts the value in the place of the one that `settings` has.
    pub(super) fn apply(self, settings: &mut Settings) {
        match self {
            Change::AllowedRoots(roots) => settings.allowed_roots = roots,
            Change::RootAliases(aliases) => settings.root_aliases = aliases,
            Change::Denied(globs) => settings.denied = globs,
            Change::SecretGlobs(globs) => settings.secret_globs = globs,
            Change::Ask(globs) => settings.ask = globs,
            Change::FollowSymlinks(follow) => settings.follow_symlinks = follow,
            Change::Limit(limit, value) => settings.limits.set(limit, value),
            Change::Durability(durability) => settings.durability = durability,
            Change::Dialects(dialects) => settings.dialects = dialects,
            Change::ShamPaths(paths) => settings.sham_paths = paths,
            Change::FinalNewline(newline) => settings.final_newline = newline,
            Change::IdleExit(wait) => settings.idle_exit = wait,
            Change::LogLevel(level) => settings.log_level = level,
        }
    }
}

/// `bytes` or a count, as it is written.
pub(super) fn show_limit(limit: Limit, value: u64) -> String {
    match limit.unit() {
        Unit::Bytes => show_size(value),
        Unit::Count => value.to_string(),
    }
}

/// What a value of `key` looks like: "expects …".
fn expected(key: Key) -> String {
    match key {
        Key::AllowedRoots => "a list of folders, such as `[~/work/shared]`".to_owned(),
        Key::RootAliases => "made-up roots with what they mean, such as `{/workspace: .}`".to_owned(),
        Key::Denied | Key::SecretGlobs | Key::Ask => {
            "a list of globs, such as `[\"**/private/**\"]`".to_owned()
        }
        Key::Dialects => "a list of dialects, such as `[sham]`".to_owned(),
        Key::FollowSymlinks => "`true` or `false`".to_owned(),
        Key::Limit(limit) => {
            let built_in = show_limit(limit, limit.built_in());
            match limit.unit() {
                Unit::Bytes => format!("a size in bytes, kB, MB or GB, such as `{built_in}`"),
                Unit::Count => format!("a whole number, such as `{built_in}`"),
            }
        }
        Key::IdleExit => "a time in s, m, h or d, such as `4h`, or `never`".to_owned(),
        Key::Durability | Key::ShamPaths | Key::FinalNewline | Key::LogLevel => {
            let names: Vec<String> = choices(key).iter().map(|name| format!("`{name}`")).collect();
            names.join(" or ")
        }
    }
}

fn mistaken(key: Key, node: &Node) -> Fault {
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

fn choice<T>(key: Key, node: &Node, from_name: fn(&str) -> Option<T>) -> Result<T, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    from_name(text).ok_or_else(|| mistaken(key, node))
}

fn number(key: Key, limit: Limit, node: &Node) -> Result<u64, Fault> {
    let value = match node {
        Node::Integer(value) => u64::try_from(*value).ok(),
        Node::Text(text) if limit.unit() == Unit::Bytes => parse_size(text),
        Node::Text(text) => parse_count(text),
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

fn idle_exit(key: Key, node: &Node) -> Result<Option<Duration>, Fault> {
    let Node::Text(text) = node else { return Err(mistaken(key, node)) };
    if text == "never" {
        return Ok(None);
    }
    let wait = parse_duration(text).ok_or_else(|| mistaken(key, node))?;
    if (IDLE.0..=IDLE.1).contains(&wait) {
        return Ok(Some(wait));
    }
    let (least, most) = (show_duration(IDLE.0), show_duration(IDLE.1));
    Err(Fault::new(
        format!("`{}` cannot be {}", key.name(), show_duration(wait)),
        format!("Write something from {least} to {most}, or `never`"),
    ))
}

/// Reads every element of a list; one that says the same as an earlier one is dropped.
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
    let shown = visible(name, 60);
    if DIALECTS.contains(&name) {
        return Err(Fault::new(
            format!("the dialect `{shown}` is not available in this version of clada"),
            format!("Remove it; this version reads {}", known.join(", ")),
        ));
    }
    let advice = match nearest(name, known.iter().copied()) {
        Some(near) => format!("Write `{near}` if that is meant"),
        None => format!("This version reads {}", known.join(", ")),
    };
    Err(Fault::new(format!("there is no dialect `{shown}`"), advice))
}

/// An absolute folder, without `.` and without a slash at the end.
fn folder(key: Key, text: &str, home: Option<&Path>) -> Result<PathBuf, Fault> {
    let bad = |why: &str, advice: &str| {
        Err(Fault::new(format!("the folder `{}` of `{}` {why}", visible(text, 200), key.name()), advice))
    };
    if text.contains('\0') {
        return bad("contains a NUL", "Remove it");
    }
    let written = match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        (Some(rest), None) if rest.is_empty() || rest.starts_with('/') => {
            return bad("begins with `~`, and it is not known which folder that is", "Write it from `/` on");
        }
        _ => PathBuf::from(text),
    };
    if !written.is_absolute() {
        return bad(
            "is relative, and there is nothing that it could be relative to",
            "Write it from `/` or `~/` on",
        );
    }
    if written.components().any(|part| part == Component::ParentDir) {
        return bad("contains `..`", "Write it without");
    }
    Ok(written.components().collect())
}

fn aliases(node: &Node, home: Option<&Path>) -> Result<BTreeMap<String, AliasTarget>, Fault> {
    let key = Key::RootAliases;
    let Node::Map(entries) = node else { return Err(mistaken(key, node)) };
    let mut aliases = BTreeMap::new();
    for (index, (name, target)) in entries.iter().enumerate() {
        let on_key = |fault: Fault| Fault { on_key: true, ..fault.at(index) };
        let alias = alias(name).map_err(on_key)?;
        let Node::Text(text) = target else { return Err(mistaken(key, target).at(index)) };
        let target = match text.as_str() {
            "." => AliasTarget::ProjectRoot,
            text => AliasTarget::Folder(folder(key, text, home).map_err(|fault| fault.at(index))?),
        };
        if aliases.insert(alias, target).is_some() {
            let message = format!("`{}` occurs twice in `{}`", visible(name, 60), key.name());
            return Err(on_key(Fault::new(message, "Remove one of them")));
        }
    }
    Ok(aliases)
}

/// A root that a model makes up: absolute, as on POSIX or on Windows.
fn alias(name: &str) -> Result<String, Fault> {
    let bytes = name.as_bytes();
    let drive =
        bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && b"/\\".contains(&bytes[2]);
    let trimmed = name.trim_end_matches(['/', '\\']);
    let plain = !trimmed.split(['/', '\\']).any(|part| part == ".." || part == ".") && !name.contains('\0');
    if plain && ((name.starts_with('/') && !trimmed.is_empty()) || (drive && trimmed.len() > 2)) {
        return Ok(trimmed.to_owned());
    }
    Err(Fault::new(
        format!(
            "`{}` of `{}` is no absolute folder below the root",
            visible(name, 60),
            Key::RootAliases.name()
        ),
        format!("Write {}", expected(Key::RootAliases)),
    ))
}
