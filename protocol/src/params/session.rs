//! Sessions: a working directory and a context that outlive a request.

use serde::{Deserialize, Serialize};

/// Parameters of `session.open`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOpenParams {
    /// Absolute path of the project.
    pub root: String,
    /// A name for it; an open session of that name is returned as it is. Absent: a new one with a new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Parameters of `session.get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionGetParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; absent: `default`, which every project has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Parameters of `session.set_cwd`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionSetCwdParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; absent: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// An existing folder within the project, absolute or relative to its root.
    pub cwd: String,
}

/// Parameters of `session.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionListParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `session.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// The sessions, by name.
    pub sessions: Vec<SessionInfo>,
}

/// Parameters of `session.close`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionCloseParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; closing `default` resets it.
    pub session: String,
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Its name.
    pub session: String,
    /// Absolute path of the project.
    pub root: String,
    /// Absolute path of its working directory.
    pub cwd: String,
    /// Absolute paths of its context.
    pub context: Vec<String>,
}

/// Result of `session.close`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionCloseResult {
    /// The session that was closed.
    pub closed: String,
}
