//! Unified diffs, plain and git's, in a fence or in the open.
//!
//! A block is the part of a diff about one file (spec: foreign-dialects, section 3). Input is the line that
//! opens it, a cursor, and the fence and heredoc around it. Knows the grammar and the raw action of each
//! change. The code that has the file finds the place of a hunk: counts and line numbers are hints, for
//! models get them wrong.
//!
//! ```text
//! --- a/src/main.py
//! +++ b/src/main.py
//! @@ -1,2 +1,2 @@
//!  import os
//! -import sys
//! +import json
//! ```
//!
//! Counts show where a hunk ends, as far as they fit, and whether `--- x` is a removed line or begins a file.

mod body;
mod change;
mod content;
mod header;
mod name;
mod nameless;
mod sign;

use std::ops::ControlFlow;

use body::Body;
use change::Change;
use header::Header;
use name::Name;

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::file_name::agree;
use crate::findings::{Fault, Findings, LineFault};
use crate::glance::Glance;
use crate::reader::{BlockReader, DialectRules};
use crate::{Block, Code, Dialect, Member, Policy};

pub(crate) static RULES: DialectRules = DialectRules {
    opens,
    would_open: |_, _| false,
    is_marker: is_usual_marker,
    reads_fences: false,
    reader: |_, _| Box::new(DiffReader),
};

fn is_usual_marker(line: &str) -> bool {
    line.starts_with("diff --git a/") || line.starts_with("@@ -") && line[4..].contains(" @@")
}

struct DiffReader;

impl<'a> BlockReader<'a> for DiffReader {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(first, cursor, around, findings);
        ControlFlow::Continue(())
    }
}

fn opens(line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    let text = line.text.trim_start_matches([' ', '\t']);
    let indentation = &line.text[..line.text.len() - text.len()];
    let starts = header::starts(text, after, indentation);
    starts.is_some_and(|start| start.is_sure() || !is_of_hunk(line, indentation, after, findings))
        || nameless::opens(line, after, findings)
}

// Returns true if the line above `line` is one of a hunk, but of no block: that of a diff without a header, to which `line`
// belongs, too.
fn is_of_hunk(line: &Line<'_>, indentation: &str, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    let above = after.text()[..line.start].lines().next_back().unwrap_or_default();
    let above = above.strip_prefix(indentation).unwrap_or_default();
    let is_hunk = above.starts_with(['+', '-', ' ']) || above.starts_with("@@");
    let is_of_block = |last: &Block<'_>| findings.since(last.source.end, line.start).trim().is_empty();
    is_hunk && !findings.backwards().next().is_some_and(is_of_block)
}

