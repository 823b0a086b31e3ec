//! Sets or removes one key in the text of a configuration file: comments, order and all other keys stay as
//! they are.
//!
//! The lines of the key are replaced, or some are added; the new text is then read like any file, and only
//! handed out if it sets what was meant and nothing else has changed. So what the lines may hold need not be
//! understood: a text that is laid out in another way is refused, never damaged.

use std::path::Path;

use super::keys;
use super::layer::{Layer, value_node};
use super::problem::Origin;
use super::settings::{Key, ProjectMay, SettingChange};
use super::yaml::{self, Spot, YamlNode};

/// A reason for which a key was not set, and advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotSet {
    /// A sentence without its full stop.
    pub message: String,
    /// The allowed values, or what to do instead.
    pub advice: String,
    /// True if it is because of the file, not of the key or the value.
    pub is_of_file: bool,
}

impl NotSet {
    fn new(message: impl Into<String>, advice: impl Into<String>) -> NotSet {
        NotSet { message: message.into(), advice: advice.into(), is_of_file: false }
    }

    fn of_file(message: impl Into<String>, advice: impl Into<String>) -> NotSet {
        NotSet { is_of_file: true, ..NotSet::new(message, advice) }
    }
}

/// Returns the key called `name`.
///
/// # Errors
/// There is none; the advice names the one most like it.
pub fn key_named(name: &str) -> Result<Key, NotSet> {
    Key::from_name(name).ok_or_else(|| {
        let (message, advice) = keys::unknown(name);
        NotSet::new(message, advice)
    })
}

/// `value` is written as in the environment: a word, a number, or a list or map in brackets. `home` is the
/// folder that `~/` stands for.
pub(super) fn set(
    text: &str,
    origin: &Origin,
    key: Key,
    value: &str,
    home: Option<&Path>,
) -> Result<String, NotSet> {
    let node = value_node(key, value).map_err(|(message, advice)| NotSet::new(message, advice))?;
    let expected_change =
        SettingChange::read(key, &node, home).map_err(|fault| NotSet::new(fault.message, fault.advice))?;
    if matches!(origin, Origin::Project(_)) && key.project_may() == ProjectMay::Nothing {
        let message = format!("a project cannot set `{}`", key.name());
        return Err(NotSet::new(message, "It belongs in your own file: leave out --project"));
    }
    let before = otherwise_sound(text, origin, key, home)?;
    let written =
        ConfigLines::new(text).set(key, &node, |written| reads_as(key, written, &expected_change, home));
    checked(key, written, &before, &[&expected_change], origin, home)
}

/// The text stays as it is if the key is not in it.
pub(super) fn unset(text: &str, origin: &Origin, key: Key, home: Option<&Path>) -> Result<String, NotSet> {
    let before = otherwise_sound(text, origin, key, home)?;
    checked(key, ConfigLines::new(text).unset(key), &before, &[], origin, home)
}

fn otherwise_sound(text: &str, origin: &Origin, key: Key, home: Option<&Path>) -> Result<Layer, NotSet> {
    let layer = Layer::file(origin.clone(), text, home);
    match layer.problems.iter().find(|fault| fault.is_error() && !is_about(fault, key)) {
        Some(fault) => {
            Err(NotSet::of_file(fault.to_string().trim_end_matches('.'), "Mend it first: clada config edit"))
        }
        None => Ok(layer),
    }
}

fn checked(
    key: Key,
    new: Option<String>,
    before: &Layer,
    expected_changes: &[&SettingChange],
    origin: &Origin,
    home: Option<&Path>,
) -> Result<String, NotSet> {
    let new = new.ok_or_else(|| laid_out_otherwise(key))?;
    let after = Layer::file(origin.clone(), &new, home);
    let others = |layer: &Layer| -> Vec<SettingChange> {
        let entries = layer.entries.iter().map(|entry| &entry.change);
        entries.filter(|change| change.key() != key).cloned().collect()
    };
    let is_set = after
        .entries
        .iter()
        .filter(|entry| entry.change.key() == key)
        .map(|entry| &entry.change)
        .eq(expected_changes.iter().copied());
    if !after.is_sound() || !is_set || others(before) != others(&after) {
        return Err(laid_out_otherwise(key));
    }
    Ok(new)
}

