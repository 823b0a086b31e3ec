//! `history.list`, `history.show`, `undo`, `redo`: what was done, and taking it back.

use serde::{Deserialize, Serialize};

use super::{ActionResult, DryRun, GitReport, GitWhere, is_false};
use crate::ErrorKind;

/// The operations that `history.list` returns unless it is asked for another number.
pub const HISTORY_LIMIT: usize = 20;

/// Parameters of `history.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryListParams {
    /// Absolute path of the project.
    pub root: String,
    /// How many operations at most; absent: [`HISTORY_LIMIT`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Result of `history.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryListResult {
    /// Newest first.
    pub operations: Vec<OperationInfo>,
    /// There are older ones.
    #[serde(default, skip_serializing_if = "is_false")]
    pub more: bool,
    /// What a person should know: that a damaged record was set aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// An operation, as it is listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationInfo {
    /// Its id: sortable, later ones are greater.
    pub operation_id: String,
    /// What made it: `execute`, `undo` or `redo`.
    pub kind: String,
    /// How far it has come: `applying`, `done` or `interrupted`.
    pub status: String,
    /// When it began: milliseconds since 1970.
    pub began_ms: i64,
    /// In a few words, what it did.
    pub summary: String,
    /// The operation that it took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The operation that took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// Parameters of `history.show`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryShowParams {
    /// Absolute path of the project.
    pub root: String,
    /// The id of an operation, the beginning of one (at least 4 characters, of no other one), or `last`.
    pub operation: String,
    /// Also what was changed in the files.
    #[serde(default, skip_serializing_if = "is_false")]
    pub diff: bool,
}

/// Result of `history.show`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryShowResult {
    /// The operation.
    pub operation: OperationInfo,
    /// Of an answer that was carried out: what came of its actions, in their order, with the paths among their
    /// parameters. Empty for one that was cut off, and where it is not known any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionResult>,
    /// What it did to each path as a whole, in the order in which it came to them.
    pub changes: Vec<PathChange>,
    /// With `diff: true`: a git-style unified diff of what it did to files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What of it could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What was done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// A file or link came to be.
    Created,
    /// A file's content or mode, or a link's target, is another one.
    #[default]
    Changed,
    /// A file or link went.
    Deleted,
    /// A file or link came from elsewhere.
    Moved,
    /// A folder came to be.
    FolderCreated,
    /// A folder went.
    FolderDeleted,
}

impl ChangeKind {
    /// The word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ChangeKind::Created => "created",
            ChangeKind::Changed => "changed",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Moved => "moved",
            ChangeKind::FolderCreated => "created the folder",
            ChangeKind::FolderDeleted => "deleted the folder",
        }
    }
}

/// The change of one path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathChange {
    /// The path, absolute.
    pub path: String,
    /// The path's bytes as base64, if they are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// What was done.
    pub change: ChangeKind,
    /// Of a move: where it came from, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Of an undo with `merge`: later changes were kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub merged: bool,
    /// Why it was not done, or cannot be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// On failure: what kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ErrorKind>,
}

/// Parameters of `undo` and `redo`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoParams {
    /// Absolute path of the project.
    pub root: String,
    /// The operation to take back (of `redo`: the undo), by its id or the beginning of it (at least 4 characters, of
    /// no other one); absent: the last one that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Text that was changed since is merged instead of refused.
    #[serde(default, skip_serializing_if = "is_false")]
    pub merge: bool,
    /// What was changed since is overwritten.
    #[serde(default, skip_serializing_if = "is_false")]
    pub force: bool,
    /// Say what would be done and change nothing; the result carries `dryRun`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// Where commits go; absent: as the configuration has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitWhere>,
}

/// Result of `undo` and `redo`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoResult {
    /// All of it was taken back.
    pub success: bool,
    /// The id of the undo itself, which is an operation, too. Empty for a dry run.
    pub operation_id: String,
    /// The operation that was taken back.
    pub undone: OperationInfo,
    /// What was done to each path, in order. Empty if everything was as before already.
    pub changes: Vec<PathChange>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What became of commits: those of the operation are taken off the branch, or the reverse is committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitReport>,
    /// What went wrong after the files were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fatal_error: Option<String>,
    /// With `dryRun: true`, what would have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
}
