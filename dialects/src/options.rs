//! The settings for reading an answer: bounds, dialects and their settings.
//!
//! Only values, checked once; the caller knows their source.

use crate::{Bounds, Choice};

const LONGEST_DELIMITER: usize = 64;

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
