//! The name of a file in a diff's header (spec: foreign-dialects, "Path rules").
//!
//! Works on single lines. Whether there is such a file is not asked here.

use std::borrow::Cow;

use clada_schema::{RawField, Span};

use crate::cursor::Line;
use crate::file_name::is_listed;

const NOWHERE: &str = "/dev/null";
const OLD_COPY_ENDINGS: [&str; 5] = [".orig", ".old", ".bak", "~", ".original"];
/// Folders in which a project and its old copy are put to compare them, and those that git puts before names.
const COMPARED_FOLDERS: &[(&str, &str)] = &[
    ("old", "new"),
    ("orig", "new"),
    ("original", "modified"),
    ("original", "new"),
    ("before", "after"),
    ("a", "b"),
    ("1", "2"),
    ("i", "w"),
    ("c", "i"),
    ("c", "w"),
];
const DECORATIONS: [&str; 3] = ["`", "'", "**"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) text: Cow<'a, str>,
    span: Span,
    pub(super) is_quoted: bool,
}

impl<'a> Name<'a> {
    /// The name that begins at byte `from` of `line` and takes the rest of it, but for a time after a tab.
    pub(super) fn read(line: &Line<'a>, from: usize) -> Option<Name<'a>> {
        let rest = line.text.get(from..)?;
        if rest.trim_start().starts_with('"') {
            let from = from + (rest.len() - rest.trim_start().len());
            let (text, length) = unquoted(&line.text[from..])?;
            return Some(Name { text, span: line.span(from..from + length), is_quoted: true });
        }
        let written = without_remark(rest.split('\t').find(|part| !part.trim().is_empty())?.trim());
        let bare = DECORATIONS.into_iter().find_map(|mark| {
            written.strip_prefix(mark)?.strip_suffix(mark).map(str::trim).filter(|name| !name.is_empty())
        });
        let text = bare.unwrap_or(written);
        let start = from + rest.find(text)?;
        Some(Name { text: text.into(), span: line.span(start..start + text.len()), is_quoted: false })
    }

    /// Both names of a line `diff --git OLD NEW`, where they can be separated.
    pub(super) fn pair(line: &Line<'a>, from: usize) -> Option<(Name<'a>, Name<'a>)> {
        let rest = line.text.get(from..)?.trim_end();
        let name = |start: usize, end: usize| Name {
            text: Cow::Borrowed(&line.text[start..end]),
            span: line.span(start..end),
            is_quoted: false,
        };
        if rest.starts_with('"') {
            let (old, length) = unquoted(rest)?;
            let old = Name { text: old, span: line.span(from..from + length), is_quoted: true };
            let after = from + length;
            let blanks = line.text[after..].len() - line.text[after..].trim_start().len();
            return Some((old, Name::read(line, after + blanks)?));
        }
        let words: Vec<&str> = rest.splitn(3, ' ').collect();
        let middle = match words[..] {
            [old, _] => old.len(),
            _ if rest.len() % 2 == 1 && rest.as_bytes()[rest.len() / 2] == b' ' => rest.len() / 2,
            _ => return None,
        };
        let (old, new) = (&rest[..middle], &rest[middle + 1..]);
        let same =
            old == new || old.strip_prefix("a/").is_some_and(|old| new.strip_prefix("b/") == Some(old));
        let pair = (name(from, from + middle), name(from + middle + 1, from + rest.len()));
        (same || words.len() == 2).then_some(pair)
    }

    pub(super) fn is_nowhere(&self) -> bool {
        self.text == NOWHERE
    }

    /// Returns true if it may be the old name of the file called `new`: the same, in other folders of which
    /// one is next to the project, or that of a copy.
    pub(super) fn may_be(&self, new: &Name<'_>) -> bool {
        let (old, new) = (&*self.text, &*new.text);
        let copy = old.strip_prefix(new).is_some_and(|end| OLD_COPY_ENDINGS.contains(&end));
        let compared = || {
            let ((one, old), (other, new)) = (old.split_once('/')?, new.split_once('/')?);
            Some(old == new && COMPARED_FOLDERS.contains(&(one, other)))
        };
        let within =
            |one: &str, other: &str| one.strip_suffix(other).is_some_and(|before| before.ends_with('/'));
        old == new || copy || within(old, new) || within(new, old) || compared() == Some(true)
    }

    pub(super) fn without(self, prefix: &str) -> Name<'a> {
        let Name { text, span, is_quoted } = self;
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(prefix).unwrap_or(text)),
            Cow::Owned(text) => Cow::Owned(text.strip_prefix(prefix).map(str::to_owned).unwrap_or(text)),
        };
        Name { text, span, is_quoted }
    }

    pub(super) fn from_field(field: RawField<'a>) -> Name<'a> {
        Name { text: field.value, span: field.span, is_quoted: false }
    }

    pub(super) fn field(self, name: &'static str) -> RawField<'a> {
        RawField { name: name.into(), value: self.text, span: self.span }
    }
}

/// Returns `name` without a time after blanks, and without a remark in brackets that only says which of two files it is.
fn without_remark(name: &str) -> &str {
    let date = name.match_indices(' ').find(|(at, _)| is_date(name[*at..].trim_start()));
    let name = date.map_or(name, |(at, _)| name[..at].trim_end());
    let remark = ["original", "modified", "old", "new", "before", "after", "updated", "working copy"];
    let bare = remark.into_iter().find_map(|word| {
        let bare = name.strip_suffix(')')?.strip_suffix(word)?.strip_suffix('(')?;
        Some(bare.trim_end()).filter(|bare| bare.len() + 1 < name.len() && !bare.is_empty())
    });
    bare.unwrap_or(name)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(digit)
}

/// Returns true if the time at the end of the line `+++ NAME TIME` is the first second of 1970, which `diff -N`
/// writes after the name of a file that is not there. Without a zone, it may be that second in any zone.
pub(super) fn is_at_epoch(line: &str) -> bool {
    let mut words =
        line.split_whitespace().skip(2).skip_while(|word| !is_date(word) && *word != "Jan" && *word != "Dec");
    let day = match words.next() {
        Some("1970-01-01") => 0,
        Some("1969-12-31") => -1,
        Some("Jan") if words.next() == Some("1") => 0,
        Some("Dec") if words.next() == Some("31") => -1,
        _ => return false,
    };
    let Some(seconds) = words.next().and_then(seconds_of_day) else { return false };
    let local = day * 86_400 + seconds;
    match words.next() {
        Some(zone) if zone.starts_with(['+', '-']) => zone_seconds(zone) == Some(local),
        // The year of `Thu Jan  1 01:00:00 1970`.
        Some(year) if day == 0 && year != "1970" || day == -1 && year != "1969" => false,
        _ => local % 900 == 0 && (-12 * 3600..=14 * 3600).contains(&local),
    }
}

fn seconds_of_day(time: &str) -> Option<i32> {
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':').map(|part| part.parse::<i32>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    fraction.bytes().all(|digit| digit == b'0').then_some(hours * 3600 + minutes * 60 + seconds)
}

fn zone_seconds(zone: &str) -> Option<i32> {
    let digits: i32 = zone.get(1..5)?.parse().ok()?;
    let seconds = digits / 100 * 3600 + digits % 100 * 60;
    Some(if zone.starts_with('-') { -seconds } else { seconds })
}

/// Returns `old` and `new` without the folders `a/` and `b/` that git puts before them: only where both have
/// them, or one is the name used for no file.
pub(super) fn bare<'a>(old: Name<'a>, new: Name<'a>) -> (Name<'a>, Name<'a>) {
    let prefixed = |name: &Name<'_>, prefix: &str| name.is_nowhere() || name.text.starts_with(prefix);
    if prefixed(&old, "a/") && prefixed(&new, "b/") {
        return (old.without("a/"), new.without("b/"));
    }
    (old, new)
}

