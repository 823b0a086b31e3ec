//! The outcome of a command, as data.

use std::path::PathBuf;
use std::time::Duration;

/// A command that was started, and has ended with everything that it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The way it ended.
    pub ended: Ended,
    /// The standard output.
    pub stdout: Captured,
    /// The standard error.
    pub stderr: Captured,
    /// The time from start to end.
    pub took: Duration,
    /// The number of its processes that were still running when it was ended, and were ended with it.
    pub swept: usize,
    /// The number of its processes that could not be ended (those of another user, or stuck in the system).
    pub survivors: usize,
    /// Files that changed meanwhile and by which other programs run something, such as git's hooks.
    pub touched: Touched,
    /// The reason in a sentence why it could not have sockets with names, if so.
    pub no_sockets: Option<String>,
}

/// Files and folders by which other programs run something, and that changed while a command ran. A sandbox
/// that protects them leaves few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// The paths, absolute and sorted.
    pub paths: Vec<PathBuf>,
    /// True if there were more than could be checked.
    pub cut: bool,
}

impl Outcome {
    /// Returns the exit status as a shell reports it: for a command ended by a signal, 128 plus the signal's
    /// number.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        match self.ended {
            Ended::Exited(code) => Some(code),
            Ended::Signalled(signal) => Some(128 + signal),
            Ended::TimedOut | Ended::Stopped | Ended::TooManyProcesses | Ended::Lost => None,
        }
    }
}

/// The way a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal, which did not come from clada.
    Signalled(i32),
    /// By clada, at its deadline.
    TimedOut,
    /// By clada, on request.
    Stopped,
    /// By clada, because it had more processes than it may have.
    TooManyProcesses,
    /// The command ended the process that watched it. Its remaining processes were ended; its status is not
    /// known.
    Lost,
}

/// One of the two streams that a command writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// The part of a stream that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The text. Bytes that are not UTF-8 appear as U+FFFD, and `[output truncated]` marks a middle that was
    /// left out.
    pub text: String,
    /// The number of bytes that were written, kept or not.
    pub bytes: u64,
    /// True if the middle was left out.
    pub truncated: bool,
    /// True if there were bytes that are not UTF-8.
    pub lossy: bool,
}
