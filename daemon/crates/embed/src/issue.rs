//! An error or a warning about a path. Must not know how it is handled.

use clada_protocol::{EmbedIssue, ErrorKind};

use super::shown::Shown;

/// An error or a warning about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issue {
    pub(super) shown: Shown,
    /// The kind of an error; `None` for a warning.
    pub(super) kind: Option<ErrorKind>,
    /// A name for all paths with such an issue: `binary files`. Empty if it is the only one.
    pub(super) reason: String,
    pub(super) message: String,
}

impl Issue {
    pub(super) fn error(shown: &Shown, kind: ErrorKind, message: impl Into<String>) -> Issue {
        let reason = if kind == ErrorKind::FileNotFound {
            "paths that are not there"
        } else {
            "paths that cannot be read"
        };
        Issue { shown: shown.clone(), kind: Some(kind), reason: reason.to_owned(), message: message.into() }
    }

    pub(super) fn warning(shown: &Shown, message: impl Into<String>) -> Issue {
        Issue { shown: shown.clone(), kind: None, reason: String::new(), message: message.into() }
    }

    /// The same, with a name for all paths of which it is true.
    pub(super) fn among(self, reason: impl Into<String>) -> Issue {
        Issue { reason: reason.into(), ..self }
    }

    fn key(&self) -> (&Shown, Option<&'static str>, &str) {
        (&self.shown, self.kind.map(ErrorKind::name), &self.message)
    }
}

impl PartialOrd for Issue {
    fn partial_cmp(&self, other: &Issue) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Issue {
    fn cmp(&self, other: &Issue) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl From<Issue> for EmbedIssue {
    fn from(issue: Issue) -> EmbedIssue {
        let Issue { shown, kind, reason, message } = issue;
        EmbedIssue { path: shown.text().into_owned(), kind, reason, message }
    }
}
