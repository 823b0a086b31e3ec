//! Why a command could not be run at all. One that ran and failed is no error but an [`super::Outcome`].

use std::io;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The helper could not be used.
    #[error("exec: cannot {operation} with clada's helper process: {error}")]
    Helper {
        /// What was to be done.
        operation: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The helper could not start the command.
    #[error("exec: cannot {operation}: {message}")]
    NotStarted {
        /// What was to be done.
        operation: String,
        /// What was said.
        message: String,
        /// The system's code, if it has one.
        code: Option<i32>,
    },
    /// A sandbox is required, and there is none.
    #[error("exec: no sandbox is available here, and exec.sandbox is 'require': {0}")]
    SandboxRequired(String),
    /// A command was to run in a sandbox that cannot hold it: it runs nowhere else instead.
    #[error("exec: cannot run in the sandbox {sandbox}: {why}")]
    Unenclosed {
        /// The sandbox.
        sandbox: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// Something that has to be protected cannot be.
    #[error("exec: '{path}' cannot be protected in the sandbox: {reason}")]
    Unprotectable {
        /// What was to be protected.
        path: String,
        /// Why it cannot be.
        reason: &'static str,
    },
    /// The repository that the command reads must not be read without asking, which was not so when it was planned.
    #[error("exec: the repository has changed since the command was planned: {0}")]
    Unreadable(String),
    /// The private folder of the command could not be made or filled.
    #[error("exec: cannot {operation} '{path}': {error}")]
    Scratch {
        /// What was to be done.
        operation: &'static str,
        /// With what.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

impl ExecError {
    pub(super) fn helper(operation: &'static str) -> impl FnOnce(io::Error) -> ExecError {
        move |error| ExecError::Helper { operation, error }
    }
}
