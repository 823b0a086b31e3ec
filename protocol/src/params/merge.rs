//! `text.merge`: undoes a change of a text and keeps what was changed since.

use serde::{Deserialize, Serialize};

/// Parameters of `text.merge`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextMergeParams {
    /// The texts, each with its change.
    pub texts: Vec<ChangedText>,
}

/// A text that was changed twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangedText {
    /// The text before the change that is undone.
    pub before: String,
    /// The text after it.
    pub after: String,
    /// The text now.
    pub now: String,
}

/// Result of `text.merge`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TextMergeResult {
    /// One entry a text: what it is without the change; `null` if what was changed since touches the same lines.
    pub texts: Vec<Option<String>>,
}
