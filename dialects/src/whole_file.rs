//! `whole_file`, which has no blocks: the reader of plain answers reads it.

use std::ops::ControlFlow;

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::findings::Findings;
use crate::reader::{BlockReader, DialectRules};

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |_, _, _| false,
    would_open: |_, _| false,
    is_marker: |_| false,
    reads_fences: false,
    reader: |_, _| Box::new(NoBlocks),
};

struct NoBlocks;

impl<'a> BlockReader<'a> for NoBlocks {
    fn claim(
        &mut self,
        _first: Line<'a>,
        _cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        _findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
