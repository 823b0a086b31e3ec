//! `project.*`, `subscribe`, `unsubscribe`: the projects that are watched, and their changes.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{Approval, ApprovalDecision, ChangeKind, is_false};
use crate::wire_type::{wire_params, wire_type};

/// The notification that a subscription brings: a [`ProjectEvent`].
pub const PROJECT_EVENT: &str = "event";

/// Parameters of `project.watch` and `project.unwatch`.
#[apply(wire_params)]
pub struct ProjectParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Parameters of `project.root`.
#[apply(wire_params)]
pub struct ProjectRootParams {
    /// Absolute path of a file or folder, which need not exist.
    pub path: String,
}

/// Result of `project.root`.
#[apply(wire_type)]
pub struct ProjectRootResult {
    /// The root of its project, by the name that `path` has for it where it has one.
    pub root: String,
    /// The reason, such as `there is a .git folder`.
    pub why: String,
    /// True if `.git` or `.clada` is in it; else it is the folder of `path`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub marked: bool,
}

/// Result of `project.watch`.
#[apply(wire_type)]
pub struct ProjectWatchResult {
    /// The root, as resolved.
    pub root: String,
    /// The project's clock now, for `since` of `project.changes`.
    pub clock: String,
    /// The number of its files.
    pub files: u64,
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result of `project.unwatch`.
#[apply(wire_type)]
pub struct ProjectUnwatchResult {
    /// True if it was watched.
    pub watched: bool,
}

/// Parameters of `project.list`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectListParams {}

/// Result of `project.list`.
#[apply(wire_type)]
pub struct ProjectListResult {
    /// In the order of their roots.
    pub projects: Vec<WatchedProject>,
}

/// A project that is watched.
#[apply(wire_type)]
pub struct WatchedProject {
    /// The root, as resolved.
    pub root: String,
    /// The number of its files; absent while the daemon scans it.
    pub files: Option<u64>,
    /// The reason why every request about it scans its whole tree.
    pub degraded: Option<String>,
}

/// Parameters of `project.changes`.
#[apply(wire_params)]
pub struct ProjectChangesParams {
    /// Absolute path of the project.
    pub root: String,
    /// The clock of an earlier answer; absent: every file.
    pub since: Option<String>,
    /// True to check every file, for changes that raise no change event.
    pub verify: bool,
}

/// Result of `project.changes`.
#[apply(wire_type)]
pub struct ProjectChangesResult {
    /// The project's clock now, for the next `since`.
    pub clock: String,
    /// True if these are all files: no clock was given, or the changes since then are not known. The caller's
    /// knowledge of other files no longer holds.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fresh: bool,
    /// The files that changed, the latest first, then those that were deleted.
    pub files: Vec<FileChange>,
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The change of a file.
#[apply(wire_type)]
pub struct FileChange {
    /// Relative to the root.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// `created`, `changed` or `deleted`.
    pub kind: ChangeKind,
    /// Of a file that an operation moved here: the path that it had, which is listed as `deleted`. Only events
    /// about operations say so.
    pub old_path: Option<String>,
    /// True if clada made this change itself. Only events say so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own: bool,
}

/// Parameters of `subscribe`.
#[apply(wire_params)]
pub struct SubscribeParams {
    /// Absolute path of the project.
    pub root: String,
    /// The kinds of events to send; absent: every kind of this version.
    pub kinds: Option<Vec<ProjectEventKind>>,
}

/// Result of `subscribe`.
#[apply(wire_type)]
pub struct SubscribeResult {
    /// The id that its events and `unsubscribe` use.
    pub subscription: String,
    /// The project's clock at the start: later changes are reported.
    pub clock: String,
    /// The warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `unsubscribe`.
#[apply(wire_params)]
pub struct UnsubscribeParams {
    /// The result of `subscribe`, on the same connection.
    pub subscription: String,
}

/// Result of `unsubscribe`.
#[apply(wire_type)]
pub struct UnsubscribeResult {
    /// True if there was such a subscription.
    pub ended: bool,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ProjectEventKind {
    /// Files changed. Subscribers to operations do not get clada's own changes here; for other subscribers
    /// they are marked `own`.
    #[default]
    Changed,
    /// The changes are staged in the background: the next `stage` has them ready.
    Staged,
    /// An operation has changed files: `operationId`, and the files, at most 10,000; with `oldPath` where one
    /// was moved.
    Executed,
    /// An operation was undone by another one, `operationId`; the undone one is `undoes`.
    Undone,
    /// A person is to decide: an operation left out what needs approval (`operationId`, `approvals`), or an
    /// agent's answer waits for it (`approvalId`, `approvals`, `text`).
    ApprovalAsked,
    /// An answer waits no longer: it was decided about (`decision`), asked about again under another id, or
    /// is gone. `approvalId` says which.
    ApprovalAnswered,
    /// A checkpoint (`checkpoint`) began, was dropped, or ended as the operation `operationId`.
    Checkpoint,
    /// Nothing more comes: the project is gone, or watched no longer.
    Ended,
    /// A kind that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// An event of a project.
#[apply(wire_type)]
pub struct ProjectEvent {
    /// The subscription that it belongs to.
    pub subscription: String,
    /// The root, as the subscriber gave it.
    pub root: String,
    /// The kind of the event.
    pub kind: ProjectEventKind,
    /// The project's clock now.
    pub clock: Option<String>,
    /// True if these are all files: the root is another folder by now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fresh: bool,
    /// The files that changed since the event before, or by the operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// The number of files that are ready for the next `stage`.
    pub staged: Option<u64>,
    /// The operation that this is about.
    pub operation_id: Option<String>,
    /// True if a request of this connection did it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own: bool,
    /// The connection whose request did it; not on the wire.
    #[serde(skip)]
    #[serialize_always]
    pub connection: Option<u64>,
    /// The checkpoint that this is about.
    pub checkpoint: Option<String>,
    /// The approvals that the user would have to give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// True if `approvals` is left out, since it is more than 16 KiB: `approval.list` has what waits and what
    /// was left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub approvals_left_out: bool,
    /// The answer that waits, or waited: the id for `approval.answer`.
    pub approval_id: Option<String>,
    /// The approvals that are needed, in words to be shown as they are: no markup, visible characters only.
    pub text: Option<String>,
    /// The decision of the user.
    pub decision: Option<ApprovalDecision>,
    /// The operation that it undid, or did again.
    pub undoes: Option<String>,
    /// The reason why nothing more comes.
    pub message: Option<String>,
}
