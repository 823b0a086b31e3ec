//! The reasons why a hunk is not applied, as facts.
//!
//! It must not know operation or path: the caller puts the issue into `{operation}: {issue} '{path}'
//! ({CODE})` (spec: actions, Messages).

use clada_protocol::ErrorKind;

use super::rung::Rung;

const LISTED: usize = 20;

/// A hunk that was not applied. Displayed, it is the issue; the path follows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct PatchError {
    /// The index of the hunk, from 0.
    pub hunk: usize,
    /// The reason.
    pub failure: PatchFailure,
}

/// The reason why a hunk was not applied. Lines are 1-based, ranges of them inclusive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchFailure {
    /// No rung that is allowed matches.
    #[error("lines to change not found in")]
    NoMatch,
    /// The first rung that matches does so at several places.
    #[error("lines to change appear {count} times, must appear exactly once in")]
    Ambiguous {
        /// That rung.
        rung: Rung,
        /// The number of places.
        count: usize,
        /// The first 20 of them.
        lines: Vec<(usize, usize)>,
    },
    /// The lines to change are not there, and the lines that would replace them are.
    #[error("the new lines are already at line {} of", .lines.0)]
    AlreadyInFile {
        /// The place of the new lines.
        lines: (usize, usize),
    },
    /// Two hunks change the same lines, or insert at the same place.
    #[error("changes of hunks {} and {} meet at line {line} of", .with + 1, .hunk + 1)]
    Conflict {
        /// The other hunk, from 0.
        with: usize,
        /// This hunk, from 0.
        hunk: usize,
        /// The line at which they overlap.
        line: usize,
    },
    /// The lines are there, but how to indent the new ones is not clear.
    #[error("indentation of the new lines is not clear from lines {}-{} of", .lines.0, .lines.1)]
    Indentation {
        /// Their place.
        lines: (usize, usize),
    },
    /// The lines are there, but where or what to change is not clear.
    #[error("lines to change not found exactly, only about line {line} of")]
    Unclear {
        /// The approximate line.
        line: usize,
    },
    /// The lines are there, but not where the hunk says that they are.
    #[error("lines to change are only outside of the place that is named in")]
    OutOfPlace {
        /// Their place.
        lines: (usize, usize),
    },
    /// A line that names the scope is not there.
    #[error("'{scope}' not found in")]
    ScopeNotFound {
        /// That line.
        scope: String,
    },
    /// There are only new lines, and nothing says where they belong.
    #[error("nothing says where the new lines belong in")]
    NoPlace,
    /// New lines belong behind a line that is not there.
    #[error("line {line} is beyond the end of the {lines} lines of")]
    BeyondEnd {
        /// The line, from 1.
        line: u32,
        /// The number of lines.
        lines: usize,
    },
    /// The result would be larger than a file may be.
    #[error("result of {size} bytes exceeds limits.max_file_size of {limit} bytes for")]
    TooLarge {
        /// Bytes that the result would have.
        size: u64,
        /// Bytes that it may have.
        limit: u64,
    },
    /// There are more hunks, or longer ones, than can be looked for.
    #[error("too many hunks to look for in")]
    TooMuchWork,
}

impl PatchFailure {
    /// The machine-readable kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            PatchFailure::NoMatch
            | PatchFailure::Indentation { .. }
            | PatchFailure::Unclear { .. }
            | PatchFailure::OutOfPlace { .. }
            | PatchFailure::ScopeNotFound { .. } => ErrorKind::NoMatch,
            PatchFailure::Ambiguous { .. } => ErrorKind::Ambiguous,
            PatchFailure::AlreadyInFile { .. } => ErrorKind::AlreadyInFile,
            PatchFailure::Conflict { .. } => ErrorKind::Conflict,
            PatchFailure::NoPlace | PatchFailure::BeyondEnd { .. } => ErrorKind::InvalidValue,
            PatchFailure::TooLarge { .. } | PatchFailure::TooMuchWork => ErrorKind::LimitExceeded,
        }
    }

    /// Returns the line, from 1, that the message names or means, if there is one.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        match self {
            PatchFailure::Ambiguous { lines, .. } => lines.first().map(|(first, _)| *first),
            PatchFailure::AlreadyInFile { lines }
            | PatchFailure::Indentation { lines }
            | PatchFailure::OutOfPlace { lines } => Some(lines.0),
            PatchFailure::Conflict { line, .. } | PatchFailure::Unclear { line } => Some(*line),
            PatchFailure::BeyondEnd { lines, .. } => Some(*lines).filter(|lines| *lines > 0),
            PatchFailure::NoMatch
            | PatchFailure::ScopeNotFound { .. }
            | PatchFailure::NoPlace
            | PatchFailure::TooLarge { .. }
            | PatchFailure::TooMuchWork => None,
        }
    }

    /// Returns advice, in words that quote nothing of the file.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            PatchFailure::NoMatch | PatchFailure::AlreadyInFile { .. } | PatchFailure::TooLarge { .. } => {
                return None;
            }
            PatchFailure::Ambiguous { .. } => {
                "add lines above or below that occur at only one of these places"
            }
            PatchFailure::Conflict { .. } => "make one hunk of them",
            PatchFailure::Indentation { .. } => {
                "repeat the lines with the indentation that they have in the file"
            }
            PatchFailure::Unclear { .. } => "repeat the lines exactly as they are in the file",
            PatchFailure::OutOfPlace { .. } => "name the place where they are, or none",
            PatchFailure::ScopeNotFound { .. } => "name a line exactly as the file has it",
            PatchFailure::BeyondEnd { .. } => "read the file again for its numbers of lines",
            PatchFailure::NoPlace => "repeat a line of the file beside which they belong",
            PatchFailure::TooMuchWork => "send fewer hunks, or shorter ones",
        })
    }

    /// Returns the code in parentheses at the end of the message.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind() {
            ErrorKind::Ambiguous => "AMBIGUOUS",
            ErrorKind::AlreadyInFile => "ALREADY_IN_FILE",
            ErrorKind::Conflict => "CONFLICT",
            ErrorKind::InvalidValue => "INVALID_VALUE",
            ErrorKind::LimitExceeded => "LIMIT_EXCEEDED",
            _ => "NO_MATCH",
        }
    }
}

impl PatchError {
    /// The machine-readable kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.failure.kind()
    }

    /// Returns the code in parentheses at the end of the message.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.failure.code()
    }

    /// The `{issue}` of the message: what is between operation and path.
    #[must_use]
    pub fn issue(&self) -> String {
        self.to_string()
    }
}

pub(super) fn ambiguous(remaining: &[usize], count: usize, rung: Rung) -> PatchFailure {
    let lines = remaining.iter().take(LISTED).map(|at| (at + 1, at + count)).collect();
    PatchFailure::Ambiguous { rung, count: remaining.len(), lines }
}
