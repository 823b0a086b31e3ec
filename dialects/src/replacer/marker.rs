//! The markers of replacer: a word in three angle brackets on each side, or in two, alone on its line.
//!
//! Works on single lines and knows nothing of the places that allow a marker.

use std::ops::Range;

use crate::cursor::{Cursor, Line};
use crate::surplus::Edge;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Explanation,
    File,
    Search,
    Replace,
    Overwrite,
    End,
}

impl Word {
    pub(super) fn name(self) -> &'static str {
        match self {
            Word::Explanation => "EXPLANATION",
            Word::File => "FILE",
            Word::Search => "SEARCH",
            Word::Replace => "REPLACE",
            Word::Overwrite => "OVERWRITE",
            Word::End => "END",
        }
    }

    pub(super) fn is_body(self) -> bool {
        matches!(self, Word::Search | Word::Overwrite)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    /// A slip, which counts only if nothing else can be meant.
    Two,
    Three,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) word: Word,
    pub(super) brackets: Brackets,
}

pub(super) fn read(line: &str) -> Option<Marker> {
    let text = line.strip_prefix("<<")?.trim_end();
    let (text, brackets) = match text.strip_prefix('<') {
        Some(text) => (text.strip_suffix(">>>")?, Brackets::Three),
        None => (text.strip_suffix(">>")?, Brackets::Two),
    };
    let words = [Word::Explanation, Word::File, Word::Search, Word::Replace, Word::Overwrite, Word::End];
    let word = words.into_iter().find(|word| word.name() == text)?;
    Some(Marker { word, brackets })
}

/// Returns the bytes of the path that is on the line of a FILE: `<<<FILE>>> src/a.py`, `<<<FILE: src/a.py>>>`.
pub(super) fn file_with_path(line: &str) -> Option<Range<usize>> {
    let rest = line.strip_prefix("<<<FILE")?;
    let path = match rest.strip_prefix(">>>") {
        Some(path) => path,
        None => rest.strip_prefix([':', ' '])?.trim_end().strip_suffix(">>>")?,
    };
    let start = line.len() - rest.len() + rest.find(path)?;
    let path = path.trim();
    (!path.is_empty() && !path.contains(['<', '>'])).then(|| {
        let start = start + line[start..].find(path).unwrap_or_default();
        start..start + path.len()
    })
}

pub(super) fn full(line: &str) -> Option<Word> {
    read(line).filter(|marker| marker.brackets == Brackets::Three).map(|marker| marker.word)
}

pub(super) fn is_usual(line: &str) -> bool {
    line.starts_with("<<<")
        && line.ends_with(">>>")
        && line.len() > 6
        && line.trim_matches(['<', '>', '/']).chars().all(|sign| sign.is_ascii_uppercase() || sign == '_')
}

pub(super) fn edge(line: &Line<'_>) -> Option<Edge> {
    match full(line.text) {
        Some(Word::File) => Some(Edge::Opens),
        Some(Word::End) => Some(Edge::Ends),
        _ => None,
    }
}

/// Returns true if `line` is blank, or a code fence: such lines may surround a path.
pub(super) fn is_gap(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with("```") || text.starts_with("~~~")
}

pub(super) fn names_file(marker: Marker, after: &Cursor<'_>) -> bool {
    marker.word == Word::File && (marker.brackets == Brackets::Three || has_body(after))
}

/// Returns true if `line`, which `after` follows, is a FILE with its path: a body follows.
pub(super) fn names_path(line: &str, after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    file_with_path(line).is_some()
        && std::iter::from_fn(|| ahead.next_line())
            .find(|line| !is_gap(line.text))
            .is_some_and(|line| full(line.text).is_some_and(Word::is_body))
}

fn has_body(after: &Cursor<'_>) -> bool {
    let mut ahead = after.clone();
    let mut lines = std::iter::from_fn(|| ahead.next_line()).filter(|line| !is_gap(line.text));
    lines.next().is_some_and(|path| read(path.text).is_none())
        && lines.next().and_then(|body| read(body.text)).is_some_and(|marker| marker.word.is_body())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_its_path_on_its_line() {
        for line in
            ["<<<FILE>>> a/b c.py ", "<<<FILE>>>a/b c.py", "<<<FILE: a/b c.py>>>", "<<<FILE a/b c.py>>> "]
        {
            assert_eq!(&line[file_with_path(line).unwrap()], "a/b c.py", "{line}");
        }
        for line in [
            "<<<FILE>>>",
            "<<<FILE>>> ",
            "<<<FILES>>> a",
            "<<<FILE: >>>",
            "<<<FILE>>> <<<SEARCH>>>",
            "<<<FILE a",
        ] {
            assert_eq!(file_with_path(line), None, "{line}");
        }
    }

    #[test]
    fn markers_stand_alone_from_the_first_column() {
        assert_eq!(full("<<<FILE>>> \t"), Some(Word::File));
        let two = Marker { word: Word::End, brackets: Brackets::Two };
        assert_eq!((read("<<END>>"), full("<<END>>")), (Some(two), None));
        for line in [
            " <<<FILE>>>",
            "<<<FILE>>> x",
            "<<<FILE>>",
            "<<FILE>>>",
            "<<<file>>>",
            "<<<<FILE>>>>",
            "<< FILE >>",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
