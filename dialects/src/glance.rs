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
        let (mut opens, mut index) = (Dialects::from_slice(&[]), 0);
        while index < Dialect::ALL.len() {
            let dialect = Dialect::ALL[index];
            if begins_with(dialect.first_characters(), first) {
                opens = opens.with(Dialects::from_slice(&[dialect]));
            }
            index += 1;
        }
        let quiet =
            !matches!(first, b'<' | b'>' | b'#' | b'*' | b'=' | b'+' | b'`' | b'~' | b'{' | b'[' | b'c');
        Beginning { opens, quiet }
    }
}

const fn begins_with(characters: &[u8], first: u8) -> bool {
    let mut index = 0;
    while index < characters.len() {
        if characters[index] == first {
            return true;
        }
        index += 1;
    }
    characters.is_empty()
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
            opens = opens.among(match second {
                Some(b'<') => Dialects::from_slice(&[Dialect::Replacer, Dialect::Aider]),
                _ => Dialects::from_slice(&[Dialect::Cml, Dialect::ToolCall]),
            });
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
