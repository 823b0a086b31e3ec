//! `execute`: carry out an answer or a plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{
    ActionData, BlockInfo, FailurePlace, LineEnds, NotRead, Parameters, ParseIssue, ReportFormat, Reports,
    WorkspaceEdit, is_false, shared_text,
};
use crate::{ErrorKind, Id};

/// The largest answer in bytes, unless `limits.input` says otherwise.
pub const INPUT_LIMIT: usize = 50 << 20;

/// The milliseconds that a command may take unless a request says otherwise.
pub const COMMAND_TIMEOUT_MS: u64 = 30_000;

/// The bytes that are kept of a command's output unless a request says otherwise.
pub const COMMAND_OUTPUT: u64 = 10 << 20;

/// The milliseconds to wait for `lockFile` unless a request says otherwise.
pub const LOCK_TIMEOUT_MS: u64 = 10_000;

/// The notification of what commands do while they run: [`ExecuteEvent`].
pub const EXECUTE_EVENT: &str = "execute.event";

/// The notification that a request waits for its turn: [`Waiting`].
pub const WAITING: &str = "waiting";

/// Parameters of `execute`. Exactly one of `text`, `planId` and `resume` is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecuteParams {
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "shared_text::read_some")]
    pub text: Option<Arc<str>>,
    /// A plan made by `plan`, instead of its text: what another process changed since is a conflict, in the
    /// results of its actions. With `accept`, exactly what was planned is applied. A plan that was carried out with success is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Absolute path of the project.
    pub root: String,
    /// The session whose working directory counts; absent: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Names of the dialects to look for; absent: all that are enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialects: Option<Vec<String>>,
    /// The lowest rung of the ladder of matching that an edit may use; absent: as configured, else each
    /// dialect's own default. Not with `planId`: a plan is carried out as it was made.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub match_level: Option<MatchLevel>,
    /// True to apply all of the answer or nothing, decided when it is planned.
    #[serde(default, skip_serializing_if = "is_false")]
    pub atomic: bool,
    /// The id of an operation, or `last` for the project's last one: its parts that did not succeed are tried
    /// again. Instead of `text` and `planId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// True to plan only and change nothing; the result carries `dryRun`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// Of a plan: the ids of the actions, hunks and groups of hunks that are wanted; absent: all. With a
    /// group among them, each group has to be wanted as a whole or not at all, and exactly its lines are
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<Vec<String>>,
    /// The destination of a plan's changes.
    #[serde(default, skip_serializing_if = "Deliver::is_disk")]
    pub deliver: Deliver,
    /// With `deliver: "mixed"`: the documents that an editor holds, as `file` URIs of files beneath the
    /// allowed roots. Their changes are returned; one that the plan does not touch does no harm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<String>,
    /// The unit of the positions in `edits` of the result.
    #[serde(default, skip_serializing_if = "Units::is_utf16")]
    pub units: Units,
    /// The line ends that positions in `edits` of the result are counted by.
    #[serde(default, skip_serializing_if = "LineEnds::is_lsp")]
    pub lines: LineEnds,
    /// The user's approvals: `"listed"`, `"all"` or a list of approval ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// Milliseconds for the whole request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_timeout_ms: Option<u64>,
    /// True to apply the whole answer, also parts that were applied before and still hold. Only a user may
    /// give it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub again: bool,
    /// The destination of commits; absent: as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitWhere>,
    /// The author of commits: a name, or `Name <address>`; absent: as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_author: Option<String>,
    /// Absolute path of a file that is locked while the operation runs, for scripts that share a project with
    /// others. It is created if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_file: Option<String>,
    /// The milliseconds to wait for that lock; absent: [`LOCK_TIMEOUT_MS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_timeout_ms: Option<u64>,
    /// True to change files although the journal cannot record it, so that nothing of it can be undone. Only
    /// a user may give it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_undo: bool,
    /// True if the answer is meant as it is written: guards against texts that say less than they replace
    /// only report their findings (spec: answers, section 2). Only a user may give it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub literal: bool,
    /// True to accept paths outside the allowed roots for this one call. Only a user may give it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_escape: bool,
    /// True to let it read and change files held back as secrets. Only a user may give it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_secrets: bool,
    /// The caller's umask, which new files get; absent: the daemon's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    /// The caller's environment, of which commands get what the configuration hands on; absent: they get none
    /// of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Milliseconds for each command; absent: `limits.command_time`, by default [`COMMAND_TIMEOUT_MS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Bytes that are kept of the output of each command; absent: `limits.command_output`, by default
    /// [`COMMAND_OUTPUT`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// True for notifications `execute.event` with the output of commands while they run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stream: bool,
    /// The reports to return with the result, as the client prints them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ReportFormat>,
}

