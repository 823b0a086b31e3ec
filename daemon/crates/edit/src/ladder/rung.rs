//! The rungs of the ladder, and the limit of how far down a match may go.
//!
//! It must not know how a rung matches.

/// The limit of how far down the ladder a match may go (spec: dialects, "Matching, for every dialect").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Match {
    /// Lines as they are.
    Exact,
    /// Rungs 0 to 3: blank lines around, and blanks at the ends of lines, do not count.
    Strict,
    /// All of the ladder.
    Tolerant,
}

/// A rung of the ladder, named after what had to be ignored for a hunk to match, from nothing to most (spec:
/// foreign-dialects 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rung {
    /// 0: search and replacement are the same; there is nothing to do.
    Identical,
    /// 1: nothing.
    Exact,
    /// 2: blank lines around the hunk.
    EdgeBlankLines,
    /// 3: blanks at the ends of lines.
    TrailingBlanks,
    /// 4: indentation, in a way that says how to indent the new lines.
    Indentation,
    /// 5: the replacement is there already; there is nothing to do.
    AlreadyApplied,
    /// 6: damage to the whole text that can be undone: line numbers, entities, backslashes, typography.
    Damage,
    /// 7: blank lines.
    BlankLines,
    /// 8: the lines that an elision leaves out.
    Elision,
    /// 9: a few lines of context, away from the changes.
    Context,
}

impl Rung {
    /// Its number on the ladder.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn number(self) -> u8 {
        self as u8
    }

    /// Its name in results (`matchedBy`).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rung::Identical => "identical",
            Rung::Exact => "exact",
            Rung::EdgeBlankLines => "edge_blank_lines",
            Rung::TrailingBlanks => "trailing_blanks",
            Rung::Indentation => "indentation",
            Rung::AlreadyApplied => "already_applied",
            Rung::Damage => "text_damage",
            Rung::BlankLines => "blank_lines",
            Rung::Elision => "elision",
            Rung::Context => "context",
        }
    }

    /// True if a report has to say that this rung was needed.
    #[must_use]
    pub(crate) fn is_named(self) -> bool {
        self > Rung::TrailingBlanks
    }
}

impl std::fmt::Display for Rung {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
