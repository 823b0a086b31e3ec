//! The arguments of a call, taken by the names that tools give them; arguments left over make a call
//! unreadable.
//!
//! Knows spellings and types, and not which tool needs which.

use std::borrow::Cow;

use clada_schema::{RawField, Span};

use crate::json::{Json, Kind};

/// Spellings of one argument.
pub(super) type Names = &'static [&'static str];

pub(super) const PATH: Names =
    &["path", "file_path", "filePath", "filepath", "target_file", "absolute_path", "filename", "file"];
pub(super) const CONTENT: Names = &["content", "file_text", "contents", "text", "file_content"];
pub(super) const OLD: Names =
    &["old_string", "old_str", "oldString", "oldStr", "old_text", "oldText", "search", "old"];
pub(super) const NEW: Names =
    &["new_string", "new_str", "newString", "newStr", "new_text", "newText", "replace", "new"];
pub(super) const ALL: Names = &["replace_all", "replaceAll"];
pub(super) const COUNT: Names = &["expected_replacements", "count"];
pub(super) const FROM: Names = &["old_path", "source", "from", "source_path", "src", "oldPath", "path"];
pub(super) const TO: Names =
    &["new_path", "destination", "to", "destination_path", "target_path", "dst", "newPath"];
/// Arguments that are for the reader.
pub(super) const REMARKS: Names =
    &["explanation", "instruction", "instructions", "description", "line_count"];

pub(super) type Placed<'a> = (Cow<'a, str>, Span);

#[derive(Debug)]
pub(super) struct Arguments<'a> {
    remaining: Vec<(Cow<'a, str>, Json<'a>)>,
    problem: Option<String>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(mut all: Vec<(Cow<'a, str>, Json<'a>)>) -> Arguments<'a> {
        // An argument that is null is as good as not given.
        all.retain(|(name, value)| value.kind != Kind::Null && !REMARKS.contains(&name.as_ref()));
        Arguments { remaining: all, problem: None }
    }

    pub(super) fn path(&self) -> Option<&str> {
        let named = |(name, _): &&(Cow<'a, str>, Json<'a>)| PATH.contains(&name.as_ref());
        self.remaining.iter().find(named).and_then(|(_, value)| value.text())
    }

    pub(super) fn has(&self, names: Names) -> bool {
        self.remaining.iter().any(|(name, _)| names.contains(&name.as_ref()))
    }

    /// The value of `names`; of two there is neither.
    pub(super) fn take(&mut self, names: Names) -> Option<Json<'a>> {
        let index = self.remaining.iter().position(|(name, _)| names.contains(&name.as_ref()))?;
        let (name, value) = self.remaining.remove(index);
        if self.has(names) {
            self.wrong(format!("it gives `{name}` twice"));
        }
        Some(value)
    }

    pub(super) fn text(&mut self, names: Names) -> Placed<'a> {
        match self.take(names) {
            Some(Json { kind: Kind::Text(text), span, .. }) => (text, span),
            other => {
                let what = if other.is_some() { "is no text" } else { "is missing" };
                self.wrong(format!("`{}` {what}", names[0]));
                (Cow::Borrowed(""), Span::default())
            }
        }
    }

    /// The text of `names` without blanks around it.
    pub(super) fn word(&mut self, names: Names) -> Placed<'a> {
        let (text, span) = self.text(names);
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        if text.is_empty() {
            self.wrong(format!("`{}` is empty", names[0]));
        }
        (text, span)
    }

    pub(super) fn number(&mut self, names: Names) -> Option<i64> {
        let number = match self.take(names)?.kind {
            Kind::Number(text) | Kind::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.wrong(format!("`{}` is not a whole number", names[0]));
        }
        number
    }

    pub(super) fn flag(&mut self, names: Names) -> bool {
        let Some(value) = self.take(names) else { return false };
        let flag = match &value.kind {
            Kind::Flag(flag) => Some(*flag),
            Kind::Text(text) => text.trim().to_ascii_lowercase().parse().ok(),
            _ => None,
        };
        if flag.is_none() {
            self.wrong(format!("`{}` is neither true nor false", names[0]));
        }
        flag.unwrap_or_default()
    }

    /// Takes the items of `names`, which may be JSON in a text.
    pub(super) fn list(&mut self, names: Names) -> Option<Vec<Json<'a>>> {
        let value = self.take(names)?;
        let value = match value.kind {
            Kind::Text(text) => Json::of_text(&text, value.span).map(Json::owned),
            kind => Some(Json { kind, ..value }),
        };
        match value.map(|value| value.kind) {
            Some(Kind::List(items)) => Some(items),
            _ => {
                self.wrong(format!("`{}` is not a list", names[0]));
                None
            }
        }
    }

    pub(super) fn wrong(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    pub(super) fn finish(self) -> Result<(), String> {
        match (self.problem, self.remaining.first()) {
            (Some(problem), _) => Err(problem),
            (None, Some((name, _))) => Err(format!("`{}` is not an argument that clada knows", shown(name))),
            (None, None) => Ok(()),
        }
    }
}

pub(super) fn shown(name: &str) -> String {
    const LONGEST: usize = 40;
    let plain = |c: &char| c.is_ascii_alphanumeric() || "_-.:/".contains(*c);
    name.chars().filter(plain).take(LONGEST).collect()
}

pub(super) fn field<'a>(name: &'static str, (value, span): Placed<'a>) -> RawField<'a> {
    RawField { name: name.into(), value, span }
}
