//! The limits on the amount of an answer that is read.

/// Limits of a parse, so that its work and its output stay bounded whatever the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of input. A longer text yields one fatal diagnostic and no block.
    pub input: usize,
    /// Blocks, each action of a block with several counted. Text after the last allowed one yields one fatal
    /// diagnostic.
    pub blocks: usize,
    /// Named parameters of one block; one more makes the block unexecutable, and the rest of them is dropped.
    /// In CSL, attributes of one marker; one more is a syntax error, fatal as all of its syntax errors are.
    pub fields: usize,
    /// Diagnostics listed; one more reports that there were more.
    pub diagnostics: usize,
    /// Bytes of a line shown in a diagnostic's `content` and `context` (cut at a character boundary, with
    /// `…`).
    pub excerpt_line: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { input: 50 << 20, blocks: 10_000, fields: 256, diagnostics: 1_000, excerpt_line: 2_000 }
    }
}
