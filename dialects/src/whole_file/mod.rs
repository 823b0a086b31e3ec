//! whole_file: a file's name, then the whole file in a fence.
//!
//! A block is one file (spec: foreign-dialects, section 2). Input is the line that names the file, which is
//! the fence itself or is above it, and a cursor after it. Knows the grammar alone: the code that has the
//! file decides on the effect of a listing on a file that exists.
//!
//! ````text
//! src/main.py
//! ```python
//! print(1)
//! ```
//! ````
//!
//! The name is alone on the line above the fence, in the fence's info string, or in a comment that is the
//! first line of the listing and fits its language; the code that has the file decides whether that comment
//! is content. A listing in which a block of another dialect opens is none. This dialect is read only when it
//! is named: else any sample would overwrite a file.

mod extent;
mod opening;
mod strays;

use std::ops::ControlFlow;

use clada_schema::{Listing, RawAction, RawField, Span, Terms};

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::file_name::is_script;
use crate::findings::{Fault, Findings};
use crate::reader::{BlockReader, DialectRules};
use crate::{Block, Choice, Code, Dialect, Policy};
pub(crate) use extent::content;
use extent::{End, Extent};
pub(crate) use opening::Opening;

use strays::Strays;

/// How its blocks are recognized.
pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, after, findings| !findings.fence.is_inside() && opens(line, after),
    would_open: |_, _| false,
    is_marker: |_| false,
    reads_fences: true,
    reader: |_, choice| Box::new(Strays::new(choice)),
};

impl<'a> BlockReader<'a> for Strays<'a> {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(first, cursor, findings);
        ControlFlow::Continue(())
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        // A listing without a name is of no dialect.
        findings.as_dialect(None, |findings| self.line(line, findings));
        ControlFlow::Continue(())
    }

    fn start_again(&mut self, choice: &Choice) {
        *self = Strays::new(choice);
    }

    fn finish(&mut self, findings: &mut Findings<'a>) {
        findings.as_dialect(None, |findings| self.end(findings));
    }
}

/// Languages of fences that hold commands for a shell.
const SHELLS: [&str; 16] = [
    "bash",
    "sh",
    "shell",
    "console",
    "terminal",
    "shell-session",
    "cmd",
    "batch",
    "bat",
    "powershell",
    "ps1",
    "pwsh",
    "zsh",
    "fish",
    "ksh",
    "csh",
];

/// Returns true if a listing opens at `line`, which `after` follows; the pass is in no fence.
fn opens(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    Opening::read(line, after).is_some()
}

/// Reads the listing that `first` opens and hands it in, with its faults. One that holds blocks of other
/// dialects is no listing, and the lines after its fence are text.
///
/// `cursor` is after `first` and is left after the listing's last line, or after its fence.
fn claim<'a>(first: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
    let Some(opening) = Opening::read(&first, cursor) else { return };
    let text = cursor.text();
    let (start, number) = opening.content;
    let extent = Extent::read(&opening, Cursor::at(text, start, number, cursor.breaks), findings);
    let end = extent.end(&opening.path.value);
    if let Some(dialect) = extent.other(&end) {
        // The cursor goes back to the content, so that the other dialect can claim its block there.
        findings.fence.line(opening.line.text);
        *cursor = Cursor::at(text, start, number, cursor.breaks);
        pass_over(&first, dialect, findings);
        return;
    }
    let mut fields = vec![opening.path.clone()];
    if let End::At(close) = end {
        let line = opening.line.text;
        let indent = &line[..line.len() - line.trim_start().len()];
        let span = Span { line: number, column: 1, length: 0 };
        let value = extent::content(&text[start..close.start], indent);
        fields.push(RawField { name: "content".into(), value, span });
    }
    let last = match end {
        End::At(last) | End::Ambiguous(_, last) => Some(last),
        End::Unclosed => None,
    };
    let sound = report_faults(&first, &opening, &end, cursor, findings);
    if let Some(last) = last {
        cursor.skip_to(last.start);
        cursor.next_line();
    }
    let source = first.start..last.unwrap_or_else(|| cursor.finish().end_of_previous(text)).end();
    let shell = SHELLS.contains(&opening.language.to_ascii_lowercase().as_str());
    let listing = Listing {
        shell: shell && !is_script(&opening.path.value),
        named_by_comment: opening.is_named_in(Cursor::at(text, start, number, cursor.breaks)),
    };
    let terms = Terms { listing: Some(listing), ..Terms::default() };
    findings.block(Block {
        dialect: Dialect::WholeFile,
        id: None,
        start_line: first.number,
        end_line: last.map(|line| line.number),
        source,
        policy: Policy::Each,
        actions: vec![RawAction { name: Some("file_write".into()), fields, terms, ..RawAction::default() }],
        members: Vec::new(),
        named_at: None,
        sound,
    });
}

/// Reports that the listing that `first` opens is none, unless the block in it is read.
fn pass_over(first: &Line<'_>, dialect: Dialect, findings: &mut Findings<'_>) {
    if !findings.dialects.contains(dialect) {
        let message = format!(
            "The listing that begins in line {} was passed over: what looks like a block of {} stands in it, which is not \
             looked for",
            first.number,
            dialect.name()
        );
        findings.report(first, first.whole(), Fault::warning(Code::SkippedRegion, message, None));
    }
}

/// Reports the faults of the listing that `first` opens; returns whether it is sound.
fn report_faults<'a>(
    first: &Line<'a>,
    opening: &Opening<'a>,
    end: &End<'a>,
    cursor: &Cursor<'a>,
    findings: &mut Findings<'a>,
) -> bool {
    let path = &opening.path.value;
    if let Some(other) = &opening.other {
        let message = format!("The listing names two files, '{path}' and '{other}': name one");
        findings.report(first, first.whole(), Fault::error(Code::AmbiguousBlock, message, None));
    }
    match end {
        End::At(_) => opening.other.is_none(),
        End::Unclosed => {
            let message = format!(
                "The listing of '{path}' at line {} is cut off: it has no closing fence and is not carried out",
                first.number
            );
            // The fence is missing past the last line, so the fault has its place there.
            let past = cursor.clone().finish();
            findings.report(&past, past.place(), Fault::error(Code::UnclosedListing, message, None));
            false
        }
        End::Ambiguous(line, last) => {
            let message = format!(
                "The listing of '{path}' may end at more than one fence, and nothing up to line {} is carried out: put a \
                 longer fence (````) around a listing that holds fences",
                last.number
            );
            findings.report(line, line.whole(), Fault::error(Code::AmbiguousBlock, message, None));
            false
        }
    }
}
