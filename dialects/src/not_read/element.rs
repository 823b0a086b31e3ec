//! Files and edits given as elements that models make up: `<file path="src/a.rs">` alone on its line, up to
//! `</file>`; `<modify>` with `<path>` and `<old>` in it.

use memchr::{memchr, memchr_iter, memchr2, memmem};

use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cursor::{Cursor, Line};
use crate::file_name::{FileName, extension_of};
use crate::work;

const MADE_UP_ELEMENTS: [&str; 11] =
    ["file", "document", "code", "edit", "write", "replace", "create", "update", "modify", "change", "patch"];
const LABELS: [&str; 3] = ["xml", "cml", "text"];
const ATTRIBUTES: [&str; 4] = ["path=", "name=", "file=", "filename="];

const PATHS: [&str; 8] =
    ["path", "file", "file_path", "filepath", "filename", "filePath", "target_file", "file_name"];
/// Names of those that give its old text, in addition to those that begin with `old`.
const OLD_TEXT_NAMES: [&str; 5] = ["search", "find", "original", "before", "search_text"];
const LINES: usize = 6;

const MAX_FILE_BYTES: usize = 1 << 20;

pub(super) fn is_label(label: &str) -> bool {
    LABELS.contains(&label)
}

/// The file that the element which begins in `line` gives; `after` follows that line. `false` in `ends` means
/// that the end of one was not found: then the search stops for all later ones, so that the work stays
/// linear.
pub(super) fn file(line: &Line<'_>, after: &Cursor<'_>, ends: &mut bool) -> Option<Candidate> {
    if !*ends {
        return None;
    }
    let text = line.text.trim_ascii();
    let text = text.strip_prefix('<')?;
    let blank = text.bytes().position(|byte| byte == b' ')?;
    let (name, rest) = (&text[..blank], &text[blank + 1..]);
    if !text.ends_with('>') || !is_name(name) {
        return None;
    }
    let value = match MADE_UP_ELEMENTS.contains(&name) {
        true => ATTRIBUTES.iter().find_map(|attribute| rest.strip_prefix(attribute))?,
        // Pages have elements with names, but a block of text with a path is made up.
        false if name.ends_with("Block") || name.ends_with("_block") || name.ends_with("-block") => {
            attributes(&text[..text.len() - 1]).find(|(name, _)| *name == "path" || *name == "file")?.1
        }
        false => return None,
    };
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (path, _) = value[1..].split_once(quote)?;
    let end_tag = format!("</{name}>");
    let path = FileName::quoted(path, path)?.path;
    extension_of(&path)?;
    let start = after.position();
    let rest = &after.text().as_bytes()[start..];
    let length = memmem::find(&rest[..rest.len().min(MAX_FILE_BYTES)], end_tag.as_bytes());
    *ends = length.is_some();
    let end = start + length?;
    Some(Candidate {
        kind: NotReadKind::ToolCall,
        line: line.number,
        path: Some(path.into_owned()),
        wants: Wants::Room,
        shows: Some(start..end),
        hint: "clada does not read files from this element: write the change as an edit block".to_owned(),
    })
}

