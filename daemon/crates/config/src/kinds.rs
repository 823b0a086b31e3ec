//! How the values of settings are written: each kind reads a YAML node, shows a value as it looks in a file,
//! and says what can be written. Knows neither keys nor layers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use clada_dialects::{CslDelimiters, Dialect};
use serde_json::Value;

use super::limits::{Limit, LimitUnit};
use super::problem::{nearest, visible};
use super::units::{parse_count, parse_duration, parse_size, show_duration, show_size};
use super::yaml::YamlNode;

const ENTRIES: usize = 1_000;
const GLOB: usize = 1_024;
const WAITS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(365 * 86_400);
/// The longest time without a change after which a project is quiet.
const LONGEST_DEBOUNCE: Duration = Duration::from_secs(600);
/// The largest file that `embed` can be configured to take, in kB: each is held in memory whole for a moment.
pub const MAX_FILE_SIZE_KB: u64 = 100 << 10;
const SYSTEM: &str = "system";
const AUTO: &str = "auto";
const NEVER: &str = "never";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingFault {
    /// The position in the list or map, if one element is at fault.
    pub(super) element: Option<usize>,
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

#[derive(Debug, Clone)]
pub(super) struct ValueShape {
    pub(super) choices: &'static [&'static str],
    pub(super) is_list: bool,
    example: Cow<'static, str>,
}

impl ValueShape {
    pub(super) fn expected(&self) -> String {
        if self.choices.is_empty() {
            return self.example.clone().into_owned();
        }
        let names: Vec<String> = self.choices.iter().map(|name| format!("`{name}`")).collect();
        match names.split_last() {
            Some((last, [first, rest @ ..])) => {
                let rest: String = rest.iter().map(|name| format!(", {name}")).collect();
                format!("{first}{rest} or {last}")
            }
            _ => names.concat(),
        }
    }
}

/// The folder that a made-up root stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AliasTarget {
    /// The root of the project in question; written `.`.
    ProjectRoot,
    /// This folder, absolute. It must lie in an allowed root, which is checked where it is used.
    Folder(PathBuf),
}

impl fmt::Display for AliasTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AliasTarget::ProjectRoot => formatter.write_str("."),
            AliasTarget::Folder(path) => formatter.write_str(&path.to_string_lossy()),
        }
    }
}

type ReadValue<T> = fn(&SettingContext<'_>, &YamlNode) -> Result<T, SettingFault>;

pub(super) struct ValueKind<T> {
    pub(super) shape: ValueShape,
    pub(super) read: ReadValue<T>,
    pub(super) show: fn(&T) -> Value,
}

impl<T> ValueKind<T> {
    const fn new(example: &'static str, read: ReadValue<T>, show: fn(&T) -> Value) -> ValueKind<T> {
        ValueKind {
            shape: ValueShape { choices: &[], is_list: false, example: Cow::Borrowed(example) },
            read,
            show,
        }
    }

    const fn list(example: &'static str, read: ReadValue<T>, show: fn(&T) -> Value) -> ValueKind<T> {
        ValueKind {
            shape: ValueShape { choices: &[], is_list: true, example: Cow::Borrowed(example) },
            read,
            show,
        }
    }

    pub(super) fn such_as(self, example: &'static str) -> ValueKind<T> {
        ValueKind { shape: ValueShape { example: Cow::Borrowed(example), ..self.shape }, ..self }
    }
}

pub(super) const fn choice<T>(
    choices: &'static [&'static str],
    read: ReadValue<T>,
    show: fn(&T) -> Value,
) -> ValueKind<T> {
    ValueKind { shape: ValueShape { choices, is_list: false, example: Cow::Borrowed("") }, read, show }
}

pub(super) const fn text(example: &'static str, read: ReadValue<String>) -> ValueKind<String> {
    ValueKind::new(example, read, |text| Value::from(text.as_str()))
}

pub(super) const TRUTH: ValueKind<bool> =
    ValueKind::new("`true` or `false`", |setting, node| setting.truth(node), |truth| Value::from(*truth));
pub(super) const FOLDERS: ValueKind<Vec<PathBuf>> = ValueKind::list(
    "a list of folders, such as `[~/work/shared]`",
    |setting, node| setting.each(node, |text| folder(setting, text)),
    |folders| folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect(),
);
pub(super) const FOLDER_OR_SYSTEM: ValueKind<Option<PathBuf>> = ValueKind::new(
    "a folder, such as `~/staged`, or `system`",
    |setting, node| match node {
        YamlNode::Text(text) if text == SYSTEM => Ok(None),
        YamlNode::Text(text) if !text.is_empty() => folder(setting, text).map(Some),
        _ => Err(setting.mistaken(node)),
    },
    |folder| folder.as_ref().map_or(Value::from(SYSTEM), |folder| Value::from(folder.to_string_lossy())),
);
pub(super) const ALIASES: ValueKind<BTreeMap<String, AliasTarget>> =
    ValueKind::new("made-up roots with what they mean, such as `{/workspace: .}`", aliases, |aliases| {
        aliases.iter().map(|(alias, target)| (alias.clone(), Value::from(target.to_string()))).collect()
    });
