//! Sections of a file in another language: the script and the style of a page or component.
//!
//! A part without markup is one of a section, and is merged into that alone.

use std::ops::Range;

use crate::part::{Merged, Part};
use crate::refused::{Reason, Refused};

/// Elements whose content has a language of its own, with its extension.
const SECTIONS: &[(&str, &str)] = &[("script", "js"), ("style", "css")];

// The bytes of its content, the number of lines above it.
struct Section {
    content: Range<usize>,
    above: usize,
    extension: &'static str,
}

/// Merges `part` into the section of `file` that it is of. `None` if it holds markup, or the file has no sections.
pub(crate) fn merge(file: &str, part: &Part<'_>) -> Option<Result<Merged, Refused>> {
    if let Some(style) = style_of(file, part.text) {
        return merge(file, &Part { text: style, ..*part });
    }
    let is_markup =
        |line: &str| line.trim_start().starts_with(['<', '@']) || line.contains("{%") || line.contains("{{");
    if part.text.lines().any(is_markup) {
        return None;
    }
    let sections = sections(file);
    let mut refused = None;
    let mut merges: Vec<(&Section, Merged)> = Vec::new();
    for section in &sections {
        let part = Part { extension: section.extension, ..*part };
        match crate::merge(&file[section.content.clone()], &part) {
            Ok(merged) => merges.push((section, merged)),
            Err(error) => _ = refused.get_or_insert(error),
        }
    }
    match merges.len() {
        0 => refused.map(Err),
        1 => merges.pop().map(|(section, merged)| Ok(within(file, section, merged))),
        _ => Some(Err(Refused::new(Reason::Ambiguous, "the part fits in several sections of the file"))),
    }
}

/// Returns the rules of a part that is the one style of `file`, with the same tag: those that it does not show stay.
fn style_of<'t>(file: &str, part: &'t str) -> Option<&'t str> {
    let text = part.trim();
    let (tag, rest) = text.split_once('\n')?;
    let rules = rest.strip_suffix("</style>")?;
    let is_style = |line: &str| line.trim_start().starts_with("<style");
    let is_only = file.lines().filter(|line| is_style(line)).count() == 1;
    let is_same = is_style(tag) && file.lines().any(|line| line.trim() == tag.trim());
    (is_same && is_only && !rules.contains("</")).then_some(rules)
}

fn within(file: &str, section: &Section, merged: Merged) -> Merged {
    let Range { start, end } = section.content;
    Merged {
        text: [&file[..start], &merged.text, &file[end..]].concat(),
        level: merged.level,
        notes: merged.notes.into_iter().map(|note| note.below(section.above)).collect(),
    }
}

/// Returns the sections whose tags stand on lines of their own.
fn sections(file: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut open: Option<(&str, Section)> = None;
    let mut at = 0;
    for (number, line) in file.split_inclusive('\n').enumerate() {
        let text = line.trim();
        match &mut open {
            Some((name, section)) => {
                if text.strip_prefix("</").is_some_and(|rest| rest.starts_with(*name)) {
                    section.content.end = at;
                    sections.extend(open.take().map(|(_, section)| section));
                }
            }
            None => {
                let begins = |name: &str| {
                    let rest = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
                    rest.is_some_and(|rest| rest.starts_with(['>', ' '])) && text.ends_with('>')
                };
                // A section that ends on its own line has no lines of its own.
                let tag =
                    SECTIONS.iter().find(|(name, _)| begins(name) && !text.contains(&format!("</{name}")));
                open = tag.map(|(name, extension)| {
                    let is_typed =
                        ["lang=\"ts\"", "lang=\"tsx\"", "lang='ts'"].iter().any(|lang| text.contains(lang));
                    let extension = if *name == "script" && is_typed { "ts" } else { extension };
                    let start = at + line.len();
                    (*name, Section { content: start..start, above: number + 1, extension })
                });
            }
        }
        at += line.len();
    }
    sections.retain(|section| !section.content.is_empty());
    sections
}
