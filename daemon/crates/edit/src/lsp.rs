//! A change of a text as editors take it: small replacements at positions (LSP `TextEdit`).
//!
//! It must not know documents. Positions are 0-based lines, which end at LF, CRLF or CR as LSP has it, and
//! UTF-16 code units in them, in the text without byte order mark.

use super::changes::changes;

/// A position in the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, 0-based.
    pub line: usize,
    /// The column in UTF-16 code units from the line's start.
    pub character: usize,
}

/// A replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The start of what is replaced.
    pub start: Position,
    /// The end of what is replaced.
    pub end: Position,
    /// The text that replaces it.
    pub new_text: String,
}

/// The change from `old` to `new`: ascending, not overlapping, all positions in `old`.
///
/// There is none if they are equal.
#[must_use]
pub fn text_edits(old: &str, new: &str) -> Vec<TextEdit> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let (old_starts, new_starts) = (starts(&old_lines), starts(&new_lines));
    let mut walk = Walk::new(old);
    let mut edits = Vec::new();
    for change in changes(&old_lines, &new_lines) {
        let (from, to) = (old_starts[change.old.start], old_starts[change.old.end]);
        let there = &old[from..to];
        let wanted = &new[new_starts[change.new.start]..new_starts[change.new.end]];
        let (head, tail) = common_ends(there, wanted);
        let start = walk.position(from + head);
        let end = walk.position(to - tail);
        let new_text = wanted[head..wanted.len() - tail].to_owned();
        edits.push(TextEdit { start, end, new_text });
    }
    edits
}

/// Returns the start of each line, and the end of the last one.
fn starts(lines: &[&str]) -> Vec<usize> {
    let mut at = 0;
    let ends = lines.iter().map(|line| {
        at += line.len();
        at
    });
    std::iter::once(0).chain(ends).collect()
}

/// Bytes at the start and at the end that need not be touched. Positions cannot be within a CRLF.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |(one, other): &(char, char)| one == other;
    let head = old.chars().zip(new.chars()).take_while(same).map(|(char, _)| char.len_utf8()).sum();
    let head = if splits_crlf(old, head) { head - 1 } else { head };
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let pairs = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail = pairs.take_while(same).map(|(char, _)| char.len_utf8()).sum();
    (head, if splits_crlf(old, old.len() - tail) { tail - 1 } else { tail })
}

fn splits_crlf(text: &str, at: usize) -> bool {
    at > 0 && text.as_bytes().get(at - 1..at + 1) == Some(b"\r\n")
}

/// From ascending byte offsets to positions, in one walk.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    position: Position,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Walk<'a> {
        Walk { text, at: 0, position: Position { line: 0, character: 0 } }
    }

    fn position(&mut self, offset: usize) -> Position {
        for (index, char) in self.text[self.at..offset].char_indices() {
            let next = self.text.as_bytes().get(self.at + index + 1);
            if char == '\n' || char == '\r' && next != Some(&b'\n') {
                self.position = Position { line: self.position.line + 1, character: 0 };
            } else {
                self.position.character += char.len_utf16();
            }
        }
        self.at = offset;
        self.position
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Applies as an editor does: lines of UTF-16, positions past a line's end not allowed, last edit first.
    fn apply(old: &str, edits: &[TextEdit]) -> String {
        let mut units: Vec<u16> = old.encode_utf16().collect();
        let (cr, lf) = (u16::from(b'\r'), u16::from(b'\n'));
        let mut starts = vec![0];
        for at in 0..units.len() {
            if units[at] == lf || units[at] == cr && units.get(at + 1) != Some(&lf) {
                starts.push(at + 1);
            }
        }
        let offset = |position: Position| {
            let offset = starts[position.line] + position.character;
            let stop = starts.get(position.line + 1).copied().unwrap_or(units.len());
            let ended = stop > starts[position.line] && [cr, lf].contains(&units[stop - 1]);
            let crlf = ended && stop > 1 && units[stop - 1] == lf && units[stop - 2] == cr;
            assert!(offset <= stop - usize::from(ended) - usize::from(crlf), "{position:?} is past the line");
            offset
        };
        let spans: Vec<_> = edits.iter().map(|edit| offset(edit.start)..offset(edit.end)).collect();
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
        for (span, edit) in spans.into_iter().zip(edits).rev() {
            units.splice(span, edit.new_text.encode_utf16());
        }
        String::from_utf16(&units).unwrap()
    }

    #[test]
    fn only_what_differs_is_replaced() {
        let edits = text_edits("a\r\nb😀c\r\nd", "a\r\nb😀x\r\nd");
        let (start, end) = (Position { line: 1, character: 3 }, Position { line: 1, character: 4 });
        assert_eq!(edits, [TextEdit { start, end, new_text: "x".to_owned() }]);
    }

    #[test]
    fn a_crlf_is_replaced_whole() {
        let edits = text_edits("a\r\n", "a\n");
        let (start, end) = (Position { line: 0, character: 1 }, Position { line: 1, character: 0 });
        assert_eq!(edits, [TextEdit { start, end, new_text: "\n".to_owned() }]);
    }

    proptest! {
        #[test]
        fn applying_them_gives_new(
            old in "([a😀é\r]{0,3}(\r\n|\n|\r)?){0,20}",
            new in "([a😀é\r]{0,3}(\r\n|\n|\r)?){0,20}",
        ) {
            let edits = text_edits(&old, &new);
            prop_assert_eq!(apply(&old, &edits), new.clone());
            prop_assert_eq!(edits.is_empty(), old == new);
        }

        #[test]
        fn any_texts(old in "\\PC{0,40}", new in "\\PC{0,40}") {
            prop_assert_eq!(apply(&old, &text_edits(&old, &new)), new);
        }
    }
}
