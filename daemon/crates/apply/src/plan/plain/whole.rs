//! Decides whether code of an answer is the whole of a file that exists, or a part of it (spec: plain, section
//! 4).
//!
//! ````text
//! file            answer          whole: begins as the file does, has its definitions, ends as it does
//! import os       import os
//! def a(): …      def a(): …
//! def b(): …      def b(): new
//! ````
//!
//! Pure. Words of the answer never decide.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use clada_merge::{ends_in_string, is_of_document, line_with_dots_in_brackets, open_brackets, open_tags};

use super::heads::{all_definitions, definitions, is_header};
use super::new_file::CODE;
use crate::plan::guard::{elision, extension};

/// Lines of a file that is so small that a listing of no fewer lines is all of it.
const SMALL: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeExtent {
    Same,
    /// Lines that stand in the file in a row: it quotes the file.
    Quotation,
    Whole,
    /// A part of it. With the line that stands for others, if there is one.
    Part(Option<String>),
    /// It ends before the file's text does. With its last line.
    CutOff(String),
}

/// Returns what `new` is of `old`, the text of the file at `path`; `closed` if its fence was.
pub(super) fn extent(old: &str, new: &str, path: &str, closed: bool) -> CodeExtent {
    // Lines may end with a return alone.
    let with_feeds =
        if old.contains('\n') { Cow::Borrowed(old) } else { Cow::Owned(old.replace('\r', "\n")) };
    let old = &*with_feeds;
    let (old_lines, new_lines) = (lines(old), lines(new));
    if old_lines == new_lines {
        return CodeExtent::Same;
    }
    // What begins and ends as the file does is all of it, however much of the file it leaves out.
    let is_framed = old_lines.first() == new_lines.first() && old_lines.last() == new_lines.last();
    if !is_framed && stands_in_a_row(&old_lines, &new_lines) {
        return CodeExtent::Quotation;
    }
    if quotes_parts(&old_lines, &new_lines) {
        return CodeExtent::Quotation;
    }
    let elided =
        elision::elided(old, new, Path::new(path)).filter(|elided| elided.is_certain || elided.is_words);
    // A marker at the end leaves out what closes the brackets, too.
    let ends_elided = elided.is_some() && clada_dialects::elision(last_line(new).trim()).is_some();
    if !(closed && ends_elided)
        && let Some(last) = cut_off(old, new, path, closed)
    {
        return CodeExtent::CutOff(last);
    }
    if let Some(elided) = elided {
        return CodeExtent::Part(Some(elided.text));
    }
    if !is_whole(old, new, path) || line_with_dots_in_brackets(old, new, file_name(path)).is_some() {
        return CodeExtent::Part(None);
    }
    // "# and so on": who writes all of a file explains what is there, not what is gone.
    match elision::comment_for_code(old, new, Path::new(path)) {
        // Documentation stands for nothing.
        Some(comment) if ["///", "//!"].iter().any(|sign| comment.trim_start().starts_with(sign)) => {
            CodeExtent::Part(None)
        }
        Some(comment) => CodeExtent::Part(Some(comment)),
        None => CodeExtent::Whole,
    }
}

/// Returns the last line of `new`, all of a new file at `path`, if its fence was not closed, or it ends inside brackets.
pub(super) fn new_is_cut_off(new: &str, path: &str, closed: bool) -> Option<String> {
    // What is deeper than the margin goes on: that the brackets are counted wrongly is no reason to refuse.
    let ends_inside = || {
        let last = new.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        last.starts_with([' ', '\t']) || last.ends_with(['{', '(', '[', ','])
    };
    let is_code = TextSyntax::of(path) == TextSyntax::Code;
    // A bare fence within the fence of a document ended that.
    let leads_on = || {
        let is_document = [".md", ".mdx", ".markdown"].iter().any(|end| path.ends_with(end));
        is_document && new.trim_end().ends_with([':', '：'])
    };
    // A fence within a string or a heredoc ended the one around it.
    let ends_in_text = || ends_in_string(new, path);
    (!closed
        || leads_on()
        || is_code
            && (open_brackets(new, path) > 0 && ends_inside()
                || ends_in_text()
                || ends_in_word("", new, path)))
    .then(|| last_line(new))
}

