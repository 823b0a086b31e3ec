//! The lines of a text with their ends, and a text of kept and new lines.
//!
//! Knows no language.

use std::borrow::Cow;
use std::ops::Range;

use clada_edit::{LineEnds, split_lines};

const BOM: &str = "\u{feff}";

#[derive(Debug)]
pub(crate) struct Source<'a> {
    bom: &'static str,
    /// The lines without their ends.
    pub(crate) lines: Vec<&'a str>,
    ends: Vec<&'a str>,
    end: &'static str,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Source<'a> {
        let (bom, text) = match text.strip_prefix(BOM) {
            Some(rest) => (BOM, rest),
            None => ("", text),
        };
        let end = match LineEnds::detect(text) {
            LineEnds::CrLf => "\r\n",
            LineEnds::Cr => "\r",
            LineEnds::None | LineEnds::Lf | LineEnds::Mixed => "\n",
        };
        let (lines, ends) = split_lines(text).map(|line| (line.body, line.end)).unzip();
        Source { bom, lines, ends, end }
    }

    /// Returns lines of a text as a text of their own, with LF for line ends.
    pub(crate) fn of_lines(lines: &[&'a str]) -> Source<'a> {
        Source { bom: "", lines: lines.to_vec(), ends: vec!["\n"; lines.len()], end: "\n" }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn is_blank(&self, at: usize) -> bool {
        self.lines[at].trim().is_empty()
    }

    /// Returns the text of `pieces`. It ends with a line end if this text does.
    pub(crate) fn assemble(&self, pieces: &[SourcePiece<'_>]) -> String {
        let size = pieces.iter().map(|piece| match piece {
            SourcePiece::Old(range) => range.clone().map(|at| self.lines[at].len() + 2).sum(),
            SourcePiece::New(line) => line.len() + 2,
        });
        let mut out = String::with_capacity(self.bom.len() + size.sum::<usize>());
        out.push_str(self.bom);
        let mut last = 0;
        for piece in pieces {
            match piece {
                SourcePiece::Old(range) => {
                    for at in range.clone() {
                        out.push_str(self.lines[at]);
                        last = out.len();
                        out.push_str(if self.ends[at].is_empty() { self.end } else { self.ends[at] });
                    }
                }
                SourcePiece::New(line) => {
                    out.push_str(line);
                    last = out.len();
                    out.push_str(self.end);
                }
            }
        }
        if self.ends.last().is_some_and(|end| end.is_empty()) {
            out.truncate(last);
        }
        out
    }
}

/// A piece of a merged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourcePiece<'a> {
    /// Lines of the file.
    Old(Range<usize>),
    /// A line of the part, without its end.
    New(Cow<'a, str>),
}

pub(crate) fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns the width of the blanks at the start of `line`, a tab counted up to the next multiple of four.
pub(crate) fn indentation(line: &str) -> usize {
    let mut width = 0;
    for c in line.chars() {
        match c {
            ' ' => width += 1,
            '\t' => width += 4 - width % 4,
            _ => break,
        }
    }
    width
}
