//! A layer: the settings of one source, typed and with their places, before they are combined with
//! the others. Built from text, or from name and value pairs that the caller has read; knows no
//! files and no environment.

use std::collections::HashMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clada_protocol::method::CallSettings;

use super::inputs::Override;
use super::keys;
use super::kinds::SettingFault;
use super::problem::{LineColumn, Origin, Problem, Severity, nearest, visible};
use super::settings::{Key, SettingChange};
use super::yaml::{self, Spot, YamlNode};

const PROBLEMS: usize = 16;

/// The settings of one source.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    pub(super) entries: Vec<SettingEntry>,
    pub(super) problems: Vec<Problem>,
    text: Arc<str>,
}

#[derive(Debug, Clone)]
pub(super) struct SettingEntry {
    pub(super) change: SettingChange,
    pub(super) origin: Origin,
    pub(super) spot: Spot,
}

/// The lists that a project's file adds for the files of its folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectLists {
    /// Globs of paths that an answer may not name.
    pub denied: Vec<String>,
    /// Globs of files whose content is held back.
    pub secrets: Vec<String>,
    /// Globs of files whose change needs approval.
    pub ask: Vec<String>,
}

impl Layer {
    /// Reads the user's configuration. `home` is the folder that `~/` stands for.
    #[must_use]
    pub fn user(path: PathBuf, text: &str, home: Option<&Path>) -> Layer {
        Layer::file(Origin::User(path), text, home)
    }

    /// Reads a project's configuration, which may only narrow.
    #[must_use]
    pub fn project(path: PathBuf, text: &str) -> Layer {
        Layer::file(Origin::Project(path), text, None)
    }

    /// Reads the settings in the environment: `CLADA_LIMITS_INPUT=5MB`. Lists and maps are written as in
    /// YAML, `["a", "b"]`; a list of one may be written plainly. Ignores other names that begin with
    /// `CLADA_`, since clada may use them for another purpose, but notes those that look like a typing error.
    /// An empty variable counts as absent.
    #[must_use]
    pub(crate) fn environment(variables: &[(String, Option<String>)], home: Option<&Path>) -> Layer {
        let mut layer = Layer::default();
        let keys: HashMap<String, Key> = Key::all().into_iter().map(|key| (key.variable(), key)).collect();
        let set = variables.iter().filter(|(_, value)| value.as_deref() != Some(""));
        for (name, value) in set.filter(|(name, _)| name.starts_with("CLADA_")) {
            let origin = Origin::Environment(name.clone());
            match (keys.get(name), value) {
                (Some(key), Some(value)) => layer.add_text(*key, value, &origin, home),
                (Some(key), None) => layer.problems.push(Problem {
                    key: Some(key.name().to_owned()),
                    ..bare(origin, Severity::Error, "it is not UTF-8", "Unset it, or write it as text")
                }),
                (None, _) => layer.problems.extend(stray(name, origin, &keys)),
            }
        }
        layer
    }

