//! The findings of a pass over an answer so far, kept within its bounds.
//!
//! Dialects hand in blocks and faults; this module makes excerpts, context and the caps on them. Knows
//! nothing of any dialect's grammar. Work for one diagnostic is linear in the nine lines around it.

use std::cell::OnceCell;
use std::ops::Range;

use clada_schema::Span;

use crate::cursor::{Breaks, Cursor, Line, origin};
use crate::dialect::{Choice, Dialect, Dialects};
use crate::fence::FenceState;
use crate::glance::Glance;
use crate::plain::Claims;
use crate::surroundings::Surroundings;
use crate::tool_calls::{Calls, Unread};
use crate::voice;
use crate::work;
use crate::{Block, Bounds, Code, CslDelimiters, Diagnostic, Doubt, ErrorType, Options, Parse, Severity};

const LOOKAHEAD: usize = 16;
const CONTEXT_LINES: usize = 5;
/// The number of those lines before the fault's own line, where there are enough after it.
const CONTEXT_BEFORE: usize = 2;

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
    pub(crate) fn of_file(self, path: &str) -> Fault<'b> {
        if self.message.contains(&format!("'{path}'")) {
            return self;
        }
        Fault { message: format!("'{path}': {}", self.message), ..self }
    }

    pub(crate) fn error(code: Code, message: impl Into<String>, block: Option<&'b str>) -> Fault<'b> {
        let error_type = ErrorType::Syntax;
        Fault { error_type, code, severity: Severity::Error, message: message.into(), block, fatal: false }
    }

    /// A fault of a block without id whose syntax is good and whose action is not.
    pub(crate) fn invalid(code: Code, message: impl Into<String>) -> Fault<'b> {
        Fault { error_type: ErrorType::Validation, ..Fault::error(code, message, None) }
    }

    pub(crate) fn warning(code: Code, message: impl Into<String>, block: Option<&'b str>) -> Fault<'b> {
        Fault { severity: Severity::Warning, ..Fault::error(code, message, block) }
    }

    /// A fault after which nothing of the answer may run.
    pub(crate) fn fatal(code: Code, message: impl Into<String>) -> Fault<'b> {
        Fault { fatal: true, ..Fault::error(code, message, None) }
    }
}

pub(crate) type LineFault<'a> = (Line<'a>, Fault<'a>);

/// The pass over an answer, for what reads a part of it: the pass knows all dialects, and they do not know it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockScanner {
    pub(crate) opens: fn(Dialect, &Line<'_>, &Cursor<'_>, &Findings<'_>) -> bool,
    pub(crate) parse: for<'t> fn(&'t str, &Options) -> Parse<'t>,
}

/// Returns the first of the dialects of the pass that has a block open at `line`, which `after` follows.
pub(crate) fn opening(line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> Option<Dialect> {
    opening_at(line, &Glance::at(line, &findings.csl), after, findings)
}

/// The same for a line with the result `glance`.
#[inline]
pub(crate) fn opening_at(
    line: &Line<'_>,
    glance: &Glance<'_>,
    after: &Cursor<'_>,
    findings: &Findings<'_>,
) -> Option<Dialect> {
    glance.opens.among(findings.dialects).find(|dialect| opens(dialect, line, after, findings))
}

pub(crate) fn opens(dialect: Dialect, line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    (findings.scanner.opens)(dialect, line, after, findings)
}

#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) dialects: Dialects,
    pub(crate) bounds: Bounds,
    /// True if the caller asked for the dialects by name, so that text that resembles them is meant.
    pub(crate) strict: bool,
    pub(crate) csl: CslDelimiters,
    pub(crate) surroundings: Surroundings<'a>,
    /// The line ends of the lines around a fault.
    pub(crate) breaks: Breaks,
    /// Bytes that may still be read ahead: the budget that keeps the pass linear where dialects search for an
    /// end.
    pub(crate) lookahead: usize,
    /// A dialect none of whose ends is surplus from that byte on.
    pub(crate) no_surplus: Option<(Dialect, usize)>,
    reading: Option<Dialect>,
    pub(crate) scanner: BlockScanner,
    pub(crate) fence: FenceState,
    pub(crate) unread: Vec<Unread>,
    /// The parts of the text that are not plain.
    pub(crate) claims: Claims,
    pub(crate) voices: voice::Ends,
    pub(crate) calls: OnceCell<Calls<'a>>,
    pub(crate) text: &'a str,
    parse: Parse<'a>,
    /// The findings at the point where something stopped the answer, while it is read on.
    stopped: Option<Parse<'a>>,
    /// The number of blocks handed in, with each action of a block with several counted.
    operations: usize,
    overflowed: bool,
}

