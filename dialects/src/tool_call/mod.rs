//! Calls of editing tools as text (spec: answers, section 3): models write the calls that they were trained
//! on.
//!
//! A block is one call, in JSON or as an element, of a tool in a table, complete and with no argument that
//! the table does not have. Every other call is left alone and reported as not read. Knows the shapes and the
//! raw actions of each call; calls that run commands are never read.
//!
//! ```text
//! {"name": "Edit", "input": {"file_path": "src/a.py", "old_string": "x", "new_string": "y"}}
//!
//! <invoke name="Write">
//! <parameter name="file_path">src/b.py</parameter>
//! <parameter name="content">text</parameter>
//! </invoke>
//! ```

mod argument;
mod find;
mod opening;
mod shape;
mod table;
mod token;
mod xml;

use std::ops::ControlFlow;

pub(crate) use find::is_tool;

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::findings::Findings;
use crate::reader::{BlockReader, DialectRules};
use crate::tool_calls::{Calls, Group};
use crate::{Block, Code, Dialect, Member, Policy};

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, _, findings| opens(line, findings),
    would_open: |_, _| false,
    is_marker: is_usual_marker,
    reads_fences: false,
    reader: |_, _| Box::new(CallReader),
};

fn calls_of<'f, 'a>(findings: &'f Findings<'a>) -> &'f Calls<'a> {
    findings.calls.get_or_init(|| find::find(findings.text, &findings.bounds, findings.scanner))
}

fn is_usual_marker(line: &str) -> bool {
    const MARKERS: [&str; 4] = ["</parameter>", "<parameter name=", "</invoke>", "<invoke name="];
    MARKERS.iter().any(|marker| line.starts_with(marker))
}

struct CallReader;

impl<'a> BlockReader<'a> for CallReader {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(&first, cursor, findings)
    }
}

fn opens(line: &Line<'_>, findings: &Findings<'_>) -> bool {
    group_at(line, findings, |group| !group.transcript && !group.calls.is_empty())
}

/// Moves `cursor`, which is after `line`, past the calls that are not read and begin at `line`, if there are
/// any: their texts are theirs.
pub(crate) fn pass_over(line: &Line<'_>, cursor: &mut Cursor<'_>, findings: &mut Findings<'_>) -> bool {
    let (mut end, mut unread) = (0, Vec::new());
    let is_call = group_at(line, findings, |group| {
        end = group.end;
        unread = group.unread().to_vec();
        true
    });
    if is_call {
        findings.unread.extend(unread);
        leave(end, cursor);
    }
    is_call
}

pub(crate) fn begins(line: &Line<'_>, findings: &Findings<'_>) -> bool {
    group_at(line, findings, |_| true)
}

fn group_at(line: &Line<'_>, findings: &Findings<'_>, is: impl FnOnce(&Group<'_>) -> bool) -> bool {
    let bare = line.text.trim_ascii_start();
    let call = match bare.as_bytes().first() {
        Some(b'{' | b'[') => true,
        Some(b'<') => {
            bare.as_bytes().get(1).is_some_and(u8::is_ascii_lowercase) || bare.starts_with(token::BEGIN)
        }
        _ => false,
    };
    call && calls_of(findings).at(line.start).is_some_and(is)
}

fn leave(end: usize, cursor: &mut Cursor<'_>) {
    if end > cursor.position() {
        cursor.skip_to(end);
        cursor.next_line();
    }
}

fn claim<'a>(first: &Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
    let Some(group) = calls_of(findings).at(first.start).cloned() else {
        return ControlFlow::Continue(());
    };
    findings.unread.extend(group.unread().iter().cloned());
    for call in group.calls {
        // The scanner checks the limit once for each line, and one line may begin many calls.
        if findings.blocks_left() < call.actions.len() {
            let limit = findings.bounds.blocks;
            let message = format!("More than {limit} blocks: nothing of this answer is applied");
            findings.report_fatal(first, first.whole(), Code::TooManyBlocks, message);
            return ControlFlow::Break(());
        }
        let member = Member { start_line: call.start_line, end_line: call.end_line, valid: true };
        findings.block(Block {
            dialect: Dialect::ToolCall,
            id: call.id,
            start_line: call.start_line,
            end_line: Some(call.end_line),
            source: call.at,
            policy: if call.together { Policy::Atomic } else { Policy::Each },
            members: if call.together { vec![member; call.actions.len()] } else { Vec::new() },
            actions: call.actions,
            named_at: None,
            sound: true,
        });
    }
    leave(group.end, cursor);
    ControlFlow::Continue(())
}
