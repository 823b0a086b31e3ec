//! The end of the program: the exit statuses, and failures with the next step.
//!
//! Knows nothing of the cause of a failure. Texts may hold foreign text (paths, messages of the daemon): it
//! is made visible here, once.

use std::process::ExitCode;

use clada_protocol::{RpcError, visible_block, visible_line};

/// The exit status (spec: cli).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All well.
    Ok,
    /// Something failed.
    Failed,
    /// Wrong usage.
    Usage,
    /// The daemon cannot be reached.
    NoDaemon,
    /// The status of the command that was run.
    Command(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Ok => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::NoDaemon => 3,
            Status::Command(status) => status,
        })
    }
}

/// The reason why there is no result.
#[derive(Debug)]
pub struct Failure {
    /// The exit status that it means.
    pub status: Status,
    /// A sentence about the event and its place.
    pub message: String,
    /// The next step, as advice.
    pub hint: Option<String>,
    /// The daemon's own error, if it is one.
    pub error: Option<Box<RpcError>>,
    /// True if the daemon went away with the request: some of it may be done.
    pub is_lost: bool,
}

impl Failure {
    /// Returns a failure with neither a hint nor an error of the daemon.
    pub fn new(status: Status, message: impl Into<String>) -> Failure {
        Failure { status, message: message.into(), hint: None, error: None, is_lost: false }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Status::Usage, message)
    }

    pub(crate) fn no_daemon(message: impl Into<String>) -> Failure {
        Failure::new(Status::NoDaemon, message)
    }

    pub(crate) fn interrupted() -> Failure {
        Failure::new(Status::Failed, "interrupted: nothing was applied")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the text for standard error: the daemon's error as it is if JSON is asked for.
    #[must_use]
    pub fn text(&self, json: bool) -> String {
        if let (true, Some(error)) = (json, &self.error)
            && let Ok(error) = serde_json::to_string(error)
        {
            return format!("{{\"error\":{error}}}\n");
        }
        let mut text = format!("clada: {}\n", visible_line(&self.message));
        for line in self.hint.iter().flat_map(|hint| hint.lines()) {
            text.push_str("  ");
            text.push_str(&visible_block(line));
            text.push('\n');
        }
        text
    }
}

impl From<RpcError> for Failure {
    fn from(error: RpcError) -> Failure {
        let hint = error.data.get("hint").and_then(serde_json::Value::as_str).map(str::to_owned);
        let message = error.message.clone();
        Failure { hint, error: Some(Box::new(error)), ..Failure::new(Status::Failed, message) }
    }
}
