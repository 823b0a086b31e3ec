//! What needs approval, and `approval.*`: answers of agents that wait for a person's approval.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{NotUndoable, SharedText, is_false, is_zero};
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `approval.list`.
#[apply(wire_params)]
pub struct ApprovalListParams {
    /// Absolute path of the project; absent: every project.
    pub root: Option<String>,
}

/// Result of `approval.list`.
#[apply(wire_type)]
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
#[apply(wire_type)]
pub struct WaitingApproval {
    /// The id to give to `approval.answer`. It is of this plan alone: an answer that is asked about again has
    /// another one.
    pub id: String,
    /// The root of its project, resolved.
    pub root: String,
    /// The name that its client gave in `hello`.
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
    pub changed_since: Option<String>,
    /// All of it in words, as `clada approvals` shows it before it asks: harmless to print, no markup.
    #[serde(default)]
    pub text: String,
}

/// An operation of an agent that left out what needs approval.
#[apply(wire_type)]
pub struct LeftOut {
    /// The operation: `execute` with `resume` takes it up.
    pub operation_id: String,
    /// The root of its project, resolved.
    pub root: String,
    /// The name that its client gave in `hello`.
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
#[apply(wire_params)]
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
#[apply(wire_type)]
pub struct ApprovalAnswerResult {
    /// True if the decision was taken; false if `once` turned out at once to be of no use, and `message` says
    /// why.
    pub answered: bool,
    /// The id under which it is asked about again, if it turned out at once that the plan is another one by
    /// now. Nothing was done then.
    pub asked_again: Option<String>,
    /// The reason why nothing was done of what `once` approved, and it is not asked about again either. For a
    /// user.
    pub message: Option<String>,
}

/// The subject of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ApprovalKind {
    /// A change to a file that runs by itself.
    #[default]
    File,
    /// A command, or code.
    Command,
    /// Working in a folder that is never a project by itself (`/`, the home folder).
    Root,
    /// A subject that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// Something that the user has to approve. Its id binds exactly this change: an approval given for it is of
/// no use for another.
#[apply(wire_type)]
pub struct Approval {
    /// The id to give to `execute` as `approve`. An agent gets none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The subject of an approval.
    pub kind: ApprovalKind,
    /// The task it belongs to.
    pub task: Option<String>,
    /// The file or folder; of a command, the folder that it runs in.
    pub path: String,
    /// Of a command: the command that would run. Its fields are alongside the others.
    #[serde(flatten)]
    pub command: Option<CommandApproval>,
    /// The reason why approval is needed.
    pub reason: String,
    /// Of a file: the change, as a git-style unified diff in which hidden characters are written out
    /// (`\u{200b}`). Meant to be read, not to be applied. A line that begins with a bracket says what is not
    /// shown.
    pub change: Option<String>,
    /// In a plan for a person: all but `change` in words to be shown as they are, several lines: no markup,
    /// visible characters only.
    pub text: Option<String>,
    /// True if the text holds control, bidi or invisible characters; read it with those made visible.
    #[serde(default, skip_serializing_if = "is_false")]
    pub suspicious: bool,
}

/// A command that waits for the user's approval, as it would run.
#[apply(wire_type)]
pub struct CommandApproval {
    /// The command as it is written; of code its language.
    pub command: String,
    /// Of code: the whole of it.
    pub code: Option<String>,
    /// The folder that it would run in, absolute.
    pub dir: String,
    /// The file of the program that would run.
    pub program: String,
    /// True if it reaches a network.
    pub network: bool,
    /// The id that approves it with a network, this once; absent if it has one anyway. An agent is not told it.
    pub with_network: Option<String>,
    /// Milliseconds that it may take.
    pub timeout_ms: u64,
    /// The sandbox that it would run in: `bubblewrap`, `landlock`, `sandbox-exec` or `none`.
    pub sandbox: String,
    /// The files that could not be restored if it changed them; absent if unknown.
    pub not_undoable: Option<NotUndoable>,
    /// Files of the project that have further names elsewhere: the command would change those too by writing
    /// to them.
    pub linked_outside: Option<LinkedOutside>,
    /// `counted` where the kernel keeps no bound on its processes: the daemon counts them now and then, and
    /// ends them if there are too many. Absent where the kernel keeps one.
    pub processes: Option<String>,
}

/// Files with further names (hard links) that were not found in the project: outside of it, or where git
/// ignores them.
#[apply(wire_type)]
pub struct LinkedOutside {
    /// The first 5 of their paths, from the root.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
}