fn claim<'a>(first: Line<'a>, cursor: &mut Cursor<'a>, around: &mut Around<'a>, findings: &mut Findings<'a>) {
    let bare = first.text.trim_start_matches([' ', '\t']);
    let indentation = &first.text[..first.text.len() - bare.len()];
    let mut header = Header::default();
    let mut last = first;
    let mut faults: Vec<LineFault<'a>> = Vec::new();
    let mut meant = None;
    if !header.take(&first, bare) {
        around.line(&first, &Glance::at(&first, &findings.csl), cursor.text());
        meant = nameless::file_before(&first, findings);
        let file = meant.clone().map(Name::from_field);
        (header.old, header.new) = (file.clone(), file);
    } else {
        last = read_header(&mut header, first, indentation, cursor);
    }
    if around.heredoc().is_some_and(|heredoc| !heredoc.applied()) {
        let message = "A diff in a shell command is not applied: give it alone, in a ```diff fence";
        faults.push((first, Fault::error(Code::UnsupportedPatch, message, None)));
    }
    let mut body = Body::new(cursor, findings, around, indentation, last);
    body.read();
    let (hunks, mut last, truncated) = (body.hunks, body.last, body.truncated);
    let (unclosed, miscounted) = (body.unclosed, body.miscounted);
    let swallowed = std::mem::take(&mut body.swallowed);
    faults.append(&mut body.faults);
    let action = Change { first, header, hunks }.action(&mut faults);
    if let Some(path) = action.field("path") {
        faults = faults.into_iter().map(|(line, fault)| (line, fault.of_file(path))).collect();
    }
    let of = action.field("path").map(|path| format!(" of '{path}'")).unwrap_or_default();
    let what = format!("the diff{of} that begins in line {}", first.number);
    if truncated {
        let past = cursor.finish();
        let message = format!("The answer ends before {what} does: send it whole");
        faults.push((past, Fault::error(Code::TruncatedPatch, message, None)));
    }
    let sound = faults.is_empty();
    if meant.is_some() {
        last = nameless::close(last, cursor, around);
        let message =
            format!("The diff names no file: it is taken to be {}, as the one before it", of.trim_start());
        faults.push((first, Fault::warning(Code::MissingPath, message, None)));
    }
    let source = first.start..if truncated {
        cursor.finish().end_of_previous(cursor.text()).end()
    } else {
        last.end()
    };
    // The warning is about a name of a file that may be content, and is none of this diff.
    let own = action.field("path").unwrap_or_default();
    for (line, path) in swallowed.into_iter().filter(|(_, path)| !agree(path, own)) {
        let message = format!(
            "'{path}' is named here, but not as a diff names a file: the lines below are taken to be of '{own}'"
        );
        faults.push((line, Fault::warning(Code::UnexpectedLine, message, None)));
    }
    findings.report_all(faults);
    if unclosed || miscounted {
        let what = if unclosed {
            format!("The fence around {what} is not closed")
        } else {
            format!(
                "The last hunk of the diff that begins in line {} has a line less than it says",
                first.number
            )
        };
        let message = format!(
            "{what}: if the answer was cut off there, changes after line {} are missing",
            last.number
        );
        findings.report(&last, last.whole(), Fault::warning(Code::TruncatedPatch, message, None));
    }
    let block = Block {
        dialect: Dialect::UnifiedDiff,
        id: None,
        start_line: first.number,
        end_line: (!truncated).then_some(last.number),
        source,
        policy: Policy::Each,
        actions: vec![action],
        members: Vec::new(),
        named_at: None,
        sound,
    };
    match findings.last_block() {
        Some(before) if replaces(before, &block) => join(before, block),
        _ => findings.block(block),
    }
}

// Returns true if `before` and `block` are the two sections by which one diff takes a file away and makes it again.
// Done by half, either loses the file.
fn replaces(before: &Block<'_>, block: &Block<'_>) -> bool {
    let [first, then] = [before, block].map(|block| block.actions.last());
    let (Some(first), Some(then)) = (first, then) else { return false };
    let names = [first, then].map(|action| action.name.as_deref());
    before.dialect == Dialect::UnifiedDiff
        && before.policy == Policy::Each
        && before.end_line.is_some_and(|line| line + 1 == block.start_line)
        && matches!(
            names,
            [Some("file_delete"), Some("file_write")] | [Some("file_write"), Some("file_delete")]
        )
        && first.field("path").is_some()
        && first.field("path") == then.field("path")
}

/// Makes `block` the second half of `before`, which is done whole or not at all then.
fn join<'a>(before: &mut Block<'a>, block: Block<'a>) {
    let end_line = block.end_line.unwrap_or(block.start_line);
    let member =
        |block: &Block<'_>, end_line| Member { start_line: block.start_line, end_line, valid: block.sound };
    before.members =
        vec![member(before, before.end_line.unwrap_or(before.start_line)), member(&block, end_line)];
    before.policy = Policy::Atomic;
    before.end_line = block.end_line;
    before.source.end = block.source.end;
    before.actions.extend(block.actions);
    before.sound &= block.sound;
}

/// Reads the rest of the header that `first` begins, and gives its last line.
fn read_header<'a>(
    header: &mut Header<'a>,
    first: Line<'a>,
    indentation: &str,
    cursor: &mut Cursor<'a>,
) -> Line<'a> {
    let mut last = first;
    while let Some(line) = cursor.next_line() {
        let text = line.dedented(indentation);
        let other = text.starts_with(header::GIT);
        if other || !header.take(&line, text) {
            cursor.return_to(&line);
            break;
        }
        last = line;
    }
    last
}
