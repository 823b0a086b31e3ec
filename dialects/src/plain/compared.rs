//! Old and new code in one fence, each below a comment that says so.
//!
//! ````text
//! // Old:                     Replacement { old: "open(path);\\n" }
//! open(path);
//!
//! // New:                     content: "open(path, mode);\\n"
//! open(path, mode);
//! ````

use super::Form;
use super::piece::{Piece, PlainForm, Reading};
use super::tables::{COMPARED_NEW, COMPARED_OLD};

// The most bytes of such a comment.
const COMMENT: usize = 40;

pub(super) struct OldAndNew;

impl PlainForm for OldAndNew {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        let (old, new) = halves(piece.content)?;
        let mut candidate = piece.candidate(Form::Replacement { old }, new);
        candidate.naming = None;
        Some(Reading::Candidates(vec![candidate]))
    }
}

// The text between the two comments, and the one behind the second.
fn halves(content: &str) -> Option<(String, String)> {
    let first = content.lines().find(|line| !line.trim().is_empty())?;
    if !says(first, COMPARED_OLD) {
        return None;
    }
    let behind = &content[content.find(first)? + first.len()..];
    let mut starts = behind.lines().filter(|line| says(line, COMPARED_NEW));
    let (second, None) = (starts.next()?, starts.next()) else { return None };
    if behind.lines().any(|line| says(line, COMPARED_OLD)) {
        return None;
    }
    let at = behind.find(second)?;
    let text = |part: &str| format!("{}\n", part.trim_matches('\n').trim_end());
    let (old, new) = (text(&behind[..at]), text(&behind[at + second.len()..]));
    (!old.trim().is_empty() && !new.trim().is_empty()).then_some((old, new))
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
            ("// New:\nb();\n// Old:\na();\n", None),
            ("x();\n// Old:\na();\n// New:\nb();\n", None),
            ("// Old:\na();\n// New:\nb();\n// Old:\nc();\n// New:\nd();\n", None),
            ("// Old files go first.\na();\n// New ones follow.\nb();\n", None),
        ] {
            let found = halves(content);
            assert_eq!(found.as_ref().map(|(old, new)| (&**old, &**new)), expected, "{content}");
        }
    }
}
