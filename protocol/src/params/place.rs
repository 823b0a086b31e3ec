//! `place`: where an editor goes for a failure.

use serde::{Deserialize, Serialize};

/// The place that a failure or its hint names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FailurePlace {
    /// The file, from the root: that of the action, or another one that the hint names.
    pub path: String,
    /// The same as a `file` URI.
    pub uri: String,
    /// The 0-based line that the hint, or else the error, names: in the file as the actions before would have
    /// left it, counted by `lines`. Absent: the place is the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}
