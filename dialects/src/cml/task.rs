//! A task of CML: its faults, and its raw action.
//!
//! Knows the names of actions and parameters. Does not ask whether files and commands exist.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::{RawAction, RawField, Span, Terms};

use super::content::{ElementText, Form};
use super::issue::Issue;
use super::layout::without_first_end;
use super::place::Places;
use super::read::{Part, Task};
use super::tag::{PARTS, Tag, attributes_of};
use crate::Code;
use crate::command::continued;

const BOM: char = '\u{feff}';

impl<'a> Task<'a> {
    fn name_at(&self) -> Range<usize> {
        let start = self.tag.at.start + 1;
        start..start + self.tag.name.len()
    }

    fn is_of_cml(&self) -> bool {
        attributes_of(self.tag.name).is_some()
    }

    pub(super) fn is_valid(&self, issues: &[Issue]) -> bool {
        self.is_of_cml() && self.complete && !issues.iter().any(Issue::stops_task)
    }

    fn part(&self, name: &str) -> Option<&Part<'a>> {
        self.parts.iter().find(|part| part.tag.name == name)
    }

    // Returns all its faults. The reader reports a task that is not complete, or is not an element of CML.
    pub(super) fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        let name = self.tag.name;
        if !self.is_of_cml() || !self.complete {
            return issues;
        }
        if let Some(unknown) = self.tag.unknown_attribute() {
            issues.push(unknown_attribute(&self.tag, unknown.name, unknown.at.clone()));
        }
        match name {
            "write" => self.check_write(&mut issues),
            "run" => self.check_run(&mut issues),
            "edit" => self.check_edit(&mut issues),
            "move" => self.require(&["from", "to"], &mut issues),
            _ => self.require(&["path"], &mut issues),
        }
        if matches!(name, "move" | "remove") {
            let instead = if name == "move" { "mv OLD NEW" } else { "rm FILE" };
            let message = format!("<{name}> is deprecated; <run><![CDATA[{instead}]]></run> says the same");
            issues.push(Issue::warning(Code::DeprecatedElement, self.name_at(), message));
        }
        issues
    }

    fn require(&self, names: &[&str], issues: &mut Vec<Issue>) {
        if self.tag.fault.is_some() {
            // The missing attribute may be the part that could not be read.
            return;
        }
        for name in names {
            if self.tag.attribute(name).is_none_or(|attribute| attribute.value.is_empty()) {
                let message = format!("<{}> has to have the attribute '{name}'", self.tag.name);
                issues.push(Issue::error(Code::MissingAttribute, self.name_at(), message));
            }
        }
    }

    fn check_write(&self, issues: &mut Vec<Issue>) {
        self.require(&["path"], issues);
        if let Some(append) = self.tag.attribute("append")
            && !matches!(append.value.as_ref(), "true" | "false")
        {
            let message = format!("Invalid value for 'append': '{}'; it is true or false", append.value);
            issues.push(Issue::error(Code::InvalidAppend, append.at.clone(), message));
        }
        warn_of_raw(&self.tag, &self.content, issues);
    }

    fn check_run(&self, issues: &mut Vec<Issue>) {
        if self.content.text.trim_ascii().is_empty() {
            let message = "<run> holds no command; write it between <run><![CDATA[ and ]]></run>";
            issues.push(Issue::error(Code::EmptyCommand, self.name_at(), message));
        }
        // A command holds `&&` and `<` rightly: the code that runs it reports their effect.
    }

    fn check_edit(&self, issues: &mut Vec<Issue>) {
        self.require(&["path"], issues);
        if let Some(count) = self.tag.attribute("count")
            && !is_count(&count.value)
        {
            let message = format!("Invalid value for 'count': '{}'; it is a positive integer", count.value);
            issues.push(Issue::error(Code::InvalidCount, count.at.clone(), message));
        }
        for (index, part) in self.parts.iter().enumerate() {
            self.check_part(index, part, issues);
        }
        let has = |name| self.part(name).is_some();
        let (search, start, end) = (has("search"), has("search-start"), has("search-end"));
        if !matches!((search, start, end), (true, false, false) | (false, true, true)) {
            let message =
                "<edit> has to have either one <search>, or one <search-start> and one <search-end>";
            issues.push(Issue::error(Code::MissingSearch, self.name_at(), message));
        }
        if !has("replace") {
            let message = "<edit> has to have a <replace>";
            issues.push(Issue::error(Code::MissingReplace, self.name_at(), message));
        }
    }

    fn check_part(&self, index: usize, part: &Part<'a>, issues: &mut Vec<Issue>) {
        let name = part.tag.name;
        let at = part.tag.at.start + 1..part.tag.at.start + 1 + name.len();
        if !PARTS.contains(&name) {
            let message = format!(
                "Unknown element <{name}> in <edit>; there are search, search-start, search-end and replace"
            );
            issues.push(Issue::error(Code::UnknownElement, at, message));
            return;
        }
        if let Some(unknown) = part.tag.attributes.first() {
            issues.push(unknown_attribute(&part.tag, unknown.name, unknown.at.clone()));
        }
        if self.parts[..index].iter().take(PARTS.len()).any(|other| other.tag.name == name) {
            let message = format!("<{name}> is repeated in <edit>; write one <edit> for each change");
            issues.push(Issue::error(Code::MisplacedElement, at, message));
        } else if part.content.text.is_empty() && name == "replace" {
            let message = "An empty <replace> is not allowed; to delete a text, search for it with a line \
                           next to it, and replace both by that line";
            issues.push(Issue::error(Code::EmptyReplace, at, message));
        } else if part.content.text.is_empty() {
            let message = format!("An empty <{name}> is not allowed");
            issues.push(Issue::error(Code::EmptySearch, at, message));
        }
        warn_of_raw(&part.tag, &part.content, issues);
    }

    pub(super) fn into_raw(self, places: &mut Places<'a>) -> RawAction<'a> {
        let start = places.span(self.name_at());
        let mut fields = Fields::default();
        for attribute in self.tag.attributes {
            fields.add(attribute.name, attribute.value, places.span(attribute.at));
        }
        let mut texts = Fields::default();
        // A line end after each tag is layout; after one of them alone it may be text to search for.
        let laid_out = self.parts.iter().all(|part| {
            part.content.form == Form::Cdata
                && part.content.text.len() > 1
                && part.content.text.starts_with('\n')
        });
        for mut part in self.parts {
            if laid_out {
                part.content.text = without_first_end(part.content.text);
            }
            texts.add(part.tag.name, part.content.text, places.span(part.content.at..part.content.at));
        }
        let content = |name: &'static str, content: ElementText<'a>, places: &mut Places<'a>| {
            let span = places.span(content.at..content.at);
            RawField { name: name.into(), value: content.text, span }
        };
        let (name, taken): (&'a str, Vec<Option<RawField<'a>>>) = match self.tag.name {
            "write" => {
                let append = fields.take("append", "append").is_some_and(|append| append.value == "true");
                let cdata = self.content.form == Form::Cdata;
                let mut content = content("content", self.content, places);
                if cdata {
                    content.value = without_first_end(content.value);
                }
                content.value = without_bom(content.value);
                let name = if append { "file_append" } else { "file_write" };
                (name, vec![fields.take("path", "path"), Some(content)])
            }
            "edit" => {
                let once = || RawField { name: "count".into(), value: "1".into(), span: start };
                let count = fields.take("count", "count").unwrap_or_else(once);
                let path = fields.take("path", "path");
                let (name, mut taken) = match texts.take("search", "old_text") {
                    Some(search) => ("file_replace_all_text", vec![path, Some(search)]),
                    None => {
                        let beginning = texts.take("search-start", "old_text_beginning");
                        let end = texts.take("search-end", "old_text_end");
                        ("file_replace_text_range", vec![path, beginning, end])
                    }
                };
                taken.extend([texts.take("replace", "new_text"), Some(count)]);
                (name, taken)
            }
            "run" => {
                let mut command = content("command", self.content, places);
                command.value = continued(trimmed(command.value));
                let dir = fields.take("dir", "dir").filter(|dir| !dir.value.is_empty());
                ("run", vec![Some(command), dir])
            }
            "move" => ("file_move", vec![fields.take("from", "old_path"), fields.take("to", "new_path")]),
            "remove" => ("file_delete", vec![fields.take("path", "path")]),
            unknown => (unknown, Vec::new()),
        };
        let fields = taken.into_iter().flatten().collect();
        let terms = Terms { open_end: matches!(name, "file_write" | "file_append"), ..Terms::default() };
        RawAction { name: Some(name.into()), fields, terms, ..RawAction::default() }
    }
}

