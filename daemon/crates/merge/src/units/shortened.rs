//! Lines of code that dots shorten: for what brackets hold, a body, children of an element, attributes.
//!
//! ```text
//! load(...)    def load(): ...    load() { /* ... */ }    <Card>...</Card>    <path d={a} ... />
//! ```

use crate::markers::is_marker;

use super::language::Family;
use super::layout::Layout;

/// Elements whose text may be dots: a page that was left out of a list of pages, or what is loading.
const TEXTS: [&str; 18] = [
    "a", "b", "button", "code", "em", "h1", "h2", "h3", "i", "label", "li", "option", "p", "small", "span",
    "strong", "td", "th",
];

/// Returns true if dots in the line stand for code that it leaves out.
pub(super) fn is_shortened(layout: &Layout<'_>, at: usize) -> bool {
    if layout.inside[at] || matches!(layout.family, Family::Markdown | Family::Plain) {
        return false;
    }
    let code = layout.code[at].trim_end();
    let has_elements = matches!(layout.family, Family::Script | Family::Html);
    let is_open = |(before, behind): (&str, &str)| {
        is_in_brackets(before, behind)
            || has_elements && (is_child(before, behind) || is_in_tag(before, behind))
    };
    [": ...", ": …"].iter().any(|body| code.ends_with(body))
        || ["...", "…"].iter().any(|dots| {
            code.match_indices(dots).any(|(at, _)| is_open((&code[..at], &code[at + dots.len()..])))
        })
        || has_comment_for_body(layout.lines[at])
}

fn is_in_brackets(before: &str, behind: &str) -> bool {
    before.trim_end().ends_with(['(', '[', '{']) && behind.trim_start().starts_with([')', ']', '}'])
}

/// Dots are all that an element holds, and its kind holds more than text.
fn is_child(before: &str, behind: &str) -> bool {
    let before = before.trim_end();
    if !before.ends_with('>') || !behind.trim_start().starts_with("</") {
        return false;
    }
    let tag = before.rfind('<').map_or("", |open| &before[open + 1..]);
    let name = tag.split([' ', '>']).next().unwrap_or_default();
    !TEXTS.contains(&name) && (name.is_empty() || name.starts_with(char::is_alphabetic))
}

/// Dots stand among the attributes of a tag, or before its end in a line of their own.
fn is_in_tag(before: &str, behind: &str) -> bool {
    let ends = behind.trim_start().trim_start_matches('/').starts_with('>');
    let is_apart = before.is_empty() || before.ends_with(' ');
    let Some(open) = before.rfind('<') else { return is_apart && matches!(behind.trim(), ">" | "/>") };
    let tag = before[open + 1..].replace("=>", "");
    let is_tag = tag.starts_with(char::is_alphabetic) && !tag.contains('>');
    is_tag && is_apart && (ends || behind.starts_with(' '))
}

/// A comment that says that lines are left out is all that brackets hold.
fn has_comment_for_body(line: &str) -> bool {
    line.match_indices("/*").any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let Some(end) = rest.find("*/") else { return false };
        let (comment, behind) = rest.split_at(end + 2);
        let is_alone = before.trim().trim_start_matches('{').is_empty();
        !is_alone && is_in_brackets(before, behind) && is_marker(comment, true)
    })
}
