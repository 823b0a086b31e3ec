//! apply_patch.

use crate::cursor::{Cursor, Line};
use crate::findings::Findings;

/// Whether a block opens at `line`, which `after` stands behind.
pub(crate) fn opens(_line: &Line<'_>, _after: &Cursor<'_>) -> bool {
    false
}

/// Reads the block that `first` opens and hands it in, with its faults.
///
/// `cursor` stands after `first` and is left after the block's last line.
pub(crate) fn claim<'a>(_first: Line<'a>, _cursor: &mut Cursor<'a>, _findings: &mut Findings<'a>) {}