fn is_about(fault: &super::Problem, key: Key) -> bool {
    fault.key.as_deref() == Some(key.name())
}

fn laid_out_otherwise(key: Key) -> NotSet {
    let message =
        format!("`{}` cannot be changed without touching more of the file than its lines", key.name());
    NotSet::of_file(message, "Write it there yourself: clada config edit")
}

fn reads_as(key: Key, written: &str, expected_change: &SettingChange, home: Option<&Path>) -> bool {
    let Ok(YamlNode::Map(entries)) = yaml::parse(&format!("k: {written}")) else { return false };
    matches!(&entries[..], [(_, node)] if SettingChange::read(key, node, home).as_ref() == Ok(expected_change))
}

struct ConfigLines<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    end: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct LineExtent {
    first: usize,
    after: usize,
    indent: usize,
}

impl<'t> ConfigLines<'t> {
    fn new(text: &'t str) -> ConfigLines<'t> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let end = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        ConfigLines { text, lines, end }
    }

    // `None` if the lines of the key cannot be distinguished from others.
    fn set(&self, key: Key, node: &YamlNode, reads: impl Fn(&str) -> bool) -> Option<String> {
        let top = match yaml::parse(self.text).ok()? {
            YamlNode::Null => Vec::new(),
            YamlNode::Map(entries) => entries,
            _ => return None,
        };
        let (section, name) = match key.name().split_once('.') {
            Some((section, name)) => (Some(section), name),
            None => (None, key.name()),
        };
        let document = Spot::default();
        let Some(section) = section else {
            if let Some(index) = position(&top, name) {
                let extent = self.extent(&document.key(index))?;
                return Some(self.replaced(extent, name, node, &reads));
            }
            // A template has the key commented out; a setting belongs below that line, with its
            // explanation.
            let place =
                self.commented(0..self.lines.len(), "", name).unwrap_or(InsertPlace::at(self.lines.len()));
            return Some(self.added(place, 0, None, name, node, &reads));
        };
        let Some(index) = position(&top, section) else {
            return Some(self.in_new_section(section, name, node, &reads));
        };
        let head = self.extent(&document.key(index))?;
        let parent = document.value(index);
        let children = match &top[index].1 {
            YamlNode::Map(children) => children.as_slice(),
            YamlNode::Null => &[],
            _ => return None,
        };
        if let Some(child) = position(children, name) {
            let extent = self.extent(&parent.key(child))?;
            // In flow style (`git: {mode: off}`) key and section share a line, which cannot be edited by
            // lines.
            return (extent.first > head.first).then(|| self.replaced(extent, name, node, &reads));
        }
        let indent = match children {
            [] => 2,
            _ => self.extent(&parent.key(0)).filter(|child| child.first > head.first)?.indent,
        };
        let range = head.first + 1..self.next_head(head.first + 1).max(head.after);
        let place = self.commented(range, "  ", name).unwrap_or(InsertPlace::at(head.after));
        Some(self.added(place, indent, None, name, node, &reads))
    }

    // Also removes an empty section. `None` if the lines cannot be distinguished from others.
    fn unset(&self, key: Key) -> Option<String> {
        let top = match yaml::parse(self.text).ok()? {
            YamlNode::Null => return Some(self.text.to_owned()),
            YamlNode::Map(entries) => entries,
            _ => return None,
        };
        let document = Spot::default();
        let Some((section, name)) = key.name().split_once('.') else {
            let Some(index) = position(&top, key.name()) else { return Some(self.text.to_owned()) };
            let extent = self.extent(&document.key(index))?;
            return Some(self.with(extent.first..extent.after, &[]));
        };
        let Some(index) = position(&top, section) else { return Some(self.text.to_owned()) };
        let YamlNode::Map(children) = &top[index].1 else { return Some(self.text.to_owned()) };
        let Some(child) = position(children, name) else { return Some(self.text.to_owned()) };
        let head = self.extent(&document.key(index))?;
        let extent = self.extent(&document.value(index).key(child))?;
        let is_below = extent.first > head.first;
        let is_all = extent.first == head.first + 1 && extent.after == head.after;
        let first =
            if is_all && comment_of(self.lines[head.first]).is_none() { head.first } else { extent.first };
        is_below.then(|| self.with(first..extent.after, &[]))
    }

