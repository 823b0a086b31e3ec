//! A bar on standard error while something takes long. Must not know the work.
//!
//! Drawn here and not by a library: existing ones compute with floating point, and the mathematics library
//! that a program then loads at each start is an eighth of the time of a short call.

use std::time::{Duration, Instant};

use crate::Process;

/// The time after which a bar is shown; shorter work needs none.
const LONG: Duration = Duration::from_millis(400);
/// The interval between two drawings; the eye needs no more.
const REDRAWN_EVERY: Duration = Duration::from_millis(100);
/// The width of the bar in characters.
const WIDTH: u64 = 40;
/// Returns to the beginning of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// A bar, once there is a reason for one.
#[derive(Debug)]
pub(crate) struct Progress {
    wanted: bool,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Returns a bar that is shown only if it is `wanted`.
    pub(crate) fn new(wanted: bool) -> Progress {
        Progress { wanted, begun: Instant::now(), drawn: None }
    }

    /// Shows `done` of `total`, if it is time for that.
    pub(crate) fn show(&mut self, process: &mut Process, done: Option<u64>, total: Option<u64>) {
        let (now, taken) = (Instant::now(), self.begun.elapsed());
        let is_early = self.drawn.map_or(taken < LONG, |drawn| now - drawn < REDRAWN_EVERY);
        let (true, false, Some(done), Some(total)) = (self.wanted, is_early, done, total) else { return };
        self.drawn = Some(now);
        process.complain(&format!("{CLEAR}{}", line(done, total, taken)));
    }

    /// Clears the bar.
    pub(crate) fn end(&mut self, process: &mut Process) {
        if self.drawn.take().is_some() {
            process.complain(CLEAR);
        }
    }
}

fn line(done: u64, total: u64, taken: Duration) -> String {
    let part = |of: u64| of.saturating_mul(done.min(total)).checked_div(total).unwrap_or(0);
    let bar: String = (0..WIDTH).map(|at| if at < part(WIDTH) { '#' } else { '-' }).collect();
    let left = match done {
        0 => String::new(),
        done => {
            let left = taken.as_secs().saturating_mul(total.saturating_sub(done)) / done;
            format!(", {left} s left")
        }
    };
    format!("[{bar}] {done}/{total} files{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_how_far_it_is() {
        let half = line(10, 20, Duration::from_secs(3));
        assert_eq!(half, format!("[{}{}] 10/20 files, 3 s left", "#".repeat(20), "-".repeat(20)));
        assert_eq!(line(0, 0, Duration::ZERO), format!("[{}] 0/0 files", "-".repeat(40)));
        assert!(line(u64::MAX, u64::MAX, Duration::from_secs(1)).ends_with("files, 0 s left"));
    }
}
