//! Text for a place of a file that the words above give: its end, its top, beside or instead of a text.

use std::ops::Range;

use super::language::fits_language;
use super::mention::{self, MentionMark, QUOTES};
use super::path::{self, Shape};
use super::piece::Piece;
use super::words;
use super::{Form, edge};
use crate::file_name::base;

/// Names, or beginnings of names, of files that are lists of lines.
const LISTS: &[&str] = &[
    ".gitignore",
    ".dockerignore",
    ".npmignore",
    ".prettierignore",
    ".eslintignore",
    ".gcloudignore",
    ".vercelignore",
    ".helmignore",
    ".cursorignore",
    ".aiderignore",
    ".gitattributes",
    ".mailmap",
    "requirements",
    ".env",
    "codeowners",
    "manifest.in",
    "constraints",
];

/// Returns true if the file called `path` is a list of lines, to whose end lines are added that it has not.
#[must_use]
pub fn is_list(path: &str) -> bool {
    let name = base(path).to_ascii_lowercase();
    LISTS.iter().any(|list| name.starts_with(list))
}

/// Returns the name of the definition that `line` says to replace with what is below, or to rename: "Replace `load` with:".
#[must_use]
pub fn replaced_name(line: &str) -> Option<&str> {
    let renames = line.to_lowercase().contains("renam");
    let spans = if renames || words::may_replace(line) { spans(line) } else { Vec::new() };
    let is_renamed = |span: &Span<'_>| renames && words::is_renamed(span.before);
    let span = spans.into_iter().find(|span| words::replaces(span.before, span.after) || is_renamed(span))?;
    let name = span.text.trim_end_matches("()");
    name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(name)
}

// Returns the text that `line`, below code, says the code replaces: "(replaces `old()`)".
pub(super) fn replaced_by_above(line: &str) -> Option<String> {
    let text = line.trim_start_matches(['(', '*', '_', ' ', '（']);
    if !words::says_replaced(text) {
        return None;
    }
    let spans = spans(text);
    let [span] = spans[..] else { return None };
    is_text(span.text).then(|| span.text.to_owned())
}

pub(super) fn form(piece: &Piece<'_, '_>) -> Option<Form> {
    let line = piece.sentence;
    if line.is_empty() || line.len() > 600 {
        return None;
    }
    let adds = words::adds(line);
    let leads = || words::leads_to_code(line) && !words::updates(line);
    let places = adds || words::may_place(line) && leads();
    let is_edge = edge::puts_at_edge(line);
    let spans = if places || is_edge || words::may_replace(line) { spans(line) } else { Vec::new() };
    // From the closest place to the widest: a text to replace, a line beside it, an end of a part, a definition
    // around it, an end of the file.
    // "Replace `a` with `b` and import `c`:" says itself what comes in its place, and the code may be more.
    let is_said = |at: usize| {
        spans.get(at + 1).is_some_and(|next| {
            words::is_to_or_with(spans[at].up_to(next))
                && is_text(next.text)
                && piece.content.trim() != next.text.trim()
        })
    };
    if let Some((at, span)) =
        spans.iter().enumerate().find(|(_, span)| words::replaces(span.before, span.after))
        && is_text(span.text)
        && !is_said(at)
    {
        return Some(Form::Replacement { old: span.text.to_owned() });
    }
    if places {
        let beside = spans.iter().enumerate().find_map(|(at, span)| {
            let after = words::beside(span.before, span.after)?;
            // "after the closing `}` of `load`"
            let of = spans
                .get(at + 1)
                .filter(|next| after && is_closing(span.text) && words::is_of(span.up_to(next)));
            Some((after, of.unwrap_or(span)))
        });
        if let Some((after, anchor)) = beside
            && is_anchor(anchor)
            && (adds || is_last(anchor))
        {
            // "under `environment`": behind what it has.
            if after && words::is_under(anchor.before) && is_data(piece.path().unwrap_or_default()) {
                let name = anchor.text.trim_matches(['[', ']', ':', '"', ' ']).to_owned();
                return Some(Form::Edge { name, is_end: true });
            }
            return Some(Form::Beside { anchor: anchor.text.to_owned(), after });
        }
    }
    if is_edge && let Some(form) = at_edge(piece, &spans) {
        return Some(form);
    }
    if adds && words::is_before_return(line) {
        return Some(Form::Beside { anchor: "return".to_owned(), after: false });
    }
    if adds {
        let holder = spans.iter().find(|span| {
            is_definition(span.text, span.after) && words::is_within(span.before) && words::holds(span.after)
        });
        if let Some(holder) = holder {
            return Some(Form::Within { name: holder.text.to_owned() });
        }
    }
    if words::is_at_end(line) {
        return Some(Form::Append);
    }
    if words::is_at_top(line) {
        return Some(Form::Prepend);
    }
    let list = || is_list(piece.path()?).then_some(Form::Append);
    if adds || words::adds(piece.label()) { list() } else { None }
}

