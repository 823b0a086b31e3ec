//! `execute`: carry out an answer or a plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use macro_rules_attribute::apply;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_with::skip_serializing_none;

use super::{LineEnds, PlainMode, ReportFormat, ShowChanges, is_false, shared_text};
use crate::Id;
use crate::wire_type::wire_params;

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
#[apply(wire_params)]
pub struct ExecuteParams {
    /// The answer.
    #[serde(default, deserialize_with = "shared_text::read_some")]
    pub text: Option<Arc<str>>,
    /// A plan made by `plan`, instead of its text: what another process changed since is a conflict, in the
    /// results of its actions. With `accept`, exactly what was planned is applied. A plan that succeeded is
    /// dropped, unless some of its edits went to an editor.
    pub plan_id: Option<String>,
    /// Absolute path of the project.
    pub root: String,
    /// The session whose working directory counts; absent: `default`.
    pub session: Option<String>,
    /// Names of the dialects to look for; absent: all that are enabled.
    pub dialects: Option<Vec<String>>,
    /// The lowest rung of the ladder of matching that an edit may use; absent: as configured, else each
    /// dialect's own default. Not with `planId`: a plan is applied as it was made.
    #[serde(rename = "match")]
    pub match_level: Option<MatchLevel>,
    /// True to apply all of the answer or nothing, decided when it is planned.
    pub atomic: bool,
    /// The id of an operation, or `last` for the project's last one: retries its parts that did not succeed.
    /// Instead of `text` and `planId`.
    pub resume: Option<String>,
    /// What to do with changes that the answer shows without a dialect, except those that `accept` or
    /// `decline` names; absent: `refuse`. Not with `planId` and `accept`.
    pub plain: Option<PlainMode>,
    /// The file that all code without a file name is for, absolute or relative to the root. Not with
    /// `planId`.
    pub to: Option<String>,
    /// True to plan only and change nothing; the result carries `dryRun`.
    pub dry_run: bool,
    /// Of a plan: the ids of the actions, hunks, groups of hunks, proposals and hunks of proposals that are
    /// wanted; absent: all actions and no proposal. With a group among them, each group has to be wanted as a whole or not at all,
    /// and exactly its lines are changed.
    pub accept: Option<Vec<String>>,
    /// The destination of a plan's changes.
    #[serde(default, skip_serializing_if = "Deliver::is_disk")]
    pub deliver: Deliver,
    /// With `deliver: "mixed"`: the documents that an editor holds, as `file` URIs of files beneath the
    /// allowed roots. Their changes are returned; one that the plan does not touch does no harm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<String>,
    /// Those of `edits` that the client saves when it has applied their edits. They belong to the operation: if its
    /// result has `open`, the client has to call `execute.saved`. Absent: what the client saves is not recorded. Only a
    /// user may give it.
    pub saves: Option<Vec<String>>,
    /// With `saves`: the process of the editor. If it ends before `execute.saved`, the daemon ends the operation
    /// with what is on disk. Only a user may give it.
    pub owner: Option<u32>,
    /// The unit of the positions in `edits` of the result.
    #[serde(default, skip_serializing_if = "Units::is_utf16")]
    pub units: Units,
    /// The line ends that positions in `edits` of the result are counted by.
    #[serde(default, skip_serializing_if = "LineEnds::is_lsp")]
    pub lines: LineEnds,
    /// The user's approvals: `"listed"`, `"all"` or a list of approval ids.
    pub approve: Option<Approve>,
    /// The ids of approvals, proposals and hunks of proposals that the user has declined: they are reported as declined by the user,
    /// and `approvals` of the result does not ask for them again. Only a user may give it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decline: Vec<String>,
    /// Milliseconds for the whole request.
    pub total_timeout_ms: Option<u64>,
    /// True to apply the whole answer, also parts that were applied before and still hold. Only a user may
    /// give it.
    pub again: bool,
    /// The destination of commits; absent: as configured. Only a user may give it.
    pub git: Option<GitWhere>,
    /// The author of commits: a name, or `Name <address>`; absent: as configured. Only a user may give it.
    pub git_author: Option<String>,
    /// Absolute path of a file that is locked while the operation runs, for scripts that share a project with
    /// others. It is created if it is missing.
    pub lock_file: Option<String>,
    /// The milliseconds to wait for that lock; absent: [`LOCK_TIMEOUT_MS`].
    pub lock_timeout_ms: Option<u64>,
    /// True to change files although the journal cannot record it, so that nothing of it can be undone. Only
    /// a user may give it.
    pub no_undo: bool,
    /// True if the answer is meant as it is written: guards against texts that say less than they replace
    /// only report their findings (spec: answers, section 2). Only a user may give it.
    pub literal: bool,
    /// True to accept paths outside the allowed roots for this one call. Only a user may give it.
    pub allow_escape: bool,
    /// True to let it read and change files held back as secrets. Only a user may give it.
    pub include_secrets: bool,
    /// The caller's umask, which new files get; absent: the daemon's own. An agent's only takes more rights
    /// away.
    pub umask: Option<u32>,
    /// The caller's environment, of which commands get what the configuration hands on; absent: they get none
    /// of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Milliseconds for each command; absent: `limits.command_time`, by default [`COMMAND_TIMEOUT_MS`].
    pub timeout_ms: Option<u64>,
    /// Bytes that are kept of the output of each command; absent: `limits.command_output`, by default
    /// [`COMMAND_OUTPUT`].
    pub max_output: Option<u64>,
    /// What to return of the changes, besides what each action did; absent: what `apply.show` says.
    pub show: Option<ShowChanges>,
    /// True for notifications `execute.event` with the output of commands while they run.
    pub stream: bool,
    /// The reports to return with the result, as the client prints them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<ReportFormat>,
    /// True for `outcome` in the result.
    pub review: bool,
}