impl<'a> Findings<'a> {
    /// Counts `line` as read ahead. Returns true if that is more than this pass may read ahead.
    pub(crate) fn has_read_too_far(&mut self, line: &Line<'_>) -> bool {
        self.lookahead = self.lookahead.saturating_sub(line.text.len() + 1);
        self.lookahead == 0
    }

    pub(crate) fn new(
        text: &'a str,
        options: &Options,
        dialects: Dialects,
        scanner: BlockScanner,
    ) -> Findings<'a> {
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
            scanner,
            fence: FenceState::default(),
            unread: Vec::new(),
            claims: Claims::default(),
            voices: voice::Ends::default(),
            calls: OnceCell::new(),
            text,
            parse: Parse::default(),
            stopped: None,
            operations: 0,
            overflowed: false,
        }
    }

    /// Returns the empty findings of `text`, a changed copy of a part of this text, which `dialect` reads.
    pub(crate) fn of_copy<'c>(&self, text: &'c str, dialect: Dialect) -> Findings<'c> {
        let options = Options { bounds: self.bounds, ..Options::default() };
        let dialects = Dialects::from_slice(&[dialect]);
        Findings { reading: Some(dialect), ..Findings::new(text, &options, dialects, self.scanner) }
    }

    /// Does `read`, which reads lines of `dialect`, if one is given: what it reports is of that dialect.
    pub(crate) fn as_dialect<T>(&mut self, dialect: Option<Dialect>, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.reading, dialect);
        let result = read(self);
        self.reading = outside;
        result
    }

    pub(crate) fn dialect(&self) -> Option<Dialect> {
        self.reading
    }

    pub(crate) fn blocks(&self) -> usize {
        self.parse.blocks.len()
    }

    pub(crate) fn block(&mut self, block: Block<'a>) {
        self.operations += block.actions.len().max(1);
        self.parse.blocks.push(block);
    }

    /// Discards the blocks with the numbers `dropped`, and what was reported of their `lines`.
    pub(crate) fn drop_blocks(&mut self, dropped: Range<usize>, lines: Range<u32>) {
        for block in self.parse.blocks.drain(dropped.clone()) {
            self.operations -= block.actions.len().max(1);
        }
        self.parse.doubts.retain(|doubt| !dropped.contains(&doubt.block));
        for doubt in self.parse.doubts.iter_mut().filter(|doubt| doubt.block >= dropped.end) {
            doubt.block -= dropped.len();
        }
        self.parse.diagnostics.retain(|diagnostic| !lines.contains(&diagnostic.line));
    }

    pub(crate) fn all_blocks(&self) -> &[Block<'a>] {
        &self.parse.blocks
    }

    pub(crate) fn last_block(&mut self) -> Option<&mut Block<'a>> {
        self.parse.blocks.last_mut()
    }

    /// Records that the name of the file of the next block is a word that may be prose; if so, the file is
    /// `instead`.
    pub(crate) fn doubt(&mut self, instead: String) {
        let block = self.parse.blocks.len();
        self.parse.doubts.push(Doubt { block, instead });
    }

    pub(crate) fn backwards(&self) -> impl Iterator<Item = &Block<'a>> {
        self.parse.blocks.iter().rev()
    }

    pub(crate) fn since(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(crate) fn was_last(&self, dialect: Dialect) -> bool {
        self.parse.diagnostics.last().is_some_and(|diagnostic| diagnostic.dialect == Some(dialect))
    }

    /// Returns the number of blocks that may still be handed in, each action of a block with several counted.
    pub(crate) fn blocks_left(&self) -> usize {
        self.bounds.blocks.saturating_sub(self.operations)
    }

    /// Returns the end of the last block that was handed in, as a byte of the text, if there is one.
    pub(crate) fn claimed(&self) -> Option<usize> {
        self.parse.blocks.last().map(|block| block.source.end)
    }

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

    pub(crate) fn adopt(&mut self, diagnostic: Diagnostic) {
        if self.parse.diagnostics.len() < self.bounds.diagnostics {
            self.parse.diagnostics.push(diagnostic);
        }
    }

    /// Has what was reported in the order of its lines.
    pub(crate) fn sort_reports(&mut self) {
        self.parse.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    }

    pub(crate) fn report_all(&mut self, mut faults: Vec<LineFault<'_>>) {
        faults.sort_by_key(|(line, _)| line.number);
        for (line, fault) in faults {
            self.report(&line, line.whole(), fault);
        }
    }

    /// Reports a fatal fault at `span` of `line`, which may be before the faults already reported.
    pub(crate) fn report_fatal(&mut self, line: &Line<'_>, span: Span, code: Code, message: String) {
        let diagnostic = self.diagnostic(line, span, Fault::fatal(code, message));
        let place = self.parse.diagnostics.partition_point(|other| other.line <= diagnostic.line);
        self.parse.diagnostics.insert(place, diagnostic);
    }

    /// Discards all blocks and errors so far, because the text up to here was thinking. Returns the lines of
    /// the blocks, or else of the text that looked like one and was broken.
    pub(crate) fn take_back(&mut self) -> Vec<u32> {
        self.operations = 0;
        if let Some(stopped) = self.stopped.take() {
            self.parse = stopped;
        }
        let blocks = std::mem::take(&mut self.parse.blocks);
        self.parse.doubts.clear();
        let (errors, others) = std::mem::take(&mut self.parse.diagnostics)
            .into_iter()
            .partition(|diagnostic| diagnostic.severity == Severity::Error);
        self.parse.diagnostics = others;
        if blocks.is_empty() {
            let errors: Vec<Diagnostic> = errors;
            return errors.iter().map(|error| error.line).collect();
        }
        blocks.iter().map(|block| block.start_line).collect()
    }

    /// Records that nothing of the answer may run, and that no later finding counts, unless everything up to
    /// then is discarded.
    pub(crate) fn stop(&mut self) {
        let parse = std::mem::take(&mut self.parse);
        self.stopped.get_or_insert(parse);
        self.operations = 0;
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    pub(crate) fn runs_nothing(&self) -> bool {
        self.stopped.is_some() || self.parse.diagnostics.iter().any(|diagnostic| diagnostic.fatal)
    }

    pub(crate) fn finish(self) -> Parse<'a> {
        self.stopped.unwrap_or(self.parse)
    }

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

    /// Five lines around `line`: two before it and two after it, more of the one side where the other has
    /// fewer.
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

fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(limit)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    fn context_of(text: &str, number: u32) -> String {
        let mut cursor = Cursor::new(text);
        let line = std::iter::from_fn(|| cursor.next_line()).find(|line| line.number == number);
        let line = line.unwrap_or_else(|| Cursor::new(text).finish());
        Findings::new(
            text,
            &Options::default(),
            Dialects::from_slice(&[]),
            BlockScanner { opens: |_, _, _, _| false, parse: |_, _| Parse::default() },
        )
        .context(&line)
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
