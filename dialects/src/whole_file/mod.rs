//! whole_file.

use crate::Choice;
use crate::cursor::{Cursor, Line};
use crate::findings::Findings;

/// stray listings
#[derive(Debug)]
pub(crate) struct Strays;
impl Strays {
    pub(crate) fn new(_choice: &Choice) -> Strays {
        Strays
    }
    pub(crate) fn line(&mut self, _line: &Line<'_>, _findings: &mut Findings<'_>) {}
}

/// Whether a block opens at `line`, which `after` stands behind.
pub(crate) fn opens(_line: &Line<'_>, _after: &Cursor<'_>) -> bool {
    false
}

/// Reads the block that `first` opens and hands it in, with its faults.
pub(crate) fn claim<'a>(_first: Line<'a>, _cursor: &mut Cursor<'a>, _findings: &mut Findings<'a>) {}
