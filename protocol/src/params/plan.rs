//! `plan`: the changes that an answer would make, kept to be executed later, exactly or in part.

use std::collections::BTreeMap;
use std::sync::Arc;

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{
    Approval, ChangedFile, FailurePlace, LineEnds, MatchLevel, NotRead, OperationWarning, ParseIssue,
    PlannedFile, Proposal, ReportFormat, Reports, Review, SharedText, is_false, is_zero, shared_text,
};
use crate::ErrorKind;
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `plan`. Exactly one of `text`, `planId` and `resume` is given.
#[apply(wire_params)]
pub struct PlanParams {
    /// The answer.
    #[serde(default, deserialize_with = "shared_text::read_some")]
    pub text: Option<Arc<str>>,
    /// A saved plan, instead of a text: plans the rest of it (neither done, returned as edits, nor declined)
    /// again, over the overlays given now. Its answer is read as before; `atomic`, `match` and `again` are
    /// the plan's unless they are given.
    pub plan_id: Option<String>,
    /// The id of an operation, or `last` for the project's last one: plans its parts that did not succeed, and those
    /// that were not accepted, which have `leftOut` and are applied only if `accept` names them.
    pub resume: Option<String>,
    /// With `planId`: the ids of the only actions, hunks and groups of that plan to plan again, whether they
    /// were done or declined or not.
    pub only: Option<Vec<String>>,
    /// With `planId`: places of that plan that the user edited; they are planned as they were edited. Only a user
    /// may give it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<EditedPlace>,
    /// Absolute path of the project.
    pub root: String,
    /// The session whose working directory counts; absent: `default`.
    pub session: Option<String>,
    /// Names of the dialects to look for; absent: all that are enabled.
    pub dialects: Option<Vec<String>>,
    /// The lowest rung of the ladder that an edit may use; absent: each dialect's own default.
    #[serde(rename = "match")]
    pub match_level: Option<MatchLevel>,
    /// True to apply all of the answer or nothing.
    pub atomic: bool,
    /// The file that all code without a file name is for, absolute or relative to the root.
    pub to: Option<String>,
    /// Texts that stand in for files: an editor's unsaved buffers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<Overlay>,
    /// The line ends that the lines of `files` are counted by.
    #[serde(default, skip_serializing_if = "LineEnds::is_lsp")]
    pub lines: LineEnds,
    /// The number of lines around each hunk of `files` to return with it, as they stay; at most 100.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub context: usize,
    /// True if the answer is meant as it is written: guards against texts that say less than they replace
    /// only report their findings (spec: answers, section 2). Only a user may give it.
    pub literal: bool,
    /// True to plan what of the answer was applied before and still holds once more. Only a user may give it.
    pub again: bool,
    /// True to accept paths outside the allowed roots for this one call. Only a user may give it.
    pub allow_escape: bool,
    /// True to let it read and change files held back as secrets. Only a user may give it.
    pub include_secrets: bool,
    /// The caller's environment, as for `execute`: it decides which programs commands mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Milliseconds for each command, as for `execute`.
    pub timeout_ms: Option<u64>,
    /// The reports of what would be done to add to the result: `text`, `llm`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ReportFormat>,
    /// The parts to leave out of the result, which the caller does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omit: Vec<PlanPart>,
    /// True for `review` in the result.
    pub review: bool,
}

/// A place of a plan that the user edited, as the plan showed it.
#[apply(wire_params)]
pub struct EditedPlace {
    /// The id of the action or hunk that changes it: the only one of `parts` of a hunk of `files`, one of `hunks`
    /// of an action, or a proposal.
    pub part: String,
    /// The 0-based line at which it begins.
    pub start: usize,
    /// The lines that go, with their line ends.
    pub removed: Vec<String>,
    /// The lines that the answer puts there, with their line ends.
    pub added: Vec<String>,
    /// The lines that the user puts there, with their line ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The same as one text, in the place of `lines`: its lines end as those that they replace.
    pub text: Option<String>,
}

/// A part of the result of `plan` that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlanPart {
    /// The diffs of the whole plan and of hunks, which are empty then; `files` has the same lines.
    Diff,
}

/// A text that stands in for a file, which `path` or `uri` names.
#[apply(wire_params)]
pub struct Overlay {
    /// The file, absolute or relative to the root. What begins with `file://` is taken for a URI.
    pub path: Option<String>,
    /// The file as a `file` URI of this machine, percent-encoded; no other scheme is taken.
    pub uri: Option<String>,
    /// The text to use as the file's content.
    pub text: String,
    /// The editor's version of the document; edits of it carry this version.
    pub version: Option<i32>,
}