// Returns true if `new` is `old` without its first lines, and is at least half of it: all of the file, less what stood above.
pub(super) fn lacks_beginning(old: &str, new: &str) -> bool {
    let (old, new) = (lines(old), lines(new));
    let Some(first) = old.len().checked_sub(new.len()).filter(|first| *first > 0) else { return false };
    let is_margin = |line: &&str| !line.starts_with([' ', '\t', '}', ')', ']']);
    2 * new.len() >= old.len() && old[first..] == new[..] && new.first().is_some_and(is_margin)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextSyntax {
    Code,
    Markup,
    /// Nothing: brackets and quotes are signs of its language.
    Prose,
}

impl TextSyntax {
    fn of(path: &str) -> TextSyntax {
        match &*extension(Path::new(path)) {
            "html" | "htm" | "xhtml" | "vue" | "svelte" | "astro" | "xml" | "svg" | "hbs" | "jinja"
            | "jinja2" | "j2" | "njk" | "twig" | "liquid" | "xaml" | "axaml" | "csproj" | "fsproj"
            | "vbproj" | "props" | "targets" | "resx" => TextSyntax::Markup,
            "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc" | "tex" => TextSyntax::Prose,
            _ => TextSyntax::Code,
        }
    }
}

/// Returns true if `new` lacks a part of a component that `old` has at its outermost level: its script, say.
fn lacks_section(old: &str, new: &str, path: &str) -> bool {
    const SECTIONS: [&str; 3] = ["<template", "<script", "<style"];
    let has = |text: &str, section: &str| text.lines().any(|line| line.starts_with(section));
    let lacks = |section: &&str| has(old, section) && !has(new, section);
    path.ends_with(".vue") && SECTIONS.iter().any(lacks)
        || path.ends_with(".svelte") && (SECTIONS[1..].iter().any(lacks) || has_page(old) && !has_page(new))
}

// Returns true if a component of Svelte has more than its script and its style.
fn has_page(text: &str) -> bool {
    let mut inside: Option<&str> = None;
    text.lines().any(|line| {
        if let Some(end) = inside {
            inside = (!line.starts_with(end)).then_some(end);
            return false;
        }
        let block =
            [("<script", "</script"), ("<style", "</style")].into_iter().find(|one| line.starts_with(one.0));
        inside = block.map(|(_, end)| end).filter(|end| !line.contains(end));
        block.is_none() && !line.trim().is_empty()
    })
}

// Returns the line of `old` before which `new` stops: `new` is the beginning of `old` up to one of its definitions, and has
// nothing of those behind it. Who shows the functions that change often stops before the others.
//
// ```text
// file           shown: stops early      shown: all of it, `price` is not needed any more
// def hours      def hours (changed)     def hours (with the lines of `price`)
// def price      def days                def total
// def days
// def total
// ```
fn early_end(old: &str, new: &str, path: &str) -> Option<usize> {
    let (is_sql, is_python) = (path.ends_with(".sql"), path.ends_with(".py"));
    let has_sections =
        ["toml", "ini", "cfg", "conf", "properties", "env"].contains(&&*extension(Path::new(path)));
    let lines: Vec<&str> = old.lines().collect();
    let begins = |lines: &[&str], at: usize| -> Option<String> {
        let line = lines[at];
        // A statement of SQL has no name but the comment above it.
        if is_sql {
            let above = lines[..at].iter().rfind(|line| !line.trim().is_empty() && !line.starts_with("--"));
            let is_first = above.is_none_or(|line| line.trim_end().ends_with(';'));
            let remark = lines[..at].last().filter(|line| line.starts_with("--")).unwrap_or(&line);
            return (is_first && line.starts_with(char::is_alphabetic)).then(|| remark.trim().to_owned());
        }
        if is_python && line.starts_with("if __name__") {
            return Some("__main__".to_owned());
        }
        // A value may go alone, without its section.
        let is_value = |one: &str| one.starts_with("= ") || has_sections && !one.starts_with('[');
        definitions(line, path).pop().filter(|one| !is_value(one))
    };
    let heads = |lines: &[&str]| -> Vec<(usize, String)> {
        (0..lines.len()).filter_map(|at| Some((at, begins(lines, at)?))).collect()
    };
    let shown: Vec<&str> = new.lines().collect();
    let (had, has) = (heads(&lines), heads(&shown));
    let is_shown = |one: &(usize, String)| has.iter().any(|other| other.1 == one.1);
    let last = had.iter().rposition(is_shown)?;
    let (tail, _) = had.get(last + 1)?;
    let is_beginning = has.last().is_some_and(|one| one.1 == had[last].1)
        && has.iter().all(|one| had.iter().any(|other| other.1 == one.1))
        && 2 * (last + 1) >= had.len();
    let tells = |line: &&&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 3;
    let rest: HashSet<&str> = lines[..*tail].iter().map(|line| line.trim()).collect();
    let trimmed: HashSet<&str> = shown.iter().map(|line| line.trim()).collect();
    let is_gone = |line: &&str| !trimmed.contains(line.trim());
    // What the lines in front used, and use no more, is not needed.
    let words = |lines: &[&str]| -> HashSet<String> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        lines.iter().flat_map(|line| line.split(|c| !is_word(c))).map(str::to_owned).collect()
    };
    let (used, uses) = (words(&lines[..*tail]), words(&shown));
    let is_needless = |(_, one): &(usize, String)| {
        let name = one.rsplit([' ', ':', '.']).next().unwrap_or_default();
        !is_sql && used.contains(name) && !uses.contains(name)
    };
    // A listing without anything new shows that the rest goes, or shows nothing.
    let known: HashSet<&str> = lines.iter().map(|line| line.trim()).collect();
    let has_news = shown.iter().filter(tells).any(|line| !known.contains(line.trim()));
    let stops = is_beginning
        && has_news
        && !had[last + 1..].iter().any(is_needless)
        && lines[*tail..].iter().filter(tells).filter(|line| !rest.contains(line.trim())).all(is_gone);
    stops.then_some(*tail)
}

