//! Lines of a text, one after the other: the position of the scanner.
//!
//! Knows line ends and UTF-16 columns, and nothing of dialects. The text is the answer as it was handed in; a
//! leading BOM belongs to no line. Lines end at LF or CRLF, for one dialect also at CR ([`Breaks`]); a last
//! line end starts no further line.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::Span;
use memchr::{memchr, memchr_iter, memchr2, memrchr, memrchr2};

use crate::work;

const BOM: &str = "\u{feff}";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Breaks {
    #[default]
    Lf,
    LfOrCr,
}

impl Breaks {
    #[inline]
    pub(crate) fn first_line(self, text: &str) -> (&str, usize) {
        let bytes = text.as_bytes();
        let end = match self {
            Breaks::Lf => first_lf(bytes),
            Breaks::LfOrCr => memchr2(b'\n', b'\r', bytes),
        };
        let Some(end) = end else { return (text, text.len()) };
        let crlf = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
        let cr = end > 0 && bytes[end - 1] == b'\r';
        (&text[..end - usize::from(cr)], end + if crlf { 2 } else { 1 })
    }

    pub(crate) fn last_line(self, text: &str) -> (&str, usize) {
        let body = self.without_end(text);
        let before = match self {
            Breaks::Lf => memrchr(b'\n', body.as_bytes()),
            Breaks::LfOrCr => memrchr2(b'\n', b'\r', body.as_bytes()),
        };
        let start = before.map_or(0, |at| at + 1);
        (&body[start..], start)
    }

    pub(crate) fn without_end(self, text: &str) -> &str {
        match text.strip_suffix('\n') {
            Some(body) => body.strip_suffix('\r').unwrap_or(body),
            None if self == Breaks::LfOrCr => text.strip_suffix('\r').unwrap_or(text),
            None => text,
        }
    }

    /// Returns whole lines as the text that they denote: joined by LF, without a final LF. Borrowed unless a
    /// CR has to go.
    pub(crate) fn joined(self, lines: &str) -> Cow<'_, str> {
        let content = self.without_end(lines);
        work::count(content.len());
        if memchr(b'\r', content.as_bytes()).is_none() {
            return Cow::Borrowed(content);
        }
        match self {
            Breaks::Lf if !content.contains("\r\n") => Cow::Borrowed(content),
            Breaks::Lf => Cow::Owned(content.replace("\r\n", "\n")),
            Breaks::LfOrCr => Cow::Owned(content.replace("\r\n", "\n").replace('\r', "\n")),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// 1-based.
    pub(crate) number: u32,
    /// Byte offset of its first character in the whole text; the text's length for the place past its end.
    pub(crate) start: usize,
    /// Its content, without LF or CRLF.
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    /// Returns its content after `indentation`; all of it if it is not indented that far, nothing if it is
    /// blank then.
    #[inline]
    pub(crate) fn dedented(&self, indentation: &str) -> &'a str {
        if indentation.is_empty() {
            return self.text;
        }
        match self.text.strip_prefix(indentation) {
            Some(text) => text,
            None if self.text.trim_ascii().is_empty() => "",
            None => self.text,
        }
    }
}

impl Line<'_> {
    /// Byte offset just after its last character, before its line end.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The part `range` of it, in bytes of the line, as columns. Both ends lie on character boundaries.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let column = utf16(&self.text[..range.start]).saturating_add(1);
        Span { line: self.number, column, length: utf16(&self.text[range]) }
    }

    pub(crate) fn whole(&self) -> Span {
        self.span(0..self.text.len())
    }

    pub(crate) fn end_of_previous<'t>(&self, text: &'t str) -> Line<'t> {
        let end = Breaks::Lf.without_end(&text[..self.start]).len();
        Line { number: self.number.saturating_sub(1), start: end, text: "" }
    }

    pub(crate) fn place(&self) -> Span {
        Span { line: self.number, column: 1, length: 0 }
    }
}

/// Returns the position of the first LF of `bytes`. Most lines are short, so their bytes are compared eight
/// at a time before a search begins that is made for long texts.
#[inline]
fn first_lf(bytes: &[u8]) -> Option<usize> {
    const SHORT: usize = 64;
    const ONES: u64 = u64::MAX / 255;
    let (words, _) = bytes[..bytes.len().min(SHORT)].as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        // A byte of zeros is where the LF was; the lowest one is found exactly.
        let other = u64::from_le_bytes(*word) ^ (ONES * b'\n' as u64);
        let zeros = other.wrapping_sub(ONES) & !other & (ONES << 7);
        if zeros != 0 {
            return Some(index * 8 + zeros.trailing_zeros() as usize / 8);
        }
    }
    let looked_at = words.len() * 8;
    memchr(b'\n', &bytes[looked_at..]).map(|at| looked_at + at)
}

// The first byte of `line` that is not a blank; a blank if there is none.
#[inline]
pub(crate) fn first_mark(line: &str) -> u8 {
    line.bytes().find(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(b' ')
}

/// Returns whether one of the ASCII characters `marks` can be the first of `line` that is no blank: a cheap
/// check, which may err towards true.
#[inline]
pub(crate) fn may_begin(line: &str, marks: &[u8]) -> bool {
    let first = line.bytes().find(|byte| !matches!(byte, b' ' | b'\t'));
    first.is_some_and(|first| !first.is_ascii_graphic() || marks.contains(&first))
}

#[inline]
pub(crate) fn may_be_indented(line: &str) -> bool {
    line.as_bytes().first().is_some_and(|first| !first.is_ascii_graphic())
}

pub(crate) fn utf16(text: &str) -> u32 {
    // A character that UTF-8 writes in four bytes has two units.
    work::count(text.len());
    let units = |byte: u8| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
    let count = if text.is_ascii() { text.len() } else { text.bytes().map(units).sum() };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the byte at which the first line of `text` begins: after a BOM, if there is one.
pub(crate) fn origin(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len() } else { 0 }
}

/// The next place of a sign in a text whose lines are read one after the other: few lines have it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Next {
    at: usize,
}

