//! `context.*`: the working set of a session.

use serde::{Deserialize, Serialize};

/// Parameters of `context.add` and `context.remove`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextChangeParams {
    /// Absolute path of the project.
    pub root: String,
    /// The session; absent: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Files and folders of the project, absolute or relative to its root.
    pub paths: Vec<String>,
}

/// Parameters of `context.list`, `context.prune` and `context.clear`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextParams {
    /// Absolute path of the project.
    pub root: String,
    /// The session; absent: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Result of the methods of `context`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextResult {
    /// The session.
    pub session: String,
    /// The entries of its context now, in the order of paths.
    pub context: Vec<ContextEntry>,
    /// The paths that were added, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// The paths that were removed, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// A file or folder in a session's context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContextEntry {
    /// The path, absolute.
    pub path: String,
    /// The size of a file in bytes; absent for a folder and for a missing path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}
