//! A SHAM block that is indented as a whole, as in an item of a list.
//!
//! Its lines without the indentation are read as any block's; the places of the findings are converted back
//! to the answer.

use std::borrow::Cow;

use clada_schema::{RawAction, RawField, Span};

use super::marker::{self, Header};
use super::open::OpenBlock;
use crate::cursor::{Cursor, Line, utf16};
use crate::findings::{Fault, Findings};
use crate::{Block, Code, Dialect, NamedAt};

/// Returns true if `line`, which `after` follows, may begin such a block: a header, and an assignment as
/// indented as it.
pub(crate) fn opens(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    let text = line.text.trim_start_matches([' ', '\t']);
    let indentation = &line.text[..line.text.len() - text.len()];
    !indentation.is_empty()
        && matches!(marker::header(text), Header::Opens { .. })
        && after.clone().next_line().is_some_and(|next| {
            next.text
                .strip_prefix(indentation)
                .is_some_and(|next| !next.starts_with([' ', '\t']) && next.contains('='))
        })
}

/// Only warns if not all of the block is indented.
pub(super) fn claim<'a>(first: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
    let bare = first.text.trim_start_matches([' ', '\t']);
    let indentation = &first.text[..first.text.len() - bare.len()];
    let Header::Opens { generation, id, .. } = marker::header(bare) else { return };
    let Some(end) = end(indentation, id, cursor, findings) else {
        let message = format!(
            "Line {} looks like the start of a block and is not read: the lines of a block must not be indented",
            first.number
        );
        return findings.report(&first, first.whole(), Fault::warning(Code::IndentedBlock, message, None));
    };
    // The reader of blocks knows no indentation, so it gets a copy without it.
    let text = dedented(&cursor.text()[first.start..end.end()], indentation);
    let mut inner = findings.of_copy(&text, Dialect::Sham);
    let mut lines = Cursor::new(&text);
    let Some(header) = lines.next_line() else { return };
    let block = OpenBlock::new(header, generation, id_of(header.text)).read(&mut lines, &mut inner);
    let moved = Moved { lines: first.number - 1, columns: utf16(indentation) };
    let last = moved.lines + lines.lines_passed();
    let block = moved.block(&block, id, last);
    for mut diagnostic in inner.finish().diagnostics {
        diagnostic.line += moved.lines;
        diagnostic.column += moved.columns;
        findings.adopt(diagnostic);
    }
    while cursor.lines_passed() < last {
        let Some(line) = cursor.next_line() else { break };
        if line.number == last {
            findings.block(Block { source: first.start..line.end(), ..block });
            return;
        }
    }
}

fn id_of(header: &str) -> &str {
    match marker::header(header) {
        Header::Opens { id, .. } => id,
        _ => "",
    }
}

/// Returns the line that ends the block `id`, if no line before it lacks `indentation`, within the budget for
/// reading ahead.
fn end<'a>(indentation: &str, id: &str, after: &Cursor<'a>, findings: &mut Findings<'a>) -> Option<Line<'a>> {
    let mut ahead = after.clone();
    let mut last = None;
    while let Some(line) = ahead.next_line() {
        let blank = line.text.trim_ascii().is_empty();
        if findings.has_read_too_far(&line) || !blank && !line.text.starts_with(indentation) {
            break;
        }
        if marker::end_id(line.text) == Some(id) {
            last = Some(line);
        }
        if !blank && last.is_some() && marker::is_header(line.dedented(indentation)) {
            break;
        }
    }
    last
}

fn dedented(text: &str, indentation: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.map(|line| line.strip_prefix(indentation).unwrap_or(line.trim_start_matches([' ', '\t']))).collect()
}

/// The distance between the place of a finding in the copy and its place in the answer.
struct Moved {
    lines: u32,
    columns: u32,
}

impl Moved {
    fn span(&self, span: Span) -> Span {
        Span { line: span.line + self.lines, column: span.column + self.columns, ..span }
    }

    /// Returns `block` in its place, with the `id` that it has there, down to the line `last`.
    fn block<'a>(&self, block: &Block<'_>, id: &'a str, last: u32) -> Block<'a> {
        let owned = |text: &str| Cow::Owned(text.to_owned());
        let action = |action: &RawAction<'_>| RawAction {
            name: action.name.as_deref().map(owned),
            fields: action
                .fields
                .iter()
                .map(|field| RawField {
                    name: owned(&field.name),
                    value: owned(&field.value),
                    span: self.span(field.span),
                })
                .collect(),
            hunks: Vec::new(),
            edits: Vec::new(),
            terms: action.terms,
        };
        Block {
            dialect: block.dialect,
            id: Some(id),
            start_line: block.start_line + self.lines,
            end_line: block.end_line.map(|_| last),
            source: 0..0,
            policy: block.policy,
            actions: block.actions.iter().map(action).collect(),
            members: Vec::new(),
            named_at: block.named_at.map(|at| NamedAt { span: self.span(at.span), ..at }),
            sound: block.sound,
        }
    }
}
