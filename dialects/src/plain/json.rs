//! JSON that holds files: `{"files": [{"path", "content"}]}`, or contents by their paths; and edits of files:
//! `{"edits": [{"path", "old_text", "new_text"}]}`.

use clada_schema::Span;

use super::path::{self, Shape};
use super::{Group, Place};
use crate::json::{Json, Kind};

/// Names of the member that is the path, and of the one that is the content.
const PATHS: &[&str] = &["path", "file", "filename", "file_path", "filePath", "name", "fileName"];
const CONTENTS: &[&str] = &["content", "contents", "code", "text", "source", "file_content"];
/// Names of the members that are the old and the new text of an edit.
const OLD: &[&str] = &[
    "old_text",
    "old_string",
    "old",
    "oldText",
    "old_str",
    "search",
    "find",
    "original",
    "before",
    "pattern",
];
const NEW: &[&str] = &[
    "new_text",
    "new_string",
    "new",
    "newText",
    "new_str",
    "replace",
    "replacement",
    "replace_with",
    "after",
];
const LISTS: &[&str] = &["files", "changes", "file_changes", "updates", "edits"];

// A file or an edit of one: its path, empty if an edit names none, the text that goes if it is an edit, and the new
// text.
type FileEdit = (String, Option<String>, String);

/// Returns the files and edits that `content` holds. `None` if it is other JSON: a content without a line break is no
/// file.
pub(super) fn files(content: &str) -> Option<Vec<FileEdit>> {
    let text = content.trim();
    let may_edit = || OLD.iter().any(|name| text.contains(&format!("\"{name}\"")));
    if !text.starts_with(['{', '[']) || !text.contains("\\n") && !may_edit() {
        return None;
    }
    let value = Json::of_text(text, Span { line: 1, column: 1, length: 0 })?;
    let listed = LISTS.iter().find_map(|name| value.member(name));
    let files: Vec<FileEdit> = match &listed.unwrap_or(&value).kind {
        Kind::List(items) => items.iter().map(|one| item(one, listed.is_some())).collect::<Option<_>>()?,
        Kind::Object(members) => match item(&value, false) {
            Some(item) => vec![item],
            None => members.iter().map(|(name, value)| file(name, value.text()?)).collect::<Option<_>>()?,
        },
        _ => return None,
    };
    (!files.is_empty()).then_some(files)
}

// Reads a file or an edit; one that is `listed` as such need not name its file.
fn item(item: &Json<'_>, listed: bool) -> Option<FileEdit> {
    let member = |names: &[&str]| names.iter().find_map(|name| item.member(name)?.text());
    match (member(OLD).filter(|old| !old.trim().is_empty()), member(NEW)) {
        (Some(old), Some(new)) => {
            let path = match member(PATHS) {
                Some(path) => known_path(path)?,
                None => listed.then(String::new)?,
            };
            Some((path, Some(old.to_owned()), new.to_owned()))
        }
        _ => file(member(PATHS)?, member(CONTENTS)?),
    }
}

fn file(path: &str, content: &str) -> Option<FileEdit> {
    content.contains('\n').then_some(())?;
    Some((known_path(path)?, None, content.to_owned()))
}

pub(super) fn groups(path: String, line: u32) -> Vec<Group> {
    if path.is_empty() { Vec::new() } else { vec![Group::of(Place::Json, line, path, true)] }
}

fn known_path(path: &str) -> Option<String> {
    let word = path::word(path, true).filter(|word| word.shape >= Shape::Folders)?;
    path::is_given(&word.path).then(|| word.path.into_owned())
}
