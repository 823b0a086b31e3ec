//! Files given as elements: `<file path="src/a.rs">` alone on its line, up to `</file>`.

use memchr::memmem;

use crate::cursor::{Cursor, Line};
use crate::file_name::{FileName, extension_of};
use crate::not_read::{Candidate, NotReadKind, Wants};

/// Elements that models make up, or give other attributes than they have.
const NAMES: [&str; 11] =
    ["file", "document", "code", "edit", "write", "replace", "create", "update", "modify", "change", "patch"];
/// Labels of fences that may hold them, as those without one do.
const LABELS: [&str; 3] = ["xml", "cml", "text"];
/// Attributes that name their file.
const ATTRIBUTES: [&str; 4] = ["path=", "name=", "file=", "filename="];

/// The most bytes of a file that is found so.
const MOST_BYTES: usize = 1 << 20;

/// Returns true if a fence labelled `label` may hold such elements.
pub(super) fn is_label(label: &str) -> bool {
    LABELS.contains(&label)
}

/// The file that the element which begins in `line` gives; `after` follows that line. `false` in `ends` means
/// that the end of one was not found: then the search stops for all later ones, so that the work stays
/// linear.
pub(super) fn file(line: &Line<'_>, after: &Cursor<'_>, ends: &mut bool) -> Option<Candidate> {
    if !*ends {
        return None;
    }
    let text = line.text.trim_ascii();
    let (name, rest) = text.strip_prefix('<')?.split_once(' ')?;
    if !NAMES.contains(&name) || !text.ends_with('>') {
        return None;
    }
    let value = ATTRIBUTES.iter().find_map(|attribute| rest.strip_prefix(attribute))?;
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (path, _) = value[1..].split_once(quote)?;
    let end_tag = format!("</{name}>");
    let path = FileName::quoted(path, path)?.path;
    extension_of(&path)?;
    let start = after.position();
    let rest = &after.text().as_bytes()[start..];
    let length = memmem::find(&rest[..rest.len().min(MOST_BYTES)], end_tag.as_bytes());
    *ends = length.is_some();
    let end = start + length?;
    Some(Candidate {
        kind: NotReadKind::ToolCall,
        line: line.number,
        path: Some(path.into_owned()),
        wants: Wants::Room,
        shows: Some(start..end),
        hint: "An element with a file in it is no edit: write the change as a block".to_owned(),
    })
}
