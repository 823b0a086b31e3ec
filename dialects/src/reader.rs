//! What a dialect is to the pass over an answer: how its blocks are recognized, and what reads them.

use std::ops::ControlFlow;

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::dialect::Choice;
use crate::findings::Findings;

pub(crate) struct DialectRules {
    pub(crate) opens: fn(&Line<'_>, &Cursor<'_>, &Findings<'_>) -> bool,
    /// Returns true if a block would open at the line if no blanks preceded it.
    pub(crate) would_open: fn(&Line<'_>, &Findings<'_>) -> bool,
    /// Returns true if the line is a whole marker with its usual signs: in the content of a block it may be one
    /// that was meant to end it. Content that merely resembles a marker must pass.
    pub(crate) is_marker: fn(&str) -> bool,
    /// True if lines that begin as a fence does may be its markers.
    pub(crate) reads_fences: bool,
    pub(crate) reader: for<'a> fn(&'a str, &Choice) -> Box<dyn BlockReader<'a> + 'a>,
}

/// Reads the blocks of one dialect in one text. Keeps what has to be known from one block to the next.
pub(crate) trait BlockReader<'a> {
    /// Hands in the block that `first` opens, with its faults. Breaks if nothing of the answer may run.
    ///
    /// `cursor` is after `first` and is left after the block's last line. `around` learns of a fence that the
    /// block opens.
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()>;

    /// Reads `line`, which no dialect has claimed: it may be out of place. Breaks if nothing of the answer may
    /// run.
    fn text(&mut self, _line: &Line<'a>, _findings: &mut Findings<'a>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Forgets all blocks, since the text up to here was thinking. What is about the text stays.
    fn start_again(&mut self, _choice: &Choice) {}

    fn finish(&mut self, _findings: &mut Findings<'a>) {}
}