/// Parameters of the notification `execute.event`, which precede the result of an `execute` with `stream`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecuteEvent {
    /// The number of the action.
    pub seq: usize,
    /// The number in `[task-N]`.
    pub task: String,
    /// The kind of the event.
    pub kind: ExecuteEventKind,
    /// Of output: the stream, `stdout` or `stderr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// Of output: the text, with U+FFFD for bytes that are no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of the end: true if some of the output was not sent, since the client did not read it in time. The
    /// result has it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lost: bool,
    /// The id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Id>,
}

/// Parameters of the notification `waiting`: a request waits, since something else holds the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// The method of the request that waits.
    pub operation: String,
    /// The thing that it waits for; absent: another operation.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub for_: Option<WaitingFor>,
    /// The id of the request that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Id>,
}

/// A holder of a project other than an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// Processes that a command of an interrupted operation started, and that have not ended yet.
    InterruptedCommand,
    /// A person's answer to what it needs approval for.
    Approval,
}

/// The kind of an `execute.event` notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExecuteEventKind {
    /// A command begins.
    Started,
    /// It has written something.
    Output,
    /// It has ended.
    Finished,
}

/// The distance allowed between the old text and the text of a file (spec: dialects, "Matching").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MatchLevel {
    /// The text itself.
    Exact,
    /// Lines, up to blanks at their ends.
    Strict,
    /// Lines, as far as exactly one place can be meant.
    Tolerant,
}

/// The destination of an operation's commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GitWhere {
    /// On the branch that is checked out.
    Branch,
    /// On `refs/clada/…`, alongside the branch.
    Refs,
    /// Nowhere.
    Off,
}

/// The destination of a plan's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Deliver {
    /// Written to the files.
    #[default]
    Disk,
    /// Returned as a workspace edit for an editor; nothing is written.
    Edits,
    /// Of the documents that `edits` names returned as a workspace edit, of all others written to the files.
    Mixed,
}

/// The unit of positions in edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// UTF-16 code units within a line.
    #[default]
    Utf16,
    /// Whole lines, with their ends: `character` is always 0. After a last line without an end, the end of a
    /// range is the line after it, which there is not: it stands for the end of the document.
    Line,
}

impl Units {
    pub(crate) fn is_utf16(&self) -> bool {
        *self == Units::Utf16
    }
}

impl Deliver {
    pub(crate) fn is_disk(&self) -> bool {
        *self == Deliver::Disk
    }
}

/// The user's approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approve {
    /// Only what is on the lists of approved things: the default.
    Listed,
    /// Everything in this call.
    All,
    /// These approvals, by id.
    Ids(Vec<String>),
}

impl Serialize for Approve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Approve::Listed => serializer.serialize_str("listed"),
            Approve::All => serializer.serialize_str("all"),
            Approve::Ids(ids) => ids.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Approve {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Approve, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Word(String),
            Ids(Vec<String>),
        }
        let bad = || serde::de::Error::custom("approve is \"listed\", \"all\" or a list of approval ids");
        match Shape::deserialize(deserializer).map_err(|_| bad())? {
            Shape::Word(word) if word == "listed" => Ok(Approve::Listed),
            Shape::Word(word) if word == "all" => Ok(Approve::All),
            Shape::Word(_) => Err(bad()),
            Shape::Ids(ids) => Ok(Approve::Ids(ids)),
        }
    }
}

