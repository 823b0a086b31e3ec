//! Listings without a name, where an answer is meant to hold listings with one.

use super::SHELLS;
use crate::cursor::Line;
use crate::fence::Fence;
use crate::file_name::language;
use crate::findings::{Fault, Findings};
use crate::{Choice, Code, Dialect};

/// The state that a pass keeps about fences outside listings.
#[derive(Debug)]
pub(crate) struct Strays<'a> {
    /// True if the caller named this dialect as that of the answer.
    counts: bool,
    /// The fence that is open, and the blocks' end at that time; none for a shell's.
    open: Option<(Line<'a>, Option<usize>)>,
}

impl<'a> Strays<'a> {
    /// The state before the first line, in a pass that reads `choice`.
    pub(crate) fn new(choice: &Choice) -> Strays<'a> {
        let counts = matches!(choice, Choice::Named(named) if named.contains(&Dialect::WholeFile));
        Strays { counts, open: None }
    }

    /// Reads `line`, which no dialect has claimed, before the fence of `findings` does.
    pub(crate) fn line(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) {
        if !self.counts {
            return;
        }
        if !findings.fence.is_inside() {
            let sample = Fence::read(line.text).filter(|(_, info)| !SHELLS.contains(&language(info)));
            self.open = sample.map(|_| (*line, findings.claimed()));
        } else if findings.fence.is_closed_by(line.text)
            && let Some((first, claimed)) = self.open.take()
            && claimed == findings.claimed()
        {
            let message = format!(
                "The listing that begins in line {} names no file and was passed over; a file name must stand alone on \
                 the line before the opening fence",
                first.number
            );
            findings.report_above(&first, Fault::warning(Code::MissingFile, message, None));
        }
    }

    /// Reports the listing that the end of the answer ends.
    pub(super) fn end(&mut self, findings: &mut Findings<'a>) {
        if let Some((first, claimed)) = self.open.take()
            && claimed == findings.claimed()
        {
            let message = format!(
                "The listing at line {} is cut off: it has no closing fence, and no file name alone on the line before it",
                first.number
            );
            findings.report_above(&first, Fault::warning(Code::UnclosedListing, message, None));
        }
    }
}
