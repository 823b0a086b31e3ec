//! One edit of replacer while its lines are read.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::{Deletes, RawAction, RawField, Span};

use super::marker::{self, Brackets, Marker, Word, edge, is_gap, names_file, names_path};
use crate::cursor::{Breaks, Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::surplus::surplus_end;
use crate::{Block, Code, Dialect, Policy, region};

const DECORATIONS: [&str; 4] = ["`", "\"", "'", "**"];

#[derive(Debug)]
pub(super) struct OpenEdit<'a> {
    first: Line<'a>,
    last: Line<'a>,
    path: Option<RawField<'a>>,
    broken: bool,
}

/// The result of reading a part: `Ok` at the marker that has to follow, `Err` where the edit ends.
type Part<'a, T> = Result<T, End<'a>>;

enum End<'a> {
    Closed,
    Before(Line<'a>),
    Text,
}

struct BodyText<'a> {
    text: Cow<'a, str>,
    place: Span,
}

impl<'a> OpenEdit<'a> {
    pub(super) fn new(first: Line<'a>) -> OpenEdit<'a> {
        OpenEdit { first, last: first, path: None, broken: false }
    }

    /// Reads all of it; `cursor` is after its first line and is left after its last one.
    pub(super) fn read(mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> Block<'a> {
        let mut action = RawAction::default();
        let end = match self.parts(&mut action, cursor, findings) {
            Ok(()) | Err(End::Closed) => Some(self.last.number),
            Err(End::Before(line)) => {
                cursor.return_to(&line);
                None
            }
            Err(End::Text) => None,
        };
        action.fields.splice(0..0, self.path);
        Block {
            dialect: Dialect::Replacer,
            id: None,
            start_line: self.first.number,
            end_line: end,
            source: self.first.start..self.last.end(),
            policy: Policy::Each,
            actions: vec![action],
            members: Vec::new(),
            named_at: None,
            sound: !self.broken && end.is_some(),
        }
    }

    fn parts(
        &mut self,
        action: &mut RawAction<'a>,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> Part<'a, ()> {
        let mut marker = marker::read(self.first.text);
        self.path_on_line(marker);
        if marker.is_some_and(|marker| marker.word == Word::Explanation) {
            marker = Some(self.explanation(cursor, findings)?);
        }
        let body = match marker {
            Some(marker) if marker.word == Word::Search && self.goes_on(findings) => marker,
            Some(marker) if marker.word.is_body() => {
                let message = format!("<<<{}>>> without a <<<FILE>>> directly before it", marker.word.name());
                let line = self.last;
                self.error(findings, &line, line.whole(), Code::MissingFile, message);
                marker
            }
            _ => self.header(cursor, findings)?,
        };
        if body.word == Word::Overwrite {
            action.name = Some("file_write".into());
            action.terms.open_end = true;
            let content = self.content(body.brackets, Word::End, cursor, findings)?;
            action.fields.push(field("content", content));
            return Ok(());
        }
        action.name = Some("file_replace_text".into());
        let search = self.last;
        let pattern = self.content(body.brackets, Word::Replace, cursor, findings)?;
        if pattern.text.trim().is_empty() {
            let message =
                "Nothing to search for: <<<SEARCH>>> must hold text that occurs exactly once in the file";
            self.broken = true;
            findings.report(&search, search.whole(), Fault::invalid(Code::EmptySearch, message));
        }
        action.fields.push(field("old_text", pattern));
        let mut replacement = self.content(body.brackets, Word::End, cursor, findings)?;
        // A blank replacement means deletion, which takes the line ends of whole lines along.
        if replacement.text.trim().is_empty() {
            replacement.text = Cow::Borrowed("");
            action.terms.deletes = Deletes::Lines;
        }
        action.fields.push(field("new_text", replacement));
        Ok(())
    }

    // Takes the path on the line of a FILE that was just read, which is not a `marker` then.
    fn path_on_line(&mut self, marker: Option<Marker>) {
        let range = marker::file_with_path(self.last.text).filter(|_| marker.is_none());
        self.path = range.map(|range| path(&self.last, range)).or(self.path.take());
    }

    /// Takes the path of the edit that ends directly before this one, if there is one.
    fn goes_on(&mut self, findings: &Findings<'a>) -> bool {
        let before = findings.backwards().next().filter(|before| before.dialect == Dialect::Replacer);
        let Some(before) = before.filter(|before| before.end_line.is_some()) else { return false };
        let is_next = findings.since(before.source.end, self.first.start).lines().all(is_gap);
        let path =
            before.actions.first().and_then(|action| action.fields.iter().find(|field| field.name == "path"));
        self.path = path.filter(|_| is_next).cloned();
        self.path.is_some()
    }

    /// Reads the text after EXPLANATION up to a FILE, or to a body that lacks one.
    fn explanation(&mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> Part<'a, Marker> {
        while let Some(line) = cursor.next_line() {
            self.last = line;
            if region::pass_over(&line, cursor, findings) {
                continue;
            }
            let Some(marker) = marker::read(line.text) else {
                if names_path(line.text, cursor) {
                    self.path_on_line(None);
                    return Ok(Marker { word: Word::File, brackets: Brackets::Three });
                }
                continue;
            };
            if names_file(marker, cursor) {
                return Ok(marker);
            }
            match marker {
                Marker { brackets: Brackets::Two, .. } | Marker { word: Word::Explanation, .. } => {}
                marker if marker.word.is_body() => return Ok(marker),
                marker => return Err(self.unexpected(&line, marker.word, "an explanation", findings)),
            }
        }
        let message = format!("No <<<FILE>>> after the explanation in line {}", self.first.number);
        Err(self.end_of_text(Code::MissingFile, message, cursor, findings))
    }

    fn header(&mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> Part<'a, Marker> {
        let file = self.last;
        while let Some(line) = cursor.next_line() {
            let marker = marker::read(line.text);
            if is_gap(line.text) {
                self.last = line;
                continue;
            }
            if self.path.is_none() && marker.is_none() {
                self.last = line;
                self.path = Some(path(&line, 0..line.text.len()));
                continue;
            }
            if self.path.is_none() {
                let message = "No path after <<<FILE>>>";
                self.error(findings, &line, line.place(), Code::MissingFile, message);
            }
            match marker {
                Some(marker) if marker.word.is_body() => {
                    self.last = line;
                    return Ok(marker);
                }
                Some(Marker { word: word @ (Word::Replace | Word::End), .. }) => {
                    return Err(self.unexpected(&line, word, "an edit without <<<SEARCH>>>", findings));
                }
                // Without a path, the missing path is reported already, and one fault is enough.
                _ if self.path.is_none() => return Err(End::Before(line)),
                _ => {
                    let message = format!(
                        "No <<<SEARCH>>> or <<<OVERWRITE>>> directly after the <<<FILE>>> in line {}",
                        file.number
                    );
                    self.error(findings, &line, line.place(), Code::UnclosedEdit, message);
                    return Err(End::Before(line));
                }
            }
        }
        let message = format!("The edit that begins in line {} has no end", self.first.number);
        Err(self.end_of_text(Code::UnclosedEdit, message, cursor, findings))
    }

    fn content(
        &mut self,
        brackets: Brackets,
        end: Word,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> Part<'a, BodyText<'a>> {
        let start = cursor.position();
        let place = Span { line: cursor.lines_passed().saturating_add(1), column: 1, length: 0 };
        while let Some(line) = cursor.next_line() {
            // Two brackets are a slip, so they count only in a body that itself begins with two.
            let counts = |marker: &Marker| marker.brackets == Brackets::Three || brackets == Brackets::Two;
            let Some(Marker { word, .. }) = marker::read(line.text).filter(counts) else {
                self.last = line;
                continue;
            };
            if matches!(word, Word::File | Word::Explanation) {
                return Err(self.other_edit(&line, word, cursor, findings));
            }
            self.last = line;
            if word == end {
                let text = Breaks::Lf.joined(&cursor.text()[start..line.start]);
                return Ok(BodyText { text, place });
            }
            if word == Word::End {
                let message = "<<<SEARCH>>> without <<<REPLACE>>>; to delete text, leave <<<REPLACE>>> empty";
                self.error(findings, &line, line.whole(), Code::MissingReplace, message);
                return Err(End::Closed);
            }
            self.unexpected(&line, word, "an edit that is not at its <<<END>>>", findings);
        }
        let message = format!("The edit that begins in line {} has no <<<END>>>", self.first.number);
        Err(self.end_of_text(Code::UnclosedEdit, message, cursor, findings))
    }

    /// Reports that another edit begins at `line`, and finds the end of this one.
    fn other_edit(
        &mut self,
        line: &Line<'a>,
        word: Word,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> End<'a> {
        let Some(last) = surplus_end(word == Word::File, cursor, findings, edge) else {
            let message = format!(
                "The edit that begins in line {} has no <<<END>>> before the next one",
                self.first.number
            );
            self.error(findings, line, line.place(), Code::UnclosedEdit, message);
            return End::Before(*line);
        };
        let message = format!(
            "<<<{}>>> in the edit that begins in line {}: nothing up to line {} is applied",
            word.name(),
            self.first.number,
            last.number
        );
        self.error(findings, line, line.whole(), Code::UnexpectedMarker, message);
        self.last = last;
        End::Closed
    }

    fn unexpected(
        &mut self,
        line: &Line<'a>,
        word: Word,
        place: &str,
        findings: &mut Findings<'a>,
    ) -> End<'a> {
        self.last = *line;
        let message = format!("<<<{}>>> in {place}", word.name());
        self.error(findings, line, line.whole(), Code::UnexpectedMarker, message);
        End::Closed
    }

    fn end_of_text(
        &mut self,
        code: Code,
        message: String,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> End<'a> {
        let past = cursor.finish();
        self.error(findings, &past, past.place(), code, message);
        self.last = past.end_of_previous(cursor.text());
        End::Text
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
        findings.report(line, span, Fault::error(code, message, None));
    }
}

fn field<'a>(name: &'static str, content: BodyText<'a>) -> RawField<'a> {
    RawField { name: name.into(), value: content.text, span: content.place }
}

// Only blanks and one pair of decorations go, and whether there is such a file is not asked here (spec: foreign-dialects, "Path
// rules").
fn path<'a>(line: &Line<'a>, range: Range<usize>) -> RawField<'a> {
    let trimmed = line.text[range.clone()].trim();
    let bare = DECORATIONS.into_iter().find_map(|mark| {
        trimmed.strip_prefix(mark)?.strip_suffix(mark).map(str::trim).filter(|path| !path.is_empty())
    });
    let value = bare.unwrap_or(trimmed);
    let start = range.start + line.text[range].find(value).unwrap_or_default();
    RawField { name: "path".into(), value: value.into(), span: line.span(start..start + value.len()) }
}
