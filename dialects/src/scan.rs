//! The one forward pass over an answer, in which dialects claim their blocks.
//!
//! Input is the whole text; what each block means to its dialect is that dialect's module's business. A further
//! dialect is one more module with `opens` and `claim`, one more variant of [`Dialect`], and one more arm in
//! each of the two functions at the end of this file.

use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::{Bounds, Choice, Code, Dialect, Parse, region, sham};

/// Finds the blocks of the chosen dialects in `text`, in document order, with what is wrong with them.
///
/// At every line that is not inside a block, each chosen dialect is asked whether a block opens there; the first
/// that says yes claims the lines up to its end (spec: dialects, "Finding blocks"). Thinking, reports and
/// embedded documents are never looked into. An answer without blocks gives an empty result.
///
/// A leading BOM is dropped: lines and columns begin after it. Byte ranges ([`crate::Block::source`]) are those
/// of `text` as passed in, with the BOM.
///
/// Never fails and never panics; takes time linear in the text. Beyond `bounds` the result says so.
#[must_use]
pub fn parse<'a>(text: &'a str, bounds: &Bounds, choice: &Choice) -> Parse<'a> {
    let dialects = Dialect::ALL.iter().copied().filter(|dialect| choice.includes(*dialect)).collect();
    let mut cursor = Cursor::new(text);
    if text.len() > bounds.input {
        return too_large(text.len(), bounds);
    }
    let mut findings = Findings::new(text, bounds, dialects);
    while let Some(line) = cursor.next_line() {
        if let Some(dialect) = opening(&line, &findings.dialects) {
            if findings.blocks_used_up() {
                let message =
                    format!("More than {} blocks: nothing of this answer is carried out", bounds.blocks);
                findings.report(&line, line.whole(), Fault::fatal(Code::TooManyBlocks, message));
                break;
            }
            claim(dialect, line, &mut cursor, &mut findings);
        } else {
            region::pass_over(&line, &mut cursor, &mut findings);
        }
    }
    findings.finish()
}

fn too_large<'a>(length: usize, bounds: &Bounds) -> Parse<'a> {
    let message = format!("The input is {length} bytes long; at most {} are read", bounds.input);
    let mut findings = Findings::new("", bounds, Vec::new());
    let nowhere = Line { number: 1, start: 0, text: "" };
    findings.report(&nowhere, nowhere.place(), Fault::fatal(Code::InputTooLarge, message));
    findings.finish()
}

/// The first of `dialects` that has a block open at `line`.
pub(crate) fn opening(line: &Line<'_>, dialects: &[Dialect]) -> Option<Dialect> {
    dialects.iter().copied().find(|dialect| match dialect {
        Dialect::Sham => sham::opens(line.text),
    })
}

/// Hands in the block of `dialect` that opens at `line` and moves `cursor`, which stands after it, past the block.
fn claim<'a>(dialect: Dialect, line: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
    match dialect {
        Dialect::Sham => sham::claim(line, cursor, findings),
    }
}
