//! The surroundings of a line outside of blocks: a code fence, or an element of some document that is no
//! block.
//!
//! Fed with the lines that no dialect claims. Knows fences and the names of elements, nothing of any dialect.
//! A document is an element whose start tag begins a line and whose end tag comes later; a start tag alone
//! (`<br>`, the `<T>` of a sentence) is none.

use memchr::{memchr_iter, memmem};

use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::work;

/// Names of elements whose ends are searched. Each costs at most one pass over the text.
const NAMES: usize = 16;
/// Elements that models put around an answer, and that Markdown has for folding it away.
const ANSWER_WRAPPERS: [&str; 5] = ["answer", "cml", "details", "response", "solution"];

/// The degree to which a line belongs to something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// A line in no element.
    Free,
    /// A line in an element that may have been put around an answer.
    Wrapped,
    /// A part of a document that is shown in a fence.
    Document,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenFence<'a> {
    fence: Fence,
    pub(crate) indent: &'a str,
    pub(crate) label: &'a str,
}

impl<'a> OpenFence<'a> {
    fn opened_by(line: &'a str, fence: Fence, info: &'a str) -> OpenFence<'a> {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        OpenFence { fence, indent, label: info.split_ascii_whitespace().next().unwrap_or_default() }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Surroundings<'a> {
    fence: Option<OpenFence<'a>>,
    root: Option<Root>,
    /// Names that were searched, with the place of the next end tag; without one there is none up to the end.
    ends: Vec<(&'a str, Option<usize>)>,
}

#[derive(Debug, Clone, Copy)]
struct Root {
    end: usize,
    /// True if it was opened within the open fence.
    fenced: bool,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn fence(&self) -> Option<&OpenFence<'a>> {
        self.fence.as_ref()
    }

    pub(crate) fn setting(&self, at: usize) -> Setting {
        match self.root.filter(|root| at < root.end) {
            None => Setting::Free,
            Some(Root { fenced: false, .. }) => Setting::Wrapped,
            Some(Root { fenced: true, .. }) => Setting::Document,
        }
    }

    pub(crate) fn start_again(&mut self) {
        (self.fence, self.root) = (None, None);
    }

    /// Records that a block was claimed, which may have ended with the fence around it.
    pub(crate) fn claimed(&mut self, after: &Cursor<'a>) {
        let (last, _) = Breaks::Lf.last_line(&after.text()[..after.position()]);
        if self.fence.is_some_and(|open| open.fence.closes_at(last)) {
            self.leave_fence();
        }
    }

    fn leave_fence(&mut self) {
        self.fence = None;
        self.root = self.root.filter(|root| !root.fenced);
    }

    /// Reads `line` of `text`, which no dialect has claimed, and which is `fence`, if it is one, with the
    /// text after it.
    pub(crate) fn line(&mut self, line: &Line<'a>, fence: Option<(Fence, &'a str)>, text: &'a str) {
        if let Some((fence, info)) = fence {
            match &self.fence {
                Some(open) if info.is_empty() && fence.closes(open.fence) => self.leave_fence(),
                Some(_) => {}
                None => self.fence = Some(OpenFence::opened_by(line.text, fence, info)),
            }
            return;
        }
        self.root = self.root.filter(|root| line.start < root.end);
        if self.root.is_none()
            && let Some(name) = element_opened_by(line.text)
            && let Some(end) = self.end_of(name, line.end(), text)
        {
            self.root = Some(Root { end, fenced: self.fence.is_some() });
        }
    }

    fn end_of(&mut self, name: &'a str, from: usize, text: &str) -> Option<usize> {
        let known = self.ends.iter().position(|(other, _)| *other == name);
        if let Some(index) = known
            && self.ends[index].1.is_none_or(|end| end >= from)
        {
            return self.ends[index].1;
        }
        if known.is_none() && self.ends.len() >= NAMES {
            return None;
        }
        let end = find_end(name, from, text);
        match known {
            Some(index) => self.ends[index].1 = end,
            None => self.ends.push((name, end)),
        }
        end
    }
}

fn find_end(name: &str, from: usize, text: &str) -> Option<usize> {
    let tag = format!("</{name}");
    let ends = |at: usize| matches!(text.as_bytes().get(at + tag.len()), Some(b'>' | b' ' | b'\t'));
    let close = memmem::find_iter(&text.as_bytes()[from..], &tag).map(|at| from + at).find(|at| ends(*at));
    work::count(close.unwrap_or(text.len()) - from);
    close
}

fn element_opened_by(line: &str) -> Option<&str> {
    let tag = line.trim_ascii_start().strip_prefix('<')?;
    if !tag.as_bytes().first()?.is_ascii_alphabetic() {
        return None;
    }
    let tag = tag.trim_ascii_end();
    let ends = |byte: u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'));
    let name = &tag[..tag.bytes().position(ends).unwrap_or(tag.len())];
    if ANSWER_WRAPPERS.contains(&name) || tag.ends_with("/>") {
        return None;
    }
    let end = |at: usize| tag[at + 1..].strip_prefix('/').is_some_and(|rest| rest.starts_with(name));
    let closed = memchr_iter(b'<', tag.as_bytes()).any(end);
    (!closed).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    /// The setting of each line of `text`.
    fn settings(text: &str) -> String {
        let mut around = Surroundings::default();
        let mut cursor = Cursor::new(text);
        let mut settings = String::new();
        while let Some(line) = cursor.next_line() {
            settings.push(match around.setting(line.start) {
                Setting::Free => '.',
                Setting::Wrapped => 'w',
                Setting::Document => 'd',
            });
            around.line(&line, Fence::read(line.text), text);
        }
        settings
    }

    #[test]
    fn documents_last_from_start_tag_to_end_tag() {
        assert_eq!(settings("<a>\nx\n</a>\nx\n"), ".w..");
        assert_eq!(settings("```xml\n<a b='c'>\nx\n</a>\nx\n```\nx\n"), "..d....");
        assert_eq!(settings("<div>\n```\nx\n```\nx\n</div>\nx\n"), ".wwww..");
    }

    #[test]
    fn a_fence_ends_the_document_in_it() {
        assert_eq!(settings("```\n<a>\nx\n```\nx\n</a>\n"), "..dd..");
    }

    #[test]
    fn what_is_never_closed_or_only_around_an_answer_is_no_document() {
        assert_eq!(
            settings("<br>\nx\n<T> is\nx\n<answer>\nx\n</answer>\n<a>x</a>\nx\n<a/>\nx"),
            "..........."
        );
    }
}
