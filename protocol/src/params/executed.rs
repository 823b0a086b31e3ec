//! The result of `execute`: what became of each action, and what is asked of a person.

use std::collections::BTreeMap;

use macro_rules_attribute::apply;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::{
    ActionData, Approval, BlockInfo, ChangedFile, FailurePlace, NotRead, Outcome, Parameters, ParseIssue,
    Proposal, Reports, WorkspaceEdit, is_false, is_zero,
};
use crate::ErrorKind;
use crate::wire_type::wire_type;

/// The end of the message of an action that was left out of a plan.
pub const NOT_ACCEPTED: &str = "Not accepted (SKIPPED)";

/// The message of an action that the user has declined, without the operation in front.
pub const DECLINED: &str = "Declined by the user (SKIPPED)";

/// The member of a `conflict`'s data that is `true` if nothing was done since files have changed after the user was
/// shown what the given approvals are for: the user is to be asked again.
pub const STALE_APPROVALS: &str = "staleApprovals";

/// Result of `execute`.
#[apply(wire_type)]
pub struct ExecutionResult {
    /// True if everything parsed and succeeded.
    pub success: bool,
    /// Blocks in the answer.
    pub total_blocks: usize,
    /// The blocks in document order.
    #[serde(default)]
    pub blocks: Vec<BlockInfo>,
    /// Actions that were attempted.
    pub executed_actions: usize,
    /// One entry an action, in document order.
    pub results: Vec<ActionResult>,
    /// Oddities that stopped nothing.
    pub warnings: Vec<OperationWarning>,
    /// The approvals that the user would have to give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// The faults that the parser found.
    pub parse_errors: Vec<ParseIssue>,
    /// The texts that look like edits, in a form that clada does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
    /// The changes that the answer shows without a dialect and that were not applied: nobody decided on them,
    /// they were declined, or they need a decision of their own. In document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
    /// The files, from the root, that already are as the answer shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already: Vec<String>,
    /// With `notRead`: instructions for writing an edit, for the model that wrote the answer; at most 350
    /// tokens.
    pub how_to_write: Option<String>,
    /// The reason why not everything could be applied.
    pub fatal_error: Option<String>,
    /// The operation's id. None of a dry run, with `deliver: "edits"`, or
    /// with `"mixed"` if nothing was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operation_id: String,
    /// Paths that another process changed during the operation, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_changes: Vec<String>,
    /// The files that it changed, or would change, each once, from before the operation to after it; at most
    /// [`crate::CHANGED_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedFile>,
    /// The number of changed files that `changed` does not list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changed_more: usize,
    /// Of `checkpoint.end`: the files that changed while the checkpoint was open, as `changed` lists them.
    pub files: Option<Vec<ChangedFile>>,
    /// With `show` or `apply.show` as `diff`, the changes as a git-style unified diff. A dry run has them in `dryRun`.
    pub diff: Option<String>,
    /// The commits that were made, or why none were.
    pub git: Option<GitReport>,
    /// With `dryRun: true`, the changes that it would have made.
    pub dry_run: Option<DryRun>,
    /// With `deliver: "edits"` the changes; with `"mixed"` those of the documents that the editor holds.
    pub edits: Option<WorkspaceEdit>,
    /// True if the operation waits for the editor: `execute.saved` ends it. Its commit is made then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub open: bool,
    /// The outcome as an editor shows it, if `review` asked for it.
    pub outcome: Option<Outcome>,
    /// The reports that were asked for.
    pub reports: Option<Reports>,
    /// True if the result was cut at its size limit; each cut part is marked too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// For each id of an operation in this result, the shortest beginning of it, at least 3 characters, that
    /// names it in this project today.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub short_ids: BTreeMap<String, String>,
}

/// The outcome of an operation's commits.
#[apply(wire_type)]
pub struct GitReport {
    /// Their destination: `branch`, `refs` or `off`.
    pub mode: String,
    /// The commit of the changes that were uncommitted before.
    pub before: Option<String>,
    /// The commit of the operation's changes.
    pub after: Option<String>,
    /// Of an undo: the reference that keeps the commits that were taken off the branch.
    pub retracted: Option<String>,
    /// The reason why there are no commits.
    pub skipped: Option<String>,
    /// A remark about them for the user.
    pub note: Option<String>,
}

