//! Tags, comments and blanks: the smallest pieces of XML, at given bytes of the text.
//!
//! Knows which elements and attributes CML has, and nothing of the text between tags. A start tag with a
//! fault in it is read up to where it seems to end, so that the element that it opens can be passed over as a
//! whole.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr3, memmem};

use super::entity;
use crate::work;

pub(super) const CDATA: &str = "<![CDATA[";
pub(super) const CDATA_END: &str = "]]>";
pub(super) const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";

/// The elements of CML that may be outside of others, with their attributes.
const ELEMENTS: [(&str, &[&str]); 6] = [
    ("tasks", &["version"]),
    ("write", &["path", "append"]),
    ("edit", &["path", "count"]),
    ("run", &["dir"]),
    ("move", &["from", "to"]),
    ("remove", &["path"]),
];

pub(super) const PARTS: [&str; 4] = ["search", "search-start", "search-end", "replace"];

/// The attributes of the element `name`; `None` if CML has no such element.
pub(super) fn attributes_of(name: &str) -> Option<&'static [&'static str]> {
    ELEMENTS.iter().find(|(element, _)| *element == name).map(|(_, attributes)| *attributes)
}

const MADE_UP_OPERATIONS: [&str; 12] = [
    "delete", "create", "rename", "copy", "append", "insert", "replace", "update", "patch", "mkdir", "touch",
    "modify",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: Cow<'a, str>,
    /// The bytes of the value, without its quotes.
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TagFault {
    pub(super) message: String,
    pub(super) at: Range<usize>,
    pub(super) within: Within,
}

/// The part of a tag in which a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// An attribute that CML has.
    Known,
    Foreign,
    Tag,
}

/// A start tag, or one of an element without content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) empty: bool,
    pub(super) at: Range<usize>,
    pub(super) fault: Option<TagFault>,
}

impl<'a> Tag<'a> {
    /// The start tag at byte `at` of `text`; `None` if there is none. Of its attributes at most `limit` are
    /// read.
    pub(super) fn read(text: &'a str, at: usize, limit: usize) -> Option<Tag<'a>> {
        let name = name_at(text, at.checked_add(1).filter(|_| text.as_bytes().get(at) == Some(&b'<'))?)?;
        let start = at;
        let mut tag = Tag { name, attributes: Vec::new(), empty: false, at: start..start, fault: None };
        let mut at = start + 1 + name.len();
        loop {
            let next = skip_blanks(text, at);
            match text.as_bytes().get(next) {
                Some(b'>') => return Some(tag.ended(next + 1)),
                Some(b'/') if text.as_bytes().get(next + 1) == Some(&b'>') => {
                    tag.empty = true;
                    return Some(tag.ended(next + 2));
                }
                Some(_) if tag.attributes.len() < limit => {}
                _ => {
                    let message = format!("'>' is missing at the end of <{name}");
                    return Some(tag.faulty(text, message, start..start + 1 + name.len(), Within::Tag));
                }
            }
            // An attribute needs a blank before it, so the reader must know whether there was one.
            match attribute(text, next, name, next > at) {
                Ok((attribute, end)) => {
                    if tag.attribute(attribute.name).is_some() {
                        let message = format!("Attribute '{}' is repeated", attribute.name);
                        tag.fault.get_or_insert(TagFault {
                            message,
                            at: attribute.at.clone(),
                            within: Within::Known,
                        });
                    }
                    tag.attributes.push(attribute);
                    at = end;
                }
                Err(TagFault { message, at, within }) => return Some(tag.faulty(text, message, at, within)),
            }
        }
    }

    fn ended(mut self, end: usize) -> Tag<'a> {
        self.at.end = end;
        work::count(self.at.len());
        self
    }

    /// The tag with a fault after which it cannot be read on: it is taken to end at the line's next `>`, or
    /// before its next `<`.
    fn faulty(mut self, text: &str, message: String, range: Range<usize>, within: Within) -> Tag<'a> {
        let from = range.end;
        let rest = &text.as_bytes()[from..];
        let end = memchr3(b'<', b'>', b'\n', rest).unwrap_or(rest.len());
        let closed = rest.get(end) == Some(&b'>');
        self.empty = closed && rest[..end].ends_with(b"/");
        self.fault = Some(TagFault { message, at: range, within });
        self.ended(from + end + usize::from(closed))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn has_attributes(&self) -> bool {
        !self.attributes.is_empty() || self.fault.as_ref().is_some_and(|fault| fault.within == Within::Known)
    }

    // Returns true if it asks for an operation on a file, and is not an element of CML.
    pub(super) fn is_made_up(&self) -> bool {
        MADE_UP_OPERATIONS.contains(&self.name) && self.names_a_file()
    }

    /// Returns true if one of its attributes is a file's path, as those of CML are called.
    pub(super) fn names_a_file(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute.name == "path" || attribute.name == "from")
    }

    pub(super) fn unknown_attribute(&self) -> Option<&Attribute<'a>> {
        let known = attributes_of(self.name).unwrap_or_default();
        self.attributes.iter().find(|attribute| !known.contains(&attribute.name))
    }

    /// Returns true if it can only be meant as an element of CML: all attributes are known, and a fault is
    /// about them.
    pub(super) fn is_known(&self) -> bool {
        let meant = match self.fault.as_ref().map(|fault| fault.within) {
            None | Some(Within::Known) => true,
            Some(Within::Tag) => !self.attributes.is_empty(),
            Some(Within::Foreign) => false,
        };
        meant && attributes_of(self.name).is_some() && self.unknown_attribute().is_none()
    }
}

