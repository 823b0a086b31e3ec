//! The search and replace text of a block: the lines between the markers, as they are meant.
//!
//! Removes the parts that belong to the answer and not to the file: the indentation of a list, lines that
//! name the block's place, a fence round both halves, a closing fence before the last marker, backslashes
//! before markers.

use std::borrow::Cow;

use clada_schema::{HunkLine, RawHunk};

use super::marker::{self, PlaceLine};
use crate::cursor::{Breaks, Cursor};
use crate::fence::{Fence, FenceState};
use crate::file_name::{FileName, agree, may_hold_fences};

#[derive(Debug)]
pub(super) struct Halves<'a> {
    pub(super) search: Vec<&'a str>,
    pub(super) replace: Vec<&'a str>,
    pub(super) line_hint: Option<u32>,
}

/// The role of a closing fence before the last marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastFence {
    /// No such fence, or one that is content.
    None,
    /// The end of the fence around the block, which was removed.
    Taken,
    /// Either: the file may hold fences, and the one around the block is closed after it as well.
    Unclear,
}

impl<'a> Halves<'a> {
    pub(super) fn new(search: &'a str, replace: &'a str, indent: &str) -> Halves<'a> {
        let mut halves = Halves { search: lines(search), replace: lines(replace), line_hint: None };
        let indented = |line: &&str| line.starts_with(indent) || line.trim().is_empty();
        if !indent.is_empty() && halves.search.iter().chain(&halves.replace).all(indented) {
            for line in halves.search.iter_mut().chain(&mut halves.replace) {
                *line = line.strip_prefix(indent).unwrap_or("");
            }
        }
        halves.take_place();
        halves
    }

    pub(super) fn makes_file(&self) -> bool {
        self.search.iter().all(|line| line.trim().is_empty())
    }

    fn take_place(&mut self) {
        let mut count = 0;
        for line in &self.search {
            match marker::place(line) {
                Some(PlaceLine::Start(line)) => self.line_hint = Some(line),
                Some(PlaceLine::End) => {}
                Some(PlaceLine::Dashes) if count > 0 => {
                    count += 1;
                    break;
                }
                _ => break,
            }
            count += 1;
        }
        self.search.drain(..count);
    }

    /// Takes the fence off halves that are all wrapped in one, where the file called `path` cannot hold it.
    pub(super) fn unwrap(&mut self, path: &str) {
        if may_hold_fences(path) {
            return;
        }
        let search = if self.makes_file() { Some(0..0) } else { inside(&self.search, path) };
        let replace = if self.replace.is_empty() { Some(0..0) } else { inside(&self.replace, path) };
        if let (Some(search), Some(replace)) = (search, replace) {
            self.search = self.search[search].to_vec();
            self.replace = self.replace[replace].to_vec();
        }
    }

    /// Removes a last line that closes the fence `around` the block and opens none. `closed_after` means that
    /// a closing fence follows the block.
    pub(super) fn take_closing_fence(
        &mut self,
        path: &str,
        around: FenceState,
        closed_after: bool,
    ) -> LastFence {
        let Some((last, before)) = self.replace.split_last() else { return LastFence::None };
        if !around.is_closed_by(last) || ends_inside(before) || ends_inside(&self.search) {
            return LastFence::None;
        }
        if closed_after && may_hold_fences(path) {
            return LastFence::Unclear;
        }
        self.replace.pop();
        LastFence::Taken
    }

    pub(super) fn into_hunk(self, length: usize) -> RawHunk<'a> {
        let makes_file = self.makes_file();
        let text = |line: &&'a str| marker::unescaped(line, length).map_or(Cow::Borrowed(*line), Cow::Owned);
        let search = if makes_file { &[][..] } else { &self.search };
        let mut lines = Vec::with_capacity(search.len() + self.replace.len());
        lines.extend(search.iter().map(|line| HunkLine::Removed(text(line))));
        lines.extend(self.replace.iter().map(|line| HunkLine::Added(text(line))));
        RawHunk { lines, line_hint: self.line_hint, ..RawHunk::default() }
    }
}

const LINE_BYTES: usize = 32;

fn lines(text: &str) -> Vec<&str> {
    let mut cursor = Cursor::at(text, 0, 1, Breaks::Lf);
    let mut lines = Vec::with_capacity(text.len() / LINE_BYTES);
    lines.extend(std::iter::from_fn(|| cursor.next_line()).map(|line| line.text));
    lines
}

fn ends_inside(lines: &[&str]) -> bool {
    let mut standing = FenceState::default();
    lines.iter().for_each(|line| standing.line(line));
    standing.is_inside()
}

fn inside(lines: &[&str], path: &str) -> Option<std::ops::Range<usize>> {
    let first = *lines.first()?;
    let named = FileName::read(first).is_some_and(|name| agree(&name.path, path));
    let open = usize::from(named);
    let (fence, _) = Fence::read(lines.get(open)?)?;
    let close = lines.len() - 1;
    let whole = open < close && fence.closes_at(lines[close]);
    let plain = whole && lines[open + 1..close].iter().all(|line| Fence::read(line).is_none());
    plain.then_some(open + 1..close)
}
