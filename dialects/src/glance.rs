//! The possible meanings of a line by its first character that is no blank: a cheap check, since most lines
//! are nothing but text.
//!
//! The dialect itself decides whether a marker is there.

use crate::cursor::{Line, first_mark};
use crate::dialect::{Dialect, Dialects};
use crate::fence::Fence;
use crate::options::CslDelimiters;

#[derive(Debug, Clone, Copy)]
struct Beginning {
    /// The dialects of which a block may open, except CSL, whose markers can be chosen.
    opens: Dialects,
    /// True if no region and nothing that is out of place begins with it.
    quiet: bool,
}

impl Beginning {
    const fn with(first: u8) -> Beginning {
        // Blanks that are not ASCII may precede anything.
        if first != b' ' && !first.is_ascii_graphic() {
            return Beginning { opens: Dialects::from_slice(Dialect::ALL), quiet: false };
        }
        let opens = opened_by(&[first]).with(opened_by(&[first, first]));
        let quiet =
            !matches!(first, b'<' | b'>' | b'#' | b'*' | b'=' | b'+' | b'`' | b'~' | b'{' | b'[' | b'c');
        Beginning { opens, quiet }
    }
}

/// Returns the dialects whose openings hold just `opening`, and those of which any line can open a block.
const fn opened_by(opening: &[u8]) -> Dialects {
    let (mut opened, mut index) = (Dialects::from_slice(&[]), 0);
    while index < Dialect::ALL.len() {
        let openings = Dialect::ALL[index].openings();
        let (mut opens, mut next) = (openings.is_empty(), 0);
        while next < openings.len() {
            let other = openings[next].as_bytes();
            opens |= other.len() == opening.len()
                && other[0] == opening[0]
                && other[other.len() - 1] == opening[0];
            next += 1;
        }
        if opens {
            opened = opened.with(Dialects::from_slice(&[Dialect::ALL[index]]));
        }
        index += 1;
    }
    opened
}

static BEGINNINGS: [Beginning; 256] = {
    let mut all = [Beginning::with(0); 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = Beginning::with(byte as u8);
        byte += 1;
    }
    all
};

const SINGLE: Dialects = opened_by(b"<");
const DOUBLED: Dialects = opened_by(b"<<");

#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance<'a> {
    pub(crate) first: u8,
    pub(crate) opens: Dialects,
    /// True if it is nothing but text outside of blocks.
    pub(crate) quiet: bool,
    /// The fence that it is, with the text after it.
    pub(crate) fence: Option<(Fence, &'a str)>,
}

impl<'a> Glance<'a> {
    #[inline]
    pub(crate) fn at(line: &Line<'a>, csl: &CslDelimiters) -> Glance<'a> {
        let first = first_mark(line.text);
        let Beginning { mut opens, mut quiet } = BEGINNINGS[usize::from(first)];
        let mut begins_csl = csl.start().as_bytes()[0] == first;
        // Most of what begins with `<` opens nothing by its second byte.
        if first == b'<' {
            let second = line.text.trim_ascii_start().as_bytes().get(1).copied();
            opens = if second == Some(b'<') { DOUBLED } else { SINGLE };
            begins_csl &= csl.start().as_bytes().get(1).is_none_or(|byte| second == Some(*byte));
        }
        if begins_csl {
            (opens, quiet) = (opens.with(Dialects::from_slice(&[Dialect::Csl])), false);
        }
        let fence = if matches!(first, b'`' | b'~') { Fence::read(line.text) } else { None };
        Glance { first, opens, quiet, fence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_what_its_first_mark_says() {
        let at = |text| Glance::at(&Line { number: 1, start: 0, text }, &CslDelimiters::default());
        let opens = |text| at(text).opens.among(Dialects::from_slice(Dialect::AUTO));
        for (text, expected) in [
            ("  <x", &[Dialect::Cml, Dialect::ToolCall][..]),
            ("<---", &[Dialect::Csl, Dialect::Cml, Dialect::ToolCall]),
            ("\t<<", &[Dialect::Replacer, Dialect::Aider]),
        ] {
            assert_eq!(opens(text), Dialects::from_slice(expected), "{text}");
        }
        assert_eq!(opens("\u{a0}#"), Dialects::from_slice(Dialect::AUTO));
        assert!(at("").quiet && at("words").quiet && !at("> words").quiet && !at("\r").quiet);
        assert!(at("  ```rs").fence.is_some() && at("\u{a0}```").fence.is_none());
    }
}