/// Reads the attribute of `element` at byte `at`, which a blank separates from the text before if it `is_apart`; returns
/// it and its end.
fn attribute<'a>(
    text: &'a str,
    at: usize,
    element: &str,
    is_apart: bool,
) -> Result<(Attribute<'a>, usize), TagFault> {
    let Some(name) = name_at(text, at) else {
        let message = format!("'>' is missing at the end of <{element}");
        return Err(TagFault { message, at: at..at, within: Within::Tag });
    };
    let named = at..at + name.len();
    let known = attributes_of(element).is_some_and(|names| names.contains(&name));
    let fault = |message, known| {
        let within = if known { Within::Known } else { Within::Foreign };
        Err(TagFault { message, at: named.clone(), within })
    };
    if !is_apart {
        return fault(format!("A blank is missing before the attribute '{name}'"), known);
    }
    let equals = skip_blanks(text, named.end);
    if text.as_bytes().get(equals) != Some(&b'=') {
        return fault(format!("The attribute '{name}' has no value"), false);
    }
    let quote = skip_blanks(text, equals + 1);
    let rest = &text.as_bytes()[quote..];
    let mark = match rest.first() {
        Some(mark @ (b'"' | b'\'')) => *mark,
        // A brace belongs to a program that writes its values so.
        other => {
            let message = format!("The value of '{name}' must be in quotes");
            return fault(message, known && other != Some(&b'{'));
        }
    };
    let end = memchr3(mark, b'\n', b'<', &rest[1..]).filter(|end| rest[1 + end] == mark);
    let Some(value) = end.map(|end| &text[quote + 1..quote + 1 + end]) else {
        return fault(format!("The value of '{name}' has no closing quote"), known);
    };
    work::count(value.len());
    let range = quote + 1..quote + 1 + value.len();
    let end = range.end + 1;
    Ok((Attribute { name, value: entity::decode(value).text, at: range }, end))
}

pub(super) fn name_at(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at..];
    let bytes = rest.as_bytes();
    bytes.first().filter(|first| first.is_ascii_alphabetic() || **first == b'_')?;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    Some(&rest[..bytes.iter().take_while(|byte| part(byte)).count()])
}

pub(super) fn end_tag(text: &str, at: usize, name: &str) -> Option<usize> {
    let rest = text[at..].strip_prefix("</")?.strip_prefix(name)?;
    let end = skip_blanks(rest, 0);
    rest[end..].starts_with('>').then(|| text.len() - rest.len() + end + 1)
}

pub(super) fn is_named(text: &str, at: usize, name: &str) -> bool {
    name_at(text, at) == Some(name)
}

pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    at + text.as_bytes()[at..].iter().take_while(|byte| blank(byte)).count()
}

/// The place after blanks and comments, or where a comment begins that does not end.
pub(super) fn skip_comments(text: &str, at: usize) -> Result<usize, usize> {
    let mut at = skip_blanks(text, at);
    while text[at..].starts_with(COMMENT) {
        let body = at + COMMENT.len();
        let end = memmem::find(&text.as_bytes()[body..], COMMENT_END.as_bytes());
        work::count(end.unwrap_or(text.len() - body));
        let end = end.ok_or(at)?;
        at = skip_blanks(text, body + end + COMMENT_END.len());
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Tag<'_> {
        Tag::read(text, 0, 8).unwrap()
    }

    #[test]
    fn attributes_stand_in_quotes_of_either_kind() {
        let tag = read("<write\n path = \"a&amp;b's\" append='\"R&D\"' />x");
        let values: Vec<_> = tag.attributes.iter().map(|found| (found.name, found.value.as_ref())).collect();
        assert_eq!(values, [("path", "a&b's"), ("append", "\"R&D\"")]);
        assert_eq!((tag.at, tag.empty, tag.fault), (0..44, true, None));
    }

    #[test]
    fn faults_are_reported_and_the_tag_ends_with_its_line() {
        for (text, message, end, known) in [
            ("<write path=a>x", "The value of 'path' must be in quotes", 14, true),
            ("<write path={a}>x", "The value of 'path' must be in quotes", 16, false),
            ("<write path=\"a>\nx\"", "The value of 'path' has no closing quote", 15, true),
            ("<write path='a' path='b'/>", "Attribute 'path' is repeated", 26, true),
            ("<write path/>", "The attribute 'path' has no value", 13, false),
            ("<write path='a'append='true'>", "A blank is missing before the attribute 'append'", 29, true),
            ("<write to the disk", "The attribute 'to' has no value", 18, false),
            ("<write", "'>' is missing at the end of <write", 6, false),
            ("<write path='a'\n<b>", "'>' is missing at the end of <write", 16, true),
        ] {
            let tag = read(text);
            let fault = tag.fault.clone().unwrap();
            assert_eq!((fault.message.as_str(), tag.at.end, tag.is_known()), (message, end, known), "{text}");
        }
    }

    #[test]
    fn a_name_is_whole() {
        assert_eq!(read("<run-script>").name, "run-script");
        for text in ["", "<", "< run>", "</run>", "<1>", "run>"] {
            assert_eq!(Tag::read(text, 0, 8), None, "{text}");
        }
        assert_eq!(end_tag("x</run \n>y", 1, "run"), Some(9));
        assert_eq!(end_tag("</runs>", 0, "run"), None);
    }
}
