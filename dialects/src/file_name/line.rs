//! A name alone on its line, decorated or not.

use std::borrow::Cow;

use clada_schema::RawField;

use super::shape::{self, Shape};
use crate::cursor::Line;

const PAIRS: [&str; 6] = ["`", "\"", "'", "**", "__", "*"];
const QUOTES: usize = 3;
const ROUNDS: usize = 8;
const LABELS: [&str; 7] = ["file path", "file name", "filepath", "filename", "file", "path", "full path"];
const COMMENTS: [(&str, &str); 6] =
    [("//", ""), ("<!--", "-->"), ("/*", "*/"), ("--", ""), (";", ""), ("%", "")];
const REMARKS: [&str; 16] = [
    "new",
    "new file",
    "updated",
    "update",
    "modified",
    "changed",
    "changes",
    "edited",
    "edit",
    "created",
    "added",
    "existing",
    "revised",
    "fixed",
    "continued",
    "excerpt",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileName<'a> {
    pub(crate) path: Cow<'a, str>,
    pub(crate) range: std::ops::Range<usize>,
    /// The degree to which it looks like a name; one that is quoted or labelled is one.
    pub(crate) shape: Shape,
    pub(crate) quoted: bool,
    /// True if a colon follows it, as at the end of a sentence that goes on.
    pub(crate) colon: bool,
    pub(crate) item: bool,
}

impl<'a> FileName<'a> {
    pub(crate) fn read(line: &'a str) -> Option<FileName<'a>> {
        let trimmed = line.trim();
        let (bare, item) = match list_item(trimmed) {
            Some(width) => (&trimmed[width..], true),
            None => (trimmed, false),
        };
        let peeled = peel(bare);
        FileName::new(line, peeled.text, peeled.quoted).map(|name| FileName {
            colon: peeled.colon,
            item,
            ..name
        })
    }

    /// The name that `text`, a part of `line`, is without its decoration. Among other words, a doubtful one
    /// is none.
    pub(crate) fn part(line: &'a str, text: &'a str) -> Option<FileName<'a>> {
        let peeled = peel(text);
        FileName::new(line, peeled.text, peeled.quoted)
            .filter(|name| name.quoted || name.shape > Shape::Doubtful)
    }

    pub(crate) fn quoted(line: &'a str, text: &'a str) -> Option<FileName<'a>> {
        FileName::new(line, text, true)
    }

    pub(super) fn new(line: &str, text: &'a str, quoted: bool) -> Option<FileName<'a>> {
        let text = text.strip_prefix("./").unwrap_or(text);
        let path = if text.contains("\\_") { Cow::Owned(text.replace("\\_", "_")) } else { text.into() };
        let shape = match shape::shape(&path) {
            shape_of_name if quoted && shape::fits_quoted(&path) => shape_of_name.unwrap_or(Shape::Doubtful),
            shape_of_name => shape_of_name?,
        };
        let start = text.as_ptr() as usize - line.as_ptr() as usize;
        let range = start..start + text.len();
        Some(FileName { path, range, shape, quoted, colon: false, item: false })
    }

    /// Returns true if it can be meant as a name: a word or a sentence before a colon announces the text
    /// after it.
    pub(crate) fn is_meant(&self) -> bool {
        self.quoted || self.shape == Shape::Known || !self.colon
    }

    pub(crate) fn is_sure(&self) -> bool {
        self.quoted || self.shape > Shape::Doubtful
    }

    pub(crate) fn has_blanks(&self) -> bool {
        self.path.contains(char::is_whitespace)
    }

    pub(crate) fn field(self, line: &Line<'_>) -> RawField<'a> {
        RawField { name: "path".into(), span: line.span(self.range), value: self.path }
    }
}

struct Peeled<'a> {
    text: &'a str,
    quoted: bool,
    colon: bool,
}

fn peel(text: &str) -> Peeled<'_> {
    let mut peeled = Peeled { text, quoted: false, colon: false };
    for _ in 0..ROUNDS {
        let before = peeled.text;
        if let Some(rest) = before.strip_suffix(':') {
            (peeled.text, peeled.colon) = (rest.trim_end(), true);
        } else if let Some(rest) = label(before) {
            (peeled.text, peeled.quoted) = (rest, true);
        } else if let Some((index, rest)) = pair(before) {
            peeled.text = rest;
            peeled.quoted |= index < QUOTES;
        } else if let Some(rest) =
            heading(before).or_else(|| comment(before)).or_else(|| remark(before)).or_else(|| link(before))
        {
            peeled.text = rest;
        }
        if peeled.text.len() == before.len() {
            break;
        }
    }
    peeled
}

