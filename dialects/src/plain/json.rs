//! JSON that holds files: `{"files": [{"path", "content"}]}`, or contents by their paths.

use clada_schema::Span;

use super::path::{self, Shape};
use crate::tool_call::{Json, Kind};

/// Names of the member that is the path, and of the one that is the content.
const PATHS: &[&str] = &["path", "file", "filename", "file_path", "filePath", "name", "fileName"];
const CONTENTS: &[&str] = &["content", "contents", "code", "text", "source", "file_content"];
/// Names of the member that lists files.
const LISTS: &[&str] = &["files", "changes", "file_changes", "updates", "edits"];

/// Returns the files that `content` holds, as paths and texts. `None` if it is other JSON: a content without a
/// line break is no file.
pub(super) fn files(content: &str) -> Option<Vec<(String, String)>> {
    let text = content.trim();
    if !text.starts_with(['{', '[']) || !text.contains("\\n") {
        return None;
    }
    let value = Json::of_text(text, Span { line: 1, column: 1, length: 0 })?;
    let listed = match &value.kind {
        Kind::List(items) => Some(items),
        Kind::Object(_) => LISTS.iter().find_map(|name| match &value.member(name)?.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }),
        _ => None,
    };
    let files: Vec<(String, String)> = match (listed, &value.kind) {
        (Some(items), _) => items
            .iter()
            .map(|item| {
                let member = |names: &[&str]| names.iter().find_map(|name| item.member(name)?.text());
                file(member(PATHS)?, member(CONTENTS)?)
            })
            .collect::<Option<_>>()?,
        (None, Kind::Object(members)) => {
            members.iter().map(|(name, value)| file(name, value.text()?)).collect::<Option<_>>()?
        }
        _ => return None,
    };
    (!files.is_empty()).then_some(files)
}

fn file(path: &str, content: &str) -> Option<(String, String)> {
    let word =
        path::word(path, true).filter(|word| word.shape >= Shape::Folders && path::is_given(&word.path))?;
    content.contains('\n').then(|| (word.path.into_owned(), content.to_owned()))
}
