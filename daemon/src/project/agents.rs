//! The operations of agents in a project: how many have ended, what the last ones changed, and what was left
//! out of them for want of an approval. Bounded, and forgotten in time. Time is passed in.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use clada_protocol::LeftOut;

/// The last operations whose changes are remembered.
const MAX_ENDED: usize = 32;
/// The files that are named of one operation.
const MAX_FILES: usize = 10;
/// The last operations whose left-out parts are remembered, and for how long: as long as they can be resumed
/// from memory.
const MAX_LEFT_OUT: usize = 8;
const LIFETIME: Duration = Duration::from_secs(4 * 60 * 60);

/// The operations of agents in one project.
#[derive(Debug, Default)]
pub(super) struct AgentOperations {
    ended: u64,
    /// The last ones, in words, each with its number.
    last: VecDeque<(u64, String)>,
    left_out: VecDeque<(Instant, LeftOut)>,
}

impl AgentOperations {
    /// Returns how many have ended.
    pub(super) fn ended(&self) -> u64 {
        self.ended
    }

    /// Notes the end of one, and the files that it changed.
    pub(super) fn end(&mut self, id: &str, files: &[String]) {
        self.ended += 1;
        let named: Vec<_> =
            files.iter().take(MAX_FILES).map(|file| clada_protocol::visible_line(file)).collect();
        let more = files.len().saturating_sub(MAX_FILES);
        let changes = match (named.is_empty(), more) {
            (true, _) => "no file".to_owned(),
            (false, 0) => named.join(", "),
            (false, more) => format!("{} and {more} more", named.join(", ")),
        };
        self.last.push_back((self.ended, format!("An agent's operation {id} changed {changes}.")));
        if self.last.len() > MAX_ENDED {
            self.last.pop_front();
        }
    }

    /// Returns what those after the first `known` did, in words.
    pub(super) fn since(&self, known: u64) -> Vec<String> {
        let forgotten = self.last.front().map_or(0, |(number, _)| number - 1).saturating_sub(known);
        let mut told: Vec<String> = Vec::new();
        if forgotten > 0 {
            told.push(format!("{forgotten} operations of agents have ended."));
        }
        told.extend(self.last.iter().filter(|(number, _)| *number > known).map(|(_, text)| text.clone()));
        told
    }

    /// Notes what one left out.
    pub(super) fn leave_out(&mut self, left: LeftOut, now: Instant) {
        self.left_out.push_front((now, left));
        self.left_out.truncate(MAX_LEFT_OUT);
    }

    /// Forgets what an operation left out: it was taken up.
    pub(super) fn take_up(&mut self, id: &str) {
        self.left_out.retain(|(_, left)| left.operation_id != id);
    }

    /// Returns what the last ones left out, the latest first.
    pub(super) fn left_out(&self, root: &Path, now: Instant) -> Vec<LeftOut> {
        let age = |since: &Instant| now.saturating_duration_since(*since);
        let alive = self.left_out.iter().filter(|(since, _)| age(since) < LIFETIME);
        let told = alive.map(|(since, left)| LeftOut {
            root: root.to_string_lossy().into_owned(),
            ended_ms: u64::try_from(age(since).as_millis()).unwrap_or(u64::MAX),
            ..left.clone()
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_since_is_told_and_what_is_kept_is_bounded() {
        let mut operations = AgentOperations::default();
        assert!(operations.since(0).is_empty());
        let files: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
        operations.end("a", &files);
        operations.end("b", &["x\n".to_owned()]);
        operations.end("c", &[]);
        assert_eq!(
            operations.since(0),
            [
                "An agent's operation a changed f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more.",
                "An agent's operation b changed x\\n.",
                "An agent's operation c changed no file."
            ]
        );
        assert_eq!(operations.since(2), ["An agent's operation c changed no file."]);
        for _ in 0..100 {
            operations.end("d", &[]);
        }
        let told = operations.since(3);
        assert_eq!((told.len(), told[0].as_str()), (33, "68 operations of agents have ended."));
        assert!(operations.since(operations.ended()).is_empty());
    }

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
        operations.take_up("8");
        assert_eq!(ids(&operations, now), ["9", "7", "6", "5", "4", "3", "2"]);
        assert!(ids(&operations, now + LIFETIME).is_empty());
    }
}