/// The edit that the element which begins in `line` gives: a path and an old text, each an attribute or an
/// element in it. `after` follows that line.
pub(super) fn edit(line: &Line<'_>, after: &Cursor<'_>) -> Option<Candidate> {
    let text = line.text.trim_ascii();
    let text = text.strip_prefix('<')?;
    let end = memchr(b'>', text.as_bytes())?;
    let (tag, inner) = (&text[..end], &text[end + 1..]);
    let named = tag.bytes().position(|byte| matches!(byte, b' ' | b'\t' | b'/'));
    let name = Some(&tag[..named.unwrap_or(end)]).filter(|name| is_name(name))?;
    let (mut path, mut old) = path_and_old(attributes(tag), |value| {
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        Some(value[1..].split_once(quote).map(|(value, _)| value))
    });
    if path.is_some_and(|path| extension_of(path).is_none()) {
        return None;
    }
    let mut ahead = after.clone();
    let further = std::iter::from_fn(|| ahead.next_line()).map(|line| line.text.trim_ascii());
    let lines = if tag.ends_with('/') { 1 } else { 1 + LINES };
    for (at, line) in std::iter::once(inner).chain(further).take(lines).enumerate() {
        // Without a path among its attributes, it begins with a part of an edit.
        let goes_on = path.is_some() || old || at == 0 && line.is_empty() || begins_with_part(line);
        if !goes_on {
            return None;
        }
        if line.is_empty() {
            continue;
        }
        let (inner_path, inner_old) =
            path_and_old(tags(line), |rest| Some(rest.split_once("</").map(|(text, _)| text.trim())));
        (path, old) = (path.or(inner_path), old || inner_old);
        if path.is_some() && old || tags(line).any(|(tag, _)| tag.strip_prefix('/') == Some(name)) {
            break;
        }
    }
    let path = FileName::quoted(path?, path?).filter(|_| old)?.path;
    extension_of(&path)?;
    Some(Candidate {
        kind: NotReadKind::ToolCall,
        line: line.number,
        path: Some(path.into_owned()),
        wants: Wants::Room,
        shows: None,
        hint: format!(
            "`<{name}>` is not an edit that clada knows: write an edit block, or `<edit_file>` with `<path>`, `<old_string>` and \
             `<new_string>` in it"
        ),
    })
}

fn begins_with_part(line: &str) -> bool {
    let tag = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    tag.is_some_and(|(name, _)| PATHS.contains(&name) || is_old(name))
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.len() <= 40 && name.bytes().all(plain)
}

fn is_old(name: &str) -> bool {
    is_name(name) && name.starts_with("old") || OLD_TEXT_NAMES.contains(&name)
}

// The path that `parts`, names with the text behind them, give, and whether one of them gives an old text. Of
// several paths it is the one whose name is first in [`PATHS`]; of a name its first value counts. `value` is
// `None` if the text behind a name is not a value.
fn path_and_old<'t>(
    parts: impl Iterator<Item = (&'t str, &'t str)>,
    value: impl Fn(&'t str) -> Option<Option<&'t str>>,
) -> (Option<&'t str>, bool) {
    let (mut values, mut old) = ([None; PATHS.len()], false);
    for (name, rest) in parts {
        old = old || is_old(name);
        if let Some(index) = PATHS.iter().position(|path| *path == name)
            && values[index].is_none()
        {
            values[index] = value(rest);
        }
    }
    (values.into_iter().flatten().flatten().next(), old)
}

fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    work::count(tag.len());
    let blanks = tag.bytes().enumerate().filter(|(_, byte)| matches!(byte, b' ' | b'\t'));
    // Tags are short, so no search for long texts is prepared.
    blanks.filter_map(|(blank, _)| {
        let rest = &tag[blank + 1..];
        let end = rest.bytes().position(|byte| matches!(byte, b'=' | b' ' | b'\t'));
        work::count(end.unwrap_or(rest.len()));
        let end = end.filter(|end| rest.as_bytes()[*end] == b'=')?;
        Some((&rest[..end], &rest[end + 1..]))
    })
}

/// The tags of `line`, each from behind its `<` to its `>`, with the text after it. Most lines have none.
fn tags(line: &str) -> impl Iterator<Item = (&str, &str)> {
    work::count(line.len());
    memchr_iter(b'<', line.as_bytes()).filter_map(|at| {
        let rest = &line[at + 1..];
        // A line of nothing but `<` must not be searched from each of them to its end.
        let end = memchr2(b'<', b'>', rest.as_bytes());
        work::count(end.unwrap_or(rest.len()));
        let end = end.filter(|end| rest.as_bytes()[*end] == b'>')?;
        Some((&rest[..end], &rest[end + 1..]))
    })
}
