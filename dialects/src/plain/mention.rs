//! The paths that a line of prose mentions.
//!
//! Splits the line into code spans, links, quotations and words, and says of each that may be a path how sure
//! that is, and whether the words around it mean it as the file to change. Knows no files.

use std::ops::Range;

use super::path::{self, Shape};
use super::{Mention, words};
use crate::file_name::extension_of;

const MOST: usize = 16;
const LONGEST: usize = 2_000;
pub(super) const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('【', '】'),
    ('《', '》'),
    ('‘', '’'),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MentionMark {
    Bare,
    /// In bold or in quotation marks.
    Marked,
    /// In backticks, or the target of a link.
    Code,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocatedMention {
    pub(super) mention: Mention,
    pub(super) at: Range<usize>,
    pub(super) mark: MentionMark,
    pub(super) shape: Shape,
    pub(super) enclosed: bool,
    pub(super) linked: bool,
}

/// Returns the mentions in `line`, in order. In a label (`label`) a word without marks is sure as well.
pub(super) fn in_line(line: &str, label: bool) -> Vec<LocatedMention> {
    if line.len() > LONGEST || !may_mention(line) {
        return Vec::new();
    }
    let mut mentions = Tokens::new(line).read();
    for mention in &mut mentions {
        mention.mention.sure = mention.shape == Shape::Path
            && (label || mention.mark > MentionMark::Bare)
            && path::is_given(&mention.mention.path)
            && (!path::is_of_tool(&mention.mention.path) || is_label_of_tool(line, mention));
    }
    // A word is a path only where nothing else stands: what it names has to exist.
    let alone =
        |one: &LocatedMention| line.trim_matches(['#', '*', ' ', ':', '`', '-']).len() <= one.at.len();
    mentions.retain(|one| one.shape > Shape::Word || alone(one));
    mark_asides(line, &mut mentions);
    mentions
}

// Returns true if `line` gives the settings of a tool, `one`, as a file: in a heading, in bold, as an item, or to be made.
// "Set `.toolrc.json`" may be said of any project.
fn is_label_of_tool(line: &str, one: &LocatedMention) -> bool {
    let text = line.trim_start();
    text.starts_with(['#', '*', '-', '`', '.'])
        || text.starts_with(|c: char| c.is_ascii_digit())
        || !text.is_ascii() && !text.starts_with(char::is_alphabetic)
        || words::is_new(&line[..one.at.start], &line[one.at.end..])
}

// Returns true if `line` may have a mention: a cheap check.
pub(super) fn may_mention(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut has_dot = false;
    // Behind the dot that ends a sentence, or a number, is a blank.
    let is_sign = |at: usize| {
        has_dot |= bytes[at] == b'.';
        bytes[at] != b'.' || bytes.get(at + 1).is_some_and(|next| !matches!(next, b' ' | b'\t'))
    };
    memchr::memchr3_iter(b'.', b'/', b'\\', bytes).any(is_sign)
        || memchr::memchr(b'`', bytes).is_some()
        || words::names_well_known(line)
        // "See LICENSE and NOTICE."
        || has_dot && bytes.windows(2).any(|pair| pair.iter().all(u8::is_ascii_uppercase))
}

pub(crate) fn names_file(line: &str) -> bool {
    in_line(line, true).iter().any(|one| one.mention.sure && !one.mention.aside)
}

pub(crate) fn names_document(line: &str) -> bool {
    let is_document = |path: &str| matches!(extension_of(path), Some("md" | "mdx" | "markdown"));
    let is_meant =
        |one: &LocatedMention| one.mention.sure && !one.mention.aside && is_document(&one.mention.path);
    in_line(line, true).iter().any(is_meant)
}

/// Sets `aside` for mentions that the words around them do not mean as the file to change.
fn mark_asides(line: &str, mentions: &mut [LocatedMention]) {
    let done = words::end_of_done(line);
    let mut last: Option<(usize, bool)> = None;
    for one in &mut *mentions {
        let start = last.map_or(0, |(end, _)| end);
        let before = &line[start.min(one.at.start)..one.at.start];
        let joined = last.is_some_and(|(_, aside)| aside) && words::joins(before);
        let after = &line[one.at.end..];
        one.mention.aside =
            joined || one.at.end <= done || words::is_aside_before(before) || words::is_aside_after(after);
        last = Some((one.at.end, one.mention.aside));
    }
    for at in 1..mentions.len() {
        let start = at.checked_sub(2).map_or(0, |before| mentions[before].at.end);
        let (one, next) = (&mentions[at - 1], &mentions[at]);
        let before = &line[start.min(one.at.start)..one.at.start];
        if !next.mention.aside
            && words::is_copied(before, &line[one.at.end.min(next.at.start)..next.at.start])
        {
            mentions[at - 1].mention.aside = true;
        }
    }
    // "…, and leave `a.py` alone", "`a.py` is fine. …": whatever else the line says of that file.
    let is_left = |one: &&LocatedMention| {
        let (before, after) = (&line[..one.at.start], &line[one.at.end..]);
        words::is_left_alone(before, after) || words::is_approved(after)
    };
    let untouched: Vec<String> =
        mentions.iter().filter(is_left).map(|one| one.mention.path.clone()).collect();
    for one in mentions.iter_mut().filter(|one| untouched.contains(&one.mention.path)) {
        one.mention.aside = true;
    }
    // A quotation of several words is the name of something: "Update `a.json` first".
    let quoted = |one: &&mut LocatedMention| is_within_quotation(line, &one.at);
    mentions.iter_mut().filter(quoted).for_each(|one| one.mention.aside = true);
    // What stands in parentheses explains the rest, unless there is nothing else.
    let outside = mentions.iter().any(|one| !one.enclosed && !one.mention.aside && one.shape == Shape::Path);
    if outside {
        mentions.iter_mut().filter(|one| one.enclosed).for_each(|one| one.mention.aside = true);
    }
}

// Returns true if what stands `at` a place of `line` is one of several words between quotation marks.
fn is_within_quotation(line: &str, at: &Range<usize>) -> bool {
    let (before, after) = (&line[..at.start], &line[at.end..]);
    let text = |inner: &str| inner.trim_matches(['`', '*', ' ']).contains(char::is_alphabetic);
    let within = |open: char, close: char| {
        let start = before.rfind(open).filter(|start| {
            let inner = &before[start + open.len_utf8()..];
            !inner.contains(close) && (open != close || before.matches(open).count() % 2 == 1)
        });
        let (Some(start), Some(end)) = (start, after.find(close)) else { return false };
        text(&before[start + open.len_utf8()..]) || text(&after[..end])
    };
    QUOTES.iter().any(|(open, close)| *open != '【' && *open != '《' && within(*open, *close))
}

struct Tokens<'a> {
    line: &'a str,
    at: usize,
    depth: usize,
    bold: bool,
    /// Links that may still be sought, so that a line of brackets costs no more than another.
    links: usize,
    /// Runs of backticks of which no further one follows.
    open_ticks: Vec<usize>,
    mentions: Vec<LocatedMention>,
}

