//! Recognises a text that is whole lines of a file, and adds the line end that belongs to it.
//!
//! It must not know what is done with them.

use super::exact::occurrences;
use super::splice::Comparable;
use super::{LineEnds, Text};

/// Returns `old` with the line end that follows it in `text`, if it occurs exactly once there and begins and
/// ends as lines do.
#[must_use]
pub fn with_line_end(text: &Text<'_>, old: &str) -> Option<String> {
    if old.is_empty() {
        return None;
    }
    let there = Comparable::new(text);
    let wanted = there.field(old);
    let mut spans = occurrences(&there.body, &wanted);
    let span = spans.next()?;
    if spans.next().is_some() {
        return None;
    }
    let (before, after) = (&there.body[..span.start], &there.body[span.end..]);
    let own: &[&str] = if text.line_ends() == LineEnds::Cr { &["\r"] } else { &["\r\n", "\n"] };
    let begins = before.is_empty() || own.iter().any(|end| before.ends_with(end));
    let end = own.iter().find(|end| after.starts_with(**end))?;
    begins.then(|| format!("{wanted}{end}"))
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
            ("b\nb\n", "b", None),
            ("a\r\nb\r\n", "a", Some("a\n")),
            ("a\r\nb\nc\n", "a", Some("a\r\n")),
            ("a\rb\r", "b", Some("b\r")),
            ("a\n", "", None),
        ] {
            let text = Text::decode(text.as_bytes()).unwrap();
            assert_eq!(with_line_end(&text, old).as_deref(), expected, "{text:?} {old:?}");
        }
    }
}