/// Returns true if the lines `--- OLD` and `+++ NEW` can name the same file, or one and none.
pub(super) fn are_of_one_file(old: &str, new: &str) -> bool {
    let name = |text| Name::read(&Line { number: 1, start: 0, text }, "--- ".len());
    let Some((old, new)) = name(old).zip(name(new)) else { return true };
    let (old, new) = bare(old, new);
    old.is_nowhere() || new.is_nowhere() || old.may_be(&new)
}

/// Returns true if the lines `--- OLD` and `+++ NEW` name the same file, or one and none, by names that only
/// files have.
pub(super) fn are_surely_of_one_file(old: &str, new: &str) -> bool {
    let name = |text| Name::read(&Line { number: 1, start: 0, text }, "--- ".len());
    let Some((old, new)) = name(old).zip(name(new)) else { return false };
    let is_path = |name: &Name<'_>| {
        !name.text.contains(char::is_whitespace) && (name.text.contains('/') || is_listed(&name.text))
    };
    is_path(&old) && is_path(&new) && (old.is_nowhere() || new.is_nowhere() || old.may_be(&new))
}

/// Returns the content of the quotation at the start of `text`, with C's escapes undone, and the bytes that
/// it takes.
fn unquoted(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let mut content = Vec::new();
    let mut at = 1;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'"' => return Some((Cow::Owned(String::from_utf8(content).ok()?), at)),
            b'\\' => {
                let (byte, length) = escape(&bytes[at..])?;
                content.push(byte);
                at += length;
            }
            _ => content.push(byte),
        }
    }
}

