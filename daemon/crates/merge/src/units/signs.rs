//! Signs by which units of two texts are compared: hashes, without the text that they are of.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use crate::source::letters;

use super::head::Kind;
use super::layout::Layout;
use super::unit::Unit;

/// Letters of a comment that is not above two statements by chance.
const REMARK: usize = 8;

/// A sign without the text that it lies in.
pub(super) type MatchStep = (u8, u64);

pub(super) fn hashed(kind: u8, value: impl Hash) -> Option<MatchStep> {
    Some((kind, BuildHasherDefault::<DefaultHasher>::default().hash_one(value)))
}

/// The comment above a statement, with the first word of its head: what is in the brackets of an `if` may change.
pub(super) fn remark_above(layout: &Layout<'_>, unit: &Unit, _: bool) -> Option<MatchStep> {
    let lines: Vec<&str> = layout.norm[unit.start..unit.head].iter().map(String::as_str).collect();
    let is_remark = (unit.start..unit.head).all(|at| layout.is_comment(at) || layout.inside[at]);
    let is_telling = lines.iter().map(|line| letters(line)).sum::<usize>() >= REMARK;
    let is_statement = unit.key.is_none() || unit.is(Kind::Element);
    let word = unit.text(layout).split([' ', '(', '>']).next()?;
    if is_statement && is_remark && is_telling { hashed(3, (word, lines)) } else { None }
}