/// The changes that a dry run would have made.
#[apply(wire_type)]
pub struct DryRun {
    /// A git-style unified diff of all files, against what they hold now.
    pub diff: String,
}

/// The end of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum ActionStatus {
    /// Done, or nothing to do.
    #[default]
    Success,
    /// Not done; its files are untouched.
    Error,
    /// Not attempted.
    Skip,
    /// Not attempted because the answer as a whole cannot run.
    Fatal,
    /// An end that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

impl ActionStatus {
    /// Returns the word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ActionStatus::Success => "SUCCESS",
            ActionStatus::Error => "ERROR",
            ActionStatus::Skip => "SKIP",
            ActionStatus::Fatal => "FATAL",
            ActionStatus::Unknown => "UNKNOWN",
        }
    }
}

/// A line of which an edit changed a part only.
#[apply(wire_type)]
pub struct WithinLine {
    /// Its number in the file after the action, from 1.
    pub line: usize,
    /// All of it; what is longer than 200 characters is cut, and ends with `…`.
    pub text: String,
}

/// How much of a change was applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HunkCount {
    /// The number of hunks that were applied.
    pub done: usize,
    /// The number of hunks that the change has.
    pub of: usize,
}

/// The result of one action.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", remote = "Self")]
pub struct ActionResult {
    /// 1-based, in order of execution.
    pub seq: usize,
    /// `"N"` or `"N.M"`: the number in `[task-N]`.
    pub task: String,
    /// The block that holds it: its place in `blocks`, counted from 0.
    #[serde(default)]
    pub block: usize,
    /// The block's id, if its dialect has ids.
    #[serialize_always]
    pub block_id: Option<String>,
    /// Canonical name of the action.
    pub action: String,
    /// Its parameters. Texts over 1 kB are cut, which `truncated` says.
    pub params: Parameters,
    /// The status at its end.
    pub status: ActionStatus,
    /// True if `status` is SUCCESS.
    pub success: bool,
    /// On failure: its kind.
    pub kind: Option<ErrorKind>,
    /// On failure: `{operation}: {issue} '{path}' ({CODE})`.
    pub error: Option<String>,
    /// On failure: the next step, or the current content of the file.
    pub hint: Option<String>,
    /// The end of `hint` that only a user can follow: a flag, or a change of their configuration.
    pub person_hint: Option<String>,
    /// On failure: the place that it or its hint names, if that is in a file.
    pub place: Option<FailurePlace>,
    /// The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines:
    /// `indentation`, `already_applied`, `text_damage`, `blank_lines`, `elision`, `context`.
    pub matched_by: Option<String>,
    /// On a failed exact match: the rung that would match at exactly one place.
    pub would_match: Option<String>,
    /// The line, as it became, of which an exact match was only a part.
    pub within_line: Option<WithinLine>,
    /// Present if only some hunks of the change were accepted.
    pub hunks: Option<HunkCount>,
    /// The number of edits that the user made to its change before it was applied: the file has the user's lines there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edited: usize,
    /// True if the file already held this; nothing was written.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// True if the user declined it; of an action that changes several lines, all of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub declined: bool,
    /// What the action yields (spec: actions); of a failure, what there is of it.
    #[serde(default, deserialize_with = "unread")]
    pub data: Option<ActionData>,
    /// True if something of `data` or `params` was cut.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Milliseconds that it took.
    pub duration_ms: u64,
}

impl Serialize for ActionResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ActionResult::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for ActionResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ActionResult, D::Error> {
        let mut result = ActionResult::deserialize(deserializer)?;
        // Its shape depends on members that may come after it.
        if let Some(ActionData::Other(data)) = result.data.take() {
            result.data = Some(ActionData::read(&result.action, result.kind, data));
        }
        Ok(result)
    }
}

fn unread<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ActionData>, D::Error> {
    Ok(Option::<Value>::deserialize(deserializer)?.map(ActionData::Other))
}

/// Something odd that stopped nothing.
#[apply(wire_type)]
pub struct OperationWarning {
    /// The action it belongs to, if it belongs to one.
    pub task: Option<String>,
    /// The oddity, in words.
    pub message: String,
}
