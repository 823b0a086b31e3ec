//! The line that names a file (spec: foreign-dialects, "Path rules").
//!
//! Only blanks and one pair of decorations go; whether there is such a file is not asked here.

use std::ops::Range;

use clada_schema::RawField;

use crate::cursor::Line;

const DECORATIONS: [&str; 4] = ["`", "\"", "'", "**"];

pub(super) fn path<'a>(line: &Line<'a>, range: Range<usize>) -> RawField<'a> {
    let trimmed = line.text[range.clone()].trim();
    let bare = DECORATIONS.into_iter().find_map(|mark| {
        trimmed.strip_prefix(mark)?.strip_suffix(mark).map(str::trim).filter(|path| !path.is_empty())
    });
    let value = bare.unwrap_or(trimmed);
    let start = range.start + line.text[range].find(value).unwrap_or_default();
    RawField { name: "path".into(), value: value.into(), span: line.span(start..start + value.len()) }
}
