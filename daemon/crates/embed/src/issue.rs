//! An error or a warning about a path. Must not know how it is handled.

use clada_protocol::{EmbedIssue, ErrorKind};

use super::shown::ShownPath;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathIssue {
    pub(super) shown: ShownPath,
    pub(super) kind: Option<ErrorKind>,
    /// A name for all paths with such an issue: `binary files`. Empty if it is the only one.
    pub(super) reason: String,
    pub(super) message: String,
}

impl PathIssue {
    pub(super) fn error(shown: &ShownPath, kind: ErrorKind, message: impl Into<String>) -> PathIssue {
        let reason =
            if kind == ErrorKind::FileNotFound { "paths not found" } else { "paths that cannot be read" };
        PathIssue {
            shown: shown.clone(),
            kind: Some(kind),
            reason: reason.to_owned(),
            message: message.into(),
        }
    }

    pub(super) fn warning(shown: &ShownPath, message: impl Into<String>) -> PathIssue {
        PathIssue { shown: shown.clone(), kind: None, reason: String::new(), message: message.into() }
    }

    pub(super) fn among(self, reason: impl Into<String>) -> PathIssue {
        PathIssue { reason: reason.into(), ..self }
    }

    fn key(&self) -> (&ShownPath, Option<&'static str>, &str) {
        (&self.shown, self.kind.map(ErrorKind::name), &self.message)
    }
}

impl PartialOrd for PathIssue {
    fn partial_cmp(&self, other: &PathIssue) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PathIssue {
    fn cmp(&self, other: &PathIssue) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl From<PathIssue> for EmbedIssue {
    fn from(issue: PathIssue) -> EmbedIssue {
        let PathIssue { shown, kind, reason, message } = issue;
        EmbedIssue { path: shown.text().into_owned(), kind, reason, message }
    }
}
