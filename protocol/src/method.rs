//! The table of methods: name, parameters, result, caller, and kinds of failure.
//!
//! One line a method. Dispatch, documentation and clients are made from it, so that they cannot disagree.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ErrorKind;
use crate::discover::{DiscoverParams, DiscoverResult};
pub use crate::handshake::CallerKind;
use crate::handshake::{
    HelloParams, HelloResult, ShutdownParams, ShutdownResult, StatusParams, StatusResult,
};
use crate::params::{
    ApprovalAnswerParams, ApprovalAnswerResult, ApprovalListParams, ApprovalListResult, ApproveAddParams,
    ApproveListParams, ApproveRemoveParams, ApproveResult, CheckpointBeginParams, CheckpointBeginResult,
    CheckpointDropParams, CheckpointDropResult, CheckpointEndParams, CheckpointListParams,
    CheckpointListResult, ConfigInitParams, ConfigInitResult, ConfigSetParams, ConfigSetResult,
    ConfigShowParams, ConfigShowResult, ConfigUnsetParams, ContextChangeParams, ContextParams, ContextResult,
    DoctorParams, DoctorResult, EmbedParams, EmbedResult, ExecuteParams, ExecuteSavedParams, ExecutionResult,
    GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, HistoryAdoptParams, HistoryAdoptResult,
    HistoryForgetParams, HistoryForgetResult, HistoryListParams, HistoryListResult, HistoryShowParams,
    HistoryShowResult, InstructionsParams, InstructionsResult, ParseParams, ParseResult, PlanDropParams,
    PlanDropResult, PlanParams, PlanResult, ProjectChangesParams, ProjectChangesResult, ProjectInitParams,
    ProjectInitResult, ProjectListParams, ProjectListResult, ProjectParams, ProjectRootParams,
    ProjectRootResult, ProjectUnwatchResult, ProjectWatchResult, SessionCloseParams, SessionCloseResult,
    SessionGetParams, SessionInfo, SessionListParams, SessionListResult, SessionOpenParams,
    SessionSetCwdParams, StageConfirmParams, StageConfirmResult, StageParams, StageResult,
    StageWriteBackParams, SubscribeParams, SubscribeResult, TextMergeParams, TextMergeResult, TrustAddParams,
    TrustRemoveParams, TrustResult, TrustShowParams, UndoParams, UndoResult, UnsubscribeParams,
    UnsubscribeResult,
};

/// The effect of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It changes nothing: it is cancelled when its client goes away.
    Reads,
    /// It changes what the daemon keeps (sessions, staging folders, approvals), and no file of a project. It
    /// is cancelled as well, and not for callers that may only read.
    Keeps,
    /// It may change files: it finishes whatever happens to its client.
    Changes,
}

/// A method, as a type.
pub trait Method: Send + Sync + 'static {
    /// Its name on the wire.
    const NAME: &'static str;
    /// Its line of the table.
    const INFO: MethodInfo;
    /// Its parameters, by name.
    type Params: Serialize + DeserializeOwned + Send + 'static;
    /// Its result.
    type Result: Serialize + DeserializeOwned + Send + Sync + 'static;
}

/// The description of a method without its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodInfo {
    /// Its name on the wire.
    pub name: &'static str,
    /// The least that a caller must be: a user may call what an agent may call.
    pub caller: CallerKind,
    /// Its effect on files.
    pub access: Access,
    /// Parameters that only a user may give.
    pub user_params: &'static [&'static str],
    /// Kinds of failure beyond those that any request can have.
    pub errors: &'static [ErrorKind],
    /// A sentence that says what it does.
    pub summary: &'static str,
}

impl MethodInfo {
    /// Returns whether it may change files.
    #[must_use]
    pub fn changes_files(&self) -> bool {
        self.access == Access::Changes
    }

    /// Returns whether it takes [`SETTINGS`]: those whose work depends on the configuration do.
    #[must_use]
    pub fn takes_settings(&self) -> bool {
        self.errors.iter().any(|kind| matches!(kind, ErrorKind::ProjectNotFound | ErrorKind::InvalidConfig))
    }

    /// Returns whether only a user may give the parameter `name`.
    #[must_use]
    pub fn is_user_param(&self, name: &str) -> bool {
        self.user_params.contains(&name) || (self.takes_settings() && name == SETTINGS)
    }

    /// Returns whether `caller` may call it; `read_only` if it may only read.
    #[must_use]
    pub fn is_for(&self, caller: CallerKind, read_only: bool) -> bool {
        self.caller <= caller && !(read_only && self.access != Access::Reads)
    }
}

