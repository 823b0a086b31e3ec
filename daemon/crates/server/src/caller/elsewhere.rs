//! Who calls, where processes cannot be looked at as on Linux: whoever has the user's rights is the person.

use std::io;
use std::os::fd::BorrowedFd;

use clada_config::ForeignNamespaces;
use clada_protocol::{CallerKind, RpcError};

/// Nobody is refused here.
#[derive(Debug)]
pub(super) enum Refused {}

impl Refused {
    pub(super) fn error(&self) -> RpcError {
        match *self {}
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

/// There is nothing to decide by.
#[derive(Debug, Clone)]
pub(super) struct Callers;

impl Callers {
    pub(super) fn new(_: ForeignNamespaces) -> Callers {
        Callers
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Linux, where both are needed")]
    pub(super) fn judge(&self, _: BorrowedFd<'_>, _: i32) -> io::Result<Result<CallerKind, Refused>> {
        Ok(Ok(CallerKind::Person))
    }
}

/// The parents of this process are not known.
pub(crate) fn helper_above_us() -> Option<i32> {
    None
}