// "At the end of `Store`", "the top of the Installation section", "in `main`, at the top": of a part of the file.
fn at_edge(piece: &Piece<'_, '_>, spans: &[Span<'_>]) -> Option<Form> {
    let (line, path) = (piece.sentence, piece.path().unwrap_or_default());
    if is_list(path) || edge::imports(piece.content) {
        return None;
    }
    let named = || spans.iter().find_map(|span| Some((span.text, edge::around(span.before, span.after)?)));
    let section = || edge::of_section(line).filter(|_| fits_language("markdown", path));
    let holder = || {
        let is_end = edge::alone(line)?;
        let is_name = |text: &str| !text.contains([' ', '/', '=']) && !text.starts_with(['-', '<']);
        let span = spans.iter().find(|span| words::is_within(span.before) && is_name(span.text))?;
        Some((span.text, is_end))
    };
    let (name, is_end) = named().or_else(section).or_else(holder)?;
    (name != base(path)).then(|| Form::Edge { name: name.trim().to_owned(), is_end })
}

// A code span of a line, or a quotation in one without: the text before it and after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span<'t> {
    pub(super) before: &'t str,
    pub(super) text: &'t str,
    pub(super) after: &'t str,
    /// The byte of the line at which `after` begins.
    end: usize,
}

impl<'t> Span<'t> {
    fn new(line: &'t str, open: Range<usize>, close: Range<usize>) -> Span<'t> {
        Span {
            before: &line[..open.start],
            text: &line[open.end..close.start],
            after: &line[close.end..],
            end: close.end,
        }
    }

    /// The text between this span and `next`, a later one of the same line.
    pub(super) fn up_to(&self, next: &Span<'t>) -> &'t str {
        next.before.get(self.end..).unwrap_or_default()
    }
}

// The code spans of `line` that are no path; if it has none, its quotations.
pub(super) fn spans(line: &str) -> Vec<Span<'_>> {
    let ticks: Vec<usize> = memchr::memchr_iter(b'`', line.as_bytes()).take(16).collect();
    let may_be_path = |pair: &[usize]| line[pair[0]..pair[1]].contains(['.', '/', '\\', 'f', 'E']);
    let mentions = match ticks.chunks_exact(2).any(may_be_path) {
        true => mention::in_line(line, true),
        false => Vec::new(),
    };
    let is_path = |one: &mention::LocatedMention| one.mark == MentionMark::Code && one.shape == Shape::Path;
    let paths: Vec<_> = mentions.into_iter().filter(is_path).map(|one| one.at).collect();
    let pairs = ticks.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let pairs = pairs.filter(|(open, close)| {
        close > &(open + 1) && !paths.iter().any(|path| path.start <= *open && *close < path.end)
    });
    let spans: Vec<Span<'_>> =
        pairs.map(|(open, close)| Span::new(line, open..open + 1, close..close + 1)).collect();
    match spans.is_empty() {
        true if line.contains("**") => in_bold(line),
        true => quotations(line),
        false => spans,
    }
}

// The texts in bold, which stand for code where there is none: "change **port: 1** to **port: 2**".
fn in_bold(line: &str) -> Vec<Span<'_>> {
    let marks: Vec<usize> = memchr::memmem::find_iter(line.as_bytes(), b"**").take(16).collect();
    let spans = marks.chunks_exact(2).map(|pair| Span::new(line, pair[0]..pair[0] + 2, pair[1]..pair[1] + 2));
    let is_path = |text: &str| path::word(text, true).is_some_and(|word| word.shape == Shape::Path);
    let spans: Vec<Span<'_>> =
        spans.filter(|span| !span.text.trim().is_empty() && !is_path(span.text)).collect();
    if spans.len() > 1 { spans } else { quotations(line) }
}

