//! A text that may be an edit: its kind, and the facts by which that is decided.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Choice, Dialect};

/// A kind of text that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotReadKind {
    /// A diff that names no file.
    HeadlessDiff,
    /// A call of a tool that is not read.
    ToolCall,
    /// A shell's commands that change files.
    ShellEdit,
    /// Markers of a dialect whose signs are escaped.
    Escaped,
    /// An operation of a patch that is in none.
    UnknownElement,
    /// A block of a dialect that is not read.
    OtherDialect,
    /// A block that the words around it offer to some readers, or as one of several.
    Refused,
}

impl NotReadKind {
    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NotReadKind::HeadlessDiff => "headless_diff",
            NotReadKind::ToolCall => "tool_call",
            NotReadKind::ShellEdit => "shell_edit",
            NotReadKind::Escaped => "escaped",
            NotReadKind::UnknownElement => "unknown_element",
            NotReadKind::OtherDialect => "other_dialect",
            NotReadKind::Refused => "refused",
        }
    }
}

/// A text that may be an edit, with the facts by which that is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its kind.
    pub kind: NotReadKind,
    /// 1-based line at which it begins.
    pub line: u32,
    /// The path that it names, as written.
    pub path: Option<String>,
    /// The condition on the path.
    pub wants: Wants,
    /// The text that it shows of the file: whole lines of the answer, as a byte range.
    pub shows: Option<Range<usize>>,
    /// Advice for the user or model.
    pub hint: String,
}

/// The condition on the path of a [`Candidate`], for it to be an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Nothing.
    Nothing,
    /// A path of the project, of a file or with a folder for one.
    Room,
    /// A path of the project that exists.
    Existing,
}

/// A text that looks like an edit, and was not applied because no dialect reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRead {
    /// 1-based line at which it begins.
    pub line: u32,
    /// Its kind.
    pub kind: NotReadKind,
    /// The path that it names, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Advice for the user or model.
    pub hint: String,
}

/// Returns the reason why `what`, which is of `dialect`, was not read, and the remedy.
pub(crate) fn not_looked_for(what: &str, dialect: Dialect, choice: &Choice) -> String {
    let name = dialect.name();
    let why = match choice {
        Choice::Enabled(_) => format!("add `{name}` to `dialects.enabled`"),
        Choice::Auto | Choice::Named(_) => format!("leave out `--dialect`, or name `{name}` too"),
    };
    format!("{what} are not read in this answer: {why}")
}

pub(crate) fn others(choice: &Choice) -> Vec<Dialect> {
    match choice {
        Choice::Named(_) | Choice::Enabled(_) => {
            Dialect::AUTO.iter().copied().filter(|dialect| !choice.includes(*dialect)).collect()
        }
        Choice::Auto => Vec::new(),
    }
}