// Returns true if `new` is all of `old` but for its end, and the answer removes every definition there by its name.
pub(super) fn lacks_removed(old: &str, new: &str, path: &str, removed: &[String]) -> bool {
    let Some(end) = early_end(old, new, path) else { return false };
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let is_removed = |definition: &String| {
        let name = definition.rsplit([' ', ':', '.']).next().unwrap_or_default();
        removed.iter().any(|other| other == name)
    };
    let (beginning, rest) = (lines[..end].concat(), lines[end..].concat());
    let names = definitions(&rest, path);
    !names.is_empty()
        && names.iter().all(is_removed)
        && extent(&beginning, new, path, true) == CodeExtent::Whole
}

// Returns true if `#` begins a directive in a file at `path`, and no comment.
fn has_directives(path: &str) -> bool {
    ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "m", "mm", "ino"].contains(&&*extension(Path::new(path)))
}

// Returns true if `new` lacks the last section of `old` with all of its lines: one of settings, or a rule of a style sheet.
// Who shows a file of them often leaves the last ones out.
fn lacks_last_sections(old: &[String], new: &[String], path: &str) -> bool {
    let ending = extension(Path::new(path));
    let is_style = ["css", "scss", "less"].contains(&&*ending);
    let is_section = |line: &str| match is_style {
        true => line.ends_with('{'),
        false => line.starts_with('[') && line.ends_with(']') && !line.contains([',', '"']),
    };
    if !is_style && !["toml", "ini", "cfg", "editorconfig", "gitconfig"].contains(&&*ending) {
        return false;
    }
    let Some(at) = old.iter().rposition(|line| is_section(line)) else { return false };
    let tells = |line: &&String| line.chars().filter(|c| c.is_alphanumeric()).count() > 3;
    let heads = || old.iter().filter(|line| is_section(line));
    let shown = heads().filter(|line| new.contains(line)).count();
    let is_shown = |line: &String| (tells(&line) || is_section(line)) && new.contains(line);
    2 * shown >= heads().count() && at > 0 && !old[at..].iter().any(is_shown)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_whole(old: &str, new: &str, path: &str) -> bool {
    let lines_of = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let (old_told, new_told) = (lines_of(old), lines_of(new));
    // Other definitions than the file's stand beside those; a variable may go with the lines that used it.
    let has_others = || {
        let (had, has) = (definitions(old, path), definitions(new, path));
        let tells = |line: &&String| line.chars().filter(|c| c.is_alphanumeric()).count() > 3;
        let shares = old_told.iter().filter(tells).any(|line| new_told.contains(line));
        let mut lost = had.iter().filter(|one| !has.contains(one));
        lost.any(|one| !shares || !one.starts_with("= ")) && has.iter().any(|one| !had.contains(one))
    };
    if old_told.is_empty() || old_told.len() <= SMALL && new_told.len() >= old_told.len() && !has_others() {
        return true;
    }
    if is_page(&old_told) && is_page(&new_told) && new_told.len() * 4 >= old_told.len() {
        return true;
    }
    if !begins_alike(&old_told, &new_told, path)
        || lacks_section(old, new, path)
        || lacks_last_sections(&old_told, &new_told, path)
        || early_end(old, new, path).is_some()
        || is_of_document(old, new, file_name(path))
        || !defines_alike(old, new, path)
    {
        return false;
    }
    let counts = |all: &[String]| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        all.iter().for_each(|line| *counts.entry(line.clone()).or_default() += 1);
        counts
    };
    let (of_old, of_new) = (counts(&old_told), counts(&new_told));
    let shared: usize =
        of_old.iter().map(|(line, count)| (*count).min(of_new.get(line).copied().unwrap_or(0))).sum();
    let stands = shared * 2 >= old_told.len();
    let is_own = new_told.len() * 2 >= old_told.len() && shared * 3 >= new_told.len();
    if !stands && !is_own && !is_rewritten(old, new, path) {
        return false;
    }
    let ends_alike = old_told.last() == new_told.last();
    ends_alike || !only_leaves_out(&old_told, &new_told)
}

