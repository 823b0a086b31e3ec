//! Shows lines of a file in a hint, with their numbers.
//!
//! It must not know why they are shown.

use std::ops::Range;

use super::lines::HintLines;
use super::show::{BYTES, HintText, LINES, cut};

/// Lines of the file around the place that is meant, and lines of that place, that are shown.
const AROUND: usize = 2;
/// The same where a hint stays short, and bytes of a short one: about 260 tokens.
const WIDE: usize = 5;
const SHORT: usize = 850;
const MARKED: usize = 8;
const SHOWN: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExcerptContext {
    Little,
    More,
}

/// `before` lines of the file precede `file`; counts from 0. Shows at least two lines on either side; if that
/// is too much, those around `middle`.
pub(super) fn excerpt(
    words: &mut HintText,
    (file, before): (&HintLines<'_>, usize),
    (first, last): (usize, usize),
    middle: usize,
    around: ExcerptContext,
) {
    let (first, last) = if last - first < SHOWN {
        (first, last)
    } else {
        let first = middle.saturating_sub(SHOWN / 2).max(first);
        (first, (first + SHOWN - 1).min(last))
    };
    let lines = |around: usize| first.saturating_sub(around)..(last + around + 1).min(file.len());
    let fits = |around: &usize| words.len() + IN_THE_FILE.len() + bytes(file, lines(*around)) < SHORT;
    let wide = if around == ExcerptContext::More { WIDE } else { AROUND };
    let around = (AROUND..=wide).rev().find(fits).unwrap_or(AROUND);
    numbered(words, (file, before), lines(around));
}

pub(super) fn whole(words: &mut HintText, file: &HintLines<'_>) {
    let all = 0..file.len();
    let has_room = words.lines() + 1 + file.len() <= LINES;
    if has_room && !all.is_empty() && words.len() + IN_THE_FILE.len() + bytes(file, all.clone()) < BYTES {
        numbered(words, (file, 0), all);
    }
}

const IN_THE_FILE: &str = "In the file:";

fn bytes(file: &HintLines<'_>, lines: Range<usize>) -> usize {
    lines.map(|index| file.get(index).body.len() + MARKED).sum()
}

fn numbered(words: &mut HintText, (file, before): (&HintLines<'_>, usize), lines: Range<usize>) {
    words.line(IN_THE_FILE);
    let width = (before + lines.end + 1).to_string().len();
    for index in lines {
        let number = before + index + 1;
        let line = cut(file.get(index).body);
        let blank = if line.is_empty() { "" } else { " " };
        words.line(&format!("  {number:>width$}:{blank}{line}"));
    }
}
