//! The ways in which an edit can fail, as facts, and the words for them.
//!
//! It must not know operation or path: the caller puts the issue into `{operation}: {issue} '{path}'
//! ({CODE})` (spec: actions, Messages).

use clada_protocol::ErrorKind;

use super::NotText;

/// The number of times that the old text must occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expect {
    /// Once; `file_replace_text`, and ranges without a count.
    ExactlyOne,
    /// As often as it likes, but at least once; `file_replace_all_text` without a count.
    AtLeastOne,
    /// This many times.
    Exactly(usize),
}

impl Expect {
    #[must_use]
    pub(crate) fn allows(self, occurrences: usize) -> bool {
        match self {
            Expect::ExactlyOne => occurrences == 1,
            Expect::AtLeastOne => occurrences >= 1,
            Expect::Exactly(count) => occurrences == count,
        }
    }
}

/// The field of an action that a failure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// `old_text`
    OldText,
    /// `old_text_beginning`
    Beginning,
    /// `old_text_end`
    End,
    /// The range from a beginning to an end.
    Range,
    /// The context and removed lines of a hunk.
    Lines,
}

impl Field {
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::OldText => "old_text",
            Field::Beginning => "old_text_beginning",
            Field::End => "old_text_end",
            Field::Range => "range",
            Field::Lines => "the lines to change",
        }
    }

    #[must_use]
    pub(crate) fn verb(self) -> &'static str {
        if self == Field::Lines { "are" } else { "is" }
    }
}

impl std::fmt::Display for Field {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The reason why a text was not edited. Displayed, it is the issue; the path follows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The text to look for is empty.
    #[error("{field} is empty, there is nothing to look for in")]
    EmptyOldText {
        /// The field.
        field: Field,
    },
    /// The text to look for is not there.
    #[error("{field} not found in")]
    NoMatch {
        /// The field.
        field: Field,
    },
    /// The beginning of a range is there, but its end does not follow.
    #[error("old_text_end not found after line {after_line} in")]
    EndNotFound {
        /// The line that the first match of the beginning ends on, from 1.
        after_line: usize,
    },
    /// The text is there, but not as many times as expected.
    #[error("{}", count_issue(*.field, *.expected, *.found))]
    MatchCount {
        /// The field.
        field: Field,
        /// The number of matches that was asked for.
        expected: Expect,
        /// The number of times that it is there.
        found: usize,
        /// The lines that the first 20 matches start on, from 1.
        lines: Vec<usize>,
    },
    /// Another edit of the same call changes the same text.
    #[error("changes a text in line {line} that edit {} changes, too, in", .other + 1)]
    Overlap {
        /// The other edit, from 0.
        other: usize,
        /// The line, from 1, at which they overlap.
        line: usize,
    },
    /// The result would be larger than a file may be.
    #[error("result of {size} bytes exceeds limits.max_file_size of {limit} bytes for")]
    TooLarge {
        /// Bytes that the result would have.
        size: u64,
        /// Bytes that it may have.
        limit: u64,
    },
    /// A range of lines is not written as one.
    #[error("{reason}: lines are given like \"4\" or \"23-43\", from 1; there {} in", lines_there(*.count))]
    BadLines {
        /// The fault that it has.
        reason: String,
        /// Lines of the file.
        count: usize,
    },
    /// A range of lines that goes past the end.
    #[error("line {line} is past the end, there {} in", lines_there(*.count))]
    PastEnd {
        /// The first line asked for that is not there.
        line: usize,
        /// Lines of the file.
        count: usize,
    },
    /// The file is not text.
    #[error(transparent)]
    NotText(#[from] NotText),
}

impl EditError {
    /// The machine-readable kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            EditError::NoMatch { .. } | EditError::EndNotFound { .. } => ErrorKind::NoMatch,
            EditError::MatchCount { .. } => ErrorKind::MatchCount,
            EditError::TooLarge { .. } => ErrorKind::LimitExceeded,
            EditError::EmptyOldText { .. }
            | EditError::BadLines { .. }
            | EditError::PastEnd { .. }
            | EditError::Overlap { .. } => ErrorKind::InvalidValue,
            EditError::NotText(_) => ErrorKind::NotText,
        }
    }

    /// Returns the code in parentheses at the end of the message.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            EditError::NoMatch { .. } | EditError::EndNotFound { .. } => "NO_MATCH",
            EditError::MatchCount { .. } => "MATCH_COUNT",
            EditError::TooLarge { .. } => "LIMIT_EXCEEDED",
            EditError::EmptyOldText { .. }
            | EditError::BadLines { .. }
            | EditError::PastEnd { .. }
            | EditError::Overlap { .. } => "INVALID_VALUE",
            EditError::NotText(_) => "NOT_TEXT",
        }
    }

    /// Returns the line, from 1, that the message names or means, if there is one.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        match self {
            EditError::EndNotFound { after_line } => Some(*after_line),
            EditError::MatchCount { lines, .. } => lines.first().copied(),
            EditError::Overlap { line, .. } => Some(*line),
            EditError::PastEnd { count, .. } => Some(*count).filter(|count| *count > 0),
            EditError::EmptyOldText { .. }
            | EditError::NoMatch { .. }
            | EditError::TooLarge { .. }
            | EditError::BadLines { .. }
            | EditError::NotText(_) => None,
        }
    }

    /// The `{issue}` of the message: what is between operation and path.
    #[must_use]
    pub fn issue(&self) -> String {
        self.to_string()
    }
}

fn count_issue(field: Field, expected: Expect, found: usize) -> String {
    match expected {
        Expect::ExactlyOne | Expect::AtLeastOne => {
            format!("{field} appears {found} times, must appear exactly once in")
        }
        Expect::Exactly(1) => format!("expected 1 occurrence but found {found} in"),
        Expect::Exactly(count) => format!("expected {count} occurrences but found {found} in"),
    }
}

fn lines_there(count: usize) -> String {
    match count {
        0 => "are no lines".to_owned(),
        1 => "is 1 line".to_owned(),
        _ => format!("are {count} lines"),
    }
}