// Returns true if `lines` are all of a page, from its type to its end.
fn is_page(lines: &[String]) -> bool {
    begins_page(lines) && lines.last().is_some_and(|line| line.eq_ignore_ascii_case("</html>"))
}

fn begins_page(lines: &[String]) -> bool {
    lines.first().is_some_and(|line| line.to_ascii_lowercase().starts_with("<!doctype"))
}

/// Returns true if the first line of code is the same, or both begin with imports or heads. Prose has none of these: one of
/// its first lines is the same.
fn begins_alike(old: &[String], new: &[String], path: &str) -> bool {
    if TextSyntax::of(path) == TextSyntax::Prose && old.last() == new.last() {
        let first: HashSet<&String> = old.iter().take(SMALL).collect();
        return new.iter().take(SMALL).any(|line| first.contains(line));
    }
    if begins_page(old) && !begins_page(new) {
        return false;
    }
    // A guard may become a pragma; a header without either is a part of one.
    let is_guarded = |all: &[String]| {
        all.iter()
            .take(SMALL)
            .any(|line| ["#ifndef ", "#pragma once"].iter().any(|word| line.starts_with(word)))
    };
    if is_guarded(old) && !is_guarded(new) {
        return false;
    }
    let is_style = ["css", "scss", "less"].contains(&&*extension(Path::new(path)));
    let is_directive = |line: &str| line.starts_with('#') && has_directives(path);
    let is_comment = |line: &str| {
        let signs = ["//", "/*", "*", "#", "<!--", "--", "\"\"\""];
        !is_directive(line) && signs.iter().any(|sign| line.starts_with(sign))
    };
    let first = |all: &[String]| all.iter().find(|line| !is_comment(line)).cloned();
    // A rule may get further selectors.
    let selector = |all: &[String]| {
        let line = first(all).filter(|line| is_style && line.ends_with(['{', ',']))?;
        line.split([',', '{']).next().map(|selector| selector.trim().to_owned())
    };
    let is_same_rule = || selector(old).is_some() && selector(old) == selector(new);
    let same_first = old.first() == new.first() || first(old) == first(new) || is_same_rule();
    let header =
        |all: &[String]| first(all).or_else(|| all.first().cloned()).is_some_and(|line| is_header(&line));
    same_first || header(old) && header(new)
}

