//! Elements of chat apps and builders that hold a file: `<file path="a.py">`, `<boltAction type="file" …>`.
//!
//! One closed table, with or without CDATA and a fence inside. Reads at a line that begins with `<`.

use memchr::memmem;

use super::path::{self, Shape};
use super::{Candidate, Form, Group, Place};
use crate::fence::Fence;

/// What an element does with its file.
#[derive(Debug, Clone, Copy)]
enum Act {
    Write,
    Delete,
    /// Moves it to the path in one of these attributes.
    Move(&'static [&'static str]),
}

/// An element: its name, the attributes that may be its path, what it does, an attribute that it must have.
struct Element {
    name: &'static str,
    paths: &'static [&'static str],
    act: Act,
    must: Option<(&'static str, &'static str)>,
}

const fn write(name: &'static str, paths: &'static [&'static str]) -> Element {
    Element { name, paths, act: Act::Write, must: None }
}

const ELEMENTS: &[Element] = &[
    write("file", &["path", "name", "filename", "file_path"]),
    write("codeblock", &["path", "file", "filename", "name"]),
    write("create_file", &["path", "file_path", "filename", "name"]),
    write("write_file", &["path", "file_path", "filename"]),
    write("write_to_file", &["path", "file_path", "filename"]),
    write("antArtifact", &["title", "identifier"]),
    write("artifact", &["path", "title", "name", "identifier"]),
    write("immersive", &["path", "title", "name"]),
    write("canvas", &["path", "title", "name"]),
    write("code_file", &["path", "name", "filename"]),
    write("new_file", &["path", "name", "filename"]),
    write("source_file", &["path", "name", "filename"]),
    Element { name: "boltAction", paths: &["filePath"], act: Act::Write, must: Some(("type", "file")) },
    write("dyad-write", &["path"]),
    Element { name: "dyad-delete", paths: &["path"], act: Act::Delete, must: None },
    Element { name: "dyad-rename", paths: &["from"], act: Act::Move(&["to"]), must: None },
    write("lov-write", &["file_path", "path"]),
    Element { name: "lov-delete", paths: &["file_path", "path"], act: Act::Delete, must: None },
    Element {
        name: "lov-rename",
        paths: &["original_file_path", "from"],
        act: Act::Move(&["new_file_path", "to"]),
        must: None,
    },
];
// Elements that give a path and a text in the place of attributes.
const PATHS: &[&str] = &["path", "file_path", "filepath", "filename", "file_name", "name"];
const CONTENTS: &[&str] = &["content", "contents", "code", "source", "file_content"];
/// Elements without attributes that hold the file named in the line above.
const BARE: &[&str] = &["source", "code", "pre", "sourcecode"];

#[derive(Debug)]
pub(super) struct LocatedElement {
    pub(super) candidate: Candidate,
    pub(super) end: usize,
}

/// Tags that are not closed anywhere behind some place: so that each is sought once.
#[derive(Debug, Default)]
pub(super) struct Unclosed(Vec<&'static str>);

pub(super) fn may_begin(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).strip_prefix('<').and_then(named).is_some()
}

fn named(tag: &str) -> Option<&'static str> {
    let end = tag.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')));
    let name = &tag[..end.unwrap_or(tag.len())];
    let rows = ELEMENTS.iter().map(|row| row.name);
    rows.chain(BARE.iter().copied()).find(|known| *known == name)
}

/// Reads the element that begins at byte `start` of `text`, in line `line`; `above` is the line above.
pub(super) fn read(
    text: &str,
    start: usize,
    line: u32,
    above: Option<&str>,
    unclosed: &mut Unclosed,
) -> Option<LocatedElement> {
    let rest = &text[start..];
    let tag_start = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let tag = rest[tag_start..].strip_prefix('<')?;
    let name = named(tag)?;
    // Its end was sought before.
    if unclosed.0.contains(&name) {
        return None;
    }
    let row = ELEMENTS.iter().find(|row| row.name == name);
    let limit = tag.len().min(1_000);
    let close = tag.as_bytes()[..limit].iter().position(|byte| *byte == b'>')?;
    let inner = &tag[name.len()..close];
    let behind = &tag[close + 1..];
    // A page has its code in one element in another.
    let in_page = row.is_none() && name == "pre" && behind.starts_with("<code");
    let (path, act) = match row {
        None => {
            let is_bare = inner.trim().is_empty() && behind.starts_with(['\n', '\r']);
            if !is_bare && !in_page {
                return None;
            }
            let path = alone(above?)?;
            (path, Act::Write)
        }
        Some(row) => {
            if row.must.is_some_and(|(name, value)| attribute(inner, name) != Some(value)) {
                return None;
            }
            let named = row.paths.iter().filter_map(|name| attribute(inner, name));
            let named = named.chain(child(behind, PATHS).map(|(path, _)| path));
            let value = named.into_iter().find(|value| is_path(value))?;
            (path::word(value, true)?.path.into_owned(), row.act)
        }
    };
    let content_start = start + tag_start + 1 + close + 1;
    let (content_end, end, closed) = if inner.ends_with('/') {
        (content_start, content_start, true)
    } else {
        extent(text, content_start, name, unclosed)?
    };
    let raw = &text[content_start..content_end];
    let form = match act {
        Act::Write => Form::Code,
        Act::Delete => Form::Delete,
        Act::Move(to) => {
            let to = to.iter().find_map(|name| attribute(inner, name))?;
            let to = path::word(to, true).filter(|to| path::is_given(&to.path))?;
            Form::Move { to: to.path.into_owned() }
        }
    };
    let (content, language) = match (&form, child(raw, PATHS)) {
        (Form::Code, Some((_, end))) if row.is_some() => content(parent_content(&raw[end..])?),
        (Form::Code, _) if in_page => content(&of_page(raw)?),
        (Form::Code, _) => content(raw),
        _ => (String::new(), String::new()),
    };
    if form == Form::Code && content.trim().is_empty() {
        return None;
    }
    let count = text[start..end].matches('\n').count();
    let last = line.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    let (place, at) =
        if row.is_none() { (Place::Label, line.saturating_sub(1)) } else { (Place::Info, line) };
    let sure = path::is_given(&path);
    let group = Group::of(place, at, path, sure);
    let candidate =
        Candidate { language, content, closed, ..Candidate::of(line..last.saturating_add(1), form, group) };
    Some(LocatedElement { candidate, end })
}

