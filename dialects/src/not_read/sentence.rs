//! Sentences that announce the new text of a file: "Update `src/a.rs`:", "In src/a.rs, add:".
//!
//! Works on the one line above a fence. Words decide, since most sentences above a fence with a file's name
//! in them explain the old text, or the use of something.

use crate::file_name::{FileName, Shape, extension_of, is_listed, list_item};

/// Words that ask for a change, or announce that the file is given anew.
const ASKING: [&str; 37] = [
    "add",
    "adjust",
    "append",
    "apply",
    "become",
    "becomes",
    "change",
    "changed",
    "changes",
    "complete",
    "corrected",
    "create",
    "define",
    "edit",
    "extend",
    "final",
    "fix",
    "fixed",
    "full",
    "implement",
    "insert",
    "modified",
    "modify",
    "new",
    "now",
    "paste",
    "put",
    "refactor",
    "register",
    "remove",
    "replace",
    "revised",
    "rewrite",
    "should",
    "update",
    "updated",
    "write",
];
/// Words of sentences that show the old or a possible text, whatever else they ask for.
const SHOWING: [&str; 38] = [
    "assume",
    "before",
    "can",
    "contains",
    "could",
    "currently",
    "e.g",
    "error",
    "example",
    "examples",
    "existing",
    "fails",
    "for",
    "generated",
    "generates",
    "had",
    "has",
    "how",
    "if",
    "instead",
    "like",
    "looks",
    "may",
    "might",
    "old",
    "original",
    "output",
    "previously",
    "prints",
    "returns",
    "run",
    "shows",
    "suppose",
    "today",
    "was",
    "were",
    "when",
    "would",
];
/// Words that may be alone with the name: "Then in `a.rs`:".
const BARE: [&str; 14] = [
    "and", "also", "file", "finally", "first", "in", "inside", "next", "of", "second", "the", "then",
    "third", "to",
];
/// Words of a sentence at most.
const WORDS: usize = 30;

/// Returns the path of the file that `line`, which is above a fence, asks to change.
pub(super) fn announced(line: &str) -> Option<String> {
    let text = line.trim_end_matches([' ', '\t', '*', '_']).strip_suffix(':')?.trim_start();
    let text = list_item(text).map_or(text, |width| &text[width..]);
    let (mut path, mut asks, mut bare, mut count) = (None::<String>, false, true, 0);
    for word in text.split_ascii_whitespace() {
        count += 1;
        if let Some(name) = name(word) {
            if path.is_some_and(|path| path != name) {
                return None;
            }
            path = Some(name);
            continue;
        }
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
        if SHOWING.contains(&word.as_str()) {
            return None;
        }
        asks |= ASKING.contains(&word.as_str());
        bare &= word.is_empty() || BARE.contains(&word.as_str());
    }
    path.filter(|_| count <= WORDS && (asks || bare))
}

/// The first file that a word of `line` names.
pub(super) fn named(line: &str) -> Option<String> {
    line.split_ascii_whitespace().find_map(name)
}

/// The file that `word` names: in backticks, or as no other word is written.
fn name(word: &str) -> Option<String> {
    let inner = word.trim_matches(['*', '(', ')', ',', ';', ':', '"', '\'', '“', '”']);
    let bare = inner.trim_matches('`');
    let name = FileName::quoted(bare, bare)?;
    let known = name.shape == Shape::Known && extension_of(&name.path).is_some();
    (known && (bare.len() < inner.len() || is_listed(&name.path))).then(|| name.path.into_owned())
}

#[cfg(test)]
mod tests {
    use super::announced;

    #[test]
    fn sentences_that_ask_for_a_change_name_the_file() {
        for line in [
            "Update `src/a.rs`:",
            "In src/a.rs, add:",
            "1. Change `src/a.rs` to the following:",
            "**Create `src/a.rs`:**",
            "Here is the updated `src/a.rs`:",
            "`src/a.rs` should become:",
            "Then in `src/a.rs`:",
            "Replace the body of `f` in **src/a.rs** with:",
            "And the full (new) `src/a.rs`, with `serde`:",
        ] {
            assert_eq!(announced(line).as_deref(), Some("src/a.rs"), "{line}");
        }
    }

    #[test]
    fn sentences_that_show_name_none() {
        for line in [
            "Currently `src/a.rs` has:",
            "`src/a.rs` reads:",
            "Now `src/a.rs` looks like this:",
            "If you update `src/a.rs` you get:",
            "For example, in `src/a.rs`:",
            "You could add to `src/a.rs`:",
            "Running `src/a.rs` prints:",
            "Move it from `src/a.rs` to `src/b.rs`:",
            "Update `src/a.rs`.",
            "Update `serde`:",
            "Add this:",
            "Add it to version 1.2:",
            "",
        ] {
            assert_eq!(announced(line), None, "{line}");
        }
    }
}
