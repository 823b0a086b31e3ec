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
use clada_protocol::CallerKind;

use super::plans::Maker;

const LAST: &str = "last";
const LIFETIME: Duration = Duration::from_secs(4 * 60 * 60);
const MAX_OPERATIONS: usize = 32;
const MAX_BYTES: usize = 2 << 20;

#[derive(Debug, Default)]
pub(super) struct Operations {
    operations: VecDeque<ResumableOperation>,
}

#[derive(Debug)]
pub(super) struct ResumableOperation {
    id: String,
    maker: Maker,
    since: Instant,
    operation: Arc<Resumable>,
}

impl Operations {
    pub(super) fn keep(&mut self, id: String, maker: Maker, operation: Resumable, now: Instant) {
        drop(self.take_expired(now));
        self.operations.push_back(ResumableOperation {
            id,
            maker,
            since: now,
            operation: Arc::new(operation),
        });
        while self.operations.len() > MAX_OPERATIONS
            || (self.operations.len() > 1 && self.bytes() > MAX_BYTES)
        {
            self.operations.pop_front();
        }
    }

    /// A person takes up any operation, an agent only its own: the results show the answer.
    pub(super) fn get(&mut self, id: &str, maker: &Maker, now: Instant) -> Option<Arc<Resumable>> {
        drop(self.take_expired(now));
        let is_own = |saved: &ResumableOperation| maker.caller == CallerKind::Person || saved.maker == *maker;
        let is_wanted = |saved: &&ResumableOperation| (id == LAST || saved.id == id) && is_own(saved);
        self.operations.iter().rev().find(is_wanted).map(|saved| Arc::clone(&saved.operation))
    }

    pub(super) fn has_any(&self, now: Instant) -> bool {
        self.operations.iter().any(|saved| is_alive(saved.since, now))
    }

    pub(super) fn take_expired(&mut self, now: Instant) -> VecDeque<ResumableOperation> {
        let expired = self.operations.partition_point(|saved| !is_alive(saved.since, now));
        let alive = self.operations.split_off(expired);
        std::mem::replace(&mut self.operations, alive)
    }

    fn bytes(&self) -> usize {
        self.operations.iter().map(|saved| saved.operation.bytes()).sum()
    }
}

fn is_alive(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;
    use clada_apply::{Atomicity, Reading};
    use clada_config::Settings;

    fn person() -> Maker {
        Maker { caller: CallerKind::Person, roots: None }
    }

    fn operation(bytes: usize) -> Resumable {
        let reading = Reading::new(None, &Settings::default()).unwrap();
        Resumable::new("x".repeat(bytes).into(), reading, Atomicity::Blocks, None)
    }

    #[test]
    fn operations_are_found_by_id_and_the_last_by_its_word() {
        let (mut operations, now) = (Operations::default(), Instant::now());
        assert!(operations.get(LAST, &person(), now).is_none());
        operations.keep("1".to_owned(), person(), operation(1), now);
        operations.keep("2".to_owned(), person(), operation(2), now);
        assert_eq!(operations.get("1", &person(), now).unwrap().bytes(), 1);
        assert_eq!(operations.get(LAST, &person(), now).unwrap().bytes(), 2);
        assert!(operations.get("3", &person(), now).is_none());
        assert!(operations.get("1", &person(), now + LIFETIME).is_none());
    }

    #[test]
    fn operations_are_bounded_and_the_last_one_stays() {
        let (mut operations, now) = (Operations::default(), Instant::now());
        for id in 0..=MAX_OPERATIONS {
            operations.keep(id.to_string(), person(), operation(1), now);
        }
        assert!(
            operations.get("0", &person(), now).is_none() && operations.get("1", &person(), now).is_some()
        );
        operations.keep("large".to_owned(), person(), operation(MAX_BYTES + 1), now);
        assert_eq!(operations.operations.len(), 1);
        assert!(operations.get(LAST, &person(), now).is_some());
    }

    #[test]
    fn an_agent_takes_up_its_own_operations_alone() {
        let (mut operations, now) = (Operations::default(), Instant::now());
        let agent = |root: &str| Maker { caller: CallerKind::Agent, roots: Some(vec![root.into()]) };
        operations.keep("1".to_owned(), agent("/p"), operation(1), now);
        operations.keep("2".to_owned(), person(), operation(2), now);
        let mut bytes = |id, maker| operations.get(id, &maker, now).map(|operation| operation.bytes());
        assert_eq!((bytes("2", agent("/p")), bytes(LAST, agent("/p"))), (None, Some(1)));
        assert_eq!((bytes("1", agent("/q")), bytes(LAST, agent("/q"))), (None, None));
        assert_eq!((bytes("1", person()), bytes(LAST, person())), (Some(1), Some(2)));
    }
}
