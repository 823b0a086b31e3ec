//! Replaces spans by a text, and holds the result of an edit.
//!
//! It must not know how the spans were found. The size of the result is known before anything is allocated.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

use super::eol::{lf_to_crlf, lines_at, to_lf};
use super::{EditError, Expect, Field, LineEnds, Text};

const LINES_LISTED: usize = 20;

/// A file's new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// All of it, with byte order mark.
    pub bytes: Vec<u8>,
    /// The number of places that were replaced (for lines: the number of lines); none if nothing changes.
    pub replacements: usize,
    /// True if the file holds this content already.
    pub unchanged: bool,
    /// The line, from 1, of the new content in which the one match began or ended next to text that stays.
    pub within_line: Option<usize>,
    /// The first and the last line, from 1, of the text before that the one match took from.
    pub lines: Option<(usize, usize)>,
    /// True if the new text got the indentation of the place.
    pub indented: bool,
}

impl Edited {
    pub(super) fn new(text: &Text<'_>, body: String, replacements: usize) -> Edited {
        let unchanged = body == text.as_str();
        let replacements = if unchanged { 0 } else { replacements };
        Edited {
            bytes: text.encode(body),
            replacements,
            unchanged,
            within_line: None,
            lines: None,
            indented: false,
        }
    }
}

/// A file's text and what is looked for, in a form in which they can be compared byte by byte.
///
/// In a file whose line ends are all CRLF, everything is LF: each of its LFs has a CR before it, so putting
/// them back restores every untouched byte and gives inserted lines their CRLF.
pub(super) struct Comparable<'a> {
    pub(super) body: Cow<'a, str>,
    crlf: bool,
}

impl<'a> Comparable<'a> {
    pub(super) fn new(text: &Text<'a>) -> Comparable<'a> {
        let crlf = text.line_ends() == LineEnds::CrLf;
        let body = if crlf { to_lf(text.as_str()) } else { Cow::Borrowed(text.as_str()) };
        Comparable { body, crlf }
    }

    pub(super) fn field<'f>(&self, field: &'f str) -> Cow<'f, str> {
        if self.crlf { to_lf(field) } else { Cow::Borrowed(field) }
    }

    pub(super) fn line_of(&self, at: usize) -> usize {
        memchr_iter(b'\n', &self.body.as_bytes()[..at]).count() + 1
    }

    fn size(&self, part: &str) -> u64 {
        let extra = if self.crlf { memchr_iter(b'\n', part.as_bytes()).count() } else { 0 };
        part.len() as u64 + extra as u64
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    pub(super) field: Field,
    pub(super) expected: Expect,
}

/// Replaces `spans` of `there` by `new`, if there are as many as expected and the result is not too large.
///
/// `spans` is walked several times, and must be ascending and not overlap.
pub(super) fn splice(
    text: &Text<'_>,
    there: &Comparable<'_>,
    spans: impl Iterator<Item = Range<usize>> + Clone,
    new: &str,
    sought: Sought,
    max_bytes: usize,
) -> Result<Edited, EditError> {
    check_expected(there, spans.clone().map(|span| span.start), sought)?;
    splice_all(text, there, spans.map(|span| (span, new)), max_bytes)
}

pub(super) fn check_expected(
    there: &Comparable<'_>,
    starts: impl Iterator<Item = usize> + Clone,
    Sought { field, expected }: Sought,
) -> Result<(), EditError> {
    let count = starts.clone().count();
    if expected.allows(count) {
        return Ok(());
    }
    let listed: Vec<usize> = starts.take(LINES_LISTED).collect();
    Err(match count {
        0 => EditError::NoMatch { field },
        _ => EditError::MatchCount { field, expected, found: count, lines: lines_at(&there.body, &listed) },
    })
}

/// Replaces each span of `there` by its text, if the result is not too large.
///
/// `spans` is walked twice, and must be ascending and not overlap.
pub(super) fn splice_all<'n>(
    text: &Text<'_>,
    there: &Comparable<'_>,
    spans: impl Iterator<Item = (Range<usize>, &'n str)> + Clone,
    max_bytes: usize,
) -> Result<Edited, EditError> {
    let body = there.body.as_ref();
    let (mut count, mut removed, mut added) = (0usize, 0u64, 0u64);
    let (mut within, mut lines) = (None, None);
    for (span, new) in spans.clone() {
        count += 1;
        within = if count == 1 { line_of_part(body, &span, new) } else { None };
        lines = if count == 1 { lines_of(body, &span) } else { None };
        removed += there.size(&body[span]);
        added = added.saturating_add(there.size(new));
    }
    let rest = text.bom_len() as u64 + text.as_str().len() as u64 - removed;
    // The size is checked before anything is allocated: many replacements by a long text fit no memory.
    let size = rest.saturating_add(added);
    check_size(size, max_bytes)?;
    let mut out = String::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut from = 0;
    for (span, new) in spans {
        out.push_str(&body[from..span.start]);
        out.push_str(new);
        from = span.end;
    }
    out.push_str(&body[from..]);
    let edited = Edited::new(text, if there.crlf { lf_to_crlf(&out) } else { out }, count);
    Ok(Edited { within_line: within, lines, ..edited })
}

// Returns the line, from 1, in which `new` is next to other text if it takes the place of `span` of `body`:
// the one in which it begins, or else ends. Blanks are not text.
fn line_of_part(body: &str, span: &Range<usize>, new: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let head = memchr::memrchr(b'\n', &bytes[..span.start]).map_or(0, |at| at + 1);
    let tail = memchr::memchr(b'\n', &bytes[span.end..]).map_or(body.len(), |at| span.end + at);
    let line = memchr_iter(b'\n', &bytes[..span.start]).count() + 1;
    // Blanks that the new text brings along end up behind those of the line.
    let deeper =
        span.start > head && new.starts_with([' ', '\t']) && !body[span.start..].starts_with([' ', '\t']);
    if !body[head..span.start].trim().is_empty() || deeper {
        return Some(line);
    }
    // A match that ends with its line ends next to nothing, unless the next line is joined to the new text.
    let ends =
        span.start < span.end && bytes[span.end - 1] == b'\n' && (new.is_empty() || new.ends_with('\n'));
    let is_part = !ends && !body[span.end..tail].trim().is_empty();
    is_part.then(|| line + memchr_iter(b'\n', new.as_bytes()).count())
}

fn lines_of(body: &str, span: &Range<usize>) -> Option<(usize, usize)> {
    let last = span.end - usize::from(body[span.clone()].ends_with('\n'));
    let lines = lines_at(body, &[span.start, last.max(span.start)]);
    Some((*lines.first()?, *lines.last()?))
}

pub(super) fn check_size(size: u64, max_bytes: usize) -> Result<(), EditError> {
    let limit = max_bytes as u64;
    if size > limit { Err(EditError::TooLarge { size, limit }) } else { Ok(()) }
}