fn escape(bytes: &[u8]) -> Option<(u8, usize)> {
    let byte = match *bytes.first()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        mark @ (b'"' | b'\\') => mark,
        b'0'..=b'3' => {
            let digits = bytes.get(..3)?;
            let value = digits.iter().try_fold(0_u32, |value, digit| {
                Some(value * 8 + u32::from(digit.checked_sub(b'0').filter(|digit| *digit < 8)?))
            })?;
            return Some((u8::try_from(value).ok()?, 3));
        }
        _ => return None,
    };
    Some((byte, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        Line { number: 1, start: 0, text }
    }

    #[test]
    fn names_lose_what_is_not_theirs() {
        let read = |text: &str| Name::read(&line(text), 4).map(|name| name.text.into_owned());
        for (written, name) in [
            ("--- a.py", "a.py"),
            ("--- a b.py\t2024-01-01 10:00:00", "a b.py"),
            ("--- `a.py`  ", "a.py"),
            ("--- a/t.py  2020-01-01 10:00:00.000000000 +0100", "a/t.py"),
            ("--- t.py 2020-01-01", "t.py"),
            ("--- t.py (original)", "t.py"),
            ("--- my file (copy).py", "my file (copy).py"),
            ("--- notes 2020-01.md", "notes 2020-01.md"),
            ("--- \"a/b\\303\\244\\\"\"", "a/bä\""),
            ("--- \tx", "x"),
        ] {
            assert_eq!(read(written).as_deref(), Some(name), "{written}");
        }
        for none in ["--- ", "---", "--- \"a", "--- \"\\777\"", "--- \"\\303\"", "--- \\t\t"] {
            assert!(read(none).is_none_or(|name| name == "\\t"), "{none}");
        }
    }

    #[test]
    fn regression_the_time_of_no_file_is_the_epoch_in_its_zone() {
        for (time, is_epoch) in [
            ("1970-01-01 00:00:00.000000000 +0000", true),
            ("1970-01-01 01:00:00 +0100", true),
            ("1969-12-31 19:00:00.000000000 -0500", true),
            ("1970-01-01 05:45:00 +0545", true),
            ("1970-01-01 00:00:00", true),
            ("Thu Jan  1 01:00:00 1970", true),
            ("Wed Dec 31 16:00:00 1969", true),
            ("1970-01-01 00:00:01.000000000 +0000", false),
            ("1970-01-01 00:00:00.100000000 +0000", false),
            ("1970-01-01 01:00:00 +0000", false),
            ("1970-01-02 00:00:00 +0000", false),
            ("2024-01-01 00:00:00 +0000", false),
            ("Thu Jan  1 00:00:00 2015", false),
            ("", false),
        ] {
            for blanks in ["\t", "  "] {
                assert_eq!(is_at_epoch(&format!("+++ b/a file.txt{blanks}{time}")), is_epoch, "{time}");
            }
        }
        assert!(!is_at_epoch("+++ 1970-01-01"));
    }

    #[test]
    fn names_of_one_file() {
        let name = |text: &str| Name::read(&Line { number: 1, start: 0, text }, 0).unwrap().text.into_owned();
        let may_be = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| Name {
                text: name(text).into(),
                span: line("").place(),
                is_quoted: false,
            });
            old.may_be(&new)
        };
        for (old, new) in [
            ("x.py", "x.py"),
            ("x.py.orig", "x.py"),
            ("old/src/x.py", "new/src/x.py"),
            ("1/src/x.py", "2/src/x.py"),
            ("x.py", "src/x.py"),
            ("a/src/x.py", "src/x.py"),
        ] {
            assert!(may_be(old, new), "{old} {new}");
        }
        for (old, new) in
            [("x.py", "y.py"), ("src/x.py", "src/y.py"), ("x.py", "yx.py"), ("api/x.py", "web/x.py")]
        {
            assert!(!may_be(old, new), "{old} {new}");
        }
    }

    #[test]
    fn two_names_on_a_line_are_kept_apart() {
        let pair = |text: &str| {
            Name::pair(&line(text), 11).map(|(old, new)| (old.text.into_owned(), new.text.into_owned()))
        };
        let two = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(pair("diff --git a/x y b/x y"), two("a/x y", "b/x y"));
        assert_eq!(pair("diff --git a/x b/y"), two("a/x", "b/y"));
        assert_eq!(pair("diff --git x y x y"), two("x y", "x y"));
        assert_eq!(pair("diff --git \"a/\\\\\" \"b/\\\\\""), two("a/\\", "b/\\"));
        assert_eq!(pair("diff --git a/x y b/z"), None);
        assert_eq!(pair("diff --git é ü é"), None);
    }
}
