//! Why planning or executing ends before everything is done.

use clada_protocol::ErrorKind;

use crate::failure::Failure;

const MORE_TIME: &str = "allow more time with --total-timeout";

/// Why planning or executing stops between two actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The request was cancelled.
    Cancelled,
    /// Its deadline passed.
    Deadline,
}

impl Stop {
    /// The failure of an action that was not reached.
    #[must_use]
    pub fn failure(self) -> Failure {
        match self {
            Stop::Cancelled => Failure::with_message(
                ErrorKind::Cancelled,
                "Cancelled before it started (CANCELLED)".to_owned(),
            ),
            Stop::Deadline => Failure::with_message(
                ErrorKind::Timeout,
                "Out of time before it started (TIMEOUT)".to_owned(),
            )
            .person(MORE_TIME),
        }
    }

    /// The failure of a command that was ended.
    #[must_use]
    pub fn ended(self) -> Failure {
        match self {
            Stop::Cancelled => {
                Failure::with_message(ErrorKind::Cancelled, "Command was cancelled (CANCELLED)".to_owned())
            }
            Stop::Deadline => Failure::with_message(
                ErrorKind::Timeout,
                "Command was stopped: the time limit of the whole answer was reached (TIMEOUT)".to_owned(),
            )
            .person(MORE_TIME),
        }
    }
}
