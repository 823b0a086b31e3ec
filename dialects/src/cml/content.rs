//! The text between the tags of an element, and its end.
//!
//! Knows how CML writes text; `task` knows the purpose of the text. With CDATA the text is the content of the
//! sections, joined, and the blanks and comments around them are not part of it. Without it, the text is
//! everything between the tags: with its entities undone, or verbatim if it is not well-formed XML.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::broken::{Broken, Resume};
use super::tag::{
    CDATA, CDATA_END, COMMENT, PARTS, attributes_of, end_tag, is_named, name_at, skip_blanks, skip_comments,
};
use super::{entity, layout};
use crate::work;

const ESCAPED_END: &str = "]]&gt;";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Form {
    #[default]
    Plain,
    Cdata,
    /// Between tags, with `<` or `&` in it that are not escaped.
    Raw,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ElementText<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) at: usize,
    pub(super) form: Form,
    /// True if it holds the opening of CDATA: text that was to be quoted, or the rest of a section that ended
    /// too early.
    pub(super) quotes: bool,
}

/// Reads the text of the element `name`, whose start tag ends at byte `start`, and the end of its end tag.
/// Lines in an indented fence begin with `indent`, which is not part of them.
pub(super) fn read<'a>(
    text: &'a str,
    name: &str,
    start: usize,
    indent: &str,
) -> Result<(ElementText<'a>, usize), Broken> {
    let mut at = start;
    let mut content: Option<ElementText<'a>> = None;
    loop {
        at = skip_comments(before_end(text, name, at), at).map_err(|comment| Broken {
            resume: Resume::EndTag(comment),
            ..Broken::unclosed_comment(comment)
        })?;
        if let Some(section) = text[at..].strip_prefix(CDATA) {
            let Some(length) = memmem::find(section.as_bytes(), CDATA_END.as_bytes()) else {
                let message = format!("CDATA in <{name}> is not closed by ]]>");
                return Err(Broken { message, at: at..at + CDATA.len(), resume: Resume::Never });
            };
            let begin = at + CDATA.len();
            add(&mut content, section_text(&section[..length], indent), begin);
            at = begin + length + CDATA_END.len();
        } else if let Some(end) = end_tag(text, at, name) {
            match content {
                // No CDATA came before the end tag, so the text is read again from its start, as plain text.
                Some(content) => return Ok((content, end)),
                None => break,
            }
        } else if content.is_some() {
            return Err(after_cdata(text, name, at));
        } else {
            break;
        }
    }
    without_cdata(text, name, start, indent)
}

/// Returns `text` up to the end tag of `name` after byte `at`, if a comment begins there: it has to end
/// before that.
fn before_end<'a>(text: &'a str, name: &str, at: usize) -> &'a str {
    if !text[skip_blanks(text, at)..].starts_with(COMMENT) {
        return text;
    }
    let length = memmem::find(&text.as_bytes()[at..], format!("</{name}").as_bytes());
    work::count(length.unwrap_or(text.len() - at));
    length.map_or(text, |length| &text[..at + length])
}

fn add<'a>(content: &mut Option<ElementText<'a>>, text: Cow<'a, str>, at: usize) {
    let quotes = memmem::find(text.as_bytes(), CDATA.as_bytes()).is_some();
    match content {
        None => *content = Some(ElementText { text, at, form: Form::Cdata, quotes }),
        Some(content) => {
            content.text.to_mut().push_str(&text);
            content.quotes |= quotes;
        }
    }
}

fn section_text<'a>(section: &'a str, indent: &str) -> Cow<'a, str> {
    work::count(section.len() * 2);
    let text = layout::lines(section, indent);
    if memmem::find(text.as_bytes(), ESCAPED_END.as_bytes()).is_none() {
        return text;
    }
    Cow::Owned(text.replace(ESCAPED_END, CDATA_END))
}

/// The fault of a text whose CDATA was closed while neither more of it nor the end tag of `name` follows at
/// byte `at`.
fn after_cdata(text: &str, name: &str, at: usize) -> Broken {
    let missing = |resume| {
        let message = format!("<{name}> is not closed: </{name}> is missing here");
        let place = text[..at].trim_ascii_end().len();
        Broken { message, at: place..place, resume }
    };
    let tag = text[at..].strip_prefix('<').map(|tag| tag.strip_prefix('/').unwrap_or(tag));
    let next = tag.and_then(|tag| name_at(tag, 0));
    match next {
        None if at == text.len() => return missing(Resume::Never),
        Some(next) if PARTS.contains(&next) || text[at + 1..].starts_with('/') => {
            return missing(Resume::AfterSurplus(at));
        }
        Some(next) if attributes_of(next).is_some() => return missing(Resume::Before(at)),
        _ => {}
    }
    let message = format!(
        "CDATA of <{name}> ends before this text; within CDATA, ]]> must be written as ]]&gt;, and nothing but \
         CDATA and comments may be around it"
    );
    Broken { message, at: at..at, resume: Resume::AfterSurplus(at) }
}

fn without_cdata<'a>(
    text: &'a str,
    name: &str,
    start: usize,
    indent: &str,
) -> Result<(ElementText<'a>, usize), Broken> {
    let mut at = start;
    while let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) {
        work::count(offset + 1);
        at += offset;
        if let Some(end) = end_tag(text, at, name) {
            return Ok((between(name, &text[start..at], start, indent), end));
        }
        if text[at..].starts_with(CDATA) {
            let message = format!("<{name}> holds both text and CDATA; all of its text must be in CDATA");
            return Err(Broken { message, at: at..at + CDATA.len(), resume: Resume::EndTag(at) });
        }
        if is_misplaced(text, name, at) {
            let message =
                format!("<{name}> is not closed before this tag; text that holds tags must be in CDATA");
            return Err(Broken { message, at: at..at + 1, resume: Resume::EndTag(at) });
        }
        at += 1;
    }
    let message = format!("<{name}> is not closed: there is no </{name}>");
    Err(Broken { message, at: start..start, resume: Resume::Never })
}

/// Returns true if the tag at byte `at` shows that the end of `name` is missing, or that its text is about
/// CML.
fn is_misplaced(text: &str, name: &str, at: usize) -> bool {
    let end = text[at + 1..].starts_with('/');
    let tag = at + 1 + usize::from(end);
    let part = PARTS.contains(&name);
    let of_an_edit = || is_named(text, tag, "edit") || PARTS.iter().any(|part| is_named(text, tag, part));
    is_named(text, tag, name) || (part && of_an_edit()) || (end && is_named(text, tag, "tasks"))
}

fn between<'a>(name: &str, written: &'a str, start: usize, indent: &str) -> ElementText<'a> {
    work::count(written.len() * 2);
    let (inner, skipped) = layout::inner(name, written);
    let decoded = entity::decode(inner);
    let raw = decoded.lone || memchr(b'<', inner.as_bytes()).is_some();
    let (text, form) = if raw { (Cow::Borrowed(inner), Form::Raw) } else { (decoded.text, Form::Plain) };
    let text = match text {
        Cow::Borrowed(text) => layout::lines(text, indent),
        Cow::Owned(text) => Cow::Owned(layout::lines(&text, indent).into_owned()),
    };
    ElementText { text, at: start + skipped, form, quotes: false }
}

pub(super) fn begins_with_cdata(text: &str, at: usize) -> bool {
    text[skip_blanks(text, at)..].starts_with(CDATA)
}