// Returns true if `new` has every definition of `old`, members too, every other line that nothing holds, and is
// no shorter: however few of the lines stay, nothing that the file does is left out.
fn is_rewritten(old: &str, new: &str, path: &str) -> bool {
    let (had, has) = (all_definitions(old, path), all_definitions(new, path));
    let stands_alone = |line: &&str| {
        let line = *line;
        !line.starts_with([' ', '\t', '}', ')', ']', '#', '/', '*', '"', '\'', '@'])
            && !line.is_empty()
            && !is_header(line)
            && definitions(line, path).is_empty()
    };
    let counts = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    had.len() > 1
        && had.iter().all(|one| has.contains(one))
        && definitions(old, path).iter().all(|one| definitions(new, path).contains(one))
        && counts(new) >= counts(old)
        && old.lines().filter(stands_alone).all(|line| new.lines().any(|other| other == line))
}

/// Returns true if `new` has the definitions of `old` but for a quarter, or as many new ones as go.
fn defines_alike(old: &str, new: &str, path: &str) -> bool {
    let (had, has) = (definitions(old, path), definitions(new, path));
    let (had_set, has_set): (HashSet<&String>, HashSet<&String>) =
        (had.iter().collect(), has.iter().collect());
    let missing = had_set.difference(&has_set).count();
    // A member shown alone is not a new definition of the file.
    let members = all_definitions(old, path);
    let more = has_set.difference(&had_set).filter(|one| !members.contains(**one)).count();
    missing * 4 <= had_set.len() || more >= missing
}

fn only_leaves_out(old: &[String], new: &[String]) -> bool {
    let mut rest = old.iter();
    new.iter().all(|line| rest.any(|other| other == line))
}

/// Returns the lines of a text, without blanks at their ends, and blank ones at its ends.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..blank);
    lines
}

fn stands_in_a_row(old: &[&str], new: &[&str]) -> bool {
    if new.is_empty() || new.len() > old.len() {
        return new.is_empty();
    }
    let stands = |is_same: fn(&[&str], &[&str]) -> bool| {
        let first = new[0].trim_start();
        let places = old[..=old.len() - new.len()].iter().enumerate();
        // A line that repeats very often is compared at its first places alone.
        let mut starts = places.filter(|(_, line)| line.trim_start() == first).take(1_000);
        starts.any(|(at, _)| is_same(&old[at..at + new.len()], new))
    };
    stands(|old, new| old == new) || new.len() * 2 < old.len() && stands(nest_alike)
}

/// Returns true if the lines of both texts are the same and nest in the same way, whatever blanks stand before them.
/// The first line of code is often copied without its indentation.
///
/// ````text
/// file            quotes it     changes it
///     if a:       if a:         if a:
///         b()       b()             b()
///     c()         c()               c()
/// ````
fn nest_alike(old: &[&str], new: &[&str]) -> bool {
    let depth = |line: &str| {
        let blanks = line.len() - line.trim_start().len();
        line[..blanks].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>()
    };
    let shown = old.iter().zip(new).filter(|(one, other)| !one.is_empty() || !other.is_empty());
    let depths: Vec<(usize, usize)> = shown.map(|(one, other)| (depth(one), depth(other))).collect();
    let are_same = old.len() == new.len()
        && old.iter().zip(new).all(|(one, other)| one.trim_start() == other.trim_start());
    let maps = |depths: &[(usize, usize)]| {
        let mut sorted = depths.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
    };
    let is_first_cut = || {
        depths.first().is_some_and(|first| first.1 == 0)
            && depths[1..].iter().all(|(one, other)| one == other)
    };
    are_same && (maps(&depths) || is_first_cut())
}

