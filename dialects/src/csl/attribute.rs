//! The attributes of a CSL marker: `name="v"` or `name='v'`, with blanks between them and around the `=`.
//!
//! `\"`, `\'` and `\\` are escapes; any other backslash is text. Works within one line.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::{Code, work};

const BLANKS: [char; 2] = [' ', '\t'];

/// Reads attributes from byte `from` of `line` up to the end delimiter `end`; returns them and the byte after
/// it.
pub(super) fn read_all<'a>(
    line: &'a str,
    from: usize,
    end: &str,
    limit: usize,
) -> Result<(Vec<Attribute<'a>>, usize), SyntaxError> {
    let mut attributes: Vec<Attribute<'a>> = Vec::new();
    let mut at = from;
    loop {
        let next = skip_blanks(line, at);
        if line[next..].starts_with(end) {
            return Ok((attributes, next + end.len()));
        }
        if next == line.len() {
            return Err(SyntaxError::malformed(line));
        }
        // An attribute needs a blank before it, and there is none.
        if next == at {
            return Err(invalid(line, next));
        }
        let (attribute, name_at, after) = read(line, next, end)?;
        work::count(attributes.len());
        if attributes.iter().any(|other| other.name == attribute.name) {
            let message = format!("Duplicate attribute: {}", shortened(attribute.name));
            let range = name_at..name_at + attribute.name.len();
            return Err(SyntaxError::new(Code::DuplicateAttribute, message, range));
        }
        if attributes.len() >= limit {
            let message = format!("More than {limit} attributes");
            return Err(SyntaxError::new(Code::TooManyFields, message, name_at..after));
        }
        attributes.push(attribute);
        at = after;
    }
}

/// Reads the attribute at byte `start` of `line`; returns it, the byte at which its name begins and the byte
/// after it.
fn read<'a>(line: &'a str, start: usize, end: &str) -> Result<(Attribute<'a>, usize, usize), SyntaxError> {
    let name = &line[start..name_end(line, start, end)];
    if name.is_empty() {
        return Err(invalid(line, start));
    }
    let equals = skip_blanks(line, start + name.len());
    if !line[equals..].starts_with('=') {
        let range = start..start + name.len();
        return Err(SyntaxError::new(Code::MissingEquals, "Expected '=' after attribute name", range));
    }
    let value = skip_blanks(line, equals + 1);
    if value == line.len() || line[value..].starts_with(end) {
        let range = start..equals + 1;
        return Err(SyntaxError::new(Code::MissingAttributeValue, "Missing attribute value", range));
    }
    let quote = line.as_bytes()[value];
    if quote != b'"' && quote != b'\'' {
        let stop = name_end(line, value, end).max(value + 1);
        return Err(SyntaxError::new(Code::UnquotedAttribute, "Unquoted attribute value", value..stop));
    }
    let Some((text, close)) = quoted(line, value + 1, quote) else {
        let message = "Unterminated quoted value";
        return Err(SyntaxError::new(Code::UnterminatedValue, message, value..line.len()));
    };
    Ok((Attribute { name, value: text, range: value + 1..close }, start, close + 1))
}

/// Returns the text from byte `from` up to the closing `quote`, escapes undone, and the byte of the quote.
fn quoted(line: &str, from: usize, quote: u8) -> Option<(Cow<'_, str>, usize)> {
    let bytes = line.as_bytes();
    let mut undone = String::new();
    let (mut copied, mut at) = (from, from);
    loop {
        at += memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[at] == quote {
            break;
        }
        if matches!(bytes.get(at + 1), Some(b'"' | b'\'' | b'\\')) {
            undone.push_str(&line[copied..at]);
            copied = at + 1;
            at += 2;
        } else {
            at += 1;
        }
    }
    if copied == from {
        return Some((Cow::Borrowed(&line[from..at]), at));
    }
    undone.push_str(&line[copied..at]);
    Some((Cow::Owned(undone), at))
}

fn skip_blanks(line: &str, from: usize) -> usize {
    line.len() - line[from..].trim_start_matches(BLANKS).len()
}

fn name_end(line: &str, from: usize, end: &str) -> usize {
    let rest = &line[from..];
    let stops =
        |(at, c): &(usize, char)| matches!(c, ' ' | '\t' | '=' | '"' | '\'') || rest[*at..].starts_with(end);
    rest.char_indices().find(stops).map_or(line.len(), |(at, _)| from + at)
}

fn invalid(line: &str, at: usize) -> SyntaxError {
    SyntaxError::new(Code::InvalidAttribute, "Invalid attribute syntax", at..line.len())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    /// Escapes undone; borrowed if there are none.
    pub(super) value: Cow<'a, str>,
    pub(super) range: Range<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) range: Range<usize>,
}

impl SyntaxError {
    pub(super) fn new(code: Code, message: impl Into<String>, range: Range<usize>) -> SyntaxError {
        SyntaxError { code, message: message.into(), range }
    }

    pub(super) fn malformed(line: &str) -> SyntaxError {
        SyntaxError::new(Code::MalformedMarker, "Malformed marker", 0..line.len())
    }
}

pub(super) fn shortened(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 100;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{}…", &name[..name.floor_char_boundary(LONGEST)]))
}
