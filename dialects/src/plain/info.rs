//! Info strings: the language of a fence, and the file that it names.

use super::path::{self, Shape};
use super::piece::Verb;

const ATTRIBUTES: &[&str] =
    &["title", "filename", "file", "path", "filepath", "name", "file_path", "filePath"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Info {
    /// In lower case.
    pub(super) language: String,
    pub(super) path: Option<String>,
    pub(super) sure: bool,
    pub(super) verb: Option<Verb>,
}

pub(super) fn read(info: &str) -> Info {
    let info = info.trim();
    if info.is_empty() || info.len() > 400 {
        return Info::default();
    }
    if let Some(value) = attribute(info) {
        return Info { language: language(info), ..named(value, true) };
    }
    let (first, rest) = match info.find([' ', '\t', ':', '{']) {
        // A drive's letter is no language.
        Some(1) if info[1..].starts_with(':') && info[2..].starts_with(['\\', '/']) => (info, ""),
        Some(at) => (&info[..at], info[at..].trim_matches([' ', '\t', ':', '{', '}', '[', ']'])),
        None => (info, ""),
    };
    let verb = match first {
        "save" | "write" | "create" => Some(Verb::Save),
        "append" => Some(Verb::Append),
        "patch" | "diff" if !rest.is_empty() => Some(Verb::Patch),
        _ => None,
    };
    if let Some(verb) = verb {
        let language = if verb == Verb::Patch { "diff".to_owned() } else { String::new() };
        let read = Info { verb: Some(verb), ..named(rest, true) };
        if read.path.is_some() {
            return Info { language, ..read };
        }
    }
    if let Some(path) = cited(info) {
        return Info { verb: Some(Verb::Cite), ..named(path, true) };
    }
    if rest.is_empty() {
        let alone = named(first, false);
        let is_path =
            alone.sure && (first.contains(['/', '\\']) || crate::file_name::extension_of(first).is_some());
        return if is_path { alone } else { Info { language: language(first), ..Info::default() } };
    }
    let words = rest.split_whitespace().count();
    let behind = named(rest.split_whitespace().next().unwrap_or_default(), false);
    let keep = behind.sure
        || words == 1 && info.contains(':') && behind.path.as_deref().is_some_and(|path| path.contains('/'));
    let behind = if keep { behind } else { Info::default() };
    Info { language: language(info), ..behind }
}

fn language(info: &str) -> String {
    let first = info.split([' ', '\t', ':', '{', ',']).next().unwrap_or_default();
    let is_attribute = first.contains('=');
    if is_attribute { String::new() } else { first.trim_start_matches('.').to_ascii_lowercase() }
}

fn named(text: &str, quoted: bool) -> Info {
    let Some(word) = path::word(text.trim_matches(['"', '\'', '`']), quoted) else { return Info::default() };
    let sure =
        (word.shape == Shape::Path || quoted && word.shape >= Shape::Folders) && path::is_given(&word.path);
    let language = crate::file_name::extension_of(&word.path).unwrap_or_default().to_ascii_lowercase();
    Info { language, sure, path: Some(word.path.into_owned()), verb: None }
}

fn cited(info: &str) -> Option<&str> {
    let (first, rest) = info.split_once(':')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (second, path) = rest.split_once(':')?;
    (number(first) && number(second)).then_some(path)
}

fn attribute(info: &str) -> Option<&str> {
    if !info.contains('=') {
        return None;
    }
    ATTRIBUTES.iter().find_map(|name| {
        let at = info.find(&format!("{name}="))?;
        let alone = info[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let value = &info[at + name.len() + 1..];
        let value = match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            Some(quote) => value[1..].split(quote).next()?,
            None => value.split([' ', '\t', '}', ',']).next()?,
        };
        let value = value.trim();
        let shaped = path::word(value, true).is_some_and(|word| word.shape >= Shape::Folders);
        (alone && shaped).then_some(value)
    })
}