fn pair(text: &str) -> Option<(usize, &str)> {
    PAIRS.iter().enumerate().find_map(|(index, mark)| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?.trim();
        (!inner.is_empty() && !inner.contains(mark)).then_some((index, inner))
    })
}

fn link(text: &str) -> Option<&str> {
    let (label, target) = text.strip_prefix('[')?.strip_suffix(')')?.rsplit_once("](")?;
    let is_path = !target.is_empty() && !target.contains([' ', '\t', ':', '#']);
    (is_path && !label.is_empty()).then_some(target)
}

fn label(text: &str) -> Option<&str> {
    let bold = text.trim_start_matches('*');
    let rest = LABELS.iter().find_map(|label| {
        let (start, rest) = bold.split_at_checked(label.len())?;
        start.eq_ignore_ascii_case(label).then_some(rest)
    })?;
    let rest = rest.trim_start_matches('*').trim_start().strip_prefix(':')?;
    let rest = rest.strip_prefix("**").unwrap_or(rest).trim();
    // The bold that opened before the label may close after the name.
    let rest = if bold.len() < text.len() { rest.strip_suffix("**").unwrap_or(rest) } else { rest };
    (!rest.is_empty()).then_some(rest)
}

fn heading(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('#')?.trim_start_matches('#');
    (!rest.starts_with('!')).then(|| rest.trim_end_matches('#').trim())
}

fn comment(text: &str) -> Option<&str> {
    COMMENTS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        inner.starts_with([' ', '\t']).then(|| inner.trim())
    })
}

fn remark(text: &str) -> Option<&str> {
    let (name, remark) = text.strip_suffix(')')?.rsplit_once('(')?;
    let name = name.strip_suffix([' ', '\t'])?;
    REMARKS.contains(&remark.trim().to_ascii_lowercase().as_str()).then(|| name.trim_end())
}

/// Returns the number of bytes of `text` that mark an item of a list: `- `, `* `, `1. `, `1) `.
pub(crate) fn list_item(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[char] = if digits == 0 { &['-', '*', '+', '•'] } else { &['.', ')'] };
    let rest = text[digits..].strip_prefix(marks)?;
    let item = rest.trim_start_matches([' ', '\t']);
    (digits <= 9 && item.len() < rest.len() && !item.is_empty()).then(|| text.len() - item.len())
}

/// Returns true if the paths may be of one file: they are equal, or one is the other without some of its
/// folders.
pub(crate) fn agree(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
}

/// The first word of `text` that is a file's name other than `path`.
pub(crate) fn other_mentioned<'t>(text: &'t str, path: &str) -> Option<&'t str> {
    crate::work::count(text.len());
    let marks = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.');
    text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ':' | ';'))
        .map(|word| word.trim_matches(marks).trim_end_matches('.'))
        .map(|word| word.strip_prefix("./").unwrap_or(word))
        .find(|word| shape::is_listed(word) && !agree(word, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoration_is_no_part_of_a_name() {
        for line in [
            "a.py",
            "  a.py",
            "`a.py`",
            "### a.py",
            "**a.py:**",
            "**a.py**:",
            "./a.py",
            "File: a.py",
            "// a.py",
            "a.py (updated)",
            "**File:** `a.py`",
            "**File: a.py**",
            "### Filename: `a.py`",
            "<!-- a.py -->",
            "1. `a.py`",
            "- **a.py**",
            "path: ./a.py",
            "**`a.py`**",
            "# a.py",
            "**File**: a.py",
        ] {
            let name = FileName::read(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((name.path.as_ref(), name.shape), ("a.py", Shape::Known), "{line}");
            assert!(line[name.range].ends_with("a.py"), "{line}");
        }
        assert_eq!(FileName::read("a\\_b.py").unwrap().path, "a_b.py");
        assert_eq!(FileName::read("__init__.py").unwrap().path, "__init__.py");
        assert_eq!(FileName::read("`my notes.md`").unwrap().path, "my notes.md");
    }

    #[test]
    fn prose_names_nothing() {
        for line in [
            "Here is the updated file:",
            "",
            "...",
            "Sure:\u{0}",
            "> a.py",
            "`a.py` and `b.py`",
            "#!END_SHAM_abc",
        ] {
            assert_eq!(FileName::read(line).filter(|name| name.shape > Shape::Doubtful), None, "{line}");
        }
    }

    #[test]
    fn files_that_sentences_mention() {
        assert_eq!(other_mentioned("Now in `src/b.py`:", "a.py"), Some("src/b.py"));
        assert_eq!(other_mentioned("Now in src/a.py, e.g. os.path.", "a.py"), None);
    }
}
