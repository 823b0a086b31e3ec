//! What a line may be by its first character that is no blank: what is cheap to know, since most lines are nothing but text.
//!
//! Knows what the markers of each dialect begin with. Whether one stands there is the dialect's business.

use crate::cursor::{Line, first_mark};
use crate::fence::Fence;
use crate::{CslDelimiters, Dialect};

/// Some of the dialects, in the order in which they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialects(u16);

impl Dialects {
    /// Those in `dialects`.
    pub(crate) const fn of(dialects: &[Dialect]) -> Dialects {
        let (mut bits, mut index) = (0, 0);
        while index < dialects.len() {
            bits |= 1 << dialects[index] as u16;
            index += 1;
        }
        Dialects(bits)
    }

    /// Whether `dialect` is one of them.
    #[inline]
    pub(crate) const fn contains(self, dialect: Dialect) -> bool {
        self.0 & (1 << dialect as u16) != 0
    }

    /// Those of them that `others` has, too.
    #[inline]
    pub(crate) const fn among(self, others: Dialects) -> Dialects {
        Dialects(self.0 & others.0)
    }

    /// They and `others`.
    const fn with(self, others: Dialects) -> Dialects {
        Dialects(self.0 | others.0)
    }

    /// The first of them that `is`.
    #[inline]
    pub(crate) fn find(self, mut is: impl FnMut(Dialect) -> bool) -> Option<Dialect> {
        if self.0 == 0 {
            return None;
        }
        Dialect::ALL.iter().copied().find(|dialect| self.contains(*dialect) && is(*dialect))
    }
}

/// What begins with a character.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    /// The dialects of which a block may open, but for CSL, whose markers can be chosen.
    opens: Dialects,
    /// No region and nothing that is out of place begins.
    quiet: bool,
}

impl Beginning {
    const fn with(first: u8) -> Beginning {
        // Blanks that are not ASCII may stand before anything.
        if first != b' ' && !first.is_ascii_graphic() {
            return Beginning { opens: Dialects::of(Dialect::ALL), quiet: false };
        }
        let opens: &[Dialect] = match first {
            b'#' => &[Dialect::Sham],
            b'<' => &[Dialect::Cml, Dialect::Replacer, Dialect::Aider, Dialect::ToolCall],
            b'*' => &[Dialect::ApplyPatch],
            b'-' => &[Dialect::Aider, Dialect::UnifiedDiff],
            b'd' | b'+' | b'`' | b'~' => &[Dialect::UnifiedDiff],
            b'{' | b'[' => &[Dialect::ToolCall],
            _ => &[],
        };
        let quiet =
            !matches!(first, b'<' | b'>' | b'#' | b'*' | b'=' | b'+' | b'`' | b'~' | b'{' | b'[' | b'c');
        Beginning { opens: Dialects::of(opens).with(Dialects::of(&[Dialect::WholeFile])), quiet }
    }
}

/// What begins with each byte.
static BEGINNINGS: [Beginning; 256] = {
    let mut all = [Beginning::with(0); 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = Beginning::with(byte as u8);
        byte += 1;
    }
    all
};

/// What is seen of a line at a glance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance<'a> {
    /// Its first byte that is no blank; a blank if there is none.
    pub(crate) first: u8,
    /// The dialects of which a block may open at it.
    pub(crate) opens: Dialects,
    /// Outside of blocks it is nothing but text.
    pub(crate) quiet: bool,
    /// The fence that it is, with what follows.
    pub(crate) fence: Option<(Fence, &'a str)>,
}

impl<'a> Glance<'a> {
    /// What is seen of `line`, where CSL's markers are as `csl` says.
    #[inline]
    pub(crate) fn at(line: &Line<'a>, csl: &CslDelimiters) -> Glance<'a> {
        let first = first_mark(line.text);
        let Beginning { mut opens, mut quiet } = BEGINNINGS[usize::from(first)];
        if csl.start().as_bytes()[0] == first {
            (opens, quiet) = (opens.with(Dialects::of(&[Dialect::Csl])), false);
        }
        let fence = if matches!(first, b'`' | b'~') { Fence::read(line.text) } else { None };
        Glance { first, opens, quiet, fence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_a_set_in_order() {
        let some = Dialects::of(&[Dialect::WholeFile, Dialect::Csl]);
        assert!(some.contains(Dialect::Csl) && !some.contains(Dialect::Sham));
        assert_eq!(some.find(|_| true), Some(Dialect::Csl));
        assert_eq!(some.among(Dialects::of(&[Dialect::WholeFile])).find(|_| true), Some(Dialect::WholeFile));
    }

    #[test]
    fn a_line_may_be_what_its_first_mark_says() {
        let at = |text| Glance::at(&Line { number: 1, start: 0, text }, &CslDelimiters::default());
        let opens = |text| at(text).opens.among(Dialects::of(Dialect::AUTO));
        assert_eq!(
            opens("  <x"),
            Dialects::of(&[Dialect::Csl, Dialect::Cml, Dialect::Replacer, Dialect::Aider, Dialect::ToolCall])
        );
        assert_eq!(opens("\u{a0}#"), Dialects::of(Dialect::AUTO));
        assert!(at("").quiet && at("words").quiet && !at("> words").quiet && !at("\r").quiet);
        assert!(at("  ```rs").fence.is_some() && at("\u{a0}```").fence.is_none());
    }
}
