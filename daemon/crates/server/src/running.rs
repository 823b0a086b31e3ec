//! The requests in progress, for callers that wait for the last of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::cancel::{CancelReason, CancelToken};

#[derive(Debug, Clone, Default)]
pub(crate) struct RunningRequests(Arc<RunningInner>);

#[derive(Debug, Default)]
struct RunningInner {
    tokens: Mutex<HashMap<u64, CancelToken>>,
    next: AtomicU64,
    empty: Notify,
}

#[derive(Debug)]
pub(crate) struct Entered {
    running: RunningRequests,
    key: u64,
}

impl RunningRequests {
    pub(crate) fn enter(&self, token: &CancelToken) -> Entered {
        let key = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.tokens().insert(key, token.clone());
        Entered { running: self.clone(), key }
    }

    pub(crate) fn begun(&self) -> u64 {
        self.0.next.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> usize {
        self.tokens().len()
    }

    pub(crate) fn cancel_all(&self, reason: CancelReason) {
        for token in self.tokens().values() {
            token.cancel(reason);
        }
    }

    pub(crate) async fn finished(&self) {
        loop {
            let mut empty = std::pin::pin!(self.0.empty.notified());
            empty.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            empty.await;
        }
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<u64, CancelToken>> {
        self.0.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut tokens = self.running.tokens();
        tokens.remove(&self.key);
        if tokens.is_empty() {
            self.running.0.empty.notify_waiters();
        }
    }
}
