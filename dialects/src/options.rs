//! The settings for reading an answer: bounds, dialects and their settings.
//!
//! Only values, checked once; the caller knows their source.

use crate::Choice;

const LONGEST_DELIMITER: usize = 64;

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

/// All inputs of [`crate::parse_with`] other than the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The limits on the amount that is read.
    pub bounds: Bounds,
    /// The dialects that are read.
    pub choice: Choice,
    /// The start and the end of CSL's markers.
    pub csl: CslDelimiters,
}

/// The start and the end of CSL's markers (`csl.start`, `csl.end`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CslDelimiters {
    start: String,
    end: String,
}

impl CslDelimiters {
    /// Returns these two, if they can be found again: 1 to 64 bytes each, without blanks, quotes and control
    /// characters.
    #[must_use]
    pub fn new(start: &str, end: &str) -> Option<CslDelimiters> {
        let good = |text: &str| {
            (1..=LONGEST_DELIMITER).contains(&text.len())
                && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\''))
        };
        (good(start) && good(end)).then(|| CslDelimiters { start: start.to_owned(), end: end.to_owned() })
    }

    /// Returns the start of a marker.
    #[must_use]
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Returns the end of a marker.
    #[must_use]
    pub fn end(&self) -> &str {
        &self.end
    }
}

impl Default for CslDelimiters {
    fn default() -> CslDelimiters {
        CslDelimiters { start: "<---".to_owned(), end: "--->".to_owned() }
    }
}
