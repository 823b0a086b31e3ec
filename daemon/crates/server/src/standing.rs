//! The standing of a connection among the others: the part of the shared memory that it holds, and the
//! reasons to keep it.
//!
//! All bytes that are kept for a client are counted here as long as they are kept: its messages and the
//! answers that wait for it. Bytes of requests that are still in progress when a client has gone are counted
//! until they are done. Must not know which connection has to close for which (`registry`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

const ACTIVE: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Total(AtomicUsize);

impl Total {
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn replace(&self, before: usize, now: usize) {
        // Wrapping is harmless: only bytes that were added before are subtracted.
        self.0.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }
}

/// The reasons for keeping a connection when one has to close, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EvictionRank {
    Silent,
    Active,
    Lasting,
}

#[derive(Debug)]
pub(super) struct Standing {
    /// The process that connected; 0 if it is not known.
    pub(super) process: i32,
    greeted: AtomicBool,
    subscriptions: AtomicUsize,
    /// The time of the last answer: milliseconds after `epoch`, plus one; 0 if there was none.
    answered: AtomicU64,
    epoch: Instant,
    unfinished: AtomicUsize,
    in_progress: AtomicUsize,
    total: Arc<Total>,
}

impl Standing {
    pub(super) fn new(process: i32, epoch: Instant, total: Arc<Total>) -> Standing {
        Standing {
            process,
            greeted: AtomicBool::new(false),
            subscriptions: AtomicUsize::new(0),
            answered: AtomicU64::new(0),
            epoch,
            unfinished: AtomicUsize::new(0),
            in_progress: AtomicUsize::new(0),
            total,
        }
    }

    pub(super) fn greet(&self) {
        self.greeted.store(true, Ordering::Relaxed);
    }

    pub(super) fn answer(&self) {
        let since = u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX - 1);
        self.answered.store(since + 1, Ordering::Relaxed);
    }

    pub(super) fn rank(&self, now: Instant) -> EvictionRank {
        let answered = self.answered.load(Ordering::Relaxed);
        let active = answered > 0 && self.epoch + Duration::from_millis(answered - 1) + ACTIVE > now;
        if self.is_subscribed() || self.greeted.load(Ordering::Relaxed) {
            EvictionRank::Lasting
        } else if active {
            EvictionRank::Active
        } else {
            EvictionRank::Silent
        }
    }

    pub(super) fn set_unfinished(&self, bytes: usize) {
        let before = self.unfinished.swap(bytes, Ordering::Relaxed);
        if before != bytes {
            self.total.replace(before, bytes);
        }
    }

    pub(super) fn unfinished(&self) -> usize {
        self.unfinished.load(Ordering::Relaxed)
    }

    pub(super) fn held(&self) -> usize {
        self.unfinished() + self.in_progress.load(Ordering::Relaxed)
    }

    pub(super) fn keep(self: &Arc<Standing>, bytes: usize) -> HeldBytes {
        self.in_progress.fetch_add(bytes, Ordering::Relaxed);
        self.total.replace(0, bytes);
        HeldBytes { standing: Arc::clone(self), bytes }
    }

    pub(super) fn subscriptions(&self) -> usize {
        self.subscriptions.load(Ordering::Relaxed)
    }

    pub(super) fn is_subscribed(&self) -> bool {
        self.subscriptions() > 0
    }

    pub(super) fn stay(self: &Arc<Standing>) -> Stay {
        self.subscriptions.fetch_add(1, Ordering::Relaxed);
        Stay(Arc::clone(self))
    }
}

#[derive(Debug)]
pub(super) struct HeldBytes {
    standing: Arc<Standing>,
    bytes: usize,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.standing.in_progress.fetch_sub(self.bytes, Ordering::Relaxed);
        self.standing.total.replace(self.bytes, 0);
    }
}

/// A subscription of a connection: as long as it is held, others are closed first.
#[derive(Debug)]
pub struct Stay(Arc<Standing>);

impl Drop for Stay {
    fn drop(&mut self) {
        self.0.subscriptions.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_for_a_minute_and_subscriptions_as_long_as_they_last() {
        let epoch = Instant::now();
        let standing = Arc::new(Standing::new(1, epoch, Arc::default()));
        assert_eq!(standing.rank(epoch), EvictionRank::Silent);
        standing.answer();
        assert_eq!(standing.rank(epoch), EvictionRank::Active);
        let later = Instant::now() + ACTIVE;
        assert_eq!(standing.rank(later), EvictionRank::Silent);
        let stay = standing.stay();
        assert_eq!(standing.rank(later), EvictionRank::Lasting);
        drop(stay);
        assert_eq!(standing.rank(later), EvictionRank::Silent);
        standing.greet();
        assert_eq!(standing.rank(later), EvictionRank::Lasting);
    }

    #[test]
    fn what_is_kept_is_counted_until_it_is_dropped() {
        let total = Arc::new(Total::default());
        let standing = Arc::new(Standing::new(1, Instant::now(), Arc::clone(&total)));
        standing.set_unfinished(100);
        let in_progress = standing.keep(10);
        standing.set_unfinished(30);
        assert_eq!((standing.unfinished(), standing.held(), total.bytes()), (30, 40, 40));
        standing.set_unfinished(0);
        drop(standing);
        assert_eq!(total.bytes(), 10, "what is worked on when its client has gone counts on");
        drop(in_progress);
        assert_eq!(total.bytes(), 0);
    }
}
