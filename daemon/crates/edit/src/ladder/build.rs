//! Builds the text from placed hunks: it gives new lines their line ends, and refuses changes that overlap.
//!
//! It must not know how places were found. Lines that do not change are copied as they are.

use std::borrow::Cow;

use super::error::{PatchError, PatchFailure};
use super::index::Index;
use super::placed::{LineEdit, PlacedHunk};
use crate::{Text, TextLine};

/// Returns the bytes of `text` with all edits of `placed` made. `final_newline` says whether the last line
/// then has a line end; if it is `None`, the last line has one if it had one.
pub(super) fn build(
    index: &Index<'_>,
    text: &Text<'_>,
    placed: &[PlacedHunk<'_>],
    final_newline: Option<bool>,
    max_bytes: usize,
) -> Result<Vec<u8>, PatchError> {
    let edits = in_order(placed)?;
    let mut out =
        Output { out: String::with_capacity(text.as_str().len()), fallback: usual_end(index), last: 0 };
    let mut from = 0;
    for (_, edit) in &edits {
        out.keep(&index.lines()[from..edit.old.start], text.as_str());
        out.put(index, edit);
        from = edit.old.end;
    }
    out.keep(&index.lines()[from..], text.as_str());
    let bare = !edits.is_empty() && !text.as_str().is_empty() && !text.has_final_newline();
    let body = out.finish(final_newline.or(bare.then_some(false)));
    let (size, limit) = ((text.bom_len() + body.len()) as u64, max_bytes as u64);
    if size > limit {
        let hunk = placed.len().saturating_sub(1);
        return Err(PatchError { hunk, failure: PatchFailure::TooLarge { size, limit } });
    }
    Ok(text.encode(body))
}

/// Returns all edits by place, each with its hunk.
fn in_order<'p, 'h>(placed: &'p [PlacedHunk<'h>]) -> Result<Vec<(usize, &'p LineEdit<'h>)>, PatchError> {
    let all = placed.iter().enumerate();
    let mut edits: Vec<_> =
        all.flat_map(|(hunk, placed)| placed.edits.iter().map(move |edit| (hunk, edit))).collect();
    edits.sort_by_key(|(_, edit)| (edit.old.start, edit.old.end));
    for pair in edits.windows(2) {
        let ((one, before), (other, after)) = (pair[0], pair[1]);
        if after.old.start < before.old.end || after.old == before.old {
            let (with, hunk) = (one.min(other), one.max(other));
            let failure = PatchFailure::Conflict { with, hunk, line: after.old.start + 1 };
            return Err(PatchError { hunk, failure });
        }
    }
    Ok(edits)
}

/// The line end that most lines have.
fn usual_end<'a>(index: &Index<'a>) -> &'a str {
    let first = index.lines().first().map_or("", |line| line.end);
    let other = index.lines().iter().map(|line| line.end).find(|end| *end != first && !end.is_empty());
    let count = |end: &str| index.lines().iter().filter(|line| line.end == end).count();
    let usual = other.filter(|other| count(other) > count(first)).unwrap_or(first);
    if usual.is_empty() { "\n" } else { usual }
}

/// A text that grows by lines.
struct Output<'a> {
    out: String,
    fallback: &'a str,
    /// Bytes of the end of the last line.
    last: usize,
}

impl Output<'_> {
    /// Adds lines as they are.
    fn keep(&mut self, lines: &[TextLine<'_>], text: &str) {
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            self.end_line(self.fallback.to_owned().as_str());
            self.out.push_str(&text[first.start..last.stop()]);
            self.last = last.end.len();
        }
    }

    /// Adds the new lines of `edit`: each ends as the line that it replaces, else as a line next to it.
    fn put(&mut self, index: &Index<'_>, edit: &LineEdit<'_>) {
        let replaced = &index.lines()[edit.old.clone()];
        let above = edit.old.start.checked_sub(1).and_then(|at| index.lines().get(at));
        let below = index.lines().get(edit.old.end);
        let ended = |line: &&TextLine<'_>| !line.end.is_empty();
        let neighbour = replaced.iter().rev().chain(above).chain(below).find(ended);
        let neighbour = neighbour.map_or(self.fallback, |line| line.end).to_owned();
        for (at, line) in edit.new.iter().enumerate() {
            self.end_line(&neighbour);
            self.out.push_str(Cow::as_ref(line));
            let end = replaced.get(at).filter(ended).map_or(neighbour.as_str(), |line| line.end);
            self.out.push_str(end);
            self.last = end.len();
        }
    }

    /// Ends the last line, if there is one without an end.
    fn end_line(&mut self, end: &str) {
        if self.last == 0 && !self.out.is_empty() {
            self.out.push_str(end);
        }
    }

    /// Returns the text, with a line end after its last line if `ended` says so, and without one if it says
    /// that.
    fn finish(mut self, ended: Option<bool>) -> String {
        if ended == Some(true) {
            let end = self.fallback.to_owned();
            self.end_line(&end);
        }
        let body = &self.out[..self.out.len() - self.last];
        if ended == Some(false) && !body.is_empty() && !body.ends_with(['\n', '\r']) {
            self.out.truncate(body.len());
        }
        self.out
    }
}