/// Result of `execute`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
    /// With `notRead`: instructions for writing an edit, for the model that wrote the answer; at most 350
    /// tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how_to_write: Option<String>,
    /// The reason why not everything could be carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fatal_error: Option<String>,
    /// The operation's id: sortable, later ones are greater. None of a dry run, with `deliver: "edits"`, or
    /// with `"mixed"` if nothing was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operation_id: String,
    /// Paths that another process changed during the operation, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_changes: Vec<String>,
    /// The commits that were made, or why none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitReport>,
    /// With `dryRun: true`, the changes that it would have made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
    /// With `deliver: "edits"` the changes; with `"mixed"` those of the documents that the editor holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<WorkspaceEdit>,
    /// The reports that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports: Option<Reports>,
    /// True if the result was cut at its size limit; each cut part is marked too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

/// The outcome of an operation's commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GitReport {
    /// Their destination: `branch`, `refs` or `off`.
    pub mode: String,
    /// The commit of the changes that were uncommitted before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The commit of the operation's changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Of an undo: the reference that keeps the commits that were taken off the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<String>,
    /// The reason why there are no commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// A remark about them for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The changes that a dry run would have made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
        }
    }
}

/// A line of which an edit changed a part only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WithinLine {
    /// Its number in the file after the action, from 1.
    pub line: usize,
    /// All of it; what is longer than 200 characters is cut, and ends with `…`.
    pub text: String,
}

/// The result of one action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ErrorKind>,
    /// On failure: `{operation}: {issue} '{path}' ({CODE})`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// On failure: the next step, or the current content of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The end of `hint` that only a user can follow: a flag, or a change of their configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_hint: Option<String>,
    /// On failure: the place that it or its hint names, if that is in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<FailurePlace>,
    /// The rung of the ladder that matched, if it is one that ignores more than blanks at the end of lines:
    /// `indentation`, `already_applied`, `text_damage`, `blank_lines`, `elision`, `context`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<String>,
    /// On a failed exact match: the rung that would match at exactly one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_match: Option<String>,
    /// The line, as it became, of which an exact match was only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_line: Option<WithinLine>,
    /// True if the file already held this; nothing was written.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// What the action yields (spec: actions); of a failure, what there is of it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "unread")]
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

/// Reads the data of an action of which nothing else is known yet.
fn unread<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ActionData>, D::Error> {
    Ok(Option::<Value>::deserialize(deserializer)?.map(ActionData::Other))
}

/// Something odd that stopped nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperationWarning {
    /// The action it belongs to, if it belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The oddity, in words.
    pub message: String,
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
}

/// Something that the user has to approve. Its id binds exactly this change: an approval given for it is of
/// no use for another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// The id to give to `execute` as `approve`. An agent gets none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The subject of an approval.
    pub kind: ApprovalKind,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The file or folder; of a command, the folder that it runs in.
    pub path: String,
    /// Of a command: the command that would run. Its fields are alongside the others.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandApproval>,
    /// The reason why approval is needed.
    pub reason: String,
    /// Of a file: the change, as a git-style unified diff in which hidden characters are written out
    /// (`\u{200b}`). Meant to be read, not to be applied. A line that begins with a bracket says what is not
    /// shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// True if the text holds control, bidi or invisible characters; read it with those made visible.
    #[serde(default, skip_serializing_if = "is_false")]
    pub suspicious: bool,
}

/// A command that waits for the user's approval, as it would run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandApproval {
    /// The command as it is written; of code its language.
    pub command: String,
    /// Of code: the whole of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The folder that it would run in, absolute.
    pub dir: String,
    /// The file of the program that would run.
    pub program: String,
    /// True if it reaches a network.
    pub network: bool,
    /// Milliseconds that it may take.
    pub timeout_ms: u64,
    /// The sandbox that it would run in: `bubblewrap`, `landlock`, `sandbox-exec` or `none`.
    pub sandbox: String,
    /// The files that could not be restored if it changed them; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_undoable: Option<NotUndoable>,
    /// Files of the project that have further names elsewhere: the command would change those too by writing
    /// to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked_outside: Option<LinkedOutside>,
    /// `counted` where the kernel keeps no bound on its processes: the daemon counts them now and then, and
    /// ends them if there are too many. Absent where the kernel keeps one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<String>,
}

/// Files with further names (hard links) that were not found in the project: outside of it, or where git
/// ignores them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkedOutside {
    /// The first 5 of their paths, from the root.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
}

/// Paths that no undo restores: ignored by git, or different from git's copy and too large to be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotUndoable {
    /// The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
    /// True if the project is too large to be read as a whole: there may be more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incomplete: bool,
}
