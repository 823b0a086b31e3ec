//! Listings without a name, where an answer is meant to hold listings with one.

use super::SHELLS;
use crate::cursor::Line;
use crate::fence::Fence;
use crate::file_name::language;
use crate::findings::{Fault, Findings};
use crate::{Choice, Code, Dialect};

/// What a pass knows of fences outside listings.
#[derive(Debug)]
pub(crate) struct Strays {
    /// The answer is said to be written in this dialect.
    counts: bool,
    /// The line of the fence that is open, and the blocks' end at that time; none for a shell's.
    open: Option<(u32, Option<usize>)>,
}

impl Strays {
    /// Nothing yet, in a pass that looks for `choice`.
    pub(crate) fn new(choice: &Choice) -> Strays {
        let counts = matches!(choice, Choice::Named(named) if named.contains(&Dialect::WholeFile));
        Strays { counts, open: None }
    }

    /// Takes in `line`, which no dialect has claimed, before the fence of `findings` does.
    pub(crate) fn line(&mut self, line: &Line<'_>, findings: &mut Findings<'_>) {
        if !self.counts {
            return;
        }
        if !findings.fence.is_inside() {
            let sample = Fence::read(line.text).filter(|(_, info)| !SHELLS.contains(&language(info)));
            self.open = sample.map(|_| (line.number, findings.claimed()));
        } else if findings.fence.is_closed_by(line.text)
            && let Some((number, claimed)) = self.open.take()
            && claimed == findings.claimed()
        {
            let message = format!(
                "The listing that begins in line {number} names no file and was passed over; a file name must stand \
                 alone on the line before the opening fence"
            );
            findings.report(line, line.whole(), Fault::warning(Code::MissingFile, message, None));
        }
    }
}