/// Result of `plan`.
#[apply(wire_type)]
pub struct PlanResult {
    /// The id to give to `execute`. Plans live in memory, are bounded in number and bytes, and expire.
    pub plan_id: String,
    /// Milliseconds until it expires.
    pub expires_in_ms: u64,
    /// The number of plans of the project that are kept for this connection now, this one counted. The oldest
    /// makes room when there are too many, or too large ones.
    #[serde(default)]
    pub kept: usize,
    /// Blocks in the answer.
    pub total_blocks: usize,
    /// One entry an action, in document order.
    pub actions: Vec<PlannedAction>,
    /// The faults that the parser found.
    pub parse_errors: Vec<ParseIssue>,
    /// The texts that look like edits, in a form that clada does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
    /// The changes that the answer shows without a dialect, in document order. `execute` applies those that
    /// `accept` names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<Proposal>,
    /// The files, from the root, that already are as the answer shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already: Vec<String>,
    /// Oddities that stop nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<OperationWarning>,
    /// The approvals that the user would have to give.
    pub approvals: Vec<Approval>,
    /// A git-style unified diff of all files, against what they hold now.
    pub diff: SharedText,
    /// The files that it would change, each once; at most [`crate::CHANGED_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedFile>,
    /// The number of changed files that `changed` does not list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changed_more: usize,
    /// The effect of the whole plan on each document, as it is now: one entry a document, in order of its
    /// path. With `review`, those of proposals come before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PlannedFile>,
    /// What is decided on, if `review` asked for it.
    pub review: Option<Review>,
    /// The reports that were asked for.
    pub reports: Option<Reports>,
}

/// Parameters of `plan.drop`.
#[apply(wire_params)]
pub struct PlanDropParams {
    /// Absolute path of the project.
    pub root: String,
    /// The plan to drop.
    pub plan_id: String,
}

/// Result of `plan.drop`.
#[apply(wire_type)]
pub struct PlanDropResult {
    /// True if there was such a plan.
    pub dropped: bool,
}

/// The planned effect of one action.
#[apply(wire_type)]
pub struct PlannedAction {
    /// The id to give to `execute` in `accept`.
    pub id: String,
    /// 1-based, in order of execution.
    pub seq: usize,
    /// `"N"` or `"N.M"`: the number in `[task-N]`.
    pub task: String,
    /// The block's id, if its dialect has ids.
    #[serialize_always]
    pub block_id: Option<String>,
    /// Canonical name of the action.
    pub action: String,
    /// The group that all of it belongs to, as `files` has it: the id to give to `execute` in `accept`. Absent
    /// if it belongs to none, or its hunks to several.
    pub group: Option<String>,
    /// The file it is about (of a move: the old path).
    pub path: Option<String>,
    /// Of a move: the new path.
    pub new_path: Option<String>,
    /// BLAKE3 of the file's content before this action, in hex; absent if there is no file.
    pub pre_hash: Option<String>,
    /// BLAKE3 of its content after this action, in hex; absent if there will be no file.
    pub post_hash: Option<String>,
    /// The change, hunk by hunk; each may be accepted alone. Empty for actions that change no text.
    pub hunks: Vec<PlannedHunk>,
    /// Of a change of several files: all of it as a unified diff, which can be accepted as a whole only.
    pub diff: Option<String>,
    /// True if some of `hunks` or `diff` had no room in the result; the action does more than they show.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Of a command: its text; of code: all of it.
    pub command: Option<String>,
    /// Of the deletion of a text: the number of its lines.
    pub lines: Option<usize>,
    /// True if something is already at the path that is written (of a move: at the new path), and is
    /// replaced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub replaces: bool,
    /// True if it only reads, lists or searches.
    #[serde(default, skip_serializing_if = "is_false")]
    pub looks: bool,
    /// The id of the approval that it needs.
    pub needs_approval: Option<String>,
    /// The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines.
    pub matched_by: Option<String>,
    /// The reason why it cannot be planned.
    pub unplannable: Option<Unplannable>,
    /// True if the file already holds this.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// Of a plan with `resume`: true if it was not accepted before. `execute` does it only if `accept` names it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub left_out: bool,
}

/// A hunk of a planned change.
#[apply(wire_type)]
pub struct PlannedHunk {
    /// The id to give to `execute` in `accept`.
    pub id: String,
    /// The hunk as a unified diff has it, with its `@@` line; empty if `omit` names `diff`.
    pub diff: SharedText,
}

/// The reason why an action cannot be planned.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unplannable {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// `{operation}: {issue} '{path}' ({CODE})`.
    pub error: String,
    /// The next step, as advice.
    pub hint: Option<String>,
    /// The end of `hint` that only a person can follow; an agent is sent neither.
    pub person_hint: Option<String>,
    /// The place that the error or its hint names, if that is in a file.
    pub place: Option<FailurePlace>,
}
