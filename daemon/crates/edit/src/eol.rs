//! Line ends: those that a text uses, its lines, and conversion to and from LF.
//!
//! It must not know files or edits. A line ends at LF or CRLF, and at a lone CR only in a text without any LF
//! (spec: foreign-dialects 0.3). VT, FF, NEL, U+2028 and U+2029 end nothing.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

/// The line ends that a text uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// There is no line end at all.
    None,
    /// All are LF.
    Lf,
    /// All are CRLF.
    CrLf,
    /// There is no LF, but there are CRs.
    Cr,
    /// Some are LF, some CRLF.
    Mixed,
}

impl LineEnds {
    /// Returns the line ends of `text`.
    #[must_use]
    pub fn detect(text: &str) -> LineEnds {
        let bytes = text.as_bytes();
        let (mut all, mut crlf) = (0usize, 0usize);
        for at in memchr_iter(b'\n', bytes) {
            all += 1;
            crlf += usize::from(at > 0 && bytes[at - 1] == b'\r');
        }
        match (all, crlf) {
            (0, _) if memchr(b'\r', bytes).is_some() => LineEnds::Cr,
            (0, _) => LineEnds::None,
            (_, 0) => LineEnds::Lf,
            _ if all == crlf => LineEnds::CrLf,
            _ => LineEnds::Mixed,
        }
    }
}

/// A line of a text: its content, and its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// The offset at which the line starts, in bytes.
    pub start: usize,
    /// The line without its end.
    pub body: &'a str,
    /// `"\n"`, `"\r\n"`, `"\r"`, or `""` for a last line without one.
    pub end: &'a str,
}

impl TextLine<'_> {
    #[must_use]
    pub(crate) fn stop(&self) -> usize {
        self.start + self.body.len() + self.end.len()
    }
}

/// The lines of `text`. An empty text has none; a final line end starts no further line.
pub fn split_lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    let end = end_byte(text);
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let stop = memchr(end, rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let line = cut(start, &rest[..stop], end);
        start += stop;
        Some(line)
    })
}

pub(super) fn cut(start: usize, whole: &str, end: u8) -> TextLine<'_> {
    let length = match whole.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., last] if *last == end => 1,
        _ => 0,
    };
    let (body, end) = whole.split_at(whole.len() - length);
    TextLine { start, body, end }
}

pub(super) fn end_byte(text: &str) -> u8 {
    if text.contains('\n') { b'\n' } else { b'\r' }
}

pub(super) fn lines_at(text: &str, offsets: &[usize]) -> Vec<usize> {
    let (end, bytes) = (end_byte(text), text.as_bytes());
    let (mut line, mut from) = (1, 0);
    let count = |offset: &usize| {
        line += memchr_iter(end, &bytes[from..*offset]).count();
        from = *offset;
        line
    };
    offsets.iter().map(count).collect()
}

pub(super) fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

pub(super) fn lf_to_crlf(text: &str) -> String {
    let extra = memchr_iter(b'\n', text.as_bytes()).count();
    let mut out = String::with_capacity(text.len() + extra);
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => out.extend([line, "\r\n"]),
            None => out.push_str(line),
        }
    }
    out
}

/// The option `write.final_newline: ensure`: `content` with a line end after its last line: CRLF if all its line ends are, else LF.
///
/// Empty content has no last line and stays empty.
#[must_use]
pub fn ensure_final_newline(content: &str) -> Cow<'_, str> {
    if content.is_empty() || content.ends_with('\n') {
        return Cow::Borrowed(content);
    }
    let end = if LineEnds::detect(content) == LineEnds::CrLf { "\r\n" } else { "\n" };
    Cow::Owned([content, end].concat())
}
