//! One marker of CSL: `<---OP name="value" …--->`, alone on its line.
//!
//! Reads a single line and knows nothing of the lines around it: `read` decides whether the place allows a
//! marker. Ranges are bytes of the line.

use memchr::memmem;

use super::attribute;
pub(super) use super::attribute::{Attribute, SyntaxError, shortened};
use crate::{Code, CslDelimiters, work};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Write,
    Run,
    Search,
    Tasks,
    To,
    Replace,
    End,
}

impl Word {
    const ALL: [Word; 7] =
        [Word::Write, Word::Run, Word::Search, Word::Tasks, Word::To, Word::Replace, Word::End];

    pub(super) fn name(self) -> &'static str {
        match self {
            Word::Write => "WRITE",
            Word::Run => "RUN",
            Word::Search => "SEARCH",
            Word::Tasks => "TASKS",
            Word::To => "TO",
            Word::Replace => "REPLACE",
            Word::End => "END",
        }
    }

    pub(super) fn opens(self) -> bool {
        matches!(self, Word::Write | Word::Run | Word::Search | Word::Tasks)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marker<'a> {
    pub(super) word: Word,
    pub(super) attributes: Vec<Attribute<'a>>,
}

/// Returns the known word with which `line` starts after the start delimiter, if a blank, the end delimiter
/// or the end of the line follows it, and whether the end delimiter is anywhere after it.
pub(super) fn word(line: &str, delimiters: &CslDelimiters) -> Option<(Word, bool)> {
    let rest = line.strip_prefix(delimiters.start())?;
    let (word, after) =
        Word::ALL.into_iter().find_map(|word| rest.strip_prefix(word.name()).map(|after| (word, after)))?;
    if !(after.is_empty() || after.starts_with([' ', '\t']) || after.starts_with(delimiters.end())) {
        return None;
    }
    work::count(after.len());
    Some((word, memmem::find(after.as_bytes(), delimiters.end().as_bytes()).is_some()))
}

/// Reads `line`, which starts with the start delimiter, as a marker with at most `limit` attributes.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn read<'a>(
    line: &'a str,
    delimiters: &CslDelimiters,
    limit: usize,
) -> Result<Marker<'a>, SyntaxError> {
    work::count(line.len());
    let end = delimiters.end();
    let from = delimiters.start().len();
    let rest = line.get(from..).unwrap_or_default();
    let Some(closing) = memmem::find(rest.as_bytes(), end.as_bytes()) else {
        return Err(SyntaxError::malformed(line));
    };
    // The first end delimiter only bounds the word: a later one may end the marker, as a value may hold the
    // first.
    let name_end = from + rest[..closing].find([' ', '\t']).unwrap_or(closing);
    let name = &line[from..name_end];
    if name.is_empty() {
        return Err(SyntaxError::malformed(line));
    }
    let Some(word) = Word::ALL.into_iter().find(|word| word.name() == name) else {
        let message = format!("Unknown operation: {}", shortened(name));
        return Err(SyntaxError::new(Code::UnknownOperation, message, from..name_end));
    };
    if word == Word::End && !line[name_end..from + closing].trim().is_empty() {
        let message = "END marker cannot have attributes";
        return Err(SyntaxError::new(Code::EndWithAttributes, message, name_end..from + closing));
    }
    let (attributes, after) = attribute::read_all(line, name_end, end, limit)?;
    let tail = line[after..].trim_start();
    if !tail.trim_end().is_empty() {
        let range = line.len() - tail.len()..line.trim_end().len();
        let message = "Content not allowed on marker line";
        return Err(SyntaxError::new(Code::ContentOnMarkerLine, message, range));
    }
    Ok(Marker { word, attributes })
}

pub(super) fn is_usual(line: &str) -> bool {
    const WORDS: [&str; 7] = ["WRITE", "SEARCH", "REPLACE", "TO", "RUN", "TASKS", "END"];
    let inner = line.strip_prefix("<---").filter(|inner| inner.ends_with("--->"));
    inner.is_some_and(|inner| WORDS.iter().any(|word| inner.starts_with(word)))
}
