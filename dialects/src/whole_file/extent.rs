//! The end of a listing, whose content may hold fences itself.
//!
//! The first fence that closes it by Markdown's rules is its end, unless the fences up to the next listing
//! show that it may not be. A Markdown file may hold fences, so there those with an info string are paired
//! first, and then the last closing one counts (spec: foreign-dialects, section 2). A listing that can be
//! read in two ways is reported as such.

use super::opening::Opening;
use crate::cursor::{Breaks, Cursor, Line};
use crate::dialect::Dialect;
use crate::fence::{Fence, FenceState};
use crate::file_name::is_markdown;
use crate::findings::{Findings, opening_of_another};

/// The end of a listing, or why there is none.
#[derive(Debug)]
pub(super) enum End<'a> {
    /// Its closing fence.
    At(Line<'a>),
    /// No closing fence.
    Unclosed,
    /// Several fences at which it may end, with the first of them and the line at which all of it ends at the
    /// latest.
    Ambiguous(Line<'a>, Line<'a>),
}

/// A fence after the opening one that is long enough to close it.
#[derive(Debug)]
struct Mark<'a> {
    line: Line<'a>,
    /// True if it has no info string, so that it can close a fence.
    bare: bool,
    /// True if the text after it is directly below.
    runs_on: bool,
}

/// The fences and blocks in the lines from the content of a listing up to the next listing.
#[derive(Debug, Default)]
pub(super) struct Extent<'a> {
    marks: Vec<Mark<'a>>,
    /// The first line at which a block of another dialect opens: the number of marks before it, and that
    /// dialect.
    other: Option<(usize, Dialect)>,
}

impl<'a> Extent<'a> {
    /// Reads on from `content`, the place after the fence of `opening`.
    pub(super) fn read(opening: &Opening<'a>, content: Cursor<'a>, findings: &Findings<'_>) -> Extent<'a> {
        let mut extent = Extent::default();
        let mut outside = None::<FenceState>;
        let mut ahead = content;
        while let Some(line) = ahead.next_line() {
            if outside.is_some_and(|fence| !fence.is_inside()) && Opening::read(&line, &ahead).is_some() {
                break;
            }
            if extent.other.is_none()
                && let Some(dialect) = opening_of_another(&line, &ahead, findings)
            {
                extent.other = Some((extent.marks.len(), dialect));
            }
            if let Some(fence) = &mut outside {
                fence.line(line.text);
            }
            let mark = Fence::read(line.text).filter(|(fence, _)| fence.closes(opening.fence));
            let Some((_, info)) = mark else { continue };
            let bare = info.is_empty();
            let runs_on = bare && runs_on(&ahead);
            extent.marks.push(Mark { line, bare, runs_on });
            if bare && outside.is_none() {
                outside = Some(FenceState::default());
            }
        }
        extent
    }

    /// Returns the end of the listing of the file called `path`.
    pub(super) fn end(&self, path: &str) -> End<'a> {
        let Some(first) = self.marks.iter().position(|mark| mark.bare) else { return End::Unclosed };
        let found = if is_markdown(path) { self.end_of_markdown() } else { self.end_of_code(first) };
        match found {
            Ok(Some(index)) => End::At(self.marks[index].line),
            Ok(None) => End::Unclosed,
            Err(index) => {
                let last = self.marks.last().map_or(self.marks[first].line, |mark| mark.line);
                End::Ambiguous(self.marks[index].line, last)
            }
        }
    }

    /// The dialect of a block that opens in the content, which ends at `end`.
    pub(super) fn other(&self, end: &End<'_>) -> Option<Dialect> {
        let (marks, dialect) = self.other?;
        match end {
            End::At(close) | End::Ambiguous(_, close) => {
                let before = marks.checked_sub(1).and_then(|index| self.marks.get(index));
                before.is_none_or(|mark| mark.line.start < close.start).then_some(dialect)
            }
            End::Unclosed => Some(dialect),
        }
    }

    /// The index of the mark that ends a file whose text holds no fences, the first bare one being `first`;
    /// `Err` with that of a mark that makes it doubtful.
    fn end_of_code(&self, first: usize) -> Result<Option<usize>, usize> {
        // A fence that opens within the listing: the one before it was not closed, or the content holds it.
        if first > 0 {
            return Err(0);
        }
        let follows = &self.marks[first + 1..];
        if self.marks[first].runs_on && !are_samples(follows) {
            return Err(first);
        }
        Ok(Some(first))
    }

    /// The same for a Markdown file.
    fn end_of_markdown(&self) -> Result<Option<usize>, usize> {
        let mut depth = 0_usize;
        let paired = self.marks.iter().position(|mark| {
            let closes = mark.bare && depth == 0;
            depth = if mark.bare { depth.saturating_sub(1) } else { depth + 1 };
            closes
        });
        let Some(paired) = paired else { return Ok(None) };
        if are_samples(&self.marks[paired + 1..]) {
            return Ok(Some(paired));
        }
        let Some(last) = self.marks.iter().rposition(|mark| mark.bare) else { return Ok(None) };
        let mut inside = false;
        for mark in &self.marks[..last] {
            if inside && !mark.bare {
                return Err(paired);
            }
            inside = !inside;
        }
        if inside { Err(paired) } else { Ok(Some(last)) }
    }
}

/// Returns true if `marks` are fences with an info string, each closed by a bare one.
fn are_samples(marks: &[Mark<'_>]) -> bool {
    marks.chunks(2).all(|pair| matches!(pair, [open, close] if !open.bare && close.bare))
}

/// Returns true if the line after a fence, which `after` follows, goes on as content would.
fn runs_on(after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    let Some(line) = ahead.next_line() else { return false };
    !line.text.trim().is_empty() && Opening::read(&line, &ahead).is_none()
}

/// The lines of `text`, which is whole lines, each with an LF, and without `indent` if all of them have it.
pub(crate) fn content<'a>(text: &'a str, indent: &str) -> std::borrow::Cow<'a, str> {
    let mut cursor = Cursor::at(text, 0, 1, Breaks::Lf);
    let mut indented = !indent.is_empty();
    let mut plain = true;
    while let Some(line) = cursor.next_line() {
        indented &= line.text.starts_with(indent) || line.text.trim().is_empty();
        plain &= cursor.position() == line.end() + 1;
    }
    if plain && !indented {
        return text.into();
    }
    let mut cursor = Cursor::at(text, 0, 1, Breaks::Lf);
    let mut lines = String::with_capacity(text.len());
    while let Some(line) = cursor.next_line() {
        lines += if indented { line.text.strip_prefix(indent).unwrap_or_default() } else { line.text };
        lines.push('\n');
    }
    lines.into()
}
