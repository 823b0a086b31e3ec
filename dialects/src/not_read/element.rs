//! Files given as elements: `<file path="src/a.rs">` alone on its line, up to `</file>`.

use memchr::memmem;

use crate::cursor::{Cursor, Line};
use crate::file_name::{FileName, extension_of};
use crate::not_read::{Candidate, NotReadKind, Wants};

/// Start tags up to their path, and the end tags.
const TAGS: [(&str, &str); 4] = [
    ("<file path=", "</file>"),
    ("<file name=", "</file>"),
    ("<document path=", "</document>"),
    ("<code path=", "</code>"),
];

/// The most bytes of a file that is found so.
const MOST_BYTES: usize = 1 << 20;

/// The file that the element which begins in `line` gives; `after` stands behind that line. `false` in `ends` says that
/// the end of one was not found: then none is looked for any more, so that the work stays linear.
pub(super) fn file(line: &Line<'_>, after: &Cursor<'_>, ends: &mut bool) -> Option<Candidate> {
    if !*ends {
        return None;
    }
    let text = line.text.trim_ascii();
    if !matches!(text.as_bytes().get(1), Some(b'f' | b'd' | b'c')) {
        return None;
    }
    let (start, end_tag) = TAGS.into_iter().find(|(start, _)| text.starts_with(start))?;
    let value = text[start.len()..].strip_suffix('>')?;
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let path = value[1..].strip_suffix(quote)?;
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