/// The parameter of a user's requests with the settings of this request alone, which win over all others
/// ([`CallSettings`]).
pub const SETTINGS: &str = "settings";

/// The settings of one request: `section.key`, or the name of the variable (`CLADA_SECTION_KEY`), and the
/// value as in a file, or as text as in the environment.
pub type CallSettings = BTreeMap<String, serde_json::Value>;

/// Kinds of failure that any request can have.
pub const ANY_REQUEST: &[ErrorKind] = &[
    ErrorKind::ParseError,
    ErrorKind::InvalidRequest,
    ErrorKind::MethodNotFound,
    ErrorKind::InvalidParams,
    ErrorKind::Internal,
    ErrorKind::Cancelled,
    ErrorKind::Busy,
    ErrorKind::LimitExceeded,
    ErrorKind::Timeout,
    ErrorKind::PeerNotAllowed,
];

/// Kinds of failure that any request about a project can have, too: its file of settings may be at fault, or
/// the connection has been narrowed to other roots.
pub const ANY_OF_PROJECT: &[ErrorKind] = &[ErrorKind::InvalidConfig, ErrorKind::PathEscape];

/// The notification that asks for a request to be cancelled: `{id}`.
pub const CANCEL_REQUEST: &str = "$/cancelRequest";

/// Returns the line of the table for `name`.
#[must_use]
pub fn method_info(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|info| info.name == name)
}

/// A method with the schemas of its types.
#[cfg(feature = "schema")]
#[derive(Debug, Clone)]
pub struct MethodSchemas {
    /// Its line of the table.
    pub info: MethodInfo,
    /// The name of the type of its parameters.
    pub params_name: String,
    /// Its parameters: an object.
    pub params: schemars::Schema,
    /// Its result.
    pub result: schemars::Schema,
}

#[cfg(feature = "schema")]
fn of_method<P: schemars::JsonSchema, R: schemars::JsonSchema>(
    info: MethodInfo,
    params: &mut schemars::SchemaGenerator,
    results: &mut schemars::SchemaGenerator,
) -> MethodSchemas {
    MethodSchemas {
        info,
        params_name: P::schema_name().into_owned(),
        params: P::json_schema(params),
        result: results.subschema_for::<R>(),
    }
}

macro_rules! methods {
    ($(
        #[doc = $summary:literal]
        $method:ident = $name:literal: $params:ty => $result:ty,
        $caller:ident, $access:ident $(, user_only [$($reserved:literal),*])? $(, fails [$($error:ident),*])?;
    )*) => {
        $(
            #[doc = concat!("`", $name, "`:", $summary)]
            #[derive(Debug, Clone, Copy)]
            pub struct $method;

            impl Method for $method {
                const NAME: &'static str = $name;
                const INFO: MethodInfo = MethodInfo {
                    name: $name,
                    caller: CallerKind::$caller,
                    access: Access::$access,
                    user_params: &[$($($reserved),*)?],
                    errors: &[$($(ErrorKind::$error),*)?],
                    summary: $summary.trim_ascii(),
                };
                type Params = $params;
                type Result = $result;
            }
        )*

        /// Every method of this version.
        pub const METHODS: &[MethodInfo] = &[$($method::INFO),*];

        #[cfg(feature = "schema")]
        pub(crate) fn schemas(
            params: &mut schemars::SchemaGenerator,
            results: &mut schemars::SchemaGenerator,
        ) -> Vec<MethodSchemas> {
            vec![$(of_method::<$params, $result>($method::INFO, params, results)),*]
        }
    };
}