pub(super) const GLOBS: ValueKind<Vec<String>> = ValueKind::list(
    "a list of globs, such as `[\"**/private/**\"]`",
    |setting, node| setting.globs(node),
    |globs| Value::from(globs.as_slice()),
);
pub(super) const FOLDER_NAMES: ValueKind<Vec<String>> = ValueKind::list(
    "a list of names of folders, such as `[node_modules]`",
    |setting, node| setting.folder_names(node),
    |names| Value::from(names.as_slice()),
);
pub(super) const EXTENSIONS: ValueKind<Vec<String>> = ValueKind::list(
    "a list of endings, such as `[exe, dll]`",
    |setting, node| setting.each(node, extension),
    |endings| Value::from(endings.as_slice()),
);
pub(super) const DIALECTS: ValueKind<Vec<Dialect>> = ValueKind::list(
    "a list of dialects, such as `[sham]`",
    |setting, node| setting.each(node, dialect),
    |dialects| dialects.iter().map(|dialect| dialect.name()).collect(),
);
pub(super) const DELIMITER: ValueKind<String> = text(
    "1 to 64 bytes without blanks, quotes and control characters, such as `\"<---\"`",
    |setting, node| setting.text(node, |text| CslDelimiters::new(text, text).is_some()),
);
pub(super) const VARIABLES: ValueKind<BTreeMap<String, String>> = ValueKind::new(
    "variables with their values, such as `{CI: \"1\"}`",
    |setting, node| setting.variables(node),
    |variables| variables.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect(),
);
pub(super) const KILOBYTES: ValueKind<u64> = ValueKind::new(
    "a whole number of kB up to 102400, such as `1024`",
    |setting, node| setting.count(node, 1..=MAX_FILE_SIZE_KB),
    |number| Value::from(*number),
);
pub(super) const COUNT_OR_AUTO: ValueKind<Option<u64>> = ValueKind::new(
    "a whole number, such as `50`, or `auto`",
    |setting, node| match node {
        YamlNode::Text(text) if text == AUTO => Ok(None),
        _ => setting.count(node, 1..=1_000_000).map(Some),
    },
    |count| count.map_or_else(|| Value::from(AUTO), Value::from),
);
pub(super) const DEBOUNCE: ValueKind<Duration> = ValueKind::new(
    "a time in ms or s, such as `500ms`",
    |setting, node| {
        let advice = || format!("Write at most {}", show_duration(LONGEST_DEBOUNCE));
        setting.duration(node, &(Duration::ZERO..=LONGEST_DEBOUNCE), advice)
    },
    |wait| Value::from(show_duration(*wait)),
);
pub(super) const WAIT: ValueKind<Option<Duration>> = ValueKind::new(
    "a time in s, m, h or d, or `never`",
    |setting, node| {
        if matches!(node, YamlNode::Text(text) if text == NEVER) {
            return Ok(None);
        }
        let (least, most) = (show_duration(*WAITS.start()), show_duration(*WAITS.end()));
        let advice = || format!("Write something from {least} to {most}, or `never`");
        setting.duration(node, &WAITS, advice).map(Some)
    },
    |wait| Value::from(wait.map_or_else(|| NEVER.to_owned(), show_duration)),
);

/// Its built-in value serves as the example: it is always allowed.
pub(super) fn limit_shape(limit: Limit) -> ValueShape {
    let built_in = show_limit(limit, limit.built_in());
    let example = match limit.unit() {
        LimitUnit::Bytes => format!("a size in bytes, kB, MB or GB, such as `{built_in}`"),
        LimitUnit::Count => format!("a whole number, such as `{built_in}`"),
        LimitUnit::Time => format!("a time in ms, s, m or h, such as `{built_in}`"),
    };
    ValueShape { choices: &[], is_list: false, example: Cow::Owned(example) }
}

pub(super) fn show_limit(limit: Limit, value: u64) -> String {
    match limit.unit() {
        LimitUnit::Bytes => show_size(value),
        LimitUnit::Count => value.to_string(),
        LimitUnit::Time => show_duration(Duration::from_millis(value)),
    }
}

