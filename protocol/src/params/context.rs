//! `context.*`: the working set of a session.

use crate::wire_type::{wire_params, wire_type};
use macro_rules_attribute::apply;

/// Parameters of `context.add` and `context.remove`.
#[apply(wire_params)]
pub struct ContextChangeParams {
    /// Absolute path of the project.
    pub root: String,
    /// The session; absent: `default`.
    pub session: Option<String>,
    /// Files and folders of the project, absolute or relative to its root.
    pub paths: Vec<String>,
}

/// Parameters of `context.list`, `context.prune` and `context.clear`.
#[apply(wire_params)]
pub struct ContextParams {
    /// Absolute path of the project.
    pub root: String,
    /// The session; absent: `default`.
    pub session: Option<String>,
}

/// Result of the methods of `context`.
#[apply(wire_type)]
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
#[apply(wire_type)]
pub struct ContextEntry {
    /// The path, absolute.
    pub path: String,
    /// The size of a file in bytes; absent for a folder and for a missing path.
    pub size: Option<u64>,
}