/// The elements in `content`, of a fence whose content begins in line `line`; none if anything but elements
/// and their wrappers stands in it.
pub(super) fn in_fence(content: &str, line: u32) -> Vec<Candidate> {
    let (mut candidates, mut at, mut number, mut unclosed) = (Vec::new(), 0, line, Unclosed::default());
    while at < content.len() && candidates.len() < 1_000 {
        let rest = &content[at..];
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let text = rest[..length].trim();
        if text.starts_with('<')
            && let Some(LocatedElement { candidate, end }) = read(content, at, number, None, &mut unclosed)
        {
            candidates.push(candidate);
            let behind = content[end..].find('\n').map_or(content.len(), |line| end + line + 1);
            number = number
                .saturating_add(u32::try_from(content[at..behind].matches('\n').count()).unwrap_or(u32::MAX));
            at = behind;
            continue;
        }
        let is_wrapper = text.starts_with('<') && text.ends_with('>');
        if !text.is_empty() && !is_wrapper {
            return Vec::new();
        }
        at += length;
        number = number.saturating_add(1);
    }
    candidates
}

// The text of the element at the beginning of `text` that has one of `names`, and the byte behind it.
fn child<'t>(text: &'t str, names: &[&str]) -> Option<(&'t str, usize)> {
    let start = text.len() - text.trim_start().len();
    let (name, rest) = text[start..].strip_prefix('<')?.split_once('>')?;
    if !names.contains(&name) || rest.len() < name.len() {
        return None;
    }
    let (value, _) = rest[..rest.floor_char_boundary(1_000)].split_once("</")?;
    let end = text.len() - rest.len() + value.len() + name.len() + "</>".len();
    (end <= text.len()).then_some((value.trim(), end))
}

fn parent_content(text: &str) -> Option<&str> {
    let text = text.trim();
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let inner = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    CONTENTS.contains(&name).then_some(inner)
}

// The text of code in a page, `<code class="x">…</code>`.
fn of_page(raw: &str) -> Option<String> {
    let (_, inner) = raw.trim_end().strip_suffix("</code>")?.split_once('>')?;
    let text =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
            .iter()
            .fold(inner.to_owned(), |text, (name, sign)| text.replace(name, sign));
    (!text.contains("<span")).then_some(text)
}

fn is_path(value: &str) -> bool {
    path::word(value, true).is_some_and(|word| word.shape >= Shape::Folders)
}

fn alone(line: &str) -> Option<String> {
    let text = line.trim();
    // `<p>a.py</p>`, `<h3><code>a.py</code></h3>`
    let text = if text.starts_with('<') { text.rsplit("</").last()?.rsplit('>').next()? } else { text };
    let text = text.trim_matches(['`', '*', '#', ':', ' ', '"']);
    let word = path::word(text, true).filter(|word| word.shape == Shape::Path)?;
    Some(word.path.into_owned())
}

/// The end of the content that begins at `start`, the byte behind the closing tag, and whether there is one.
fn extent(
    text: &str,
    start: usize,
    name: &'static str,
    unclosed: &mut Unclosed,
) -> Option<(usize, usize, bool)> {
    let tag = format!("</{name}>");
    let rest = &text.as_bytes()[start..];
    let offset = memmem::find(rest, tag.as_bytes());
    crate::work::count(offset.unwrap_or(rest.len()));
    let Some(at) = offset else {
        unclosed.0.push(name);
        return None;
    };
    Some((start + at, start + at + tag.len(), true))
}

/// The text of `raw`, without CDATA and a fence around it, and the language of that.
fn content(raw: &str) -> (String, String) {
    let text = raw.strip_prefix('\n').or_else(|| raw.strip_prefix("\r\n")).unwrap_or(raw);
    let bare = text.trim();
    let text = match bare.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>")) {
        Some(inner) => inner.strip_prefix('\n').unwrap_or(inner),
        None => text,
    };
    let (text, language) = unfenced(text).unwrap_or_else(|| (text, String::new()));
    let mut text = text.replace("\r\n", "\n");
    // The blanks before a closing tag are no line.
    let end = text.trim_end_matches([' ', '\t']).len();
    text.truncate(end);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    (text, language)
}

/// The content of the fence that is all of `text`, and its language.
fn unfenced(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    let (first, rest) = text.split_once('\n')?;
    let (fence, info) = Fence::read(first)?;
    let (body, last) = rest.rsplit_once('\n')?;
    fence.closes_at(last).then(|| (&rest[..body.len() + 1], super::info::read(info).language))
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some(at) = rest.find(name) {
        let alone = rest[..at].chars().next_back().is_none_or(|c| c.is_whitespace());
        let behind = &rest[at + name.len()..];
        if alone && let Some(value) = behind.trim_start().strip_prefix('=') {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            return value[1..].split_once(quote).map(|(value, _)| value);
        }
        rest = behind;
    }
    None
}
