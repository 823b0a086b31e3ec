//! The blocks that the reader of plain answers passed, and what becomes of those that are not applied.

use std::ops::Range;

use super::content::cut;
use super::lead::Lead;

// What becomes of blocks that are not applied.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Withheld {
    // They are not edits, but this.
    Passed(&'static str),
    // They are named, with this reason.
    Named(&'static str),
    // A note of the plain answer names them.
    Noted,
}

// Blocks that are not applied because of the words around them.
#[derive(Debug)]
pub(crate) struct BlockStanding {
    pub(crate) blocks: Range<usize>,
    // The byte at which they begin.
    pub(crate) start: usize,
    // 1-based lines of the answer.
    pub(crate) lines: Range<u32>,
    pub(crate) path: Option<String>,
    pub(crate) words: String,
    pub(crate) verdict: Withheld,
}

#[derive(Debug)]
pub(super) struct FoundBlock {
    pub(super) number: usize,
    pub(super) start: usize,
    pub(super) lines: Range<u32>,
    pub(super) paths: Vec<String>,
    pub(super) is_deed: bool,
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
