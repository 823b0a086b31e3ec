//! A fault in a block of CML, before its line is known.

use std::ops::Range;

use crate::Code;
use crate::findings::Fault;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Warning,
    Task,
    // The block is not applied.
    Block,
}

#[derive(Debug)]
pub(super) struct Issue {
    pub(super) at: Range<usize>,
    code: Code,
    message: String,
    reach: Reach,
}

impl Issue {
    // The text is not well formed: nothing of its block is applied.
    pub(super) fn syntax(at: Range<usize>, message: &str) -> Issue {
        Issue { at, code: Code::MalformedXml, message: message.to_owned(), reach: Reach::Block }
    }

    pub(super) fn error(code: Code, at: Range<usize>, message: impl Into<String>) -> Issue {
        Issue { at, code, message: message.into(), reach: Reach::Task }
    }

    pub(super) fn warning(code: Code, at: Range<usize>, message: impl Into<String>) -> Issue {
        Issue { at, code, message: message.into(), reach: Reach::Warning }
    }

    pub(super) fn breaking(self) -> Issue {
        Issue { reach: Reach::Block, ..self }
    }

    pub(super) fn breaks_block(&self) -> bool {
        self.reach == Reach::Block
    }

    pub(super) fn stops_task(&self) -> bool {
        self.reach != Reach::Warning
    }

    pub(super) fn into_fault(self) -> Fault<'static> {
        match self.reach {
            Reach::Warning => Fault::warning(self.code, self.message, None),
            _ if self.code == Code::MalformedXml => Fault::error(self.code, self.message, None),
            Reach::Task | Reach::Block => Fault::invalid(self.code, self.message),
        }
    }
}