/// Parameters of the notification `execute.event`, which precede the result of an `execute` with `stream`.
#[skip_serializing_none]
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
    /// Of the beginning: the command as it is written; of code its language.
    pub command: Option<String>,
    /// Of output: the stream, `stdout` or `stderr`.
    pub stream: Option<String>,
    /// Of output: the text, with U+FFFD for bytes that are no UTF-8.
    pub text: Option<String>,
    /// Of the end: true if some of the output was not sent, since the client did not read it in time. The
    /// result has it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lost: bool,
    /// The id of the request.
    pub request: Option<Id>,
}

impl ExecuteEvent {
    /// Returns an event of an action, with nothing that only some kinds have.
    #[must_use]
    pub fn new(kind: ExecuteEventKind, seq: usize, task: &str) -> ExecuteEvent {
        let task = task.to_owned();
        ExecuteEvent { seq, task, kind, command: None, stream: None, text: None, lost: false, request: None }
    }
}

/// Parameters of the notification `waiting`: a request waits, since something else holds the project.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// The method of the request that waits.
    pub operation: String,
    /// The thing that it waits for; absent: another operation.
    #[serde(rename = "for")]
    pub for_: Option<WaitingFor>,
    /// The id of the request that waits.
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
    /// A holder that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
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
    /// A kind that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
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

impl ExecuteParams {
    /// Returns true if it changes no file, whatever the answer says.
    #[must_use]
    pub fn changes_nothing(&self) -> bool {
        self.dry_run || self.deliver == Deliver::Edits
    }
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
        enum WrittenApproval {
            Word(String),
            Ids(Vec<String>),
        }
        let bad = || serde::de::Error::custom("it must be \"listed\", \"all\" or a list of approval ids");
        match WrittenApproval::deserialize(deserializer).map_err(|_| bad())? {
            WrittenApproval::Word(word) if word == "listed" => Ok(Approve::Listed),
            WrittenApproval::Word(word) if word == "all" => Ok(Approve::All),
            WrittenApproval::Word(_) => Err(bad()),
            WrittenApproval::Ids(ids) => Ok(Approve::Ids(ids)),
        }
    }
}

/// Parameters of `execute.saved`, which ends an operation whose result has `open`.
#[apply(wire_params)]
pub struct ExecuteSavedParams {
    /// Absolute path of the project.
    pub root: String,
    /// The id of the operation.
    pub operation: String,
    /// The documents that the editor saved, as `file` URIs. What their files hold now belongs to the operation,
    /// with what a formatter did to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
    /// The documents that have their edits and are not saved, as `file` URIs. They are named in the history; undo
    /// leaves them to the editor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsaved: Vec<String>,
}
