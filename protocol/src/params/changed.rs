//! The files that an operation changed, with the lines that came and went.

use serde::{Deserialize, Serialize};

use super::ChangeKind;

/// The most files that `changed` of a result lists.
pub const CHANGED_FILES: usize = 500;

/// The part of the changes that the result of an `execute` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShowChanges {
    /// The files and the numbers of their lines.
    Stat,
    /// Also the diff.
    Diff,
}

/// A file that an operation changed: from before it to after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The path, relative to the root; absolute outside of it.
    pub path: String,
    /// Of a file that was moved: the path that it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// `created`, `changed`, `deleted` or `moved`.
    pub kind: ChangeKind,
    /// The lines that came. Absent, as `removed`: of a secret, of what is no text, and of what is too large
    /// to be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    /// The lines that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
}
