//! Markers of dialects whose signs did not survive: escaped for HTML or JSON, or made typographic.

use memchr::memchr2;

use crate::cml::entity;
use crate::cursor::Line;
use crate::not_read::{Candidate, NotReadKind, Wants};
use crate::{quoted, work};

/// Parts of markers behind a `<`.
const BEHIND: [&str; 14] = [
    "---WRITE ",
    "---SEARCH ",
    "---RUN",
    "---TASKS",
    "write path=",
    "edit path=",
    "tasks>",
    "tasks&gt;",
    "tasks version=",
    "move from=",
    "remove path=",
    "invoke name=",
    "write_to_file",
    "replace_in_file",
];
/// Parts of markers that begin with several.
const RUNS: [&str; 4] = [" SEARCH", "FILE", "OVERWRITE", "EXPLANATION"];
/// What stands for a `<`.
const SIGNS: [&str; 5] = ["&lt;", "\\u003c", "\\u003C", "＜", "‹"];
/// Markers with an escaped line end in them: what stands before the backslash, and what from there on.
const LINES: [(&str, &str); 6] = [
    ("*** Begin Patch", "\\n"),
    ("<<<<<<< SEARCH", "\\n"),
    ("<<<FILE>>>", "\\n"),
    ("--->", "\\n"),
    ("]", "\\naction = "),
    ("", "\\n@@ -"),
];
/// What stands before a typographic quote in a marker.
const QUOTED: [&str; 6] =
    ["<write path=", "<edit path=", "WRITE file=", "SEARCH file=", "action = ", "<remove path="];

/// The places of the signs that may begin an escape, each the next one of its kind: few lines have any.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// Of `&` and the backslash.
    ascii: usize,
    /// Of what may begin a typographic sign.
    other: usize,
}

impl Signs {
    /// The byte of `line`, one of `text`, at which the first one stands. Lines are asked about in their order.
    #[inline]
    fn first_in(&mut self, line: &Line<'_>, text: &str) -> Option<usize> {
        let (rest, none) = (&text.as_bytes()[line.start..], text.len());
        if self.ascii < line.start {
            self.ascii = memchr2(b'&', b'\\', rest).map_or(none, |at| line.start + at);
        }
        if self.other < line.start {
            self.other = memchr2(0xe2, 0xef, rest).map_or(none, |at| line.start + at);
        }
        let first = self.ascii.min(self.other);
        (first < line.end()).then(|| first - line.start)
    }
}

/// Takes in `line` of `text`; one a paragraph is told.
pub(super) fn line(line: &Line<'_>, text: &str, signs: &mut Signs, found: &mut Vec<Candidate>) {
    let Some(first) = signs.first_in(line, text) else { return };
    if !is_escaped(line.text, first) || is_code(line.text) {
        return;
    }
    let near = |last: &Candidate| last.kind == NotReadKind::Escaped && line.number - last.line < 40;
    if found.last().is_some_and(near) {
        return;
    }
    found.push(Candidate {
        kind: NotReadKind::Escaped,
        line: line.number,
        path: None,
        wants: Wants::Nothing,
        shows: None,
        hint: "The marker is escaped or its signs were changed: write it with plain `<`, `>`, quotes and line ends"
            .to_owned(),
    });
}

/// Whether a marker of a dialect stands in `text` with its signs escaped, the first of them not before byte `at`.
fn is_escaped(text: &str, mut at: usize) -> bool {
    work::count(text.len());
    let bytes = text.as_bytes();
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'&' | b'\\' | 0xe2 | 0xef)) {
        at += found;
        let (before, rest) = (&text[..at], &text[at..]);
        let is_marker = if bytes[at] == b'\\' && rest.starts_with("\\n") {
            LINES.iter().any(|(head, tail)| rest.starts_with(tail) && before.ends_with(head))
        } else if bytes[at] == 0xe2 && rest.starts_with('“') {
            QUOTED.iter().any(|head| before.ends_with(head))
        } else if let Some(sign) =
            SIGNS.iter().find(|sign| sign.as_bytes()[0] == bytes[at] && rest.starts_with(**sign))
        {
            let behind = rest.trim_start_matches(sign);
            let count = (rest.len() - behind.len()) / sign.len();
            at += (count - 1) * sign.len();
            if count == 1 {
                BEHIND.iter().any(|part| behind.starts_with(part))
            } else {
                count >= 3 && RUNS.iter().any(|part| behind.starts_with(part))
            }
        } else {
            false
        };
        if is_marker {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the marker is only mentioned, in code within a sentence. What JSON holds is no sentence.
fn is_code(text: &str) -> bool {
    text.contains('`') && !text.trim_start().starts_with(['"', '{', '['])
}

/// The answer that `text` is if all of it is one string of JSON, or escaped for HTML; `None` if it is neither.
#[must_use]
pub fn unescaped(text: &str) -> Option<String> {
    let whole = text.trim();
    if whole.starts_with('"') {
        let quoted = quoted::read(whole).ok().filter(|quoted| quoted.length == whole.len())?;
        return (!whole.contains('\n') && quoted.value.contains('\n')).then(|| quoted.value.into_owned());
    }
    // A raw sign shows that the others are meant as they stand.
    let escaped = memchr2(b'<', b'>', text.as_bytes()).is_none() && text.contains("&lt;");
    escaped.then(|| entity::decode(text).text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn only_whole_answers_are_decoded() {
        assert_eq!(unescaped(" \"a\\nb\" \n").as_deref(), Some("a\nb"));
        assert_eq!(unescaped("&lt;a&gt; &amp;lt;").as_deref(), Some("<a> &lt;"));
        for text in ["\"a\\nb\" c", "\"a\"", "&lt;a&gt; <b>", "a & b", ""] {
            assert_eq!(unescaped(text), None, "{text}");
        }
    }
}
