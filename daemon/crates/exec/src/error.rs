//! The reasons why a command could not be run at all. One that ran and failed is not an error but an
//! [`super::Outcome`].

use std::io;

/// The reason why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The helper could not be used.
    #[error("cannot {operation} with clada's helper process: {error}")]
    Helper {
        /// The operation that failed.
        operation: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// The helper could not start the command.
    #[error("cannot {operation}: {message}")]
    NotStarted {
        /// The operation that failed.
        operation: String,
        /// The helper's message.
        message: String,
        /// The system's code, if it has one.
        code: Option<i32>,
    },
    /// A sandbox is required, and there is none.
    #[error("no sandbox is available here, and exec.sandbox is 'require': {0}")]
    SandboxRequired(String),
    /// The sandbox cannot enclose this command, which therefore runs nowhere.
    #[error("cannot run in the sandbox {sandbox}: {why}")]
    Unenclosed {
        /// The name of the sandbox.
        sandbox: &'static str,
        /// The reason in words.
        why: &'static str,
    },
    /// A path that has to be protected cannot be.
    #[error("'{path}' cannot be protected in the sandbox: {reason}")]
    Unprotectable {
        /// The path to protect.
        path: String,
        /// The reason why it cannot be protected.
        reason: &'static str,
    },
    /// The repository that the command reads must not be read without approval any more. When the command was
    /// planned, it still could be.
    #[error("the repository has changed since the command was planned: {0}")]
    Unreadable(String),
    /// The private folder of the command could not be made or filled.
    #[error("cannot {operation} '{path}': {error}")]
    Scratch {
        /// The operation that failed.
        operation: &'static str,
        /// The path that it failed on.
        path: String,
        /// The system's error.
        error: io::Error,
    },
}

impl ExecError {
    pub(super) fn helper(operation: &'static str) -> impl FnOnce(io::Error) -> ExecError {
        move |error| ExecError::Helper { operation, error }
    }
}
