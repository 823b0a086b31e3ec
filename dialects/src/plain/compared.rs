//! Old and new code in one fence: each below a comment that says so, or with an arrow between them.
//!
//! ````text
//! // Old:           open(path);              Replacement { old: "open(path);\\n" }
//! open(path);       ↓
//!                   open(path, mode);        content: "open(path, mode);\\n"
//! // New:
//! open(path, mode);
//!
//! open(path[-, mode-]{+, flags+});      x = 1  →  x = 2
//! ````

use super::piece::{Piece, PlainForm, Reading};
use super::tables::{COMPARED_NEW, COMPARED_OLD};
use super::{Candidate, Form};

// The most bytes of such a comment.
const COMMENT: usize = 40;

pub(super) struct OldAndNew;

impl PlainForm for OldAndNew {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        halves(piece.content).map(|halves| replacement(piece, halves))
    }
}

pub(super) struct Arrow;

impl PlainForm for Arrow {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        // An arrow within a line is also drawn between states, or is code: only in a file that is named.
        let is_named = piece.path().is_some();
        if let Some(pairs) = pointed(piece.content).filter(|_| is_named) {
            return Some(Reading::Candidates(pairs.into_iter().map(|pair| replaced(piece, pair)).collect()));
        }
        let may_be_code = is_named || !piece.language.is_empty();
        divided(piece.content).filter(|_| may_be_code).map(|halves| replacement(piece, halves))
    }
}

// Old and new words within a line, as `git diff --word-diff` shows them.
pub(super) struct WordDiff;

impl PlainForm for WordDiff {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let content = piece.content;
        if !content.contains("{+") || !content.contains("+}") {
            return None;
        }
        let (mut old, mut new) = (String::new(), String::new());
        for line in content.lines() {
            let halves = [("{+", "+}", "[-", "-]"), ("[-", "-]", "{+", "+}")].map(|marks| side(line, marks));
            let [Some(had), Some(has)] = halves else { return None };
            for (text, half) in [(&mut old, had), (&mut new, has)] {
                // A line that only one side has.
                if !half.trim().is_empty() || line.trim().is_empty() {
                    text.push_str(half.trim_end());
                    text.push('\n');
                }
            }
        }
        (old != new && has_text(&old)).then(|| replacement(piece, (old, new)))
    }
}

// `line` without what is between the first two of `marks`, and without the signs of the others; `None` if one is open.
fn side(line: &str, (drop, drop_end, keep, keep_end): (&str, &str, &str, &str)) -> Option<String> {
    let (mut rest, mut text) = (line, String::new());
    while let Some((before, behind)) = rest.split_once(drop) {
        text.push_str(before);
        rest = behind.split_once(drop_end)?.1;
    }
    text.push_str(rest);
    (text.matches(keep).count() == text.matches(keep_end).count())
        .then(|| text.replace(keep, "").replace(keep_end, ""))
}

// The texts before and behind the arrow that each line has.
fn pointed(content: &str) -> Option<Vec<(String, String)>> {
    let lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let pair = |line: &str| {
        let (old, new) = ["→", "⟶", "➜", "➡"].iter().find_map(|arrow| line.split_once(arrow))?;
        let (old, new) = (old.trim(), new.trim_start_matches('\u{fe0f}').trim());
        (!old.is_empty() && !new.is_empty() && !new.contains('→')).then(|| (old.to_owned(), new.to_owned()))
    };
    lines.map(pair).collect::<Option<Vec<_>>>().filter(|pairs| !pairs.is_empty())
}

fn replaced(piece: &Piece<'_, '_>, (old, new): (String, String)) -> Candidate {
    Candidate { naming: None, ..piece.candidate(Form::Replacement { old }, new) }
}

fn replacement(piece: &Piece<'_, '_>, halves: (String, String)) -> Reading {
    Reading::Candidates(vec![replaced(piece, halves)])
}

// The texts above and below the one line that is an arrow alone.
fn divided(content: &str) -> Option<(String, String)> {
    let is_arrow = |line: &str| {
        let sign = line.trim().trim_end_matches('\u{fe0f}');
        matches!(sign, "↓" | "⬇" | "⇓" | "→" | "➜" | "⟶" | "⇒" | "=>" | "->" | "-->" | "==>")
    };
    let lines: Vec<&str> = content.lines().collect();
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let mut arrows = (first + 1..lines.len()).filter(|at| is_arrow(lines[*at]));
    let (at, None) = (arrows.next()?, arrows.next()) else { return None };
    let (old, new) = (text(&lines[first..at].join("\n")), text(&lines[at + 1..].join("\n")));
    (old != new).then_some((old, new)).filter(|(old, new)| has_text(old) && has_text(new))
}

fn text(part: &str) -> String {
    format!("{}\n", part.trim_matches('\n').trim_end())
}

fn has_text(part: &str) -> bool {
    !part.trim().is_empty()
}

// The old text and the new one, each behind its comment.
fn halves(content: &str) -> Option<(String, String)> {
    let first = content.lines().find(|line| !line.trim().is_empty())?;
    let is_turned = says(first, COMPARED_NEW);
    let (own, other) = if is_turned { (COMPARED_NEW, COMPARED_OLD) } else { (COMPARED_OLD, COMPARED_NEW) };
    if !says(first, own) {
        return None;
    }
    let behind = &content[content.find(first)? + first.len()..];
    let mut starts = behind.lines().filter(|line| says(line, other));
    let (second, None) = (starts.next()?, starts.next()) else { return None };
    if behind.lines().any(|line| says(line, own)) {
        return None;
    }
    let at = behind.find(second)?;
    let (one, two) = (text(&behind[..at]), text(&behind[at + second.len()..]));
    let (old, new) = if is_turned { (two, one) } else { (one, two) };
    (has_text(&old) && has_text(&new)).then_some((old, new))
}

// Returns true if `line` is a comment of one of `words`, and perhaps "code" behind it.
fn says(line: &str, words: &[&str]) -> bool {
    let text = line.trim();
    let Some(inner) =
        ["//", "#", "--", "/*", "<!--", "{/*", ";", "%"].iter().find_map(|sign| text.strip_prefix(sign))
    else {
        return false;
    };
    let lower = inner.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let bare = ["code", "version"].iter().find_map(|word| lower.strip_suffix(word)).unwrap_or(&lower);
    inner.len() <= COMMENT && words.contains(&bare.trim())
}

#[cfg(test)]
mod tests {
    use super::halves;

    #[test]
    fn comments_call_one_half_old_and_the_other_new() {
        for (content, expected) in [
            ("// Old:\na();\n\n// New:\nb();\n", Some(("a();\n", "b();\n"))),
            ("# Before\n  a\n# After\n  b\n", Some(("  a\n", "  b\n"))),
            ("// 修改前\na();\n// 修改后\nb();\n", Some(("a();\n", "b();\n"))),
            ("// Old code\na();\n// New code\nb();\n", Some(("a();\n", "b();\n"))),
            ("// Old:\na();\n", None),
            ("// New:\nb();\n// Old:\na();\n", Some(("a();\n", "b();\n"))),
            ("x();\n// Old:\na();\n// New:\nb();\n", None),
            ("// Old:\na();\n// New:\nb();\n// Old:\nc();\n// New:\nd();\n", None),
            ("// Old files go first.\na();\n// New ones follow.\nb();\n", None),
        ] {
            let found = halves(content);
            assert_eq!(found.as_ref().map(|(old, new)| (&**old, &**new)), expected, "{content}");
        }
    }
}