#[derive(Default)]
struct Fields<'a> {
    all: Vec<(&'a str, Cow<'a, str>, Span)>,
}

impl<'a> Fields<'a> {
    fn add(&mut self, name: &'a str, value: Cow<'a, str>, span: Span) {
        // Of several with one name `take` returns the first.
        self.all.push((name, value, span));
    }

    fn take(&mut self, name: &str, field: &'static str) -> Option<RawField<'a>> {
        let (_, value, span) = self.all.iter_mut().find(|(other, _, _)| *other == name)?;
        Some(RawField { name: field.into(), value: std::mem::take(value), span: *span })
    }
}

fn unknown_attribute(tag: &Tag<'_>, name: &str, at: Range<usize>) -> Issue {
    let known = attributes_of(tag.name).unwrap_or_default();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(" and ") };
    let message = format!("Unknown attribute '{name}' of <{}>; it may have {known}", tag.name);
    Issue::error(Code::UnknownAttribute, at, message)
}

fn warn_of_raw(tag: &Tag<'_>, content: &ElementText<'_>, issues: &mut Vec<Issue>) {
    if content.form == Form::Raw {
        let message =
            format!("The text of <{}> holds '<' or '&' and is not in CDATA: it was taken as it is", tag.name);
        issues.push(Issue::warning(Code::RawText, content.at..content.at, message));
    }
}

fn is_count(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte != b'0')
}

fn without_bom(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(BOM).unwrap_or(text)),
        Cow::Owned(text) => match text.strip_prefix(BOM) {
            Some(rest) => Cow::Owned(rest.to_owned()),
            None => Cow::Owned(text),
        },
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_ascii()),
        Cow::Owned(text) => Cow::Owned(text.trim_ascii().to_owned()),
    }
}