    /// Reads the settings of one request: by key, or by the name of the variable, which a client hands on. A
    /// variable that sets nothing here is none of the request's business, and a note.
    #[must_use]
    pub(crate) fn call(settings: &CallSettings, home: Option<&Path>) -> Layer {
        let mut layer = Layer::default();
        if settings.is_empty() {
            return layer;
        }
        let variables: HashMap<String, Key> =
            Key::all().into_iter().map(|key| (key.variable(), key)).collect();
        for (name, value) in settings {
            let is_variable = name.starts_with("CLADA_");
            let origin = if is_variable { Origin::Environment(name.clone()) } else { Origin::Call };
            let key = if is_variable { variables.get(name).copied() } else { Key::from_name(name) };
            match key {
                Some(key) if key.is_of_daemon() => {
                    let severity = if is_variable { Severity::Note } else { Severity::Error };
                    let message = format!("`{}` is the daemon's, and no request sets it", key.name());
                    let advice = "Set it in the configuration, or for `clada-daemon serve`";
                    let problem = bare(origin, severity, message, advice);
                    layer.problems.push(Problem { key: Some(key.name().to_owned()), ..problem });
                }
                // Lists and maps of JSON are some of YAML, too.
                Some(key) => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    layer.add_text(key, &text, &origin, home);
                }
                None if is_variable => layer.problems.extend(stray(name, origin, &variables)),
                None => {
                    let (message, advice) = keys::unknown(name);
                    layer.problems.push(bare(origin, Severity::Error, message, advice));
                }
            }
        }
        layer.cut_problems();
        layer
    }

    #[must_use]
    pub(crate) fn flags(overrides: &[Override], home: Option<&Path>) -> Layer {
        let mut layer = Layer::default();
        for flag_override in overrides {
            let origin = Origin::Flag(flag_override.flag.clone());
            match Key::from_name(&flag_override.key) {
                Some(key) => layer.add_text(key, &flag_override.value, &origin, home),
                None => {
                    let (message, advice) = keys::unknown(&flag_override.key);
                    layer.problems.push(bare(origin, Severity::Error, message, advice));
                }
            }
        }
        layer
    }

    #[must_use]
    pub(crate) fn is_sound(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }

    pub(super) fn lists(&self) -> ProjectLists {
        let mut lists = ProjectLists::default();
        for entry in &self.entries {
            match &entry.change {
                SettingChange::Denied(globs) => lists.denied.extend_from_slice(globs),
                SettingChange::SecretGlobs(globs) => lists.secrets.extend_from_slice(globs),
                SettingChange::Ask(globs) => lists.ask.extend_from_slice(globs),
                _ => {}
            }
        }
        lists
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn unusable(origin: Origin, message: String, advice: String) -> Layer {
        Layer { problems: vec![bare(origin, Severity::Error, message, advice)], ..Layer::default() }
    }

    pub(super) fn problem(
        &self,
        entry: &SettingEntry,
        severity: Severity,
        explanation: Explanation,
    ) -> Problem {
        Problem {
            place: self.place(&entry.spot),
            key: Some(entry.change.key().name().to_owned()),
            ..bare(entry.origin.clone(), severity, explanation.message, explanation.advice)
        }
    }

    pub(super) fn file(origin: Origin, text: &str, home: Option<&Path>) -> Layer {
        let mut layer = Layer { text: Arc::from(text), ..Layer::default() };
        match yaml::parse(text) {
            Ok(YamlNode::Null) => {}
            Ok(YamlNode::Map(entries)) => {
                LayerReader { layer: &mut layer, origin: &origin, home }.top(&entries)
            }
            Ok(node) => {
                let message = format!("it is {}, not keys with values", node.describe());
                let advice = "Write lines such as `durability: full`";
                layer.problems.push(bare(origin, Severity::Error, message, advice));
            }
            Err((message, place)) => {
                let problem = bare(
                    origin,
                    Severity::Error,
                    format!("it cannot be read as YAML: {message}"),
                    "Mend it there",
                );
                layer.problems.push(Problem { place, ..problem });
            }
        }
        layer.cut_problems();
        layer
    }

    fn cut_problems(&mut self) {
        let more = self.problems.len().saturating_sub(PROBLEMS);
        if more == 0 {
            return;
        }
        self.problems.truncate(PROBLEMS);
        let origin = self.problems[0].origin.clone();
        let message = format!("there are {more} more problems");
        self.problems.push(bare(origin, Severity::Error, message, "Mend those above first"));
    }

    fn place(&self, spot: &Spot) -> Option<LineColumn> {
        if self.text.is_empty() { None } else { yaml::locate(&self.text, spot) }
    }

    fn add_text(&mut self, key: Key, text: &str, origin: &Origin, home: Option<&Path>) {
        let refuse = |message: String, advice: String| Problem {
            key: Some(key.name().to_owned()),
            ..bare(origin.clone(), Severity::Error, message, advice)
        };
        let node = match value_node(key, text) {
            Ok(node) => node,
            Err((message, advice)) => return self.problems.push(refuse(message, advice)),
        };
        match SettingChange::read(key, &node, home) {
            Ok(change) => {
                self.entries.push(SettingEntry { change, origin: origin.clone(), spot: Spot::default() });
            }
            Err(fault) => self.problems.push(refuse(fault.message, fault.advice)),
        }
    }
}

pub(super) fn value_node(key: Key, text: &str) -> Result<YamlNode, (String, String)> {
    match text.trim_start().chars().next() {
        Some('[' | '{') => yaml::parse(text).map_err(|(message, _)| {
            let advice = "Write it as in the file, for example `[\"a\", \"b\"]`".to_owned();
            (format!("it cannot be read as YAML: {message}"), advice)
        }),
        _ if key.shape().is_list => Ok(YamlNode::List(vec![YamlNode::Text(text.to_owned())])),
        _ => Ok(YamlNode::Text(text.to_owned())),
    }
}

pub(super) struct Explanation {
    pub(super) message: String,
    pub(super) advice: String,
}

