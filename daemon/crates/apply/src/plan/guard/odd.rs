//! Characters and blanks that a chat page or a converter puts into new lines, and that nobody sees there.

use std::collections::HashSet;
use std::path::Path;

use super::{PROSE, extension, is_makefile};

/// The ways in which chat pages mark what a sentence is taken from.
const CITATIONS: [&str; 5] =
    ["[cite_start]", "[cite:", ":contentReference[oaicite", "\u{e200}cite", "†source】"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Odd {
    /// The line of the new text, from 1.
    pub(crate) line: usize,
    /// What it has, as the end of a sentence about the line.
    pub(crate) what: String,
    /// True if it cannot be meant.
    pub(crate) is_mark: bool,
}

/// The first new line of each kind that has something odd which `old`, the text before, has not.
pub(crate) fn odd(old: Option<&str>, new: &str, path: &Path) -> Vec<Odd> {
    let had: HashSet<&str> = old.unwrap_or_default().lines().collect();
    // A blank that is not a space may be meant there.
    let is_prose = PROSE.contains(&&*extension(path));
    let has = |sign: char| old.is_some_and(|old| old.contains(sign));
    let by_tabs = old.is_some_and(indents_by_tabs) || old.is_none() && is_makefile(path);
    let mut findings: Vec<Odd> = Vec::new();
    let mut kinds = HashSet::new();
    for (at, line) in new.lines().enumerate().filter(|(_, line)| !had.contains(line)) {
        let mut add = |kind: u32, what: String, is_mark| {
            if kinds.insert(kind) {
                findings.push(Odd { line: at + 1, what, is_mark });
            }
        };
        if by_tabs && line.starts_with(' ') && !line.starts_with(" *") {
            add(0, "begins with spaces, the other indented lines of the file with tabs".to_owned(), false);
        }
        // Fast path: an ASCII line has no invisible characters, and every citation mark holds a bracket or a
        // colon.
        if line.is_ascii() && !line.contains(['\0', '[', ':']) {
            continue;
        }
        if let Some(mark) = CITATIONS
            .iter()
            .find(|mark| line.contains(**mark) && !old.is_some_and(|old| old.contains(**mark)))
        {
            add(
                1,
                format!("holds a mark of a chat page's citations, '{}'", clada_protocol::visible_line(mark)),
                true,
            );
        }
        let blanks = line.len() - line.trim_start().len();
        for (place, sign) in line.char_indices().filter(|(_, sign)| is_unseen(*sign) && !has(*sign)) {
            if !is_prose || place < blanks || sign == '\0' {
                add(u32::from(sign) + 2, format!("holds U+{:04X}, {}", u32::from(sign), name(sign)), false);
            }
        }
    }
    findings
}

fn indents_by_tabs(text: &str) -> bool {
    let mut indented =
        text.lines().filter(|line| line.starts_with([' ', '\t']) && !line.starts_with(" *")).peekable();
    indented.peek().is_some() && indented.all(|line| line.starts_with('\t'))
}

/// A character that is seen as a blank or not at all. Those that join letters and signs are none of them.
fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\0' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200b}' | '\u{202f}' | '\u{205f}' | '\u{2060}' | '\u{feff}'
    )
}

fn name(sign: char) -> &'static str {
    match sign {
        '\0' => "a NUL, with which most programs do not take the file for text",
        '\u{200b}' | '\u{2060}' | '\u{feff}' => "which is not seen",
        _ => "a blank that is not a space",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(old: Option<&str>, new: &str, path: &str) -> Vec<(usize, bool)> {
        odd(old, new, Path::new(path)).into_iter().map(|odd| (odd.line, odd.is_mark)).collect()
    }

    #[test]
    fn regression_what_is_not_seen_in_new_lines_is_told() {
        for (old, new, path, expected) in [
            (Some("a\n"), "a\n\u{a0}\u{a0}b\n", "f.py", &[(2, false)][..]),
            (Some("a\n"), "a\nx\u{200b}y\n", "f.py", &[(2, false)]),
            (None, "nul \0 end\n", "b.txt", &[(1, false)]),
            (Some("all:\n\tx\n"), "all:\n\tx\nb:\n        y\n", "Makefile", &[(4, false)]),
            (None, "all:\n    x\n", "Makefile", &[(2, false)]),
            (Some("a\n"), "    [cite_start]return 3 [cite: 7]\n", "f.py", &[(1, true)]),
            (Some("a\n"), "see 【1†source】\n", "a.md", &[(1, true)]),
            (Some("a\u{a0}b\n"), "a\u{a0}b\nc\u{a0}d\n", "f.py", &[]),
            (Some("x\n"), "Prix\u{a0}: 3\u{202f}€\n", "a.md", &[]),
            (Some("x\n"), "👩\u{200d}👩 می\u{200c}خواهم\n", "a.py", &[]),
            (Some("a:\n  b\n"), "a:\n  b\n  c\n", "f.py", &[]),
            (Some("/*\n * x\n */\n\tf();\n"), "/*\n * x\n * y\n */\n\tf();\n", "f.c", &[]),
        ] {
            assert_eq!(told(old, new, path), expected, "{new:?}");
        }
    }
}