impl<'a> Tokens<'a> {
    fn new(line: &'a str) -> Tokens<'a> {
        Tokens {
            line,
            at: 0,
            depth: 0,
            bold: false,
            links: MOST,
            open_ticks: Vec::new(),
            mentions: Vec::new(),
        }
    }

    fn read(mut self) -> Vec<LocatedMention> {
        while self.at < self.line.len() && self.mentions.len() < MOST {
            let rest = &self.line[self.at..];
            let Some(first) = rest.chars().next() else { break };
            match first {
                '`' => self.code(rest),
                '[' if self.link(rest) => {}
                '*' if rest.starts_with("**") => {
                    self.bold = !self.bold;
                    self.at += 2;
                }
                '_' if rest.starts_with("__") && self.bold_name(rest) => {}
                '(' | '（' if !is_route(rest) => {
                    self.depth += 1;
                    self.at += first.len_utf8();
                }
                ')' | '）' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.at += first.len_utf8();
                }
                _ if QUOTES.iter().any(|(open, _)| *open == first) => self.quotation(rest, first),
                _ if is_word(first) => self.word(rest),
                _ => self.at += first.len_utf8(),
            }
        }
        self.mentions
    }

    fn code(&mut self, rest: &str) {
        let run = rest.bytes().take_while(|byte| *byte == b'`').count();
        let inner = &rest[run..];
        let end = if self.open_ticks.contains(&run) { None } else { closing(inner, run) };
        let Some(end) = end else {
            self.open_ticks.push(run);
            self.at += run;
            return;
        };
        let length = run + end + run;
        let text = inner[..end].trim();
        // A label may be all in backticks: `// src/a.py`, `File: src/a.py`.
        self.push(text, self.at..self.at + length, MentionMark::Code, false);
        self.at += length;
    }

    /// Reads a link; false if there is none.
    fn link(&mut self, rest: &str) -> bool {
        if self.links == 0 {
            return false;
        }
        self.links -= 1;
        let Some((label, target)) = link(rest) else { return false };
        let length = label.len() + target.len() + "[]()".len();
        let at = self.at..self.at + length;
        if !is_reference(label, target)
            && let Some(path) = path::link_target(target)
            && self.push(&path, at, MentionMark::Code, true)
        {
            self.at += length;
            return true;
        }
        self.at += 1;
        true
    }

    fn bold_name(&mut self, rest: &str) -> bool {
        let word = rest.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let name = word.trim_matches('_');
        if name.starts_with("init") || name.starts_with("main") || !word.ends_with("__") {
            return false;
        }
        self.at += 2;
        true
    }

