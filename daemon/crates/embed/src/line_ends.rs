//! The line ends that are not LF, in words for a heading: a parser of Markdown or XML makes every line end an
//! LF, and these words restore what it was. Pure.

use std::fmt::Write as _;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Which {
    #[default]
    None,
    All,
    Some(Vec<(usize, usize)>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineEnds {
    pub(super) crlf: Which,
    pub(super) cr: Which,
}

impl LineEnds {
    pub(super) fn from_text(text: &str) -> LineEnds {
        let bytes = text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return LineEnds::default();
        }
        let (mut crlf, mut cr) = (Vec::new(), Vec::new());
        let (mut lines, mut passed) = (0, 0);
        for at in memchr::memchr2_iter(b'\r', b'\n', bytes) {
            if at < passed {
                continue;
            }
            lines += 1;
            passed = at + 1;
            if bytes[at] == b'\r' {
                let ends = if bytes.get(at + 1) == Some(&b'\n') {
                    passed += 1;
                    &mut crlf
                } else {
                    &mut cr
                };
                add(ends, lines);
            }
        }
        LineEnds { crlf: which(crlf, lines), cr: which(cr, lines) }
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        [("crlf", &self.crlf), ("cr", &self.cr)].into_iter().filter_map(|(name, which)| match which {
            Which::None => None,
            Which::All => Some((name, None)),
            Which::Some(ranges) => Some((name, Some(shown(ranges)))),
        })
    }
}

pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let end = match memchr::memchr2(b'\r', b'\n', bytes) {
            None if rest.is_empty() => return None,
            None => rest.len(),
            Some(at) if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') => at + 2,
            Some(at) => at + 1,
        };
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line)
    })
}

fn add(ranges: &mut Vec<(usize, usize)>, line: usize) {
    match ranges.last_mut() {
        Some((_, last)) if *last + 1 == line => *last = line,
        _ => ranges.push((line, line)),
    }
}

fn which(ranges: Vec<(usize, usize)>, lines: usize) -> Which {
    match ranges.as_slice() {
        [] => Which::None,
        [(1, last)] if *last == lines => Which::All,
        _ => Which::Some(ranges),
    }
}

fn shown(ranges: &[(usize, usize)]) -> String {
    let mut text = String::new();
    for (index, (first, last)) in ranges.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = if first == last {
            write!(text, "{comma}{first}")
        } else {
            write!(text, "{comma}{first}-{last}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn said_in_words() {
        for (text, words) in [
            ("a\nb", ""),
            ("a\r\nb\r\n", "crlf"),
            ("a\r\nb", "crlf"),
            ("a\rb\r", "cr"),
            ("a\r\nb\nc\r\nd\r\n", "crlf=1,3-4"),
            ("a\rb\r\nc\n", "crlf=2 cr=1"),
            ("\r\r\n\n\r", "crlf=2 cr=1,4"),
        ] {
            let word = |(name, value): (&str, Option<String>)| match value {
                None => name.to_owned(),
                Some(value) => format!("{name}={value}"),
            };
            let found: Vec<String> = LineEnds::from_text(text).attributes().map(word).collect();
            assert_eq!(found.join(" "), words, "{text:?}");
            assert_eq!(lines(text).collect::<String>(), text);
        }
    }
}
