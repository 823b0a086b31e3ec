//! A CSL block line by line: which markers count in which state, and the lines between them.
//!
//! Input is a cursor before the opening marker, whose lines end at LF, CRLF or CR. Ends at the block's END,
//! or at the first syntax error. Knows nothing of the meaning of operations.

use clada_schema::Span;

use super::marker::{self, Attribute, Marker, SyntaxError, Word};
use super::operation::{Body, Operation, OperationText};
use crate::cursor::{Breaks, Cursor, Line};
use crate::{Code, CslDelimiters};

#[derive(Debug)]
pub(super) struct Fatal<'a> {
    pub(super) line: Line<'a>,
    pub(super) error: SyntaxError,
}

#[derive(Debug)]
pub(super) enum TopLevelBlock<'a> {
    One(Operation<'a>),
    Tasks { first: Line<'a>, last: Line<'a>, attributes: Vec<Attribute<'a>>, operations: Vec<Operation<'a>> },
}

#[derive(Debug)]
pub(super) struct Reader<'r, 'a> {
    pub(super) cursor: &'r mut Cursor<'a>,
    pub(super) delimiters: &'r CslDelimiters,
    pub(super) attributes: usize,
    pub(super) operations: usize,
}

impl<'a> Reader<'_, 'a> {
    pub(super) fn block(&mut self, first: Line<'a>) -> Result<TopLevelBlock<'a>, Fatal<'a>> {
        let marker = self.marker(first)?;
        if marker.word == Word::Tasks {
            self.tasks(first, marker.attributes)
        } else {
            self.operation(first, marker).map(TopLevelBlock::One)
        }
    }

    pub(super) fn marker(&self, line: Line<'a>) -> Result<Marker<'a>, Fatal<'a>> {
        marker::read(line.text, self.delimiters, self.attributes).map_err(|error| Fatal { line, error })
    }

    fn tasks(
        &mut self,
        first: Line<'a>,
        attributes: Vec<Attribute<'a>>,
    ) -> Result<TopLevelBlock<'a>, Fatal<'a>> {
        let mut operations = Vec::new();
        while let Some(line) = self.cursor.next_line() {
            if !line.text.starts_with(self.delimiters.start()) {
                continue;
            }
            let marker = self.marker(line)?;
            let fault = |code, message| {
                Err(Fatal { line, error: SyntaxError::new(code, message, 0..line.text.len()) })
            };
            match marker.word {
                Word::End => return Ok(TopLevelBlock::Tasks { first, last: line, attributes, operations }),
                Word::Tasks => return fault(Code::NestedTasks, "TASKS cannot be nested".to_owned()),
                Word::To | Word::Replace => {
                    return fault(Code::MisplacedMarker, misplaced(marker.word, Word::Tasks.name()));
                }
                _ if operations.len() >= self.operations => {
                    let message = "More operations than an answer may have (limits.blocks)".to_owned();
                    return fault(Code::TooManyBlocks, message);
                }
                _ => operations.push(self.operation(line, marker)?),
            }
        }
        Err(unterminated(first, Word::Tasks))
    }

    fn operation(&mut self, first: Line<'a>, marker: Marker<'a>) -> Result<Operation<'a>, Fatal<'a>> {
        let Marker { word, attributes } = marker;
        let part =
            |part: Result<Option<_>, _>| part.and_then(|part| part.ok_or_else(|| unterminated(first, word)));
        let (body, last) = match word {
            Word::Write | Word::Run => {
                let (content, _, last) = part(self.content(word, &[Word::End]))?;
                (if word == Word::Write { Body::Write(content) } else { Body::Run(content) }, last)
            }
            Word::Search => {
                let (pattern, next, _) = part(self.content(word, &[Word::To, Word::Replace]))?;
                let to = match next {
                    Word::To => Some(part(self.content(word, &[Word::Replace]))?.0),
                    _ => None,
                };
                let (replacement, _, last) = part(self.content(word, &[Word::End]))?;
                (Body::Search { pattern, to, replacement }, last)
            }
            Word::Tasks | Word::To | Word::Replace | Word::End => {
                let message = misplaced(word, TOP_LEVEL);
                let error = SyntaxError::new(Code::MisplacedMarker, message, 0..first.text.len());
                return Err(Fatal { line: first, error });
            }
        };
        Ok(Operation { first, last, attributes, body })
    }

    /// Reads the lines of the operation `of` up to a marker of `expected`; returns them, the marker's word and its
    /// line. `None` if there is no such marker, or what is written to a file holds another one before.
    fn content(
        &mut self,
        of: Word,
        expected: &[Word],
    ) -> Result<Option<(OperationText<'a>, Word, Line<'a>)>, Fatal<'a>> {
        let start = self.cursor.position();
        let number = self.cursor.lines_passed().saturating_add(1);
        while let Some(line) = self.cursor.next_line() {
            let Some((word, ended)) = marker::word(line.text, self.delimiters) else { continue };
            // A file would get all operations up to the next END, and the prose between them.
            if of == Word::Write && ended && word != Word::End {
                return Ok(None);
            }
            if !expected.contains(&word) || !(ended || self.is_alone(&line, word)) {
                continue;
            }
            self.marker(line)?;
            let text = Breaks::LfOrCr.joined(&self.cursor.text()[start..line.start]);
            let place = Span { line: number, column: 1, length: 0 };
            return Ok(Some((OperationText { text, place }, word, line)));
        }
        Ok(None)
    }

    /// Returns true if `line`, which has no end delimiter, holds the start delimiter and `word` and no more:
    /// a marker that was meant and not finished. As content it would take the operations after it along.
    fn is_alone(&self, line: &Line<'_>, word: Word) -> bool {
        line.text.trim_end().len() == self.delimiters.start().len() + word.name().len()
    }
}

const TOP_LEVEL: &str = "TOP_LEVEL";

pub(super) fn stray_fault(line: &str, delimiters: &CslDelimiters, limit: usize) -> SyntaxError {
    match marker::read(line, delimiters, limit) {
        Err(error) => error,
        Ok(Marker { word: Word::End, .. }) => {
            let message = "END marker without active operation";
            SyntaxError::new(Code::EndWithoutOperation, message, 0..line.len())
        }
        Ok(Marker { word, .. }) => {
            SyntaxError::new(Code::MisplacedMarker, misplaced(word, TOP_LEVEL), 0..line.len())
        }
    }
}

fn misplaced(word: Word, operation: &str) -> String {
    format!("{} marker not valid in {operation} operation", word.name())
}

fn unterminated(first: Line<'_>, word: Word) -> Fatal<'_> {
    let message = format!("Unterminated {} operation", word.name());
    let error = SyntaxError::new(Code::UnterminatedOperation, message, 0..first.text.len());
    Fatal { line: first, error }
}
