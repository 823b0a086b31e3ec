//! Calls as elements: `<invoke name="Write"><parameter name="path">…`,
//! `<write_to_file><path>…</path>…`, `<edit_file path="…"><old_string>…`, `<function=Write><parameter=path>…`.
//!
//! Texts between tags are taken verbatim. A call ends at its own end tag; if one is within another, or an end
//! tag is one too many, a text quotes calls, and it is unclear which.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::Span;
use memchr::{memchr, memmem};

use super::argument::{CONTENT, NEW, Names, OLD};
use super::opening::{Opening, name_attribute};
use super::shape::Written;
use crate::cursor::utf16;
use crate::json::{Json, Kind};
use crate::work;

const REPORTED: usize = 8;
const PARAMETERS: usize = 64;

/// The element whose tool is behind an equals sign.
const FUNCTION: &str = "function";

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read<'a> {
    Call(Written<'a>),
    /// None that can be read, for a reason; lines that open further ones in it, and the byte at which to go
    /// on.
    Broken {
        why: String,
        lines: Vec<u32>,
        end: usize,
    },
}

impl<'a> Opening<'a> {
    pub(super) fn read(&self, text: &'a str, start: usize, line: u32) -> Read<'a> {
        if self.empty {
            return self.call(text, start, line, self.inner..self.inner);
        }
        let mut lines = Vec::new();
        let mut count = Lines { text, at: start, line };
        let mut tags = Tags { text, opening: self, at: self.inner };
        let mut depth = 1_usize;
        let end = loop {
            match tags.next() {
                Some((at, true)) => {
                    depth += 1;
                    if lines.len() < REPORTED {
                        lines.push(count.line_of(at));
                    }
                }
                Some((at, false)) => {
                    depth -= 1;
                    if depth == 0 {
                        break at;
                    }
                }
                None => {
                    let why = format!("</{}{}> is missing", self.prefix, self.element);
                    return Read::Broken { why, lines, end: text.len() };
                }
            }
        };
        let after = tags.at;
        // Nested openings mean that a text quotes a call, and then no end tag can be trusted.
        if !lines.is_empty() {
            let why = "another call is within it".to_owned();
            return Read::Broken { why, lines, end: after };
        }
        if let Some((_, false)) = tags.next() {
            let why = format!("</{}{}> is in its text or repeated", self.prefix, self.element);
            return Read::Broken { why, lines, end: tags.at };
        }
        self.call(text, start, line, end..after)
    }

    /// Returns the call that begins at byte `start` of `text` in line `line`, and of which `end` is the end
    /// tag.
    fn call(&self, text: &'a str, start: usize, line: u32, end: Range<usize>) -> Read<'a> {
        let Some(arguments) = self.arguments(text, end.start, line, start) else {
            let why = if self.attributes.is_empty() || text[self.inner..].trim_ascii_start().starts_with('<')
            {
                "its parameters are not well formed"
            } else {
                "its text is not in an element such as `<content>`"
            };
            return Read::Broken { why: why.to_owned(), lines: Vec::new(), end: end.end };
        };
        let end_line = Lines { text, at: start, line }.line_of(end.end);
        let at = start..end.end;
        Read::Call(Written { name: self.name.into(), id: None, arguments, at, start_line: line, end_line })
    }

    fn arguments(
        &self,
        text: &'a str,
        end: usize,
        line: u32,
        start: usize,
    ) -> Option<Vec<(Cow<'a, str>, Json<'a>)>> {
        let mut members: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
        let mut lines = Lines { text, at: start, line };
        for (name, value) in &self.attributes {
            let span = lines.span(value.start, value.end);
            let kind = Kind::Text(text[value.clone()].into());
            members.push(((*name).into(), Json { kind, at: value.clone(), span, end_line: line }));
        }
        let body = &text[..end];
        let mut at = blanks(body, self.inner);
        while at < end {
            // No known tool takes as many, so the limit only bounds the work.
            if members.len() == PARAMETERS {
                return None;
            }
            let tag = body[at..].strip_prefix('<')?.strip_prefix(self.prefix)?;
            let close = memchr(b'>', tag.as_bytes())?;
            let (name, closing) = if self.element == "invoke" {
                tag.strip_prefix("parameter ")?;
                (name_attribute(&tag[..close])?, format!("</{}parameter>", self.prefix))
            } else if self.element == FUNCTION {
                (tag[..close].strip_prefix("parameter=")?.trim(), "</parameter>".to_owned())
            } else {
                let name = &tag[..close];
                let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
                (Some(name).filter(|name| !name.is_empty() && name.bytes().all(plain))?, format!("</{name}>"))
            };
            let mut from = body.len() - tag.len() + close + 1;
            let (mut to, next) = self.end_of(body, from, &closing)?;
            if self.element == FUNCTION {
                // Its form puts each value on lines of its own.
                let value = &body[from..to];
                from += value.len() - without_first_end(value).len();
                let value = &body[from..to];
                to =
                    from + value.strip_suffix('\n').map_or(value, |value| value.trim_end_matches('\r')).len();
            }
            let span = lines.span(from, to);
            let end_line = lines.line_of(to);
            let kind = Kind::Text(body[from..to].into());
            members.push((name.into(), Json { kind, at: from..to, span, end_line }));
            at = next;
        }
        if self.element != FUNCTION {
            drop_line_ends(&mut members);
        }
        Some(members)
    }

    /// Returns the end of the value that begins at byte `from`, and the byte of the text after its tag: the
    /// first end tag after which there is another parameter, or nothing.
    fn end_of(&self, body: &str, from: usize, closing: &str) -> Option<(usize, usize)> {
        let rest = &body.as_bytes()[from..];
        let is_function = self.element == FUNCTION;
        let follows = format!("<{}parameter{}", self.prefix, if is_function { '=' } else { ' ' });
        for at in memmem::find_iter(rest, closing).map(|at| from + at) {
            let next = blanks(body, at + closing.len());
            let parameter = match &body[next..] {
                "" => true,
                rest if self.element == "invoke" || is_function => rest.starts_with(&follows),
                rest => rest.starts_with('<') && !rest.starts_with("</"),
            };
            if parameter {
                work::count(next - from);
                return Some((at, next));
            }
        }
        work::count(rest.len());
        None
    }
}

/// The tags of an element after its start tag: openings that begin a line, ends that end one.
struct Tags<'a, 'o> {
    text: &'a str,
    opening: &'o Opening<'a>,
    at: usize,
}

impl Tags<'_, '_> {
    fn next(&mut self) -> Option<(usize, bool)> {
        let Opening { prefix, element, .. } = self.opening;
        let name = format!("{prefix}{element}");
        let bytes = self.text.as_bytes();
        let mut from = self.at;
        while let Some(members) = memmem::find(&bytes[from..], name.as_bytes()) {
            work::count(members + name.len());
            let (start, end) = (from + members, from + members + name.len());
            from = end;
            let before = &self.text[..start];
            if before.ends_with("</") && bytes.get(end) == Some(&b'>') {
                let rest = &bytes[end + 1..];
                let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
                if matches!(rest.get(blank), None | Some(b'\n' | b'`' | b'<')) {
                    self.at = end + 1;
                    return Some((start - 2, false));
                }
            } else if before.ends_with('<')
                && matches!(bytes.get(end), Some(b'>' | b' ' | b'\t' | b'='))
                && before[..start - 1].trim_end_matches([' ', '\t']).ends_with('\n')
            {
                self.at = end;
                return Some((start - 1, true));
            }
        }
        work::count(bytes.len() - from);
        self.at = bytes.len();
        None
    }
}

fn without_first_end(text: &str) -> &str {
    text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text)
}

/// Drops the line end right behind the tag of a file's content; of a text and its replacement only if both
/// have one.
fn drop_line_ends(arguments: &mut [(Cow<'_, str>, Json<'_>)]) {
    let bare = |value: &Json<'_>| {
        let text = value.text().unwrap_or_default();
        Some(without_first_end(text).len()).filter(|length| *length < text.len())
    };
    let of = |names: Names, (name, _): &(Cow<'_, str>, Json<'_>)| names.contains(&name.as_ref());
    let mut edits = arguments.iter().filter(|argument| of(OLD, argument) || of(NEW, argument));
    let both = edits.clone().count() == 2 && edits.all(|(_, value)| bare(value).is_some());
    for argument in arguments {
        let drops = of(CONTENT, argument) || both && (of(OLD, argument) || of(NEW, argument));
        if let Some(length) = bare(&argument.1).filter(|_| drops)
            && let Kind::Text(Cow::Borrowed(text)) = &mut argument.1.kind
        {
            *text = &text[text.len() - length..];
            let first = text.lines().next().unwrap_or_default();
            let place = argument.1.span;
            argument.1.span = Span { line: place.line.saturating_add(1), column: 1, length: utf16(first) };
        }
    }
}

fn blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_ascii_start().len()
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl Lines<'_> {
    /// The line of byte `to`, which is not before any that was asked for.
    fn line_of(&mut self, to: usize) -> u32 {
        let passed = &self.text.as_bytes()[self.at..to];
        work::count(passed.len());
        let lines = memchr::memchr_iter(b'\n', passed).count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at = to;
        self.line
    }

    fn span(&mut self, from: usize, to: usize) -> Span {
        let line = self.line_of(from);
        let head = memchr::memrchr(b'\n', &self.text.as_bytes()[..from]).map_or(0, |at| at + 1);
        let first = self.text[from..to].lines().next().unwrap_or_default();
        Span { line, column: utf16(&self.text[head..from]).saturating_add(1), length: utf16(first) }
    }
}
