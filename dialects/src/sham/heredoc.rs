//! Heredocs: text verbatim up to a line that ends with the delimiter.
//!
//! Knows delimiters and line ends, not blocks. Finding an end takes time linear in the text passed over.

use std::borrow::Cow;

use memchr::memmem::{self, Finder};
use memchr::memrchr;

use super::marker::{self, DELIMITER, Header, after_delimiter};
use crate::cursor::{Breaks, Cursor, Line};
use crate::work;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heredoc<'a> {
    /// Its lines joined by LF, without a final LF. Borrowed unless a CR had to go.
    pub(super) content: Cow<'a, str>,
    /// Byte offset of the line that ends it.
    pub(super) end_line: usize,
}

/// Reads the heredoc of the block `id` whose first content line begins at byte `start` of `text`.
///
/// It ends at the first line that is the delimiter, of any generation, or that ends with it, with one stray
/// `'` allowed after it, and blanks where it is all of the line; but not where the text before it on that
/// line contains `<<`, for that is an opener. Other text before it is the last line of the content. `None` if
/// there is no such line.
pub(super) fn read<'a>(text: &'a str, start: usize, id: &str) -> Option<Heredoc<'a>> {
    let finder = Finder::new(DELIMITER);
    let mut from = start;
    loop {
        let Some(offset) = finder.find(&text.as_bytes()[from..]) else {
            work::count(text.len() - from);
            return None;
        };
        work::count(offset + 1);
        let at = from + offset;
        from = at + DELIMITER.len();
        let alone = at == start || text.as_bytes()[at - 1] == b'\n';
        if !ends_line(&text[at..], id, alone) {
            continue;
        }
        let end_line =
            memrchr(b'\n', &text.as_bytes()[start..at]).map_or(start, |newline| start + newline + 1);
        work::count(at - end_line);
        if memmem::find(&text.as_bytes()[end_line..at], b"<<").is_some() {
            continue;
        }
        // Text before the delimiter is content to its last byte, even if that is a CR.
        let lines = if end_line < at { &text[start..at] } else { &text[start..end_line] };
        return Some(Heredoc { content: Breaks::Lf.joined(lines), end_line });
    }
}

/// Returns the line with which the block `id` seems to have ended in the content of one of its heredocs: the
/// first line that is its end marker and has a header of the same id somewhere after it. The delimiter is
/// then missing, and the one that was found is a later block's.
pub(super) fn lost_end<'a>(content: &Cursor<'a>, until: usize, id: &str) -> Option<Line<'a>> {
    let text = &content.text().as_bytes()[content.position()..until];
    work::count(2 * text.len());
    // Every header holds these. Most content holds neither.
    if memmem::find(text, b"#!").is_none() || memmem::find(text, b"[@").is_none() {
        return None;
    }
    let mut ahead = content.clone();
    let mut ended = None;
    while ahead.position() < until {
        let line = ahead.next_line()?;
        match ended {
            None if marker::end_id(line.text) == Some(id) => ended = Some(line),
            Some(end) if matches!(marker::header(line.text), Header::Opens { id: next, .. } if next == id) => {
                return Some(end);
            }
            _ => {}
        }
    }
    None
}

/// Returns true if `text` is the delimiter for `id`, and one stray `'` at most, up to the end of its line;
/// blanks may follow if it is `alone` there.
fn ends_line(text: &str, id: &str, alone: bool) -> bool {
    after_delimiter(text, id).is_some_and(|rest| {
        let rest = rest.strip_prefix('\'').unwrap_or(rest);
        let bare = rest.trim_start_matches([' ', '\t']);
        let rest = if alone { bare } else { rest };
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Option<Cow<'_, str>> {
        read(text, 0, "abc").map(|heredoc| heredoc.content)
    }

    #[test]
    fn joins_lines_by_lf_and_borrows_where_it_can() {
        assert_eq!(content("EOT_abc"), Some(Cow::Borrowed("")));
        assert_eq!(content("\nEOT_abc"), Some(Cow::Borrowed("")));
        assert_eq!(content("\n\nEOT_abc"), Some(Cow::Borrowed("\n")));
        assert!(matches!(content("a\nb\r\nEOT_SHAM_abc\r\nx"), Some(Cow::Borrowed("a\nb"))));
        assert_eq!(content("a\r\nb\rc\r\nEOT_abc").as_deref(), Some("a\nb\rc"));
    }

    #[test]
    fn slips_at_the_end() {
        assert_eq!(content("a\nEOT_abc'\n").as_deref(), Some("a"));
        assert_eq!(content("a\nlast EOT_abc").as_deref(), Some("a\nlast "));
        assert_eq!(content("lastEOT_abc'").as_deref(), Some("last"));
        assert_eq!(content("EOT_EOT_abc").as_deref(), Some("EOT_"));
        assert_eq!(content("a\nEOT_abc \t\r\n").as_deref(), Some("a"));
    }

    #[test]
    fn what_does_not_end_it() {
        for text in [
            "EOT_abc x",
            "EOT_abc''",
            "EOT_abd",
            "x = <<'EOT_abc'",
            "<< EOT_abc",
            "x EOT_abc \n",
            "EOT_SHAM_",
        ] {
            assert_eq!(content(text), None, "{text}");
        }
    }
}
