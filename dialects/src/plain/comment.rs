//! Comments that name the file of a fence, in its first lines.

use std::ops::Range;

use super::language::fits_language;
use super::mention;
use super::path::{self, Shape};
use super::{Group, Place};

const COMMENTS: &[(&str, &str)] = &[
    ("{/*", "*/}"),
    ("/**", "*/"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{#", "#}"),
    ("<%#", "%>"),
    ("{{/*", "*/}}"),
    ("(*", "*)"),
    ("\"\"\"", "\"\"\""),
    ("///", ""),
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
    ("'", ""),
    ("REM ", ""),
    ("rem ", ""),
    ("::", ""),
    ("!", ""),
];
/// The beginnings of first lines behind which the comment may stand.
const BEFORE: &[&str] = &["#!", "<?php", "<?xml", "<!DOCTYPE", "<!doctype", "\"use client\"", "'use client'"];
const REMARK: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Naming {
    pub(super) path: String,
    /// True if it is a path by its shape.
    pub(super) sure: bool,
    pub(super) bytes: Range<usize>,
    pub(super) line: u32,
    pub(super) new: bool,
}

/// Returns the comment in the first lines of `content` that names a file of `language`.
pub(super) fn first(content: &str, language: &str) -> Option<Naming> {
    let added = || first_added(content).filter(|_| language == "diff");
    first_line(content, language).or_else(added)
}

fn first_line(content: &str, language: &str) -> Option<Naming> {
    let mut at = 0;
    for number in 0..2 {
        let rest = &content[at..];
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = &rest[..length];
        if let Some((path, sure, new)) = named(line, language) {
            return Some(Naming { path, sure, bytes: at..at + length, line: number, new });
        }
        if number > 0 || !BEFORE.iter().any(|start| line.starts_with(start)) {
            return None;
        }
        at += length;
    }
    None
}

// The same of a diff that makes a file: of its first line with more than a sign.
fn first_added(content: &str) -> Option<Naming> {
    let mut at = 0;
    for (number, line) in (0..).zip(content.split_inclusive('\n')) {
        if !matches!(line.trim(), "" | "-" | "+") {
            let (path, sure, new) = named(line.strip_prefix('+')?, "")?;
            return Some(Naming { path, sure, bytes: at..at + line.len(), line: number, new });
        }
        at += line.len();
    }
    None
}

/// The path that `line`, a comment, names with at most a remark behind it; whether that is a path by its shape,
/// and whether it is called new.
pub(super) fn named(line: &str, language: &str) -> Option<(String, bool, bool)> {
    let text = line.trim();
    if text.len() > 300 {
        return None;
    }
    let inner = COMMENTS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        let bare = open.starts_with('"') || *open == "//" || *open == "#" || *open == "<!--" || *open == "/*";
        (bare || inner.starts_with([' ', '\t', '=', '-', '*']) || open.ends_with(' ')).then_some(inner)
    })?;
    let inner = inner.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(c, '=' | '-' | '*' | '#' | '/' | '─' | '━') && !inner.trim().starts_with("/")
    });
    let inner = inner.trim();
    let (text, label) = labelled(inner);
    let (word, rest) = text.split_once([' ', '\t', '（', '：']).unwrap_or((text, ""));
    let word = word.trim_matches(['`', '*', '"', '\'', '[', ']']).trim_end_matches([':', ',']);
    let named_path = path::word(word, false)?;
    let remark = rest.trim();
    let few = remark.split_whitespace().count() <= REMARK;
    let starts = remark.is_empty()
        || remark.starts_with(['(', '（', '[', '-', '–', '—', ':', '|', '<', '#', '•', '*', '→', '/'])
        || words_of_remark(remark)
        // "In src/a.js, change:"
        || text.len() < inner.len() && remark.ends_with([':', '：']);
    let sure = named_path.shape == Shape::Path && path::is_given(&named_path.path);
    if !few || !starts || !sure && !label || !fits_language(language, &named_path.path) {
        return None;
    }
    // A second path makes it a sentence.
    if mention::in_line(remark, true).iter().any(|other| other.shape == Shape::Path) {
        return None;
    }
    let new = super::words::is_new(&inner[..inner.len() - text.len()], remark);
    Some((named_path.path.into_owned(), sure, new))
}

