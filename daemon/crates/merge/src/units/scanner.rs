//! Separates the code of lines from strings and comments, which may go on over lines.

use std::borrow::Cow;

use super::language::Family;

pub(super) struct Scanned {
    pub(super) code: String,
    pub(super) norm: String,
    pub(super) inside: bool,
    pub(super) remark: bool,
}

/// Reads lines one after the other.
pub(super) struct Scanner {
    family: Family,
    /// The end of the string or comment that goes on.
    state: Option<&'static str>,
    /// A code block of Markdown goes on.
    is_fenced: bool,
}

impl Scanner {
    pub(super) fn new(family: Family) -> Scanner {
        Scanner { family, state: None, is_fenced: false }
    }

    pub(super) fn line(&mut self, line: &str) -> Scanned {
        let text = line.trim_end();
        match self.family {
            Family::Plain => return plain(text, false),
            Family::Markdown => {
                let trimmed = text.trim_start();
                let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
                let inside = self.is_fenced;
                self.is_fenced ^= is_fence;
                return plain(text, inside);
            }
            _ => {}
        }
        let inside = self.state.is_some();
        let mut code = String::with_capacity(text.len());
        let mut cut = None;
        let mut at = 0;
        while at < text.len() {
            let byte = text.as_bytes()[at];
            // Most bytes begin nothing.
            if self.state.is_none() && byte.is_ascii() && !b"/#<\"'`".contains(&byte) {
                code.push(char::from(byte));
                at += 1;
                continue;
            }
            at = self.step(text, at, &mut code, &mut cut);
        }
        let body = text[..cut.unwrap_or(text.len())].trim();
        let norm = if body.is_empty() { text.trim() } else { body };
        code.truncate(code.trim_end().len());
        Scanned { code, norm: joined(norm).into_owned(), inside, remark: cut.is_some() && !body.is_empty() }
    }

    /// Reads on from `at`; returns where the next thing begins.
    fn step(&mut self, text: &str, at: usize, code: &mut String, cut: &mut Option<usize>) -> usize {
        let rest = &text[at..];
        // Within a comment or a string of several lines: only its end matters.
        if let Some(end) = self.state {
            let Some(offset) = end_of(rest, end) else { return text.len() };
            self.state = None;
            if !matches!(end, "*/" | "-->" | "--%>") {
                code.push('"');
            }
            return at + offset + end.len();
        }
        if let Some((open, close)) =
            self.family.block_comments().iter().find(|(open, _)| rest.starts_with(open))
        {
            let Some(offset) = rest[open.len()..].find(close) else {
                if !text[..at].trim().is_empty() {
                    cut.get_or_insert(at);
                }
                self.state = Some(close);
                return text.len();
            };
            let end = at + open.len() + offset + close.len();
            let is_last = text[end..].trim_matches([' ', '}']).is_empty();
            if is_last && !text[..at].trim_matches([' ', '{']).is_empty() {
                cut.get_or_insert(at);
            }
            return end;
        }
        if self.begins_comment(text, at) {
            cut.get_or_insert(at);
            return text.len();
        }
        if let Some(quote) = self.family.long_quotes().iter().find(|quote| rest.starts_with(**quote)) {
            return match end_of(&rest[quote.len()..], quote) {
                Some(offset) => {
                    code.push_str("\"\"");
                    at + offset + 2 * quote.len()
                }
                None => {
                    code.push('"');
                    self.state = Some(quote);
                    text.len()
                }
            };
        }
        let Some(first) = rest.chars().next() else { return text.len() };
        let is_quote = first == '"' || first == '\'' && self.family != Family::Html;
        if is_quote
            && (first == '"' || self.family != Family::Rust || is_char_literal(rest))
            && let Some(length) = string_end(rest, first)
        {
            code.push_str("\"\"");
            return at + length;
        }
        code.push(first);
        at + first.len_utf8()
    }

    fn begins_comment(&self, text: &str, at: usize) -> bool {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        let blank = before.is_none_or(char::is_whitespace);
        match self.family.line_comment() {
            Some("#") => rest.starts_with('#') && blank,
            Some(open) if rest.starts_with(open) => match self.family {
                Family::Html | Family::Css => blank,
                _ => before != Some(':'),
            },
            _ => self.family == Family::Php && rest.starts_with("# ") && blank,
        }
    }
}

fn plain(text: &str, inside: bool) -> Scanned {
    Scanned { code: text.to_owned(), norm: text.trim().to_owned(), inside, remark: false }
}

/// Returns where `end` is in `text`, not behind a backslash if it is a backtick.
fn end_of(text: &str, end: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let offset = from + text[from..].find(end)?;
        if end != "`" || !text[..offset].ends_with('\\') {
            return Some(offset);
        }
        from = offset + 1;
    }
}

/// Returns the length of the string at the start of `text`, with its quotes.
fn string_end(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}

/// Returns true if `text` begins with a character in quotes, and not with a lifetime.
fn is_char_literal(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => true,
        (Some(_), Some(next)) => next == '\'',
        _ => false,
    }
}

/// Returns `text` with each run of blanks as one blank.
pub(super) fn joined(text: &str) -> Cow<'_, str> {
    let is_single = !text.contains('\t') && !text.contains("  ");
    if is_single {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
