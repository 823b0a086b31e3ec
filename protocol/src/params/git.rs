//! `git.squash`, `git.step_back`, `git.step_forward`: the user's methods for commits of operations.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::is_false;
use crate::wire_type::{wire_params, wire_type};

/// The commits that `git.squash` takes, from HEAD down to the first that is none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SquashMode {
    /// Those that clada made.
    AutoAi,
    /// Those whose message begins as `git.commit_message_format` does.
    AiMessages,
    /// Those of the last `hours`.
    Hours,
    /// Those of the last `days`.
    Days,
    /// Those whose message holds `msgTarget`.
    MsgContains,
}

/// A position of HEAD.
#[apply(wire_type)]
pub struct HeadPosition {
    /// The reference that HEAD names, a branch as a rule; absent if HEAD is detached.
    pub reference: Option<String>,
    /// The commit.
    pub commit: String,
}

/// A move of HEAD, or of the branch that it names.
#[apply(wire_type)]
pub struct HeadMove {
    /// The position before.
    pub from: HeadPosition,
    /// The position after.
    pub to: HeadPosition,
}

/// A commit, as lists show it.
#[apply(wire_type)]
pub struct CommitInfo {
    /// Its id.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// True if clada made it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ours: bool,
}

/// Parameters of `git.squash`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GitSquashParams {
    /// Absolute path of the project.
    pub root: String,
    /// The commits that it takes.
    pub mode: SquashMode,
    /// The commit's message; absent: the subjects of the commits that it is made of.
    pub message: Option<String>,
    /// With `hours`: the number of hours, from 1 on.
    pub hours: Option<u32>,
    /// With `days`: the number of days, from 1 on.
    pub days: Option<u32>,
    /// With `msg_contains`: the text that the messages hold.
    pub msg_target: Option<String>,
    /// True to take also commits that were pushed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub force: bool,
    /// With `hours` and `days`: true to take also commits that clada did not make.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mine_too: bool,
    /// True to change nothing and only return the commits that would become one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// The last commit that the caller knows of: with another one nothing is done.
    pub tip: Option<String>,
}

/// Result of `git.squash`.
#[apply(wire_type)]
pub struct GitSquashResult {
    /// The one commit. Empty for a dry run.
    pub commit: String,
    /// The number of commits that it is made of.
    pub squashed: usize,
    /// The reference that keeps the former commits. Empty for a dry run.
    pub kept: String,
    /// The commits that it is made of, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitInfo>,
    /// The id of the operation, which `undo` takes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operation_id: String,
    /// The shortest beginning of `operationId` that names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub short_id: String,
    /// The warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `git.step_back` and `git.step_forward`.
#[apply(wire_params)]
pub struct GitStepParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `git.step_back` and `git.step_forward`.
#[apply(wire_type)]
pub struct GitStepResult {
    /// The commit that is checked out now.
    pub commit: String,
    /// The branch, if its end is reached again.
    pub branch: Option<String>,
    /// Files that were not committed and are in git's stash now, relative to the work tree.
    #[serde(default, rename = "stashed_files", skip_serializing_if = "Vec::is_empty")]
    pub stashed_files: Vec<String>,
    /// True if the changes that were stashed here before were restored.
    #[serde(default, skip_serializing_if = "is_false")]
    pub restored: bool,
    /// The conflicts that prevent the restoring. The changes stay in the stash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// With HEAD detached: the branch that this line of work belongs to, if it is one.
    pub line: Option<String>,
    /// The id of the operation, which `undo` takes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operation_id: String,
    /// The shortest beginning of `operationId` that names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub short_id: String,
    /// The warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
