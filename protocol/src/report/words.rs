//! The words of dialects: the names of an action and its texts in the dialect of the answer. `edit` is an agent's tool,
//! whose arguments have names of their own; [`PERSON`] stands for a reader who has an answer and no tools.
//!
//! Knows the names of dialects and actions, and nothing of results beyond them.

use std::borrow::Cow;

use crate::ActionResult;

pub(super) const PERSON: &str = "person";

pub(super) fn can_read_files(dialect: &str) -> bool {
    !matches!(dialect, "replacer" | "aider" | "apply_patch" | "unified_diff" | "whole_file")
}

pub(super) fn operation<'a>(dialect: &str, action: &'a ActionResult) -> Cow<'a, str> {
    // The names are those that the format itself writes, so that a model finds the step in its answer.
    let name = match (dialect, action.action.as_str()) {
        ("csl", "file_write" | "file_append") => "WRITE",
        ("csl", "file_replace_all_text" | "file_replace_text_range") => "SEARCH",
        ("csl", "run") => "RUN",
        ("cml", "file_write" | "file_append") => "write",
        ("cml", "file_replace_all_text" | "file_replace_text_range") => "edit",
        ("cml", "file_move") => "move",
        ("cml", "file_delete" | "dir_delete") => "remove",
        ("replacer", "file_write") => "OVERWRITE",
        ("replacer", "file_replace_text") => "SEARCH",
        ("aider", "file_patch" | "file_write" | "file_append" | "file_replace_text") => "SEARCH/REPLACE",
        ("apply_patch", "file_patch") => "Update File",
        ("apply_patch", "file_write") => "Add File",
        ("apply_patch", "file_delete") => "Delete File",
        ("apply_patch", "file_move") => "Move to",
        ("unified_diff", "file_patch" | "file_write" | "file_delete" | "file_move") => "diff",
        ("whole_file", "file_write") => "listing",
        ("tool_call", "file_write") => "Write",
        (
            "tool_call",
            "file_replace_text" | "file_replace_texts" | "file_replace_all_text" | "file_patch",
        ) => "Edit",
        ("tool_call", "file_read" | "file_read_numbered") => "Read",
        ("tool_call", "file_delete") => "delete_file",
        ("tool_call", "file_move") => "move_file",
        ("tool_call", "dir_create") => "create_directory",
        ("edit", "file_write") => "create",
        ("edit", "file_delete") => "delete",
        ("edit", "file_move") => "move",
        ("edit", _) => "edits",
        _ => return Cow::Borrowed(&action.action),
    };
    Cow::Owned(name.to_owned())
}

pub(super) fn message_in_words_of(dialect: &str, line: String) -> String {
    let named = parameters(dialect).iter().find(|(name, _)| line.contains(&format!(" - {name} ")));
    match named {
        Some((name, word)) => line.replacen(&format!(" - {name} "), &format!(" - {word} "), 1),
        None => line,
    }
}

/// Lines of a file, which are indented or marked, stay.
pub(super) fn in_words_of<'a>(dialect: &str, hint: &'a str) -> Cow<'a, str> {
    let words = parameters(dialect);
    if words.is_empty() {
        return Cow::Borrowed(hint);
    }
    let is_ours = |line: &str| !line.starts_with([' ', '-', '+']);
    let lines = hint.split('\n').map(|line| match is_ours(line) {
        true => words.iter().fold(Cow::Borrowed(line), |line, (name, word)| replaced(line, name, word)),
        false => Cow::Borrowed(line),
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn replaced<'a>(line: Cow<'a, str>, name: &str, word: &str) -> Cow<'a, str> {
    let is_ours = |at: &usize| {
        let before = line[..*at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        before.is_none_or(|char| matches!(char, ' ' | '(')) && after.is_none_or(|char| " ,;:)".contains(char))
    };
    let places: Vec<usize> = line.match_indices(name).map(|(at, _)| at).filter(is_ours).collect();
    if places.is_empty() {
        return line;
    }
    let (mut out, mut from) = (String::new(), 0);
    for at in places {
        out.extend([&line[from..at], word]);
        from = at + name.len();
    }
    Cow::Owned(out + &line[from..])
}

const LOOK: &str = "`ls` or `glob` show what is there, and file_write creates a file";

/// Lists parameters, and what else hints name, with their names in `dialect`; a name comes before others that
/// it begins like.
fn parameters(dialect: &str) -> &'static [(&'static str, &'static str)] {
    match dialect {
        "csl" => &[
            ("old_text_beginning", "the first text"),
            ("old_text_end", "the TO text"),
            ("old_text", "the SEARCH text"),
        ],
        "cml" => &[
            ("old_text_beginning", "search-start"),
            ("old_text_end", "search-end"),
            ("old_text", "the search text"),
        ],
        "replacer" => &[("old_text", "the SEARCH text"), (LOOK, "OVERWRITE creates a file")],
        "aider" => &[("old_text", "the SEARCH text"), (LOOK, "an empty SEARCH creates a file")],
        "apply_patch" => &[(LOOK, "`*** Add File` creates a file")],
        "unified_diff" => &[(LOOK, "a diff from /dev/null creates a file")],
        "edit" => &[("old_text", "`old`"), (LOOK, "`list` shows what is there, and `create` makes a file")],
        PERSON => &[(LOOK, "it is relative to the project's root")],
        "tool_call" => &[("old_text", "old_string"), (LOOK, "Write creates a file")],
        _ => &[],
    }
}
