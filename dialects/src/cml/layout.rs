//! Line ends and blanks of a text between tags: which of them belong to it.
//!
//! Knows nothing of XML.
//!
//! If tags are on lines of their own, the text is the lines between them. A file that is written keeps the
//! end of its last line, as text files have it; search and replacement texts do not, so that they may match a
//! line that ends the file. In CDATA every character counts, and only CRLF becomes LF.

use std::borrow::Cow;

use crate::work;

pub(super) fn lines<'a>(text: &'a str, indent: &str) -> Cow<'a, str> {
    let mut lines = Cow::Borrowed(text);
    if text.contains("\r\n") {
        lines = Cow::Owned(text.replace("\r\n", "\n"));
    }
    if !indent.is_empty() {
        lines = Cow::Owned(lines.replace(&format!("\n{indent}"), "\n"));
    }
    lines
}

/// Returns the part of `written`, the source between the tags of the element `name`, that is its text, and
/// the number of bytes before it.
pub(super) fn inner<'a>(name: &str, written: &'a str) -> (&'a str, usize) {
    const BLANKS: [char; 2] = [' ', '\t'];
    if name == "run" {
        let command = written.trim_ascii();
        return (command, written.len() - written.trim_ascii_start().len());
    }
    let mut text = written;
    if let Some((first, rest)) = text.split_once('\n')
        && first.trim_ascii().is_empty()
    {
        text = rest;
    }
    let skipped = written.len() - text.len();
    let before_tag = text.trim_end_matches(BLANKS);
    if before_tag.ends_with('\n') || (before_tag.is_empty() && skipped > 0) {
        text = before_tag;
        if name != "write" {
            text = text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
        }
    }
    (text, skipped)
}

pub(super) fn without_first_end(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\n').unwrap_or(text)),
        Cow::Owned(mut text) => {
            if text.starts_with('\n') {
                text.remove(0);
            }
            Cow::Owned(text)
        }
    }
}

/// Returns true if every line of `block` that is not blank begins with `indent`, except the first, of which
/// only the rest is here.
pub(super) fn is_indented(block: &str, indent: &str) -> bool {
    work::count(block.len());
    block.split('\n').skip(1).all(|line| line.starts_with(indent) || line.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_on_lines_of_their_own_hold_lines() {
        for (written, file, part) in [
            ("", "", ""),
            ("a", "a", "a"),
            (" a ", " a ", " a "),
            ("\n", "", ""),
            ("\n  ", "", ""),
            ("\n  a\n  ", "  a\n", "  a"),
            ("  \r\na\r\nb\r\n", "a\r\nb\r\n", "a\r\nb"),
            ("\n\na\n\n", "\na\n\n", "\na\n"),
            ("a\n", "a\n", "a"),
            ("a\nb", "a\nb", "a\nb"),
            ("\na ", "a ", "a "),
        ] {
            assert_eq!(inner("write", written).0, file, "{written:?}");
            assert_eq!(inner("search", written).0, part, "{written:?}");
        }
        assert_eq!(inner("run", "\n  ls -l\n "), ("ls -l", 3));
    }

    #[test]
    fn lines_lose_cr_and_indent() {
        assert_eq!(lines("  a\r\n   b\r\n\r\nc\rd", "  "), "  a\n b\n\nc\rd");
        assert!(is_indented("<a>\n  x\n\n  </a>", "  ") && !is_indented("<a>\n  x\n </a>", "  "));
    }
}
