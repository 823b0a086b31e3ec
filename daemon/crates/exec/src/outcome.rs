//! How a command went, as data.

use std::path::PathBuf;
use std::time::Duration;

/// A command that was started, and has ended with everything that it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took, all in all.
    pub took: Duration,
    /// Processes of it that were still there when it was ended, and are not any more.
    pub swept: usize,
    /// Processes of it that could not be ended (those of another user, or stuck in the system).
    pub left: usize,
    /// What changed meanwhile and by which other programs run something, such as git's hooks.
    pub touched: Touched,
    /// Why it had no sockets with names, in a sentence, if it could not have them.
    pub no_sockets: Option<String>,
}

/// Files and folders by which other programs run something, and that changed while a command ran. A sandbox that
/// protects them leaves few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// The paths, absolute and sorted.
    pub paths: Vec<PathBuf>,
    /// Whether there were more than could be looked at.
    pub cut: bool,
}

impl Outcome {
    /// The exit status as a shell says it: 128 and the number of the signal for one that a signal ended.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        match self.ended {
            Ended::Exited(code) => Some(code),
            Ended::Signalled(signal) => Some(128 + signal),
            Ended::TimedOut | Ended::Stopped | Ended::TooManyProcesses | Ended::Lost => None,
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal, which did not come from us.
    Signalled(i32),
    /// By us, at its deadline.
    TimedOut,
    /// By us, because we were asked to.
    Stopped,
    /// By us, because it had more processes than it may.
    TooManyProcesses,
    /// It ended the process that watched it. What was left of it was ended; its status is not known.
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

/// What was kept of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The text; bytes that are no UTF-8 stand as U+FFFD, and `[output truncated]` where the middle was left out.
    pub text: String,
    /// All bytes that were written, kept or not.
    pub bytes: u64,
    /// Whether the middle was left out.
    pub truncated: bool,
    /// Whether there were bytes that are no UTF-8.
    pub lossy: bool,
}
