//! The name of a file in a diff's header (spec: foreign-dialects, "Path rules").
//!
//! Works on single lines. Whether there is such a file is not asked here.

use std::borrow::Cow;

use clada_schema::{RawField, Span};

use crate::cursor::Line;
use crate::file_name::is_listed;

/// The name used for no file.
const NOWHERE: &str = "/dev/null";
/// The endings of the name of a file's old copy.
const COPIES: [&str; 5] = [".orig", ".old", ".bak", "~", ".original"];
/// Folders in which a project and its old copy are put to compare them, and those that git puts before names.
const COMPARED_FOLDERS: [(&str, &str); 9] = [
    ("old", "new"),
    ("orig", "new"),
    ("original", "modified"),
    ("original", "new"),
    ("before", "after"),
    ("a", "b"),
    ("i", "w"),
    ("c", "i"),
    ("c", "w"),
];
/// Pairs of characters around a name that are not part of it.
const DECORATIONS: [&str; 3] = ["`", "'", "**"];

/// A name as written, without decorations, its quotation undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) text: Cow<'a, str>,
    span: Span,
}

impl<'a> Name<'a> {
    /// The name that begins at byte `from` of `line` and takes the rest of it, but for a time after a tab.
    pub(super) fn read(line: &Line<'a>, from: usize) -> Option<Name<'a>> {
        let rest = line.text.get(from..)?;
        if rest.trim_start().starts_with('"') {
            let from = from + (rest.len() - rest.trim_start().len());
            let (text, length) = unquoted(&line.text[from..])?;
            return Some(Name { text, span: line.span(from..from + length) });
        }
        let written = rest.split('\t').find(|part| !part.trim().is_empty())?.trim();
        let bare = DECORATIONS.into_iter().find_map(|mark| {
            written.strip_prefix(mark)?.strip_suffix(mark).map(str::trim).filter(|name| !name.is_empty())
        });
        let text = bare.unwrap_or(written);
        let start = from + rest.find(text)?;
        Some(Name { text: text.into(), span: line.span(start..start + text.len()) })
    }

    /// Both names of a line `diff --git OLD NEW`, where they can be separated.
    pub(super) fn pair(line: &Line<'a>, from: usize) -> Option<(Name<'a>, Name<'a>)> {
        let rest = line.text.get(from..)?.trim_end();
        let name = |start: usize, end: usize| Name {
            text: Cow::Borrowed(&line.text[start..end]),
            span: line.span(start..end),
        };
        if rest.starts_with('"') {
            let (old, length) = unquoted(rest)?;
            let old = Name { text: old, span: line.span(from..from + length) };
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

    /// Returns true if it is the name used for no file.
    pub(super) fn is_nowhere(&self) -> bool {
        self.text == NOWHERE
    }

    /// Returns true if it may be the old name of the file called `new`: the same, in other folders of which
    /// one is next to the project, or that of a copy.
    pub(super) fn may_be(&self, new: &Name<'_>) -> bool {
        let (old, new) = (&*self.text, &*new.text);
        let copy = old.strip_prefix(new).is_some_and(|end| COPIES.contains(&end));
        let compared = || {
            let ((one, old), (other, new)) = (old.split_once('/')?, new.split_once('/')?);
            Some(old == new && COMPARED_FOLDERS.contains(&(one, other)))
        };
        let within =
            |one: &str, other: &str| one.strip_suffix(other).is_some_and(|before| before.ends_with('/'));
        old == new || copy || within(old, new) || within(new, old) || compared() == Some(true)
    }

    /// Returns it without the folder `prefix`, if it has it.
    pub(super) fn without(self, prefix: &str) -> Name<'a> {
        let text = match self.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(prefix).unwrap_or(text)),
            Cow::Owned(text) => Cow::Owned(text.strip_prefix(prefix).map(str::to_owned).unwrap_or(text)),
        };
        Name { text, span: self.span }
    }

    /// The name that `field` gives.
    pub(super) fn from_field(field: RawField<'a>) -> Name<'a> {
        Name { text: field.value, span: field.span }
    }

    /// Converts it to the parameter `name` of an action.
    pub(super) fn field(self, name: &'static str) -> RawField<'a> {
        RawField { name: name.into(), value: self.text, span: self.span }
    }
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
    let mut said = Vec::new();
    let mut at = 1;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'"' => return Some((Cow::Owned(String::from_utf8(said).ok()?), at)),
            b'\\' => {
                let (byte, length) = escape(&bytes[at..])?;
                said.push(byte);
                at += length;
            }
            _ => said.push(byte),
        }
    }
}

/// The byte that an escape denotes, where `bytes` follow the backslash, and its length.
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
    fn names_of_one_file() {
        let name = |text: &str| Name::read(&Line { number: 1, start: 0, text }, 0).unwrap().text.into_owned();
        let may_be = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| Name { text: name(text).into(), span: line("").place() });
            old.may_be(&new)
        };
        for (old, new) in [
            ("x.py", "x.py"),
            ("x.py.orig", "x.py"),
            ("old/src/x.py", "new/src/x.py"),
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
