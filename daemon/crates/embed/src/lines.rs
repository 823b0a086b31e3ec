//! A range of a file's lines: how a path names it, and what it is of a text.
//!
//! Pure. Lines are those that line numbers count.

use super::line_ends;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) first: usize,
    last: usize,
}

impl LineRange {
    /// Returns the path and the lines that `written` names, if it has the form `path:10-42` or `path:10`.
    pub(super) fn split(written: &str) -> Option<(&str, LineRange)> {
        let (path, range) = written.rsplit_once(':').filter(|(path, _)| !path.is_empty())?;
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            plain.then(|| digits.parse().unwrap_or(usize::MAX))
        };
        Some((path, LineRange { first: number(first)?, last: number(last)? }))
    }

    pub(super) fn of(self, text: &str) -> Result<(&str, Option<usize>), usize> {
        let (mut start, mut end, mut at, mut count) = (0, 0, 0, 0);
        for line in line_ends::lines(text) {
            count += 1;
            if count == self.first {
                start = at;
            }
            at += line.len();
            if count == self.last {
                end = at;
            }
        }
        match self.first == 0 || self.last < self.first || self.first > count {
            true => Err(count),
            false if self.last > count => Ok((&text[start..], Some(count))),
            false => Ok((&text[start..end], None)),
        }
    }

    pub(super) fn suffix(self) -> String {
        match self.first == self.last {
            true => format!(":{}", self.first),
            false => format!(":{}-{}", self.first, self.last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_end_with_lines() {
        let range = |first, last| LineRange { first, last };
        for (written, split) in [
            ("a.rs:10-42", Some(("a.rs", range(10, 42)))),
            ("a:1:2-3", Some(("a:1", range(2, 3)))),
            ("a.rs:42-10", Some(("a.rs", range(42, 10)))),
            ("a.rs:1-99999999999999999999999", Some(("a.rs", range(1, usize::MAX)))),
            ("a.rs:10", Some(("a.rs", range(10, 10)))),
            ("a.rs:", None),
            ("a.rs:-4", None),
            ("a.rs:+1-2", None),
            (":1-2", None),
            ("a.rs", None),
        ] {
            assert_eq!(LineRange::split(written), split, "{written}");
        }
    }

    #[test]
    fn lines_are_taken_with_their_ends() {
        let of = |first, last, text| LineRange { first, last }.of(text);
        assert_eq!(of(2, 3, "a\r\nb\rc\nd"), Ok(("b\rc\n", None)));
        assert_eq!(of(1, 4, "a\r\nb\rc\nd"), Ok(("a\r\nb\rc\nd", None)));
        assert_eq!(of(2, 4, "a\nb\nc\n"), Ok(("b\nc\n", Some(3))), "the rest, and that there is no more");
        for (first, last) in [(0, 1), (3, 2), (4, 4), (9, 12)] {
            assert_eq!(of(first, last, "a\nb\nc\n"), Err(3), "{first}-{last}");
        }
        assert_eq!(of(1, 1, ""), Err(0));
    }
}
