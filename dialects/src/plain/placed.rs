//! Text for a place of a file that the words above give: its end, its top, beside or instead of a text.

use super::Form;
use super::mention::{self, MentionMark};
use super::path::Shape;
use super::piece::Piece;
use super::words;
use crate::file_name::base;

/// Names, or beginnings of names, of files that are lists of lines.
const LISTS: &[&str] = &[
    ".gitignore",
    ".dockerignore",
    ".npmignore",
    ".prettierignore",
    ".eslintignore",
    ".gcloudignore",
    ".vercelignore",
    ".helmignore",
    ".cursorignore",
    ".aiderignore",
    ".gitattributes",
    ".mailmap",
    "requirements",
    ".env",
    "codeowners",
    "manifest.in",
    "constraints",
];

/// Returns true if the file called `path` is a list of lines, to whose end lines are added that it has not.
#[must_use]
pub fn is_list(path: &str) -> bool {
    let name = base(path).to_ascii_lowercase();
    LISTS.iter().any(|list| name.starts_with(list))
}

pub(super) fn form(piece: &Piece<'_, '_>) -> Option<Form> {
    let line = piece.sentence;
    if line.is_empty() || line.len() > 600 {
        return None;
    }
    let adds = words::adds(line);
    let spans = if adds || words::may_replace(line) { spans(line) } else { Vec::new() };
    // From the closest place to the widest: a text to replace, a line beside it, a definition around it, an
    // end.
    if let Some((_, span, _)) = spans.iter().find(|(before, _, after)| words::replaces(before, after))
        && is_text(span)
    {
        return Some(Form::Replacement { old: (*span).to_owned() });
    }
    if adds {
        let beside = spans
            .iter()
            .find_map(|(before, span, after)| Some((words::beside(before, after)?, *span, *after)));
        if let Some((after, anchor, behind)) = beside
            && (is_text(anchor) || is_definition(anchor, behind))
        {
            return Some(Form::Beside { anchor: anchor.to_owned(), after });
        }
        let holder = spans.iter().find(|(before, span, after)| {
            is_definition(span, after) && words::is_within(before) && words::holds(after)
        });
        if let Some((_, name, _)) = holder {
            return Some(Form::Within { name: (*name).to_owned() });
        }
    }
    if words::is_at_end(line) {
        return Some(Form::Append);
    }
    if words::is_at_top(line) {
        return Some(Form::Prepend);
    }
    let list = || is_list(piece.path()?).then_some(Form::Append);
    if adds || words::adds(piece.label()) { list() } else { None }
}

// A code span with the text before it and after it: `(before, span, after)`.
pub(super) type Span<'t> = (&'t str, &'t str, &'t str);

/// The code spans of `line` that are no path, each with the text before it and after it.
pub(super) fn spans(line: &str) -> Vec<Span<'_>> {
    let ticks: Vec<usize> = memchr::memchr_iter(b'`', line.as_bytes()).take(16).collect();
    let may_be_path = |pair: &[usize]| line[pair[0]..pair[1]].contains(['.', '/', '\\', 'f', 'E']);
    let mentions = match ticks.chunks_exact(2).any(may_be_path) {
        true => mention::in_line(line, true),
        false => Vec::new(),
    };
    let is_path = |one: &mention::LocatedMention| one.mark == MentionMark::Code && one.shape == Shape::Path;
    let paths: Vec<_> = mentions.into_iter().filter(is_path).map(|one| one.at).collect();
    let spans = ticks.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let spans = spans.filter(|(open, close)| {
        close > &(open + 1) && !paths.iter().any(|path| path.start <= *open && *close < path.end)
    });
    spans.map(|(open, close)| (&line[..open], &line[open + 1..close], &line[close + 1..])).collect()
}

/// Returns the names that the line of `spans` says to remove: "Remove `parse` and `dump`".
pub(super) fn removed(spans: &[Span<'_>]) -> Vec<String> {
    let is_name = |span: &str| {
        let bare = span.trim_end_matches("()");
        bare.len() > 1 && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let mut names: Vec<String> = Vec::new();
    let mut end = 0;
    for (before, span, _) in spans.iter().copied() {
        // What joins a name to the one before it says the same of both.
        let between = before.get(end..).unwrap_or_default().trim_start_matches('`').trim();
        let joins = !names.is_empty() && matches!(between, "," | "and" | ", and" | "und" | "et" | "y" | "e");
        end = before.len() + span.len() + 1;
        if is_name(span) && (joins || words::removes(before)) {
            names.push(span.trim_end_matches("()").to_owned());
        }
    }
    names
}

/// Returns true if `span` is the name of a definition, as the words `behind` it say, or its parentheses.
fn is_definition(span: &str, behind: &str) -> bool {
    let bare = span.trim_end_matches("()");
    let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && (bare.len() < span.len() || words::begins_with_kind(behind))
}

/// Returns true if `span` is a text of a file, and not only the name of something in it.
pub(super) fn is_text(span: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '#' | '$' | '@');
    let bare = span.trim_end_matches("()");
    span.len() >= 4
        && !bare.chars().all(name)
        && !(bare.starts_with('<') && bare.ends_with('>') && !bare.contains(' '))
}
