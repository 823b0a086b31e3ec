//! The problems of a layer: facts first, then the sentence. Text of a stranger's file is shown with
//! everything invisible made visible, because it ends up in the user's terminal.

use std::fmt;
use std::path::{Path, PathBuf};

use clada_protocol::{ErrorKind, RpcError, visible_line, visible_path};

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's configuration, at this path.
    User(PathBuf),
    /// A project's configuration, at this path. A stranger may have written it.
    Project(PathBuf),
    /// The environment variable of this name.
    Environment(String),
    /// The flag with this spelling.
    Flag(String),
    /// The settings of one request.
    Call,
}

impl Origin {
    /// Returns the path, if it is a file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Origin::User(path) | Origin::Project(path) => Some(path),
            Origin::Default | Origin::Environment(_) | Origin::Flag(_) | Origin::Call => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::Call => formatter.write_str("settings"),
            Origin::User(path) | Origin::Project(path) => {
                formatter.write_str(&visible_path(&path.to_string_lossy()))
            }
            Origin::Environment(name) | Origin::Flag(name) => formatter.write_str(&visible(name, 256)),
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
}

/// The weight of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The file, variable or flag cannot be used.
    Error,
    /// The setting takes effect only once a user has trusted the file; the rest of the file is in force.
    Untrusted,
    /// Only a remark: everything is used.
    Note,
}

/// A problem in a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, variable or flag.
    pub origin: Origin,
    /// The place in the file, if it is a file and the place is known.
    pub place: Option<LineColumn>,
    /// The key concerned, as far as it is known.
    pub key: Option<String>,
    /// The weight of the problem.
    pub severity: Severity,
    /// A description of the problem.
    pub message: String,
    /// A way to solve it.
    pub advice: String,
}

impl Problem {
    /// Returns whether the problem makes its source unusable.
    #[must_use]
    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    #[must_use]
    pub(crate) fn awaits_trust(&self) -> bool {
        self.severity == Severity::Untrusted
    }

    fn without_advice(&self) -> String {
        let place = self.place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        format!("{}{place}: {}.", self.origin, self.message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}.", self.without_advice(), self.advice)
    }
}

/// The configuration cannot be used, and there is no earlier usable version of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.summary())]
pub struct ConfigError {
    /// The problems to solve; never empty, all of them errors.
    pub problems: Vec<Problem>,
}

impl ConfigError {
    fn summary(&self) -> String {
        let listed: Vec<String> = self.problems.iter().map(Problem::to_string).collect();
        format!("the configuration has an error: {}", listed.join(" "))
    }
}

impl From<&ConfigError> for RpcError {
    fn from(error: &ConfigError) -> RpcError {
        // Of several problems each has its advice beside it.
        let (text, hint) = match error.problems.as_slice() {
            [only] => {
                let text = format!("the configuration has an error: {}", only.without_advice());
                (text, Some(format!("{}.", only.advice)))
            }
            _ => (error.to_string(), None),
        };
        let mut answer = RpcError::new(ErrorKind::InvalidConfig, text);
        let Some(first) = error.problems.first() else { return answer };
        answer = answer.with("origin", first.origin.to_string());
        if let Some(key) = &first.key {
            answer = answer.with("key", key.as_str());
        }
        if let Some(place) = first.place {
            answer = answer.with("line", place.line).with("column", place.column);
        }
        match hint {
            Some(hint) => answer.hint(hint),
            None => answer,
        }
    }
}

pub(super) fn visible(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", visible_line(&text[..end])),
        None => visible_line(text).into_owned(),
    }
}

pub(super) fn nearest<'a>(name: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Longer than any key by far, so not a slip; and the comparison costs the product of the lengths.
    if name.len() > 100 {
        return None;
    }
    let likeness = |other: &str| strsim::jaro_winkler(name, other);
    among
        .map(|other| (likeness(other), other))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invisible_is_written_out() {
        assert_eq!(visible("a\u{1b}[2J\nb\u{202e}c", 80), "a\\u{1b}[2J\\nb\\u{202e}c");
        assert_eq!(visible("abc", 2), "ab…");
        assert_eq!(visible("größe", 80), "größe");
    }

    #[test]
    fn an_error_becomes_a_response_with_its_facts() {
        let error = ConfigError {
            problems: vec![Problem {
                origin: Origin::Project("/p/.clada/config.yaml".into()),
                place: Some(LineColumn { line: 3, column: 5 }),
                key: Some("limits.input".to_owned()),
                severity: Severity::Error,
                message: "`limits.input` is wrong".to_owned(),
                advice: "Mend it".to_owned(),
            }],
        };
        let answer = RpcError::from(&error);
        assert_eq!(answer.kind(), Some(ErrorKind::InvalidConfig));
        assert!(answer.message.contains("/p/.clada/config.yaml:3:5: `limits.input` is wrong."));
        assert_eq!(answer.data["line"], 3);
        assert_eq!(answer.data["hint"], "Mend it.");
    }
}
