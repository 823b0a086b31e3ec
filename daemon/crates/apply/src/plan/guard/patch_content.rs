//! A file that would be written as the text of a patch.

use std::path::Path;

use clada_dialects::{Bounds, Choice, parse, plain_blanks};

const MAY_HOLD: [&str; 22] = [
    "md", "markdown", "mdx", "patch", "diff", "rej", "orig", "txt", "out", "snap", "golden", "expected",
    "rst", "adoc", "mbox", "eml", "j2", "jinja", "tmpl", "tpl", "prompt", "log",
];
const TEST_DATA: [&str; 13] = [
    "testdata",
    "test_data",
    "test-data",
    "fixtures",
    "fixture",
    "golden",
    "goldens",
    "snapshots",
    "__snapshots__",
    "corpus",
    "samples",
    "patches",
    "data",
];

/// Returns what `new`, all that the file at `path` is to hold in place of `old`, is instead of a file's text;
/// `None` if it may be one.
pub(crate) fn patch_as_content(old: &str, new: &str, path: &Path) -> Option<&'static str> {
    let ending = path.extension().and_then(|ending| ending.to_str())?.to_ascii_lowercase();
    let folders = path.parent().into_iter().flat_map(Path::components);
    let is_data = folders.into_iter().any(|folder| {
        let folder = folder.as_os_str().to_string_lossy().to_ascii_lowercase();
        TEST_DATA.contains(&&*folder)
    });
    if is_data || MAY_HOLD.contains(&&*ending) || old.trim().is_empty() {
        return None;
    }
    // The markers of an answer that was copied from a page have the page's blanks.
    let kind = patch(&plain_blanks(new))?;
    patch(old).is_none().then_some(kind)
}

fn patch(text: &str) -> Option<&'static str> {
    if is_diff(text) {
        return Some("a diff");
    }
    let first = text.lines().position(|line| !line.trim().is_empty())?;
    let last = text.trim_end().lines().count();
    let head = text.lines().nth(first)?.trim_start();
    if !MARKERS.iter().any(|marker| head.starts_with(marker)) && !text.contains("<<<<<<< SEARCH") {
        return None;
    }
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    let covered: usize = parsed
        .blocks
        .iter()
        .map(|block| {
            block.end_line.map_or(last, |end| end as usize).saturating_sub(block.start_line as usize) + 1
        })
        .sum();
    // A name and a fence around them are not prose.
    let outside = text.lines().filter(|line| !line.trim().is_empty()).count().saturating_sub(covered);
    (!parsed.blocks.is_empty() && outside <= 3).then_some("blocks of edits")
}

const MARKERS: [&str; 9] = [
    "#!SHAM ",
    "<---",
    "<write ",
    "<edit ",
    "<<<<<<< ",
    "*** Begin Patch",
    "*** Update File",
    "<<<FILE>>>",
    "<tasks",
];

/// Returns true if all lines of `text` are lines of a diff, with a hunk among them.
fn is_diff(text: &str) -> bool {
    let mut hunks = 0;
    let mut changes = 0;
    for line in text.lines() {
        let is_header = [
            "diff ",
            "index ",
            "--- ",
            "+++ ",
            "new file",
            "deleted file",
            "old mode",
            "new mode",
            "similarity ",
            "rename ",
            "```",
        ]
        .iter()
        .any(|head| line.starts_with(head));
        if line.starts_with("@@") {
            hunks += 1;
        } else if hunks > 0 && line.starts_with(['+', '-']) {
            changes += 1;
        } else if !(is_header || line.trim().is_empty() || hunks > 0 && line.starts_with([' ', '\\'])) {
            return false;
        }
    }
    hunks > 0 && changes > 0
}
