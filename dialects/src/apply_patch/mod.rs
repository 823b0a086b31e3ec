//! OpenAI's patches: `*** Begin Patch` … `*** End Patch`.
//!
//! A block is one such envelope, all of it or nothing (spec: foreign-dialects, section 4). Input is the line
//! that opens it, a cursor, and the fence and heredoc around it. Knows the grammar and the raw action of each
//! operation; the code that has the file decides where a hunk belongs.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/main.py
//! @@ class A
//! @@ def f(self):
//!      a = 1
//! -    b = 1
//! +    b = 2
//! *** Add File: notes.txt
//! +text
//! *** End Patch
//! ```
//!
//! Operations on one path run in document order, each on the result of those before it.

mod marker;
mod operation;

use std::ops::ControlFlow;

use clada_schema::RawField;
use marker::Marker;
use operation::{Kind, Operation};

use crate::around::Around;
use crate::cursor::{Cursor, Line, may_begin};
use crate::fence::Fence;
use crate::findings::{Fault, Findings, LineFault, opening};
use crate::reader::{BlockReader, DialectRules};
use crate::surplus::{Edge, surplus_end};
use crate::{Block, Choice, Code, Dialect, Member, Policy, Severity};

const MAX_NAMED_FILES: usize = 5;

fn opens(line: &Line<'_>) -> bool {
    marker::read(line, line.text.trim_start_matches([' ', '\t'])) == Some(Marker::Begin)
}

pub(crate) enum Stray<'a> {
    Operation(RawField<'a>),
    End,
}

/// Returns the role of `line` for patches, if it is in none.
pub(crate) fn stray<'a>(line: &Line<'a>) -> Option<Stray<'a>> {
    if edge(line) == Some(Edge::Ends) {
        return Some(Stray::End);
    }
    marker::operation(line).map(Stray::Operation)
}

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, _, _| opens(line),
    would_open: |_, _| false,
    is_marker: marker::is_usual,
    reads_fences: false,
    reader: |_, _| Box::new(Strays::default()),
};

#[derive(Debug, Default)]
struct Strays {
    operation: Option<(u32, usize)>,
    files: Vec<String>,
}

impl<'a> BlockReader<'a> for Strays {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(first, cursor, around, findings)
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        self.line(line, findings);
        ControlFlow::Continue(())
    }

    fn start_again(&mut self, _choice: &Choice) {
        *self = Strays::default();
    }
}

impl Strays {
    fn line(&mut self, line: &Line<'_>, findings: &mut Findings<'_>) {
        // An operation and then an end are a patch without beginning.
        if !findings.dialects.contains(Dialect::ApplyPatch) {
            return;
        }
        match marker::read(line, line.text) {
            Some(Marker::Add(from) | Marker::Delete(from) | Marker::Update(from)) => {
                self.operation.get_or_insert((line.number, line.start));
                if self.files.len() <= MAX_NAMED_FILES {
                    self.files.extend(marker::path(line, from, "path").map(|path| path.value.into_owned()));
                }
            }
            Some(Marker::End) => {
                let files = files_of(std::mem::take(&mut self.files).into_iter());
                let Some((number, start)) = self.operation.take() else { return };
                if findings.claimed().is_none_or(|end| end <= start) {
                    let message = format!(
                        "A patch{files} ends here that did not begin, and is not applied: put `*** Begin Patch` before \
                         line {number}"
                    );
                    findings.report(line, line.whole(), Fault::error(Code::UnexpectedMarker, message, None));
                }
            }
            _ => {}
        }
    }
}

fn claim<'a>(
    first: Line<'a>,
    cursor: &mut Cursor<'a>,
    around: &Around<'a>,
    findings: &mut Findings<'a>,
) -> ControlFlow<()> {
    let mut patch = Patch {
        indentation: indentation(&first, cursor),
        last: first,
        operations: Vec::new(),
        faults: Vec::new(),
        limit: findings.blocks_left(),
        end: End::Text,
        ends_later: None,
        swallowed: Vec::new(),
        doubtful: None,
    };
    if around.heredoc().is_some_and(|heredoc| heredoc.elsewhere()) {
        let message = "The command around this patch goes to another folder or writes a file, and is not run: give \
                       the patch alone, with paths from the project's root";
        patch.fault(first, Code::UnsupportedPatch, message);
    }
    patch.read(cursor, findings);
    patch.hand_in(first, cursor, findings)
}

fn indentation<'a>(first: &Line<'a>, after: &Cursor<'a>) -> &'a str {
    let bare = first.text.trim_start_matches([' ', '\t']);
    let own = &first.text[..first.text.len() - bare.len()];
    let mut ahead = after.clone();
    let shared = ahead.next_line().is_some_and(|next| next.text.starts_with(own));
    if shared { own } else { "" }
}

