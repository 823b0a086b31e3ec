//! Brackets that hold dots alone in a line: what is inside stays, if the file has it in lines of its own.
//!
//! ```text
//! part                     file                     read as
//! "server": { ... },       "server": {              "server": {
//!                            "port": 80               ...
//!                          },                       },
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use crate::source::Source;
use crate::units::Family;

const DOTS: [&str; 2] = ["...", "…"];
const BRACKETS: [(char, char); 2] = [('{', '}'), ('[', ']')];

// Returns `text`, a part of `file`, with such brackets in lines of their own, if the file has the line that opens them once.
pub(crate) fn opened<'t>(file: &Source<'_>, text: &'t str, family: Family) -> Cow<'t, str> {
    if has_no_brackets(family) || !text.lines().any(|line| halves(line).is_some()) {
        return text.into();
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in &file.lines {
        *counts.entry(line.trim()).or_default() += 1;
    }
    let line = |line: &str| {
        let opened = halves(line)
            .filter(|(head, _)| counts.get(head.trim()) == Some(&1) && !counts.contains_key(line.trim()));
        let Some((head, tail)) = opened else { return line.to_owned() };
        let margin = &line[..line.len() - line.trim_start().len()];
        format!("{head}\n{margin}  ...\n{margin}{tail}")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n").into()
}

/// Returns the first line of `part` in which brackets hold dots alone, and which `file`, with this extension or name, has not.
#[must_use]
pub fn line_with_dots_in_brackets<'p>(file: &str, part: &'p str, extension: &str) -> Option<&'p str> {
    if has_no_brackets(Family::of(extension)) {
        return None;
    }
    let has = |line: &str| file.lines().any(|other| other.trim() == line.trim());
    part.lines().find(|line| halves(line).is_some() && !has(line))
}

// In prose brackets are signs of its own.
fn has_no_brackets(family: Family) -> bool {
    matches!(family, Family::Markdown | Family::Plain)
}

// Returns what opens the brackets, and what closes them.
fn halves(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    DOTS.iter().find_map(|dots| {
        let (head, tail) = line.split_once(dots)?;
        let (head, tail) = (head.trim_end(), tail.trim_start());
        let (_, close) = BRACKETS.iter().find(|(open, _)| head.ends_with(*open))?;
        let behind = tail.strip_prefix(*close)?;
        behind.chars().all(|c| matches!(c, ')' | ',' | ';')).then_some((head, tail))
    })
}
