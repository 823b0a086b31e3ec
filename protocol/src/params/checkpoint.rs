//! `checkpoint.begin`, `checkpoint.end`, `checkpoint.list`, `checkpoint.drop`: what another program changes
//! becomes one operation.

use std::collections::BTreeMap;

use macro_rules_attribute::apply;

use super::{ExecutionResult, is_false};
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `checkpoint.begin`.
#[apply(wire_params)]
pub struct CheckpointBeginParams {
    /// Absolute path of the project.
    pub root: String,
    /// A name for people: the summary of the operation begins with it.
    pub name: Option<String>,
    /// The session that it belongs to; absent: the client. An open checkpoint of the same session ends first.
    pub session: Option<String>,
    /// Milliseconds after which it is dropped if nobody ended it; absent: 24 hours.
    pub ttl_ms: Option<u64>,
    /// Processes of the user: when all of them are gone, the checkpoint ends by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<u32>,
}

/// Result of `checkpoint.begin`.
#[apply(wire_type)]
pub struct CheckpointBeginResult {
    /// The id of the checkpoint.
    pub checkpoint: String,
    /// The first of the files, from the root, whose content is not kept: an undo cannot restore them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_kept: Vec<String>,
    /// The number of such files.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub not_kept_count: usize,
    /// The result of the checkpoint of the same session that this one ended.
    pub ended: Option<Box<ExecutionResult>>,
    /// The warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `checkpoint.end`.
#[apply(wire_params)]
pub struct CheckpointEndParams {
    /// Absolute path of the project.
    pub root: String,
    /// The checkpoint; absent: the open one of the session.
    pub checkpoint: Option<String>,
    /// The session, without `checkpoint`; absent: the client.
    pub session: Option<String>,
    /// True to go on from here under the same id: what changes from now on is another operation.
    pub keep: bool,
}

/// Parameters of `checkpoint.list`.
#[apply(wire_params)]
pub struct CheckpointListParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `checkpoint.list`.
#[apply(wire_type)]
pub struct CheckpointListResult {
    /// The open checkpoints, oldest first.
    pub checkpoints: Vec<CheckpointInfo>,
    /// The warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// For each id in this result, the shortest beginning of it, at least 3 characters, that names it in this
    /// project today.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
}

/// An open checkpoint.
#[apply(wire_type)]
pub struct CheckpointInfo {
    /// Its id.
    pub checkpoint: String,
    /// Its name.
    pub name: Option<String>,
    /// Its session.
    pub session: Option<String>,
    /// The time when it began: milliseconds since 1970.
    pub began_ms: i64,
    /// Milliseconds after which it is dropped.
    pub ttl_ms: u64,
    /// True if an agent began it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_agent: bool,
    /// The position of HEAD when it began, in a git repository.
    pub head: Option<HeadNote>,
    /// The number of files whose content is not kept.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub not_kept_count: usize,
}

/// A position of HEAD.
#[apply(wire_type)]
pub struct HeadNote {
    /// The branch; `HEAD` if it is detached.
    pub branch: String,
    /// The commit; absent on a branch that has none yet.
    pub commit: Option<String>,
}

/// Parameters of `checkpoint.drop`.
#[apply(wire_params)]
pub struct CheckpointDropParams {
    /// Absolute path of the project.
    pub root: String,
    /// The checkpoint, by its id or the beginning of it (at least 3 characters, of no other one).
    pub checkpoint: String,
}

/// Result of `checkpoint.drop`.
#[apply(wire_type)]
pub struct CheckpointDropResult {
    /// The id of the checkpoint that was dropped.
    pub checkpoint: String,
}
