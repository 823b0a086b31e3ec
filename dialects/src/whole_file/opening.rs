//! The beginning of a listing: the line that names its file, and its fence.
//!
//! Looks at two lines after the first one, and at the one before it where that is an item of a list.

use clada_schema::RawField;

use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::file_name::{FileName, agree, extension_of, first_comment, in_info, language};

/// The lines before the content of a listing.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    /// The file that it names.
    pub(crate) path: RawField<'a>,
    /// Another file that the fence names.
    pub(crate) other: Option<String>,
    /// The line of the fence.
    pub(crate) line: Line<'a>,
    pub(crate) fence: Fence,
    /// The language that the fence names; empty if it names none.
    pub(crate) language: &'a str,
    /// Byte at which the content begins, and that line's number.
    pub(crate) content: (usize, u32),
}

impl<'a> Opening<'a> {
    /// Returns the opening at `first`, which `after` follows and which is in no fence.
    pub(crate) fn read(first: &Line<'a>, after: &Cursor<'a>) -> Option<Opening<'a>> {
        let mut ahead = after.clone();
        if let Some((fence, info)) = Fence::read(first.text) {
            let content = ahead.position();
            let language = language(info);
            let path = match in_info(first.text, info) {
                Some(name) => Some(name).filter(FileName::is_sure)?.field(first),
                None => {
                    let comment = ahead.next_line()?;
                    first_comment(comment.text, language)?.field(&comment)
                }
            };
            let content = (content, first.number + 1);
            return Some(Opening { path, other: None, line: *first, fence, language, content });
        }
        let name = FileName::read(first.text).filter(FileName::is_listing)?;
        let mut line = ahead.next_line()?;
        if line.text.trim().is_empty() {
            line = ahead.next_line()?;
        }
        let (fence, info) = Fence::read(line.text)?;
        if name.item && follows_item(first, after.text()) {
            return None;
        }
        let other = in_info(line.text, info).map(|other| other.path.into_owned());
        let other = other.filter(|other| !agree(other, &name.path));
        let content = (ahead.position(), line.number + 1);
        Some(Opening { path: name.field(first), other, line, fence, language: language(info), content })
    }
}

impl Opening<'_> {
    /// Returns true if the first line of `content`, a cursor before it, is a comment that only names the
    /// file.
    pub(super) fn is_named_in(&self, mut content: Cursor<'_>) -> bool {
        let path = &self.path.value;
        let language = Some(self.language).filter(|language| !language.is_empty());
        let language = language.or_else(|| extension_of(path)).unwrap_or_default();
        let name =
            content.next_line().and_then(|line| Some(first_comment(line.text, language)?.path.into_owned()));
        name.is_some_and(|name| agree(&name, path))
    }
}

/// Returns true if the line before `line` is an item of a list of files: the last of them is not the file
/// that is meant.
fn follows_item(line: &Line<'_>, text: &str) -> bool {
    let (before, _) = Breaks::Lf.last_line(&text[..line.start]);
    FileName::read(before).is_some_and(|name| name.item)
}
