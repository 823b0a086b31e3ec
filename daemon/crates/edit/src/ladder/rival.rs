//! Looks for rivals: other places that may be meant by lines that match only without the blank lines around
//! them.
//!
//! It must not know rungs. Blank lines that are asked for and not there speak against a place. If another
//! place has them, and lines that resemble those asked for, then that one may be the place that is meant, in
//! a state that the model has not seen. Likeness refuses here; it never applies anything.

use std::borrow::Cow;
use std::ops::Range;

use super::index::Index;
use super::key::is_blank;
use super::sides::Trimmed;

const COMPARED: usize = 20;
/// Of the lines compared, one in so many has to be there for a place to be a rival; a single one only has to
/// be alike.
const SHARE: usize = 2;

/// True if a place other than `span`, which has the lines of `trimmed`, has the blank lines that are missing
/// there, and lines like those asked for.
pub(super) fn exists(index: &Index<'_>, trimmed: &Trimmed<'_>, span: &Range<usize>) -> bool {
    let blank = |at: usize| at < index.len() && is_blank(index.body(at));
    let blank_above = |at: usize| at > 0 && blank(at - 1);
    let above = trimmed.above > 0 && !blank_above(span.start);
    let below = trimmed.below > 0 && !blank(span.end);
    if !above && !below {
        return false;
    }
    let lines: Vec<(usize, &str)> =
        trimmed.sides.old.iter().map(Cow::as_ref).map(str::trim).enumerate().collect();
    let distinctive = lines.iter().copied().filter(|(_, line)| !line.is_empty()).take(COMPARED);
    let distinctive: Vec<(usize, &str)> = distinctive.collect();
    index.spend(index.len());
    let framed =
        |at: &usize| !blank(*at) && (!above || blank_above(*at)) && (!below || blank(at + lines.len()));
    (0..index.len()).filter(framed).filter(|at| *at != span.start).any(|at| {
        index.spend(distinctive.len());
        let single = distinctive.len() == 1;
        let alike = |(offset, line): &&(usize, &str)| {
            let there = index.body(at + offset).trim();
            there == *line || single && is_alike(line, there)
        };
        SHARE * distinctive.iter().filter(alike).count() >= distinctive.len()
    })
}

/// True if two lines begin and end alike, for half of the longer one at least.
fn is_alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let (longer, shorter) = (one.len().max(other.len()), one.len().min(other.len()));
    if 2 * shorter < longer {
        return false;
    }
    let head = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let ends = one.iter().rev().zip(other.iter().rev()).take(shorter - head);
    2 * (head + ends.take_while(|(one, other)| one == other).count()) >= longer
}
