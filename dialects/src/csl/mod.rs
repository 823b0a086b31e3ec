//! CSL, the Clada Syntax Language: `<---WRITE file="…"--->` … `<---END--->` and its siblings.
//!
//! A block is one operation, or TASKS with several (spec: dialects, "csl"). Input is the marker's line and a
//! cursor; the delimiters come with the findings. Knows the grammar and the raw action of each operation,
//! nothing of files and commands.
//!
//! ```text
//! <---SEARCH file="src/main.py" count="2"--->
//! old
//! <---REPLACE--->
//! new
//! <---END--->
//! ```
//!
//! A syntax error is fatal: nothing of the whole answer may run, and reading stops, because the text after it
//! may be content of the broken part. An invalid operation is skipped, and with it the TASKS around it.
//! Outside operations a line that starts with the start delimiter has to be a marker; but where the caller
//! did not ask for CSL by name, only if the answer holds a CSL marker at all, so that an arrow in prose stops
//! nothing.
//!
//! In operations lines end at CR, too, and a CR counts as one. Outside, that is so only where CSL is read
//! alone.

mod attribute;
mod marker;
mod operation;
mod read;
mod tree;

use std::ops::ControlFlow;

use marker::SyntaxError;
use operation::Operation;
use read::{Fatal, Reader, TopLevelBlock};

use crate::around::Around;
use crate::cursor::{Breaks, Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::{Block, Choice, CslDelimiters, Dialect, Member, Policy, reader};

pub use tree::{CslNode, CslTree, CslValidationError, csl_tree};

/// Returns true if `line` opens an operation: a complete marker, or one of which only the attributes are at
/// fault.
fn opens(line: &str, delimiters: &CslDelimiters) -> bool {
    line.starts_with(delimiters.start())
        && marker::word(first_piece(line), delimiters).is_some_and(|(word, ended)| word.opens() && ended)
}

fn is_indented_opening(line: &str, delimiters: &CslDelimiters) -> bool {
    let text = line.trim_start();
    text.len() < line.len() && opens(text, delimiters)
}

fn first_piece(line: &str) -> &str {
    Breaks::LfOrCr.first_line(line).0
}

pub(crate) static RULES: reader::DialectRules = reader::DialectRules {
    opens: |line, _, findings| opens(line.text, &findings.csl),
    would_open: |line, findings| is_indented_opening(line.text, &findings.csl),
    is_marker: marker::is_usual,
    reads_fences: true,
    reader: |_, choice| Box::new(Strays::new(choice)),
};

#[derive(Debug)]
struct Strays<'a> {
    /// True if each of them is a fault: the caller asked for CSL by name, or a marker of it was seen.
    strict: bool,
    first: Option<Fatal<'a>>,
}

impl<'a> reader::BlockReader<'a> for Strays<'a> {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(&first, cursor, self, findings)
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        self.line(line, findings)
    }

    fn start_again(&mut self, choice: &Choice) {
        *self = Strays::new(choice);
    }
}

impl<'a> Strays<'a> {
    fn new(choice: &Choice) -> Strays<'a> {
        Strays { strict: matches!(choice, Choice::Named(_)), first: None }
    }

    fn line(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        if !line.text.starts_with(findings.csl.start()) || !findings.dialects.contains(Dialect::Csl) {
            return ControlFlow::Continue(());
        }
        let line = Line { text: first_piece(line.text), ..*line };
        if self.first.is_none() {
            let error = read::stray_fault(line.text, &findings.csl, findings.bounds.fields);
            self.first = Some(Fatal { line, error });
        }
        if self.strict || marker::word(line.text, &findings.csl).is_some_and(|(_, ended)| ended) {
            self.settle(findings)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Records that a marker of CSL was seen. Breaks if a stray line was seen, too.
    fn settle(&mut self, findings: &mut Findings<'a>) -> ControlFlow<()> {
        self.strict = true;
        match self.first.take() {
            Some(fatal) => stop(&fatal, findings),
            None => ControlFlow::Continue(()),
        }
    }
}

fn claim<'a>(
    first: &Line<'a>,
    cursor: &mut Cursor<'a>,
    strays: &mut Strays<'a>,
    findings: &mut Findings<'a>,
) -> ControlFlow<()> {
    strays.settle(findings)?;
    let outside = (cursor.breaks, findings.breaks);
    (cursor.breaks, findings.breaks) = (Breaks::LfOrCr, Breaks::LfOrCr);
    cursor.return_to(first);
    let first = cursor.next_line().unwrap_or(*first);
    let delimiters = findings.csl.clone();
    let (attributes, operations) = (findings.bounds.fields, findings.blocks_left());
    let read = Reader { cursor, delimiters: &delimiters, attributes, operations }.block(first);
    let flow = match read {
        Ok(node) => {
            hand_in(node, findings);
            ControlFlow::Continue(())
        }
        Err(fatal) => stop(&fatal, findings),
    };
    (cursor.breaks, findings.breaks) = outside;
    flow
}

fn stop(fatal: &Fatal<'_>, findings: &mut Findings<'_>) -> ControlFlow<()> {
    let Fatal { line, error: SyntaxError { code, message, range } } = fatal;
    let message = format!("Line {}: {message}", line.number);
    findings.report_fatal(line, line.span(range.clone()), *code, message);
    ControlFlow::Break(())
}

fn hand_in<'a>(node: TopLevelBlock<'a>, findings: &mut Findings<'a>) {
    let (first, last, policy, operations) = match node {
        TopLevelBlock::One(operation) => (operation.first, operation.last, Policy::Each, vec![operation]),
        TopLevelBlock::Tasks { first, last, operations, .. } => (first, last, Policy::Atomic, operations),
    };
    let mut members = Vec::with_capacity(operations.len());
    let mut actions = Vec::with_capacity(operations.len());
    for operation in operations {
        let (start_line, end_line) = (operation.first.number, operation.last.number);
        let valid = report_faults(&operation, findings);
        members.push(Member { start_line, end_line, valid });
        actions.push(operation.into_raw());
    }
    let sound = members.iter().all(|member| member.valid);
    findings.block(Block {
        dialect: Dialect::Csl,
        id: None,
        start_line: first.number,
        end_line: Some(last.number),
        source: first.start..last.end(),
        policy,
        actions,
        members: if policy == Policy::Atomic { members } else { Vec::new() },
        named_at: None,
        sound,
    });
}

fn report_faults(operation: &Operation<'_>, findings: &mut Findings<'_>) -> bool {
    let faults = operation.faults();
    for invalid in &faults {
        findings.report(&operation.first, invalid.span, Fault::invalid(invalid.code, invalid.message));
    }
    faults.is_empty()
}