    /// Sets a key whose section is not there: where it stands behind a `#`, else at the end.
    fn in_new_section(
        &self,
        section: &str,
        name: &str,
        node: &YamlNode,
        reads: &dyn Fn(&str) -> bool,
    ) -> String {
        let head = format!("{section}:");
        let commented =
            self.lines.iter().position(|line| uncommented(line).is_some_and(|it| it.trim_end() == head));
        let Some(at) = commented else {
            return self.added(
                InsertPlace::at(self.lines.len()),
                2,
                Some((None, section)),
                name,
                node,
                reads,
            );
        };
        let range = at + 1..self.next_head(at + 1);
        let place = self.commented(range, "  ", name).unwrap_or(InsertPlace::at(at + 1));
        self.added(place, 2, Some((Some(at), section)), name, node, reads)
    }

    fn extent(&self, spot: &Spot) -> Option<LineExtent> {
        let place = yaml::locate(self.text, spot)?;
        let (first, indent) = (place.line.checked_sub(1)?, place.column.checked_sub(1)?);
        let line = self.lines.get(first)?;
        if line.len() < indent || indent_of(line) != indent {
            return None;
        }
        let mut after = first + 1;
        for (index, line) in self.lines.iter().enumerate().skip(first + 1) {
            if is_blank_or_comment(line) {
                continue;
            }
            let own = indent_of(line);
            let is_item = own == indent && line[own..].starts_with('-');
            if own <= indent && !is_item {
                break;
            }
            after = index + 1;
        }
        Some(LineExtent { first, after, indent })
    }

    fn next_head(&self, from: usize) -> usize {
        let is_head = |line: &&str| {
            let line = uncommented(line).unwrap_or(line);
            let word = line.trim_end().split(':').next().unwrap_or_default();
            line.trim_end().len() > word.len()
                && Key::all().iter().any(|key| key.name().split('.').next() == Some(word))
        };
        let head_offset = self.lines.iter().skip(from).position(is_head);
        head_offset.map_or(self.lines.len(), |offset| from + offset)
    }

    fn commented(&self, range: std::ops::Range<usize>, indent: &str, name: &str) -> Option<InsertPlace> {
        let head = format!("{indent}{name}:");
        range.clone().zip(self.lines.get(range)?).find_map(|(index, line)| {
            let value = uncommented(line)?.strip_prefix(&head)?;
            // The items of a list stay as they are, behind their `#`.
            let is_whole = !value.trim().is_empty();
            Some(InsertPlace { line: index, takes: usize::from(is_whole) })
        })
    }

    fn replaced(
        &self,
        extent: LineExtent,
        name: &str,
        node: &YamlNode,
        reads: &dyn Fn(&str) -> bool,
    ) -> String {
        let old = &self.lines[extent.first..extent.after];
        let comment = comment_of(old[0]).unwrap_or_default();
        let old_items = Items::of(&old[1..]);
        let lines = self.written(extent.indent, name, comment, node, reads, &old_items);
        self.with(extent.first..extent.after, &lines)
    }

    fn added(
        &self,
        place: InsertPlace,
        indent: usize,
        section: Option<(Option<usize>, &str)>,
        name: &str,
        node: &YamlNode,
        reads: &dyn Fn(&str) -> bool,
    ) -> String {
        let mut lines = self.written(indent, name, "", node, reads, &Items::default());
        if place.line == self.lines.len() && indent == 0 || matches!(section, Some((None, _))) {
            if let Some((None, section)) = section {
                lines.insert(0, format!("{section}:{}", self.end));
            }
            if self.lines.last().is_some_and(|line| !line.trim().is_empty()) {
                lines.insert(0, self.end.to_owned());
            }
        }
        match section {
            Some((Some(head), section)) => {
                // The line of the section comes to life, and the key below it.
                let mut all: Vec<String> = vec![format!("{section}:{}", self.end)];
                all.extend(self.lines[head + 1..place.line].iter().map(|&line| line.to_owned()));
                all.append(&mut lines);
                self.with(head..place.line + place.takes, &all)
            }
            _ => self.with(place.line..place.line + place.takes, &lines),
        }
    }

