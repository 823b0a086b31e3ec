//! The kinds of failure, of a request and of an action: the one thing that programs branch on.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $name:literal;)*) => {
        /// The kind of a failure, machine-readable. Stable: a kind keeps its name and its code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)*
            /// A kind that this version does not know, as a newer daemon has them.
            #[serde(other, rename = "unknown")]
            Unknown,
        }

        impl ErrorKind {
            /// Every kind there is, but [`ErrorKind::Unknown`].
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant),*];

            /// Returns the name in `data.kind` and in results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(ErrorKind::$variant => $name,)* ErrorKind::Unknown => "unknown" }
            }

            /// Returns the sentence that says what it stands for.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(ErrorKind::$variant => concat!($($doc),+).trim_ascii(),)*
                    ErrorKind::Unknown => "A kind that this version does not know.",
                }
            }

            /// Returns the JSON-RPC error code: reserved ones as JSON-RPC has them, ours positive.
            #[must_use]
            pub const fn code(self) -> i32 {
                match self { $(ErrorKind::$variant => $code,)* ErrorKind::Unknown => 0 }
            }
        }
    };
}

kinds! {
    /// The frame is not JSON.
    ParseError = -32700, "parse_error";
    /// The JSON is not a request.
    InvalidRequest = -32600, "invalid_request";
    /// No such method, or not for this caller.
    MethodNotFound = -32601, "method_not_found";
    /// Parameters are missing, unknown or of the wrong type.
    InvalidParams = -32602, "invalid_params";
    /// A fault of the daemon; its id is in the log.
    Internal = -32603, "internal";
    /// The request was cancelled.
    Cancelled = -32800, "cancelled";
    /// The folder given as root does not exist or is not a folder.
    ProjectNotFound = 1, "project_not_found";
    /// No such session.
    SessionNotFound = 2, "session_not_found";
    /// No such plan, or it has expired.
    PlanNotFound = 3, "plan_not_found";
    /// Another operation holds the project, or the daemon has no room.
    Busy = 4, "busy";
    /// A limit would be exceeded; the message names it.
    LimitExceeded = 5, "limit_exceeded";
    /// The answer is larger than `limits.input`.
    InputTooLarge = 6, "input_too_large";
    /// The path leaves the allowed roots, or is not a path.
    PathEscape = 7, "path_escape";
    /// The path is denied by name (`.git`, `.clada`, `denied` globs).
    PathDenied = 8, "path_denied";
    /// The file is held back as a secret.
    Secret = 9, "secret";
    /// A symbolic link is where none is followed.
    SymlinkNotAllowed = 10, "symlink_not_allowed";
    /// A command is neither built in nor approved.
    CommandNotAllowed = 11, "command_not_allowed";
    /// The user has to approve this first.
    ApprovalRequired = 12, "approval_required";
    /// The file has changed since the change was planned.
    Conflict = 13, "conflict";
    /// This answer was applied before.
    AnswerAlreadyApplied = 14, "answer_already_applied";
    /// git could not do what was asked.
    GitOperationFailed = 15, "git_operation_failed";
    /// The file is not UTF-8 text, or holds NUL.
    NotText = 16, "not_text";
    /// The operating system refused; path and code are in the message.
    Io = 17, "io";
    /// The deadline passed.
    Timeout = 18, "timeout";
    /// The old text is not in the file.
    NoMatch = 19, "no_match";
    /// The old text occurs another number of times than asked.
    MatchCount = 20, "match_count";
    /// The old text fits several places, or a path several files.
    Ambiguous = 21, "ambiguous";
    /// The file already holds what the edit would insert.
    AlreadyInFile = 22, "already_in_file";
    /// No such file or folder.
    FileNotFound = 23, "file_not_found";
    /// The target exists and must not.
    FileExists = 24, "file_exists";
    /// A folder is where a file is meant.
    IsDirectory = 25, "is_directory";
    /// A file is where a folder is meant.
    NotDirectory = 26, "not_directory";
    /// A FIFO, socket or device is where a file is meant.
    NotRegularFile = 27, "not_regular_file";
    /// The folder is not empty.
    DirectoryNotEmpty = 28, "directory_not_empty";
    /// The operating system denies access.
    PermissionDenied = 29, "permission_denied";
    /// The file system is full, or a quota is.
    NoSpace = 30, "no_space";
    /// The file system is mounted read-only.
    ReadOnly = 31, "read_only";
    /// No action of that name.
    UnknownAction = 32, "unknown_action";
    /// The action is for users, not for a model's answer.
    NotAllowedForLlm = 33, "not_allowed_for_llm";
    /// The action is defined, but this version cannot carry it out.
    NotAvailable = 34, "not_available";
    /// A parameter's value makes no sense for this file (a line range past its end, an empty search).
    InvalidValue = 35, "invalid_value";
    /// Not applied because something that it needs was not.
    Skipped = 36, "skipped";
    /// The configuration cannot be used.
    InvalidConfig = 37, "invalid_config";
    /// No such operation, or it can no longer be resumed.
    OperationNotFound = 38, "operation_not_found";
    /// The operation was undone before.
    AlreadyUndone = 39, "already_undone";
    /// The former content cannot be restored.
    NotUndoable = 40, "not_undoable";
    /// A command ended with another status than 0, or could not be started.
    ExecFailed = 41, "exec_failed";
    /// Not done: edits for an editor cannot carry it, or it would see files without those edits.
    NotDelivered = 42, "not_delivered";
    /// This process may not call the daemon; `reason` says why.
    PeerNotAllowed = 43, "peer_not_allowed";
    /// The new text has a placeholder in place of lines that would be lost.
    Elision = 44, "elision";
    /// A file would be overwritten by the text of a patch.
    ContentIsPatch = 45, "content_is_patch";
    /// Numbers of lines that an earlier action of the answer has moved.
    LinesShifted = 46, "lines_shifted";
    /// Nothing waits for approval under this id: it was answered, asked again, or was dropped.
    ApprovalNotFound = 47, "approval_not_found";
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