/// Returns true if `new` leaves lines out, and what it shows stands in `old` one behind the other: it has
/// nothing new. Blank lines do not count.
fn quotes_parts(old: &[&str], new: &[&str]) -> bool {
    let is_shown = |line: &&&str| !line.trim().is_empty();
    let old: Vec<&str> = old.iter().filter(is_shown).copied().collect();
    let (mut at, mut is_elided, mut has_elisions) = (0, true, false);
    let (mut of_old, mut of_new) = (Vec::new(), Vec::new());
    let mut lines = new.iter().filter(is_shown).copied();
    let is_quoted = lines.all(|line| {
        let ahead = &old[at..];
        let reach = if is_elided { ahead } else { &ahead[..ahead.len().min(1)] };
        if let Some(behind) = reach.iter().position(|other| other.trim() == line.trim()) {
            of_old.push(reach[behind]);
            of_new.push(line);
            (at, is_elided) = (at + behind + 1, false);
            return true;
        }
        is_elided = clada_dialects::elision(line.trim()).is_some();
        has_elisions |= is_elided;
        is_elided
    });
    is_quoted && has_elisions && nest_alike(&of_old, &of_new)
}

/// Returns the last line of `new` if its fence was not closed, or it ends inside a bracket or element that `old` closes.
fn cut_off(old: &str, new: &str, path: &str, closed: bool) -> Option<String> {
    let is_open = match TextSyntax::of(path) {
        TextSyntax::Prose => false,
        TextSyntax::Markup => {
            let is_left_open = open_tags(new).values().any(|count| *count > 0);
            return (!closed || is_left_open && open_tags(old).is_empty()).then(|| last_line(new));
        }
        TextSyntax::Code => open_brackets(new, path) > 0 && open_brackets(old, path) == 0,
    };
    let last = last_line(new);
    if ends_in_string(new, path) && !ends_in_string(old, path) || ends_in_word(old, new, path) {
        return Some(last);
    }
    // A head of Python without its body.
    if matches!(&*extension(Path::new(path)), "py" | "pyi") && last.ends_with(':') && !last.starts_with('#') {
        return Some(last);
    }
    // What goes on behind an open bracket that is closed elsewhere is odd code, and no cut.
    let ends_open = is_open
        && !last.trim().starts_with(['}', ')', ']'])
        && !last.trim_end().ends_with(['}', ';', ')', ']']);
    (!closed || ends_open || is_open && last.trim_end().ends_with(['{', '(', '[', ','])).then_some(last)
}

