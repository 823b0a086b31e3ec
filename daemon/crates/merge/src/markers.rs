//! Markers: the lines of a part that take the place of lines of the file.
//!
//! A line that the file has is not a marker. All others go through the one function for omitted lines,
//! [`clada_dialects::elision`]; in a part of a file that exists, more lines are markers than in a new file,
//! since the file says what is left out.

use std::borrow::Cow;
use std::collections::HashSet;

use clada_dialects::{Elision, NamedLines, elision, explains, named_lines};

use crate::source::Source;

const COMMENTS: [(&str, &str); 13] = [
    ("{/*", "*/}"),
    ("/**", "*/"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("<%!--", "--%>"),
    ("<%#", "%>"),
    ("{#", "#}"),
    ("{{!", "}}"),
    ("(*", "*)"),
    ("//", ""),
    ("#", ""),
    ("--", ""),
    (";", ""),
];
/// The most words of a comment with dots that is a marker, whatever it says.
const WORDS: usize = 12;
/// The longest marker, in bytes.
const LENGTH: usize = 200;

#[derive(Debug)]
pub(crate) struct Markers {
    is_marker: Vec<bool>,
}

impl Markers {
    pub(crate) fn find(file: &Source<'_>, part: &Source<'_>, extension: &str, marker: &str) -> Markers {
        let has_hash_comments = !is_markdown(extension);
        let is_known = |line: &str| !marker.is_empty() && line.trim() == marker;
        let looks_so = |line: &str| is_known(line) || is_marker(line, has_hash_comments);
        let lines: HashSet<&str> = file.lines.iter().map(|line| line.trim()).collect();
        let below = |at: usize| part.lines.get(at + 1).copied().unwrap_or_default();
        // A remark of that kind right above code may explain it, unless it names a function.
        let names = |at: usize| match named_lines(part.lines[at]) {
            Some(NamedLines::Existing) => has_hash_comments && !explains(part.lines[at], below(at)),
            Some(NamedLines::Unchanged) => {
                let below = below(at).trim();
                has_hash_comments
                    && (below.is_empty()
                        || below.starts_with(['}', ')', ']', '<'])
                        || part.lines[at].contains("()"))
            }
            None => false,
        };
        let is_marker = |at: usize| {
            let line = part.lines[at];
            !lines.contains(line.trim()) && (looks_so(line) || names(at))
        };
        Markers { is_marker: (0..part.len()).map(is_marker).collect() }
    }

    pub(crate) fn contains(&self, line: usize) -> bool {
        self.is_marker[line]
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.is_marker.contains(&true)
    }
}

fn is_markdown(extension: &str) -> bool {
    matches!(extension.rsplit('.').next(), Some("md" | "mdx" | "markdown"))
}

/// Returns `text`, a part of `file`, with each marker at the margin as deep as the line below it, if that is in the same
/// block as the line above.
///
/// ```text
/// def save(x):          def save(x):
///     check(x)              check(x)
/// # ... the rest            # ... the rest
///     return x              return x
/// ```
pub(crate) fn indented<'t>(file: &Source<'_>, text: &'t str, extension: &str, marker: &str) -> Cow<'t, str> {
    let part = Source::new(text);
    let markers = Markers::find(file, &part, extension, marker);
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_shown = |at: &usize| !part.is_blank(*at) && !markers.contains(*at);
    let margin_of = |at: usize| {
        let above = part.lines[(0..at).rev().find(is_shown)?].trim_end();
        let below = part.lines[(at + 1..part.len()).find(is_shown)?];
        let is_inside = blanks(above) > 0 || above.ends_with([':', '{', '(', '[']);
        (is_inside && blanks(below) > 0).then(|| &below[..blanks(below)])
    };
    let at_margin = |at: usize| markers.contains(at) && blanks(part.lines[at]) == 0;
    if is_markdown(extension) || !(0..part.len()).any(|at| at_margin(at) && margin_of(at).is_some()) {
        return text.into();
    }
    let lines = (0..part.len()).map(|at| {
        let margin = if at_margin(at) { margin_of(at).unwrap_or_default() } else { "" };
        format!("{margin}{}", part.lines[at])
    });
    lines.collect::<Vec<_>>().join("\n").into()
}

/// Returns true if `line` says that lines are left out, in a part of a file that exists.
pub(crate) fn is_marker(line: &str, has_hash_comments: bool) -> bool {
    let text = line.trim();
    if text.is_empty() || text.len() > LENGTH {
        return false;
    }
    let is_heading = !has_hash_comments && text.starts_with('#');
    match elision(text) {
        Some(Elision::Marked | Elision::CommentedDots | Elision::Dots) => true,
        Some(Elision::Enclosed | Elision::Phrase) => !is_heading,
        None => !is_heading && comment_text(text).is_some_and(|text| is_dotted(text) || says_others(text)),
    }
}

// Returns true if a comment with this text stands for what is like the lines beside it: `Add other options as needed`.
fn says_others(inner: &str) -> bool {
    const ENDS: [&str; 5] = [" as needed", " as required", " if needed", " go here", " as before"];
    let lower = inner.to_lowercase();
    let has_other =
        ["other ", "more "].iter().any(|word| lower.starts_with(word) || lower.contains(&format!(" {word}")));
    has_other
        && lower.split_whitespace().count() <= WORDS
        && ENDS.iter().any(|end| lower.trim_end_matches(['.', '…']).ends_with(end))
}

/// Returns true if a comment with this text begins or ends with dots and has few words.
fn is_dotted(inner: &str) -> bool {
    let dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let ends = |text: &str| text.ends_with("...") || text.ends_with('…');
    (dots(inner) || ends(inner)) && inner.split_whitespace().count() <= WORDS
}

pub(crate) fn comment_text(line: &str) -> Option<&str> {
    let line = line.trim();
    COMMENTS.iter().find_map(|(open, close)| {
        let inner = line.strip_prefix(open)?.strip_suffix(close)?;
        Some(inner.trim_matches([' ', '-', '*', '/', '#', '!', ';', '(', ')', '[', ']']))
    })
}
