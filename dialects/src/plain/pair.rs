//! Two fences, or two halves of one, of which the first shows the old text and the second the new one.

use super::piece::{Became, Last};
use super::{Candidate, Form, NoteKind, words};

/// The most bytes of the words between the two.
const BETWEEN: usize = 400;

/// Returns the replacement of the text of `last` with that of `second`, if the words between them (`between`,
/// the nearest line last) and above the first say so.
pub(super) fn joined(last: &Last, second: &Candidate, between: &[&str]) -> Option<Candidate> {
    let length: usize = between.iter().map(|line| line.len()).sum();
    let shown = match last.became {
        Became::Candidate => true,
        Became::Note(kind) => matches!(kind, NoteKind::LeadIn | NoteKind::Output),
        Became::Other => false,
    };
    let same = last.language == second.language || last.language.is_empty() || second.language.is_empty();
    if !shown || !same || length > BETWEEN || between.len() > 4 || last.content == second.content {
        return None;
    }
    let then = between.iter().any(|line| words::is_then(line));
    let first = words::is_first(&last.sentence);
    if !first || !then || between.iter().any(|line| words::is_old(line) && !words::is_then(line)) {
        return None;
    }
    let mut groups = last.groups.clone();
    groups.extend(second.groups.iter().filter(|group| !last.groups.contains(group)).cloned());
    groups.truncate(super::naming::MOST);
    Some(Candidate {
        lines: last.lines.start..second.lines.end,
        form: Form::Replacement { old: last.content.clone() },
        groups,
        old: None,
        ..second.clone()
    })
}

/// Returns the old and the new text in `content`: with an arrow alone on a line between them, or each below a
/// comment that calls it so.
pub(super) fn halves(content: &str) -> Option<(String, String)> {
    const BEFORE: &[&str] =
        &["before", "old", "vorher", "alt", "avant", "antes", "prima", "было", "修改前", "変更前", "변경 전"];
    const AFTER: &[&str] = &[
        "after",
        "new",
        "nachher",
        "neu",
        "après",
        "después",
        "depois",
        "dopo",
        "стало",
        "修改后",
        "変更後",
        "변경 후",
    ];
    let is_arrow =
        |line: &str| matches!(line.trim().trim_end_matches('\u{fe0f}'), "↓" | "⬇" | "⇓" | "→" | "=>" | "->");
    let says = |line: &str, words: &[&str]| {
        let text = line.trim();
        let is_comment = ["//", "#", "--", "/*", "<!--", ";", "%"].iter().any(|sign| text.starts_with(sign));
        is_comment && words.contains(&&*text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    };
    let lines: Vec<&str> = content.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let is_named = says(lines[first], BEFORE);
    let divides = |line: &str| if is_named { says(line, AFTER) } else { is_arrow(line) };
    let mut dividers = (first + 1..lines.len()).filter(|at| divides(lines[*at]));
    let (at, None) = (dividers.next()?, dividers.next()) else { return None };
    let text = |lines: &[&str]| format!("{}\n", lines.join("\n").trim_matches('\n').trim_end());
    let (old, new) = (text(&lines[first + usize::from(is_named)..at]), text(&lines[at + 1..]));
    (!old.trim().is_empty() && !new.trim().is_empty() && old != new).then_some((old, new))
}
