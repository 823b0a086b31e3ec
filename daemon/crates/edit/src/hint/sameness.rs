//! Compares an aligned text with the file: ignoring one thing may make it match.
//!
//! It must not know where the alignment comes from. Nothing is ever applied because of this.

use std::borrow::Cow;

use super::align::{HintAlignment, OldTextEdge};
use super::lines::HintLines;
use crate::TextLine;
use crate::ladder::{decoded, plain, without_number};

pub(super) const LINE_ENDS: &str = "line ends";

/// The things that would have to be ignored, for a message "it would match if … were ignored", from least
/// to most.
pub(super) const IGNORABLE: [(&str, Normal); 10] = [
    (LINE_ENDS, |line| Cow::Borrowed(line)),
    ("blanks at the ends of lines", |line| Cow::Borrowed(line.trim_end())),
    ("indentation", |line| Cow::Borrowed(line.trim_start())),
    ("indentation and blanks at the ends of lines", |line| Cow::Borrowed(line.trim())),
    ("blanks", |line| Cow::Owned(line.split_whitespace().collect())),
    ("letter case", |line| Cow::Owned(line.to_lowercase())),
    ("typographic quotes, dashes and spaces", |line| Cow::Owned(line.chars().map(plain).collect())),
    ("the numbers before the lines", |line| Cow::Borrowed(without_number(line))),
    ("the numbers before the lines", |line| Cow::Borrowed(without_number(line).trim_start())),
    ("entities such as `&lt;` for `<`", |line| Cow::Owned(decoded(line).trim().to_owned())),
];

pub(super) type Normal = fn(&str) -> Cow<'_, str>;

const LONGEST: usize = 4_096;

/// Returns what would have to be ignored for `old` to match at its alignment; `None` if that would not be
/// enough.
pub(super) fn ignorable(
    file: &HintLines<'_>,
    old: &[TextLine<'_>],
    aligned: &HintAlignment,
) -> Option<&'static str> {
    let mut pairs = Vec::with_capacity(old.len());
    let mut blank_lines = false;
    for &(query, there) in &aligned.steps {
        let query = query.map(|at| (old[at].body, OldTextEdge::new(old, at)));
        let there = there.map(|at| file.get(at).body);
        match (query, there) {
            (Some((query, _)), Some(there)) if query != there && query.len().max(there.len()) > LONGEST => {
                return None;
            }
            (Some((query, edge)), Some(there)) => pairs.push((query, there, edge)),
            (Some((line, _)), None) | (None, Some(line)) if line.trim().is_empty() => blank_lines = true,
            _ => return None,
        }
    }
    if pairs.iter().all(|(query, _, _)| query.trim().is_empty()) {
        return None;
    }
    let fit =
        |normal: Normal| pairs.iter().all(|(query, there, edge)| edge.fits(&normal(query), &normal(there)));
    if blank_lines {
        return fit(IGNORABLE[0].1).then_some("blank lines");
    }
    IGNORABLE.iter().find(|(_, normal)| fit(*normal)).map(|(name, _)| *name)
}
