//! The end of a block that is not well formed.
//!
//! Nothing of such a block is applied, nor anything that may be its text. So its end is
//! searched as a reader would: the content of CDATA does not count, and a surplus `]]>` before an end tag
//! shows that the CDATA before it was meant to reach as far.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::tag::{CDATA, CDATA_END, PARTS, Tag, end_tag, is_named, name_at, skip_blanks};
use crate::work;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) message: String,
    pub(super) at: Range<usize>,
    pub(super) resume: Resume,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    EndTag(usize),
    /// With its end tag after this byte, and after a `]]>` too many if there is one.
    AfterSurplus(usize),
    /// As for `AfterSurplus`; but for a task outside of `<tasks>`, at this byte if there is no `]]>` too
    /// many.
    Before(usize),
    Never,
}

impl Broken {
    pub(super) fn unclosed_comment(at: usize) -> Broken {
        let message = "The comment is not closed by -->".to_owned();
        Broken { message, at: at..at + 4, resume: Resume::Never }
    }
}

/// Returns the end of the block `name`, found by the rule `resume`; `None` means the end of the text.
pub(super) fn end_of(text: &str, name: &str, resume: Resume, surplus: &mut Surplus) -> Option<usize> {
    match resume {
        Resume::Never => None,
        Resume::EndTag(at) => matching_end(text, name, at),
        Resume::Before(at) | Resume::AfterSurplus(at) => match (surplus.after(text, at), resume) {
            (None, Resume::Before(at)) if name != "tasks" => Some(at),
            (surplus, _) => matching_end(text, name, surplus.unwrap_or(at)),
        },
    }
}

pub(super) fn matching_end(text: &str, name: &str, mut at: usize) -> Option<usize> {
    let mut depth = 1_usize;
    let from = at;
    let end = loop {
        let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) else { break None };
        at += offset;
        if let Some(section) = text[at..].strip_prefix(CDATA) {
            let Some(length) = memmem::find(section.as_bytes(), CDATA_END.as_bytes()) else { break None };
            at += CDATA.len() + length;
        } else if let Some(end) = end_tag(text, at, name) {
            depth -= 1;
            if depth == 0 {
                break Some(end);
            }
            at = end;
        } else if is_named(text, at + 1, name) {
            depth += usize::from(Tag::read(text, at, usize::MAX).is_some_and(|tag| !tag.empty));
            at += 1;
        } else {
            at += 1;
        }
    };
    work::count(end.unwrap_or(text.len()) - from);
    end
}

/// Returns true if the next tag of `name` after byte `at` is an end tag that begins a line: one that belongs
/// to nothing.
pub(super) fn has_stray_end(text: &str, name: &str, mut at: usize) -> bool {
    let from = at;
    while let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) {
        at += offset + 1;
        let end = text.as_bytes().get(at) == Some(&b'/');
        if is_named(text, at + usize::from(end), name) {
            work::count(at - from);
            let before = &text.as_bytes()[from..at - 1];
            let line = &before[memchr::memrchr(b'\n', before).map_or(before.len(), |line| line + 1)..];
            return end && before.contains(&b'\n') && line.trim_ascii().is_empty();
        }
    }
    work::count(text.len() - from);
    false
}

/// The next `]]>` outside of CDATA that an end tag of CML's texts follows. It reads a text once if the places
/// asked for ascend.
#[derive(Debug, Default)]
pub(super) struct Surplus {
    /// The start of the last search, and its result.
    known: Option<(usize, Option<usize>)>,
}

impl Surplus {
    /// The place after the first such `]]>` after byte `from`, which is in no CDATA.
    pub(super) fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        match self.known {
            Some((start, offset)) if start <= from && offset.is_none_or(|offset| offset > from) => offset,
            _ => {
                let offset = surplus(text, from);
                work::count(offset.unwrap_or(text.len()) - from);
                self.known = Some((from, offset));
                offset
            }
        }
    }
}

fn surplus(text: &str, mut at: usize) -> Option<usize> {
    while let Some(offset) = memchr2(b'<', b']', &text.as_bytes()[at..]) {
        at += offset;
        if let Some(section) = text[at..].strip_prefix(CDATA) {
            at += CDATA.len() + memmem::find(section.as_bytes(), CDATA_END.as_bytes())? + CDATA_END.len();
        } else if text[at..].starts_with(CDATA_END) {
            at += CDATA_END.len();
            let next = skip_blanks(text, at);
            let named = text[next..].strip_prefix("</").and_then(|_| name_at(text, next + 2));
            if named.is_some_and(|name| matches!(name, "write" | "run") || PARTS.contains(&name)) {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}
