//! Parameters and results of the methods, one file a group.

mod approval;
mod approve;
mod changed;
mod checkpoint;
mod config;
mod context;
mod data;
mod doctor;
mod edits;
mod embed;
mod execute;
mod executed;
mod forget;
mod git;
mod history;
mod instructions;
mod merge;
mod omitted;
mod parameters;
mod parse;
mod place;
mod plan;
mod proposal;
mod reports;
mod review;
mod session;
mod shared_text;
mod stage;
mod trust;
mod watch;
mod wire_path;

pub use approval::{
    Approval, ApprovalAnswerParams, ApprovalAnswerResult, ApprovalDecision, ApprovalKind, ApprovalListParams,
    ApprovalListResult, CommandApproval, LeftOut, LinkedOutside, WaitingApproval,
};
pub use approve::{ApproveAddParams, ApproveListParams, ApproveRemoveParams, ApproveResult, ApprovedCommand};
pub use changed::{
    CHANGED_FILES, ChangeKind, ChangedFile, FileHunk, PlannedFile, PlannedFileKind, ShowChanges,
};
pub use checkpoint::{
    CheckpointBeginParams, CheckpointBeginResult, CheckpointDropParams, CheckpointDropResult,
    CheckpointEndParams, CheckpointInfo, CheckpointListParams, CheckpointListResult, HeadNote,
};
pub use config::{
    ConfigInitParams, ConfigInitResult, ConfigSetParams, ConfigSetResult, ConfigShowParams, ConfigShowResult,
    ConfigUnsetParams, Setting,
};
pub use context::{ContextChangeParams, ContextEntry, ContextParams, ContextResult};
pub use data::*;
pub use doctor::{Check, CheckLevel, DoctorParams, DoctorResult, size_text};
pub use edits::{
    DocumentChange, LineEnds, Position, Range, ResourceKind, ResourceOptions, TextDocument, TextEdit,
    WorkspaceEdit,
};
pub use embed::{
    EMBED_EVENT, EmbedErrorMode, EmbedEvent, EmbedEventKind, EmbedFormat, EmbedIssue, EmbedNote, EmbedParams,
    EmbedPreamble, EmbedResult, EmbeddedFile, OmittedPath,
};
pub use execute::{
    Approve, COMMAND_OUTPUT, COMMAND_TIMEOUT_MS, Deliver, EXECUTE_EVENT, ExecuteEvent, ExecuteEventKind,
    ExecuteParams, ExecuteSavedParams, GitWhere, INPUT_LIMIT, LOCK_TIMEOUT_MS, MatchLevel, Units, WAITING,
    Waiting, WaitingFor,
};
pub use executed::{
    ActionResult, ActionStatus, DECLINED, DryRun, ExecutionResult, GitReport, HunkCount, NOT_ACCEPTED,
    OperationWarning, STALE_APPROVALS, WithinLine,
};
pub use forget::{HistoryForgetParams, HistoryForgetResult, ProjectRecord};
pub use git::{
    CommitInfo, GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, HeadMove, HeadPosition,
    SquashMode,
};
pub use history::{
    HISTORY_LIMIT, HistoryAdoptParams, HistoryAdoptResult, HistoryListParams, HistoryListResult,
    HistoryShowParams, HistoryShowResult, OperationInfo, PathChange, UndoParams, UndoResult,
};
pub use instructions::{Audience, InstructionsParams, InstructionsResult};
pub use merge::{ChangedText, TextMergeParams, TextMergeResult};
pub(crate) use omitted::{is_false, is_zero};
pub use parameters::{Parameter, Parameters};
pub use parse::{
    ActionMetadata, BlockInfo, NotRead, ParseIssue, ParseParams, ParseResult, ParseSummary, ParsedAction,
};
pub use place::FailurePlace;
pub use plan::{
    EditedPlace, Overlay, PlanDropParams, PlanDropResult, PlanParams, PlanPart, PlanResult, PlannedAction,
    PlannedHunk, Unplannable,
};
pub use proposal::{Attention, NamedBy, PlainMode, Proposal, ProposalForm};
pub use reports::{ReportFormat, Reports};
pub use review::{Outcome, Review, ReviewNote, ReviewSeverity, ReviewUnit};
pub use session::{
    SessionCloseParams, SessionCloseResult, SessionGetParams, SessionInfo, SessionListParams,
    SessionListResult, SessionOpenParams, SessionSetCwdParams,
};
pub use shared_text::SharedText;
pub use stage::{
    ProjectInitParams, ProjectInitResult, RemovedFile, RenamedFile, StageConfirmParams, StageConfirmResult,
    StageManifest, StageParams, StageResult, StageWriteBackParams, StagedFile,
};
pub use trust::{TrustAddParams, TrustRemoveParams, TrustResult, TrustShowParams, Widening};
pub use watch::{
    FileChange, PROJECT_EVENT, ProjectChangesParams, ProjectChangesResult, ProjectEvent, ProjectEventKind,
    ProjectListParams, ProjectListResult, ProjectParams, ProjectRootParams, ProjectRootResult,
    ProjectUnwatchResult, ProjectWatchResult, SubscribeParams, SubscribeResult, UnsubscribeParams,
    UnsubscribeResult, WatchedProject,
};
pub use wire_path::WirePath;
