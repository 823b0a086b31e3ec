//! The markers of replacer: a word in three angle brackets on each side, or in two, alone on its line.
//!
//! Works on single lines and knows nothing of the places that allow a marker.

use std::ops::Range;

/// The word of a marker.
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
    /// Returns the word as written in a marker.
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

    /// Returns true if it begins the body of an edit.
    pub(super) fn is_body(self) -> bool {
        matches!(self, Word::Search | Word::Overwrite)
    }
}

/// The number of brackets on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    /// A slip, which counts only if nothing else can be meant.
    Two,
    /// The spelling of the dialect.
    Three,
}

/// A line that is a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) word: Word,
    pub(super) brackets: Brackets,
}

/// Reads `line` as a marker. Blanks may follow it.
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

/// The word of `line`, if it is a marker with three brackets.
pub(super) fn full(line: &str) -> Option<Word> {
    read(line).filter(|marker| marker.brackets == Brackets::Three).map(|marker| marker.word)
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
