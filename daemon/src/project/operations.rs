//! The last operations of a project, as far as they can be resumed: bounded in number and bytes, and not for
//! ever.
//!
//! Operations that changed files are also in the project's journal; others, because all of it waits for the
//! user's approval, say, are only here.
//!
//! Time is passed in.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_apply::Resumable;

/// The word for the last operation of a project.
const LAST: &str = "last";
/// The time for which an operation can be resumed.
const LIFETIME: Duration = Duration::from_secs(4 * 60 * 60);
/// The most operations that a project keeps at a time.
const MAX_OPERATIONS: usize = 32;
/// The most bytes of a project's operations. The last one is kept whatever its size.
const MAX_BYTES: usize = 2 << 20;

/// The operations of one project, oldest first.
#[derive(Debug, Default)]
pub(super) struct Operations {
    kept: VecDeque<(String, Instant, Arc<Resumable>)>,
}

impl Operations {
    /// Keeps an operation that has ended; the oldest make room for it.
    pub(super) fn keep(&mut self, id: String, operation: Resumable, now: Instant) {
        drop(self.take_expired(now));
        self.kept.push_back((id, now, Arc::new(operation)));
        while self.kept.len() > MAX_OPERATIONS || (self.kept.len() > 1 && self.bytes() > MAX_BYTES) {
            self.kept.pop_front();
        }
    }

    /// Returns the operation with this id, or the last one, if it is remembered.
    pub(super) fn get(&mut self, id: &str, now: Instant) -> Option<Arc<Resumable>> {
        drop(self.take_expired(now));
        let wanted = |(kept, ..): &&(String, Instant, Arc<Resumable>)| id == LAST || kept == id;
        self.kept.iter().rev().find(wanted).map(|(.., operation)| Arc::clone(operation))
    }

    /// Returns whether an operation is within its lifetime.
    pub(super) fn has_any(&self, now: Instant) -> bool {
        self.kept.iter().any(|(_, since, _)| is_alive(*since, now))
    }

    /// Takes those that are past their lifetime.
    pub(super) fn take_expired(&mut self, now: Instant) -> VecDeque<(String, Instant, Arc<Resumable>)> {
        let expired = self.kept.partition_point(|(_, since, _)| !is_alive(*since, now));
        let alive = self.kept.split_off(expired);
        std::mem::replace(&mut self.kept, alive)
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|(.., operation)| operation.bytes()).sum()
    }
}

/// Returns whether what was kept at `since` is within its lifetime.
fn is_alive(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;
    use clada_apply::{Atomicity, Reading};
    use clada_config::Settings;

    fn operation(bytes: usize) -> Resumable {
        let reading = Reading::new(None, &Settings::default()).unwrap();
        Resumable::new("x".repeat(bytes).into(), reading, Atomicity::Blocks, None)
    }

    #[test]
    fn operations_are_found_by_id_and_the_last_by_its_word() {
        let (mut operations, now) = (Operations::default(), Instant::now());
        assert!(operations.get(LAST, now).is_none());
        operations.keep("1".to_owned(), operation(1), now);
        operations.keep("2".to_owned(), operation(2), now);
        assert_eq!(operations.get("1", now).unwrap().bytes(), 1);
        assert_eq!(operations.get(LAST, now).unwrap().bytes(), 2);
        assert!(operations.get("3", now).is_none());
        assert!(operations.get("1", now + LIFETIME).is_none());
    }

    #[test]
    fn operations_are_bounded_and_the_last_one_stays() {
        let (mut operations, now) = (Operations::default(), Instant::now());
        for id in 0..=MAX_OPERATIONS {
            operations.keep(id.to_string(), operation(1), now);
        }
        assert!(operations.get("0", now).is_none() && operations.get("1", now).is_some());
        operations.keep("large".to_owned(), operation(MAX_BYTES + 1), now);
        assert_eq!(operations.kept.len(), 1);
        assert!(operations.get(LAST, now).is_some());
    }
}
