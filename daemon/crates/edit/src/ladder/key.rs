//! Keys of lines: the part of a line that counts when it is compared.
//!
//! It must not know files or hunks: it sees one line, without its end.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKey {
    Exact,
    /// All but blanks at its end.
    NoTrailing,
    /// All but blanks at its start and end.
    NoIndent,
    /// All but blanks at its end, with typographic quotes, dashes and spaces as the plain ones.
    Plain,
}

impl LineKey {
    pub(super) const COUNT: usize = 4;

    pub(super) fn normalize(self, line: &str) -> Cow<'_, str> {
        match self {
            LineKey::Exact => Cow::Borrowed(line),
            LineKey::NoTrailing => Cow::Borrowed(line.trim_end()),
            LineKey::NoIndent => Cow::Borrowed(line.trim_end().trim_start_matches(INDENT)),
            LineKey::Plain if line.is_ascii() => Cow::Borrowed(line.trim_end()),
            LineKey::Plain => Cow::Owned(line.trim_end().chars().map(plain).collect()),
        }
    }
}

pub(super) const INDENT: [char; 2] = [' ', '\t'];

pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(INDENT).len()]
}

pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

pub(crate) fn plain(char: char) -> char {
    match char {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2032}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        _ => char,
    }
}
