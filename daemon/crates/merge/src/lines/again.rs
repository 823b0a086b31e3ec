//! New lines that set again what a marker keeps.
//!
//! ```text
//! file                    part
//! .box {                  .box {
//!   color: red;             // ...
//!   margin: 0;              margin: 0;
//! }                         color: blue;      a new line: `color` is in what the marker keeps
//!                         }
//! ```

use std::collections::HashMap;

use super::alignment::{Alignment, LineStep};
use super::guards::{is_in, taken};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, indentation, letters};

/// The number of no line: above the first.
const TOP: usize = usize::MAX;

/// Checks that no new line has the head of exactly one line of the same block that a marker keeps.
pub(super) fn check(alignment: &Alignment, file: &Source<'_>, part: &Source<'_>) -> Result<(), Refused> {
    let parents = parents(file);
    let mut heads: HashMap<(usize, usize, String), (usize, usize)> = HashMap::new();
    for (at, line) in file.lines.iter().enumerate() {
        if let Some(head) = head(line) {
            let entry = heads.entry((parents[at], indentation(line), head)).or_insert((at, 0));
            entry.1 += 1;
        }
    }
    let taken = taken(alignment);
    let mut above = TOP;
    // The least indentation of the new lines in a row: a deeper one is in a block that is new.
    let mut outermost = usize::MAX;
    for step in &alignment.steps {
        match step {
            LineStep::Unchanged(at) => (above, outermost) = (*at, usize::MAX),
            LineStep::Taken(range) if !range.is_empty() => (above, outermost) = (range.end - 1, usize::MAX),
            LineStep::Taken(_) => {}
            LineStep::New(at) => {
                let line = part.lines[*at];
                let width = indentation(line);
                let is_nested = outermost < width;
                if !line.trim().is_empty() {
                    outermost = outermost.min(width);
                }
                let Some(head) = head(line).filter(|_| !is_nested) else { continue };
                let parent = parent(&parents, file, above, width);
                let same = heads.get(&(parent, width, head));
                if same.is_some_and(|(at, count)| *count == 1 && is_in(&taken, *at)) {
                    let detail =
                        format!("`{}` is new, and a marker keeps a line that sets the same", excerpt(line));
                    return Err(Refused::new(Reason::Breaks, detail));
                }
            }
        }
    }
    Ok(())
}

/// Returns the nearest line above each line with less indentation.
fn parents(file: &Source<'_>) -> Vec<usize> {
    let mut parents = vec![TOP; file.len()];
    for at in 0..file.len() {
        let above = at.checked_sub(1).unwrap_or(TOP);
        parents[at] = if file.is_blank(at) {
            above
        } else {
            parent(&parents, file, above, indentation(file.lines[at]))
        };
    }
    parents
}

/// Returns the nearest line from `above` up whose indentation is less than `width`.
fn parent(parents: &[usize], file: &Source<'_>, mut above: usize, width: usize) -> usize {
    while above != TOP && (file.is_blank(above) || indentation(file.lines[above]) >= width) {
        above = parents[above];
    }
    above
}

/// Returns what a line sets or calls: its text up to `=`, `:` or `(`; with the first word of a call's first
/// argument, the first attribute of an element, the module of an import.
fn head(line: &str) -> Option<String> {
    let text = line.trim();
    if text.starts_with("import ") || text.starts_with("from ") || text.starts_with("use ") {
        let module = text.split(['"', '\'']).nth(1);
        return Some(module.map_or_else(|| import_head(text), |module| format!("import {module}")));
    }
    if text.starts_with('<') && !text.starts_with("</") {
        let words: Vec<&str> = text.split_whitespace().take(2).collect();
        return (words.len() == 2).then(|| words.join(" "));
    }
    let at = text.find(['=', ':', '('])?;
    let head = &text[..at];
    if letters(head) < 2 {
        return None;
    }
    if !text[at..].starts_with('(') {
        return Some(head.trim_end().to_owned());
    }
    let argument = text[at + 1..].split([',', ')', '(', ' ']).next().unwrap_or_default();
    (!argument.is_empty()).then(|| format!("{head}({argument}"))
}

fn import_head(text: &str) -> String {
    match text.split_once(" import ") {
        Some((module, _)) => module.to_owned(),
        None => text.split(['{', ';', '(']).next().unwrap_or(text).trim_end().to_owned(),
    }
}
