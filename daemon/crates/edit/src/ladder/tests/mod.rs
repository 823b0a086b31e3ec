//! The ladder's tests: each rung and each rule, and properties of any text.

mod cases;
mod properties;
mod rules;
mod rungs;
mod turns;

use super::*;

const LIMIT: usize = 10 << 20;

fn decode(text: &str) -> Text<'_> {
    Text::decode(text.as_bytes()).unwrap()
}

/// Replaces lines, and returns the text and the rung.
fn replaced(text: &str, search: &str, replace: &str) -> Result<(String, Rung), PatchFailure> {
    patched(text, &[replacing_hunk(search, replace)])
}

fn patched(text: &str, hunks: &[Hunk]) -> Result<(String, Rung), PatchFailure> {
    let result = apply_hunks_tolerant(&decode(text), hunks, Match::Tolerant, LIMIT);
    let patched = result.map_err(|error| error.failure)?;
    assert_eq!(patched.unchanged, patched.bytes == text.as_bytes());
    assert_eq!(patched.matched_by.len(), hunks.len());
    Ok((String::from_utf8(patched.bytes).unwrap(), *patched.matched_by.last().unwrap()))
}

/// Reads a hunk as a diff has it: `@` before a scope, `#` before a line number, `!` before one with right
/// counts, `$` for the end of the file.
fn hunk(diff: &str) -> Hunk {
    let mut hunk = Hunk::default();
    for line in diff.lines() {
        let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
        let rest = rest.to_owned();
        match sign {
            "@" => hunk.scopes.push(rest),
            "#" | "!" => (hunk.line_hint, hunk.is_counted) = (Some(rest.parse().unwrap()), sign == "!"),
            "$" => hunk.at_end_of_file = true,
            "-" => hunk.lines.push(HunkLine::Removed(rest)),
            "+" => hunk.lines.push(HunkLine::Added(rest)),
            _ => hunk.lines.push(HunkLine::Context(rest)),
        }
    }
    hunk
}
