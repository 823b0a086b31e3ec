//! One assignment of a SHAM block: `key = "value"` or `key = <<'DELIM'`.
//!
//! Reads a single line and finds the places of its parts; it knows nothing of the block around it and of the
//! lines of a heredoc. Ranges are bytes of the line.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::quoted::{self, QuotedError};

const MAX_KEY_UTF16: u32 = 256;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment<'a> {
    pub(super) key: Result<&'a str, KeyError>,
    /// From the line's start to the key's end.
    pub(super) key_range: Range<usize>,
    pub(super) value: Value<'a>,
    pub(super) value_range: Range<usize>,
    /// Text after the end of the value.
    pub(super) trailing: Option<Range<usize>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyError {
    /// `:=` or `=>` in place of `=`.
    Operator(Range<usize>),
    /// No key before the `=` at this byte.
    Empty(usize),
    /// A character that no key may contain there, and its 1-based UTF-16 position.
    Character(char, u32),
    TooLong,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A quoted string, escapes undone; or an integer, which needs no quotes.
    Text(Cow<'a, str>),
    /// The opener of a heredoc with this delimiter, whose bytes these are.
    Heredoc(&'a str, Range<usize>),
    /// An opening quote, at this byte, without a closing one.
    UnclosedQuote(usize),
    /// A quoted string with an escape that JSON does not know.
    BadEscape(Range<usize>),
    Missing,
    /// None of these. If it resembles the opener of a heredoc, the word that may end it.
    Other(Option<&'a str>),
}

pub(super) fn find(line: &str) -> Option<Assignment<'_>> {
    memchr(b'=', line.as_bytes()).map(|equals| read(line, equals))
}

fn read(line: &str, equals: usize) -> Assignment<'_> {
    let operator = operator(line.as_bytes(), equals);
    let key_text = line[..operator.start].trim_end();
    let key = if operator.len() > 1 {
        Err(KeyError::Operator(operator.clone()))
    } else if key_text.is_empty() {
        Err(KeyError::Empty(equals))
    } else {
        check_key(key_text).map(|()| key_text)
    };
    let rest = line[operator.end..].trim_end();
    let text = rest.trim_start();
    let end = operator.end + rest.len();
    let start = end - text.len();
    let (value, length) = value(text, start);
    let tail = &text[length..];
    let trailing = tail.trim_start();
    let trailing = if trailing.is_empty() { None } else { Some(end - trailing.len()..end) };
    Assignment { key, key_range: 0..key_text.len(), value, value_range: start..start + length, trailing }
}

/// The operator around the `=` at byte `equals`.
fn operator(line: &[u8], equals: usize) -> Range<usize> {
    if equals > 0 && line[equals - 1] == b':' {
        equals - 1..equals + 1
    } else if line.get(equals + 1) == Some(&b'>') {
        equals..equals + 2
    } else {
        equals..equals + 1
    }
}

/// A key is a Unicode letter or `_`, then letters, digits and `_`, of at most 256 UTF-16 units.
fn check_key(key: &str) -> Result<(), KeyError> {
    let mut position = 1;
    for character in key.chars() {
        let good = character == '_'
            || if position == 1 { character.is_alphabetic() } else { character.is_alphanumeric() };
        if !good {
            return Err(KeyError::Character(character, position));
        }
        position += if character.len_utf16() == 2 { 2 } else { 1 };
    }
    if position - 1 > MAX_KEY_UTF16 { Err(KeyError::TooLong) } else { Ok(()) }
}

/// Parses `text`, trimmed and found at byte `start` of its line; returns the value and the bytes that it
/// takes.
fn value(text: &str, start: usize) -> (Value<'_>, usize) {
    if text.is_empty() {
        return (Value::Missing, 0);
    }
    if text.starts_with('"') {
        return match quoted::read(text) {
            Ok(quoted) => (Value::Text(quoted.value), quoted.length),
            Err(QuotedError::Unclosed) => (Value::UnclosedQuote(start), text.len()),
            Err(QuotedError::Escape(range)) => {
                (Value::BadEscape(start + range.start..start + range.end), text.len())
            }
        };
    }
    let Some(opener) = text.strip_prefix("<<") else {
        let integer = is_integer(text);
        return (if integer { Value::Text(text.into()) } else { Value::Other(None) }, text.len());
    };
    match opener.strip_prefix('\'').and_then(|rest| rest.find('\'').map(|end| &rest[..end])) {
        Some(delimiter) => {
            let range = start + 3..start + 3 + delimiter.len();
            (Value::Heredoc(delimiter, range), delimiter.len() + 4)
        }
        None => (Value::Other(Some(bare_delimiter(opener))), text.len()),
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The word that ends the heredoc which `<<-"WORD"`, `<<WORD` and the like seem to open.
fn bare_delimiter(opener: &str) -> &str {
    opener.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '~' | '"' | '\'' | '`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Assignment<'_> {
        find(line).unwrap()
    }

    #[test]
    fn finds_the_parts() {
        let line = "clé \t=  \"v\"  tail ";
        let parts = parts(line);
        assert_eq!(parts.key, Ok("clé"));
        assert_eq!(&line[parts.value_range], "\"v\"");
        assert_eq!(&line[parts.trailing.unwrap()], "tail");
    }

    #[test]
    fn operators_count_only_where_the_equals_sign_belongs() {
        assert_eq!(parts("k := \"v\"").key, Err(KeyError::Operator(2..4)));
        assert_eq!(parts("k => \"v\"").key, Err(KeyError::Operator(2..4)));
        assert_eq!(parts("k = \"a := b => c\"").value, Value::Text("a := b => c".into()));
        assert_eq!(parts("k == \"v\"").value, Value::Other(None));
    }

    #[test]
    fn keys() {
        assert_eq!(parts(" = \"v\"").key, Err(KeyError::Empty(1)));
        assert_eq!(parts("1k = \"v\"").key, Err(KeyError::Character('1', 1)));
        assert_eq!(parts("𝐀k-b = \"v\"").key, Err(KeyError::Character('-', 4)));
        assert_eq!(parts("a\u{200b} = \"v\"").key, Err(KeyError::Character('\u{200b}', 2)));
        assert_eq!(parts(&format!("{} = \"v\"", "𝐀".repeat(129))).key, Err(KeyError::TooLong));
        assert!(parts(&format!("{} = \"v\"", "𝐀".repeat(128))).key.is_ok());
    }

    #[test]
    fn integers_need_no_quotes() {
        assert_eq!(parts("count = 4 ").value, Value::Text("4".into()));
        assert_eq!(parts("count = -12").value, Value::Text("-12".into()));
        for line in ["count = 4.0", "count = -", "count = 4 # x", "count = four"] {
            assert_eq!(parts(line).value, Value::Other(None), "{line}");
        }
    }

    #[test]
    fn heredoc_openers() {
        assert_eq!(parts("k = <<'D' x").value, Value::Heredoc("D", 7..8));
        for line in ["k = <<D", "k = <<\"D\"", "k = <<-D", "k = <<'D", "k = << `D`"] {
            assert_eq!(parts(line).value, Value::Other(Some("D")), "{line}");
        }
    }
}
