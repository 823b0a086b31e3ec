//! What a program on an answer's way has done to all of it: escapes, colours, blanks, line ends.
//!
//! Pure texts. An answer is read as it is first; only one without a block is read again without its damage.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::rules::is_marker;
use crate::{Dialect, unescaped};

/// An answer without its damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undamaged {
    /// The answer as it was meant, with as many lines.
    pub text: String,
    /// A sentence that says what was undone.
    pub message: &'static str,
}

/// Returns `text` without the damage that it may have, by each kind of damage; nothing for most texts.
#[must_use]
pub fn undamaged(text: &str) -> Vec<Undamaged> {
    let plain = without_colours(text);
    let coloured = plain.is_some();
    let plain = plain.as_deref().unwrap_or(text);
    let escaped = unescaped(plain).map(|text| Undamaged {
        text,
        message: "The whole answer is escaped: it was decoded once and read; lines count after that",
    });
    let blanks = with_plain_markers(plain).map(|text| Undamaged {
        text,
        message: "The answer's markers hold blanks that are not spaces (U+00A0 and the like): they were read as spaces",
    });
    let plain = coloured.then(|| Undamaged {
        text: plain.to_owned(),
        message: "The answer holds colours of a terminal: it was read without them",
    });
    escaped.into_iter().chain(plain).chain(blanks).collect()
}

/// Returns `text` with CRLF for CR CR LF, if all of its lines end so: a terminal or a transfer has translated the line
/// ends twice.
#[must_use]
pub fn single_line_ends(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let first = memchr(b'\n', bytes)?;
    let is_double = |at: usize| bytes[..at].ends_with(b"\r\r");
    if !is_double(first) || !memchr::memchr_iter(b'\n', bytes).all(is_double) {
        return None;
    }
    let ended = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => (line.trim_end_matches('\r'), "\r\n"),
        None => (line.trim_end_matches('\r'), ""),
    });
    Some(ended.flat_map(|(line, end)| [line, end]).collect())
}

/// Returns `text` without the sequences by which programs colour their output, if it has any.
fn without_colours(text: &str) -> Option<String> {
    memmem::find(text.as_bytes(), b"\x1b[")?;
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Parameters, then one letter.
        let behind = part.trim_start_matches(|sign: char| sign.is_ascii_digit() || ";:?".contains(sign));
        let letter = behind.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
        plain.push_str(if letter { &behind[1..] } else { part });
    }
    Some(plain)
}

// Returns true for a blank that takes a space's place in pages and is not a space.
fn is_odd_blank(char: char) -> bool {
    matches!(char, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Returns `text` with spaces for other blanks.
#[must_use]
pub fn plain_blanks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_odd_blank) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(is_odd_blank, " "))
}

/// Returns `text` with spaces for other blanks in the lines that are markers then, if there are any.
fn with_plain_markers(text: &str) -> Option<String> {
    let mut changed = false;
    let lines = text.split_inclusive('\n').map(|line| {
        let plain = match plain_blanks(line) {
            Cow::Owned(plain) if is_marker_of_any(&plain) && !is_marker_of_any(line) => plain,
            _ => return Cow::Borrowed(line),
        };
        changed = true;
        Cow::Owned(plain)
    });
    let text: String = lines.collect();
    changed.then_some(text)
}

fn is_marker_of_any(line: &str) -> bool {
    Dialect::ALL.iter().any(|dialect| is_marker(*dialect, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_line_ends_that_were_translated_twice_are_single() {
        for (text, plain) in [
            ("a\r\r\nb\r\r\n", Some("a\r\nb\r\n")),
            ("a\r\r\r\n\r\r\nb", Some("a\r\n\r\nb")),
            ("a\r\r\nb\r\n", None),
            ("a\r\nb\r\n", None),
            ("a\r\rb", None),
            ("a\n", None),
            ("", None),
        ] {
            assert_eq!(single_line_ends(text).as_deref(), plain, "{text:?}");
        }
    }

    #[test]
    fn regression_damage_to_a_whole_answer_is_undone() {
        let undone = |text: &str| undamaged(text).into_iter().map(|found| found.text).collect::<Vec<_>>();
        for (text, plain) in [
            ("\x1b[1ma.txt\x1b[0m\n\x1b[38;5;2m+b\x1b[m\n", "a.txt\n+b\n"),
            ("a\x1b[K\x1b[?25l\n", "a\n"),
            ("\x1b[33m<<<<<<< SEARCH\x1b[0m\n", "<<<<<<< SEARCH\n"),
            (
                "<<<<<<<\u{a0}SEARCH\n\u{a0}x\n>>>>>>>\u{202f}REPLACE",
                "<<<<<<< SEARCH\n\u{a0}x\n>>>>>>> REPLACE",
            ),
            ("***\u{3000}Begin\u{a0}Patch\n", "*** Begin Patch\n"),
            ("&lt;write path=\"a\"&gt;", "<write path=\"a\">"),
        ] {
            assert_eq!(undone(text), [plain], "{text:?}");
        }
        for text in ["a\n", "<<<<<<< SEARCH\n", "a\u{a0}b\n", "\x1b]0;t\n"] {
            assert_eq!(undone(text), <[&str; 0]>::default(), "{text:?}");
        }
    }
}
