//! What a pass over an answer has found so far, kept within its bounds.
//!
//! Dialects hand in blocks and faults; excerpts, context and the caps on them are made here. Knows nothing of
//! any dialect's grammar. Work for one diagnostic is linear in the nine lines around it.

use std::cell::OnceCell;

use clada_schema::Span;

use crate::cursor::{Breaks, Line, origin};
use crate::fence::Standing;
use crate::glance::Dialects;
use crate::not_read;
use crate::surroundings::Surroundings;
use crate::tool_call::{Calls, Unread};
use crate::work;
use crate::{
    Block, Bounds, Choice, Code, CslDelimiters, Diagnostic, Dialect, Doubt, ErrorType, Options, Parse,
    Severity,
};

/// How often the text's length may be read ahead in all, in vain or not, to see where a quotation ends.
const LOOKAHEAD: usize = 16;
/// Lines shown around a fault, with its own.
const CONTEXT_LINES: usize = 5;
/// Of those, how many stand before the fault's own line, where there are enough after it.
const CONTEXT_BEFORE: usize = 2;

/// A fault, before it is given its excerpts.
#[derive(Debug)]
pub(crate) struct Fault<'b> {
    pub(crate) error_type: ErrorType,
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) block: Option<&'b str>,
    pub(crate) fatal: bool,
}

impl<'b> Fault<'b> {
    /// The same, which names the file at `path`.
    pub(crate) fn of_file(self, path: &str) -> Fault<'b> {
        if self.message.contains(&format!("'{path}'")) {
            return self;
        }
        Fault { message: format!("'{path}': {}", self.message), ..self }
    }

    /// A fault that makes `block` unexecutable.
    pub(crate) fn error(code: Code, message: impl Into<String>, block: Option<&'b str>) -> Fault<'b> {
        let error_type = ErrorType::Syntax;
        Fault { error_type, code, severity: Severity::Error, message: message.into(), block, fatal: false }
    }

    /// What stands in a block without id has a good syntax and makes no good action.
    pub(crate) fn invalid(code: Code, message: impl Into<String>) -> Fault<'b> {
        Fault { error_type: ErrorType::Validation, ..Fault::error(code, message, None) }
    }

    /// Something to say that stops nothing.
    pub(crate) fn warning(code: Code, message: impl Into<String>, block: Option<&'b str>) -> Fault<'b> {
        Fault { severity: Severity::Warning, ..Fault::error(code, message, block) }
    }

    /// A fault after which nothing of the answer may run.
    pub(crate) fn fatal(code: Code, message: impl Into<String>) -> Fault<'b> {
        Fault { fatal: true, ..Fault::error(code, message, None) }
    }
}

/// A fault of a whole line, with the line.
pub(crate) type Found<'a> = (Line<'a>, Fault<'a>);

/// The blocks and diagnostics of one pass.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    /// The dialects that are looked for.
    pub(crate) dialects: Dialects,
    /// The limits of the pass.
    pub(crate) bounds: Bounds,
    /// The dialects were asked for by name, so that what resembles them is meant.
    pub(crate) strict: bool,
    /// What CSL's markers start and end with.
    pub(crate) csl: CslDelimiters,
    /// What the line stands in that the pass has come to.
    pub(crate) surroundings: Surroundings<'a>,
    /// What ends the lines around a fault.
    pub(crate) breaks: Breaks,
    /// Bytes that may still be read ahead: what keeps the pass linear where dialects look for an end.
    pub(crate) lookahead: usize,
    /// A dialect of whose blocks no end is one too many from that byte on.
    pub(crate) no_surplus: Option<(Dialect, usize)>,
    /// Whose lines are read at the moment.
    pub(crate) reading: Option<Dialect>,
    /// The fence in which the pass stands, as far as blocks leave it to be seen.
    pub(crate) fence: Standing,
    /// Calls of tools that are not read, in document order.
    pub(crate) unread: Vec<Unread>,
    /// The calls of tools in the text, once a line looks like one.
    calls: OnceCell<Calls<'a>>,
    text: &'a str,
    parse: Parse<'a>,
    /// What was found when something stopped the answer, while it is read on.
    stopped: Option<Parse<'a>>,
    /// Blocks and actions of blocks, in what was handed in.
    operations: usize,
    overflowed: bool,
}

impl<'a> Findings<'a> {
    /// Counts `line` as read ahead. Whether that is more than this pass may read ahead.
    pub(crate) fn has_read_too_far(&mut self, line: &Line<'_>) -> bool {
        self.lookahead = self.lookahead.saturating_sub(line.text.len() + 1);
        self.lookahead == 0
    }

