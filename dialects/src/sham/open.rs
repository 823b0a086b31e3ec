//! A SHAM block while its lines are read.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::{RawAction, RawField, Span, Terms};

use super::assignment::{self, Assignment, KeyError, Value};
use super::marker::{self, ACTION, Generation, is_header};
use super::{heredoc, quotation};
use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::{Block, Code, Dialect, NamedAt, Policy, region, work};

#[derive(Debug)]
pub(super) struct OpenBlock<'a> {
    id: &'a str,
    generation: Generation,
    first: Line<'a>,
    last: Line<'a>,
    fields: Vec<RawField<'a>>,
    broken: bool,
    overfull: bool,
    /// True if its content is a heredoc.
    open_end: bool,
    /// Markers before this byte of the text are quotations.
    quoted_until: usize,
}

struct Opener<'a> {
    /// The key, if it is a good one; else the heredoc is read and dropped.
    key: Option<&'a str>,
    span: Span,
    delimiter: &'a str,
    trailing: Option<Range<usize>>,
}

enum End<'a> {
    Closed,
    /// At the header of another block, which is not part of it.
    Header(Line<'a>),
    /// At the end of the text, past its last line; the fault for it, if it is not reported yet.
    Text(Option<Line<'a>>),
}

impl<'a> OpenBlock<'a> {
    pub(super) fn new(first: Line<'a>, generation: Generation, id: &'a str) -> OpenBlock<'a> {
        OpenBlock {
            id,
            generation,
            first,
            last: first,
            fields: Vec::new(),
            broken: false,
            overfull: false,
            open_end: false,
            quoted_until: 0,
        }
    }

    pub(super) fn read(mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> Block<'a> {
        let end = self.lines(cursor, findings);
        let closed = match end {
            End::Closed => Some(self.last.number),
            End::Header(header) => {
                cursor.return_to(&header);
                let message = format!("Block '{}' not closed before new block", self.id);
                let last = self.last;
                self.error(findings, &last, last.place(), Code::UnclosedBlock, message);
                None
            }
            End::Text(Some(past)) => {
                let message = format!("Block '{}' not closed before EOF", self.id);
                self.error(findings, &past, past.place(), Code::UnclosedBlock, message);
                None
            }
            End::Text(None) => None,
        };
        self.finish(closed)
    }

    fn lines(&mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> End<'a> {
        while let Some(line) = cursor.next_line() {
            if line.start >= self.quoted_until {
                if let Some(id) = marker::end_id(line.text) {
                    self.end_marker(line, id, findings);
                    return End::Closed;
                }
                if is_header(line.text) {
                    return End::Header(line);
                }
                let mut after = cursor.clone();
                if region::pass_over(&line, &mut after, findings) {
                    self.quoted_until = after.position();
                }
            }
            self.last = line;
            if let Some(parts) = assignment::find(line.text) {
                if !self.assignment(&line, parts, cursor, findings) {
                    return End::Text(None);
                }
            } else if !line.text.trim().is_empty() {
                let message = format!(
                    "Invalid line format in block '{}': not a valid key-value assignment or empty line",
                    self.id
                );
                self.error(findings, &line, line.whole(), Code::MalformedAssignment, message);
            }
        }
        End::Text(Some(cursor.finish()))
    }

    fn end_marker(&mut self, line: Line<'a>, id: &str, findings: &mut Findings<'a>) {
        self.last = line;
        if id != self.id {
            let message = format!("End marker '{}' doesn't match block ID '{}'", findings.cut(id), self.id);
            self.error(findings, &line, line.whole(), Code::MismatchedEnd, message);
        }
    }

    /// Reads an assignment. Returns false if it opened a heredoc that has no end, so that the text is used
    /// up.
    fn assignment(
        &mut self,
        line: &Line<'a>,
        parts: Assignment<'a>,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> bool {
        let key = match parts.key {
            Ok(key) => Some(key),
            Err(fault) => {
                self.key_error(line, &fault, parts.key_range.end, findings);
                None
            }
        };
        let span = line.span(parts.value_range);
        match parts.value {
            Value::Text(text) => {
                if let Some(key) = key {
                    self.keep(line, key, text, span, findings);
                    self.trailing(line, parts.trailing, findings);
                }
                true
            }
            Value::Heredoc(delimiter, _) if marker::is_delimiter(delimiter, self.id) => {
                let trailing = parts.trailing.filter(|_| key.is_some());
                self.heredoc(line, Opener { key, span, delimiter, trailing }, cursor, findings)
            }
            Value::Other(Some(delimiter)) if marker::is_delimiter(delimiter, self.id) => {
                let message = format!("Heredoc delimiter without its quotes, read as <<'{delimiter}'");
                let fault = Fault::warning(Code::InvalidHeredocDelimiter, message, Some(self.id));
                findings.report(line, span, fault);
                self.heredoc(line, Opener { key, span, delimiter, trailing: None }, cursor, findings)
            }
            value => {
                if key.is_some() {
                    self.value_error(line, &value, span, findings);
                }
                // The writer meant the lines after a wrong opener as content, so no marker among them may
                // count.
                if let Value::Heredoc(delimiter, _) | Value::Other(Some(delimiter)) = value
                    && cursor.position() >= self.quoted_until
                    && let Some(end) = quotation::end(delimiter, self.id, cursor, findings)
                {
                    self.quoted_until = end;
                }
                true
            }
        }
    }

    fn heredoc(
        &mut self,
        line: &Line<'a>,
        opener: Opener<'a>,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> bool {
        let heredoc = heredoc::read(cursor.text(), cursor.position(), self.id);
        if let Some(heredoc) = heredoc {
            if let Some(key) = opener.key {
                self.open_end |= key == "content";
                self.keep(line, key, heredoc.content, opener.span, findings);
            }
            self.trailing(line, opener.trailing, findings);
            if let Some(end) = heredoc::lost_end(cursor, heredoc.end_line, self.id) {
                let message =
                    format!("Heredoc '{}' not closed before another block '{}'", opener.delimiter, self.id);
                self.error(findings, &end, end.whole(), Code::UnclosedHeredoc, message);
            }
            cursor.skip_to(heredoc.end_line);
            self.last = cursor.next_line().unwrap_or(self.last);
            return true;
        }
        self.trailing(line, opener.trailing, findings);
        let past = cursor.finish();
        let message = format!("Heredoc '{}' not closed before EOF", opener.delimiter);
        self.error(findings, &past, past.place(), Code::UnclosedHeredoc, message);
        self.last = past.end_of_previous(cursor.text());
        false
    }

    /// Keeps a value. Of two for one key it is the last that counts, and the first that has the place.
    fn keep(
        &mut self,
        line: &Line<'a>,
        key: &'a str,
        value: Cow<'a, str>,
        span: Span,
        findings: &mut Findings<'a>,
    ) {
        if self.overfull {
            return;
        }
        work::count(self.fields.len());
        if let Some(field) = self.fields.iter_mut().find(|field| field.name == key) {
            field.value = value;
            field.span = span;
            let message = format!("Duplicate key '{key}' in block '{}'", self.id);
            self.error(findings, line, line.span(0..key.len()), Code::DuplicateKey, message);
        } else if self.fields.len() >= findings.bounds.fields {
            self.overfull = true;
            let message = format!("More than {} keys in block '{}'", findings.bounds.fields, self.id);
            self.error(findings, line, line.span(0..key.len()), Code::TooManyFields, message);
        } else {
            self.fields.push(RawField { name: Cow::Borrowed(key), value, span });
        }
    }

    fn key_error(&mut self, line: &Line<'a>, fault: &KeyError, key_end: usize, findings: &mut Findings<'a>) {
        let (code, range, message) = match fault {
            KeyError::Operator(range) => {
                let operator = &line.text[range.clone()];
                let message = format!("Invalid assignment operator '{operator}' - only '=' is allowed");
                (Code::InvalidAssignmentOperator, range.clone(), message)
            }
            KeyError::Empty(at) => (Code::EmptyKey, *at..at + 1, "Assignment without key name".to_owned()),
            KeyError::Character(character, position) => {
                let message = format!("Key contains invalid character '{character}' at position {position}");
                (Code::InvalidKey, 0..key_end, message)
            }
            KeyError::TooLong => (Code::InvalidKey, 0..key_end, "Key exceeds 256 character limit".to_owned()),
        };
        self.error(findings, line, line.span(range), code, message);
    }

    fn value_error(&mut self, line: &Line<'a>, value: &Value<'_>, span: Span, findings: &mut Findings<'a>) {
        let (code, span, message) = match value {
            Value::Heredoc(_, range) => {
                let delimiter = format!("{}{}", self.generation.delimiter_prefix(), self.id);
                let message = format!("Heredoc delimiter must be '{delimiter}'");
                (Code::InvalidHeredocDelimiter, line.span(range.clone()), message)
            }
            Value::UnclosedQuote(from) => {
                (Code::UnclosedQuote, line.span(*from..line.text.len()), "Unclosed quoted string".to_owned())
            }
            Value::BadEscape(range) => {
                let escape = &line.text[range.clone()];
                let message =
                    format!("Invalid escape '{escape}' in quoted string: use JSON escapes or a heredoc");
                (Code::InvalidValue, line.span(range.clone()), message)
            }
            Value::Missing => {
                let end = line.text.len();
                let span = Span { length: 1, ..line.span(end..end) };
                (Code::InvalidValue, span, "Value must be a quoted string or heredoc".to_owned())
            }
            Value::Text(_) | Value::Other(_) => {
                (Code::InvalidValue, span, "Value must be a quoted string or heredoc".to_owned())
            }
        };
        self.error(findings, line, span, code, message);
    }

    fn trailing(&mut self, line: &Line<'a>, trailing: Option<Range<usize>>, findings: &mut Findings<'a>) {
        if let Some(range) = trailing {
            let message = "Unexpected content after quoted value";
            self.error(findings, line, line.span(range), Code::TrailingContent, message);
        }
    }

    fn error(
        &mut self,
        findings: &mut Findings<'a>,
        line: &Line<'_>,
        span: Span,
        code: Code,
        message: impl Into<String>,
    ) {
        self.broken = true;
        findings.report(line, span, Fault::error(code, message, Some(self.id)));
    }

    fn finish(self, end_line: Option<u32>) -> Block<'a> {
        let terms = Terms { open_end: self.open_end, ..Terms::default() };
        let mut action = RawAction { fields: self.fields, terms, ..RawAction::default() };
        let index = action.fields.iter().position(|field| field.name == ACTION);
        let named_at = index.map(|index| {
            let field = action.fields.remove(index);
            action.name = Some(field.value);
            NamedAt { index, span: field.span }
        });
        Block {
            dialect: Dialect::Sham,
            id: Some(self.id),
            start_line: self.first.number,
            end_line,
            source: self.first.start..self.last.end(),
            policy: Policy::Each,
            actions: vec![action],
            members: Vec::new(),
            named_at,
            sound: !self.broken,
        }
    }
}
