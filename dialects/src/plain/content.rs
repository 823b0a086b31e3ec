//! The text of a fence.

use std::borrow::Cow;

use crate::cursor::{Breaks, Cursor};

/// The most bytes of the words above a candidate that are shown.
const WORDS: usize = 200;

pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(WORDS)]
}

/// The lines of `text`, which is whole lines, each with an LF, and without `indent` if all of them have it. Blanks that
/// a page made of spaces are spaces again.
pub(super) fn content<'a>(text: &'a str, indent: &str) -> Cow<'a, str> {
    // A page may have had a sign without width where a line was blank.
    let invisible = ["\u{200b}", "\u{feff}", "\u{2060}"];
    if !text.is_ascii() && text.lines().any(|line| invisible.contains(&line.trim())) {
        let line = |line: &'a str| if invisible.contains(&line.trim()) { "\n" } else { line };
        let text: String = text.split_inclusive('\n').map(line).collect();
        return Cow::Owned(content(text.trim_end_matches('\n'), indent).into_owned() + "\n");
    }
    let is_odd = !text.is_ascii()
        && text.contains('\u{a0}')
        && (!text.contains(' ')
            || text.lines().any(|line| line.trim_start_matches([' ', '\t']).starts_with('\u{a0}')));
    if is_odd {
        return Cow::Owned(lines(&text.replace('\u{a0}', " "), indent).into_owned());
    }
    lines(text, indent)
}

fn lines<'a>(text: &'a str, indent: &str) -> Cow<'a, str> {
    let mut cursor = Cursor::at(text, 0, 1, Breaks::Lf);
    let mut indented = !indent.is_empty();
    let mut plain = true;
    while let Some(line) = cursor.next_line() {
        indented &= line.text.starts_with(indent) || line.text.trim().is_empty();
        plain &= cursor.position() == line.end() + 1;
    }
    if plain && !indented {
        return text.into();
    }
    let mut cursor = Cursor::at(text, 0, 1, Breaks::Lf);
    let mut lines = String::with_capacity(text.len());
    while let Some(line) = cursor.next_line() {
        lines += if indented { line.text.strip_prefix(indent).unwrap_or_default() } else { line.text };
        lines.push('\n');
    }
    lines.into()
}
