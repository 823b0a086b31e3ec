//! The blocks that the reader of plain answers passed, and what becomes of those that are not applied.

use super::content::cut;
use super::lead::Lead;

// What becomes of a block that is not applied.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Withheld {
    // It is no edit, but this.
    Passed(&'static str),
    // It is named, with this reason.
    Named(&'static str),
    // A note of the plain answer names it.
    Noted,
}

// A block that is not applied because of the words around it.
#[derive(Debug)]
pub(crate) struct BlockStanding {
    pub(crate) number: usize,
    // The line that says so.
    pub(crate) words: String,
    pub(crate) verdict: Withheld,
}

#[derive(Debug)]
pub(super) struct FoundBlock {
    pub(super) number: usize,
    pub(super) lead: Lead,
    // The line that says so.
    pub(super) words: String,
    pub(super) is_taken_back: bool,
}

impl FoundBlock {
    pub(super) fn take_back(&mut self, is_certain: bool, words: &str) {
        self.is_taken_back |= is_certain;
        if !is_certain {
            self.lead = self.lead.max(Lead::Condition);
        }
        cut(words).clone_into(&mut self.words);
    }
}
