//! A fence within the fence of a diff: whether it closes that, or is a line of a file.
//!
//! Input is the place behind it. Reads ahead to the next fence that could close the diff's, and no further
//! than one hunk.

use super::{header, sign};
use crate::cursor::Cursor;
use crate::fence::Fence;
use crate::hunk::{Due, says_no_newline};

pub(super) struct FenceContent<'r, 'a> {
    /// Behind that line.
    pub(super) cursor: &'r Cursor<'a>,
    pub(super) indentation: &'r str,
    pub(super) fence: Fence,
}

impl FenceContent<'_, '_> {
    /// The byte up to which the diff goes on for certain after `text`, if that does not close it. `due` is
    /// the rest that the hunk still waits for, and `inner` the fence that a line of it has opened.
    pub(super) fn goes_on(&self, text: &str, due: Option<Due>, inner: Option<Fence>) -> Option<usize> {
        let inside = inner.is_some_and(|inner| inner.is_closed_by(text)) || text.starts_with(' ');
        if !inside && self.is_doubled() {
            return None;
        }
        self.by_counts(due).or_else(|| self.by_looks(inside))
    }

    /// Returns true if a fence follows at once: a second one that closes the diff, or that of the next diff.
    fn is_doubled(&self) -> bool {
        let mut ahead = self.cursor.clone();
        let Some(next) = ahead.next_line().filter(|line| line.text.starts_with(['`', '~'])) else {
            return false;
        };
        let Some(after) = ahead.next_line().map(|line| line.text) else { return true };
        let begins = |prefix: &str| after.starts_with(prefix);
        match Fence::opened_by(next.text) {
            Some((_, info)) if !info.is_empty() => begins("--- ") || begins(header::GIT) || begins("@@"),
            _ => after.trim().is_empty() || begins("--- ") || begins(header::GIT),
        }
    }

    /// Returns the end by counts: with the line, the counts of the hunk come out right where the next hunk or
    /// file begins or the fence ends.
    fn by_counts(&self, due: Option<Due>) -> Option<usize> {
        let take =
            |due: Due, old, new| Some(Due { old: due.old.checked_sub(old)?, new: due.new.checked_sub(new)? });
        let mut due = take(due?, 1, 1)?;
        let mut ahead = self.cursor.clone();
        loop {
            let line = ahead.next_line()?;
            let text = line.dedented(self.indentation);
            let begins = text.starts_with("@@") || header::starts(text, &ahead, self.indentation).is_some();
            if due == (Due { old: 0, new: 0 }) {
                let ends = begins || self.fence.is_closed_by_its_like(line.text);
                return ends.then_some(line.start);
            }
            due = match text.as_bytes().first() {
                _ if begins && text.starts_with("@@") => return None,
                None | Some(b' ') => take(due, 1, 1)?,
                Some(b'-') => take(due, 1, 0)?,
                Some(b'+') => take(due, 0, 1)?,
                Some(_) if says_no_newline(text) => due,
                Some(_) => take(due, 1, 1).filter(|_| Fence::opened_by(text).is_some())?,
            };
        }
    }

    /// Returns the end by looks: only lines of a hunk follow down to the end of the fence. Of these one has
    /// to be a change, unless the line is `inside`: it has a sign, or closes a fence that a line of the hunk
    /// has opened.
    fn by_looks(&self, inside: bool) -> Option<usize> {
        let mut ahead = self.cursor.clone();
        let mut changes = false;
        while let Some(line) = ahead.next_line() {
            let text = line.dedented(self.indentation);
            if self.fence.is_closed_by_its_like(text) && !text.starts_with(' ') {
                return (changes || inside).then_some(line.start);
            }
            // A fence with a sign is a line of a file, like any.
            let signed = text.is_empty() || text.starts_with([' ', '+', '-', '@']);
            if !signed || header::starts(text, &ahead, self.indentation).is_some() {
                return None;
            }
            changes |= text.starts_with("@@") || sign::is_sure_change(text);
        }
        // The answer was cut off within the diff.
        changes.then_some(ahead.position())
    }
}