methods! {
    /// Agrees on a protocol and says what the daemon can do.
    Hello = "hello": HelloParams => HelloResult, Agent, Reads, fails [NotAvailable, PathEscape];
    /// Shows the state of the daemon: version, uptime, memory, limits, warnings.
    Status = "status": StatusParams => StatusResult, Agent, Reads;
    /// Checks the setup, and says what to do about each problem.
    Doctor = "doctor": DoctorParams => DoctorResult, Person, Reads, fails [InvalidConfig];
    /// Finishes what runs and ends the daemon.
    Shutdown = "shutdown": ShutdownParams => ShutdownResult, Person, Keeps;
    /// Returns the description of all methods, as OpenRPC has it: this document.
    Discover = "rpc.discover": DiscoverParams => DiscoverResult, Agent, Reads;
    /// Finds the actions and the errors in an answer; changes nothing.
    Parse = "parse": ParseParams => ParseResult, Agent, Reads, user_only ["env"],
        fails [InputTooLarge, ProjectNotFound, SessionNotFound];
    /// Plans an answer and saves the plan for `execute`; changes nothing.
    Plan = "plan": PlanParams => PlanResult, Agent, Reads,
        user_only ["again", "allowEscape", "edited", "env", "includeSecrets", "literal"],
        fails [InputTooLarge, LimitExceeded, ProjectNotFound, SessionNotFound];
    /// Drops a plan that nobody will execute.
    PlanDrop = "plan.drop": PlanDropParams => PlanDropResult, Person, Reads, fails [ProjectNotFound];
    /// Applies an answer or a plan and reports on every action.
    Execute = "execute": ExecuteParams => ExecutionResult, Agent, Changes,
        user_only [
            "allowEscape", "approve", "again", "decline", "env", "git", "gitAuthor", "includeSecrets", "literal",
            "lockFile", "noUndo", "owner", "saves"
        ],
        fails [InputTooLarge, LimitExceeded, ProjectNotFound, SessionNotFound, PlanNotFound, Conflict, Busy];
    /// Ends an editor's operation with what the editor saved: one entry in the history, one commit.
    ExecuteSaved = "execute.saved": ExecuteSavedParams => ExecutionResult, Person, Changes,
        fails [ProjectNotFound, OperationNotFound, Busy, Io];
    /// Lists the commands that are always approved in a project, and those that it proposes.
    ApproveList = "approve.list": ApproveListParams => ApproveResult, Person, Reads, fails [ProjectNotFound, Io];
    /// Always approves a command.
    ApproveAdd = "approve.add": ApproveAddParams => ApproveResult, Person, Keeps,
        fails [ProjectNotFound, FileNotFound, NotDirectory, PathEscape, CommandNotAllowed, Io];
    /// Revokes the approval of a command.
    ApproveRemove = "approve.remove": ApproveRemoveParams => ApproveResult, Person, Keeps,
        fails [ProjectNotFound, Io];
    /// Lists the answers that wait for a user's approval, and what was left out without one.
    ApprovalList = "approval.list": ApprovalListParams => ApprovalListResult, Person, Reads, fails [ProjectNotFound];
    /// Decides about an answer that waits for approval.
    ApprovalAnswer = "approval.answer": ApprovalAnswerParams => ApprovalAnswerResult, Person, Keeps,
        fails [ApprovalNotFound];
    /// Shows a project's configuration file and which settings need a user's trust.
    TrustShow = "trust.show": TrustShowParams => TrustResult, Person, Reads, fails [ProjectNotFound];
    /// Trusts a project's configuration file as it was shown.
    TrustAdd = "trust.add": TrustAddParams => TrustResult, Person, Keeps, fails [ProjectNotFound, Conflict, Io];
    /// Revokes the trust in a project's configuration files.
    TrustRemove = "trust.remove": TrustRemoveParams => TrustResult, Person, Keeps, fails [ProjectNotFound, Io];
    /// Lists the last operations of a project, newest first.
    HistoryList = "history.list": HistoryListParams => HistoryListResult, Person, Reads, fails [ProjectNotFound, Io];
    /// Shows what an operation did to each path.
    HistoryShow = "history.show": HistoryShowParams => HistoryShowResult, Person, Reads,
        fails [ProjectNotFound, OperationNotFound, Io];
    /// Adopts the operations of a project that is no longer at its path: this folder was there, or is a copy.
    HistoryAdopt = "history.adopt": HistoryAdoptParams => HistoryAdoptResult, Person, Keeps,
        fails [ProjectNotFound, OperationNotFound, Busy, Io];
    /// Deletes the records of one or all projects, or shows what it would delete.
    HistoryForget = "history.forget": HistoryForgetParams => HistoryForgetResult, Person, Keeps, fails [Busy, Io];
    /// Undoes an operation.
    Undo = "undo": UndoParams => UndoResult, Person, Changes,
        fails [ProjectNotFound, OperationNotFound, AlreadyUndone, NotUndoable, Conflict, Busy, Io];
    /// Redoes an operation that was undone.
    Redo = "redo": UndoParams => UndoResult, Person, Changes,
        fails [ProjectNotFound, OperationNotFound, AlreadyUndone, NotUndoable, Conflict, Busy, Io];
    /// Undoes changes of texts that an editor holds, and keeps what was changed since.
    TextMerge = "text.merge": TextMergeParams => TextMergeResult, Person, Reads;
    /// Begins to record what other programs change in a project.
    CheckpointBegin = "checkpoint.begin": CheckpointBeginParams => CheckpointBeginResult, Agent, Keeps,
        user_only ["owners"], fails [ProjectNotFound, ApprovalRequired, LimitExceeded, Busy, Io];
    /// Makes one operation of what changed since a checkpoint began.
    CheckpointEnd = "checkpoint.end": CheckpointEndParams => ExecutionResult, Agent, Keeps,
        fails [ProjectNotFound, OperationNotFound, Busy, Io];
    /// Lists the open checkpoints of a project.
    CheckpointList = "checkpoint.list": CheckpointListParams => CheckpointListResult, Person, Reads,
        fails [ProjectNotFound, Io];
    /// Drops a checkpoint: what changed since is not an operation.
    CheckpointDrop = "checkpoint.drop": CheckpointDropParams => CheckpointDropResult, Person, Keeps,
        fails [ProjectNotFound, OperationNotFound, Busy, Io];
    /// Makes one document for a prompt of files and folders.
    Embed = "embed": EmbedParams => EmbedResult, Agent, Reads,
        user_only ["includeSecrets", "output", "sink"],
        fails [ProjectNotFound, SessionNotFound, LimitExceeded, InvalidConfig, NotAvailable, GitOperationFailed, Io];
    /// Squashes the chosen commits, from HEAD downwards, into one.
    GitSquash = "git.squash": GitSquashParams => GitSquashResult, Person, Changes,
        fails [ProjectNotFound, GitOperationFailed, Busy];
    /// Checks out the commit before this one and stashes what is not committed.
    GitStepBack = "git.step_back": GitStepParams => GitStepResult, Person, Changes,
        fails [ProjectNotFound, GitOperationFailed, Busy];
    /// Checks out the commit after this one and restores what was stashed there.
    GitStepForward = "git.step_forward": GitStepParams => GitStepResult, Person, Changes,
        fails [ProjectNotFound, GitOperationFailed, Busy];
    /// Copies the files that changed, under flat names, into a new folder with a manifest.
    Stage = "stage": StageParams => StageResult, Agent, Keeps,
        fails [ProjectNotFound, ApprovalRequired, FileNotFound, InvalidConfig, Busy, Io];
    /// Confirms a staging folder: its files are not staged again, and the folder before it is deleted.
    StageConfirm = "stage.confirm": StageConfirmParams => StageConfirmResult, Agent, Keeps,
        fails [ProjectNotFound, FileNotFound, Busy, Io];
    /// Writes edited copies of staged files back to their places, as one operation.
    StageWriteBack = "stage.write_back": StageWriteBackParams => ExecutionResult, Person, Changes,
        fails [ProjectNotFound, ApprovalRequired, FileNotFound, LimitExceeded, InvalidConfig, Busy, Io];
    /// Writes a commented configuration and the list of what is not staged into a project that has none.
    ProjectInit = "project.init": ProjectInitParams => ProjectInitResult, Person, Changes,
        fails [ProjectNotFound, ApprovalRequired, PermissionDenied, Io];
    /// Watches a project, so that queries need not read all of it.
    ProjectWatch = "project.watch": ProjectParams => ProjectWatchResult, Person, Keeps,
        fails [ProjectNotFound, ApprovalRequired, Io];
    /// Stops watching a project.
    ProjectUnwatch = "project.unwatch": ProjectParams => ProjectUnwatchResult, Person, Keeps;
    /// Lists the projects that are watched.
    ProjectList = "project.list": ProjectListParams => ProjectListResult, Person, Reads;
    /// Finds the root of the project that a file or folder belongs to.
    ProjectRoot = "project.root": ProjectRootParams => ProjectRootResult, Person, Reads, fails [ProjectNotFound];
    /// Lists the files of a project that changed since a clock; watches it from then on.
    ProjectChanges = "project.changes": ProjectChangesParams => ProjectChangesResult, Agent, Reads,
        fails [ProjectNotFound, ApprovalRequired, Io];
    /// Sends changes of a project's files as they happen, as `event` notifications on this connection.
    Subscribe = "subscribe": SubscribeParams => SubscribeResult, Person, Keeps,
        fails [ProjectNotFound, ApprovalRequired, LimitExceeded, Io];
    /// Ends a subscription.
    Unsubscribe = "unsubscribe": UnsubscribeParams => UnsubscribeResult, Person, Keeps;
    /// Opens a session of a project, or returns the open one of that name.
    SessionOpen = "session.open": SessionOpenParams => SessionInfo, Agent, Keeps, fails [ProjectNotFound];
    /// Returns a session.
    SessionGet = "session.get": SessionGetParams => SessionInfo, Agent, Reads,
        fails [ProjectNotFound, SessionNotFound];
    /// Sets the working directory of a session.
    SessionSetCwd = "session.set_cwd": SessionSetCwdParams => SessionInfo, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound, FileNotFound, NotDirectory, PathEscape];
    /// Closes a session.
    SessionClose = "session.close": SessionCloseParams => SessionCloseResult, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound];
    /// Lists the sessions of a project.
    SessionList = "session.list": SessionListParams => SessionListResult, Agent, Reads, fails [ProjectNotFound];
    /// Adds files and folders to the context of a session.
    ContextAdd = "context.add": ContextChangeParams => ContextResult, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound, FileNotFound, PathEscape, PathDenied, LimitExceeded];
    /// Removes files and folders from the context of a session.
    ContextRemove = "context.remove": ContextChangeParams => ContextResult, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound, PathEscape];
    /// Lists the context of a session.
    ContextList = "context.list": ContextParams => ContextResult, Agent, Reads,
        fails [ProjectNotFound, SessionNotFound];
    /// Removes from the context of a session what is deleted or was never used.
    ContextPrune = "context.prune": ContextParams => ContextResult, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound];
    /// Empties the context of a session.
    ContextClear = "context.clear": ContextParams => ContextResult, Agent, Keeps,
        fails [ProjectNotFound, SessionNotFound];
    /// Returns the text that teaches a model a dialect and the actions it may use.
    Instructions = "instructions": InstructionsParams => InstructionsResult, Agent, Reads, fails [InvalidConfig];
    /// Returns every setting in force and where it came from.
    ConfigShow = "config.show": ConfigShowParams => ConfigShowResult, Person, Reads,
        fails [ProjectNotFound, InvalidConfig];
    /// Sets one key in the user's configuration file, or a project's; all else in it stays as it is.
    ConfigSet = "config.set": ConfigSetParams => ConfigSetResult, Person, Changes,
        fails [ProjectNotFound, ApprovalRequired, InvalidConfig, PermissionDenied, NotAvailable, Conflict, Io];
    /// Removes one key from the user's configuration file, or a project's; all else in it stays as it is.
    ConfigUnset = "config.unset": ConfigUnsetParams => ConfigSetResult, Person, Changes,
        fails [ProjectNotFound, ApprovalRequired, InvalidConfig, PermissionDenied, NotAvailable, Conflict, Io];
    /// Writes a commented configuration file, the user's or a project's, where there is none.
    ConfigInit = "config.init": ConfigInitParams => ConfigInitResult, Person, Changes,
        fails [ProjectNotFound, ApprovalRequired, InvalidConfig, PermissionDenied, NotAvailable, Conflict, Io];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_summaries_are_sentences() {
        for (index, info) in METHODS.iter().enumerate() {
            assert!(METHODS[..index].iter().all(|other| other.name != info.name), "{}", info.name);
            assert!(info.summary.ends_with('.'), "{}", info.name);
            assert_eq!(method_info(info.name), Some(info));
        }
        assert!(method_info("$/cancelRequest").is_none());
    }

    #[test]
    fn what_only_a_user_may_do() {
        assert_eq!(method_info("shutdown").unwrap().caller, CallerKind::Person);
        for name in [
            "approval.list",
            "approval.answer",
            "checkpoint.list",
            "checkpoint.drop",
            "config.show",
            "doctor",
            "config.set",
            "config.unset",
            "config.init",
            "history.adopt",
            "history.forget",
            "history.list",
            "trust.show",
            "trust.add",
            "trust.remove",
            "undo",
            "redo",
        ] {
            assert_eq!(method_info(name).unwrap().caller, CallerKind::Person, "{name}");
        }
        assert!(method_info("undo").unwrap().changes_files() && method_info("redo").unwrap().changes_files());
        assert!(method_info("execute").unwrap().changes_files());
        assert!(method_info("execute").unwrap().user_params.contains(&"allowEscape"));
    }

    #[test]
    fn what_depends_on_settings_takes_some_of_a_user() {
        for name in ["execute", "plan", "parse", "undo", "stage", "embed", "instructions", "config.show"] {
            let info = method_info(name).unwrap();
            assert!(info.takes_settings() && info.is_user_param(SETTINGS), "{name}");
        }
        for name in ["hello", "status", "shutdown", "unsubscribe"] {
            let info = method_info(name).unwrap();
            assert!(!info.takes_settings() && !info.is_user_param(SETTINGS), "{name}");
        }
    }

    #[test]
    fn what_an_agent_that_may_only_read_may_call() {
        let names = METHODS.iter().filter(|info| info.is_for(CallerKind::Agent, true)).map(|info| info.name);
        let expected = [
            "hello",
            "status",
            "rpc.discover",
            "parse",
            "plan",
            "embed",
            "project.changes",
            "session.get",
            "session.list",
            "context.list",
            "instructions",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }
}
