//! The markers of a patch: lines that start with three asterisks.
//!
//! Works on single lines and knows nothing of the places that allow a marker.

use clada_schema::RawField;
use memchr::memmem;

use crate::cursor::Line;

const MARKER_START: &str = "*** ";
const DECORATIONS: [&str; 4] = ["`", "\"", "'", "**"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Begin,
    End,
    Add(usize),
    Delete(usize),
    Update(usize),
    Move(usize),
    EndOfFile,
    Environment,
    Unknown,
}

pub(super) fn read(line: &Line<'_>, text: &str) -> Option<Marker> {
    let rest = text.strip_prefix(MARKER_START)?.trim_end();
    let at = line.text.len() - text.len() + MARKER_START.len();
    let is_alone = |word: &str| {
        starts_with_word(rest, word)
            && rest.as_bytes()[word.len()..].iter().all(|byte| matches!(byte, b'*' | b':' | b' '))
    };
    for (word, marker) in
        [("Begin Patch", Marker::Begin), ("End Patch", Marker::End), ("End of File", Marker::EndOfFile)]
    {
        if is_alone(word) {
            return Some(marker);
        }
    }
    let after = |word: &str| starts_with_word(rest, word).then_some(at + word.len());
    let named = None
        .or_else(|| after("Add File:").map(Marker::Add))
        .or_else(|| after("Delete File:").map(Marker::Delete))
        .or_else(|| after("Update File:").map(Marker::Update))
        .or_else(|| after("Move to:").map(Marker::Move))
        .or_else(|| after("Environment ID:").map(|_| Marker::Environment));
    if named.is_some() {
        return named;
    }
    rest.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(Marker::Unknown)
}

/// The path in `line` if that is an operation on a file, one of the format or a made-up one:
/// `*** Rewrite File: a.py`.
pub(super) fn operation<'a>(line: &Line<'a>) -> Option<RawField<'a>> {
    let text = line.text.trim_start_matches([' ', '\t']);
    let from = match read(line, text)? {
        Marker::Add(from) | Marker::Delete(from) | Marker::Update(from) => from,
        Marker::Unknown => {
            let word = memmem::find(text.as_bytes(), b" File:")?;
            line.text.len() - text.len() + word + " File:".len()
        }
        _ => return None,
    };
    path(line, from, "path")
}

/// Returns the path in `line` if that is an operation but for a sign before it or a star. `text` is the part
/// of `line` after the indentation of the block.
pub(super) fn almost<'a>(line: &Line<'a>, text: &'a str) -> Option<RawField<'a>> {
    let bare = text.strip_prefix(['+', '-', ' ']).unwrap_or(text).trim_start_matches(' ');
    let rest = bare.strip_prefix("**")?.trim_start_matches('*').strip_prefix(' ')?;
    let word = ["Add File:", "Delete File:", "Update File:"]
        .into_iter()
        .find(|word| starts_with_word(rest, word))?;
    path(line, line.text.len() - rest.len() + word.len(), "path")
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

pub(super) fn path<'a>(line: &Line<'a>, from: usize, name: &'static str) -> Option<RawField<'a>> {
    let rest = &line.text[from..];
    let trimmed = rest.trim();
    // Some close the line as they open it.
    let trimmed = trimmed.strip_suffix(" ***").map_or(trimmed, str::trim_end);
    let bare = DECORATIONS.into_iter().find_map(|mark| {
        trimmed.strip_prefix(mark)?.strip_suffix(mark).map(str::trim).filter(|path| !path.is_empty())
    });
    let value = bare.unwrap_or(trimmed);
    let start = from + rest.find(value).filter(|_| !value.is_empty())?;
    Some(RawField { name: name.into(), value: value.into(), span: line.span(start..start + value.len()) })
}

pub(super) fn is_usual(line: &str) -> bool {
    const OPERATIONS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    OPERATIONS.iter().any(|operation| line.starts_with(operation))
        || ["*** Begin Patch", "*** End Patch", "*** End of File"].contains(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(text: &str) -> Option<Marker> {
        read(&Line { number: 1, start: 0, text }, text)
    }

    #[test]
    fn markers_may_be_padded_and_decorated() {
        for begin in ["*** Begin Patch", "*** Begin Patch ***", "*** begin patch:", "*** Begin Patch \t"] {
            assert_eq!(marker(begin), Some(Marker::Begin), "{begin}");
        }
        assert_eq!(marker("*** End Patch ***"), Some(Marker::End));
        assert_eq!(marker("*** Update File: a"), Some(Marker::Update(16)));
        assert_eq!(marker("*** Update Files"), Some(Marker::Unknown));
        for none in ["***", "*** ", "***Begin Patch", "*** ***", "+*** End Patch", " *** End Patch", "*** é"]
        {
            assert_eq!(marker(none), None, "{none}");
        }
    }

    #[test]
    fn operations_have_a_path() {
        let read =
            |text| operation(&Line { number: 1, start: 0, text }).map(|field| field.value.into_owned());
        for text in ["*** Update File: a.py", " *** Rewrite File: `a.py`", "*** add file: a.py ***"] {
            assert_eq!(read(text).as_deref(), Some("a.py"), "{text}");
        }
        for text in [
            "*** Update File:",
            "*** Move to: a.py",
            "*** Note: File: a",
            "*** Begin Patch",
            "Update File: a",
        ] {
            assert_eq!(read(text).filter(|path| path != "a"), None, "{text}");
        }
    }

    #[test]
    fn paths_lose_one_pair_of_decorations() {
        let read = |text: &str| {
            path(&Line { number: 1, start: 0, text }, 1, "path").map(|field| field.value.into_owned())
        };
        assert_eq!(read(":  `a b` ").as_deref(), Some("a b"));
        assert_eq!(read(":\"é\"").as_deref(), Some("é"));
        assert_eq!(read(":\"").as_deref(), Some("\""));
        assert_eq!(read(": "), None);
        assert_eq!(read(": a.py ***").as_deref(), Some("a.py"));
        assert_eq!(read(": `a.py` *** ").as_deref(), Some("a.py"));
        assert_eq!(read(": a***").as_deref(), Some("a***"));
        assert_eq!(read(": ***").as_deref(), Some("***"));
    }
}
