//! Markers of dialects whose signs did not survive: escaped for HTML or JSON, or made typographic.

use memchr::memchr2;

use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cml::entity;
use crate::cursor::{Line, Next};
use crate::rules::is_marker;
use crate::{Dialect, quoted, work};

const FRAME: [char; 3] = ['│', '┃', '║'];
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
const RUNS: [&str; 4] = [" SEARCH", "FILE", "OVERWRITE", "EXPLANATION"];
const WRITTEN_LESS_THAN: [&str; 5] = ["&lt;", "\\u003c", "\\u003C", "＜", "‹"];
/// Markers with an escaped line end in them: the text before the backslash, and the text from there on.
const LINES: [(&str, &str); 6] = [
    ("*** Begin Patch", "\\n"),
    ("<<<<<<< SEARCH", "\\n"),
    ("<<<FILE>>>", "\\n"),
    ("--->", "\\n"),
    ("]", "\\naction = "),
    ("", "\\n@@ -"),
];
const QUOTED: [&str; 6] =
    ["<write path=", "<edit path=", "WRITE file=", "SEARCH file=", "action = ", "<remove path="];

/// The signs that may begin an escape.
#[derive(Debug, Default)]
pub(super) struct Signs {
    ascii: Next,
    other: Next,
}

impl Signs {
    #[inline]
    pub(super) fn are_in(&mut self, line: &Line<'_>, text: &str) -> bool {
        self.ascii.is_in(line, text, |rest| memchr2(b'&', b'\\', rest))
            || self.other.is_in(line, text, |rest| memchr2(0xe2, 0xef, rest))
    }
}

/// Reads `line`, which has a sign; reports one for each paragraph.
pub(super) fn line(line: &Line<'_>, candidates: &mut Vec<Candidate>) {
    let framed = is_framed(line.text);
    if !framed && (!is_escaped(line.text) || is_code(line.text)) {
        return;
    }
    let near = |last: &Candidate| last.kind == NotReadKind::Escaped && line.number - last.line < 40;
    if candidates.last().is_some_and(near) {
        return;
    }
    candidates.push(Candidate {
        kind: NotReadKind::Escaped,
        line: line.number,
        path: None,
        wants: Wants::Nothing,
        shows: None,
        hint: if framed {
            "The lines have a frame around them (`│`): copy the answer without it".to_owned()
        } else {
            "The marker's signs are escaped or replaced: write it with plain `<`, `>`, quotes and line ends"
                .to_owned()
        },
    });
}

/// Returns true if `text` is a marker within the frame that a terminal draws around an answer.
fn is_framed(text: &str) -> bool {
    let Some(inner) = text.trim_start().strip_prefix(FRAME) else { return false };
    let inner = inner.trim().trim_end_matches(FRAME).trim_end();
    work::count(text.len());
    Dialect::ALL.iter().any(|dialect| is_marker(*dialect, inner))
}

/// Returns true if `text` holds a marker of a dialect with its signs escaped.
fn is_escaped(text: &str) -> bool {
    work::count(text.len());
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(offset) = bytes[at..].iter().position(|byte| matches!(byte, b'&' | b'\\' | 0xe2 | 0xef)) {
        at += offset;
        let (before, rest) = (&text[..at], &text[at..]);
        let is_marker = if bytes[at] == b'\\' && rest.starts_with("\\n") {
            LINES.iter().any(|(head, tail)| rest.starts_with(tail) && before.ends_with(head))
        } else if bytes[at] == 0xe2 && rest.starts_with('“') {
            QUOTED.iter().any(|head| before.ends_with(head))
        } else if let Some(sign) =
            WRITTEN_LESS_THAN.iter().find(|sign| sign.as_bytes()[0] == bytes[at] && rest.starts_with(**sign))
        {
            // The length of the run separates markers with one `<` from those that begin with several.
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

/// Returns true if the marker is only mentioned, in code within a sentence. The content of JSON is no
/// sentence.
fn is_code(text: &str) -> bool {
    text.contains('`') && !text.trim_start().starts_with(['"', '{', '['])
}

/// The answer that `text` is if all of it is one string of JSON, or escaped for HTML; `None` if it is
/// neither.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let whole = text.trim();
    if whole.starts_with('"') {
        let quoted = quoted::read(whole).ok().filter(|quoted| quoted.length == whole.len())?;
        return (!whole.contains('\n') && quoted.value.contains('\n')).then(|| quoted.value.into_owned());
    }
    // A raw sign shows that the others are meant literally.
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
