//! `approve.*`: the commands that the user has approved for good in a project.

use std::collections::BTreeMap;

use macro_rules_attribute::apply;

use crate::wire_type::{wire_params, wire_type};

/// Parameters of `approve.list`.
#[apply(wire_params)]
pub struct ApproveListParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Parameters of `approve.add`.
#[apply(wire_params)]
pub struct ApproveAddParams {
    /// Absolute path of the project.
    pub root: String,
    /// The command, exactly as an answer would write it.
    pub command: String,
    /// The folder that it runs in, from the root; absent: the root.
    pub dir: Option<String>,
    /// True if it may reach a network, also in a sandbox.
    pub network: bool,
    /// The file of the program that the user was asked about; absent: the one that the command means now.
    pub program: Option<String>,
    /// The caller's environment, as for `execute`: it decides which program the command means.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// Parameters of `approve.remove`.
#[apply(wire_params)]
pub struct ApproveRemoveParams {
    /// Absolute path of the project.
    pub root: String,
    /// The command.
    pub command: String,
}

/// Result of `approve.*`: the commands after it.
#[apply(wire_type)]
pub struct ApproveResult {
    /// The commands, sorted.
    pub commands: Vec<ApprovedCommand>,
    /// The reason why the project's file could not be read: then none of them runs unasked.
    pub problem: Option<String>,
}

/// A command that is approved, or proposed.
#[apply(wire_type)]
pub struct ApprovedCommand {
    /// The command.
    pub command: String,
    /// The folder that it runs in, absolute; absent if the project only proposes it.
    pub dir: Option<String>,
    /// The file of the program that it is approved for, absolute. Absent for an approval from before the file
    /// was recorded: then the user is asked once more.
    pub program: Option<String>,
    /// True if it may reach a network.
    pub network: bool,
    /// True if the user has approved it.
    pub approved: bool,
    /// True if `.clada/allowed-commands.json` lists it. It runs unasked only if it is approved and listed.
    pub listed: bool,
}
