//! What operations of agents left out in a project for want of an approval. Bounded, and forgotten in time. Time is
//! passed in.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use clada_protocol::LeftOut;

/// The last operations whose left-out parts are remembered, and for how long: as long as they can be resumed
/// from memory.
const MAX_LEFT_OUT: usize = 8;
const MAX_EARLIER: usize = 1_000;
const LIFETIME: Duration = Duration::from_secs(4 * 60 * 60);

#[derive(Debug, Default)]
pub(super) struct AgentOperations {
    left_out: VecDeque<(Instant, LeftOut)>,
    earlier: VecDeque<(Instant, String)>,
}

impl AgentOperations {
    pub(super) fn leave_out(&mut self, left_out: LeftOut, now: Instant) {
        self.left_out.push_front((now, left_out));
        while self.left_out.len() > MAX_LEFT_OUT {
            let expired = self.left_out.pop_back();
            self.earlier.extend(expired.map(|(since, left_out)| (since, left_out.operation_id)));
        }
        let surplus = self.earlier.len().saturating_sub(MAX_EARLIER);
        drop(self.earlier.drain(..surplus));
    }

    pub(super) fn take_up(&mut self, id: &str) {
        self.left_out.retain(|(_, left_out)| left_out.operation_id != id);
        self.earlier.retain(|(_, earlier)| earlier != id);
    }

    pub(super) fn not_named(&self, now: Instant) -> usize {
        self.earlier.iter().filter(|(since, _)| now.saturating_duration_since(*since) < LIFETIME).count()
    }

    pub(super) fn left_out(&self, root: &Path, now: Instant) -> Vec<LeftOut> {
        let age = |since: &Instant| now.saturating_duration_since(*since);
        let alive = self.left_out.iter().filter(|(since, _)| age(since) < LIFETIME);
        let alive_left_out = alive.map(|(since, one)| LeftOut {
            root: root.to_string_lossy().into_owned(),
            ended_ms: u64::try_from(age(since).as_millis()).unwrap_or(u64::MAX),
            ..one.clone()
        });
        alive_left_out.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_forgotten_when_it_is_taken_up_or_in_time() {
        let (mut operations, now) = (AgentOperations::default(), Instant::now());
        for number in 0..10 {
            let left = LeftOut { operation_id: number.to_string(), ..LeftOut::default() };
            operations.leave_out(left, now);
        }
        let ids = |operations: &AgentOperations, now| -> Vec<String> {
            let left = operations.left_out(Path::new("/p"), now).into_iter();
            left.map(|left| left.operation_id).collect()
        };
        assert_eq!(operations.not_named(now), 2);
        operations.take_up("0");
        assert_eq!((operations.not_named(now), operations.not_named(now + LIFETIME)), (1, 0));
        operations.take_up("8");
        assert_eq!(ids(&operations, now), ["9", "7", "6", "5", "4", "3", "2"]);
        assert!(ids(&operations, now + LIFETIME).is_empty());
    }
}