    /// Nothing yet, of `text`.
    pub(crate) fn new(text: &'a str, options: &Options, dialects: Dialects) -> Findings<'a> {
        let lookahead = text.len().saturating_mul(LOOKAHEAD);
        Findings {
            dialects,
            bounds: options.bounds,
            strict: matches!(options.choice, Choice::Named(_)),
            csl: options.csl.clone(),
            surroundings: Surroundings::default(),
            breaks: Breaks::Lf,
            lookahead,
            no_surplus: None,
            reading: None,
            fence: Standing::default(),
            unread: Vec::new(),
            calls: OnceCell::new(),
            text,
            parse: Parse::default(),
            stopped: None,
            operations: 0,
            overflowed: false,
        }
    }

    /// The calls of tools in the text.
    pub(crate) fn calls(&self) -> &Calls<'a> {
        self.calls.get_or_init(|| Calls::find(self.text, &self.bounds))
    }

    /// How many blocks were handed in.
    pub(crate) fn blocks(&self) -> usize {
        self.parse.blocks.len()
    }

    /// A finished block. It stands after all that were handed in before.
    pub(crate) fn block(&mut self, block: Block<'a>) {
        self.operations += block.actions.len().max(1);
        self.parse.blocks.push(block);
    }

    /// The file of the block that is handed in next is named by a word that may be prose; else it is `instead`.
    pub(crate) fn doubt(&mut self, instead: String) {
        let block = self.parse.blocks.len();
        self.parse.doubts.push(Doubt { block, instead });
    }

