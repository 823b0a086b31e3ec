//! Quoted text with JSON's escapes, within one line.
//!
//! Knows nothing of the place and the meaning of the quotation.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Quoted<'a> {
    /// Its text, escapes undone; borrowed if there are none.
    pub(crate) value: Cow<'a, str>,
    /// Bytes that it takes, with both quotes.
    pub(crate) length: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum QuotedError {
    Unclosed,
    /// An escape that JSON does not know, or half of a surrogate pair: its bytes, counted from the opening
    /// quote.
    Escape(Range<usize>),
}

/// Reads the quotation at the start of `text`, whose first character is `"`.
///
/// Escapes are JSON's: `\" \\ \/ \b \f \n \r \t` and `\uXXXX`, characters above U+FFFF as a surrogate pair.
/// Half a pair is an error, for it encodes no character. Control characters may be unescaped.
pub(crate) fn read(text: &str) -> Result<Quoted<'_>, QuotedError> {
    let bytes = text.as_bytes();
    let mut value = String::new();
    let mut fault = None;
    let (mut copied, mut at) = (1, 1);
    while let Some(offset) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += offset;
        if bytes[at] == b'"' {
            // An escape at fault is reported only once the quotation is known to close.
            if let Some(range) = fault {
                return Err(QuotedError::Escape(range));
            }
            let value = if copied == 1 {
                Cow::Borrowed(&text[1..at])
            } else {
                value.push_str(&text[copied..at]);
                Cow::Owned(value)
            };
            return Ok(Quoted { value, length: at + 1 });
        }
        value.push_str(&text[copied..at]);
        match escape(&text[at..]) {
            Ok((character, length)) => {
                value.push(character);
                at += length;
            }
            Err(length) => {
                fault.get_or_insert(at..at + length);
                at += length;
            }
        }
        copied = at;
    }
    Err(QuotedError::Unclosed)
}

// The character that the escape at the start of `text` denotes, and the escape's length in bytes; on error,
// the length of the text that is not an escape.
fn escape(text: &str) -> Result<(char, usize), usize> {
    let Some(kind) = text[1..].chars().next() else { return Err(1) };
    let character = match kind {
        '"' | '\\' | '/' => kind,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(text),
        other => return Err(1 + other.len_utf8()),
    };
    Ok((character, 2))
}

/// The same for an escape that starts with `\u`.
fn unicode(text: &str) -> Result<(char, usize), usize> {
    let Some(first) = unit(text) else { return Err(2) };
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Ok((character, 6));
    }
    let second = unit(&text[6..]).ok_or(6_usize)?;
    match char::decode_utf16([first, second]).next() {
        Some(Ok(character)) => Ok((character, 12)),
        _ => Err(6),
    }
}

fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if plain { u16::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> String {
        read(text).unwrap().value.into_owned()
    }

    #[test]
    fn undoes_the_escapes_of_json() {
        assert_eq!(value(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\udc4d""#), "\"\\/\u{8}\u{c}\n\r\té👍");
        assert_eq!(read("\"plain\" x"), Ok(Quoted { value: Cow::Borrowed("plain"), length: 7 }));
    }

    #[test]
    fn halves_of_pairs_and_unknown_escapes_are_errors() {
        for (text, range) in [
            (r#""a\d""#, 2..4),
            (r#""\é""#, 1..4),
            (r#""\ud83d""#, 1..7),
            (r#""\udc4d""#, 1..7),
            (r#""\ud83d\u0041""#, 1..7),
            (r#""\u12g4""#, 1..3),
            (r#""\u+123""#, 1..3),
        ] {
            assert_eq!(read(text), Err(QuotedError::Escape(range)), "{text}");
        }
    }

    #[test]
    fn a_missing_quote_counts_more_than_a_bad_escape() {
        for text in ["\"", "\"abc", "\"a\\", "\"a\\\"", "\"\\d", "\"\\u12"] {
            assert_eq!(read(text), Err(QuotedError::Unclosed), "{text}");
        }
    }
}
