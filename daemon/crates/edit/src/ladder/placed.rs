//! A hunk's place in the text, and its changes there.
//!
//! It must not know how the place was found.

use std::borrow::Cow;
use std::ops::Range;

use super::rung::Rung;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedHunk<'h> {
    pub(super) rung: Rung,
    pub(super) span: Range<usize>,
    pub(super) edits: Vec<LineEdit<'h>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineEdit<'h> {
    pub(super) old: Range<usize>,
    pub(super) new: Vec<Cow<'h, str>>,
}

impl<'h> PlacedHunk<'h> {
    pub(super) fn nothing(rung: Rung, span: Range<usize>) -> PlacedHunk<'h> {
        PlacedHunk { rung, span, edits: Vec::new() }
    }

    /// True if it has none of `lines`, which are 1-based and inclusive.
    pub(super) fn is_apart(&self, (first, last): (usize, usize)) -> bool {
        last <= self.span.start || first > self.span.end
    }

    pub(super) fn grows(&self) -> isize {
        self.edits.iter().map(LineEdit::grows).sum()
    }

    pub(super) fn by(self, rung: Rung) -> PlacedHunk<'h> {
        let rung = if self.rung == Rung::AlreadyApplied { self.rung } else { rung };
        PlacedHunk { rung, ..self }
    }
}

impl LineEdit<'_> {
    pub(super) fn grows(&self) -> isize {
        self.new.len() as isize - self.old.len() as isize
    }
}

pub(super) fn ends(placed: &[PlacedHunk<'_>]) -> Vec<usize> {
    let mut edits: Vec<&LineEdit<'_>> = placed.iter().flat_map(|placed| &placed.edits).collect();
    edits.sort_by_key(|edit| edit.old.end);
    let mut grown = 0;
    let grown: Vec<isize> = edits
        .iter()
        .map(|edit| {
            grown += edit.grows();
            grown
        })
        .collect();
    let end = |placed: &PlacedHunk<'_>| {
        let before = edits.partition_point(|edit| edit.old.end <= placed.span.end);
        let grown = before.checked_sub(1).map_or(0, |last| grown[last]);
        placed.span.end.saturating_add_signed(grown)
    };
    placed.iter().map(end).collect()
}