// Returns true if `new` ends with the bare beginning of a name that stands in a line of it or of `old`, and nowhere alone:
// brackets may be closed by chance where a listing is cut off.
//
// ```text
// input.focus();                  input.focus();
// inp             cut off         focus           a name of its own
// ```
fn ends_in_word(old: &str, new: &str, path: &str) -> bool {
    const STATEMENTS: [&str; 6] = ["end", "pass", "break", "continue", "return", "else"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = new.trim_end();
    let (above, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let last = last.trim();
    let name = last.rsplit('.').next().unwrap_or(last);
    if !CODE.contains(&&*extension(Path::new(path)))
        || name.is_empty()
        || !last.starts_with(|c: char| c.is_alphabetic() || c == '_')
        || !last.chars().all(|c| is_word(c) || c == '.')
        || STATEMENTS.contains(&last)
    {
        return false;
    }
    let lines = || above.lines().chain(old.lines());
    let goes_on =
        |line: &str| line.trim_start().strip_prefix(last).is_some_and(|rest| rest.starts_with(is_word));
    let stands_alone = |line: &str| line.split(|c| !is_word(c)).any(|word| word == name);
    lines().any(goes_on) && !lines().any(stands_alone)
}

pub(super) fn last_line(text: &str) -> String {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .chars()
        .take(100)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n    print(2)\n\n\ndef c():\n    return b()\n";

    #[test]
    fn regression_a_file_without_its_includes_guard_or_last_sections_is_shown_in_part() {
        let c = "#include \"tea.h\"\n\n#include <stdlib.h>\n\ntea_t *tea_new(void)\n{\n    return malloc(1);\n}\n\nvoid tea_free(tea_t *tea)\n{\n    free(tea);\n}\n";
        let functions = c.split_once("\n\ntea_t").map(|(_, rest)| format!("tea_t{rest}")).unwrap_or_default();
        let header = "#ifndef TEA_H\n#define TEA_H\n\n#include <stddef.h>\n\ntypedef struct {\n    int a;\n} tea_t;\n\nint tea_a(tea_t *tea);\n\n#endif\n";
        let toml = "[project]\nname = \"teas\"\nversion = \"1\"\n\n[tool.lint]\nlength = 100\n\n[tool.lint.rules]\nselect = [\"E\"]\n\n[tool.check]\nfolders = [\"tests\"]\n";
        let css = "body {\n  margin: 0;\n}\n\n.tea {\n  padding: 1rem;\n}\n\n.pot {\n  padding: 2rem;\n}\n\n.cup {\n  border: 0;\n}\n";
        for (old, new, path) in [
            (c, functions.replace("malloc(1)", "calloc(1, 1)"), "tea.c"),
            (
                header,
                "#include <lock.h>\n\ntypedef struct {\n    int a;\n    lock_t lock;\n} tea_t;\n".to_owned(),
                "tea.h",
            ),
            (
                toml,
                toml.replace("\"1\"", "\"2\"").replace("\n[tool.check]\nfolders = [\"tests\"]\n", ""),
                "pyproject.toml",
            ),
            (
                css,
                css.replace("margin: 0", "margin: 1px").replace("\n.cup {\n  border: 0;\n}\n", ""),
                "tea.css",
            ),
        ] {
            assert_eq!(extent(old, &new, path, true), CodeExtent::Part(None), "{new}");
        }
        let once =
            header.replace("#ifndef TEA_H\n#define TEA_H\n", "#pragma once\n").replace("\n#endif\n", "");
        assert_eq!(extent(header, &once, "tea.h", true), CodeExtent::Whole);
        assert_eq!(extent(c, &c.replace("malloc(1)", "malloc(2)"), "tea.c", true), CodeExtent::Whole);
    }

    #[test]
    fn a_listing_that_ends_within_a_word_is_cut_off() {
        let js = "const input = get();\n\nfunction add() {\n  input.focus();\n}\n\ninput.onclick = add;\n";
        let py = "import app\n\n\ndef run():\n    app.start()\n\n\napp.register(run)\n";
        for (old, end, path, is_cut) in [
            (js, "inp\n", "a.js", true),
            (js, "input.onc\n\n", "a.js", true),
            (py, "app.regi\n", "a.py", true),
            ("", "inp\n", "a.js", true),
            (js, "add\n", "a.js", false),
            (js, "input.onclick = ad\n", "a.js", false),
            (js, "inp\n", "a.txt", false),
            (py, "app.run\n", "a.py", false),
        ] {
            let whole = if path.ends_with("py") { py } else { js };
            let shown = whole.rsplit_once("\n\n").map_or("", |(shown, _)| shown);
            let new = format!("{shown}\n\n{end}");
            assert_eq!(ends_in_word(old, &new, path), is_cut, "{end}");
        }
        let end = "inp".to_owned();
        assert_eq!(
            extent(js, &js.replace("input.onclick = add;", "inp"), "a.js", true),
            CodeExtent::CutOff(end)
        );
    }

    #[test]
    fn regression_a_listing_that_stops_before_the_last_definitions_is_a_part() {
        const PY: &str = "import os\n\n\ndef hours(a):\n    return a / 60\n\n\ndef days(a):\n    return hours(a) / 24\n\n\ndef price(a):\n    total = a.rate\n    return total * 2\n";
        const TS: &str = "import a from 'a';\n\nexport function load(id) {\n  return a.get(id);\n}\n\nexport function save(one) {\n  return a.put(one);\n}\n\nexport function removeAll() {\n  a.clear();\n}\n";
        const SQL: &str = "-- Sales\nSELECT sum(total)\nFROM sales;\n\n-- Stock\nSELECT count(*)\nFROM articles\nWHERE left > 0;\n";
        const YML: &str = "services:\n  web:\n    image: a\n  db:\n    image: b\n\nvolumes:\n  data: {}\n";
        const SVELTE: &str = "<script>\n  export let size = 1;\n</script>\n\n<p>{size}</p>\n\n<style>\n  p { top: 0; }\n</style>\n";
        let tail =
            |text: &str, from: &str| text[..text.find(from).unwrap_or(text.len())].trim_end().to_owned();
        for (old, new, path) in [
            (PY, tail(PY, "def price").replace("/ 60", "/ 3600"), "a.py"),
            (TS, tail(TS, "export function removeAll").replace("get(id)", "get(id, true)"), "a.ts"),
            (SQL, tail(SQL, "-- Stock").replace("sum(total)", "sum(total), max(total)"), "a.sql"),
            (YML, tail(YML, "volumes").replace("image: b", "image: c"), "compose.yml"),
            (SVELTE, tail(SVELTE, "<p>").replace("= 1", "= 2"), "A.svelte"),
            (SVELTE, tail(SVELTE, "<style>").replace("= 1", "= 2"), "A.svelte"),
        ] {
            assert_eq!(extent(old, &format!("{new}\n"), path, true), CodeExtent::Part(None), "{new}");
        }
        // What is shown does the work of the last one, or has another in its place.
        let old =
            format!("{PY}\n\ndef bill(a):\n    return up(price(a))\n\n\ndef up(a):\n    return int(a + 1)\n");
        let inline = old.replace("up(price(a))\n\n\ndef up(a):\n    return int(a + 1)", "int(price(a) + 1)");
        assert_eq!(extent(&old, &inline, "a.py", true), CodeExtent::Whole, "{inline}");
        let renamed = PY.replace("def price(a)", "def cost(a)");
        assert_eq!(extent(PY, &renamed, "a.py", true), CodeExtent::Whole, "{renamed}");
    }

    #[test]
    fn what_code_is_of_its_file() {
        let part = || CodeExtent::Part(None);
        for (new, expected) in [
            (FILE.to_owned(), CodeExtent::Same),
            (FILE.replace("print(2)", "print(3)"), CodeExtent::Whole),
            (FILE.replace("import os", "import os\nimport re"), CodeExtent::Whole),
            ("def b():\n    print(1)\n    print(2)\n".to_owned(), CodeExtent::Quotation),
            ("print(1)\nprint(2)\n".to_owned(), CodeExtent::Quotation),
            ("def b():\n    print(9)\n".to_owned(), part()),
            ("import os\n\nX = 1\n\n\ndef a():\n    return X + 1\n".to_owned(), part()),
            (
                "import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n".to_owned(),
                CodeExtent::Quotation,
            ),
            (
                FILE.replace("    print(1)\n    print(2)\n", "    # ... existing code ...\n    print(3)\n"),
                CodeExtent::Part(Some("# ... existing code ...".to_owned())),
            ),
            (FILE.replace("    return b()\n", "    return b(\n"), CodeExtent::CutOff("return b(".to_owned())),
        ] {
            assert_eq!(extent(FILE, &new, "a.py", true), expected, "{new}");
        }
        // Whatever it says, and in whatever language.
        for comment in
            ["# and so on", "# hier bleibt alles gleich", "# lines 11-12 unchanged", "# see above", "# ---"]
        {
            let new = FILE.replace("    print(1)\n    print(2)\n", &format!("    {comment}\n"));
            assert_eq!(
                extent(FILE, &new, "a.py", true),
                CodeExtent::Part(Some(comment.to_owned())),
                "{comment}"
            );
        }
        let rewritten =
            FILE.replace("    print(1)\n    print(2)\n", "    # One call does both.\n    print(1, 2)\n");
        assert_eq!(extent(FILE, &rewritten, "a.py", true), CodeExtent::Whole);
        assert_eq!(
            extent(FILE, &FILE.replace("print(2)", "3"), "a.py", false),
            CodeExtent::CutOff("return b()".to_owned())
        );
        assert_eq!(extent("print(1)\n", "print(2)\n", "a.py", true), CodeExtent::Whole);
        assert_eq!(extent("", "x\n", "a.py", true), CodeExtent::Whole);
    }
}
