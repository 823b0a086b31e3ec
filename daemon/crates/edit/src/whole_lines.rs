//! Recognises a text that is whole lines of a file, and adds the line end that belongs to it.
//!
//! It must not know what is done with them.

use std::ops::Range;

use super::exact::occurrences;
use super::range::Ranges;
use super::splice::Comparable;
use super::{LineEnds, Text};

/// Returns `old` with the line end that follows it in `text`, if it begins and ends as lines do wherever it
/// occurs there, and the same end follows.
#[must_use]
pub fn with_line_end(text: &Text<'_>, old: &str) -> Option<String> {
    if old.is_empty() {
        return None;
    }
    let there = Comparable::new(text);
    let ending = there.field(old);
    let end = end_after(text, &there.body, occurrences(&there.body, &ending))?;
    Some(format!("{ending}{end}"))
}

/// The end of a range with the line end that follows it in `text`, if each range from `beginning` through
/// `end` begins and ends as lines do, and the same end follows. The ranges stay the same,
/// each with its line end.
#[must_use]
pub fn range_with_line_end(text: &Text<'_>, beginning: &str, end: &str) -> Option<String> {
    if beginning.is_empty() || end.is_empty() {
        return None;
    }
    let there = Comparable::new(text);
    let (beginning, ending) = (there.field(beginning), there.field(end));
    let end = end_after(text, &there.body, Ranges::new(&there.body, &beginning, &ending))?;
    Some(format!("{ending}{end}"))
}

fn end_after(text: &Text<'_>, body: &str, spans: impl Iterator<Item = Range<usize>>) -> Option<&'static str> {
    let own: &[&str] = if text.line_ends() == LineEnds::Cr { &["\r"] } else { &["\r\n", "\n"] };
    let mut common = None;
    for span in spans {
        let (before, after) = (&body[..span.start], &body[span.end..]);
        let begins = before.is_empty() || own.iter().any(|end| before.ends_with(end));
        let end = own.iter().find(|end| begins && after.starts_with(**end))?;
        if *common.get_or_insert(*end) != *end {
            return None;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_take_their_end() {
        for (text, old, expected) in [
            ("a\nb\nc\n", "b", Some("b\n")),
            ("a\nb\nc\n", "a\nb", Some("a\nb\n")),
            ("a\nb\n", "a\n", None),
            ("a\n\nb\n", "a\n", Some("a\n\n")),
            ("ab\nc\n", "b", None),
            ("ab\nc\n", "a", None),
            ("a\nb", "b", None),
            ("b\nb\n", "b", Some("b\n")),
            ("b\nab\n", "b", None),
            ("b\na\nb", "b", None),
            ("b\r\nb\n", "b", None),
            ("a\r\nb\r\n", "a", Some("a\n")),
            ("a\r\nb\nc\n", "a", Some("a\r\n")),
            ("a\rb\r", "b", Some("b\r")),
            ("a\n", "", None),
        ] {
            let text = Text::decode(text.as_bytes()).unwrap();
            assert_eq!(with_line_end(&text, old).as_deref(), expected, "{text:?} {old:?}");
        }
    }

    #[test]
    fn ranges_of_whole_lines_take_their_end() {
        for (text, (beginning, end), expected) in [
            ("a\nb\nc\nd\n", ("b", "c"), Some("c\n")),
            ("b\nc\nb\nc\n", ("b", "c"), Some("c\n")),
            ("b\nc\nb\ncd\n", ("b", "c"), None),
            ("ab\nc\n", ("b", "c"), None),
            ("b\nc", ("b", "c"), None),
            ("b\r\nc\r\n", ("b", "c"), Some("c\n")),
            ("b\n", ("b", "c"), None),
            ("b\nc\n", ("b", ""), None),
        ] {
            let text = Text::decode(text.as_bytes()).unwrap();
            assert_eq!(range_with_line_end(&text, beginning, end).as_deref(), expected, "{text:?}");
        }
    }
}