    fn quotation(&mut self, rest: &str, open: char) {
        let close = QUOTES.iter().find(|(mark, _)| *mark == open).map_or(open, |(_, close)| *close);
        let inner = &rest[open.len_utf8()..];
        if let Some(end) = inner.find(close)
            && end <= 200
            && !inner[..end].contains('`')
        {
            let length = open.len_utf8() + end + close.len_utf8();
            if self.push(inner[..end].trim(), self.at..self.at + length, MentionMark::Marked, false) {
                self.at += length;
                return;
            }
        }
        self.at += open.len_utf8();
    }

    fn word(&mut self, rest: &str) {
        let length = word_length(rest);
        let all = &rest[..length];
        let text = trimmed(all);
        let start = self.at + (text.as_ptr() as usize - all.as_ptr() as usize);
        let mark = if self.bold { MentionMark::Marked } else { MentionMark::Bare };
        // Most words are none of these, and need not be looked up.
        let may_be_path = !text.starts_with(|first: char| first.is_ascii_lowercase())
            || text.contains(['.', '/', '\\'])
            || text.starts_with("makefile");
        let known = may_be_path && path::word(text, false).is_some_and(|word| word.shape == Shape::Path);
        if known {
            self.push(text, start..start + text.len(), mark, false);
        }
        self.at += length.max(1);
    }

    /// Adds `text` if it may be a path.
    fn push(&mut self, text: &str, at: Range<usize>, mark: MentionMark, linked: bool) -> bool {
        let Some(word) = path::word(text, mark > MentionMark::Bare) else { return false };
        let mention = Mention { path: word.path.into_owned(), sure: false, aside: false };
        self.mentions.push(LocatedMention {
            mention,
            at,
            mark,
            shape: word.shape,
            enclosed: self.depth > 0,
            linked,
        });
        true
    }
}

/// The place in `text` of a run of exactly `run` backticks.
fn closing(text: &str, run: usize) -> Option<usize> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(offset) = memchr::memchr(b'`', &bytes[at..]) {
        at += offset;
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if length == run {
            return Some(at);
        }
        at += length;
    }
    None
}

/// Returns true if a link with the words `label` to `target` refers to a part of a page, or to a page that it does not call
/// by its name.
pub(super) fn is_reference(label: &str, target: &str) -> bool {
    let (path, part) = target.split_once('#').unwrap_or((target, ""));
    let is_line = part.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_page = matches!(extension_of(path), Some("md" | "mdx" | "markdown" | "rst" | "html" | "htm"));
    let name = crate::file_name::base(path).split('.').next().unwrap_or_default().to_lowercase();
    !part.is_empty() && !is_line || is_page && !label.to_lowercase().contains(&name)
}

fn link(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut end) = (0_usize, None);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    end = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    // Brackets nest in labels and targets: `[app/[id]/page.tsx](app/(shop)/page.tsx)`.
    let end = end?;
    let rest = text[end + 1..].strip_prefix('(')?;
    let (mut depth, mut close) = (1_usize, None);
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    close = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    Some((&text[1..end], &rest[..close?]))
}

/// Returns true if `text` begins with a folder in parentheses.
fn is_route(text: &str) -> bool {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text[..end].find(")/").is_some_and(|at| at > 1) && text.starts_with('(')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '.' | '/' | '\\' | '_' | '@' | '~' | '[' | '(')
        || !c.is_ascii() && c.is_alphanumeric() && !words::is_east_asian(c)
}

fn word_length(text: &str) -> usize {
    // Dots, slashes, colons and hyphens are parts of paths, so they end no word here.
    let ends = |c: char| {
        c.is_whitespace()
            || words::is_east_asian(c)
            || matches!(
                c,
                '`' | '"'
                    | '“'
                    | '”'
                    | '«'
                    | '»'
                    | '<'
                    | '>'
                    | '|'
                    | ','
                    | ';'
                    | '，'
                    | '。'
                    | '：'
                    | '；'
                    | '（'
                    | '）'
                    | '！'
                    | '？'
                    | '*'
                    | '—'
                    | '–'
                    | '→'
                    | '='
                    | '„'
                    | '’'
            )
    };
    text.find(ends).unwrap_or(text.len())
}

/// `word` without signs around it that are no part of a path.
fn trimmed(word: &str) -> &str {
    let mut text = word;
    loop {
        let before = text.len();
        text = text.trim_end_matches(['.', ':', '!', '?', '\'', '*', '~']);
        // `{{a.py}}` is code in an issue tracker.
        if text.ends_with('}') && !text.contains('{') {
            text = text.trim_end_matches('}');
        }
        if text.starts_with('~') && !text.starts_with("~/") {
            text = &text[1..];
        }
        text = text.strip_suffix("'s").unwrap_or(text);
        if text.starts_with('(') && (text.ends_with(')') || !text.contains(')')) {
            text = &text[1..];
        }
        if text.ends_with(')') && !text.contains('(') {
            text = &text[..text.len() - 1];
        }
        if text.starts_with('[') && (text.ends_with(']') || !text.contains(']')) {
            text = &text[1..];
        }
        if text.ends_with(']') && !text.contains('[') {
            text = &text[..text.len() - 1];
        }
        if text.len() == before {
            return text;
        }
    }
}
