//! How an answer is read: bounds, dialects and their settings.
//!
//! Only values, checked once; where they come from is the caller's business.

use crate::{Bounds, Choice};

/// Bytes of a delimiter.
const LONGEST_DELIMITER: usize = 64;

/// All that [`crate::parse_with`] has to be told besides the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// How much is read.
    pub bounds: Bounds,
    /// Which dialects are looked for.
    pub choice: Choice,
    /// What CSL's markers start and end with.
    pub csl: CslDelimiters,
}

/// What CSL's markers start and end with (`csl.start`, `csl.end`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CslDelimiters {
    start: String,
    end: String,
}

impl CslDelimiters {
    /// These two, if they can be found again: 1 to 64 bytes each, without blanks, quotes and control characters.
    #[must_use]
    pub fn new(start: &str, end: &str) -> Option<CslDelimiters> {
        let good = |text: &str| {
            (1..=LONGEST_DELIMITER).contains(&text.len())
                && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\''))
        };
        (good(start) && good(end)).then(|| CslDelimiters { start: start.to_owned(), end: end.to_owned() })
    }

    /// What a marker starts with.
    #[must_use]
    pub fn start(&self) -> &str {
        &self.start
    }

    /// What a marker ends with.
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
