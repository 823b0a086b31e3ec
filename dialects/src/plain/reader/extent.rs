//! The extent of a fence: where its content ends.

use std::ops::Range;

use super::{Claim, Reader};
use crate::cursor::{Cursor, Line, first_mark};
use crate::fence::Fence;

// Bytes of a diff that are looked at behind a fence that may be a line of it.
const AHEAD: usize = 256 * 1024;

pub(super) struct Extent {
    pub(super) content: Range<usize>,
    pub(super) last: u32,
    pub(super) closed: bool,
    pub(super) claimed: bool,
    pub(super) nests: bool,
    /// The byte at which the first fence opens in it that would close it without its info string.
    pub(super) reopened: Option<usize>,
}

impl Reader<'_> {
    /// Moves behind the fence that was opened by `fence`. In one of Markdown, fences with an info string nest,
    /// and so do bare ones below a blank line with text right below.
    pub(super) fn extent(&mut self, fence: Fence, markdown: bool) -> Extent {
        let start = self.cursor.position();
        let (mut claimed, mut depth, mut nests, mut blank) = (false, 0_usize, false, false);
        let (mut last_bare, mut signed_until, mut reopened) = (None, start, None);
        let mut shorter = ShorterFences::default();
        loop {
            if let Some((_, last)) = self.skip() {
                claimed = true;
                if depth == 0 && fence.closes_at(last) {
                    let end = self.cursor.position();
                    return Extent {
                        content: start..end,
                        last: self.cursor.lines_passed(),
                        closed: true,
                        claimed,
                        nests,
                        reopened,
                    };
                }
                continue;
            }
            let Some(line) = self.cursor.next_line() else { break };
            let mark =
                if matches!(first_mark(line.text), b'`' | b'~') { Fence::read(line.text) } else { None };
            let Some((other, info)) = mark else {
                blank = line.text.trim().is_empty();
                continue;
            };
            nests |= !info.is_empty();
            if !markdown && !claimed && other.is_shorter(fence) {
                shorter.pass(info, line, || (self.cursor.clone(), self.claims));
            }
            if !other.closes(fence) || line.start < signed_until {
                continue;
            }
            if info.is_empty()
                && depth == 0
                && other.indent() > fence.indent()
                && let Some(until) = self.signed_until(fence, start..line.start)
            {
                signed_until = until;
                continue;
            }
            if info.is_empty() {
                let opens = markdown && depth == 0 && blank && self.runs_on();
                if depth == 0 && !opens {
                    return Extent {
                        content: start..line.start,
                        last: line.number,
                        closed: true,
                        claimed,
                        nests,
                        reopened,
                    };
                }
                last_bare = Some(line);
                depth = if opens { depth + 1 } else { depth - 1 };
            } else {
                if reopened.is_none() && shorter.last.is_some() {
                    break;
                }
                reopened.get_or_insert(line.start);
                depth += usize::from(markdown);
            }
            blank = false;
        }
        // Models close a fence of four ticks with three.
        if let Some((line, cursor, claims)) = shorter.last {
            (self.cursor, self.claims) = (cursor, claims);
            let (content, last) = (start..line.start, line.number);
            return Extent { content, last, closed: true, claimed, nests, reopened: None };
        }
        let (content, last) = (start..self.cursor.position(), self.cursor.lines_passed());
        match last_bare {
            // Fences in it that were not closed: its last one is its own.
            Some(line) if self.cursor.text()[line.end()..].trim().is_empty() => Extent {
                content: start..line.start,
                last: line.number,
                closed: true,
                claimed,
                nests,
                reopened,
            },
            _ => match self.shorter_end(fence, &content) {
                Some(end) => Extent { content: start..end, last, closed: true, claimed, nests, reopened },
                None => Extent { content, last, closed: false, claimed, nests, reopened },
            },
        }
    }

    // Returns the byte of the last line of `content`, up to the end of the answer, if it is a shorter fence than `fence` and the
    // only one in it: models count badly.
    fn shorter_end(&self, fence: Fence, content: &Range<usize>) -> Option<usize> {
        let text = self.cursor.text().get(content.clone())?;
        let last = text.trim_end();
        let start = last.rfind('\n').map_or(0, |at| at + 1);
        let is_fence = |line: &str| Fence::read(line).is_some_and(|(other, _)| other.mark() == fence.mark());
        let is_bare = Fence::read(&last[start..]).is_some_and(|(_, info)| info.is_empty());
        let is_only = !text[..start].lines().any(is_fence);
        (is_bare && is_fence(&last[start..]) && is_only).then_some(content.start + start)
    }

    /// Returns the place of the line that closes `fence`, if what it holds up to there is a diff: `above`, after which
    /// the line that was just read is one of the file, with the blank of its sign before it.
    fn signed_until(&self, fence: Fence, above: Range<usize>) -> Option<usize> {
        let dedented = |text: &'_ str| text.get(fence.indent()..).unwrap_or_default().chars().next();
        let is_signed =
            |text: &str| text.trim().is_empty() || matches!(dedented(text), Some(' ' | '+' | '-' | '@'));
        let is_change = |text: &str| matches!(dedented(text), Some('+' | '-'));
        let lines = || self.cursor.text()[above.clone()].lines();
        if !lines().all(is_signed) || !lines().any(is_change) {
            return None;
        }
        let mut ahead = self.cursor.clone();
        while let Some(line) = ahead.next_line() {
            let closes = Fence::read(line.text).is_some_and(|(other, info)| {
                info.is_empty() && other.closes(fence) && other.indent() <= fence.indent()
            });
            if closes {
                return Some(line.start);
            }
            if !is_signed(line.text) || line.start - above.end > AHEAD {
                return None;
            }
        }
        None
    }

    /// Returns true if the next line is text, and a fence comes after it.
    fn runs_on(&self) -> bool {
        let mut ahead = self.cursor.clone();
        let Some(line) = ahead.next_line() else { return false };
        !line.text.trim().is_empty() && Fence::read(line.text).is_none()
    }
}

// The fences of fewer ticks in a fence: those with an info string and the next bare one are pairs.
#[derive(Default)]
struct ShorterFences<'a> {
    is_open: bool,
    // The bare one of which no other is the pair, with the place behind it.
    last: Option<(Line<'a>, Cursor<'a>, &'a [Claim])>,
}

impl<'a> ShorterFences<'a> {
    fn pass(&mut self, info: &str, line: Line<'a>, behind: impl Fn() -> (Cursor<'a>, &'a [Claim])) {
        if !info.is_empty() || self.is_open {
            self.is_open = !info.is_empty();
            return;
        }
        self.last = match self.last.take() {
            Some(_) => None,
            None => {
                let (cursor, claims) = behind();
                Some((line, cursor, claims))
            }
        };
    }
}