/// Returns `text` without the words before its path, and whether they are a label: `File: `, `In `, `New file: `.
fn labelled(text: &str) -> (&str, bool) {
    if let Some((head, rest)) = text.split_once([':', '：'])
        && !head.contains(['/', '.', '\\'])
        && head.split_whitespace().count() <= 3
        && super::words::is_file_label(&format!("{}:", head.split_whitespace().last().unwrap_or(head)))
    {
        return (rest.trim_start(), true);
    }
    for word in [
        "In ",
        "in ",
        "Update ",
        "New file ",
        "File ",
        "Create ",
        "Add to ",
        "Modify ",
        "Updated ",
        "filepath ",
        "FILE ",
        "file ",
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return (rest.trim_start(), false);
        }
    }
    (text, false)
}

fn words_of_remark(remark: &str) -> bool {
    let first = remark.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    ["new", "updated", "modified", "changed", "full", "complete", "final", "continued", "with"]
        .contains(&first.trim_matches(['.', ',']))
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) naming: Naming,
    pub(super) content: String,
    /// The number of its first line, from 0, and of its lines.
    pub(super) line: u32,
    pub(super) length: u32,
}

/// Divides `content`, of a fence in `language`, at the comments that name a file: the first line is one, and
/// others stand at the margin below a blank line, or between rules. Returns fewer than two if it is one file.
pub(super) fn parts(content: &str, language: &str) -> Vec<Part> {
    let mut starts: Vec<(usize, u32, Naming)> = Vec::new();
    let (mut at, mut number, mut blank) = (0, 0_u32, true);
    for line in content.split_inclusive('\n') {
        let begins = line.bytes().next().is_some_and(|byte| {
            matches!(byte, b'/' | b'#' | b'<' | b'-' | b';' | b'%' | b'\'' | b'"' | b'{' | b'(')
        });
        // Headings of Markdown look like comments.
        let is_heading = matches!(language, "markdown" | "md") && line.starts_with("##");
        let name = if begins && !is_heading { named(line, language) } else { None };
        if (blank || is_ruled(line))
            && let Some((path, true, new)) = name.or_else(|| divider(line, language))
            && starts.last().is_none_or(|(_, _, last)| last.path != path)
        {
            starts.push((at, number, Naming { path, sure: true, bytes: 0..line.len(), line: 0, new }));
        }
        // Every file of a fence has its comment, the first one too.
        if starts.is_empty() && !line.trim().is_empty() {
            return Vec::new();
        }
        blank = line.trim().is_empty();
        at += line.len();
        number = number.saturating_add(1);
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(at, _, _)| *at).chain([content.len()]).collect();
    let part = |((start, line, naming), end): ((usize, u32, Naming), usize)| {
        let text = content[start..end].trim_end_matches(['\n', ' ', '\t']);
        let text = format!("{text}\n");
        let length = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        Part { naming, content: text, line, length }
    };
    starts.into_iter().zip(ends).map(part).collect()
}

// The path of a line that divides the files of a fence without a language, in other signs than a comment's:
// `==> a.py <==`, `*** a.py ***`, `[a.py]`, `a.py:`.
fn divider(line: &str, language: &str) -> Option<(String, bool, bool)> {
    const SIGNS: &[(&str, &str)] = &[("==>", "<=="), ("***", "***"), ("==", "=="), ("[", "]"), ("", ":")];
    let text = line.trim_end();
    if !language.is_empty() || text.len() > 200 {
        return None;
    }
    let inner = SIGNS.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))?;
    let inner = inner.trim_matches(['=', '*', ' ']);
    let word =
        path::word(inner, false).filter(|word| word.shape == Shape::Path && path::is_given(&word.path))?;
    Some((word.path.into_owned(), true, false))
}

/// Returns true if rules stand before and behind the words of `line`: `--- a.py ---`, `# === a.py ===`.
fn is_ruled(line: &str) -> bool {
    let text = line.trim().trim_start_matches(['/', '#', ' ']);
    ["---", "==="].iter().any(|rule| text.starts_with(rule) && text.ends_with(rule))
}

pub(super) fn group(naming: &Naming, line: u32) -> Group {
    Group { new: naming.new, ..Group::of(Place::Comment, line, naming.path.clone(), naming.sure) }
}