/// Shows a limit as in a file: a plain number stays one; a text with a unit has to be in quotes.
pub(super) fn show_limit_value(limit: Limit, value: u64) -> Value {
    let shown = show_limit(limit, value);
    if shown.bytes().all(|byte| byte.is_ascii_digit()) { Value::from(value) } else { Value::from(shown) }
}

pub(super) struct SettingContext<'a> {
    pub(super) key: &'static str,
    pub(super) shape: &'a ValueShape,
    pub(super) home: Option<&'a Path>,
}

impl SettingContext<'_> {
    pub(super) fn mistaken(&self, node: &YamlNode) -> SettingFault {
        self.fault(&node.describe(), format!("Write {}", self.shape.expected()))
    }

    fn fault(&self, value: &str, advice: String) -> SettingFault {
        SettingFault::new(format!("`{}` cannot be {value}", self.key), advice)
    }

    fn truth(&self, node: &YamlNode) -> Result<bool, SettingFault> {
        match node {
            YamlNode::Bool(value) => Ok(*value),
            YamlNode::Text(text) if text == "true" => Ok(true),
            YamlNode::Text(text) if text == "false" => Ok(false),
            _ => Err(self.mistaken(node)),
        }
    }

    fn variables(&self, node: &YamlNode) -> Result<BTreeMap<String, String>, SettingFault> {
        let YamlNode::Map(entries) = node else { return Err(self.mistaken(node)) };
        let mut variables = BTreeMap::new();
        for (index, (name, value)) in entries.iter().enumerate() {
            let possible = !name.is_empty() && !name.contains(['=', '\0']);
            let value = match value {
                YamlNode::Text(text) if possible && !text.contains('\0') => text.clone(),
                YamlNode::Integer(number) if possible => number.to_string(),
                YamlNode::Bool(truth) if possible => truth.to_string(),
                _ => return Err(self.mistaken(value).at(index)),
            };
            variables.insert(name.clone(), value);
        }
        Ok(variables)
    }

    pub(super) fn choice<T>(
        &self,
        node: &YamlNode,
        from_name: fn(&str) -> Option<T>,
    ) -> Result<T, SettingFault> {
        let YamlNode::Text(text) = node else { return Err(self.mistaken(node)) };
        from_name(text).ok_or_else(|| self.mistaken(node))
    }

    pub(super) fn text(&self, node: &YamlNode, fits: impl Fn(&str) -> bool) -> Result<String, SettingFault> {
        match node {
            YamlNode::Text(text) if fits(text) => Ok(text.clone()),
            _ => Err(self.mistaken(node)),
        }
    }

    pub(super) fn limit(&self, node: &YamlNode, limit: Limit) -> Result<u64, SettingFault> {
        let value = match (limit.unit(), node) {
            (LimitUnit::Bytes | LimitUnit::Count, YamlNode::Integer(value)) => u64::try_from(*value).ok(),
            (LimitUnit::Bytes, YamlNode::Text(text)) => parse_size(text),
            (LimitUnit::Count, YamlNode::Text(text)) => parse_count(text),
            (LimitUnit::Time, YamlNode::Text(text)) => {
                parse_duration(text).and_then(|time| u64::try_from(time.as_millis()).ok())
            }
            _ => None,
        };
        let value = value.ok_or_else(|| self.mistaken(node))?;
        let (least, most) = limit.range();
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        let (least, most) = (show_limit(limit, least), show_limit(limit, most));
        Err(self.fault(&show_limit(limit, value), format!("Write something from {least} to {most}")))
    }

    fn count(&self, node: &YamlNode, range: RangeInclusive<u64>) -> Result<u64, SettingFault> {
        let value = match node {
            YamlNode::Integer(value) => u64::try_from(*value).ok(),
            YamlNode::Text(text) => parse_count(text),
            _ => None,
        };
        let value = value.ok_or_else(|| self.mistaken(node))?;
        if range.contains(&value) {
            return Ok(value);
        }
        let advice = format!("Write something from {} to {}", range.start(), range.end());
        Err(self.fault(&value.to_string(), advice))
    }

    fn duration(
        &self,
        node: &YamlNode,
        range: &RangeInclusive<Duration>,
        advice: impl Fn() -> String,
    ) -> Result<Duration, SettingFault> {
        let YamlNode::Text(text) = node else { return Err(self.mistaken(node)) };
        let wait = parse_duration(text).ok_or_else(|| self.mistaken(node))?;
        if range.contains(&wait) { Ok(wait) } else { Err(self.fault(&show_duration(wait), advice())) }
    }

    fn each<T: PartialEq>(
        &self,
        node: &YamlNode,
        read: impl Fn(&str) -> Result<T, SettingFault>,
    ) -> Result<Vec<T>, SettingFault> {
        let YamlNode::List(items) = node else { return Err(self.mistaken(node)) };
        if items.len() > ENTRIES {
            let advice = format!("Write at most {ENTRIES}");
            return Err(SettingFault::new(format!("`{}` has {} entries", self.key, items.len()), advice));
        }
        let mut list = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let YamlNode::Text(text) = item else {
                let message = format!("an entry of `{}` cannot be {}", self.key, item.describe());
                let advice = format!("Write {}", self.shape.expected());
                return Err(SettingFault::new(message, advice).at(index));
            };
            let value = read(text).map_err(|fault| fault.at(index))?;
            if !list.contains(&value) {
                list.push(value);
            }
        }
        Ok(list)
    }

    fn globs(&self, node: &YamlNode) -> Result<Vec<String>, SettingFault> {
        self.each(node, |text| {
            let bad = |why: &str, advice: &str| {
                let message = format!("the glob `{}` of `{}` {why}", visible(text, 60), self.key);
                Err(SettingFault::new(message, advice))
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

    fn folder_names(&self, node: &YamlNode) -> Result<Vec<String>, SettingFault> {
        let names = self.globs(node)?.into_iter().map(|name| name.trim_end_matches('/').to_owned());
        let names: Vec<String> = names.collect();
        match names.iter().position(|name| name.is_empty() || name.contains('/')) {
            None => Ok(names),
            Some(index) => {
                let message = format!("`{}` is not the name of a folder", visible(&names[index], 60));
                Err(SettingFault::new(message, "Write the name alone, such as `node_modules`").at(index))
            }
        }
    }
}

fn folder(setting: &SettingContext<'_>, text: &str) -> Result<PathBuf, SettingFault> {
    let bad = |why: &str, advice: &str| {
        Err(SettingFault::new(
            format!("the folder `{}` of `{}` {why}", visible(text, 200), setting.key),
            advice,
        ))
    };
    if text.contains('\0') {
        return bad("contains a NUL", "Remove it");
    }
    let written = match (text.strip_prefix('~'), setting.home) {
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

fn aliases(
    setting: &SettingContext<'_>,
    node: &YamlNode,
) -> Result<BTreeMap<String, AliasTarget>, SettingFault> {
    let YamlNode::Map(entries) = node else { return Err(setting.mistaken(node)) };
    let mut aliases = BTreeMap::new();
    for (index, (name, target)) in entries.iter().enumerate() {
        let on_key = |fault: SettingFault| SettingFault { on_key: true, ..fault.at(index) };
        let alias = alias(setting, name).map_err(on_key)?;
        let YamlNode::Text(text) = target else { return Err(setting.mistaken(target).at(index)) };
        let target = match text.as_str() {
            "." => AliasTarget::ProjectRoot,
            text => AliasTarget::Folder(folder(setting, text).map_err(|fault| fault.at(index))?),
        };
        if aliases.insert(alias, target).is_some() {
            let message = format!("`{}` occurs twice in `{}`", visible(name, 60), setting.key);
            return Err(on_key(SettingFault::new(message, "Remove one of them")));
        }
    }
    Ok(aliases)
}

/// Checks a root that a model makes up: it must be absolute, as on POSIX or on Windows.
fn alias(setting: &SettingContext<'_>, name: &str) -> Result<String, SettingFault> {
    let bytes = name.as_bytes();
    let drive =
        bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && b"/\\".contains(&bytes[2]);
    let trimmed = name.trim_end_matches(['/', '\\']);
    let plain = !trimmed.split(['/', '\\']).any(|part| part == ".." || part == ".") && !name.contains('\0');
    if plain && ((name.starts_with('/') && !trimmed.is_empty()) || (drive && trimmed.len() > 2)) {
        return Ok(trimmed.to_owned());
    }
    Err(SettingFault::new(
        format!("`{}` of `{}` is not an absolute folder below the root", visible(name, 60), setting.key),
        format!("Write {}", setting.shape.expected()),
    ))
}

fn extension(text: &str) -> Result<String, SettingFault> {
    let ending = text.trim_start_matches('.');
    if ending.is_empty() || ending.len() > 64 || ending.contains(['/', '*', '?', '[', '{', '\0']) {
        let message = format!("`{}` is not the ending of a file name", visible(text, 60));
        return Err(SettingFault::new(message, "Write the letters behind the dot, such as `exe`"));
    }
    Ok(ending.to_owned())
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
