//! Conversion of bytes of the text to lines and columns.
//!
//! If the places asked for ascend, it passes over the text once, however long its lines are.

use std::ops::Range;

use clada_schema::Span;
use memchr::{memchr, memchr_iter, memrchr};

use crate::cursor::{Breaks, Line, origin, utf16};
use crate::work;

#[derive(Debug, Clone)]
pub(super) struct Places<'a> {
    text: &'a str,
    line: u32,
    start: usize,
    /// The current byte, and the UTF-16 units before it on the line.
    at: usize,
    units: u32,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Places<'a> {
        let start = origin(text);
        Places { text, line: 1, start, at: start, units: 0 }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn go_to(&mut self, line: &Line<'_>) {
        (self.line, self.start, self.at, self.units) = (line.number, line.start, line.start, 0);
    }

    fn move_to(&mut self, at: usize) {
        if at < self.at {
            // Back on the same line; all other requests come in order.
            (self.at, self.units) = (self.start.min(at), 0);
        }
        let passed = &self.text.as_bytes()[self.at..at];
        work::count(passed.len());
        if let Some(last) = memrchr(b'\n', passed) {
            let lines = memchr_iter(b'\n', passed).count();
            self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            self.start = self.at + last + 1;
            (self.at, self.units) = (self.start, 0);
        }
        self.units = self.units.saturating_add(utf16(&self.text[self.at..at]));
        self.at = at;
    }

    pub(super) fn span(&mut self, range: Range<usize>) -> Span {
        self.move_to(range.start);
        let column = self.units.saturating_add(1);
        let shown = &self.text[range];
        Span { line: self.line, column, length: utf16(Breaks::Lf.first_line(shown).0) }
    }

    pub(super) fn line_number(&mut self, at: usize) -> u32 {
        self.move_to(at);
        self.line
    }

    pub(super) fn line(&self) -> Line<'a> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = memchr(b'\n', rest);
        let text = &self.text[self.start..length.map_or(self.text.len(), |length| self.at + length)];
        let text = if length.is_some() { text.strip_suffix('\r').unwrap_or(text) } else { text };
        work::count(text.len());
        Line { number: self.line, start: self.start, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let text = "\u{feff}a👍b\r\nsecond\n";
        let mut places = Places::new(text);
        assert_eq!(places.span(8..9), Span { line: 1, column: 4, length: 1 });
        assert_eq!(places.span(3..9), Span { line: 1, column: 1, length: 4 });
        assert_eq!((places.line().text, places.line().start), ("a👍b", 3));
        assert_eq!(places.span(13..17), Span { line: 2, column: 3, length: 4 });
        assert_eq!((places.line().text, places.line().number), ("second", 2));
        assert_eq!(places.line_number(text.len()), 3);
    }
}
