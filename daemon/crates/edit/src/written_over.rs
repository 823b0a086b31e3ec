//! A file that is written whole keeps the ways of the one that is there: byte order mark and line ends.
//!
//! It must not know what was asked. The text alone is the answer's; bytes that nobody asked to change stay (spec:
//! plain answers, "every byte as the file has it").

use super::{LineEnds, Text, changes, split_lines};

/// Returns the bytes of a file that holds `old` once `content` is written over it: lines that stay keep their own
/// ends, new ones have the end of most of its lines. Whether the last line has an end is `content`'s to say.
#[must_use]
pub fn written_over(old: &Text<'_>, content: &str) -> Vec<u8> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    if LineEnds::detect(content) == old.line_ends() && old.line_ends() != LineEnds::Mixed {
        return old.encode(content.to_owned());
    }
    let before: Vec<_> = split_lines(old.as_str()).collect();
    let after: Vec<_> = split_lines(content).collect();
    let Some(usual) = most(before.iter().map(|line| line.end)) else { return old.encode(content.to_owned()) };
    let mut ends: Vec<&str> = vec![usual; after.len()];
    if old.line_ends() == LineEnds::Mixed {
        let bodies =
            |lines: &[super::TextLine<'_>]| lines.iter().map(|line| line.body.to_owned()).collect::<Vec<_>>();
        let (mut at, mut from) = (0, 0);
        let all = changes(&bodies(&before), &bodies(&after));
        let ranges = all.into_iter().map(|change| (change.old, change.new));
        for (removed, come) in ranges.chain([(before.len()..before.len(), after.len()..after.len())]) {
            for (line, end) in before[at..removed.start].iter().zip(&mut ends[from..come.start]) {
                *end = if line.end.is_empty() { usual } else { line.end };
            }
            (at, from) = (removed.end, come.end);
        }
    }
    let mut text = String::with_capacity(content.len() + after.len());
    for (line, end) in after.iter().zip(ends) {
        text.push_str(line.body);
        text.push_str(if line.end.is_empty() { "" } else { end });
    }
    old.encode(text)
}

/// The line end that occurs most; the first of those that do.
fn most<'t>(ends: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for end in ends.filter(|end| !end.is_empty()) {
        match counts.iter_mut().find(|(known, _)| *known == end) {
            Some((_, count)) => *count += 1,
            None => counts.push((end, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max()?;
    counts.iter().find(|(_, count)| *count == most).map(|(end, _)| *end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(old: &str, new: &str) -> String {
        let text = Text::decode(old.as_bytes()).unwrap();
        String::from_utf8(written_over(&text, new)).unwrap()
    }

    #[test]
    fn regression_a_whole_write_changes_no_byte_that_was_not_asked_for() {
        for (old, new, expected) in [
            ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
            ("a\r\nb\r\n", "a\nc", "a\r\nc"),
            ("\u{feff}a\r\nb\r\n", "a\nc\n", "\u{feff}a\r\nc\r\n"),
            ("\u{feff}a\n", "\u{feff}b\n", "\u{feff}b\n"),
            ("a\rb\r", "a\nc\n", "a\rc\r"),
            ("a\r\nb\nc\r\nd\r\n", "a\nb\nnew\nd\n", "a\r\nb\nnew\r\nd\r\n"),
            ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
            ("a\nb\r\nc\n", "b\nx\n", "b\r\nx\n"),
            ("a", "a\r\nb\r\n", "a\r\nb\r\n"),
            ("", "a\n", "a\n"),
            ("a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ] {
            assert_eq!(written(old, new), expected, "{old:?} {new:?}");
        }
    }
}
