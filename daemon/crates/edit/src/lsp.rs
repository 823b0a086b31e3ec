//! A change of a text as editors take it: small replacements at positions (LSP `TextEdit`), or of whole
//! lines.
//!
//! It must not know documents. Positions are 0-based lines, which end as the editor counts them, and UTF-16
//! code units in them, in the text without byte order mark.

use clada_protocol::{LineEnds, Units};

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

/// The change from `old` to `new`: ascending, not overlapping, all positions in `old`, in which lines end by
/// `ends`.
///
/// There is none if they are equal. With [`Units::Line`] lines are replaced whole, with their ends: a range
/// goes from the start of its first line to the start of the line after its last one, which, after a last
/// line without an end, is one past the lines that there are.
#[must_use]
pub fn text_edits(old: &str, new: &str, ends: LineEnds, units: Units) -> Vec<TextEdit> {
    match units {
        Units::Utf16 => small_edits(old, new, ends),
        Units::Line => line_edits(old, new, ends),
    }
}

fn line_edits(old: &str, new: &str, ends: LineEnds) -> Vec<TextEdit> {
    let (old_lines, new_lines) = (lines(old, ends), lines(new, ends));
    let at = |line| Position { line, character: 0 };
    let edit = |change: super::changes::Change| TextEdit {
        start: at(change.old.start),
        end: at(change.old.end),
        new_text: new_lines[change.new].concat(),
    };
    changes(&old_lines, &new_lines).into_iter().map(edit).collect()
}

fn lines(text: &str, ends: LineEnds) -> Vec<&str> {
    if ends == LineEnds::Lf {
        return text.split_inclusive('\n').collect();
    }
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(['\r', '\n']) {
        let is_crlf = rest[at..].starts_with("\r\n");
        let (line, after) = rest.split_at(at + if is_crlf { 2 } else { 1 });
        lines.push(line);
        rest = after;
    }
    lines.extend((!rest.is_empty()).then_some(rest));
    lines
}

fn small_edits(old: &str, new: &str, ends: LineEnds) -> Vec<TextEdit> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let (old_starts, new_starts) = (starts(&old_lines), starts(&new_lines));
    let mut walk = Walk::new(old, ends);
    let mut edits = Vec::new();
    for change in changes(&old_lines, &new_lines) {
        let (from, to) = (old_starts[change.old.start], old_starts[change.old.end]);
        let there = &old[from..to];
        let new_part = &new[new_starts[change.new.start]..new_starts[change.new.end]];
        let (head, tail) = common_ends(there, new_part);
        let start = walk.position(from + head);
        let end = walk.position(to - tail);
        let new_text = new_part[head..new_part.len() - tail].to_owned();
        edits.push(TextEdit { start, end, new_text });
    }
    edits
}

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

/// Returns the line of `text` that starts where `line`, 1-based and as edits count, does: 0-based, as an
/// editor counts it whose lines end as `ends` says. One after the end is the last.
#[must_use]
pub fn line_counted(text: &str, line: usize, ends: LineEnds) -> usize {
    let line = crate::split_lines(text).take(line.max(1)).last();
    Walk::new(text, ends).position(line.map_or(0, |line| line.start)).line
}

fn splits_crlf(text: &str, at: usize) -> bool {
    at > 0 && text.as_bytes().get(at - 1..at + 1) == Some(b"\r\n")
}

