//! The start tags that begin a call: `<invoke name="Write">`, `<write_to_file>`, `<function=Write>`,
//! `<edit_file path="src/a.py">`.
//!
//! Knows the names of elements and their attributes, and not what the call does.

use std::ops::Range;

use super::argument::{CONTENT, FROM, OLD, PATH, REMARKS, TO};
use crate::cursor::Line;
use crate::work;

const TOOL_ELEMENTS: [&str; 10] = [
    "write_to_file",
    "insert_content",
    "read_file",
    "write_file",
    "create_file",
    "search_replace",
    "delete_file",
    "move_file",
    "create_directory",
    "execute_command",
];
/// Elements that are calls if they begin with an argument: text has such names, too.
const WITH_ARGUMENTS: [&str; 5] =
    ["edit_file", "str_replace", "edit", "str_replace_editor", "str_replace_based_edit_tool"];
// Elements that hold a file, as those of chat apps do, unless they begin with an argument.
const WITH_TEXT: [&str; 3] = ["create_file", "write_file", "write_to_file"];
/// Prefixes that models put before the names of elements, and of their end tags.
const PREFIXES: [&str; 3] = ["", "antml:", "function:"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opening<'a> {
    pub(super) prefix: &'a str,
    pub(super) element: &'a str,
    pub(super) name: &'a str,
    /// The names of its attributes but `name`, and the bytes of their values.
    pub(super) attributes: Vec<(&'a str, Range<usize>)>,
    /// True if it has no end tag.
    pub(super) empty: bool,
    /// The byte at which its start tag ends.
    pub(super) inner: usize,
}

impl<'a> Opening<'a> {
    pub(super) fn at(text: &'a str, line: &Line<'a>, indent: usize) -> Option<Opening<'a>> {
        let tag = line.text[indent..].strip_prefix('<')?;
        let prefix = PREFIXES.into_iter().rev().find(|prefix| tag.starts_with(prefix))?;
        let rest = &tag[prefix.len()..];
        let close = rest.find('>')?;
        let inner = line.end() - (rest.len() - close - 1);
        let inside = &rest[..close];
        let (prefix, element) = (&tag[..prefix.len()], inside.split([' ', '\t', '/']).next()?);
        let opening = Opening { prefix, element, name: element, attributes: Vec::new(), empty: false, inner };
        if element == "invoke" {
            return Some(Opening { name: name_attribute(inside)?, ..opening });
        }
        if let Some(name) = inside.strip_prefix("function=") {
            return Some(Opening { element: "function", name: name.trim(), ..opening });
        }
        let known = TOOL_ELEMENTS.contains(&element);
        if !prefix.is_empty() || !known && !WITH_ARGUMENTS.contains(&element) {
            return None;
        }
        let behind = &inside[element.len()..];
        let (behind, empty) = behind.strip_suffix('/').map_or((behind, false), |behind| (behind, true));
        let attributes = attributes(behind, inner - 1 - usize::from(empty) - behind.len())?;
        let names_file = attributes.iter().any(|(name, _)| PATH.contains(name) || FROM.contains(name));
        let is_bare = attributes.is_empty() && !empty;
        let behind = line.text[inner - line.start..].trim_ascii();
        // A sentence may begin with a tag that has no end tag.
        if empty && !behind.is_empty() {
            return None;
        }
        // An element with a path and text is no call, whose text has an element of its own.
        let holds_text = WITH_TEXT.contains(&element) && names_file && !empty;
        if holds_text
            && !first_tag(&text[inner..])
                .is_some_and(|(name, _)| CONTENT.contains(&name) || REMARKS.contains(&name))
        {
            return None;
        }
        let begins = known || !is_bare && element != "edit" || has_argument(&text[inner..], element);
        (begins && (is_bare || names_file)).then_some(Opening { attributes, empty, ..opening })
    }

    /// Returns the path that it gives, as an attribute or as the first element in it; none if its name is
    /// enough to know it as a call.
    pub(super) fn path(&self, text: &'a str) -> Option<&'a str> {
        if self.attributes.is_empty() && !WITH_ARGUMENTS.contains(&self.element) {
            return None;
        }
        if let Some((_, value)) = self.attributes.iter().find(|(name, _)| PATH.contains(name)) {
            return text.get(value.clone());
        }
        let (name, rest) = first_tag(text.get(self.inner..)?)?;
        let (path, _) = rest.split_once("</").filter(|_| PATH.contains(&name))?;
        Some(path.trim())
    }
}

pub(super) fn name_attribute(tag: &str) -> Option<&str> {
    let rest = tag.split_once("name=")?.1;
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(name, _)| name)
}

/// The attributes in `tag`, which begins at byte `start` of the text; `None` if it is anything else. Only
/// paths and remarks are attributes: how a text would be escaped in one, nobody says.
fn attributes(tag: &str, start: usize) -> Option<Vec<(&str, Range<usize>)>> {
    let (mut attributes, mut rest) = (Vec::new(), tag);
    loop {
        let bare = rest.trim_ascii_start();
        if bare.is_empty() {
            return Some(attributes);
        }
        let (name, value) = bare.split_once('=').filter(|_| bare.len() < rest.len())?;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, behind) = value[1..].split_once(quote).filter(|(value, _)| !value.contains('&'))?;
        if ![PATH, FROM, TO, REMARKS].iter().any(|names| names.contains(&name)) {
            return None;
        }
        let at = start + (tag.len() - behind.len() - 1 - value.len());
        attributes.push((name, at..at + value.len()));
        rest = behind;
    }
}

/// Returns true if `text`, which follows the start tag of `element`, begins with an argument. `<edit>` with
/// `<search>` in it is CML's.
fn has_argument(text: &str, element: &str) -> bool {
    first_tag(text).is_some_and(|(name, _)| {
        PATH.contains(&name)
            || OLD.contains(&name) && (element, name) != ("edit", "search")
            || REMARKS.contains(&name)
            || name == "command"
    })
}

fn first_tag(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let line = text.strip_prefix('<')?.lines().next()?;
    work::count(line.len());
    line.split_once('>')
}
