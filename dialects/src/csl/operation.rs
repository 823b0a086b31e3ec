//! An operation of CSL as it was written, its faults, and its raw action.
//!
//! Knows the names of actions and parameters. Does not ask whether files and commands exist.

use std::borrow::Cow;

use clada_schema::{RawAction, RawField, Span, Terms};

use super::marker::{Attribute, Word};
use crate::command::continued;
use crate::cursor::Line;
use crate::{Code, work};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OperationText<'a> {
    /// Joined by LF, without a final LF.
    pub(super) text: Cow<'a, str>,
    /// The place where the first of them begins.
    pub(super) place: Span,
}

/// The kind of an operation, with its contents.
#[derive(Debug)]
pub(super) enum Body<'a> {
    Write(OperationText<'a>),
    Run(OperationText<'a>),
    Search { pattern: OperationText<'a>, to: Option<OperationText<'a>>, replacement: OperationText<'a> },
}

#[derive(Debug)]
pub(super) struct Operation<'a> {
    pub(super) first: Line<'a>,
    pub(super) last: Line<'a>,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) body: Body<'a>,
}

#[derive(Debug)]
pub(super) struct Invalid {
    pub(super) code: Code,
    pub(super) message: &'static str,
    pub(super) span: Span,
}

impl<'a> Operation<'a> {
    pub(super) fn name(&self) -> &'static str {
        let word = match self.body {
            Body::Write(_) => Word::Write,
            Body::Run(_) => Word::Run,
            Body::Search { .. } => Word::Search,
        };
        word.name()
    }

    fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        work::count(self.attributes.len());
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn faults(&self) -> Vec<Invalid> {
        let mut faults = Vec::new();
        let mut fault = |code, message, span| faults.push(Invalid { code, message, span });
        let whole = self.first.whole();
        let named =
            |name| self.attribute(name).map(|field| (&field.value, self.first.span(field.range.clone())));
        let names_file = named("file").is_some_and(|(value, _)| !value.is_empty());
        // RUN alone has no file: its folder is optional.
        if !matches!(self.body, Body::Run(_)) && !names_file {
            fault(Code::MissingAttribute, "Missing required attribute 'file'", whole);
        }
        match &self.body {
            Body::Write(_) => {
                if let Some((value, span)) = named("append")
                    && !matches!(value.as_ref(), "true" | "false")
                {
                    let message = "Invalid value for 'append': must be 'true' or 'false'";
                    fault(Code::InvalidAppend, message, span);
                }
            }
            Body::Run(command) => {
                if command.text.is_empty() {
                    fault(Code::EmptyCommand, "Empty content not allowed for RUN operation", whole);
                }
            }
            Body::Search { pattern, to, .. } => {
                if let Some((value, span)) = named("count")
                    && !is_count(value)
                {
                    let message = "Invalid value for 'count': must be positive integer or 'all'";
                    fault(Code::InvalidCount, message, span);
                }
                if pattern.text.is_empty() {
                    fault(Code::EmptySearch, "Empty search pattern not allowed", whole);
                }
                if to.as_ref().is_some_and(|to| to.text.is_empty()) {
                    fault(Code::EmptyTo, "Empty TO pattern not allowed", whole);
                }
            }
        }
        faults
    }

    /// Returns its action, with the fields that it has.
    ///
    /// A count of `all` means at least one match. `file_replace_all_text` expresses this by having no
    /// `count`; without one `file_replace_text_range` means exactly one, so there it is the word itself.
    pub(super) fn into_raw(self) -> RawAction<'a> {
        let whole = self.first.whole();
        let mut written = Written { first: self.first, attributes: self.attributes };
        let mut fields = Vec::with_capacity(5);
        let name = match self.body {
            Body::Write(content) => {
                let append = written.take("append", "append").is_some_and(|append| append.value == "true");
                fields.extend(written.take("file", "path"));
                fields.push(field("content", content));
                if append { "file_append" } else { "file_write" }
            }
            Body::Run(command) => {
                fields.push(field(
                    "command",
                    OperationText { text: continued(command.text), place: command.place },
                ));
                fields.extend(written.take("dir", "dir").filter(|dir| !dir.value.is_empty()));
                "run"
            }
            Body::Search { pattern, to, replacement } => {
                fields.extend(written.take("file", "path"));
                // CSL's default is one match, while the actions without a count replace any number.
                let once = || RawField { name: "count".into(), value: "1".into(), span: whole };
                let count = written.take("count", "count").unwrap_or_else(once);
                let (name, count) = match to {
                    None => {
                        fields.push(field("old_text", pattern));
                        ("file_replace_all_text", Some(count).filter(|count| count.value != "all"))
                    }
                    Some(to) => {
                        fields.push(field("old_text_beginning", pattern));
                        fields.push(field("old_text_end", to));
                        ("file_replace_text_range", Some(count))
                    }
                };
                fields.push(field("new_text", replacement));
                fields.extend(count);
                name
            }
        };
        let terms = Terms { open_end: matches!(name, "file_write" | "file_append"), ..Terms::default() };
        RawAction { name: Some(name.into()), fields, terms, ..RawAction::default() }
    }
}

struct Written<'a> {
    first: Line<'a>,
    attributes: Vec<Attribute<'a>>,
}

impl<'a> Written<'a> {
    fn take(&mut self, name: &str, field: &'static str) -> Option<RawField<'a>> {
        let attribute = self.attributes.iter_mut().find(|attribute| attribute.name == name)?;
        let span = self.first.span(attribute.range.clone());
        Some(RawField { name: field.into(), value: std::mem::take(&mut attribute.value), span })
    }
}

fn field<'a>(name: &'static str, content: OperationText<'a>) -> RawField<'a> {
    RawField { name: name.into(), value: content.text, span: content.place }
}

fn is_count(value: &str) -> bool {
    value == "all"
        || (value.bytes().all(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte != b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for good in ["1", "03", "99999999999999999999", "all"] {
            assert!(is_count(good), "{good}");
        }
        for bad in ["", "0", "00", "-1", "+1", "1.5", " 1", "ALL", "\u{661}"] {
            assert!(!is_count(bad), "{bad}");
        }
    }
}
