//! A block from its head to its last marker: the places of its parts, or the reason why they are ambiguous.
//!
//! A marker cannot be content unless a backslash precedes it. So a block that holds further heads or tails is
//! ambiguous up to the tail that is the last one too many, and further dividers are content only where one
//! alone is as long as the head. If a block has lost its tail, the fence around it shows where it ends, and
//! the blocks after it are whole; in a file that may hold fences, the fence shows nothing.

use super::marker;
use crate::cursor::{Cursor, Line, may_begin};
use crate::fence::Fence;
use crate::findings::{Findings, opening};
use crate::region;

const FIRST_MARKER_CHARACTERS: &[u8] = b"<>=-+|`~";

#[derive(Debug)]
pub(super) struct Body<'a> {
    length: usize,
    dividers: Vec<(Line<'a>, usize)>,
    /// Its last line and the characters of that, if it has an end.
    pub(super) tail: Option<(Line<'a>, usize)>,
    /// The first head or tail that is one too many.
    pub(super) surplus: Option<Line<'a>>,
    /// True if it holds markers of git.
    conflict: bool,
    pub(super) wordless: Option<Line<'a>>,
    closing: Option<Line<'a>>,
    /// If its tail was forgotten: the line of the fence that ends it, and the head of the next block.
    pub(super) forgotten: Option<(Line<'a>, Line<'a>)>,
}

/// The reason why a block that ends cannot be divided.
#[derive(Debug)]
pub(super) enum Unparted<'a> {
    Missing,
    /// Several dividers, of which this one is the second; they may be those of a merge conflict.
    Several {
        second: Line<'a>,
        conflict: bool,
    },
    Unlike(Line<'a>),
}

impl<'a> Body<'a> {
    /// Reads the lines after a head with `length` characters; `cursor` is left after the block. `fences_end` it, if
    /// its file holds none.
    pub(super) fn read(
        length: usize,
        fences_end: bool,
        cursor: &mut Cursor<'a>,
        findings: &Findings<'_>,
    ) -> Body<'a> {
        let mut body = Body {
            length,
            dividers: Vec::new(),
            tail: None,
            surplus: None,
            conflict: false,
            wordless: None,
            closing: None,
            forgotten: None,
        };
        let mut depth = 1_usize;
        while let Some(line) = cursor.next_line() {
            if !may_begin(line.text, FIRST_MARKER_CHARACTERS) {
                continue;
            }
            if let Some(length) = marker::divider(line.text) {
                body.dividers.push((line, length));
            } else if marker::head(line.text).is_some() {
                // A further head needs a tail of its own, so that the block ends at the outermost tail.
                body.surplus.get_or_insert(line);
                depth += 1;
            } else if let Some(length) = marker::tail(line.text) {
                depth -= 1;
                if depth == 0 {
                    body.tail = Some((line, length));
                    body.take_surplus(fences_end, cursor, findings);
                    break;
                }
            } else if marker::is_conflict(line.text) {
                body.conflict = true;
                let wordless = !body.dividers.is_empty() && line.text.trim().bytes().all(|byte| byte == b'>');
                body.wordless = body.wordless.or(wordless.then_some(line));
            } else if body.closing.is_none()
                && body.surplus.is_none()
                && !body.dividers.is_empty()
                && findings.fence.is_closed_by(line.text)
            {
                body.closing = Some(line);
            }
        }
        body
    }

    /// Ends a block that has no tail at the line that closes its fence, if another block begins after that,
    /// and moves `cursor` from the end of the text to before that line. Does so only while the budget for
    /// fruitless reading ahead lasts.
    pub(super) fn end_at_fence(&mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'_>) {
        let (None, Some(next), Some(closing)) = (self.tail, self.surplus, self.closing) else { return };
        let Some(budget) = findings.lookahead.checked_sub(cursor.position() - closing.start) else { return };
        findings.lookahead = budget;
        (self.surplus, self.forgotten) = (None, Some((closing, next)));
        cursor.return_to(&closing);
    }

    /// Moves `cursor` from after a tail to past the last tail before the next block, if there is one: the
    /// text between belongs to the block.
    ///
    /// Nor does it if the fence around the block closes right behind its tail, and another one opens before the next
    /// tail: that one is of a block that has lost its head.
    fn take_surplus(&mut self, fences_end: bool, cursor: &mut Cursor<'a>, findings: &Findings<'_>) {
        let mut ahead = cursor.clone();
        let mut closed = false;
        while let Some(line) = ahead.next_line() {
            if closed && Fence::opened_by(line.text).is_some() {
                return;
            }
            closed |= fences_end
                && ahead.lines_passed() == cursor.lines_passed() + 1
                && findings.fence.is_closed_by(line.text);
            if let Some(length) = marker::tail(line.text) {
                // The tail before this one is the surplus marker.
                self.surplus = self.surplus.or(self.tail.map(|(line, _)| line));
                self.tail = Some((line, length));
                *cursor = ahead.clone();
            } else if marker::head(line.text).is_some()
                || opening(&line, &ahead, findings).is_some()
                || region::begins(&line, &ahead)
            {
                return;
            }
        }
    }

    pub(super) fn divider(&self, tail: usize) -> Result<Line<'a>, Unparted<'a>> {
        match *self.dividers.as_slice() {
            [] => Err(Unparted::Missing),
            [(line, length)] if marker::are_alike(length, self.length) => Ok(line),
            [(line, _)] => Err(Unparted::Unlike(line)),
            [_, (second, _), ..] => {
                let mut alike = self.dividers.iter().filter(|(_, length)| *length == self.length);
                match (alike.next(), alike.next()) {
                    (Some((line, _)), None) if tail == self.length => Ok(*line),
                    (_, other) => {
                        let second = other.map_or(second, |(line, _)| *line);
                        Err(Unparted::Several { second, conflict: self.conflict })
                    }
                }
            }
        }
    }
}
