//! `history.list`, `history.show`, `undo`, `redo`: past operations, and undoing them.

use std::collections::BTreeMap;

use macro_rules_attribute::apply;

use super::{
    ActionResult, ChangeKind, DryRun, GitReport, GitWhere, HeadMove, ReportFormat, Reports, is_false,
};
use crate::ErrorKind;
use crate::wire_type::{wire_params, wire_type};

/// The operations that `history.list` returns unless it is asked for another number.
pub const HISTORY_LIMIT: usize = 20;

/// Parameters of `history.list`.
#[apply(wire_params)]
pub struct HistoryListParams {
    /// Absolute path of the project.
    pub root: String,
    /// The most operations to return; absent: [`HISTORY_LIMIT`].
    pub limit: Option<usize>,
}

/// Result of `history.list`.
#[apply(wire_type)]
pub struct HistoryListResult {
    /// Newest first.
    pub operations: Vec<OperationInfo>,
    /// Absolute path at which this folder may have been before: only its user knows, since the file system does
    /// not record when folders were created. `history.adopt` takes the operations of that project over.
    pub moved_from: Option<String>,
    /// True if there are older ones.
    #[serde(default, skip_serializing_if = "is_false")]
    pub more: bool,
    /// The warnings for the user: a damaged journal was set aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that
    /// names it in this project today.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
}

/// Parameters of `history.adopt`.
#[apply(wire_params)]
pub struct HistoryAdoptParams {
    /// Absolute path of the project.
    pub root: String,
    /// Absolute path at which the project was before; its folder is not there any more.
    pub from: String,
}

/// Result of `history.adopt`.
#[apply(wire_type)]
pub struct HistoryAdoptResult {
    /// Absolute path at which the project was before.
    pub from: String,
}

/// An operation, as lists show it.
#[apply(wire_type)]
pub struct OperationInfo {
    /// Its id: 12 letters from k to z, of an operation of an older version 18 hexadecimal digits. It says nothing
    /// about the order.
    pub operation_id: String,
    /// The kind: `execute`, `undo` or `redo`; `git` for a squash or a step; `record` for what changed while a checkpoint
    /// was open.
    pub kind: String,
    /// Its state: `applying`, `done` or `interrupted`.
    pub status: String,
    /// The time of its start: milliseconds since 1970.
    pub began_ms: i64,
    /// A few words about its effect.
    pub summary: String,
    /// The operation that it undid.
    pub undoes: Option<String>,
    /// The operation that undid it.
    pub undone_by: Option<String>,
    /// The first words of the answer, if it begins with words.
    pub title: Option<String>,
    /// The number of files that it changed; absent where nobody counted, as in older versions.
    pub files: Option<u32>,
    /// The first of them, relative to the root; absolute outside of it.
    pub first_file: Option<String>,
    /// The lines that it added to files.
    pub added: Option<u32>,
    /// The lines that it removed from files.
    pub removed: Option<u32>,
    /// Of a squash or a step, and of undoing one: the move of HEAD.
    pub head: Option<HeadMove>,
    /// True if its commits are on `refs/clada/…`, alongside the branch.
    #[serde(default, skip_serializing_if = "is_false")]
    pub beside_branch: bool,
}

/// Parameters of `history.show`.
#[apply(wire_params)]
pub struct HistoryShowParams {
    /// Absolute path of the project.
    pub root: String,
    /// The id of an operation, the beginning of one (at least 3 characters, of no other one), or `last`.
    pub operation: String,
    /// True to return also the changes in the files.
    pub diff: bool,
    /// True to return all parameters of its actions, as far as they are on record, not their paths alone.
    pub parameters: bool,
}

/// Result of `history.show`.
#[apply(wire_type)]
pub struct HistoryShowResult {
    /// The operation.
    pub operation: OperationInfo,
    /// Of an applied answer: the results of its actions, in their order, with the paths among their
    /// parameters, or with `parameters: true` all of them. Empty for one that was interrupted, and where it
    /// is no longer known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionResult>,
    /// Its effect on each path as a whole, in the order in which it came to them.
    pub changes: Vec<PathChange>,
    /// With `diff: true`: a git-style unified diff of its changes to files.
    pub diff: Option<String>,
    /// The parts of it that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that
    /// names it in this project today.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
}

/// The change of one path.
#[apply(wire_type)]
pub struct PathChange {
    /// The path, absolute.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// The kind of the change.
    pub change: ChangeKind,
    /// Of a move: the old path, absolute.
    pub from: Option<String>,
    /// The old path's bytes as base64, if they are not UTF-8.
    pub from_bytes: Option<String>,
    /// Of an undo with `merge`: true if later changes were kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub merged: bool,
    /// The reason why it was not done, or cannot be undone.
    pub error: Option<String>,
    /// On failure: its kind.
    pub kind: Option<ErrorKind>,
}

/// Parameters of `undo` and `redo`.
#[apply(wire_params)]
pub struct UndoParams {
    /// Absolute path of the project.
    pub root: String,
    /// The operation to undo (of `redo`: the undo), by its id or the beginning of it (at least 3 characters,
    /// of no other one); absent: the last one that is not undone.
    pub operation: Option<String>,
    /// True to merge text that was changed since instead of refusing.
    pub merge: bool,
    /// True to overwrite what was changed since.
    pub force: bool,
    /// Undoes only what was changed at these paths and beneath them: from the root, or absolute. The rest of the
    /// operation can still be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Leaves what was changed at these paths and beneath them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// The documents that an editor holds and that are not saved, as `file` URIs: nothing is undone if one of their
    /// files would change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaved: Vec<String>,
    /// True to change nothing and only report what would change; the result carries `dryRun`.
    pub dry_run: bool,
    /// The destination of commits; absent: as configured.
    pub git: Option<GitWhere>,
    /// The reports to return with the result, as the client prints them: `text` alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ReportFormat>,
}

/// Result of `undo` and `redo`.
#[apply(wire_type)]
pub struct UndoResult {
    /// True if all of it was undone.
    pub success: bool,
    /// The id of the undo itself, which is an operation, too. Empty for a dry run.
    pub operation_id: String,
    /// The operation that was undone.
    pub undone: OperationInfo,
    /// The change of each path, in order. Empty if everything was already as before.
    pub changes: Vec<PathChange>,
    /// The warnings for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The outcome of commits: those of the operation are taken off the branch, or the reverse is committed.
    pub git: Option<GitReport>,
    /// A failure after the files were changed.
    pub fatal_error: Option<String>,
    /// The reports that were asked for.
    pub reports: Option<Reports>,
    /// With `dryRun: true`, the changes that it would have made.
    pub dry_run: Option<DryRun>,
    /// For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that
    /// names it in this project today.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
}