    fn written(
        &self,
        indent: usize,
        name: &str,
        comment: &str,
        node: &YamlNode,
        reads: &dyn Fn(&str) -> bool,
        old_items: &Items<'_>,
    ) -> Vec<String> {
        let (end, pad) = (self.end, " ".repeat(indent));
        let head = |value: &str| format!("{pad}{name}:{value}{comment}{end}");
        match node {
            YamlNode::List(items) if !items.is_empty() => {
                let fresh = |item: &YamlNode| vec![format!("{pad}  - {}{end}", scalar(item))];
                let items =
                    items.iter().flat_map(|item| old_items.lines(item).unwrap_or_else(|| fresh(item)));
                std::iter::once(head("")).chain(items).collect()
            }
            YamlNode::Map(entries) if !entries.is_empty() => {
                let entry = |(key, value): &(String, YamlNode)| {
                    format!("{pad}  {}: {}{end}", scalar(&YamlNode::Text(key.clone())), scalar(value))
                };
                std::iter::once(head("")).chain(entries.iter().map(entry)).collect()
            }
            YamlNode::List(_) => vec![head(" []")],
            YamlNode::Map(_) => vec![head(" {}")],
            // Plain if YAML reads it back as this text: `1.0`, `yes` or `a: b` would come back as something
            // else.
            YamlNode::Text(text) if !text.contains(['\n', '\r']) && reads(text) => {
                vec![head(&format!(" {text}"))]
            }
            node => vec![head(&format!(" {}", scalar(node)))],
        }
    }

    fn with(&self, range: std::ops::Range<usize>, lines: &[String]) -> String {
        let mut text: String = self.lines[..range.start].concat();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(self.end);
        }
        text.extend(lines.iter().map(String::as_str));
        text.extend(self.lines[range.end..].iter().copied());
        text
    }
}

#[derive(Debug, Clone, Copy)]
struct InsertPlace {
    line: usize,
    takes: usize,
}

impl InsertPlace {
    fn at(line: usize) -> InsertPlace {
        InsertPlace { line, takes: 0 }
    }
}

#[derive(Debug, Default)]
struct Items<'t>(Vec<(YamlNode, Vec<&'t str>)>);

impl<'t> Items<'t> {
    fn of(lines: &[&'t str]) -> Items<'t> {
        let (mut items, mut above) = (Vec::new(), Vec::new());
        for line in lines {
            above.push(*line);
            if is_blank_or_comment(line) {
                continue;
            }
            match yaml::parse(line) {
                Ok(YamlNode::List(mut list)) if list.len() == 1 => {
                    items.push((list.remove(0), std::mem::take(&mut above)));
                }
                // An item over several lines, or no list: none is kept as it is.
                _ => return Items::default(),
            }
        }
        Items(items)
    }

    fn lines(&self, item: &YamlNode) -> Option<Vec<String>> {
        let (_, lines) = self.0.iter().find(|(own, _)| own == item)?;
        Some(lines.iter().map(|&line| line.to_owned()).collect())
    }
}

fn position(entries: &[(String, YamlNode)], name: &str) -> Option<usize> {
    entries.iter().position(|(key, _)| key == name)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_blank_or_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn uncommented(line: &str) -> Option<&str> {
    let line = line.strip_prefix('#')?;
    Some(line.strip_prefix(' ').unwrap_or(line))
}

fn comment_of(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let whole = yaml::parse(line).ok()?;
    let ends = line.match_indices(" #").map(|(index, _)| index);
    let mut ends = ends.filter(|&end| yaml::parse(&line[..end]).as_ref() == Ok(&whole));
    ends.next().map(|end| &line[line[..end].trim_end().len()..])
}

/// Returns a value on one line: as it is if it then reads the same, else in quotes.
fn scalar(node: &YamlNode) -> String {
    match node {
        YamlNode::Bool(value) => value.to_string(),
        YamlNode::Integer(value) => value.to_string(),
        YamlNode::Float(value) => value.to_string(),
        YamlNode::Text(text) => {
            let reads = |written: &str| {
                yaml::parse(&format!("k: {written}")).ok()
                    == Some(YamlNode::Map(vec![("k".to_owned(), node.clone())]))
            };
            let is_plain = !text.contains(['\n', '\r', ':']) && reads(text);
            if is_plain { text.clone() } else { serde_json::Value::from(text.as_str()).to_string() }
        }
        // Values of keys are at most lists and maps of texts.
        YamlNode::Null | YamlNode::List(_) | YamlNode::Map(_) => "null".to_owned(),
    }
}
