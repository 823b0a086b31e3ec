//! The words of a hint: bounded lines, blanks made visible where they matter.
//!
//! It must not know what is being said.

use std::borrow::Cow;
use std::ops::Range;

pub(super) const LINES: usize = 38;
pub(super) const BYTES: usize = 7_900;
const SHOWN: usize = 2_000;
/// Bytes before the first difference that are shown of a line that is cut.
const LEAD: usize = 800;

#[derive(Debug, Default)]
pub(super) struct HintText {
    text: String,
    lines: usize,
    full: bool,
}

impl HintText {
    /// Adds a line; the first one that there is no room for is the end.
    pub(super) fn line(&mut self, line: &str) {
        self.full |= self.lines == LINES || self.text.len() + line.len() >= BYTES;
        if !self.full {
            if self.lines > 0 {
                self.text.push('\n');
            }
            self.text.push_str(line);
            self.lines += 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

pub(super) fn cut(line: &str) -> Cow<'_, str> {
    if line.len() <= SHOWN {
        return Cow::Borrowed(line);
    }
    Cow::Owned(format!("{}…", &line[..line.floor_char_boundary(SHOWN)]))
}

const SIDE: usize = 80;

/// Returns the part of a long line around `span`, in bytes, marked where it is cut.
#[must_use]
pub fn around(line: &str, span: Range<usize>) -> String {
    let from = line.floor_char_boundary(span.start.saturating_sub(SIDE).min(line.len()));
    let to = line.ceil_char_boundary((span.end + SIDE).min(line.len()));
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", mark(from > 0), &line[from..to], mark(to < line.len()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownBlanks {
    All,
    Outer,
    AsWritten,
}

pub(super) fn common_start(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    pairs.map(|(char, _)| char.len_utf8()).sum()
}

/// Returns the part of `line` around `difference` (in bytes), with invisible characters visible, and such
/// `blanks`: a tab as `→`, a space as `·`; a CR as `␍`, an LF as `␊`, others as `<U+00A0>`.
pub(super) fn visible(line: &str, difference: usize, blanks: ShownBlanks) -> String {
    let from = if line.len() <= SHOWN { 0 } else { difference.saturating_sub(LEAD) };
    let from = line.floor_char_boundary(from.min(line.len()));
    let to = line.floor_char_boundary((from + SHOWN).min(line.len()));
    let inner = line.len() - line.trim_start().len()..line.trim_end().len();
    let mut out = String::from(if from > 0 { "…" } else { "" });
    for (at, char) in line[from..to].char_indices() {
        let outer = !inner.contains(&(from + at));
        let marked = blanks == ShownBlanks::All || blanks == ShownBlanks::Outer && outer;
        match char {
            ' ' | '\t' if !marked => out.push(char),
            ' ' => out.push('·'),
            '\t' => out.push('→'),
            '\r' => out.push('␍'),
            '\n' => out.push('␊'),
            _ if invisible(char) => out.push_str(&format!("<U+{:04X}>", u32::from(char))),
            _ => out.push(char),
        }
    }
    out.push_str(if to < line.len() { "…" } else { "" });
    out
}

fn invisible(char: char) -> bool {
    let marks = matches!(char, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{FEFF}');
    let formatting = matches!(char, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}');
    char.is_control() || marks || formatting || char.is_whitespace() && char != ' '
}

pub(super) fn lines_name((first, last): (usize, usize)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}
