//! A part's lines beside the file's, line by line.

use std::ops::Range;

/// A part's lines beside the file's.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) steps: Vec<LineStep>,
}

/// A line of the part, or lines that a marker takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineStep {
    /// A line of the part that the file has: its index there.
    Unchanged(usize),
    /// A line of the part that is new: its index in the part.
    New(usize),
    /// Lines of the file behind a marker.
    Taken(Range<usize>),
}

/// A stretch of the file that changes: the lines that go, and the lines of the part in their place.
#[derive(Debug, Default)]
pub(super) struct LineStretch {
    pub(super) lines: Range<usize>,
    pub(super) new: Vec<usize>,
}

pub(super) fn changes(steps: &[LineStep], length: usize) -> Vec<LineStretch> {
    let mut out = Vec::new();
    let mut new = Vec::new();
    let mut at = 0;
    let end = LineStep::Taken(length..length);
    for step in steps.iter().chain([&end]) {
        let stretch = match step {
            LineStep::New(line) => {
                new.push(*line);
                continue;
            }
            LineStep::Unchanged(line) => *line..*line + 1,
            LineStep::Taken(range) => range.clone(),
        };
        if stretch.start > at || !new.is_empty() {
            out.push(LineStretch { lines: at..stretch.start, new: std::mem::take(&mut new) });
        }
        at = stretch.end;
    }
    out
}
