//! Diffs that name no file.

use crate::candidate::{Candidate, NotReadKind, Wants, not_looked_for, others};
use crate::cursor::{Cursor, Line};
use crate::{Choice, Dialect};

const LINES_BELOW_OPERATION: u32 = 40;

pub(super) fn is_label(label: &str) -> bool {
    ["diff", "patch", "udiff"].iter().any(|other| other.eq_ignore_ascii_case(label))
}

pub(super) fn is_change(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['+', '-']) && text.len() > 1
}

/// Returns true if `line` and the one behind it explain the signs of a comparison, as a test that fails
/// prints them: it shows two values, and changes no file.
pub(crate) fn is_legend(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    let word = |text: &'_ str, sign| {
        let words = text.trim_start().strip_prefix(sign).unwrap_or_default();
        words.split_whitespace().next().unwrap_or_default().trim_end_matches(':').to_ascii_lowercase()
    };
    let next = after.clone().next_line().map_or_else(String::new, |next| word(next.text, '+'));
    match &*word(line.text, '-') {
        "expected" => matches!(&*next, "received" | "actual"),
        "snapshot" => next == "received",
        _ => false,
    }
}

/// Returns true if the lines of a diff in `line` are a part of the candidate `last`, the last one found.
pub(super) fn belongs(line: &Line<'_>, last: &Candidate) -> bool {
    match last.kind {
        NotReadKind::OtherDialect => true,
        NotReadKind::UnknownElement => line.number - last.line < LINES_BELOW_OPERATION,
        _ => false,
    }
}

pub(super) fn headless(line: &Line<'_>, choice: &Choice) -> Candidate {
    let other = others(choice).contains(&Dialect::UnifiedDiff);
    let hint = if other {
        not_looked_for("Diffs", Dialect::UnifiedDiff, choice)
    } else {
        "The diff does not name its file: put `--- a/PATH` and `+++ b/PATH` before its first `@@`".to_owned()
    };
    let kind = if other { NotReadKind::OtherDialect } else { NotReadKind::HeadlessDiff };
    Candidate { kind, line: line.number, path: None, wants: Wants::Nothing, shows: None, hint }
}

/// Reads `line` outside of fences: the line of stars above a hunk of a context diff, which `after` follows.
pub(super) fn context(line: &Line<'_>, after: &Cursor<'_>, candidates: &mut Vec<Candidate>) {
    let mut ahead = after.clone();
    let next = ahead.next_line().map_or("", |next| next.text);
    let range = next.strip_prefix("*** ").and_then(|rest| rest.trim_end().strip_suffix(" ****"));
    let is_range = range.is_some_and(|range| range.bytes().all(|byte| byte.is_ascii_digit() || byte == b','));
    let near = candidates.last().is_some_and(|last| last.kind == NotReadKind::HeadlessDiff);
    if !line.text.starts_with("***************") || !is_range || near {
        return;
    }
    let hint = "clada does not read context diffs: write a unified diff (`diff -u`)".to_owned();
    let (line, wants) = (line.number, Wants::Nothing);
    candidates.push(Candidate {
        kind: NotReadKind::HeadlessDiff,
        line,
        path: None,
        wants,
        shows: None,
        hint,
    });
}

/// Reads `line` outside of fences: the header of a hunk, with a change below.
pub(super) fn outside(line: &Line<'_>, after: &Cursor<'_>, candidates: &mut Vec<Candidate>) {
    if !line.text.starts_with("@@ -") || !line.text[4..].contains(" @@") {
        return;
    }
    let mut ahead = after.clone();
    let mut lines = std::iter::from_fn(|| ahead.next_line()).take(8);
    let near =
        candidates.last().is_some_and(|last| last.kind == NotReadKind::HeadlessDiff || belongs(line, last));
    if !near && lines.any(|line| is_change(line.text)) {
        candidates.push(headless(line, &Choice::Auto));
    }
}
