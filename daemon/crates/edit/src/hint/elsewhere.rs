//! Looks for a text in other files than the one in which it was not found.
//!
//! It must not know which files these are. Lines are compared without their outer blanks: what moves often
//! changes its indentation. A search is one walk over a text and a bounded number of comparisons.

use memchr::{memchr_iter, memmem, memrchr};

use super::align::OldTextEdge;

/// Characters that a text of one line must have to be looked for.
const LONG: usize = 40;
/// Letters and digits that any text must have.
const DISTINCTIVE: usize = 16;
const PLACES: usize = 64;
const LINES: usize = 2_000;

/// A text that says enough to be recognized elsewhere.
#[derive(Debug)]
pub struct SoughtText<'a> {
    lines: Vec<&'a str>,
    key: usize,
    finder: memmem::Finder<'a>,
}

/// A place of a [`SoughtText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocatedText {
    /// Its first line, from 1.
    pub line: usize,
    /// True if blanks are the same, too.
    pub exact: bool,
}

impl<'a> SoughtText<'a> {
    /// Returns `old` as a text to look for, if it has two lines or 40 characters, and enough letters.
    #[must_use]
    pub fn new(old: &'a str) -> Option<SoughtText<'a>> {
        let mut lines: Vec<&str> =
            old.lines().skip_while(|line| line.trim().is_empty()).take(LINES).collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let full = lines.iter().filter(|line| !line.trim().is_empty()).count();
        let letters = lines.iter().flat_map(|line| line.chars()).filter(|char| char.is_alphanumeric());
        if letters.take(DISTINCTIVE).count() < DISTINCTIVE
            || full < 2 && lines.first().is_none_or(|line| line.trim().chars().count() < LONG)
        {
            return None;
        }
        let key = (0..lines.len()).rev().max_by_key(|&index| lines[index].trim().len())?;
        let finder = memmem::Finder::new(lines[key].trim().as_bytes());
        Some(SoughtText { lines, key, finder })
    }

    /// True if `bytes` may hold it.
    #[must_use]
    pub fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.finder.find(bytes).is_some()
    }

    /// Returns the first place of `text` at which it occurs; one where blanks are the same, before others.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<LocatedText> {
        let mut first: Option<(usize, bool)> = None;
        for hit in self.finder.find_iter(text.as_bytes()).take(PLACES) {
            let Some((start, exact)) = self.holds_around(text, hit) else { continue };
            if first.is_none() || exact {
                first = Some((start, exact));
            }
            if exact {
                break;
            }
        }
        let (start, exact) = first?;
        Some(LocatedText { line: memchr_iter(b'\n', &text.as_bytes()[..start]).count() + 1, exact })
    }

    /// The longest line of the text is the one at `hit`. Returns also whether blanks are the same.
    fn holds_around(&self, text: &str, hit: usize) -> Option<(usize, bool)> {
        let bytes = text.as_bytes();
        let mut start = memrchr(b'\n', &bytes[..hit]).map_or(0, |at| at + 1);
        for _ in 0..self.key {
            start = memrchr(b'\n', &bytes[..start.checked_sub(1)?]).map_or(0, |at| at + 1);
        }
        let mut exact = true;
        let mut there = text[start..].lines();
        for (index, query) in self.lines.iter().enumerate() {
            let (there, last) = (there.next()?, index + 1 == self.lines.len());
            let edge = OldTextEdge { first: index == 0, last };
            if !edge.fits(query.trim(), there.trim()) {
                return None;
            }
            exact &= edge.fits(query, there);
        }
        Some((start, exact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_too_little_is_not_looked_for() {
        for old in ["", "\n\n", "}\n}\n", "fn short() {}", "// ------------------------------------------\n"]
        {
            assert!(SoughtText::new(old).is_none(), "{old:?}");
        }
        assert!(SoughtText::new("let value = one();\nlet other = two();\n").is_some());
        assert!(SoughtText::new("    assert_eq!(find_everything(\"a\"), expected);").is_some());
    }

    #[test]
    fn a_text_is_found_as_it_is_or_with_other_blanks() {
        let old = "\nfn moved() {\n    let value = 1;\n\n    value\n}\n";
        let wanted = SoughtText::new(old).unwrap();
        let found = |text: &str| wanted.find(text).map(|found| (found.line, found.exact));
        assert_eq!(found("use x;\nfn moved() {\n    let value = 1;\n\n    value\n}\n"), Some((2, true)));
        assert_eq!(found("fn moved() {\r\n    let value = 1;\r\n\r\n    value\r\n}"), Some((1, true)));
        let indented = "impl X {\n    fn moved() {\n        let value = 1;\n\n        value\n    }\n}\n";
        assert_eq!(found(indented), Some((2, false)));
        assert_eq!(found(&format!("{indented}{}", &old[1..])), Some((8, true)));
        assert_eq!(found("fn moved() {\n    let value = 1;\n    value\n}\n"), None);
        assert_eq!(found("    let value = 1;\n"), None);
        assert_eq!(found(""), None);
    }
}
