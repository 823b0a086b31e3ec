//! Code fences of Markdown: what opens one, and what ends it.
//!
//! Looks at single lines and knows nothing of what stands between them (spec: foreign-dialects, 0.1: a closing fence
//! has at least as many marks, of the same kind, and no label). Indentation is not limited: answers are full of lists.

/// Marks of the shortest fence.
const SHORTEST: usize = 3;

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    /// The blanks before it.
    pub(crate) indent: &'a str,
    /// The first word after it, empty if there is none.
    pub(crate) label: &'a str,
    mark: u8,
    length: usize,
}

impl<'a> Fence<'a> {
    /// The fence that `line` opens where none is open.
    pub(crate) fn opened_by(line: &'a str) -> Option<Fence<'a>> {
        let text = line.trim_ascii_start();
        let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = run(text, mark);
        let info = &text[length..];
        if length < SHORTEST || (mark == b'`' && info.contains('`')) {
            return None;
        }
        let label = info.split_ascii_whitespace().next().unwrap_or_default();
        Some(Fence { indent: &line[..line.len() - text.len()], label, mark, length })
    }

    /// Whether `line` ends it.
    pub(crate) fn closed_by(&self, line: &str) -> bool {
        let text = line.trim_ascii();
        let length = run(text, self.mark);
        length >= self.length && length == text.len()
    }
}

/// How many of `mark` stand at the start of `text`.
fn run(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|byte| *byte == mark).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_have_three_marks_or_more_and_a_label() {
        let opened = |line| Fence::opened_by(line).map(|fence| (fence.indent, fence.label, fence.length));
        assert_eq!(opened("```"), Some(("", "", 3)));
        assert_eq!(opened("  ~~~~ xml title"), Some(("  ", "xml", 4)));
        assert_eq!(opened("```xml\r"), Some(("", "xml", 3)));
        for line in ["", "``", "``` a `", "text ```", "``~"] {
            assert_eq!(opened(line), None, "{line}");
        }
    }

    #[test]
    fn a_fence_is_closed_by_one_that_is_no_shorter() {
        let fence = Fence::opened_by("````md").unwrap();
        assert!(fence.closed_by("````") && fence.closed_by("  ````` "));
        for line in ["```", "~~~~", "```` md", ""] {
            assert!(!fence.closed_by(line), "{line}");
        }
    }
}