    /// The blocks that were handed in, the last one first.
    pub(crate) fn backwards(&self) -> impl Iterator<Item = &Block<'a>> {
        self.parse.blocks.iter().rev()
    }

    /// The text from byte `start` to byte `end`.
    pub(crate) fn since(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether what was reported last is of `dialect`.
    pub(crate) fn was_last(&self, dialect: Dialect) -> bool {
        self.parse.diagnostics.last().is_some_and(|found| found.dialect == Some(dialect))
    }

    /// How many blocks may still be handed in, each action of a block with several counted.
    pub(crate) fn blocks_left(&self) -> usize {
        self.bounds.blocks.saturating_sub(self.operations)
    }

    /// Where the last block that was handed in ends, as a byte of the text, if there is one.
    pub(crate) fn claimed(&self) -> Option<usize> {
        self.parse.blocks.last().map(|block| block.source.end)
    }

    /// A fault at `span` of `line`. Past the cap only fatal ones are listed.
    pub(crate) fn report(&mut self, line: &Line<'_>, span: Span, fault: Fault<'_>) {
        if fault.fatal || self.parse.diagnostics.len() < self.bounds.diagnostics {
            let diagnostic = self.diagnostic(line, span, fault);
            self.parse.diagnostics.push(diagnostic);
        } else if !self.overflowed {
            self.overflowed = true;
            let message =
                format!("More than {} diagnostics: the rest is not listed", self.bounds.diagnostics);
            let more = Fault::warning(Code::TooManyDiagnostics, message, None);
            let diagnostic = self.diagnostic(line, line.place(), more);
            self.parse.diagnostics.push(diagnostic);
        }
    }

    /// A fault that was found in a copy of a part of the text, and put back to its place.
    pub(crate) fn adopt(&mut self, diagnostic: Diagnostic) {
        if self.parse.diagnostics.len() < self.bounds.diagnostics {
            self.parse.diagnostics.push(diagnostic);
        }
    }

    /// The faults of one block, in the order of their lines.
    pub(crate) fn report_all(&mut self, mut faults: Vec<Found<'_>>) {
        faults.sort_by_key(|(line, _)| line.number);
        for (line, fault) in faults {
            self.report(&line, line.whole(), fault);
        }
    }

    /// A fault of `line`, which may stand before what was reported already.
    pub(crate) fn report_above(&mut self, line: &Line<'_>, fault: Fault<'_>) {
        self.report(line, line.whole(), fault);
        if let Some(found) = self.parse.diagnostics.pop() {
            let place = self.parse.diagnostics.partition_point(|other| other.line <= found.line);
            self.parse.diagnostics.insert(place, found);
        }
    }

    /// A fatal fault at `span` of `line`, which may stand before what was reported already.
    pub(crate) fn report_fatal(&mut self, line: &Line<'_>, span: Span, code: Code, message: String) {
        let diagnostic = self.diagnostic(line, span, Fault::fatal(code, message));
        let place = self.parse.diagnostics.partition_point(|found| found.line <= diagnostic.line);
        self.parse.diagnostics.insert(place, diagnostic);
    }

    /// Takes back all blocks and errors so far, because the text up to here was thinking. Gives the lines of the
    /// blocks, or else of what looked like one and was broken.
    pub(crate) fn take_back(&mut self) -> Vec<u32> {
        self.operations = 0;
        if let Some(stopped) = self.stopped.take() {
            self.parse = stopped;
        }
        let blocks = std::mem::take(&mut self.parse.blocks);
        self.parse.doubts.clear();
        let (errors, said) = std::mem::take(&mut self.parse.diagnostics)
            .into_iter()
            .partition(|found| found.severity == Severity::Error);
        self.parse.diagnostics = said;
        if blocks.is_empty() {
            let errors: Vec<Diagnostic> = errors;
            return errors.iter().map(|error| error.line).collect();
        }
        blocks.iter().map(|block| block.start_line).collect()
    }

    /// Nothing of the answer may run, and nothing that is found from now on counts, unless all up to then is taken back.
    pub(crate) fn stop(&mut self) {
        let found = std::mem::take(&mut self.parse);
        self.stopped.get_or_insert(found);
        self.operations = 0;
    }

    /// Whether something stopped the answer.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// The end of the pass, with what `pass` saw that may be an edit and was not read.
    pub(crate) fn finish_with_candidates(mut self, pass: not_read::Pass<'a>) -> Parse<'a> {
        if self.stopped.is_some() || self.parse.diagnostics.iter().any(|found| found.fatal) {
            return self.finish();
        }
        let candidates = pass.finish(self.text, std::mem::take(&mut self.unread));
        Parse { candidates, ..self.finish() }
    }

    /// The end of the pass.
    pub(crate) fn finish(self) -> Parse<'a> {
        self.stopped.unwrap_or(self.parse)
    }

    /// `text` for a message or excerpt, at most as long as the bounds allow.
    pub(crate) fn cut(&self, text: &str) -> String {
        cut(text, self.bounds.excerpt_line)
    }

    fn diagnostic(&self, line: &Line<'_>, span: Span, fault: Fault<'_>) -> Diagnostic {
        Diagnostic {
            error_type: fault.error_type,
            code: fault.code,
            severity: fault.severity,
            message: fault.message,
            line: span.line,
            column: span.column,
            length: span.length,
            block_id: fault.block.map(str::to_owned),
            content: self.cut(line.text),
            context: self.context(line),
            fatal: fault.fatal,
            dialect: self.reading,
        }
    }

    /// Five lines around `line`: two before it and two after it, more of the one side where the other has fewer.
    fn context(&self, line: &Line<'_>) -> String {
        let before = self.lines_before(line.start);
        let after = self.lines_from(line.start);
        let first = CONTEXT_BEFORE.min(before.len());
        let last = (CONTEXT_LINES - first).min(after.len());
        let first = (CONTEXT_LINES - last).min(before.len());
        let shown: Vec<_> =
            before[..first].iter().rev().chain(&after[..last]).map(|text| self.cut(text)).collect();
        shown.join("\n")
    }

    /// The lines that end before byte `start` of the text, nearest first, as many as a context may need.
    fn lines_before(&self, start: usize) -> Vec<&'a str> {
        let mut head = &self.text[origin(self.text)..start];
        let mut lines = Vec::with_capacity(CONTEXT_LINES);
        while lines.len() < CONTEXT_LINES && !head.is_empty() {
            let (line, start) = self.breaks.last_line(head);
            work::count(head.len() - start);
            lines.push(line);
            head = &head[..start];
        }
        lines
    }

    /// The lines from byte `start` of the text on, as many as a context may need.
    fn lines_from(&self, start: usize) -> Vec<&'a str> {
        let mut tail = &self.text[start..];
        let mut lines = Vec::with_capacity(CONTEXT_LINES);
        while lines.len() < CONTEXT_LINES && !tail.is_empty() {
            let (line, taken) = self.breaks.first_line(tail);
            work::count(taken);
            lines.push(line);
            tail = &tail[taken..];
        }
        lines
    }
}

/// `text`, or as much of it as fits into `limit` bytes, then `…`.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    fn context_of(text: &str, number: u32) -> String {
        let mut cursor = Cursor::new(text);
        let line = std::iter::from_fn(|| cursor.next_line()).find(|line| line.number == number);
        let line = line.unwrap_or_else(|| Cursor::new(text).finish());
        Findings::new(text, &Options::default(), Dialects::of(&[])).context(&line)
    }

    #[test]
    fn context_is_five_lines_where_there_are_five() {
        let text = "1\n2\r\n3\n4\n5\n6\n7";
        let shown: Vec<_> = (1..=8).map(|number| context_of(text, number).replace('\n', "")).collect();
        assert_eq!(shown, ["12345", "12345", "12345", "23456", "34567", "34567", "34567", "34567"]);
    }

    #[test]
    fn context_of_an_empty_first_line_keeps_it() {
        assert_eq!(context_of("\na\r\n\n", 2), "\na\n");
    }

    #[test]
    fn cuts_at_a_character_boundary() {
        assert_eq!(cut("aé", 2), "a…");
        assert_eq!(cut("aé", 3), "aé");
    }
}
