//! `project.*`, `subscribe`, `unsubscribe`: which projects are watched, and what changed in them.

use serde::{Deserialize, Serialize};

use super::{Approval, ChangeKind, is_false};

/// The notification that a subscription brings: a [`ProjectEvent`].
pub const PROJECT_EVENT: &str = "event";

/// Parameters of `project.watch` and `project.unwatch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `project.watch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectWatchResult {
    /// The root, as resolved.
    pub root: String,
    /// Where the project stands now, for `since` of `project.changes`.
    pub clock: String,
    /// How many files it has.
    pub files: u64,
    /// What is not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result of `project.unwatch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectUnwatchResult {
    /// Whether it was watched.
    pub watched: bool,
}

/// Parameters of `project.list`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectListParams {}

/// Result of `project.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectListResult {
    /// In the order of their roots.
    pub projects: Vec<WatchedProject>,
}

/// A project that is watched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchedProject {
    /// The root, as resolved.
    pub root: String,
    /// How many files it has; absent while it is looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Why every question about it goes through its whole tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// Parameters of `project.changes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectChangesParams {
    /// Absolute path of the project.
    pub root: String,
    /// The clock of an earlier answer; absent: every file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Looks at every file, for those that were changed in a way that raises no word of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub verify: bool,
}

/// Result of `project.changes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectChangesResult {
    /// Where the project stands now, for the next `since`.
    pub clock: String,
    /// These are all files there are: no clock was given, or what changed since then is not known. Whatever the caller
    /// knew of other files does not hold any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fresh: bool,
    /// What changed, the latest first, then what was deleted.
    pub files: Vec<FileChange>,
    /// What is not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How a file changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// `created`, `changed` or `deleted`.
    pub kind: ChangeKind,
    /// Clada made this change itself. Only events say so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own: bool,
}

/// Parameters of `subscribe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubscribeParams {
    /// Absolute path of the project.
    pub root: String,
    /// What to tell of; absent: everything that is told of in this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<ProjectEventKind>>,
}

/// Result of `subscribe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeResult {
    /// What its events, and `unsubscribe`, call it.
    pub subscription: String,
    /// Where the project stood: later changes are told of.
    pub clock: String,
    /// What is not as it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `unsubscribe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnsubscribeParams {
    /// The result of `subscribe`, on the same connection.
    pub subscription: String,
}

/// Result of `unsubscribe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsubscribeResult {
    /// Whether there was such a subscription.
    pub ended: bool,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProjectEventKind {
    /// Files changed. What clada changed itself is left out for those who are told of operations, too, and is `own`
    /// for others.
    #[default]
    Changed,
    /// What changed is staged in the background: the next `stage` has it ready.
    Staged,
    /// An operation has changed files: `operationId`, and the files.
    Executed,
    /// An operation was taken back by another one, `operationId`; the one taken back is `undoes`.
    Undone,
    /// An operation did not do what a person has to approve first: `operationId`, and `approvals`.
    ApprovalAsked,
    /// Nothing more comes: the project is gone, or watched no longer.
    Ended,
}

/// Something happened in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectEvent {
    /// Which subscription it belongs to.
    pub subscription: String,
    /// The root, as the subscriber gave it.
    pub root: String,
    /// What it is about.
    pub kind: ProjectEventKind,
    /// Where the project stands now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// These are all files there are: the root is another folder by now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fresh: bool,
    /// What changed since the event before, or by the operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// How many files are ready for the next `stage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<u64>,
    /// The operation that this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// What a person would have to approve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// The operation that it took back, or did again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Why nothing more comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
