//! JSON as a tree, with the places of its values in an answer.
//!
//! Knows nothing of calls. Reads one value and never looks beyond it; on a fault it returns the place, so
//! that no byte is read twice. A line end within a string, which JSON forbids, is a fault: it keeps faults
//! where they are. What is known to be a call is read once more, with the slips that models make in JSON.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::Span;
use memchr::memchr;

use crate::cursor::utf16;
use crate::{quoted, work};

const MAX_DEPTH: usize = 32;
const MAX_VALUES: usize = 200_000;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Json<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) at: Range<usize>,
    /// The place where it begins; of a text, with its quotes.
    pub(crate) span: Span,
    pub(crate) end_line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind<'a> {
    Null,
    Flag(bool),
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    /// Its members in order; a name may occur twice.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Reads the value at byte `at` of `text`, in line `line`, which begins at byte `line_start`; on error,
    /// returns the byte at which the text there stops being JSON.
    pub(crate) fn read(
        text: &'a str,
        at: usize,
        (line, line_start): (u32, usize),
    ) -> Result<Json<'a>, usize> {
        Reader::new(text, at, (line, line_start)).value(0)
    }

    /// Reads the same value where it has the slips of models: line ends in texts, which are LF then, and commas before
    /// a closing bracket.
    pub(crate) fn read_with_slips(text: &'a str, at: usize, line: (u32, usize)) -> Option<Json<'a>> {
        let mut reader = Reader { with_slips: true, ..Reader::new(text, at, line) };
        reader.value(0).ok()
    }

    pub(crate) fn of_text(text: &'a str, span: Span) -> Option<Json<'a>> {
        [false, true].into_iter().find_map(|with_slips| {
            let reader = Reader::new(text, 0, (span.line, 0));
            let mut reader = Reader { with_slips, fixed: Some(span), ..reader };
            let value = reader.value(0).ok()?;
            reader.skip_blanks();
            (reader.at == text.len()).then_some(value)
        })
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Json<'a>> {
        let Kind::Object(members) = &self.kind else { return None };
        members.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn owned<'b>(self) -> Json<'b> {
        let kind = match self.kind {
            Kind::Null => Kind::Null,
            Kind::Flag(flag) => Kind::Flag(flag),
            Kind::Number(text) => Kind::Number(text.into_owned().into()),
            Kind::Text(text) => Kind::Text(text.into_owned().into()),
            Kind::List(items) => Kind::List(items.into_iter().map(Json::owned).collect()),
            Kind::Object(members) => {
                let owned =
                    |(name, value): (Cow<'a, str>, Json<'a>)| (name.into_owned().into(), value.owned());
                Kind::Object(members.into_iter().map(owned).collect())
            }
        };
        Json { kind, at: self.at, span: self.span, end_line: self.end_line }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// The byte up to which `column` is counted.
    counted: usize,
    column: u32,
    budget: usize,
    /// The place of all values, where the JSON itself is inside a text.
    fixed: Option<Span>,
    with_slips: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize, (line, line_start): (u32, usize)) -> Reader<'a> {
        let (counted, budget) = (line_start, MAX_VALUES);
        Reader { text, at, line, counted, column: 1, budget, fixed: None, with_slips: false }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        let start = self.at;
        while let Some(blank @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek() {
            self.at += 1;
            if blank == b'\n' {
                (self.line, self.counted, self.column) = (self.line.saturating_add(1), self.at, 1);
            }
        }
        work::count(self.at - start);
    }

    /// Returns the place of the value that begins at byte `start`, which is not before any earlier request,
    /// and ends at byte `end`.
    fn span(&mut self, start: usize, end: usize) -> Span {
        if let Some(span) = self.fixed {
            return span;
        }
        self.column = self.column.saturating_add(utf16(&self.text[self.counted..start]));
        self.counted = start;
        Span { line: self.line, column: self.column, length: utf16(&self.text[start..end]) }
    }

    fn value(&mut self, depth: usize) -> Result<Json<'a>, usize> {
        let start = self.at;
        self.budget = self.budget.checked_sub(1).filter(|_| depth < MAX_DEPTH).ok_or(start)?;
        // A text with line ends is over in another line than its own.
        let opens = matches!(self.peek(), Some(b'{' | b'[')) || self.with_slips && self.peek() == Some(b'"');
        let place = if opens { Some(self.span(start, start + 1)) } else { None };
        let kind = match self.peek().ok_or(start)? {
            b'{' => self.object(depth)?,
            b'[' => self.list(depth)?,
            b'"' => Kind::Text(self.string()?),
            _ => self.word()?,
        };
        let span = place.unwrap_or_else(|| self.span(start, self.at));
        let end_line = self.fixed.map_or(self.line, |span| span.line);
        Ok(Json { kind, at: start..self.at, span, end_line })
    }

    fn string(&mut self) -> Result<Cow<'a, str>, usize> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(start);
        }
        let quoted = quoted::read(&self.text[start..]).map_err(|_| start + 1)?;
        work::count(quoted.length);
        // Without line ends, which are escaped in JSON, an unclosed quote reaches no further than its line.
        let source = &self.text[start..start + quoted.length];
        let Some(end) = memchr(b'\n', source.as_bytes()) else {
            self.at += quoted.length;
            return Ok(quoted.value);
        };
        if !self.with_slips {
            return Err(start + end);
        }
        self.at += quoted.length;
        let ends = source.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        (self.counted, self.column) = (start + source.rfind('\n').map_or(0, |at| at + 1), 1);
        // The line ends are those of the answer, not of the text.
        Ok(match source.contains("\r\n") {
            true => quoted::read(&source.replace("\r\n", "\n"))
                .map_err(|_| start + end)?
                .value
                .into_owned()
                .into(),
            false => quoted.value,
        })
    }

    fn word(&mut self) -> Result<Kind<'a>, usize> {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.text.as_bytes()[start..].iter().take_while(|byte| part(byte)).count();
        work::count(length);
        let word = &self.text[start..start + length];
        let kind = match word {
            "null" => Kind::Null,
            "true" => Kind::Flag(true),
            "false" => Kind::Flag(false),
            _ if word.starts_with(|first: char| first == '-' || first.is_ascii_digit())
                && word.parse::<f64>().is_ok() =>
            {
                Kind::Number(word.into())
            }
            _ => return Err(start),
        };
        self.at += length;
        Ok(kind)
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, usize> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_blanks();
        if self.takes(b']') {
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.takes(b']') {
                return Ok(Kind::List(items));
            }
            self.comma()?;
            if self.with_slips && self.takes(b']') {
                return Ok(Kind::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, usize> {
        let mut members = Vec::new();
        self.at += 1;
        self.skip_blanks();
        if self.takes(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let (start, name) = (self.at, self.string()?);
            if name.contains('\n') {
                return Err(start);
            }
            self.skip_blanks();
            if !self.takes(b':') {
                return Err(self.at);
            }
            self.skip_blanks();
            members.push((name, self.value(depth + 1)?));
            self.skip_blanks();
            if self.takes(b'}') {
                return Ok(Kind::Object(members));
            }
            self.comma()?;
            if self.with_slips && self.takes(b'}') {
                return Ok(Kind::Object(members));
            }
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let matches = self.peek() == Some(byte);
        self.at += usize::from(matches);
        matches
    }

    fn comma(&mut self) -> Result<(), usize> {
        if !self.takes(b',') {
            return Err(self.at);
        }
        self.skip_blanks();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Json<'_>, usize> {
        Json::read(text, 0, (1, 0))
    }

    #[test]
    fn values_have_their_places() {
        let tree = read("{\"é👍\":\n [1, \"a\\n\",true , null]} rest").unwrap();
        assert_eq!((tree.at.clone(), tree.end_line), (0..35, 2));
        let Kind::List(items) = &tree.member("é👍").unwrap().kind else { panic!("{tree:?}") };
        let places: Vec<_> =
            items.iter().map(|item| (item.span.line, item.span.column, item.span.length)).collect();
        assert_eq!(places, [(2, 3, 1), (2, 6, 5), (2, 12, 4), (2, 19, 4)]);
        assert_eq!(items[1].text(), Some("a\n"));
    }

    #[test]
    fn slips_are_read_if_they_are_asked_for() {
        let text = "{\"a\": \"one\n\ttwo\r\n\\n\", \"b\": [1, {},], } rest";
        assert!(read(text).is_err());
        let tree = Json::read_with_slips(text, 0, (4, 0)).unwrap();
        assert_eq!((tree.span.line, tree.end_line, tree.at.end), (4, 6, text.len() - 5));
        assert_eq!(tree.member("a").unwrap().text(), Some("one\n\ttwo\n\n"));
        let place = tree.member("b").unwrap().span;
        assert_eq!((place.line, place.column), (6, 11));
        for broken in [
            "",
            "{\"a\":",
            "[é",
            "{,}",
            "[,]",
            "[1,,]",
            "{\"a\nb\": 1}",
            "{\"a\": \"x\ny}",
            "{\"a\": \"\n\" b}",
        ] {
            assert_eq!(Json::read_with_slips(broken, 0, (1, 0)), None, "{broken}");
        }
    }

    #[test]
    fn what_is_no_json_says_where_it_stops() {
        for (text, at) in [
            ("{a", 1),
            ("{\"a\nb\":1}", 3),
            ("[1 2]", 3),
            ("[1,]", 3),
            ("{\"a\":x}", 5),
            ("[\"", 2),
            ("[1", 2),
            ("", 0),
        ] {
            assert_eq!(read(text), Err(at), "{text}");
        }
        assert!(read(&"[".repeat(MAX_DEPTH + 1)).is_err());
        assert_eq!(Json::of_text("{} x", Span::default()), None);
    }
}
