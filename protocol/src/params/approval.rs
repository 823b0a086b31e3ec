//! `approval.*`: answers of agents that wait for a person's approval.

use serde::{Deserialize, Serialize};

use super::{Approval, SharedText, is_false, is_zero};

/// Parameters of `approval.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalListParams {
    /// Absolute path of the project; absent: every project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Result of `approval.list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalListResult {
    /// The answers that wait, the one that has waited longest first. At most 8, one a project.
    pub approvals: Vec<WaitingApproval>,
    /// The last operations of agents that left out what nobody had approved, the latest first. At most 8 a
    /// project; forgotten when the daemon ends or the project is let go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The number of entries that are missing in `leftOut`: those before the last 8 of a project, and what would be too
    /// much for one answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_listed: usize,
}

/// An answer of an agent that waits: nothing of it is done before a person has decided, or the time is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingApproval {
    /// The id to give to `approval.answer`. It is of this plan alone: an answer that is asked about again has
    /// another one.
    pub id: String,
    /// The root of its project, resolved.
    pub root: String,
    /// The name that its client gave in `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Milliseconds for which it has waited.
    pub waiting_ms: u64,
    /// Milliseconds until it is applied without what needs approval.
    pub expires_in_ms: u64,
    /// The approvals that are needed. `once` gives all of them.
    pub approvals: Vec<Approval>,
    /// A git-style unified diff of all that the answer changes, against what the files hold now.
    pub diff: SharedText,
    /// The changes since it was asked about before, under another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_since: Option<String>,
    /// All of it in words, as `clada approvals` shows it before it asks: harmless to print, no markup.
    #[serde(default)]
    pub text: String,
}

/// An operation of an agent that left out what needs approval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The operation: `execute` with `resume` takes it up.
    pub operation_id: String,
    /// The root of its project, resolved.
    pub root: String,
    /// The name that its client gave in `hello`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Milliseconds since it ended.
    pub ended_ms: u64,
    /// True if a person was asked and said no.
    #[serde(default, skip_serializing_if = "is_false")]
    pub declined: bool,
    /// The first lines of what it left out, one for each approval, at most 20.
    pub what: Vec<String>,
}

/// Parameters of `approval.answer`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswerParams {
    /// The id in `approval.list` and in the event.
    pub id: String,
    /// The decision.
    pub decision: ApprovalDecision,
}

/// A person's decision about an answer that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ApprovalDecision {
    /// All that needs approval is approved, for this one call as it was shown.
    Once,
    /// Nothing is: the rest of the answer is applied.
    #[default]
    No,
}

/// Result of `approval.answer`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerResult {
    /// True if the decision was taken; false if `once` turned out at once to be of no use, and `message` says
    /// why.
    pub answered: bool,
    /// The id under which it is asked about again, if it turned out at once that the plan is another one by
    /// now. Nothing was done then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_again: Option<String>,
    /// The reason why nothing was done of what `once` approved, and it is not asked about again either. For a
    /// user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
