//! `execute.saved`: an editor says which documents of an operation it saved.

use serde::{Deserialize, Serialize};

/// Parameters of `execute.saved`, which ends an operation whose result has `open`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecuteSavedParams {
    /// Absolute path of the project.
    pub root: String,
    /// The id of the operation.
    pub operation: String,
    /// The documents that the editor saved, as `file` URIs. What their files hold now belongs to the operation,
    /// with what a formatter did to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
    /// The documents that have their edits and are not saved, as `file` URIs. They are named in the history; undo
    /// leaves them to the editor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaved: Vec<String>,
}
