//! The parts of an answer that are not plain: blocks, and regions that are another voice.
//!
//! The scan records them as it passes them; the reader of plain answers skips them.

use std::ops::Range;

const MOST: usize = 100_000;

// A block of the answer.
#[derive(Debug)]
pub(crate) struct ClaimedBlock {
    // The byte at which it begins.
    pub(crate) start: usize,
    // 1-based lines of the answer.
    pub(crate) lines: Range<u32>,
    pub(crate) paths: Vec<String>,
    // True if files only go or move.
    pub(crate) is_deed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Whole lines, in bytes of the answer.
    pub(crate) bytes: Range<usize>,
    /// True for another voice, false for a block.
    pub(crate) voice: bool,
    // The blocks that it is, by their numbers.
    pub(crate) blocks: Range<usize>,
}

/// The parts that are not plain, in document order, without overlaps.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    parts: Vec<Claim>,
}

impl Claims {
    pub(crate) fn blocks(&mut self, bytes: Range<usize>, blocks: Range<usize>) {
        self.add(Claim { bytes, voice: false, blocks });
    }

    // Records text that is neither plain nor a block, such as a call that is not read.
    pub(crate) fn other(&mut self, bytes: Range<usize>) {
        self.blocks(bytes, 0..0);
    }

    pub(crate) fn voice(&mut self, bytes: Range<usize>) {
        self.add(Claim { bytes, voice: true, blocks: 0..0 });
    }

    /// Records that everything before byte `end` was another voice.
    pub(crate) fn all_before(&mut self, end: usize) {
        self.parts = vec![Claim { bytes: 0..end, voice: true, blocks: 0..0 }];
    }

    pub(crate) fn parts(&self) -> &[Claim] {
        &self.parts
    }

    fn add(&mut self, mut claim: Claim) {
        if self.parts.len() >= MOST {
            claim.bytes.end = usize::MAX;
        }
        if let Some(last) = self.parts.last_mut()
            && last.bytes.end >= claim.bytes.start
            && (last.voice == claim.voice && last.blocks.is_empty() && claim.blocks.is_empty()
                || last.bytes.end == usize::MAX)
        {
            last.bytes.end = last.bytes.end.max(claim.bytes.end);
        } else {
            self.parts.push(claim);
        }
    }
}
