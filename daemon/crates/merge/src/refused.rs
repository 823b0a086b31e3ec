//! The reasons for which a part is not merged.

use std::fmt;

/// The kind of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The file is already as the part shows it.
    AlreadyThere,
    /// Nothing in the file says where the part, or a piece of it, goes.
    NoPlace,
    /// More than one place of the file fits.
    Ambiguous,
    /// Something would go that the answer does not mention.
    Loses,
    /// The merged file would be broken: brackets, or something that is there twice.
    Breaks,
    /// The part leaves out lines that the file does not have.
    Elided,
    /// The part ends in the middle of something.
    CutOff,
    /// The file and the part are too large to compare.
    TooLarge,
}

/// A refusal: its kind, and the words for a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The kind.
    pub reason: Reason,
    /// The failure in words, with the line or the name, without a full stop.
    pub detail: String,
}

impl Refused {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Refused {
        Refused { reason, detail: detail.into() }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Refused {}

/// Returns `line` without blanks around it, shortened for a message.
pub(crate) fn excerpt(line: &str) -> String {
    const SHOWN: usize = 50;
    let line = line.trim();
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