fn bare(
    origin: Origin,
    severity: Severity,
    message: impl Into<String>,
    advice: impl Into<String>,
) -> Problem {
    Problem { origin, place: None, key: None, severity, message: message.into(), advice: advice.into() }
}

fn stray(name: &str, origin: Origin, keys: &HashMap<String, Key>) -> Option<Problem> {
    // A slip of one or two letters; a name less alike belongs to another program.
    let near = nearest(name, keys.keys().map(String::as_str))?;
    (strsim::damerau_levenshtein(name, near) <= 2)
        .then(|| bare(origin, Severity::Note, "it sets nothing", format!("Perhaps you mean `{near}`")))
}

struct LayerReader<'a> {
    layer: &'a mut Layer,
    origin: &'a Origin,
    home: Option<&'a Path>,
}

impl LayerReader<'_> {
    fn top(&mut self, entries: &[(String, YamlNode)]) {
        let document = Spot::default();
        let repeated = self.duplicates(&document, "", entries);
        for (index, (name, node)) in entries.iter().enumerate() {
            if repeated.contains(&index) {
                continue;
            }
            let spot = document.value(index);
            if let Some(key) = Key::from_name(name).filter(|_| !name.contains('.')) {
                self.entry(key, node, spot);
            } else if Key::all().iter().any(|key| section(key.name()) == Some(name)) {
                self.section(name, node, &spot);
            } else if let Some((part, rest)) = name.split_once('.').filter(|_| Key::from_name(name).is_some())
            {
                let advice = format!("Write `{rest}:` on a separate line below `{part}:`, indented");
                self.refuse(&document.key(index), Some(name), format!("`{name}` is two keys in one"), advice);
            } else {
                let (message, advice) = keys::unknown_at_top(name);
                self.refuse(&document.key(index), Some(name), message, advice);
            }
        }
    }

    fn section(&mut self, name: &str, node: &YamlNode, spot: &Spot) {
        let entries = match node {
            YamlNode::Null => return,
            YamlNode::Map(entries) => entries,
            _ => {
                let message = format!("`{name}` is a section and cannot be {}", node.describe());
                let advice = "Write its keys below it, indented".to_owned();
                return self.refuse(spot, Some(name), message, advice);
            }
        };
        let repeated = self.duplicates(spot, name, entries);
        for (index, (part, node)) in entries.iter().enumerate() {
            if repeated.contains(&index) {
                continue;
            }
            let full = format!("{name}.{part}");
            match Key::from_name(&full) {
                Some(key) => self.entry(key, node, spot.value(index)),
                None => {
                    let (message, advice) = keys::unknown(&full);
                    self.refuse(&spot.key(index), Some(&full), message, advice);
                }
            }
        }
    }

    fn entry(&mut self, key: Key, node: &YamlNode, spot: Spot) {
        match SettingChange::read(key, node, self.home) {
            Ok(change) => self.layer.entries.push(SettingEntry { change, origin: self.origin.clone(), spot }),
            Err(SettingFault { element, on_key, message, advice }) => {
                let spot = match element {
                    Some(element) if on_key => spot.key(element),
                    Some(element) => spot.value(element),
                    None => spot,
                };
                self.refuse(&spot, Some(key.name()), message, advice);
            }
        }
    }

    fn duplicates(&mut self, parent: &Spot, section: &str, entries: &[(String, YamlNode)]) -> Vec<usize> {
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut repeated = Vec::new();
        for (index, (name, _)) in entries.iter().enumerate() {
            let Some(earlier) = first.get(name.as_str()).copied() else {
                first.insert(name, index);
                continue;
            };
            repeated.push(index);
            let place = if self.is_full() { None } else { self.layer.place(&parent.key(earlier)) };
            let line = place.map_or_else(String::new, |place| format!(", first on line {}", place.line));
            let full = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
            let message = format!("`{}` is there twice{line}", visible(&full, 80));
            self.refuse(&parent.key(index), Some(&full), message, "Remove one of them".to_owned());
        }
        repeated
    }

    fn refuse(&mut self, spot: &Spot, key: Option<&str>, message: String, advice: String) {
        // Finding a place parses the text again, so it is skipped for problems that will not be listed.
        let place = if self.is_full() { None } else { self.layer.place(spot) };
        let key = key.map(|key| visible(key, 80));
        let origin = self.origin.clone();
        self.layer.problems.push(Problem { place, key, ..bare(origin, Severity::Error, message, advice) });
    }

    fn is_full(&self) -> bool {
        self.layer.problems.len() >= PROBLEMS
    }
}

fn section(key: &str) -> Option<&str> {
    key.split_once('.').map(|(section, _)| section)
}