fn quotations(line: &str) -> Vec<Span<'_>> {
    const MOST: usize = 8;
    let (mut spans, mut at) = (Vec::new(), 0);
    let next = |from: usize, marks: &[char]| {
        let (offset, mark) = line[from..].char_indices().find(|(_, c)| marks.contains(c))?;
        Some((from + offset..from + offset + mark.len_utf8(), mark))
    };
    let opening: Vec<char> = QUOTES.iter().map(|(open, _)| *open).collect();
    while spans.len() < MOST
        && let Some((open, mark)) = next(at, &opening)
    {
        let closing = QUOTES.iter().find(|(open, _)| *open == mark).map_or(mark, |(_, close)| *close);
        let Some((close, _)) = next(open.end, &[closing, '”']) else { break };
        at = close.end;
        let text = &line[open.end..close.start];
        let is_path = path::word(text, true).is_some_and(|word| word.shape == Shape::Path);
        if !text.trim().is_empty() && !is_path {
            spans.push(Span::new(line, open, close));
        }
    }
    spans
}

/// Returns the names that the line of `spans` says to remove: "Remove `parse` and `dump`".
pub(super) fn removed(spans: &[Span<'_>]) -> Vec<String> {
    let is_name = |span: &str| {
        let bare = span.trim_end_matches("()");
        bare.len() > 1 && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let mut names: Vec<String> = Vec::new();
    let mut end = 0;
    for Span { before, text: span, end: behind, .. } in spans.iter().copied() {
        // What joins a name to the one before it says the same of both.
        let between = before.get(end..).unwrap_or_default().trim();
        let joins = !names.is_empty() && matches!(between, "," | "and" | ", and" | "und" | "et" | "y" | "e");
        end = behind;
        if is_name(span) && (joins || words::removes(before)) {
            names.push(span.trim_end_matches("()").to_owned());
        }
    }
    names
}

/// Returns true if `span` is the name of a definition, as the words `behind` it say, or its parentheses.
fn is_definition(span: &str, behind: &str) -> bool {
    let bare = span.trim_end_matches("()");
    let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && (bare.len() < span.len() || words::begins_with_kind(behind))
}

// Returns true if `span` may be what something goes beside: a text of the file, a definition, an element, a rule, or a name.
fn is_anchor(span: &Span<'_>) -> bool {
    let text = span.text;
    let name = text.strip_prefix(['#', '.']).or_else(|| text.strip_prefix('<')?.strip_suffix('>'));
    let is_signed = name.is_some_and(|name| {
        name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
    });
    is_text(text) || is_definition(text, span.after) || is_signed || is_bare_name(span)
}

// Returns true if the line says no more behind `span` than where that is: "below `Get`:", "before `go()` in `a.js`:".
fn is_last(span: &Span<'_>) -> bool {
    let after = span.after.trim_matches(['*', ' ', ':', '：', '`', ')']);
    after.is_empty() || words::is_place(after) || words::is_purpose(after)
}

// Words of imports: the lines that begin with one are meant, and none alone.
const IMPORTS: &[&str] = &["use", "import", "imports", "from", "require", "include", "using", "package"];

// Returns true if the file at `path` has keys and tables.
fn is_data(path: &str) -> bool {
    ["yml", "yaml", "toml", "json", "jsonc", "json5"].contains(&path.rsplit('.').next().unwrap_or_default())
}

// Returns true if nothing but brackets close in `text`, perhaps with the sign of a statement's end.
fn is_closing(text: &str) -> bool {
    text.starts_with(['}', ')', ']']) && text.chars().all(|c| matches!(c, '}' | ')' | ']' | ';' | ','))
}

// Returns true if the span is a name alone, at the end of what the words say of the place: "after `Get`:", "above `load` in",
// "between `a` and", "nach `load` Folgendes hinzu".
fn is_bare_name(span: &Span<'_>) -> bool {
    let after = span.after.trim_start_matches(['*', ' ']);
    let ends = after.is_empty()
        || after.starts_with([':', '.', ',', '(', '：', '，'])
        || words::is_place(after)
        || words::is_purpose(after)
        || words::goes_on_behind_place(after)
        || !after.is_ascii() && words::beside("", after).is_some();
    let is_name = span.text.chars().all(|c| c.is_alphanumeric() || c == '_') && !IMPORTS.contains(&span.text);
    is_name && span.text.len() > 2 && span.text.starts_with(|c: char| c.is_alphabetic() || c == '_') && ends
}

/// Returns true if `span` is a text of a file, and not only the name of something in it.
pub(super) fn is_text(span: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '#' | '$' | '@');
    let bare = span.trim_end_matches("()");
    span.len() >= 4
        && !bare.chars().all(name)
        && !(bare.starts_with('<') && bare.ends_with('>') && !bare.contains(' '))
}