impl Next {
    /// Returns true if the sign that `find` finds is in `line` of `text`. The lines asked for ascend; for the
    /// first one the result may be wrongly true.
    #[inline]
    pub(crate) fn is_in(
        &mut self,
        line: &Line<'_>,
        text: &str,
        find: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> bool {
        if self.at < line.start {
            self.at = find(&text.as_bytes()[line.start..]).map_or(text.len(), |at| line.start + at);
        }
        self.at < line.end()
    }
}

/// A place between two lines, which moves forward.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    position: usize,
    number: u32,
    /// The line ends of the lines that it returns.
    pub(crate) breaks: Breaks,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, position: origin(text), number: 1, breaks: Breaks::Lf }
    }

    pub(crate) fn at(text: &'a str, position: usize, number: u32, breaks: Breaks) -> Cursor<'a> {
        Cursor { text, position, number, breaks }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn lines_passed(&self) -> u32 {
        self.number - 1
    }

    // In registers: as a call, its result goes through memory in parts, on which the next read waits.
    #[inline(always)]
    pub(crate) fn next_line(&mut self) -> Option<Line<'a>> {
        let rest = &self.text[self.position..];
        if rest.is_empty() {
            return None;
        }
        let (text, taken) = self.breaks.first_line(rest);
        work::count(taken);
        let line = Line { number: self.number, start: self.position, text };
        self.position += taken;
        self.number = self.number.saturating_add(1);
        Some(line)
    }

    pub(crate) fn after_line(mut self) -> usize {
        self.next_line();
        self.position
    }

    pub(crate) fn return_to(&mut self, line: &Line<'_>) {
        self.position = line.start;
        self.number = line.number;
    }

    pub(crate) fn skip_to(&mut self, position: usize) {
        let passed = &self.text.as_bytes()[self.position..position];
        work::count(passed.len());
        let lines = memchr_iter(b'\n', passed).count();
        self.number = self.number.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.position = position;
    }

    pub(crate) fn finish(&mut self) -> Line<'a> {
        let open = !self.text[self.position..].is_empty() && !self.text.ends_with('\n');
        self.skip_to(self.text.len());
        self.number = self.number.saturating_add(u32::from(open));
        Line { number: self.number, start: self.text.len(), text: "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_or_crlf_and_a_bom_is_in_none() {
        let mut cursor = Cursor::new("\u{feff}a\r\n\nb\rc\n");
        let lines: Vec<_> =
            std::iter::from_fn(|| cursor.next_line()).map(|l| (l.number, l.start, l.text)).collect();
        assert_eq!(lines, [(1, 3, "a"), (2, 6, ""), (3, 7, "b\rc")]);
        assert_eq!(cursor.finish().number, 4);
    }

    #[test]
    fn lines_of_any_length_end_at_their_first_lf() {
        for length in 0..150 {
            for rest in ["", "\n", "\n\n", "\nx", "\n\u{b}\u{b}\u{b}\u{b}\u{b}\u{b}\u{b}\u{b}"] {
                // A byte one above LF is the one that a borrow could mistake for LF.
                let text = format!("{}{rest}", "\u{b}".repeat(length));
                let end = rest.starts_with('\n').then_some(length);
                assert_eq!(first_lf(text.as_bytes()), end, "{length} {rest:?}");
            }
        }
    }

    #[test]
    fn lines_end_at_cr_where_they_should() {
        let text = "a\r\n\nb\rc\r\r\n";
        let mut cursor = Cursor::at(text, 0, 1, Breaks::LfOrCr);
        let lines: Vec<_> =
            std::iter::from_fn(|| cursor.next_line()).map(|l| (l.number, l.start, l.text)).collect();
        assert_eq!(lines, [(1, 0, "a"), (2, 3, ""), (3, 4, "b"), (4, 6, "c"), (5, 8, "")]);
        assert_eq!(Breaks::LfOrCr.joined(text), "a\n\nb\nc\n");
        assert_eq!(Breaks::Lf.joined(text), "a\n\nb\rc\r");
        assert_eq!(Breaks::LfOrCr.last_line("a\rb\r\n"), ("b", 2));
        assert_eq!(Breaks::Lf.last_line("a\rb\r\n"), ("a\rb", 0));
    }

    #[test]
    fn the_end_is_one_past_the_last_line_with_and_without_a_line_end() {
        for text in ["a\nb", "a\nb\n"] {
            assert_eq!(Cursor::new(text).finish().number, 3, "{text:?}");
        }
        assert_eq!(Cursor::new("").finish().number, 1);
    }

    #[test]
    fn columns_count_utf16_units() {
        let line = Line { number: 7, start: 0, text: "é👍x" };
        assert_eq!(line.span(6..7), Span { line: 7, column: 4, length: 1 });
        assert_eq!(line.whole().length, 4);
    }
}
