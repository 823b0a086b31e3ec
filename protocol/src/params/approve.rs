//! `approve.*`: the commands that the user has approved for good in a project.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::is_false;

/// Parameters of `approve.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveListParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Parameters of `approve.add`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveAddParams {
    /// Absolute path of the project.
    pub root: String,
    /// The command, exactly as an answer would write it.
    pub command: String,
    /// The folder that it runs in, from the root; absent: the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// True if it may reach a network, also in a sandbox.
    #[serde(default, skip_serializing_if = "is_false")]
    pub network: bool,
    /// The file of the program that the user was asked about; absent: the one that the command means now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The caller's environment, as for `execute`: it decides which program the command means.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// Parameters of `approve.remove`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveRemoveParams {
    /// Absolute path of the project.
    pub root: String,
    /// The command.
    pub command: String,
}

/// Result of `approve.*`: the commands after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApproveResult {
    /// The commands, sorted.
    pub commands: Vec<ApprovedCommand>,
    /// The reason why the project's file could not be read: then none of them runs unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A command that is approved, or proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovedCommand {
    /// The command.
    pub command: String,
    /// The folder that it runs in, absolute; absent if the project only proposes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// The file of the program that it is approved for, absolute. Absent for an approval from before the file
    /// was recorded: then the user is asked once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// True if it may reach a network.
    pub network: bool,
    /// True if the user has approved it.
    pub approved: bool,
    /// True if `.clada/allowed-commands.json` lists it. It runs unasked only if it is approved and listed.
    pub listed: bool,
}
