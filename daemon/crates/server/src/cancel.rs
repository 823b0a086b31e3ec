//! Cancelling a request: a flag that sync code polls and async code awaits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use clada_protocol::{ErrorKind, RpcError};
use tokio::sync::Notify;

/// The reason why a request is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CancelReason {
    /// The client asked for it.
    Requested = 1,
    /// Its deadline passed.
    Deadline = 2,
    /// The client went away.
    Disconnected = 3,
    /// The daemon stops.
    Stopping = 4,
}

impl CancelReason {
    /// Returns the error with which a request that stopped for this reason answers.
    #[must_use]
    pub fn error(self) -> RpcError {
        match self {
            CancelReason::Requested => RpcError::new(ErrorKind::Cancelled, "the request was cancelled"),
            CancelReason::Deadline => RpcError::new(ErrorKind::Timeout, "the request took too long")
                .hint("ask for less at once, or give it more time"),
            CancelReason::Disconnected => RpcError::new(ErrorKind::Cancelled, "the client disconnected"),
            CancelReason::Stopping => RpcError::new(ErrorKind::Cancelled, "the daemon is stopping")
                .hint("send the request again; a new daemon will be started"),
        }
    }
}

/// Shows whether a request is to stop. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<CancelState>);

#[derive(Debug, Default)]
struct CancelState {
    /// 0, or a [`CancelReason`].
    reason: AtomicU8,
    changed: Notify,
}

impl CancelToken {
    /// Requests the stop. The first reason stays.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        if self.0.reason.compare_exchange(0, reason as u8, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            self.0.changed.notify_waiters();
        }
    }

    /// Returns whether to stop. Cheap enough to call between any two steps.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.reason.load(Ordering::Acquire) != 0
    }

    /// Returns the reason to stop, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<CancelReason> {
        match self.0.reason.load(Ordering::Acquire) {
            1 => Some(CancelReason::Requested),
            2 => Some(CancelReason::Deadline),
            3 => Some(CancelReason::Disconnected),
            4 => Some(CancelReason::Stopping),
            _ => None,
        }
    }

    /// Waits until the request is to stop, and returns the reason.
    pub async fn cancelled(&self) -> CancelReason {
        loop {
            let mut changed = std::pin::pin!(self.0.changed.notified());
            changed.as_mut().enable();
            if let Some(reason) = self.reason() {
                return reason;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_stays_and_wakes_everybody() {
        let token = CancelToken::default();
        assert!(!token.is_cancelled() && token.reason().is_none());
        let waiting =
            [token.clone(), token.clone()].map(|token| tokio::spawn(async move { token.cancelled().await }));
        tokio::task::yield_now().await;
        token.cancel(CancelReason::Deadline);
        token.cancel(CancelReason::Requested);
        for task in waiting {
            assert_eq!(task.await.unwrap(), CancelReason::Deadline);
        }
        assert_eq!(token.cancelled().await, CancelReason::Deadline);
        assert_eq!(CancelReason::Requested.error().code, -32800);
    }
}