struct Walk<'a> {
    text: &'a str,
    ends: LineEnds,
    at: usize,
    position: Position,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, ends: LineEnds) -> Walk<'a> {
        Walk { text, ends, at: 0, position: Position { line: 0, character: 0 } }
    }

    fn position(&mut self, offset: usize) -> Position {
        for (index, char) in self.text[self.at..offset].char_indices() {
            let next = self.text.as_bytes().get(self.at + index + 1);
            let is_lone = char == '\r' && next != Some(&b'\n');
            if char == '\n' || is_lone && self.ends == LineEnds::Lsp {
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
    /// A line after the last one is the end of the text, and only for whole lines.
    fn apply(old: &str, edits: &[TextEdit], ends: LineEnds, by_line: Units) -> String {
        // Positions count UTF-16 units, as the protocol has it.
        let mut units: Vec<u16> = old.encode_utf16().collect();
        let (cr, lf) = (u16::from(b'\r'), u16::from(b'\n'));
        let mut starts = vec![0];
        for at in 0..units.len() {
            let is_lone = units[at] == cr && units.get(at + 1) != Some(&lf);
            if units[at] == lf || is_lone && ends == LineEnds::Lsp {
                starts.push(at + 1);
            }
        }
        if by_line == Units::Line && starts.last() != Some(&units.len()) {
            starts.push(units.len());
        }
        let offset = |position: Position| {
            let offset = starts[position.line] + position.character;
            let stop = starts.get(position.line + 1).copied().unwrap_or(units.len());
            let ended = stop > starts[position.line] && position.line + 1 < starts.len();
            let crlf = ended && stop > 1 && units[stop - 1] == lf && units[stop - 2] == cr;
            assert!(offset <= stop - usize::from(ended) - usize::from(crlf), "{position:?} is past the line");
            offset
        };
        if by_line == Units::Line {
            assert!(
                edits.iter().all(|edit| edit.start.character == 0 && edit.end.character == 0),
                "{edits:?}"
            );
        }
        let spans: Vec<_> = edits.iter().map(|edit| offset(edit.start)..offset(edit.end)).collect();
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
        for (span, edit) in spans.into_iter().zip(edits).rev() {
            units.splice(span, edit.new_text.encode_utf16());
        }
        String::from_utf16(&units).unwrap()
    }

    const WAYS: [(LineEnds, Units); 4] = [
        (LineEnds::Lsp, Units::Utf16),
        (LineEnds::Lsp, Units::Line),
        (LineEnds::Lf, Units::Utf16),
        (LineEnds::Lf, Units::Line),
    ];

    #[test]
    fn only_what_differs_is_replaced() {
        let edits = text_edits("a\r\nb😀c\r\nd", "a\r\nb😀x\r\nd", LineEnds::Lsp, Units::Utf16);
        let (start, end) = (Position { line: 1, character: 3 }, Position { line: 1, character: 4 });
        assert_eq!(edits, [TextEdit { start, end, new_text: "x".to_owned() }]);
    }

    #[test]
    fn a_line_of_an_edit_is_found_as_an_editor_counts() {
        for (text, line, lsp, lf) in [
            ("a\nb\nc", 2, 1, 1),
            ("a\r\nb\r\nc", 3, 2, 2),
            ("a\rx\nb\n", 2, 2, 1),
            ("a\rb\rc", 3, 2, 0),
            ("a\nb\n", 9, 1, 1),
            ("", 1, 0, 0),
            ("a", 0, 0, 0),
        ] {
            let counted = [LineEnds::Lsp, LineEnds::Lf].map(|ends| line_counted(text, line, ends));
            assert_eq!(counted, [lsp, lf], "{text:?} {line}");
        }
    }

    #[test]
    fn a_crlf_is_replaced_whole() {
        let edits = text_edits("a\r\n", "a\n", LineEnds::Lsp, Units::Utf16);
        let (start, end) = (Position { line: 0, character: 1 }, Position { line: 1, character: 0 });
        assert_eq!(edits, [TextEdit { start, end, new_text: "\n".to_owned() }]);
    }

    #[test]
    fn lines_are_replaced_whole_and_the_last_one_may_have_no_end() {
        let shown = |old: &str, new: &str, ends: LineEnds| {
            let edits = text_edits(old, new, ends, Units::Line);
            let shown =
                edits.iter().map(|edit| format!("{}-{} {:?}", edit.start.line, edit.end.line, edit.new_text));
            shown.collect::<Vec<_>>().join("; ")
        };
        let (lsp, lf) = (LineEnds::Lsp, LineEnds::Lf);
        for (old, new, ends, edits) in [
            ("a\nb\nc\n", "a\nB\nc\n", lf, r#"1-2 "B\n""#),
            ("a\n", "a\nb\n", lf, r#"1-1 "b\n""#),
            ("a\n", "a\nb", lf, r#"1-1 "b""#),
            ("a", "a\n", lf, r#"0-1 "a\n""#),
            ("a", "a\nb", lf, r#"0-1 "a\nb""#),
            ("a\nb", "a\n", lf, r#"1-2 """#),
            ("", "a", lf, r#"0-0 "a""#),
            ("a", "", lf, r#"0-1 """#),
            ("a\rb\nc", "a\rB\nc", lf, r#"0-1 "a\rB\n""#),
            ("a\rb\nc", "a\rB\nc", lsp, r#"1-2 "B\n""#),
            ("a\r\nb", "a\nb", lsp, r#"0-1 "a\n""#),
            ("a\n", "a\n", lsp, ""),
        ] {
            assert_eq!(shown(old, new, ends), edits, "{old:?} -> {new:?}");
        }
    }

    proptest! {
        #[test]
        fn applying_them_gives_new(
            old in "([a😀é\r]{0,3}(\r\n|\n|\r)?){0,20}",
            new in "([a😀é\r]{0,3}(\r\n|\n|\r)?){0,20}",
        ) {
            for (ends, units) in WAYS {
                let edits = text_edits(&old, &new, ends, units);
                prop_assert_eq!(apply(&old, &edits, ends, units), new.clone());
                prop_assert_eq!(edits.is_empty(), old == new);
            }
        }

        #[test]
        fn any_texts(old in "\\PC{0,40}", new in "\\PC{0,40}") {
            for (ends, units) in WAYS {
                prop_assert_eq!(apply(&old, &text_edits(&old, &new, ends, units), ends, units), new.clone());
            }
        }
    }
}
