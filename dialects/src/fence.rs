//! Code fences of Markdown: their openings and their ends.
//!
//! Works on single lines and knows nothing of dialects. A closing fence has the opening one's character, at
//! least as many of it, and no info string (CommonMark); nothing else closes.

use crate::cursor::may_begin;

const SHORTEST: usize = 3;
/// The number of columns that a closing fence may be further to the right than the fence it closes.
const SLACK: usize = 3;
const ELEMENTS: [&str; 5] = ["source", "code", "pre", "codeblock", "sourcecode"];

/// A fence: its character, the length of its run, and the count of blanks before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
}

impl Fence {
    /// The fence at the start of `line`, and the text after it: its info string, empty for one that may close
    /// another.
    pub(crate) fn read(line: &str) -> Option<(Fence, &str)> {
        if !may_begin(line, b"`~") {
            return None;
        }
        let text = line.trim_start_matches([' ', '\t']);
        let mark = *text.as_bytes().first()?;
        if !matches!(mark, b'`' | b'~') {
            return None;
        }
        let length = text.bytes().take_while(|byte| *byte == mark).count();
        if length < SHORTEST {
            return None;
        }
        let info = text[length..].trim();
        let indent = line.len() - text.len();
        // Ticks in the info string make it code within a line.
        (mark != b'`' || !info.contains('`')).then_some((Fence { mark, length, indent }, info))
    }

    /// The fence at the start of `line`, behind blanks of any kind.
    pub(crate) fn opened_by(line: &str) -> Option<(Fence, &str)> {
        if may_begin(line, b"`~") { Fence::read(line.trim()) } else { None }
    }

    /// Returns true if `line` is a bare fence that may close this one, however far it is to the right.
    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        if !may_begin(line, &[self.mark]) {
            return false;
        }
        let text = line.trim();
        text.len() >= self.length && text.bytes().all(|byte| byte == self.mark)
    }

    /// Like `is_closed_by`, but only if `line` has no more marks than it.
    pub(crate) fn is_closed_by_its_like(self, line: &str) -> bool {
        self.is_closed_by(line) && line.trim().len() == self.length
    }

    pub(crate) fn mark(self) -> u8 {
        self.mark
    }

    pub(crate) fn length(self) -> usize {
        self.length
    }

    pub(crate) fn indent(self) -> usize {
        self.indent
    }

    pub(crate) fn closes_at(self, line: &str) -> bool {
        Fence::read(line).is_some_and(|(other, info)| info.is_empty() && other.closes(self))
    }

    /// Returns true if a bare fence like this one closes `open`.
    pub(crate) fn closes(self, open: Fence) -> bool {
        self.mark == open.mark && self.length >= open.length && self.indent <= open.indent + SLACK
    }

    // Returns true if this one has fewer marks than `open`, and is no further to the right.
    pub(crate) fn is_shorter(self, open: Fence) -> bool {
        self.mark == open.mark && self.length < open.length && self.indent <= open.indent
    }
}

pub(crate) fn is_element(line: &str) -> bool {
    let Some(inner) = line.trim().strip_prefix('<').and_then(|text| text.strip_suffix('>')) else {
        return false;
    };
    ELEMENTS.contains(&inner.strip_prefix('/').unwrap_or(inner))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FenceState {
    open: Option<Fence>,
}

impl FenceState {
    pub(crate) fn line(&mut self, line: &str) {
        self.take(Fence::read(line));
    }

    pub(crate) fn take(&mut self, fence: Option<(Fence, &str)>) {
        let Some((fence, info)) = fence else { return };
        match self.open {
            Some(open) if info.is_empty() && fence.closes(open) => self.open = None,
            Some(_) => {}
            None => self.open = Some(fence),
        }
    }

    pub(crate) fn is_inside(self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        self.open.is_some_and(|open| open.closes_at(line))
    }

    /// Records that a line of a block closed the fence.
    pub(crate) fn leave(&mut self) {
        self.open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(line: &str) -> Fence {
        Fence::read(line).unwrap().0
    }

    #[test]
    fn a_fence_closes_its_like_and_what_is_shorter() {
        assert!(fence("```rust").closes_at("```") && fence("```").closes_at("  ````  "));
        for line in ["~~~", "``", "``` x", "```` `", "    ```", "x```"] {
            assert!(!fence("```").closes_at(line), "{line}");
        }
        assert!(!fence("````").closes_at("```"));
    }

    #[test]
    fn info_strings_and_elements() {
        assert_eq!(Fence::read("  ~~~ py `x` ").unwrap().1, "py `x`");
        assert_eq!(Fence::read("```let x``` is code"), None);
        assert!(is_element("<source>") && is_element(" </pre> ") && !is_element("<div>"));
    }

    #[test]
    fn only_an_open_fence_is_closed() {
        let mut standing = FenceState::default();
        let inside = |standing: &mut FenceState, line| {
            standing.line(line);
            standing.is_inside()
        };
        let lines = ["x", "```py", "~~~", "```py", "```", "```"];
        let seen: Vec<_> = lines.map(|line| inside(&mut standing, line)).into();
        assert_eq!(seen, [false, true, true, true, false, true]);
    }
}