fn files_of(paths: impl Iterator<Item = String>) -> String {
    let mut named: Vec<String> = Vec::new();
    for path in paths {
        if named.len() > MAX_NAMED_FILES {
            break;
        }
        if !named.contains(&path) {
            named.push(path);
        }
    }
    let more = if named.len() > MAX_NAMED_FILES { " and others" } else { "" };
    named.truncate(MAX_NAMED_FILES);
    if named.is_empty() { String::new() } else { format!(" of '{}'{more}", named.join("', '")) }
}

fn edge(line: &Line<'_>) -> Option<Edge> {
    if !may_begin(line.text, b"*") {
        return None;
    }
    match marker::read(line, line.text.trim_start_matches([' ', '\t'])) {
        Some(Marker::Begin) => Some(Edge::Opens),
        Some(Marker::End) => Some(Edge::Ends),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Marked,
    /// Before a block of which nothing belongs to it.
    Block,
    Text,
    /// With more operations than an answer may have.
    TooMany,
}

struct Patch<'a> {
    indentation: &'a str,
    last: Line<'a>,
    operations: Vec<Operation<'a>>,
    faults: Vec<LineFault<'a>>,
    limit: usize,
    end: End,
    /// True if the patch ends below the first line that ends it but for blanks before it.
    ends_later: Option<bool>,
    /// Lines that are almost an operation, and the files in them.
    swallowed: Vec<(Line<'a>, String)>,
    doubtful: Option<(Line<'a>, String)>,
}

impl<'a> Patch<'a> {
    fn read(&mut self, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
        while let Some(line) = cursor.next_line() {
            let text = line.dedented(self.indentation);
            // No marker and no fence begins with a sign.
            if matches!(text.as_bytes().first(), Some(b'+' | b'-')) {
                self.take(line, text, None);
                continue;
            }
            let context = self.operations.last().is_some_and(Operation::has_context);
            let marked = if context { text } else { text.trim_start_matches([' ', '\t']) };
            let marker = marker::read(&line, marked);
            let signed = marked.starts_with([' ', '+', '-', '@']) || marked.is_empty();
            let other = !signed && matches!(marker, None | Some(Marker::Begin));
            if other && opening(&line, cursor, findings).is_some() {
                self.end_at_block(line, marker.is_some(), cursor, findings);
                return;
            }
            if marker.is_none() && self.is_stray_fence(text, cursor) {
                continue;
            }
            if marker == Some(Marker::End) || self.is_padded_end(text, &line, cursor) {
                self.last = line;
                self.end = End::Marked;
                return;
            }
            let opens = matches!(marker, Some(Marker::Add(_) | Marker::Delete(_) | Marker::Update(_)));
            if opens && self.operations.len() >= self.limit {
                self.last = line;
                self.end = End::TooMany;
                return;
            }
            self.take(line, text, marker);
        }
    }

    /// Ends the patch because another block opens at `line`, with `*** Begin Patch` if it is a `patch`.
    /// Either this patch was not closed and the other block counts, or this one writes about blocks without
    /// signs before its lines. A surplus `*** End Patch` shows the second, and then nothing up to that line
    /// counts.
    fn end_at_block(
        &mut self,
        line: Line<'a>,
        patch: bool,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) {
        let mut swallowed = cursor.clone();
        let Some(last) = surplus_end(patch, cursor, findings, edge) else {
            cursor.return_to(&line);
            self.end = End::Block;
            return;
        };
        // The message names every file that is not changed, those of the inner block too.
        let within = std::iter::from_fn(|| swallowed.next_line()).take_while(|line| line.start < last.start);
        let paths = within.filter_map(|line| match marker::read(&line, line.dedented(self.indentation))? {
            Marker::Add(from) | Marker::Delete(from) | Marker::Update(from) => {
                marker::path(&line, from, "path")
            }
            _ => None,
        });
        let own = self.operations.iter().filter_map(|operation| operation.path.clone());
        let files = files_of(own.chain(paths).map(|path| path.value.into_owned()));
        let message = format!(
            "A block begins inside of this patch{files}: nothing up to line {} is applied; put ` `, `+` or `-` \
             before each line of a file",
            last.number
        );
        self.fault(line, Code::UnexpectedLine, message);
        self.last = last;
        self.end = End::Marked;
    }

    fn take(&mut self, line: Line<'a>, text: &'a str, marker: Option<Marker>) {
        self.last = line;
        let operation = self.operations.last_mut();
        match (marker, operation) {
            (Some(Marker::Add(from)), _) => self.open(Kind::Add, line, from),
            (Some(Marker::Delete(from)), _) => self.open(Kind::Delete, line, from),
            (Some(Marker::Update(from)), _) => self.open(Kind::Update, line, from),
            (Some(Marker::Move(from)), Some(operation)) => operation.move_to(line, from),
            (Some(Marker::EndOfFile), Some(operation)) => operation.end_of_file(line),
            (Some(Marker::Environment), None) => {}
            (None, Some(operation)) => {
                // A new line may look like that; with a hunk below it, it is none.
                self.swallowed.extend(self.doubtful.take().filter(|_| text.starts_with("@@")));
                let file = marker::almost(&line, text).filter(|_| self.swallowed.len() < MAX_NAMED_FILES);
                let file = file.map(|file| (line, file.value.into_owned()));
                if text.starts_with('+') {
                    self.doubtful = file
                } else {
                    self.swallowed.extend(file)
                }
                operation.line(line, text);
            }
            (None, None) if text.trim().is_empty() => {}
            _ => {
                let message = "Not a line of a patch: `*** Add File: PATH`, `*** Delete File: PATH` or `*** Update \
                               File: PATH` begins an operation, `*** End Patch` ends the patch";
                let fault = Fault::error(Code::UnexpectedLine, message, None);
                let file = marker::almost(&line, text).or_else(|| marker::operation(&line));
                self.faults
                    .push((line, file.into_iter().fold(fault, |fault, file| fault.of_file(&file.value))));
            }
        }
    }

    fn open(&mut self, kind: Kind, line: Line<'a>, from: usize) {
        self.operations.push(Operation::new(kind, line, from));
    }

    fn fault(&mut self, line: Line<'a>, code: Code, message: impl Into<String>) {
        self.faults.push((line, Fault::error(code, message, None)));
    }

    /// Returns true if `text` in `line`, which `after` follows, ends the patch though blanks precede it.
    /// Otherwise it is a line of the file, as where the patch ends without them further down; that is
    /// searched once for each patch.
    fn is_padded_end(&mut self, text: &str, line: &Line<'a>, after: &Cursor<'a>) -> bool {
        if !text.starts_with([' ', '\t']) || edge(line) != Some(Edge::Ends) {
            return false;
        }
        let indentation = self.indentation;
        let ends = *self.ends_later.get_or_insert_with(|| {
            let mut ahead = after.clone();
            let mut lines = std::iter::from_fn(|| ahead.next_line());
            let last = lines.find_map(|line| {
                let marker = marker::read(&line, line.dedented(indentation));
                marker.filter(|marker| matches!(marker, Marker::Begin | Marker::End))
            });
            last == Some(Marker::End)
        });
        !ends
    }

    /// Returns true if `text` is a fence put before the patch's end, or after its beginning, by mistake.
    fn is_stray_fence(&self, text: &str, after: &Cursor<'a>) -> bool {
        let Some((fence, _)) = Fence::opened_by(text) else { return false };
        let next = after.clone().next_line();
        let ends = |line: Line<'a>| marker::read(&line, line.dedented(self.indentation)) == Some(Marker::End);
        self.operations.is_empty() || fence.is_closed_by(text) && next.is_some_and(ends)
    }

    fn hand_in(
        mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        let fatal = self.end == End::TooMany;
        let whole_patch = !self.faults.is_empty();
        let mut members = Vec::new();
        let mut actions = Vec::new();
        for operation in std::mem::take(&mut self.operations) {
            let (start_line, end_line) = (operation.first.number, operation.last.number);
            let (action, valid) = operation.finish(&mut self.faults);
            members.push(Member { start_line, end_line, valid });
            actions.push(action);
        }
        let files =
            files_of(actions.iter().filter_map(|action| Some(action.fields.first()?.value.to_string())));
        // One line that belongs to no file keeps all of them from being changed.
        if let Some((_, fault)) = self.faults.first_mut().filter(|_| whole_patch && !files.is_empty())
            && !fault.message.contains(" of '")
        {
            fault.message += &format!("; nothing{files} is applied");
        }
        match self.end {
            End::Marked if actions.is_empty() && self.faults.is_empty() => {
                self.fault(first, Code::EmptyPatch, "The patch has no operation");
            }
            End::Marked | End::TooMany => {}
            End::Block => {
                let message =
                    format!("The patch{files} that begins in line {} has no `*** End Patch`", first.number);
                self.fault(self.last, Code::TruncatedPatch, message);
            }
            End::Text => {
                let past = cursor.finish();
                self.last = past.end_of_previous(cursor.text());
                let message = format!(
                    "The answer ends before the patch{files} that begins in line {} does: send it whole, down to \
                     `*** End Patch`",
                    first.number
                );
                self.fault(past, Code::TruncatedPatch, message);
            }
        }
        let warned = |(_, fault): &LineFault<'a>| fault.severity == Severity::Warning;
        let sound = self.faults.iter().all(warned) && self.end == End::Marked;
        for (line, file) in self.swallowed {
            let message = format!(
                "'{file}' is named here, but not as an operation: the line is taken to be of the file before it"
            );
            self.faults.push((line, Fault::warning(Code::UnexpectedLine, message, None)));
        }
        findings.report_all(self.faults);
        if fatal {
            let message =
                format!("More than {} blocks: nothing of this answer is applied", findings.bounds.blocks);
            findings.report_fatal(&self.last, self.last.whole(), Code::TooManyBlocks, message);
        }
        findings.block(Block {
            dialect: Dialect::ApplyPatch,
            id: None,
            start_line: first.number,
            end_line: (self.end == End::Marked).then_some(self.last.number),
            source: first.start..self.last.end(),
            policy: Policy::Atomic,
            actions,
            members,
            named_at: None,
            sound,
        });
        if fatal { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
