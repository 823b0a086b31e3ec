//! SHAM and its later name NESL: `#!SHAM [@three-char-SHA-256: id]` … `#!END_SHAM_id`.
//!
//! A block is one action: assignments, one a line, some of them heredocs (spec: dialects, "sham"). Input is
//! the header's line and a cursor after it. Knows the grammar and nothing of the meaning of actions and
//! parameters: the schema knows which names exist and which values fit.
//!
//! ```text
//! #!SHAM [@three-char-SHA-256: k7m]
//! action = "file_write"
//! path = "/proj/a \"quoted\" name.txt"
//! content = <<'EOT_SHAM_k7m'
//! any text, verbatim
//! EOT_SHAM_k7m
//! #!END_SHAM_k7m
//! ```
//!
//! Errors make a block unexecutable, and reading goes on to find the rest. A block that is broken must not
//! release the blocks that it quotes: text after a heredoc opener that is none, up to the line that its
//! writer meant to end it, is read as lines of the block, but no header and no end marker in it counts. The
//! same holds for thinking and the other regions that are never parsed, and for the heredocs after a faulty
//! header.

mod assignment;
mod heredoc;
mod indented;
mod marker;
mod open;
mod quotation;
mod tree;

use std::ops::ControlFlow;

use marker::{Header, is_header};
use open::OpenBlock;

use crate::around::Around;
use crate::cursor::{Cursor, Line, may_be_indented};
use crate::findings::{Fault, Findings};
use crate::reader::{BlockReader, DialectRules};
use crate::{Code, Dialect};

pub use tree::{ShamProperties, ShamTree, ShamTreeBlock, ShamTreeError, sham_tree};

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, after, _| opens_block(line, after),
    would_open: |line, _| is_indented_header(line.text),
    is_marker: marker::is_usual,
    reads_fences: false,
    reader: |_, _| Box::new(ShamReader),
};

struct ShamReader;

impl<'a> BlockReader<'a> for ShamReader {
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
        warn_of_end(line, findings);
        ControlFlow::Continue(())
    }
}

fn is_indented_header(line: &str) -> bool {
    let text = line.trim_start();
    text.len() < line.len() && matches!(marker::header(text), Header::Opens { .. })
}

fn opens_block(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    is_header(line.text) || may_be_indented(line.text) && indented::opens(line, after)
}

fn warn_of_end(line: &Line<'_>, findings: &mut Findings<'_>) {
    // After a fault of a block, that block's end is not reported.
    let known = findings.dialects.contains(Dialect::Sham) && !findings.was_last(Dialect::Sham);
    if known && line.text.starts_with("#!") && marker::end_id(line.text).is_some_and(marker::is_id) {
        let message = format!(
            "Line {} ends a block that did not begin: the lines above it are not read as one, without a header such \
             as #!NESL [@{}: abc]",
            line.number,
            marker::CANONICAL_LABEL
        );
        findings.report(line, line.whole(), Fault::warning(Code::UnexpectedMarker, message, None));
    }
}

fn claim<'a>(first: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
    // A faulty header opens no block, and the lines after it are text, in which heredocs are passed over.
    if !is_header(first.text) {
        return indented::claim(first, cursor, findings);
    }
    match marker::header(first.text) {
        Header::Opens { generation, id, label } => {
            let name = &first.text[label.clone()];
            if name != marker::CANONICAL_LABEL {
                let message = format!(
                    "Unusual label '{}' in block '{id}': the canonical one is '{}'",
                    findings.cut(name),
                    marker::CANONICAL_LABEL
                );
                let fault = Fault::warning(Code::UnusualLabel, message, Some(id));
                findings.report(&first, first.span(label), fault);
            }
            let block = OpenBlock::new(first, generation, id).read(cursor, findings);
            findings.block(block);
        }
        Header::BadId { id, message } => {
            findings.report(&first, first.span(id), Fault::error(Code::InvalidBlockId, message, None));
            quotation::pass_over_heredocs(&first, cursor, findings);
        }
        Header::Malformed => {
            let fault = Fault::error(Code::MalformedHeader, "Invalid NESL header format", None);
            findings.report(&first, first.whole(), fault);
            quotation::pass_over_heredocs(&first, cursor, findings);
        }
    }
}
