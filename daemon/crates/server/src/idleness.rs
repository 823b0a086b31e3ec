//! Detects that the daemon has been idle for so long that memory which it keeps only for later use should be
//! released.
//!
//! The caller passes the time and the work in progress; the builder of the server decides what is released.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Idleness {
    begun: u64,
    since: Instant,
    worked: bool,
    quiet: Duration,
}

impl Idleness {
    pub(super) fn new(now: Instant, quiet: Duration) -> Idleness {
        Idleness { begun: 0, since: now, worked: false, quiet }
    }

    /// Returns whether to release memory now: once after each time of work. `begun` requests took time so
    /// far, and `running` of them are still in progress.
    pub(super) fn is_due(&mut self, now: Instant, begun: u64, running: usize) -> bool {
        if running > 0 || begun != self.begun {
            *self = Idleness { begun, since: now, worked: true, quiet: self.quiet };
            return false;
        }
        let due = self.worked && now.duration_since(self.since) >= self.quiet;
        self.worked &= !due;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_after_each_time_of_work() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut idleness = Idleness::new(start, Duration::from_secs(20));
        assert!(!idleness.is_due(at(100), 0, 0), "nothing was done yet");
        assert!(!idleness.is_due(at(101), 3, 1));
        assert!(!idleness.is_due(at(200), 3, 1), "a long request is work");
        assert!(!idleness.is_due(at(201), 3, 0));
        assert!(!idleness.is_due(at(219), 3, 0));
        assert!(idleness.is_due(at(220), 3, 0));
        assert!(!idleness.is_due(at(300), 3, 0));
        assert!(!idleness.is_due(at(301), 4, 0), "short requests are work");
        assert!(!idleness.is_due(at(320), 5, 0));
        assert!(idleness.is_due(at(340), 5, 0));
    }
}
